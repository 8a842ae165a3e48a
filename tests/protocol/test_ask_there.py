"""A decision is sent once, whatever the backend replies: it may run a tool again."""

from dataclasses import replace
from itertools import product

import pytest

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Resume
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.asking import ask_there
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.events import Event, Interrupt, Pause, SessionState
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.learnt import Found
from tests.protocol.asking import PATIENT, QUESTION, error_of, folded
from tests.protocol.pausing import approved
from tests.stand_ins.stand_in import Reply, StandIn

SSE = {"Content-Type": "text/event-stream"}
REFUSALS: list[Reply] = [
    Reply([b"gone"], status=404),
    Reply([b"no"], status=405),
    Reply([b'{"detail": "messages is required"}'], status=422),
    Reply([b'{"error": {"message": "Field required: context"}}'], status=400),
    Reply([b'{"error": {"message": "previous_response_id is not supported"}}'], status=400),
    Reply([b"<html><title>Sign in</title>"], headers={"Content-Type": "text/html"}),
    Reply([b"busy"], status=503, headers={"Retry-After": "0"}),
    Reply(before_headers=True, end="rst"),
    Reply(before_headers=True),
    Reply([b'data: {"type": "start"}\n\n'], headers=SSE, end="abrupt"),
    Reply([], headers=SSE),
]


async def decided(client: AsyncClient, backend: Backend, wire: str = "ag-ui") -> tuple[Answer, Backend]:
    pause, state = (
        Pause(wire, (Interrupt("a", shape="resume approved"),), {}),
        SessionState("previous_response_id", "r"),
    )
    asked = replace(QUESTION, resume=Resume(((pause, approved(pause)),)), session_state=state)
    events: list[Event] = []
    found = await ask_there(client, backend, asked, events.append)
    return folded(events), found


@pytest.mark.parametrize("reply", REFUSALS)
async def test_a_decision_is_sent_once(reply: Reply) -> None:
    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        for path, wire in product(("", "/chat", "/v1/responses"), ("ag-ui", "ai-sdk", "responses")):
            stand_in.requests.clear()
            answer, _ = await decided(client, Backend(stand_in.url + path), wire)
            assert [request.method for request in stand_in.requests] == ["POST"]
            assert not answer.complete or error_of(answer)
            assert client.learnt.found_for(Backend(stand_in.url + path)) is None


async def test_a_decision_goes_in_the_form_of_its_pause_to_the_very_address() -> None:
    async with StandIn(Reply([], headers=SSE)).running() as stand_in, AsyncClient(PATIENT) as client:
        typed = Backend(f"{stand_in.url}/chat", model="m", headers={"X-Key": "k"}, extra_body={"n": 1})
        client.learnt.remember(typed, Found(Backend(f"{stand_in.url}/elsewhere"), None))
        for wire, key in (("ag-ui", "resume"), ("ai-sdk", "trigger"), ("responses", "input")):
            _, found = await decided(client, typed, wire)
            assert found.url == typed.url
            sent = stand_in.requests[-1]
            assert (sent.path, sent.headers["x-key"], sent.json["n"]) == ("/chat", "k", 1)
            assert key in sent.json
        assert stand_in.requests[-1].json["previous_response_id"] == "r"


async def test_a_question_is_not_sent_as_a_decision_and_a_recording_takes_none() -> None:
    async with AsyncClient(PATIENT) as client:
        with pytest.raises(RecordingError, match="does not take decisions"):
            await decided(client, Backend("http://127.0.0.1:1/chat", recording="r"))
        with pytest.raises(RuntimeError, match="without decisions"):
            await ask_there(client, Backend("http://127.0.0.1:1/chat"), QUESTION, lambda _: None)
