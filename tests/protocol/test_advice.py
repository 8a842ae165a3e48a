"""The effect of a deployment's facts on a question."""

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import STREAM, Advice, Exclusion
from chat_ui.protocol.translatable import msg

WEB = msg("Answers from the web cannot be streamed.")
ADVICE = Advice(exclusions=(Exclusion(STREAM, True, {"web": True, "agentic": True}, WEB),))
BACKEND = Backend("http://localhost:1/chat")


def test_an_exclusion_holds_while_all_its_options_have_their_values():
    assert ADVICE.excluded({"web": True, "agentic": True, "top": 5}) == {(STREAM, True): WEB}
    assert ADVICE.excluded({"web": True}) == ADVICE.excluded({"web": 1, "agentic": False}) == {}


def test_an_answer_is_whole_where_streams_are_excluded():
    assert not ADVICE.applied(BACKEND, {"web": True, "agentic": True}).stream
    assert ADVICE.applied(BACKEND, {"web": False, "agentic": True}) == Advice().applied(BACKEND, {}) == BACKEND
