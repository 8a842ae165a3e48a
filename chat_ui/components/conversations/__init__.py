"""The list of conversations."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class ConversationList(rx.Component):
    """The navigation named Conversations; it is loaded again whenever `revision` changes.

    It comes from `address`; the page of a conversation is at `pages`/ID, and the person's feedback on answers at
    `feedback`.
    `current` is the id of the open conversation; `on_gone` gets the id of one that was deleted.
    """

    library = script("conversations/conversation_list.jsx")
    tag = "ConversationList"

    address: rx.Var[str]
    feedback: rx.Var[str]
    pages: rx.Var[str]
    revision: rx.Var[int]
    current: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_gone: rx.EventHandler[rx.event.passthrough_event_spec(str)]
