"""Notices about the connection and the server."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class ConnectionStatus(rx.Component):
    """A notice that there is no connection, that the server cannot know this browser, or that the page is of another
    version.

    `needs_person` is an address that the server refuses only to a browser without a cookie; the page is `ready` once it
    has its state from the server.
    """

    library = script("connection/connection_status.jsx")
    tag = "ConnectionStatus"

    needs_person: rx.Var[str]
    ready: rx.Var[bool]
