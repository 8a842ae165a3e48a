import json
from collections.abc import Callable
from typing import Any

import pytest

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.backends.curl import curl_command
from chat_ui.protocol.backends.request import request_body
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import SessionState
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, answer_of, asked_anywhere, error_of
from tests.protocol.damage import read, recorded
from tests.protocol.recorded import RECORDED
from tests.stand_ins.lookalikes import JSON, LOOKALIKES, SSE
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

SDK = "a2a/a2a-sdk-1.3.0-"
CARD = "/.well-known/agent-card.json"
ANSWER = "You have 25 days of leave a year [1], 12 % of your hours [2]."
AGENT = KNOWN_BACKENDS["a2a"].at("http://127.0.0.1/a2a")


def told(*results: Any) -> Answer:
    return read(*({"jsonrpc": "2.0", "id": "1", "result": result} for result in results))


def artifact(text: str, key: str = "a", *, more: bool = False) -> dict[str, Any]:
    return {"artifactUpdate": {"artifact": {"artifactId": key, "parts": [{"text": text}]}, "append": more}}


def ended(state: str, text: str = "", **fields: Any) -> dict[str, Any]:
    message = {"message": {"parts": [{"text": text}]}} if text else {}
    return {"statusUpdate": {"status": {"state": state, **message}, **fields}}


@pytest.mark.parametrize("case", ["stream.sse", "task.json", "version-0.3.sse"])
def test_the_text_of_artifacts_is_the_answer_and_other_parts_are_its_sources(case: str) -> None:
    answer = recorded(SDK + case)
    assert (answer.text, answer.error, answer.dialect) == (ANSWER, None, "a2a")
    assert [(point.source, point.text, point.url, point.names) for point in answer.data_points] == [
        ("handbook.docx", "", "https://example.invalid/handbook.docx", ("1",)),
        ("Leave", "Leave is 12 % of hours worked.", None, ("2",)),
        ("days.csv", "days,25\n", None, ("3",)),
    ]
    assert answer.reasoning == ("" if case == "task.json" else "Searching 2 documents\n\n")
    assert answer.session_state is not None
    assert answer.session_state.value.keys() == {"contextId"}  # type: ignore[union-attr]


def test_a_question_of_the_agent_is_an_answer_and_the_next_message_continues_its_task() -> None:
    asked = recorded(SDK + "input-required.sse")
    assert (asked.text, asked.error) == ("Book 3 days of leave?", None)
    request = ChatRequest((Message("user", "Book"), Message("user", "Yes")), session_state=asked.session_state)
    body: Any = request_body(AGENT, request, stream_flag=None)
    message = body["params"]["message"]
    assert (body["method"], message.pop("messageId") != "") == ("SendStreamingMessage", True)
    assert asked.session_state is not None
    assert message == {"role": "ROLE_USER", "parts": [{"text": "Yes"}], **asked.session_state.value}  # type: ignore[dict-item]
    assert message.keys() >= {"contextId", "taskId"}
    of_other = ChatRequest(request.messages, session_state=SessionState("threadId", {"threadId": "t"}))
    assert "threadId" not in json.dumps(request_body(AGENT, of_other, stream_flag=None))


async def test_another_reply_to_a_question_of_the_agent_goes_without_the_task_that_is_over() -> None:
    def reply(request: Received) -> Reply:
        message = json.loads(request.body)["params"]["message"]
        if "taskId" in message:
            error = {"code": -32004, "message": f"Task {message['taskId']} is in terminal state: TASK_STATE_COMPLETED"}
            return Reply([lines({"jsonrpc": "2.0", "id": "1", "error": error})], 200, JSON)
        return Reply([RECORDED[SDK + "stream.sse"]], 200, SSE)

    state = SessionState("contextId", {"contextId": "c", "taskId": "t"})
    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = KNOWN_BACKENDS["a2a"].at(f"{stand_in.url}/a2a")
        request = ChatRequest((Message("user", "No"),), session_state=state)
        answer, found = await asked_anywhere(client, backend, request)
    assert (answer.text, answer.error, found, len(stand_in.requests)) == (ANSWER, None, backend, 2)
    assert stand_in.requests[1].json["params"]["message"]["contextId"] == "c"


def test_errors_are_told_in_words_and_a_stream_without_a_final_status_is_cut_off() -> None:
    assert error_of(recorded(SDK + "failed.sse")).message == "The index is not there."
    for state in ("TASK_STATE_REJECTED", "canceled", "TASK_STATE_AUTH_REQUIRED"):
        assert "without a message" in error_of(told(ended(state))).message
    refusal = {"code": -32009, "message": "A2A version '0.3' is not supported."}
    assert error_of(read({"jsonrpc": "2.0", "error": refusal})).message == refusal["message"]
    assert recorded(SDK + "message.sse").text == "A short message."
    body = RECORDED[SDK + "stream.sse"]
    assert not answer_of(body).warnings
    cut = answer_of(body[: body.rindex(b"data:")])
    assert (cut.text, "without a final status" in cut.warnings[0].detail) == (ANSWER, True)


def test_repeated_artifacts_come_once_and_different_ones_are_paragraphs() -> None:
    task = {"task": {"artifacts": [artifact("One.")["artifactUpdate"]["artifact"]], "status": {"state": "completed"}}}
    assert told(artifact("One"), artifact(".", more=True), task).text == "One."
    assert told(artifact("One"), artifact("One two"), artifact("One two.")).text == "One two."
    assert told(artifact("One."), artifact("Two.", "b"), ended("completed", "Two.")).text == "One.\n\nTwo."
    assert told(ended("TASK_STATE_WORKING", "Wait"), ended("completed", "Done.")).text == "Done."


def test_a_picture_is_a_source_and_unnamed_data_are_shown() -> None:
    parts = [
        {"raw": "iVBORw0KGgo=", "mediaType": "image/png", "filename": "a.png"},
        {"data": {"days": 25}},
        {"raw": "%", "mediaType": "text/plain"},
    ]
    points = told({"message": {"parts": parts}}).data_points
    assert [(point.image, point.text) for point in points][:2] == [
        ("data:image/png;base64,iVBORw0KGgo=", ""),
        (None, '{"days": 25}'),
    ]


async def test_an_agent_is_found_by_its_card_and_asked_with_the_version() -> None:
    async with StandIn(LOOKALIKES["a2a"][1]).running() as stand_in, AsyncClient(PATIENT) as client:
        answer, found = await asked_anywhere(client, Backend(stand_in.url))
        again, _ = await asked_anywhere(client, Backend(stand_in.url))
    assert (found.url, answer.text, again.text) == (f"{stand_in.url}/a2a", "One pair.", "One pair.")
    assert stand_in.requests[-1].path == "/a2a"
    assert [stand_in.requests[at].headers["a2a-version"] for at in (-2, -1)] == ["1.0", "1.0"]
    assert "-H 'A2A-Version: 1.0'" in curl_command(found, ChatRequest((Message("user", "Hi"),)))


def agent(card: Callable[[str], dict[str, Any]], method: str = "message/send") -> Callable[[Received], Reply]:
    """An agent at the root of its server, which knows one method."""
    body, kind = {
        "SendMessage": ("task.json", JSON),
        "message/send": ("version-0.3.sse", SSE),
        "message/stream": ("version-0.3.sse", SSE),
    }[method]

    def reply(request: Received) -> Reply:
        if request.path == CARD:
            return Reply([json.dumps(card(request.headers["host"])).encode()], 200, JSON)
        if request.path != "/" or request.method != "POST":
            return Reply([], 404)
        named = json.loads(request.body).get("method")
        if named == method:
            return Reply([RECORDED[SDK + body]], 200, kind)
        error = {"code": -32601, "message": "Method not found"} if named else {"code": -32600, "message": "Invalid"}
        return Reply([json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()], 200, JSON)

    return reply


def new_card(host: str) -> dict[str, Any]:
    return {"supportedInterfaces": [{"url": f"http://{host}/", "protocolBinding": "JSONRPC"}]}


def old_card(host: str) -> dict[str, Any]:
    return {"url": f"http://{host}/"}


def streaming(card: Callable[[str], dict[str, Any]]) -> Callable[[str], dict[str, Any]]:
    return lambda host: {**card(host), "capabilities": {"streaming": True}}


@pytest.mark.parametrize("asks", [detect, asked_anywhere])
@pytest.mark.parametrize(
    ("card", "method"),
    [
        (new_card, "SendMessage"),
        (streaming(new_card), "SendMessage"),
        (old_card, "message/send"),
        (streaming(old_card), "message/stream"),
        (new_card, "message/stream"),
    ],
)
async def test_an_agent_at_the_root_is_asked_in_its_version(card: Any, method: str, asks: Any) -> None:
    async with StandIn(agent(card, method)).running() as stand_in, AsyncClient(PATIENT) as client:
        if asks is detect:
            detected = await detect(client, stand_in.url)
            assert (detected.known_backend, detected.error) == ("a2a", None)
            found = detected.backend
        else:
            answer, found = await asked_anywhere(client, Backend(stand_in.url))
            assert answer.text == ANSWER
        assert found is not None
        looked = len(stand_in.requests)
        assert (await client.ask(found, ChatRequest((Message("user", "Hi"),)))).text == ANSWER
    assert len(stand_in.requests) == looked + 1


@pytest.mark.parametrize("typed", ["/a2a/leave", "/a2a/leave/.well-known/agent-card.json"])
async def test_an_agent_below_a_path_is_found_by_its_address_or_its_card(typed: str) -> None:
    def reply(request: Received) -> Reply:
        if not request.path.startswith("/a2a/leave"):
            return Reply([], 404)
        inner = Received(request.method, request.path.removeprefix("/a2a/leave") or "/", request.headers, request.body)
        return agent(streaming(lambda host: {"url": f"http://{host}/a2a/leave"}), "message/stream")(inner)

    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, stand_in.url + typed)
    assert (found.error, found.known_backend, found.backend and found.backend.url) == (
        None, "a2a", f"{stand_in.url}/a2a/leave",
    )  # fmt: skip


async def test_a_backend_at_the_path_comes_before_the_agent_of_its_server() -> None:
    def reply(request: Received) -> Reply:
        if request.path == "/help":
            return LOOKALIKES["ai-chat-protocol"][1](Received(request.method, "/chat", request.headers, request.body))
        return agent(new_card)(request)

    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, f"{stand_in.url}/help")
    assert found.backend is not None
    assert found.backend.url == f"{stand_in.url}/help"


@pytest.mark.parametrize("url", ["http://[", "a2a", "javascript:alert(1)", "http://host:99999/", 5, "\ud800"])
async def test_a_card_with_an_invalid_address_is_not_followed(url: object) -> None:
    async with StandIn(agent(lambda _: {"url": url})).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, f"{stand_in.url}/docs")
    assert error_of(found).code == "not_found"
    assert not {"/a2a", "alert(1)"} & {request.path for request in stand_in.requests}


async def test_an_address_on_another_server_in_a_card_is_told_and_not_asked() -> None:
    async with (
        StandIn(Reply()).running() as other,
        StandIn(agent(lambda _: {"url": f"{other.url}/a2a"})).running() as stand_in,
        AsyncClient(PATIENT) as client,
    ):
        found = await detect(client, stand_in.url)
        answer, _ = await asked_anywhere(client, Backend(stand_in.url))
    assert (found.backend, error_of(found).code, other.requests) == (None, "elsewhere", [])
    for error in (error_of(found), error_of(answer)):
        assert f"names an address on another server: {other.url}/a2a." in error.message
