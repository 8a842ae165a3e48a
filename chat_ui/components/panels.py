"""What opens beside the conversation: Sources and Thoughts."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.scripts import HtmlFragment, SourcesPanel
from chat_ui.state.panels import PanelState


def sources() -> rx.Component:
    """The region Sources, when it is open."""
    return rx.cond(
        PanelState.sources_answer != "",
        SourcesPanel.create(
            rx.el.div(
                rx.el.h2("Sources"),
                rx.el.button(
                    rx.icon("x", size=18, aria_hidden="true"),
                    type="button",
                    class_name="tool",
                    aria_label="Close sources",
                    title="Close",
                    on_click=PanelState.close_sources,
                ),
                class_name="panel-head",
            ),
            address=PanelState.sources_address,
            on_close=PanelState.close_sources,
        ),
    )


def thoughts() -> rx.Component:
    """The drawer Thoughts, when it is open."""
    return rx.dialog.root(
        rx.dialog.content(
            rx.el.div(
                rx.dialog.title("Thoughts", margin_bottom="0"),
                rx.dialog.close(
                    rx.el.button(
                        rx.icon("x", size=18, aria_hidden="true"),
                        type="button",
                        class_name="tool",
                        aria_label="Close thoughts",
                        title="Close",
                    )
                ),
                class_name="panel-head",
            ),
            rx.dialog.description("What the backend did for this answer, step by step.", size="2", color_scheme="gray"),
            HtmlFragment.create(address=PanelState.thoughts_address),
            class_name="drawer",
        ),
        open=PanelState.thoughts_answer != "",
        on_open_change=PanelState.set_thoughts_open,
    )
