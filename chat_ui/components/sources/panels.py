"""The panel beside the conversation, with the sources or the thoughts of an answer."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.branding import allowed
from chat_ui.components.languages import t
from chat_ui.components.shared import CopyButton
from chat_ui.components.sources import HtmlFragment, Raw, SidePanel, SourcesPanel
from chat_ui.state.arms.second_arm import SecondArmState
from chat_ui.state.chat import ChatState
from chat_ui.state.panels import PanelState


def side_panel() -> rx.Component:
    return rx.cond(
        (PanelState.answer != "") & (PanelState.conversation == ChatState.conversation_id),
        SidePanel.create(
            rx.cond(
                PanelState.tab == "thoughts",
                _thoughts(),
                SourcesPanel.create(address=PanelState.sources_address, on_close=PanelState.close),
            ),
            tab=PanelState.tab,
            answer=PanelState.answer,
            address=f"{PanelState.sources_address}{PanelState.thoughts_address}",
            turns=rx.cond(SecondArmState.comparing, ChatState.turns + SecondArmState.turns, ChatState.turns),
            latest=rx.cond(
                SecondArmState.comparing & (PanelState.answer == SecondArmState.latest.address),
                SecondArmState.latest,
                ChatState.latest,
            ),
            thoughts=allowed("thoughts"),
            on_tab=PanelState.show_tab,
            on_close=PanelState.close,
        ),
    )


def _thoughts() -> rx.Component:
    return rx.el.div(
        HtmlFragment.create(address=PanelState.thoughts_address, on_source=PanelState.show_data_point),
        _raw(),
        class_name="thoughts-content",
    )


def _raw() -> rx.Component:
    """What travelled, folded: the request for curl, each step as JSON, and the lines as they came."""
    return Raw.create(
        rx.el.div(
            CopyButton.create(
                rx.icon("terminal", size=16, aria_hidden="true"),
                rx.el.span(t("Copy as cURL")),
                address=f"{PanelState.answer}/curl",
                label=t("Copy as cURL"),
            ),
            HtmlFragment.create(address=f"{PanelState.answer}/raw"),
            HtmlFragment.create(address=f"{PanelState.answer}/wire"),
            class_name="raw-content",
        ),
        label=t("Raw"),
        answer=PanelState.answer,
    )
