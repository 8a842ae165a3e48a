from __future__ import annotations

import reflex as rx

from chat_ui.page.languages import t
from chat_ui.page.painted import allowed
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.shared import CopyButton
from chat_ui.page.slots import beside
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.list_panel import ListState
from chat_ui.page.state.panels import PanelState
from chat_ui.page.state.views import AnswerView, TurnView


class HtmlFragment(rx.Component):
    """Safe HTML from this server, fetched from `address` when shown. `on_source` gets the number of a requested source,
    `on_citation` the index of a citation.
    """

    library = script("page/sources/fragment.jsx")
    tag = "Fragment"
    alias = "HtmlFragment"

    address: rx.Var[str]
    on_source: rx.EventHandler[rx.event.passthrough_event_spec(int)]
    on_citation: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class Raw(Scripted):
    """Raw data of the `answer`, collapsed until the button with this `label` is pressed; children load then."""

    library = script("page/sources/raw.jsx")

    label: rx.Var[str]
    answer: rx.Var[str]


class SidePanel(Scripted):
    """The panel about the turn of `turns` whose address is `answer`, with the content from `address` as its child.

    It takes the focus when `address` changes, and names the question unless the answer is the `latest`. `on_tab` gets
    the name of the requested tab. `on_crowded` closes the list, beside which the panel leaves too little room.
    """

    library = script("page/sources/side_panel.jsx")

    tab: rx.Var[str]
    answer: rx.Var[str]
    address: rx.Var[str]
    turns: rx.Var[list[TurnView]]
    latest: rx.Var[AnswerView]
    thoughts: rx.Var[bool]
    on_tab: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_crowded: rx.EventHandler[rx.event.no_args_event_spec]


class SourcesPanel(Scripted):
    """The sources of an answer, filled from `address`; documents open in it. pdf.js is a separate chunk that a browser
    loads with the first PDF. `on_source` gets the index of another source's data point, `on_step` the id
    of the step that found a source.
    """

    library = script("page/sources/sources_panel.jsx")
    lib_dependencies: list[str] = ["pdfjs-dist@6.5.438"]  # noqa: RUF012 - Reflex's own way to name them

    address: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_source: rx.EventHandler[rx.event.passthrough_event_spec(int)]
    on_step: rx.EventHandler[rx.event.passthrough_event_spec(str)]


def side_panel() -> rx.Component:
    other = beside()
    turns, latest = ChatState.turns, ChatState.latest
    if other:
        is_of_other = other.is_shown & (PanelState.answer == other.latest.address)
        turns = rx.cond(other.is_shown, turns + other.turns, turns)
        latest = rx.cond(is_of_other, other.latest, latest)
    return rx.cond(
        (PanelState.answer != "") & (PanelState.conversation == ChatState.conversation_id),
        SidePanel.create(
            rx.cond(
                PanelState.tab == "thoughts",
                _thoughts(),
                SourcesPanel.create(
                    address=PanelState.sources_address,
                    on_close=PanelState.close,
                    on_source=PanelState.show_data_point,
                    on_step=lambda step: PanelState.show_step(PanelState.answer, step),
                ),
            ),
            tab=PanelState.tab,
            answer=PanelState.answer,
            address=f"{PanelState.sources_address}{PanelState.thoughts_address}",
            turns=turns,
            latest=latest,
            thoughts=allowed("thoughts"),
            on_tab=PanelState.show_tab,
            on_close=PanelState.close,
            on_crowded=ListState.close,
        ),
    )


def _thoughts() -> rx.Component:
    return rx.el.div(
        HtmlFragment.create(address=PanelState.thoughts_address, on_source=PanelState.show_data_point),
        _raw(),
        class_name="thoughts-content",
    )


def _raw() -> rx.Component:
    """Raw data, collapsed: the request for curl, each step as JSON, and the received lines."""
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
