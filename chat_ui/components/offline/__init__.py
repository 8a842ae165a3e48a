"""Conversations that a browser keeps, to be read without a network."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class Offline(rx.Component):
    """Has the browser keep each `conversation` that a `ready` page shows, once its latest `answer` is not `live` any
    more and all of it is `written`; copies come from `address`/ID/copy and stand for `pages`/ID.
    """

    library = script("offline/offline.js")
    tag = "Offline"

    ready: rx.Var[bool]
    conversation: rx.Var[str]
    answer: rx.Var[str]
    live: rx.Var[bool]
    status: rx.Var[str]
    written: rx.Var[bool]
    address: rx.Var[str]
    pages: rx.Var[str]
