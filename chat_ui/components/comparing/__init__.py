"""Two arms of a comparison beside each other."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script
from chat_ui.state.views import AnswerView, TurnView


class Arms(rx.Component):
    """The arms of a comparison, side by side while it is `comparing`, as tabs on a narrow screen; else the first alone.

    A tab says `left_live` and `right_live`: that an answer is being written there.
    """

    library = script("comparing/arms.jsx")
    tag = "Arms"

    comparing: rx.Var[bool]
    left_live: rx.Var[bool]
    right_live: rx.Var[bool]


class Arm(rx.Component):
    """The `arm` that is the first or the second, as long as it is `comparing`; else its content by itself."""

    library = script("comparing/arms.jsx")
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

    library = script("comparing/comparison_place.jsx")
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
