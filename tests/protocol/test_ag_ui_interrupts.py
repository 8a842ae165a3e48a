"""Requests of AG-UI agents in other shapes than the recorded ones, and several pauses in one answer."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Decision, Resume, checked, denied
from chat_ui.protocol.events import Interrupt
from tests.protocol.pausing import approved, pause_of, read, written

BEGUN = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
YES_OR_NO = {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "pick_colour", "parentMessageId": "m"}


def finished(*interrupts: object) -> dict[str, Any]:
    outcome = {"outcome": {"type": "interrupt", "interrupts": list(interrupts)}} if interrupts else {}
    return {"type": "RUN_FINISHED", "threadId": "t", **outcome}


def said(text: str, message: str = "m") -> list[dict[str, Any]]:
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": text},
    ]


def event(value: object, key: str = "", **raw: object) -> dict[str, Any]:
    """LangGraph's custom event."""
    return {"type": "CUSTOM", "name": "on_interrupt", "value": value, "rawEvent": {"id": key, **raw} if key else None}


def asked(*interrupts: object) -> tuple[Interrupt, ...]:
    return pause_of(read([BEGUN, *said("So."), finished(*interrupts)])).interrupts


def sent(answer: Answer, *decisions: Decision) -> dict[str, Any]:
    pause = pause_of(answer)
    return written(Resume(((pause, checked(pause, decisions, 0)),)), "Q", answer.session_state)


EDITED = {"type": "object", "properties": {"to": {"type": "string"}}}
SCHEMAS: list[tuple[dict[str, Any], str, str, list[str]]] = [
    ({"responseSchema": YES_OR_NO}, "approval", "resume approved", []),
    ({"responseSchema": {"properties": {"confirmed": {"type": "boolean"}}}}, "approval", "resume confirmed", []),
    (
        {"responseSchema": {"properties": {**YES_OR_NO["properties"], "reason": {}, "editedArgs": EDITED}}},  # type: ignore[dict-item]
        "approval", "resume approved", ["edit", "reason"],
    ),
    ({"responseSchema": YES_OR_NO, "expiresAt": "2026-11-30T09:00:00Z"}, "approval", "resume approved", ["set_aside"]),
    # An approval that needs more is a form.
    ({"responseSchema": {**YES_OR_NO, "required": ["approved", "room"]}}, "input", "resume value", ["set_aside"]),
    ({"responseSchema": {"properties": {"approved": {"type": "string"}}}}, "input", "resume value", ["set_aside"]),
    ({"responseSchema": {"type": "string"}}, "input", "resume value", ["set_aside"]),
    ({"reason": "tool_call"}, "approval", "resume approved", []),
    ({"reason": "confirmation"}, "approval", "resume approved", []),
    ({"reason": "room"}, "input", "resume value", ["set_aside", "words"]),
    ({"metadata": {"langgraph": {"raw": {"any": 1}}}}, "approval", "command value", ["words"]),
    ({"metadata": {"langgraph": {}}, "responseSchema": EDITED}, "input", "command value", []),
    ({"metadata": {"adk": {"originalFunctionCall": {"name": "a"}}}}, "approval", "resume confirmed", []),
]  # fmt: skip


@pytest.mark.parametrize(("more", "kind", "shape", "may"), SCHEMAS)
def test_the_schema_says_how_a_request_is_answered(more: dict[str, Any], kind: str, shape: str, may: list[str]) -> None:
    [found] = asked({"id": "i", "message": "Go?", **more})
    assert (found.kind, found.shape, sorted(found.may)) == (kind, shape, may)
    assert found.schema == (EDITED if "edit" in may else more.get("responseSchema") if kind == "input" else None)


def test_the_end_of_a_request_is_a_date_or_none() -> None:
    ends = ["2026-11-30T09:00:00Z", "2026-11-30T09:00:00", "2026-11-30T10:00:00+01:00", "soon", 7, None, "9999-99-99"]
    found = asked(*({"id": str(number), "expiresAt": end} for number, end in enumerate(ends)))
    assert [one.ends_at for one in found] == [1796029200.0] * 3 + [None] * 4


def test_a_request_that_is_set_aside_is_cancelled() -> None:
    waiting = finished({"id": "i", "reason": "room"}, {"id": "j", "reason": "tool_call"})
    body = sent(read([BEGUN, waiting]), Decision("i", "set_aside"), Decision("j", "denied"))
    denied_one = {"interruptId": "j", "status": "resolved", "payload": {"approved": False}}
    assert body["resume"] == [{"interruptId": "i", "status": "cancelled"}, denied_one]


def test_a_pause_without_a_request_is_a_warning() -> None:
    for interrupts in ([], [7], ["x"]):
        answer = read([BEGUN, *said("So."), {**finished(), "outcome": {"type": "interrupt", "interrupts": interrupts}}])
        assert (answer.pause, [warning.code for warning in answer.warnings]) == (None, ["interrupt"])
    [nameless] = asked({"message": "Go?"})
    assert (nameless.id, nameless.message) == ("", "Go?")


def test_langgraphs_values_without_ids_are_answered_only_alone() -> None:
    answer = read([BEGUN, event("Send it?"), finished()])
    for verdict, value, resumed in (("approved", None, True), ("denied", None, False), ("answered", "later", "later")):
        body = sent(answer, Decision("interrupt", verdict, value=value))  # type: ignore[arg-type]
        assert body["forwardedProps"] == {"command": {"resume": resumed}}
        assert "resume" not in body
    batch = read([BEGUN, event({"action_requests": [{"name": "a", "description": "Really?"}, {}]}), finished()])
    body = sent(batch, Decision("interrupt/0", "denied"), Decision("interrupt/1", "approved"))
    decisions = [{"type": "reject"}, {"type": "approve"}]
    assert body["forwardedProps"]["command"]["resume"] == {"decisions": decisions}
    assert pause_of(batch).interrupts[0].message == "Really?"
    two = pause_of(read([BEGUN, event("One?"), event("Two?"), finished()]))
    assert [one.id for one in two.interrupts] == ["", ""]
    with_ids = read([BEGUN, event("One?", "k1"), event("Two?", "k2", response_schema=EDITED), finished()])
    assert [one.kind for one in pause_of(with_ids).interrupts] == ["approval", "input"]
    body = sent(with_ids, Decision("k1", "denied"), Decision("k2", "answered", value={"to": "Ann"}))
    assert body["forwardedProps"]["command"]["resume"] == {"k1": False, "k2": {"to": "Ann"}}


def test_a_call_without_a_result_is_a_request_unless_a_text_follows() -> None:
    answer = read([BEGUN, *said("Pick one."), CALL, finished()])
    [call] = pause_of(answer).interrupts
    assert (call.kind, call.tool, call.call, sorted(call.may)) == ("result", "pick_colour", "c", ["set_aside", "words"])
    assert (answer.text, answer.error, answer.warnings) == ("Pick one.", None, ())
    assert sent(answer, Decision("c", "answered", value="Red"))["messages"][1:] == [
        {
            "id": "m", "role": "assistant", "content": "Pick one.",
            "toolCalls": [{"id": "c", "type": "function", "function": {"name": "pick_colour", "arguments": "{}"}}],
        },
        {"id": "c-answer", "role": "tool", "toolCallId": "c", "content": "Red"},
    ]  # fmt: skip
    assert sent(answer, Decision("c", "set_aside"))["messages"][-1]["content"] == "The person declined."
    assert sent(answer, Decision("c", "answered", value={"rgb": 1}))["messages"][-1]["content"] == '{"rgb": 1}'
    assert read([BEGUN, CALL, *said("One pair."), finished()]).pause is None
    assert read([BEGUN, CALL, {"type": "RUN_ERROR", "message": "No."}]).pause is None


def test_a_second_pause_is_answered_with_the_messages_since_the_question() -> None:
    first = read([BEGUN, *said("I look."), CALL, finished({"id": "i1", "toolCallId": "c", "reason": "tool_call"})])
    step = (pause_of(first), approved(pause_of(first)))
    result = {"type": "TOOL_CALL_RESULT", "messageId": "res", "toolCallId": "c", "content": "red"}
    again = {**CALL, "toolCallId": "d", "parentMessageId": "m2"}
    snapshot = {
        "type": "MESSAGES_SNAPSHOT",
        "messages": [
            {"id": "q", "role": "user", "content": "Q"}, {"id": "m", "role": "assistant", "content": "I look."},
        ],
    }  # fmt: skip
    ended = finished({"id": "i2", "toolCallId": "d", "reason": "tool_call"})
    second = read([{**BEGUN, "runId": "r2"}, result, snapshot, again, ended], Resume((step,)))
    # The text before the pause is not repeated.
    assert (second.text, [thought.title for thought in second.thoughts]) == ("", ["pick_colour", "pick_colour"])
    resume = Resume((step, (pause_of(second), (Decision("i2", "denied"),))))
    body = written(resume, "Q", second.session_state)
    assert [(message["role"], message["id"]) for message in body["messages"][1:]] == [
        ("assistant", "m"), ("tool", "res"), ("assistant", "m2"),
    ]  # fmt: skip
    assert body["resume"] == [{"interruptId": "i2", "status": "resolved", "payload": {"approved": False}}]
    only_first = written(Resume((step,)), "Q", first.session_state)
    assert body["messages"][0]["id"] == only_first["messages"][0]["id"]
    assert body["threadId"] == only_first["threadId"] == "t"


KEYS = st.sampled_from([
    "id", "message", "reason", "toolCallId", "responseSchema", "properties", "approved", "editedArgs", "type",
    "required", "metadata", "langgraph", "raw", "adk", "originalFunctionCall", "action_requests", "review_configs",
    "action_name", "allowed_decisions", "name", "args", "expiresAt", "response_schema",
])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.lists(JSON, max_size=2))
@example(None, [{"id": "i", "reason": []}])
def test_a_request_of_any_shape_can_be_refused(value: Any, interrupts: list[Any]) -> None:
    for answer in (read([BEGUN, event(value, "k"), event(value), finished()]), read([BEGUN, finished(*interrupts)])):
        if answer.pause is not None and all(one.id for one in answer.pause.interrupts):
            decisions = denied(answer.pause)
            assert checked(answer.pause, decisions, 0) == decisions
            written(Resume(((answer.pause, decisions),)), "Q", answer.session_state)
