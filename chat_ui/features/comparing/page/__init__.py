"""Two arms of a comparison beside each other."""

from __future__ import annotations

import reflex as rx
from reflex.event import EventType

from chat_ui.backends.settings import own_value
from chat_ui.backends.settings.tabs import option_field
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.features.comparing.page.state.arm_choice import ArmChoice
from chat_ui.features.comparing.page.state.second_arm import SecondArmState, Side
from chat_ui.page.commands import Command
from chat_ui.page.languages import t
from chat_ui.page.scripts import script
from chat_ui.page.shared import icon_button, refusal
from chat_ui.page.slots import Beside, Parts
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.views import AnswerView, TurnView
from chat_ui.page.thread import Thread
from chat_ui.page.thread.turn import articles, turn_of


class Arms(rx.Component):
    """The arms of a comparison, side by side while it is `comparing`, as tabs on a narrow screen; else the first alone.

    A tab says `left_live` and `right_live`: that an answer is being written there.
    """

    library = script("features/comparing/page/arms.jsx")
    tag = "Arms"

    comparing: rx.Var[bool]
    left_live: rx.Var[bool]
    right_live: rx.Var[bool]


class Arm(rx.Component):
    """The `arm` that is the first or the second, as long as it is `comparing`; else its content by itself."""

    library = script("features/comparing/page/arms.jsx")
    tag = "Arm"

    arm: rx.Var[str]
    comparing: rx.Var[bool]


class Comparison(rx.Component):
    """What there is to say of the last two answers: which is better, which words and which sources differ.

    `on_prefer` gets the ids of the `left` and the `right` answer, and left, right or equal; `chosen` has what was
    chosen, by both ids, and `problem` says why that was not kept. `on_ask_in_turn` is for the questions that the second
    arm was not asked; the first may have more of them where it `left_has_earlier`. All of it loads with the first
    comparison.
    """

    library = script("features/comparing/page/comparison_place.jsx")
    lib_dependencies: list[str] = ["diff@9.0.0"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "Comparison"

    left: rx.Var[AnswerView]
    right: rx.Var[AnswerView]
    left_turns: rx.Var[list[TurnView]]
    left_has_earlier: rx.Var[bool]
    right_turns: rx.Var[list[TurnView]]
    chosen: rx.Var[dict[str, str]]
    problem: rx.Var[str]
    on_prefer: rx.EventHandler[rx.event.passthrough_event_spec(str, str, str)]
    on_ask_in_turn: rx.EventHandler[rx.event.no_args_event_spec]
    on_end: rx.EventHandler[rx.event.no_args_event_spec]


def _arms(first: rx.Component) -> rx.Component:
    """The thread of the `first` arm, beside that of the second while there is one."""
    comparing = SecondArmState.comparing
    return Arms.create(
        Arm.create(
            rx.cond(comparing, rx.fragment(_first_head(), _waiting(Side.LEFT))),
            first,
            arm="first",
            comparing=comparing,
        ),
        rx.cond(
            comparing,
            Arm.create(
                _second_head(),
                _waiting(Side.RIGHT),
                refusal(SecondArmState.refusal, SecondArmState.returned_as),
                _second_thread(),
                arm="second",
                comparing=comparing,
            ),
        ),
        comparing=comparing,
        left_live=ChatState.latest.live,
        right_live=SecondArmState.latest.live,
    )


def _begin_asking() -> rx.Component:
    return rx.el.p(t("Ask a question below: both arms answer it."), class_name="arm-empty")


def _comparison() -> rx.Component:
    return rx.cond(
        SecondArmState.comparing,
        Comparison.create(
            left=ChatState.latest,
            right=SecondArmState.latest,
            left_turns=ChatState.turns,
            left_has_earlier=ChatState.has_earlier,
            right_turns=SecondArmState.turns,
            chosen=SecondArmState.chosen,
            problem=SecondArmState.choice_problem,
            on_prefer=SecondArmState.prefer,
            on_ask_in_turn=SecondArmState.ask_in_turn,
            on_end=SecondArmState.end,
        ),
        Command.create(name="compare", on_run=SecondArmState.compare),
    )


@rx.memo
def second_articles(turn: rx.Var[TurnView], answer: rx.Var[AnswerView], is_latest: rx.Var[bool]) -> rx.Component:
    return articles(SecondArmState, turn, answer, is_latest)


def _second_turn(shown: rx.Var[TurnView]) -> rx.Component:
    return turn_of(SecondArmState, second_articles, shown)


def _second_thread() -> rx.Component:
    return Thread.create(
        rx.cond(
            SecondArmState.turns.length() > 0,
            rx.foreach(SecondArmState.turns, _second_turn),
            _begin_asking(),
        ),
        label=t("Conversation on the right"),
        busy=~SecondArmState.is_hydrated,
        answering=SecondArmState.latest.live,
        latest=SecondArmState.latest.id,
        first=SecondArmState.turns[0].id,
        earlier=SecondArmState.has_earlier,
        on_earlier=SecondArmState.show_earlier,
    )


def _waiting(side: Side) -> rx.Component:
    return rx.el.div(
        rx.cond(
            SecondArmState.waiting == side.value,
            rx.el.p(t("This is asked again once the other arm has its answer.")),
        ),
        role="status",
        class_name="arm-waiting",
    )


def _first_head() -> rx.Component:
    return rx.el.div(
        rx.el.h2(t("Left")),
        rx.el.bdi(BackendState.label, class_name="arm-backend"),
        _controls(
            ChatState.latest.live | (SecondArmState.waiting == Side.LEFT.value),
            ChatState.turns.length() > 0,
            [ChatState.stop, SecondArmState.stop_waiting],
            ChatState.answer_again,
            is_left=True,
        ),
        _options(0),
        class_name="arm-head",
    )


def _second_head() -> rx.Component:
    chosen = own_value(
        "select",
        ArmChoice.arm_backend,
        ArmChoice.select_for_arm,
        rx.foreach(ArmChoice.offered, lambda one: rx.el.option(one[1], value=one[0])),
        id="arm-backend",
        class_name="input arm-select",
        aria_label=t("Backend of the right arm"),
    )
    return rx.el.div(
        rx.el.h2(t("Right")),
        chosen,
        rx.cond(
            ArmChoice.arm_takes_options & (ArmChoice.rows.length() > 0),
            rx.el.details(
                rx.el.summary(t("Options"), aria_label=t("Options of the right arm")),
                rx.el.div(
                    rx.foreach(ArmChoice.rows, lambda row: option_field(row, ArmChoice.set_arm_option, "arm-option")),
                    class_name="options",
                ),
                class_name="arm-options",
            ),
        ),
        _controls(
            SecondArmState.latest.live | (SecondArmState.waiting == Side.RIGHT.value),
            SecondArmState.turns.length() > 0,
            [SecondArmState.stop, SecondArmState.stop_waiting],
            SecondArmState.answer_again,
            is_left=False,
        ),
        _options(1),
        class_name="arm-head",
    )


def _options(arm: int) -> rx.Component:
    options = ArmChoice.option_differences[arm]
    return rx.cond(
        options.length() > 0,
        rx.el.ul(rx.foreach(options, rx.el.li), class_name="arm-differences"),
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
        is_shown=SecondArmState.comparing,
        is_waiting=SecondArmState.waiting != "",
        latest=SecondArmState.latest,
        turns=SecondArmState.turns,
        backend=ArmChoice.arm_label,
        ask=SecondArmState.ask_both,
        stop=(SecondArmState.stop, SecondArmState.stop_waiting),
        open=SecondArmState.open,
        frame=_arms,
        greeting=_begin_asking,
        above_box=_comparison,
    )
)
