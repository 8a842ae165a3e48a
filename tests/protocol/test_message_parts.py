"""The message that is sent back to servers of the AI SDK with decisions."""

import json
from typing import Any

import pytest

from chat_ui.protocol.answers.pause import Decision, Resume
from chat_ui.protocol.dialects.families.ai_sdk import message_parts
from tests.protocol.pausing import approved, pause_of, read, written

START = [{"type": "start", "messageId": "m"}, {"type": "start-step"}]
END = [{"type": "finish-step"}, {"type": "finish", "finishReason": "tool-calls"}, "[DONE]"]
META = {"openai": {"itemId": "rs_1"}}
THOUGHT: list[Any] = [
    {"type": "reasoning-start", "id": "0", "providerMetadata": META},
    {"type": "reasoning-delta", "id": "0", "delta": "The mail "},
    {"type": "reasoning-delta", "id": "0", "delta": "goes."},
    {"type": "reasoning-end", "id": "0"},
]


def text(words: str) -> list[Any]:
    return [{"type": f"text-{phase}", "id": "0", "delta": words} for phase in ("start", "delta", "end")]


def call(key: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool-input-available", "toolCallId": key, "toolName": "mail", "input": {"to": key}, **more}


def request(key: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool-approval-request", "approvalId": f"ask-{key}", "toolCallId": key, **more}


def test_all_parts_since_the_question_are_sent_back() -> None:
    descriptor = {"tier": 2}
    pause = pause_of(read([
        *START, *THOUGHT, *text("I look."), call("a", providerMetadata=META, title="Mail"),
        {"type": "tool-output-available", "toolCallId": "a", "output": 7, "providerMetadata": META},
        {"type": "source-url", "sourceId": "s", "url": "https://docs.example"},
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aa"},
        {"type": "start-step"}, *text("And so."), call("b", dynamic=True),
        request("b", reason="It leaves", signature="sig", approvalDescriptor=descriptor, inputSchemaInput={"to": "B"}),
        *END,
    ]))  # fmt: skip
    [asked] = pause.interrupts
    assert (asked.id, asked.tool, asked.message, asked.call) == ("ask-b", "mail", "It leaves", "b")
    body = written(Resume(((pause, (Decision("ask-b", "denied", "No"),)),)), "Q")
    assert body["messageId"] == "m"
    assert body["messages"][1] == {
        "id": "m", "role": "assistant",
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "The mail goes.", "state": "done", "providerMetadata": META},
            {"type": "text", "text": "I look.", "state": "done"},
            {
                "type": "tool-mail", "toolCallId": "a", "state": "output-available", "input": {"to": "a"}, "output": 7,
                "title": "Mail", "callProviderMetadata": META, "resultProviderMetadata": META,
            },
            {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aa"},
            {"type": "step-start"},
            {"type": "text", "text": "And so.", "state": "done"},
            {
                "type": "dynamic-tool", "toolName": "mail", "toolCallId": "b", "state": "approval-responded",
                "input": {"to": "b"},
                "approval": {
                    "id": "ask-b", "requestReason": "It leaves", "signature": "sig", "descriptor": descriptor,
                    "inputSchemaInput": {"to": "B"}, "approved": False, "reason": "No",
                },
            },
        ],
    }  # fmt: skip


def test_a_server_that_decides_itself_asks_nobody() -> None:
    response = {"type": "tool-approval-response", "approvalId": "ask-a", "approved": True}
    for parts in ([request("a", isAutomatic=True), response], [request("a"), response]):
        answer = read([*START, call("a"), *parts, *text("Sent."), *END])
        assert (answer.pause, answer.text) == (None, "Sent.")
    done = [request("a"), {"type": "tool-output-denied", "toolCallId": "a"}]
    assert read([*START, call("a"), *done, *END]).pause is None
    kept = read([*START, call("a"), request("a", isAutomatic=True), response, call("b"), request("b"), *END])
    parts = written(Resume(((pause_of(kept), approved(pause_of(kept))),)), "Q")["messages"][1]["parts"]
    automatic = {"id": "ask-a", "isAutomatic": True, "approved": True}
    assert [part.get("approval") for part in parts[1:]] == [automatic, {"id": "ask-b", "approved": True}]


def test_a_failed_stream_asks_for_nothing() -> None:
    odd: list[Any] = [{"type": "text-start", "id": []}, {"type": "reasoning-end", "id": {}}, request("z")]
    assert read([*START, *odd, *text("So."), {"type": "finish"}]).pause is None
    for end in ([{"type": "error", "errorText": "No."}, *END], [{"type": "finish", "finishReason": "error"}]):
        answer = read([*START, call("a"), request("a"), *end])
        assert answer.pause is None
        assert answer.error is not None


def test_a_second_pause_sends_one_message_with_both_decisions() -> None:
    first = pause_of(read([*START, call("a"), request("a"), *END]))
    step = (first, approved(first))
    rest = [
        {"type": "start", "messageId": "m"}, {"type": "tool-output-available", "toolCallId": "a", "output": "sent"},
        {"type": "start-step"}, *text("Next."), call("b"), request("b"), *END,
    ]  # fmt: skip
    second = read(rest, Resume((step,)))
    assert (second.text, [thought.title for thought in second.thoughts]) == ("Next.", ["mail", "mail"])
    body = written(Resume((step, (pause_of(second), (Decision("ask-b", "denied"),)))), "Q")
    [_, message] = body["messages"]
    assert [(part["type"], part.get("state")) for part in message["parts"]] == [
        ("step-start", None), ("tool-mail", "output-available"), ("step-start", None), ("text", "done"),
        ("tool-mail", "approval-responded"),
    ]  # fmt: skip
    assert [part["approval"]["approved"] for part in message["parts"] if "approval" in part] == [True, False]
    assert message["parts"][1]["output"] == "sent"


def test_a_message_with_too_many_parts_cannot_be_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_parts, "_MOST", 10)
    assert pause_of(read([*START, call("a"), request("a"), *[{"type": "start-step"}] * 10, *END])).kept is None


def test_few_texts_are_open_at_once() -> None:
    begun = [{"type": "text-start", "id": str(number)} for number in range(100)]
    kept = pause_of(read([*START, *begun, *text("x" * 10_000), call("a"), request("a"), *END])).kept
    assert len(json.dumps(kept)) < 100_000


def test_a_call_nested_deeply_cannot_be_answered() -> None:
    for depth, is_kept in ((150, True), (300, False), (800, False)):
        nested = json.dumps(call("a")).replace('{"to": "a"}', "[" * depth + "]" * depth)
        assert (pause_of(read([*START, nested, request("a"), *END])).kept is not None) == is_kept
