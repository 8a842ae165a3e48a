"""The button that opens the dialog Evaluate, for the backend of the dialog around it."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.evaluating import Evaluating
from chat_ui.components.settings.key_field import TYPED_KEY
from chat_ui.server.addresses import EVALUATIONS
from chat_ui.state.chat import ChatState
from chat_ui.state.judging.evaluating import EvaluatingState


def evaluating() -> rx.Component:
    """The button, where people may evaluate."""
    return Evaluating.create(
        about=EvaluatingState.about,
        runs=EvaluatingState.runs,
        share=EvaluatingState.share,
        problem=EvaluatingState.problem,
        is_taking=EvaluatingState.is_taking,
        has_questions=ChatState.turns.length() > 0,
        address=EVALUATIONS,
        on_open=EvaluatingState.set_open,
        on_taken=EvaluatingState.taken,
        on_conversation=EvaluatingState.take_conversation,
        on_begin=lambda run, anew: EvaluatingState.begin(run, TYPED_KEY, anew),
        on_stop=EvaluatingState.stop,
        on_remove=EvaluatingState.remove,
    )
