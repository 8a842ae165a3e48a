"""What the person is told of the connection and of the server."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class ConnectionStatus(rx.Component):
    """Says in words that there is no connection, or that the server cannot know this browser.

    `needs_person` is an address that the server refuses to no other browser.
    """

    library = script("connection/connection_status.jsx")
    tag = "ConnectionStatus"

    needs_person: rx.Var[str]
