"""The bar on top of the page."""

from __future__ import annotations

import reflex as rx
from reflex.style import set_color_mode

from chat_ui.components.branding import BrandingPart
from chat_ui.components.conversations.conversation_list import conversations_button
from chat_ui.components.header import IN_THE_HEADER
from chat_ui.components.settings.backend_dialog import add_button, backend_button
from chat_ui.components.settings.field import own_value
from chat_ui.components.shared.icon_button import icon_button
from chat_ui.state.backend_choice import BackendState
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
            custom_attrs=IN_THE_HEADER,
        ),
        # Elements that a modal menu hides from screen readers would still take the focus.
        modal=False,
    )


def _backend() -> rx.Component:
    return rx.cond(
        BackendState.offered.length() > 1,
        own_value(
            "select",
            BackendState.selected,
            BackendState.select,
            rx.foreach(BackendState.offered, lambda backend: rx.el.option(backend[1], value=backend[0])),
            aria_label="Backend",
            class_name="backend-label backend-select",
        ),
        rx.el.span(
            BackendState.label,
            class_name="backend-label",
            custom_attrs={"data-branding": "label"},
            title=BackendState.label,
        ),
    )


def header() -> rx.Component:
    """Title, the backend in use, and the controls of the whole page."""
    return rx.el.header(
        rx.el.div(
            conversations_button(),
            BrandingPart.create(part="brand", own=BackendState.own_branding["brand"]),
            _backend(),
            add_button(),
            class_name="title",
        ),
        rx.el.div(
            icon_button(
                "New chat",
                "square-pen",
                rx.el.span("New chat", class_name="tool-label"),
                on_click=ChatState.new_chat,
            ),
            backend_button(),
            _theme_button(),
            class_name="header-tools",
        ),
        class_name="header",
    )
