"""What the person has to know about the whole page."""

from __future__ import annotations

import reflex as rx

from chat_ui.state.chat import ChatState


def notices() -> rx.Component:
    """A warning while conversations cannot be kept."""
    return rx.el.div(
        rx.cond(
            ChatState.unkept,
            rx.el.p(
                rx.icon("triangle-alert", size=18, aria_hidden="true"),
                "This conversation is not being kept at the moment. It goes on here, and it will be kept as soon as "
                "the store can be reached again. Do not rely on a reload until then.",
                class_name="callout",
            ),
        ),
        role="status",
        class_name="notices",
    )
