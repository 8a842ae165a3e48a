"""The bar on top of the page."""

from __future__ import annotations

import reflex as rx
from reflex.style import set_color_mode

from chat_ui.components.backend_dialog import backend_button
from chat_ui.components.conversation_list import conversations_button
from chat_ui.state.backend import BackendState
from chat_ui.state.chat import ChatState


def _theme_button() -> rx.Component:
    return rx.menu.root(
        rx.menu.trigger(
            rx.el.button(
                rx.color_mode_cond(
                    rx.icon("sun", size=18, aria_hidden="true"), rx.icon("moon", size=18, aria_hidden="true")
                ),
                type="button",
                class_name="tool",
                aria_label="Colour theme",
                title="Colour theme",
            )
        ),
        rx.menu.content(
            rx.menu.item("Light", on_select=set_color_mode("light")),
            rx.menu.item("Dark", on_select=set_color_mode("dark")),
            rx.menu.item("As the system", on_select=set_color_mode("system")),
        ),
    )


def header() -> rx.Component:
    """Title, the backend in use, and what concerns the whole page."""
    return rx.el.header(
        rx.el.div(
            conversations_button(),
            rx.el.h1("Chat"),
            rx.el.span(BackendState.label, class_name="backend-label", title=BackendState.label),
            class_name="title",
        ),
        rx.el.div(
            rx.el.button(
                rx.icon("square-pen", size=18, aria_hidden="true"),
                rx.el.span("New chat", class_name="tool-label"),
                type="button",
                class_name="tool",
                aria_label="New chat",
                title="New chat",
                on_click=ChatState.new_chat,
            ),
            backend_button(),
            _theme_button(),
            class_name="header-tools",
        ),
        class_name="header",
    )
