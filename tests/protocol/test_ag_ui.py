"""AG-UI: answers of real agents, with messages, states and citations."""

import json
from itertools import product
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.backends.request import request_body
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import AnswerWarning, SessionState
from tests.protocol.asking import error_of, events, fold
from tests.protocol.damage import read
from tests.protocol.recorded import RECORDED

PASSAGE = "The plan pays for one pair."
GLASSES = ("glasses.pdf", PASSAGE, "https://docs.example/glasses.pdf")
TOOL = "I look. \n\nThe plan pays for one pair."
FOLDER = "ag-ui/"


def recorded(name: str) -> Answer:
    return fold(RECORDED[f"{FOLDER}{name}.sse"])


def run(*values: dict[str, Any], ended: bool = True) -> Answer:
    """The answer of a run with these events."""
    begun, end = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}], [{"type": "RUN_FINISHED", "threadId": "t"}]
    return fold(body(*begun, *values, *(end if ended else [])))


def body(*values: object) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


def said(text: str, message: str = "m") -> list[dict[str, Any]]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": message},
    ]


def snapshot(*messages: tuple[str, str] | dict[str, Any]) -> dict[str, Any]:
    listed = [
        message if isinstance(message, dict) else {"id": f"s{number}", "role": message[0], "content": message[1]}
        for number, message in enumerate(messages)
    ]
    return {"type": "MESSAGES_SNAPSHOT", "messages": listed}


def points(answer: Answer) -> list[tuple[str, str, str | None]]:
    return [(point.id, point.text, point.url) for point in answer.data_points]


def titles(answer: Answer) -> list[str]:
    return [thought.title for thought in answer.thoughts]


def test_each_agents_tool_call_is_a_step_and_gives_the_sources() -> None:
    agents = ("agent-framework-ag-ui-1.7.0", "ag-ui-langgraph-0.0.47", "ag-ui-adk-0.11.0", "ag-ui-strands-1.0.2",
              "llama-index-protocols-ag-ui-0.6.0")  # fmt: skip
    for agent in agents:
        answer = recorded(f"{agent}-tool")
        assert (answer.text, answer.error, answer.complete) == (TOOL, None, True), agent
        [step] = [thought for thought in answer.thoughts if thought.title == "search"]
        assert step.props == {"query": "glasses"}
        assert step.description == {"results": [{"title": GLASSES[0], "content": PASSAGE, "url": GLASSES[2]}]}
        assert points(answer) == [GLASSES]
        assert "State" not in titles(answer)


def test_states_custom_events_and_framework_documents_give_sources() -> None:
    answer = recorded("pydantic-ai-2.68.0-tool-state")
    assert answer.text == TOOL
    assert titles(answer) == ["search", "State"]
    assert answer.thoughts[1].description == {
        "step": 2, "documents": [{"title": GLASSES[0], "content": PASSAGE, "url": GLASSES[2]}],
    }  # fmt: skip
    assert points(answer) == [GLASSES, ("doc1", "One pair.", None)]
    document = {"page_content": "One pair.", "metadata": {"source": "a.pdf", "page": 1}}
    answer = run(*said("A"), {"type": "STATE_SNAPSHOT", "snapshot": {"documents": [document]}})
    assert (points(answer), answer.data_points[0].names[0]) == ([("a.pdf", "One pair.", None)], "a.pdf#page=2")


def test_reasoning_is_not_in_the_answer() -> None:
    reasonings = {
        "agent-framework-ag-ui-1.7.0-reasoning": "Let me think. One pair.",
        "pydantic-ai-2.68.0-reasoning": "Let me think. One pair.",
        "pydantic-ai-2.68.0-thinking-0.1.10": "Let me think. One pair.",
        "ag-ui-adk-0.11.0-reasoning": "Let me think. ",
    }
    answers = {name: recorded(name) for name in reasonings}
    assert {name: answer.reasoning for name, answer in answers.items()} == reasonings
    assert {answer.text for answer in answers.values()} == {PASSAGE}


def test_an_error_keeps_the_text_so_far() -> None:
    for name, text, code, words in (
        ("agent-framework-ag-ui-1.7.0-error", "So far ", "RuntimeError", "An internal error has occurred"),
        ("pydantic-ai-2.68.0-error", "So far ", None, "The model is overloaded."),
        ("pydantic-ai-2.68.0-failing-tool", "", None, "The index is closed."),
        ("ag-ui-langgraph-0.0.47-error", "So far ", None, "The model is overloaded."),
        ("ag-ui-adk-0.11.0-error", "So far ", "BACKGROUND_EXECUTION_ERROR", "The model is overloaded."),
        ("ag-ui-strands-1.0.2-error", "So far ", "STRANDS_FORCE_STOP", "The model is overloaded."),
    ):
        answer = recorded(name)
        assert (name, answer.text, error_of(answer).code) == (name, text, code)
        assert words in error_of(answer).message


def test_token_counts_are_found_in_each_agents_place() -> None:
    assert recorded("agent-framework-ag-ui-1.7.0-tool").usage == {"input_token_count": 7, "output_token_count": 5}
    assert recorded("ag-ui-strands-1.0.2-tool").usage == {"inputTokens": 7, "outputTokens": 5, "totalTokens": 12}
    finished = {"type": "RUN_FINISHED", "usage": [{"model": "a", "inputTokens": 2}, {"model": "b", "inputTokens": 3}]}
    assert fold(body(*said("A"), finished)).usage == {"inputTokens": 5}


def test_citations_of_strands_are_placed() -> None:
    answer, plan = recorded("ag-ui-strands-1.0.2-citations"), "https://docs.example/plan"
    assert answer.text == "The plan pays for one pair, and for frames."
    assert answer.bracketed_text == f"The plan pays for one pair [glasses.pdf], and for frames [{plan}]."
    assert points(answer) == [("glasses.pdf", PASSAGE, None), (plan, "Frames are paid for.", plan)]
    assert [point.source for point in answer.data_points] == ["glasses.pdf", "Plan"]


def test_message_metadata_cites_by_utf_16_offsets_and_names_sources() -> None:
    cited = {"citations": [{"title": "plan.pdf", "textOffset": 4}, {"title": "late.pdf", "textOffset": 99}]}
    answer = run(
        *said("First.", "a"),
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "b", "delta": "👓👓 pay."},
        {"type": "TEXT_MESSAGE_END", "messageId": "b", "metadata": cited},
    )
    assert answer.bracketed_text == "First.\n\n👓👓 [plan.pdf] pay. [late.pdf]"
    sources = {"sources": [{"title": "plan.pdf", "content": "Frames."}]}
    answer = run(*said("A"), {"type": "TEXT_MESSAGE_END", "messageId": "m", "metadata": sources})
    assert (answer.text, points(answer)) == ("A", [("plan.pdf", "Frames.", None)])


def test_every_event_of_each_sdk_version_is_read() -> None:
    first = recorded("ag-ui-protocol-0.1.5-every-event")
    assert (first.text, titles(first)) == (PASSAGE, ["search", "State", "search"])
    for version in ("0.1.22", "1.0.0"):
        answer = recorded(f"ag-ui-protocol-{version}-every-event")
        assert (answer.text, answer.error, answer.warnings) == (PASSAGE, None, ())
        assert titles(answer) == ["search", "State", "search", "PLAN", "Reader", "Scout failed", "clock"]
        assert [thought.description for thought in answer.thoughts[3:6]] == [
            {"steps": ["search", "answer"]}, "Read one document.", "The second document is locked.",
        ]  # fmt: skip
        assert [identity for identity, *_ in points(answer)] == ["plan.pdf", "glasses.pdf", "Eyes"]
        assert answer.reasoning.endswith("Glasses are in the plan.\n\nSo one pair.")


class TestMessages:
    """Messages given whole, beside streamed ones."""

    def test_an_unstreamed_text_is_taken_without_the_history(self) -> None:
        unstreamed = {
            "ag-ui-langgraph-0.0.47-unstreamed-second-question": "A plan, not streamed.",
            "ag-ui-crewai-1.0.0-unstreamed-second-question": PASSAGE,
            "agent-framework-ag-ui-1.7.0-second-question": PASSAGE,
        }
        assert {name: recorded(name).text for name in unstreamed} == unstreamed
        assert not any("State" in titles(recorded(name)) for name in unstreamed)

    def test_a_streamed_text_is_not_doubled_and_an_unstreamed_one_follows(self) -> None:
        again = snapshot(("user", "Q"), ("assistant", "One. "), ("tool", "x"), ("assistant", "Two."))
        assert run(*said("One. ", "a"), *said("Two.", "b"), again).text == "One. \n\nTwo."
        of_parts = {"id": "z", "role": "assistant", "content": [{"type": "text", "text": "Two."}]}
        tool = {"id": "c", "role": "tool", "toolCallId": "c1", "content": "x"}
        for second in (("assistant", "Two."), of_parts):
            told = snapshot(("user", "Q"), ("assistant", "One."), tool, second)
            assert run(*said("One.", "a"), told).text == "One.\n\nTwo."
        rest = snapshot(("user", "Q"), {"id": "m", "role": "assistant", "content": "One pair."})
        assert run(*said("One "), rest).text == "One pair."

    def test_the_history_is_not_the_answer(self) -> None:
        history = snapshot(("user", "Q"), ("assistant", "Old."), ("user", "Q2"))
        without_question = snapshot(("user", "Q"), ("assistant", "Old."))
        late = snapshot(("user", "Q"), ("assistant", "Old."), ("user", "Q2"), ("assistant", "New."))
        for told in ([history, *said("New.")], [*said("New."), history], [without_question, *said("New.")],
                     [without_question, late]):  # fmt: skip
            assert run(*told).text == "New."

    def test_messages_of_other_roles_are_not_in_the_answer(self) -> None:
        piece = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "u", "delta": "Q"}
        for kind, role in product(("START", "CHUNK"), ("user", "system", "developer")):
            echo = {"type": f"TEXT_MESSAGE_{kind}", "messageId": "u", "role": role, "delta": "Q"}
            assert run(echo, piece, *said("A")).text == "A"

    def test_a_text_joins_its_messages_and_pieces(self) -> None:
        first = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "role": "assistant", "delta": "One "}
        assert run(first, {"type": "TEXT_MESSAGE_CHUNK", "delta": "pair."}).text == "One pair."
        assert run(*said("One.", "a"), *said("", "b")).text == "One."
        assert run(snapshot(("user", "Q"), ("assistant", "Two.")), ended=False).text == "Two."

    def test_calls_that_only_messages_have_are_steps(self) -> None:
        call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
        result = json.dumps([{"title": "a.pdf", "content": "One."}])
        answer = run(
            snapshot(
                ("user", "Q"),
                {"id": "1", "role": "assistant", "toolCalls": [call]},
                {"id": "2", "role": "tool", "toolCallId": "c1", "content": result},
                {"id": "3", "role": "tool", "toolCallId": "c2", "content": "", "error": "The index is closed."},
                ("assistant", "A"),
            )
        )
        assert answer.text == "A"
        assert [(thought.title, thought.props) for thought in answer.thoughts] == [
            ("search", {"query": "x"}), ("c2 failed", None),
        ]  # fmt: skip
        assert points(answer) == [("a.pdf", "One.", None)]


def test_a_cancelled_run_keeps_its_text() -> None:
    answer = fold(body(*said("So"), {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}))
    assert (answer.text, error_of(answer).code) == ("So", "cancelled")


class TestParts:
    """Subagents, activities, and pieces without ids."""

    def test_a_subagents_text_or_failure_is_a_step_or_the_only_answer(self) -> None:
        started = {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "Reader"}
        piece = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "x", "subagentRunId": "s", "delta": "Read two pages."}
        finished = {"type": "SUBAGENT_FINISHED", "subagentRunId": "s"}
        answer = run(started, piece, finished, {**finished, "result": "Again."}, *said("One pair."))
        assert answer.text == "One pair."
        assert [(one.title, one.description) for one in answer.thoughts] == [("Reader", "Read two pages.")]
        assert run(started, piece).text == "Read two pages."
        failed = {"type": "SUBAGENT_ERROR", "subagentRunId": "s", "message": "Locked.", "code": "E7"}
        answer = run(started, failed, *said("A"))
        assert answer.error is None
        assert [(one.title, one.description) for one in answer.thoughts] == [("Reader failed", "Locked.")]

    def test_an_earlier_activity_is_replaced_only_on_request(self) -> None:
        first = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {"n": 1}}
        kept = run(first, {**first, "content": {"n": 2}, "replace": False}, *said("A"))
        replaced = run(first, {**first, "content": {"n": 2}}, *said("A"))
        assert [one.description for one in (*kept.thoughts, *replaced.thoughts)] == [{"n": 1}, {"n": 2}]

    def test_pieces_of_a_call_without_an_id_belong_to_the_call_before(self) -> None:
        answer = run(
            {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "search", "delta": '{"query"'},
            {"type": "TOOL_CALL_CHUNK", "delta": ': "x"}'},
            {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": [{"type": "text", "text": "Two."}]},
            *said("A"),
        )
        assert [(one.title, one.props, one.description) for one in answer.thoughts] == [
            ("search", {"query": "x"}, "Two.")
        ]

    def test_the_result_of_an_early_run_is_the_answer_without_a_text(self) -> None:
        result = {"type": "RUN_FINISHED", "result": "One pair."}
        assert fold(body(*said("A"), result)).text == "A"
        for before, text in ((0, "One pair."), (99, "One pair."), (100, "")):
            assert fold(body(*[{"type": "RUN_FINISHED"}] * before, result)).text == text


PNG = Attachment("a.png", "image/png", b"\x89PNG")
AGENT = KNOWN_BACKENDS["ag-ui"].at("http://127.0.0.1/agent")


def asked(*messages: Message, state: SessionState | None = None, agent: Backend = AGENT) -> dict[str, Any]:
    return dict(request_body(agent, ChatRequest(messages, {"temperature": 0.3}, state), stream_flag=None))


class TestThread:
    """The thread is kept, and no message is sent twice with different ids."""

    def test_a_question_has_every_required_input_and_a_retry_another_id(self) -> None:
        request = ChatRequest((Message("system", "Be brief."), Message("user", "Hi")), {"temperature": 0.3})
        sent, again = (dict(request_body(AGENT, request, stream_flag=None)) for _ in range(2))
        assert sent.keys() == {"threadId", "runId", "state", "messages", "tools", "context", "forwardedProps"}
        assert sent["threadId"] == request.conversation
        UUID(sent["threadId"])
        assert UUID(sent["runId"]) != UUID(again["runId"])
        assert [message.keys() for message in sent["messages"]] == [{"id", "role", "content"}] * 2
        assert len({message["id"] for message in sent["messages"]}) == 2
        assert sent["messages"][-1]["id"] != again["messages"][-1]["id"]

    def test_an_image_is_a_part_of_its_message(self) -> None:
        source = {"type": "data", "value": "iVBORw==", "mimeType": "image/png"}
        image = {"type": "image", "source": source, "metadata": {"filename": "a.png"}}
        assert asked(Message("user", "What?", (PNG,)))["messages"][0]["content"] == [
            {"type": "text", "text": "What?"}, image,
        ]  # fmt: skip
        assert asked(Message("user", "", (PNG,)))["messages"][0]["content"] == [image]

    def test_messages_are_sent_with_the_agents_ids(self) -> None:
        told = snapshot(
            {"id": "u1", "role": "user", "content": "Hi"}, {"id": "a1", "role": "assistant", "content": "Hello."},
            {"id": "u2", "role": "user", "content": "Hi"}, {"id": "a2", "role": "assistant", "content": "I look."},
            {"id": "t2", "role": "tool", "content": "x", "toolCallId": "c"},
            {"id": "a3", "role": "assistant", "content": "One."},
        )  # fmt: skip
        answer = run(*said("A"), told)
        sent = asked(
            Message("user", "Hi"), Message("assistant", "Hello."), Message("user", "Edited"), Message("assistant", "?"),
            Message("user", "Hi"), Message("assistant", "I look.\n\nOne."), Message("user", "Q"),
            state=answer.session_state,
        )  # fmt: skip
        ids = [message["id"] for message in sent["messages"]]
        assert ids[:6] == ["u1", "a1", "message-3", "message-4", "u2", "a3"]
        UUID(ids[6])

    def test_thread_and_state_are_sent_also_after_a_failed_answer(self) -> None:
        state = {"type": "STATE_SNAPSHOT", "snapshot": {"city": "Bern", "messages": [{"id": "1"}], "_own": 1}}
        change = {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/days", "value": 3}]}
        begun = {"type": "RUN_STARTED", "threadId": "t7"}
        told = snapshot({"id": "u1", "role": "user", "content": "Hi"})
        for end in ([{"type": "RUN_FINISHED"}], [{"type": "RUN_ERROR", "message": "No."}], []):
            answer = fold(body(begun, state, change, told, *end))
            sent = asked(Message("user", "Hi"), Message("user", "Q"), state=answer.session_state)
            assert sent["threadId"] == "t7"
            assert sent["state"] == ({"city": "Bern", "days": 3} if end else {})
            assert sent["messages"][0]["id"] == "u1"

    def test_too_large_a_state_is_not_sent_and_another_shape_begins_a_thread(self) -> None:
        answer = run({"type": "STATE_SNAPSHOT", "snapshot": {"text": "x" * 200_000}}, *said("A"))
        sent = asked(Message("user", "Q"), state=answer.session_state)
        assert (sent["threadId"], sent["state"]) == ("t", {})
        turns = [7, {}, {"question": []}, {"question": "x", "user": 1}]
        values: tuple[Any, ...] = ("t", 7, [], {}, {"threadId": 7, "turns": 7}, {"turns": turns})
        for value in values:
            UUID(asked(Message("user", "Hi"), Message("user", "Q"), state=SessionState("threadId", value))["threadId"])


PIECES = st.fixed_dictionaries(
    {"type": st.sampled_from(["TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK", "TEXT_MESSAGE_END", "STEP_FINISHED"])},
    optional={
        "messageId": st.sampled_from(["a", "b", "u", "", None, 7]),
        "delta": st.sampled_from(["two", "", " ", None, ["two"], 2]),
        "timestamp": st.integers(0, 9),
        "role": st.sampled_from(["assistant", None]),
        "rawEvent": st.just({"x": 1}),
        "subagentRunId": st.sampled_from(["s", "x"]),
    },
)


@given(st.lists(PIECES, max_size=6))
def test_the_fast_path_equals_the_full_reader(pieces: list[dict[str, Any]]) -> None:
    first = [
        {"type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "Reader"},
        {"type": "TEXT_MESSAGE_START", "messageId": "u", "role": "user"},
        *said("One ", "a"),
    ]
    quickly = run(*first, *pieces)
    assert run(*first, *({**piece, "unheard_of": 0} for piece in pieces)) == quickly


def test_an_invalid_line_leaves_the_rest() -> None:
    begun = body(*said("One ", "a")[:2])
    end = body({"type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "pair."})
    for line in (b"data: {", b"data: [1]\n\n", b": comment\n\n", b"data: \xff\xfe\n\n", b"event: x\n\n"):
        assert fold(begun + line + b"\n\n" + end).text == "One pair."


def test_the_last_state_is_shown_without_private_or_oversized_parts() -> None:
    hidden = {"messages": [{"content": "Q"}], "_ag_ui_thread_id": "t", "tools": []}
    assert run({"type": "STATE_SNAPSHOT", "snapshot": hidden}, *said("A")).thoughts == ()
    answer = run(
        {"type": "STATE_SNAPSHOT", "snapshot": {**hidden, "city": "Bern"}},
        {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/x", "value": 2}]},
        *said("A"),
    )
    assert answer.thoughts[0].description == {"city": "Bern"}
    assert [warning.code for warning in answer.warnings] == ["state_delta"]
    states = [{"type": "STATE_SNAPSHOT", "snapshot": {"n": number}} for number in range(300)]
    found = events(body(*states, {"type": "RUN_FINISHED"}))
    assert fold(body(*states, *said("A"), {"type": "RUN_FINISHED"})).thoughts[0].description == {"n": 299}
    assert len(found) < 250
    assert not any(isinstance(event, AnswerWarning) for event in found)


def test_half_a_character_in_the_id_of_a_run_is_read() -> None:
    ids = {"threadId": "t", "runId": "\ud83d"}
    text = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "One"}
    assert read({"type": "RUN_STARTED", **ids}, text, {"type": "RUN_FINISHED", **ids}).text == "One"
