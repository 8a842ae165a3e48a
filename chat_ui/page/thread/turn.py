"""A turn: the article of a question and the article of its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import reflex as rx
from reflex.event import EventType

from chat_ui.page.asking import AttachedFiles, chips
from chat_ui.page.commands import Command
from chat_ui.page.languages import rich, t, tn
from chat_ui.page.painted import allowed, most
from chat_ui.page.shared import button, icon_button, sign_in_again
from chat_ui.page.slots import filled
from chat_ui.page.sources import HtmlFragment
from chat_ui.page.state.chat import ChatEvents, ChatState
from chat_ui.page.state.panels import PanelState
from chat_ui.page.state.views import AnswerView, TurnView
from chat_ui.page.thread import AnswerText, BesideAnswer, CopyAnswer, Outcome, QuestionText, Silence

Column: TypeAlias = type[ChatEvents]
"""The state of the turn's conversation."""


def _tool(
    label: rx.Var[str], icon: str, on_click: EventType[()], badge: rx.Component | None = None, **props: rx.Var[bool]
) -> rx.Component:
    return icon_button(
        label,
        icon,
        rx.el.span(label, class_name="tool-label"),
        *([badge] if badge is not None else []),
        size=16,
        on_click=on_click,
        **props,
    )


def _panel_tool(
    label: rx.Var[str], icon: str, tab: str, answer: rx.Var[AnswerView], badge: rx.Component | None = None
) -> rx.Component:
    """The button that opens and closes a tab of the side panel for an answer."""
    return _tool(
        label,
        icon,
        PanelState.toggle(answer.address, tab),
        badge,
        aria_expanded=(PanelState.answer == answer.address) & (PanelState.tab == tab),
    )


def _outcome(
    column: Column, turn: rx.Var[TurnView], answer: rx.Var[AnswerView], is_latest: rx.Var[bool]
) -> rx.Component:
    words = rx.cond(answer.error != "", answer.error, answer.notice)
    return Outcome.create(
        rx.icon("circle-alert", size=18, aria_hidden="true"),
        rx.el.p(words, dir="auto"),
        rx.cond(
            is_latest & answer.can_continue,
            button(t("Continue"), is_primary=True, on_click=column.go_on),
        ),
        rx.cond(
            is_latest,
            rx.fragment(
                sign_in_again(answer.sign_in),
                rx.cond(
                    turn.decides == "",
                    button(t("Retry"), on_click=column.answer_again),
                    # A double click is not the second press that confirms it.
                    rx.cond(
                        answer.can_send,
                        button(t("Send again"), on_click=column.decide_again(turn.id).throttle(1000)),
                    ),
                ),
            ),
        ),
        answer=answer,
        class_name=rx.cond(answer.error != "", "callout callout-error", "callout"),
        key=f"outcome of {answer.id}",
    )


def _pager(
    label: rx.Var[str],
    steps: tuple[rx.Var[str], rx.Var[str]],
    number: rx.Var[int],
    count: rx.Var[int],
    show: Callable[[rx.Var[int]], EventType[()]],
) -> rx.Component:
    """The number of the current version, and buttons to the previous and the next one, named by the `steps`."""

    def step(label: rx.Var[str], icon: str, to: rx.Var[int], at_end: rx.Var[bool]) -> rx.Component:
        return icon_button(label, icon, size=16, disabled=at_end, on_click=show(to))

    return rx.cond(
        count > 1,
        rx.el.span(
            step(steps[0], "chevron-left", number - 1, number <= 1),
            rx.el.span(f"{number} / {count}", class_name="pager-place"),
            step(steps[1], "chevron-right", number + 1, number >= count),
            role="group",
            aria_label=label,
            class_name="pager",
        ),
    )


def _grounds(answer: rx.Var[AnswerView]) -> rx.Component:
    """The sources of the answer from the first ones on, and its grounding line once it has ended."""
    grounds = HtmlFragment.create(
        address=f"{answer.address}/grounding",
        on_source=lambda point: PanelState.show_point(answer.address, point),
        on_citation=lambda use: PanelState.show_source(answer.address, use),
        key=f"{answer.sources} sources",
    )
    return rx.el.div(BesideAnswer.create(grounds, characters=answer.characters), class_name="grounding-place")


def _commands(column: Column, turn: rx.Var[TurnView], answer: rx.Var[AnswerView]) -> rx.Component:
    """The page's commands for the last answer."""
    return rx.fragment(
        rx.cond(
            answer.sources > 0,
            Command.create(name="sources", on_run=PanelState.show_point(answer.address, -1)),
        ),
        rx.cond(allowed("thoughts"), Command.create(name="thoughts", on_run=PanelState.show_thoughts(answer.address))),
        rx.cond(
            answer.live | (turn.decides != ""),
            rx.fragment(),
            Command.create(name="regenerate", on_run=column.answer_again),
        ),
    )


def _tools(column: Column, turn: rx.Var[TurnView], answer: rx.Var[AnswerView], is_latest: rx.Var[bool]) -> rx.Component:
    # The commands of the page are for the first column.
    is_commanded = is_latest if column is ChatState else False
    return rx.el.div(
        _pager(
            t("Versions of this answer"),
            (t("Previous answer"), t("Next answer")),
            answer.number,
            answer.count,
            lambda number: column.choose_answer(turn.id, number),
        ),
        rx.cond(
            answer.sources > 0,
            _panel_tool(
                t("Sources"),
                "library",
                "sources",
                answer,
                rx.el.span(answer.sources, class_name="badge", aria_hidden="true"),
            ),
        ),
        rx.cond(allowed("thoughts"), _panel_tool(t("Thoughts"), "list-tree", "thoughts", answer)),
        rx.cond(
            ~answer.live,
            rx.fragment(
                rx.cond(
                    (answer.characters > 0) | (answer.pictures > 0),
                    CopyAnswer.create(address=answer.address, cites=answer.sources > 0, is_latest=is_commanded),
                ),
                # The outcome has a button for the same: Retry.
                rx.cond(
                    is_latest & (answer.error == "") & (answer.notice == "") & (turn.decides == ""),
                    _tool(t("Regenerate"), "refresh-cw", column.answer_again),
                ),
                *(parts.below_answer(answer, is_commanded) for parts in filled() if parts.below_answer),
            ),
        ),
        rx.cond(is_latest, _commands(column, turn, answer)) if column is ChatState else rx.fragment(),
        class_name="tools",
    )


def articles(
    column: Column, turn: rx.Var[TurnView], answer: rx.Var[AnswerView], is_latest: rx.Var[bool]
) -> rx.Component:
    is_unfinished = (answer.error != "") | ((answer.notice != "") & ~answer.is_instead)
    return rx.fragment(
        rx.cond(
            turn.decides != "",
            rx.el.article(
                *(parts.decision(turn) for parts in filled() if parts.decision),
                aria_label=t("Decision"),
                class_name="question question-decision",
            ),
            rx.el.article(
                QuestionText.create(
                    _pager(
                        t("Versions of this question"),
                        (t("Previous question"), t("Next question")),
                        turn.version,
                        turn.versions,
                        lambda number: column.show_version(turn.id, number),
                    ),
                    turn=turn,
                    max_length=most("question"),
                    on_edit=lambda question: column.edit(turn.id, question),
                ),
                AttachedFiles.create(files=turn.images),
                aria_label=t("Question"),
                class_name="question",
            ),
        ),
        rx.el.article(
            rx.cond(
                answer.recorded != "",
                rx.el.p(
                    rx.icon("film", size=14, aria_hidden="true"), rx.el.span(answer.recorded), class_name="recorded-on"
                ),
            ),
            AnswerText.create(
                rx.el.span(class_name="pulse", aria_hidden="true"),
                Silence.create(address=answer.address),
                rx.cond(
                    answer.sources > 0,
                    rx.el.span(
                        tn("Reading {count} source…", "Reading {count} sources…", answer.sources),
                        class_name="still-working is-reading",
                    ),
                    rx.el.span(t("Still working…"), class_name="still-working"),
                ),
                answer=answer,
                on_citation=lambda use: PanelState.show_source(answer.address, use),
                key=answer.id,
            ),
            rx.cond(answer.pictures > 0, HtmlFragment.create(address=f"{answer.address}/pictures?{answer.pictures}")),
            rx.cond(
                answer.backend != "",
                rx.el.p(rich("Answered by {backend}", backend=rx.el.bdi(answer.backend)), class_name="answered-by"),
            ),
            _outcome(column, turn, answer, is_latest),
            rx.cond(answer.sources > 0, _grounds(answer)),
            rx.cond(
                is_latest, rx.fragment(*(parts.in_answer(column, answer) for parts in filled() if parts.in_answer))
            ),
            _tools(column, turn, answer, is_latest),
            rx.cond(
                is_latest,
                chips(answer.followups, t("Follow-up questions"), language=answer.followups_language, most=3),
            ),
            aria_label=t("Answer"),
            aria_busy=answer.live,
            class_name=rx.cond(is_unfinished, "answer answer-unfinished", "answer"),
        ),
    )


@rx.memo
def turn_articles(turn: rx.Var[TurnView], answer: rx.Var[AnswerView], is_latest: rx.Var[bool]) -> rx.Component:
    """A question and its answer; `answer` is the newest state."""
    return articles(ChatState, turn, answer, is_latest)


def turn(shown: rx.Var[TurnView]) -> rx.Component:
    """The turn as displayed: the newest one takes its answer from `latest`."""
    return turn_of(ChatState, turn_articles, shown)


def turn_of(column: Column, memo: Callable[..., rx.Component], shown: rx.Var[TurnView]) -> rx.Component:
    is_latest = shown.answer.id == column.latest.id
    return rx.fragment(
        memo(
            turn=shown,
            answer=rx.cond(is_latest, column.latest, shown.answer),
            is_latest=is_latest,
        ),
        key=shown.id,
    )
