"""LangGraph's server: its answers, its threads and the decisions on its pauses."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Decision, Resume
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message, address_of, attempts
from chat_ui.protocol.backends.request import request_body
from chat_ui.protocol.detection.asking import answer_anywhere
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import NO_END, SessionState, TextRevised
from chat_ui.protocol.recordings.request_facts import asked_in
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, asked_anywhere, events, folded
from tests.protocol.damage import recorded
from tests.protocol.pausing import pause_of, read
from tests.protocol.recorded import RECORDED
from tests.stand_ins.lookalikes import LOOKALIKES
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

OF_SERVER = "langgraph/langgraph-api-0.16.7-"
BEGUN = {"run_id": "r", "attempt": 1}
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

    def test_parallel_messages_follow_each_other_in_the_end(self) -> None:
        grown = [said("One", "a"), said("Two", "b"), said("One pair.", "a"), said("Two pairs.", "b")]
        assert read([BEGUN, *grown]).text == "One pair.\n\nTwo pairs."

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
            "assistant_id", "checkpoint_id", "if_not_exists", "stream_mode", "on_disconnect", "input",
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
