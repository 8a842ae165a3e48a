"""The panels beside the conversation: Sources and Thoughts."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.components.shared import OF_A_DIALOG, CopyButton
from chat_ui.components.shared.icon_button import icon_button
from chat_ui.components.sources import HtmlFragment, SourcesPanel
from chat_ui.state.chat import ChatState
from chat_ui.state.panels import PanelState

_KEYS: Final = "Alt + ↓ next citation, Alt + ↑ the one before"


def sources() -> rx.Component:
    """The region Sources, when it is open."""
    return rx.cond(
        PanelState.sources_answer != "",
        SourcesPanel.create(
            rx.el.div(
                rx.el.h2("Sources"),
                icon_button("Keys", "keyboard", title=_KEYS, class_name="tool sources-keys"),
                icon_button("Close sources", "x", title="Close", on_click=PanelState.close_sources),
                class_name="panel-head",
            ),
            address=PanelState.sources_address,
            earlier=PanelState.sources_answer != ChatState.latest.address,
            on_close=PanelState.close_sources,
        ),
    )


def _inspector() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Inspector"),
        rx.el.div(
            rx.el.button(
                rx.cond(PanelState.inspecting, "Hide the raw lines", "Show the raw lines"),
                type="button",
                class_name="button",
                aria_expanded=PanelState.inspecting,
                on_click=PanelState.toggle_inspector,
            ),
            CopyButton.create(
                rx.icon("terminal", size=16, aria_hidden="true"),
                rx.el.span("Copy as cURL"),
                address=f"{PanelState.thoughts_answer}/curl",
                label="Copy as cURL",
            ),
            class_name="dialog-buttons",
        ),
        rx.cond(PanelState.inspecting, HtmlFragment.create(address=f"{PanelState.thoughts_answer}/wire")),
        class_name="inspector",
    )


def thoughts() -> rx.Component:
    """The drawer Thoughts, when it is open."""
    return rx.dialog.root(
        rx.dialog.content(
            rx.el.div(
                rx.dialog.title("Thoughts", margin_bottom="0"),
                rx.dialog.close(icon_button("Close thoughts", "x", title="Close")),
                class_name="panel-head",
            ),
            rx.dialog.description("What the backend did for this answer, step by step.", size="2", color_scheme="gray"),
            HtmlFragment.create(address=PanelState.thoughts_address, on_source=PanelState.show_data_point),
            _inspector(),
            class_name="drawer",
            custom_attrs=OF_A_DIALOG,
        ),
        open=PanelState.thoughts_answer != "",
        on_open_change=PanelState.set_thoughts_open,
    )
