"""Two columns of a comparison side by side."""

from __future__ import annotations

import reflex as rx
from reflex.event import EventType

from chat_ui.backends.settings import own_value
from chat_ui.backends.settings.tabs import option_fields
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.features.comparing.page.state.column_choice import ColumnChoice
from chat_ui.features.comparing.page.state.second_column import SecondColumnState, Side
from chat_ui.page.commands import Command
from chat_ui.page.languages import t
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.shared import icon_button, refusal
from chat_ui.page.slots import Beside, Parts
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.views import AnswerView, TurnView
from chat_ui.page.thread import Thread
from chat_ui.page.thread.turn import articles, turn_of


class Columns(Scripted):
    """The columns of a comparison, side by side while `comparing`, as tabs on a narrow screen; else only the first. The
    tabs mark streaming answers, `left_live` and `right_live`. `on_end` ends the comparison.
    """

    library = script("features/comparing/page/columns.jsx")

    comparing: rx.Var[bool]
    left_live: rx.Var[bool]
    right_live: rx.Var[bool]
    on_end: rx.EventHandler[rx.event.no_args_event_spec]


class Column(Scripted):
    """The first or second `column` while `comparing`; else its content without a frame."""

    library = script("features/comparing/page/columns.jsx")

    column: rx.Var[str]
    comparing: rx.Var[bool]


class Comparison(Scripted):
    """A comparison of the last two answers: preference, and differences of text and sources.

    `on_prefer` gets the ids of the `left` and the `right` answer, and left, right or equal. `chosen` has the
    preferences by both ids; `problem` is the reason for a failure to save. `on_ask_in_turn` is for questions that the
    second column lacks; the first may have more of them if `left_has_earlier`. The code loads with the first
    comparison.
    """

    library = script("features/comparing/page/columns.jsx")
    lib_dependencies: list[str] = ["diff@9.0.0"]  # noqa: RUF012 - Reflex's own way to name them

    left: rx.Var[AnswerView]
    right: rx.Var[AnswerView]
    left_turns: rx.Var[list[TurnView]]
    left_has_earlier: rx.Var[bool]
    right_turns: rx.Var[list[TurnView]]
    chosen: rx.Var[dict[str, str]]
    problem: rx.Var[str]
    on_prefer: rx.EventHandler[rx.event.passthrough_event_spec(str, str, str)]
    on_ask_in_turn: rx.EventHandler[rx.event.no_args_event_spec]


def _columns(first: rx.Component) -> rx.Component:
    """The thread of the `first` column, with the second one's if present."""
    comparing = SecondColumnState.comparing
    return Columns.create(
        Column.create(rx.cond(comparing, _first_head()), first, column="first", comparing=comparing),
        rx.cond(comparing, Column.create(_second_head(), _second_thread(), column="second", comparing=comparing)),
        comparing=comparing,
        left_live=ChatState.latest.live,
        right_live=SecondColumnState.latest.live,
        on_end=SecondColumnState.end,
    )


def _begin_asking() -> rx.Component:
    return rx.el.p(t("Ask below and both columns will answer."), class_name="column-empty")


def _comparison() -> rx.Component:
    return rx.cond(
        SecondColumnState.comparing,
        Comparison.create(
            left=ChatState.latest,
            right=SecondColumnState.latest,
            left_turns=ChatState.turns,
            left_has_earlier=ChatState.has_earlier,
            right_turns=SecondColumnState.turns,
            chosen=SecondColumnState.chosen,
            problem=SecondColumnState.choice_problem,
            on_prefer=SecondColumnState.prefer,
            on_ask_in_turn=SecondColumnState.ask_in_turn,
        ),
        Command.create(name="compare", on_run=SecondColumnState.compare, entry=t("Compare"), place=20),
    )


@rx.memo
def second_articles(turn: rx.Var[TurnView], answer: rx.Var[AnswerView], is_latest: rx.Var[bool]) -> rx.Component:
    return articles(SecondColumnState, turn, answer, is_latest)


def _second_turn(shown: rx.Var[TurnView]) -> rx.Component:
    return turn_of(SecondColumnState, second_articles, shown)


def _second_thread() -> rx.Component:
    return Thread.create(
        rx.cond(
            SecondColumnState.turns.length() > 0,
            rx.foreach(SecondColumnState.turns, _second_turn),
            _begin_asking(),
        ),
        label=t("Conversation on the right"),
        busy=~SecondColumnState.is_hydrated,
        answering=SecondColumnState.latest.live,
        latest=SecondColumnState.latest.id,
        first=SecondColumnState.turns[0].id,
        earlier=SecondColumnState.has_earlier,
        on_earlier=SecondColumnState.show_earlier,
    )


def _waiting(side: Side) -> rx.Component:
    return rx.el.div(
        rx.cond(
            SecondColumnState.waiting == side.value,
            rx.el.p(t("This column asks again once the other one has its answer.")),
        ),
        role="status",
        class_name="column-waiting",
    )


def _first_head() -> rx.Component:
    return rx.el.div(
        rx.el.h2(t("Left")),
        _backend(BackendState.selected, BackendState.offered, BackendState.select, t("Backend of the left column")),
        _controls(
            ChatState.latest.live | (SecondColumnState.waiting == Side.LEFT.value),
            (ChatState.turns.length() > 0) & (ChatState.turns[-1].decides == ""),
            [ChatState.stop, SecondColumnState.stop_waiting],
            ChatState.answer_again,
            is_left=True,
        ),
        _options(0),
        _waiting(Side.LEFT),
        class_name="column-head",
    )


def _second_head() -> rx.Component:
    return rx.el.div(
        rx.el.h2(t("Right")),
        _backend(
            ColumnChoice.column_backend,
            ColumnChoice.offered,
            ColumnChoice.select_for_column,
            t("Backend of the right column"),
        ),
        rx.cond(
            ColumnChoice.column_takes_options & (ColumnChoice.rows.length() > 0),
            rx.el.details(
                rx.el.summary(t("Options"), aria_label=t("Options of the right column")),
                option_fields(ColumnChoice, ColumnChoice.set_column_option, "column-option"),
                class_name="column-options",
            ),
        ),
        _controls(
            SecondColumnState.latest.live | (SecondColumnState.waiting == Side.RIGHT.value),
            (SecondColumnState.turns.length() > 0) & (SecondColumnState.turns[-1].decides == ""),
            [SecondColumnState.stop, SecondColumnState.stop_waiting],
            SecondColumnState.answer_again,
            is_left=False,
        ),
        _options(1),
        _waiting(Side.RIGHT),
        refusal(SecondColumnState.refusal, SecondColumnState.returned_as, SecondColumnState.sign_in),
        class_name="column-head",
    )


def _backend(
    selected: rx.Var[str], offered: rx.Var[list[list[str]]], select: rx.EventHandler, label: rx.Var[str]
) -> rx.Component:
    return own_value(
        "select",
        selected,
        select,
        rx.foreach(offered, lambda one: rx.el.option(one[1], value=one[0])),
        class_name="input column-select",
        aria_label=label,
    )


def _options(column: int) -> rx.Component:
    options = ColumnChoice.option_differences[column]
    return rx.cond(
        options.length() > 0,
        rx.el.ul(rx.foreach(options, rx.el.li), class_name="column-differences"),
    )


def _controls(
    live: rx.Var[bool], begun: rx.Var[bool], stop: list[EventType[()]], again: EventType[()], *, is_left: bool
) -> rx.Component:
    return rx.cond(
        live,
        icon_button(t("Stop the left answer") if is_left else t("Stop the right answer"), "square", on_click=stop),
        rx.cond(
            begun,
            icon_button(
                t("Regenerate the left answer") if is_left else t("Regenerate the right answer"),
                "refresh-cw",
                on_click=again,
            ),
        ),
    )


PARTS = Parts(
    beside=Beside(
        is_shown=SecondColumnState.comparing,
        is_waiting=SecondColumnState.waiting != "",
        latest=SecondColumnState.latest,
        turns=SecondColumnState.turns,
        backend=ColumnChoice.column_label,
        ask=SecondColumnState.ask_both,
        stop=(SecondColumnState.stop, SecondColumnState.stop_waiting),
        open=SecondColumnState.open,
        frame=_columns,
        greeting=_begin_asking,
        above_box=_comparison,
    )
)
