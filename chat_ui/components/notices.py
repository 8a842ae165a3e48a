"""What the person has to know about the whole page."""

from __future__ import annotations

import reflex as rx

from chat_ui.state.chat import ChatState


def notices() -> rx.Component:
    """A warning while conversations cannot be kept, or not be followed elsewhere."""
    return rx.el.div(
        rx.cond(
            ChatState.unkept,
            _notice(
                "This conversation is not being kept at the moment. It goes on here, and it will be kept as soon as "
                "the store can be reached again. Do not rely on a reload until then."
            ),
        ),
        rx.cond(
            ChatState.apart,
            _notice(
                "The servers of this page cannot reach each other at the moment. Everything goes on here; in other "
                "tabs and on other devices it may show, and be stopped, a little later."
            ),
        ),
        role="status",
        class_name="notices",
    )


def _notice(words: str) -> rx.Component:
    return rx.el.p(rx.icon("triangle-alert", size=18, aria_hidden="true"), words, class_name="callout")
