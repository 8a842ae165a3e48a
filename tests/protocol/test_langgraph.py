"""LangGraph's server: its answers, its threads and the decisions on its pauses."""

import gzip
import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Decision, Resume
from chat_ui.protocol.backends.backend import Attachment, Backend, Bounds, ChatRequest, Message, address_of, attempts
from chat_ui.protocol.backends.request import request_body
from chat_ui.protocol.detection.asking import answer_anywhere
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import NO_END, RECORDED_HEADER, SessionState, TextRevised
from chat_ui.protocol.recordings.request_facts import asked_in
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, asked_anywhere, events, folded
from tests.protocol.damage import recorded
from tests.protocol.pausing import pause_of, read
from tests.protocol.recorded import RECORDED
from tests.stand_ins.lookalikes import LOOKALIKES
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

OF_SERVER = "langgraph/langgraph-api-0.16.7-"
BEGUN = {"run_id": "1f0c-r", "attempt": 1}
DAYS = "You have 25 days of leave a year [1], 12 % of your hours [2]."
BACKEND = replace(KNOWN_BACKENDS["langgraph"].at("http://x.test/runs"), model="agent")
ASKED = Message("user", "Hello"), Message("assistant", "Hi."), Message("user", "Who?")


def checkpoint(*following: str) -> dict[str, object]:
    place = {"thread_id": "t", "checkpoint_id": "c"}
    return {"config": {"configurable": place}, "values": {"messages": []}, "next": [*following]}


def said(content: object, key: str = "m", **more: object) -> list[dict[str, object]]:
    return [{"type": "ai", "id": key, "content": content, "response_metadata": {}, "additional_kwargs": {}, **more}]


def steps_of(answer: Answer) -> list[str]:
    return [thought.title for thought in answer.thoughts]


LAST = checkpoint()


class TestAnswers:
    """Recorded bodies of `langgraph dev`, and events of graphs that were not recorded."""

    def test_a_growing_message_is_text_and_documents_of_nodes_are_sources(self) -> None:
        answer = recorded(f"{OF_SERVER}text.sse")
        assert (answer.text, answer.error, answer.warnings) == (DAYS, None, ())
        assert [point.source for point in answer.data_points] == ["handbook.docx", "leave.xlsx"]
        assert steps_of(answer) == ["progress", "retrieve", "answer"]
        assert answer.thoughts[0].description == "Searching 2 documents"

    def test_a_call_and_its_result_are_a_step_with_the_documents_of_its_artifact(self) -> None:
        answer = recorded(f"{OF_SERVER}tool.sse")
        assert answer.text.startswith(f"Let me look.\n\n{DAYS}")
        call = answer.thoughts[0]
        assert (call.title, call.description, call.props) == ("search", "2 documents", {"query": "leave"})
        assert [point.source for point in answer.data_points] == ["handbook.docx", "leave.xlsx"]

    def test_a_message_that_no_node_added_is_taken_back_at_the_end(self) -> None:
        body = RECORDED[f"{OF_SERVER}inner-model.sse"]
        revised = [event.text for event in events(body) if isinstance(event, TextRevised)]
        answer = folded(events(body))
        assert revised == [answer.text]
        assert answer.text.startswith(DAYS)
        assert answer.session_state is not None
        assert isinstance(answer.session_state.value, Mapping)
        assert answer.session_state.value.keys() == {"threadId", "checkpoint_id", "assistant_id"}

    @pytest.mark.parametrize("added", [said("One")[0], {"role": "assistant", "content": "One"}, ["ai", "One"]])
    def test_a_message_stays_in_each_form_that_a_node_may_add(self, added: object) -> None:
        second = said("Two", "n")
        for messages in (added, [added], [["user", "Who?"], added]):
            answer = read(
                [BEGUN, said("One"), {"a": {"messages": messages}}, second, {"b": {"messages": second}}, LAST]
            )
            assert (answer.text, answer.data_points, answer.warnings) == ("One\n\nTwo", (), ())
            answer = read([BEGUN, {"a": {"messages": messages}}, second, {"b": {"messages": second}}, LAST])
            assert (answer.text, answer.data_points) == ("One\n\nTwo", ())

    def test_a_message_by_its_role_keeps_the_finish_reason(self) -> None:
        cut = said("One", response_metadata={"finish_reason": "length"})
        answer = read([BEGUN, cut, {"a": {"messages": {"role": "ai", "content": "One"}}}, LAST])
        assert [one.code for one in answer.warnings] == ["finish_length"]

    def test_parallel_messages_follow_each_other_in_the_end(self) -> None:
        grown = [said("One", "a"), said("Two", "b"), said("One pair.", "a"), said("Two pairs.", "b")]
        assert read([BEGUN, *grown]).text == "One pair.\n\nTwo pairs."

    def test_a_message_that_was_still_growing_stays(self) -> None:
        values = [BEGUN, said("Let me look.", "a"), {"agent": {"messages": said("Let me look.", "a")}}]
        assert read([*values, said("One pair")]).text == "Let me look.\n\nOne pair"

    def test_an_error_within_the_graph_fails_the_answer(self) -> None:
        answer = recorded(f"{OF_SERVER}error.sse")
        assert answer.error is not None
        assert "The index is not there." in answer.error.message
        assert steps_of(answer) == ["progress", "retrieve"]

    def test_a_stream_of_checkpoints_without_the_last_one_was_cut_off(self) -> None:
        whole = [BEGUN, checkpoint("answer"), said("One pair."), {"answer": {"messages": said("One pair.")}}]
        for values, is_cut in ((whole, True), ([*whole, checkpoint()], False)):
            answer = read(values)
            assert (answer.text, any(warning.code == NO_END for warning in answer.warnings)) == ("One pair.", is_cut)
        assert read(whole).session_state is None

    def test_thinking_usage_and_the_finish_reason_come_with_messages(self) -> None:
        thinking = {"type": "thinking", "thinking": "Hm"}
        last = said(
            [{**thinking, "thinking": "Hmm."}, {"type": "text", "text": "One"}],
            usage_metadata={"input_tokens": 5, "output_tokens": 7, "total_tokens": 12},
            response_metadata={"finish_reason": "length"},
        )
        answer = read([BEGUN, said([thinking]), last, last])
        assert (answer.text, answer.reasoning, [one.code for one in answer.warnings]) == (
            "One", "Hmm.", ["finish_length"],
        )  # fmt: skip
        assert answer.usage == {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12}

    def test_a_failed_tool_and_values_like_other_dialects_are_read(self) -> None:
        tool = {"type": "tool", "tool_call_id": "c", "name": "search", "content": "No index.", "status": "error"}
        custom = {"delta": {"content": "no text"}, "choices": []}
        answer = read([BEGUN, [{**tool, "response_metadata": {}}], custom, said("One pair.")])
        assert (answer.text, answer.warnings, answer.error) == ("One pair.", (), None)
        assert "search failed" in steps_of(answer)
        detail = b'event: custom\ndata: {"detail":"Searching"}\n\n'
        answer = folded(events(detail.join([RECORDED[f"{OF_SERVER}resumed.sse"]] * 2)))
        assert (answer.error, steps_of(answer)) == (None, ["book", "detail"])

    def test_bare_values_of_a_graph_are_steps(self) -> None:
        for value, told in (('"Error: searching again"', "Error: searching again"), ("5", 5)):
            bare = f"event: custom\ndata: {value}\n\nevent: end\ndata: null\n\n".encode()
            answer = folded(events(bare.join([RECORDED[f"{OF_SERVER}resumed.sse"]] * 2)))
            assert (answer.error, answer.warnings, answer.thoughts[1].description) == (None, (), told)

    def test_an_answer_of_another_backend_may_begin_with_the_id_of_a_run(self) -> None:
        answer = read([{"run_id": "r"}, {"delta": {"content": "One pair.", "role": "assistant"}}])
        assert (answer.text, answer.dialect) == ("One pair.", "flat")


def sent(**changes: Any) -> tuple[str, dict[str, Any]]:
    request = ChatRequest(ASKED, **{"new_message_count": 3, **changes})
    way = attempts(BACKEND)[0]
    return address_of(BACKEND, request, way), dict(request_body(BACKEND, request, stream_flag=way.stream_flag))


class TestQuestions:
    """A question continues the thread from the checkpoint of the answer before it."""

    def test_a_question_without_a_checkpoint_begins_a_thread_with_the_whole_history(self) -> None:
        addresses = set()
        for state in (None, SessionState("threadId", {}), SessionState("threadId", {"threadId": "of AG-UI"})):
            address, body = sent(session_state=state, new_message_count=1)
            addresses.add(address)
            assert [message["content"] for message in body["input"]["messages"]] == ["Hello", "Hi.", "Who?"]
            assert (body["assistant_id"], body["if_not_exists"], "checkpoint_id" in body) == ("agent", "create", False)
        assert len(addresses) == 3
        assert {address.count("/threads/") for address in addresses} == {1}

    def test_a_question_after_a_checkpoint_has_only_the_new_messages(self) -> None:
        state = SessionState("threadId", {"threadId": "t", "checkpoint_id": "c"})
        odd = SessionState("threadId", {"threadId": "a\\1/../b?", "checkpoint_id": "c"})
        assert sent(session_state=odd)[0] == "http://x.test/threads/a%5C1%2F..%2Fb%3F/runs/stream"
        address, body = sent(session_state=state, new_message_count=1, overrides={"k": 1})
        assert body.keys() == {
            "assistant_id", "checkpoint_id", "if_not_exists", "stream_mode", "on_disconnect", "stream_resumable",
            "input",
        }  # fmt: skip
        assert address == "http://x.test/threads/t/runs/stream"
        assert body["input"] == {"messages": [{"role": "user", "content": "Who?"}]}
        assert body["checkpoint_id"] == "c"
        assert (asked_in(sent()[1]), asked_in(body)) == (("Who?", 2), ("Who?", None))

    def test_an_image_is_a_part(self) -> None:
        asked = Message("user", "", (Attachment("a.png", "image/png", b"\x89PNG"),))
        body = request_body(BACKEND, ChatRequest((asked,)), stream_flag=None)
        part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
        assert body["input"] == {"messages": [{"role": "user", "content": [part]}]}


class TestPauses:
    """An interrupt waits for a person, and the decision goes to the checkpoint of the pause."""

    def test_an_interrupt_without_a_checkpoint_is_shown(self) -> None:
        pause = pause_of(recorded(f"{OF_SERVER}interrupt.sse"))
        assert [(one.message, one.arguments) for one in pause.interrupts] == [
            ("Book 3 days of leave?", {"action": "book_leave", "args": {"days": 3}})
        ]
        assert recorded(f"{OF_SERVER}resumed.sse").text == "Decision: approve"

    async def test_a_lost_thread_begins_anew_with_the_whole_history(self) -> None:
        def forgetful(request: Received) -> Reply:
            if request.method == "POST" and json.loads(request.body).get("if_not_exists") == "reject":
                return Reply([lines({"detail": "Thread or assistant not found."})], 404)
            return LOOKALIKES["langgraph"][1](request)

        state = SessionState("threadId", {"threadId": "t", "checkpoint_id": "c"})
        async with StandIn(forgetful).running() as stand_in, AsyncClient(PATIENT) as client:
            backend = replace(BACKEND, url=f"{stand_in.url}/runs")
            for _ in range(2):
                answer, found = await asked_anywhere(client, backend, ChatRequest(ASKED, session_state=state))
                assert (answer.text, answer.error, found) == ("One pair.", None, backend)
        lost, anew, *again = stand_in.requests
        assert (lost.path, len(lost.json["input"]["messages"])) == ("/threads/t/runs/stream", 1)
        assert (anew.path != lost.path, len(anew.json["input"]["messages"]), len(again)) == (True, 3, 2)

    async def test_a_server_is_found_by_its_base_url_and_resumed_after_a_decision(self) -> None:
        async with StandIn(LOOKALIKES["langgraph"][1]).running() as stand_in, AsyncClient(PATIENT) as client:
            found = await detect(client, stand_in.url)
            backend = found.backend
            assert backend is not None
            assert (found.known_backend, found.models, backend.model) == ("langgraph", ("agent",), "agent")
            assert backend.url == f"{stand_in.url}/runs"

            first, _ = await asked_anywhere(client, backend, ChatRequest((Message("user", "Hello"),)))
            thread = stand_in.requests[-1].path
            asked = ChatRequest((*ASKED[:2], Message("user", "Book.")), session_state=first.session_state)
            paused, _ = await asked_anywhere(client, backend, asked)
            assert (first.text, stand_in.requests[-1].path) == ("One pair.", thread)
            assert stand_in.requests[-1].json["checkpoint_id"] == "c9"

            resume = Resume(((pause_of(paused), (Decision("i1", "approved"),)),))
            # A backend that was found by its base URL has no model in the settings.
            rest, _ = await answer_anywhere(client, Backend(backend.url), replace(asked, resume=resume))
            last = stand_in.requests[-1]
            assert (rest.text, last.path, last.json["assistant_id"]) == ("You said True.", thread, "agent")
            assert (last.json["command"], last.json["checkpoint_id"], "input" in last.json) == (
                {"resume": {"i1": True}}, "c1", False,
            )  # fmt: skip


RUN = "/threads/t/runs/1f0c-r"
DOCUMENT = {"page_content": "Leave is 25 days.", "metadata": {"source": "leave.pdf"}, "type": "Document"}
CALL = said("Let me look.", "a", tool_calls=[{"id": "c", "name": "search", "args": {"query": "leave"}}])
RESULT = said("1 document", "r", artifact=[DOCUMENT], tool_call_id="c", name="search", status="success")
RESULT[0]["type"] = "tool"
OLD = said("Hi.", "o")
HUMAN = {**said("Who?", "q")[0], "type": "human"}
EVENTS = [
    f"event: {name}\r\ndata: {json.dumps(value)}\r\nid: {key}-0\r\n\r\n".encode()
    for key, name, value in (
        (1, "metadata", BEGUN),
        (2, "checkpoints", checkpoint("agent")),
        (2, "custom", "Looking"),
        (2, "custom", "Looking"),
        (3, "messages/partial", CALL),
        (3, "updates", {"agent": {"messages": CALL}}),
        (4, "messages/complete", RESULT),
        (4, "updates", {"tools": {"messages": RESULT}}),
        (5, "messages/partial", said("One")),
        (5, "messages/partial", said("One pair")),
        (6, "messages/partial", said("One pair.")),
        (6, "updates", {"agent": {"messages": [*OLD, HUMAN, *said("One pair.")], "plan": said("A plan.", "p")}}),
        (6, "checkpoints", checkpoint()),
    )
]
WHOLE = b"".join(EVENTS)
IN_THREAD = SessionState("threadId", {"threadId": "t", "checkpoint_id": "c"})
HASTY = replace(PATIENT, resume_waits=(0.0, 0.0))
STREAM = {"Content-Type": "text/event-stream; charset=utf-8", "Content-Location": RUN}
ONE_MORE = Reply([EVENTS[10]], headers=STREAM, end="abrupt")
READ_ON = f"GET {RUN}/stream"
CANCEL = f"POST {RUN}/cancel"


def key_of(event: bytes) -> int:
    return int(event.rpartition(b"id: ")[2].partition(b"-")[0])


class Breaking:
    """A server whose answer ends after `size` bytes; requests to read on get the `replies` first.

    Like the real one, it gives the events with greater ids, and does not keep messages that grow.
    """

    def __init__(self, size: int, *replies: Reply, end: Any = "abrupt", silence: Sequence[float] = ()) -> None:
        self.size = size
        self.replies = [*replies]
        self.end = end
        self.silence = silence
        self.known: list[str] = []
        """The ids of the last events, as requests to read on had them."""

    def __call__(self, request: Received) -> Reply:
        assert request.headers["x-api-key"] == "k"
        if request.path == f"{RUN}/cancel":
            return Reply(before_headers=True, end="rst")
        if request.method == "POST":
            return Reply([WHOLE[: self.size], *self.silence], headers=STREAM, end=self.end)
        assert request.path == f"{RUN}/stream"
        self.known.append(request.headers["last-event-id"])
        if self.replies:
            return self.replies.pop(0)
        known = int(self.known[-1].partition("-")[0])
        kept = [event for event in EVENTS if key_of(event) > known and b"messages/" not in event]
        packed = gzip.compress(b"".join([b": heartbeat\r\n\r\n", *kept]))
        return Reply([packed], headers={**STREAM, "Content-Encoding": "gzip"})


async def asked_of(server: Breaking, *sizes: int, bounds: Bounds = HASTY) -> list[tuple[Answer, list[str]]]:
    """The answers that end at each of the sizes, each with the requests after its question."""
    given = []
    async with StandIn(server).running() as stand_in, AsyncClient(bounds) as client:
        backend = replace(BACKEND, url=f"{stand_in.url}/runs", headers={"x-api-key": "k"})
        for size in sizes or (server.size,):
            server.size = size
            answer = await client.ask(backend, ChatRequest(ASKED, session_state=IN_THREAD))
            given.append((answer, [f"{one.method} {one.path}" for one in stand_in.requests[1:]]))
            stand_in.requests.clear()
    return given


class TestBrokenConnections:
    """A run outlives its connection: the answer goes on behind its last whole event."""

    @pytest.mark.parametrize(("end", "least"), [("abrupt", 1), ("rst", 1), ("clean", len(EVENTS[0] + EVENTS[1]))])
    async def test_an_answer_that_ends_at_any_byte_is_whole(self, end: str, least: int) -> None:
        (whole, requests), *broken = await asked_of(Breaking(0, end=end), *range(len(WHOLE), least - 1, -97), least)
        assert (whole.text, requests) == ("Let me look.\n\nOne pair.", [])
        assert [point.source for point in whole.data_points] == ["leave.pdf"]
        assert steps_of(whole) == ["custom", "search", "agent", "tools"]
        for answer, requests in broken:
            assert requests == [READ_ON]
            assert replace(answer, timing=whole.timing) == whole

    @pytest.mark.parametrize(
        ("replies", "requests", "said_after"),
        [
            ([Reply(status=503)], [READ_ON] * 2, "One pair."),
            ([Reply(status=429)], [READ_ON] * 2, "One pair."),
            ([Reply(before_headers=True)], [READ_ON] * 2, "One pair."),
            ([Reply([b": heartbeat\r\n\r\n"], headers=STREAM, end="abrupt")] * 5, [READ_ON] * 2, "One"),
            ([Reply(status=503)] * 2, [READ_ON] * 2, "One"),
            ([Reply(status=503), ONE_MORE, Reply(status=503)], [READ_ON] * 4, "One pair."),
            ([Reply(status=404)], [READ_ON], "One"),
            ([Reply([b"<html>"], headers={"Content-Type": "text/html"})], [READ_ON], "One"),
            ([Reply([b"\x8b"], headers={**STREAM, "Content-Encoding": "br"})], [READ_ON], "One"),
        ],
    )
    async def test_a_busy_server_is_asked_again_and_a_lost_run_is_cut_off_and_cancelled(
        self, replies: list[Reply], requests: list[str], said_after: str
    ) -> None:
        server = Breaking(sum(map(len, EVENTS[:9])), *replies)
        ((answer, sent),) = await asked_of(server)
        assert server.known[0] == "4-0"
        is_whole = said_after == "One pair."
        assert (answer.text.removeprefix("Let me look.\n\n"), sent) == (
            said_after,
            requests + [CANCEL] * (not is_whole),
        )
        assert [one.detail for one in answer.warnings] == ["the connection to the backend broke"] * (not is_whole)

    async def test_silence_is_a_broken_connection(self) -> None:
        server = Breaking(len(EVENTS[0]), silence=(float("inf"),))
        ((answer, requests),) = await asked_of(server, bounds=replace(HASTY, idle_timeout=0.2))
        assert (answer.text, requests) == ("Let me look.\n\nOne pair.", [READ_ON])

    async def test_the_timeout_of_an_answer_ends_the_waits(self) -> None:
        server = Breaking(sum(map(len, EVENTS[:9])), Reply(status=503))
        bounds = replace(HASTY, total_timeout=0.5, resume_waits=(0.0, 60.0))
        ((answer, requests),) = await asked_of(server, bounds=bounds)
        assert requests == [READ_ON, CANCEL]
        assert [one.detail for one in answer.warnings] == ["the answer was not finished within 0.5 s"]

    async def test_an_answer_that_is_not_read_to_its_end_is_cancelled(self) -> None:
        for bounds, is_left in ((HASTY, True), (replace(HASTY, answer_bytes=len(EVENTS[0])), False)):
            async with (
                StandIn(Breaking(sum(map(len, EVENTS[:9])))).running() as stand_in,
                AsyncClient(bounds) as client,
            ):
                backend = replace(BACKEND, url=f"{stand_in.url}/runs", headers={"x-api-key": "k"})
                async with aclosing(client.stream(backend, ChatRequest(ASKED, session_state=IN_THREAD))) as streamed:
                    async for _ in streamed:
                        if is_left:
                            break
            assert [one.path for one in stand_in.requests[1:]] == [f"{RUN}/cancel"]

    @pytest.mark.parametrize("place", ["", "/threads/t", "/runs/a%2Fb", "/runs/../x", f"/runs/{'x' * 101}"])
    async def test_an_answer_without_the_address_of_its_run_is_cut_off(self, place: str) -> None:
        await self._is_cut_off({"Content-Location": place})

    async def test_a_recorded_answer_ends_where_it_broke(self) -> None:
        await self._is_cut_off({RECORDED_HEADER: "2026-01-02"})

    async def _is_cut_off(self, headers: Mapping[str, str]) -> None:
        reply = Reply([b"".join(EVENTS[:9])], headers={**STREAM, **headers}, end="abrupt")
        async with StandIn(reply).running() as stand_in, AsyncClient(HASTY) as client:
            answer = await client.ask(replace(BACKEND, url=f"{stand_in.url}/runs"), ChatRequest(ASKED))
        assert [one.detail for one in answer.warnings] == ["the connection to the backend broke"]
        assert len(stand_in.requests) == 1

    async def test_a_lost_run_of_a_stream_without_its_end_is_cancelled(self) -> None:
        ((answer, requests),) = await asked_of(Breaking(sum(map(len, EVENTS[:9])), Reply(status=404), end="clean"))
        assert ([one.code for one in answer.warnings], requests) == ([NO_END], [READ_ON, CANCEL])
