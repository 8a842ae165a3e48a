"""Notices about the connection and the server."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class ConnectionStatus(rx.Component):
    """A notice that there is no connection, or that the server cannot know this browser.

    `needs_person` is an address that the server refuses only to a browser without a cookie.
    """

    library = script("connection/connection_status.jsx")
    tag = "ConnectionStatus"

    needs_person: rx.Var[str]
