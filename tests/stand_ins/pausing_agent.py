"""An AG-UI agent that asks before it runs its tools. It counts the runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.protocol.pausing import stream
from tests.stand_ins.lookalikes import SSE
from tests.stand_ins.stand_in import Received, Reply

ARGUMENTS: Final = {"to": "ann@example.com", "subject": "Report"}
_SCHEMA: Final = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}, "editedArgs": {"type": "object"}},
}
_FORM: Final = {
    "type": "object",
    "properties": {
        "room": {"enum": ["Blue", "Red"], "title": "Room"},
        "seats": {"type": "integer", "minimum": 1, "maximum": 20, "title": "Seats"},
        "day": {"type": "string", "format": "date", "title": "Day"},
    },
    "required": ["room", "seats"],
}


class PausingAgent:
    """A reply of a `StandIn`. Words in the question choose the case: `two` requests, a `form`, `again` for ever, or
    `fail` and `refuse` after a decision. Another question is answered at once if it has the word `plain`.
    """

    def __init__(self) -> None:
        self.ran: list[Any] = []
        """The arguments of each run of the tool."""
        self.decisions: list[Any] = []
        """The payload of each decision."""

    def __call__(self, received: Received) -> Reply:
        body = received.json
        question = next(one["content"] for one in reversed(body["messages"]) if one["role"] == "user")
        payloads = [one.get("payload", {}) for one in body.get("resume", [])]
        self.decisions += payloads
        if payloads and "refuse" in question:
            return Reply([b"Who are you?"], 401)
        return Reply([stream([*self._events(body, question, payloads)])], headers=SSE)

    def _events(self, body: Any, question: str, payloads: list[Any]) -> Iterator[object]:
        run = {"threadId": body["threadId"], "runId": body["runId"]}
        yield {"type": "RUN_STARTED", **run}
        if payloads and "fail" in question:
            yield {"type": "RUN_ERROR", "message": "It broke."}
            return
        words = [self._words_after(one) for one in payloads]
        text = " ".join(words) or ("Hello." if "plain" in question else "I will write to Ann.")
        yield {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text}
        yield {"type": "TEXT_MESSAGE_END", "messageId": "m"}
        if "again" not in question and (payloads or "plain" in question):
            yield {"type": "RUN_FINISHED", **run}
            return
        tools = [] if "form" in question else ["send_email", "delete_file"][: 1 + ("two" in question)]
        for tool in tools:
            yield {"type": "TOOL_CALL_START", "toolCallId": tool, "toolCallName": tool}
            yield {"type": "TOOL_CALL_ARGS", "toolCallId": tool, "delta": json.dumps(ARGUMENTS)}
            yield {"type": "TOOL_CALL_END", "toolCallId": tool}
        asked = {"reason": "tool_call", "message": "Mail leaves the company.", "responseSchema": _SCHEMA}
        form = {"id": "i-1", "reason": "input_required", "message": "Which room?", "responseSchema": _FORM}
        interrupts = [{"id": f"i-{tool}", "toolCallId": tool, **asked} for tool in tools] or [form]
        yield {"type": "RUN_FINISHED", **run, "outcome": {"type": "interrupt", "interrupts": interrupts}}

    def _words_after(self, payload: Any) -> str:
        if "approved" not in payload:
            return f"Booked {payload['room']}."
        if not payload["approved"]:
            return "Not sent."
        self.ran.append(payload.get("editedArgs") or ARGUMENTS)
        return f"Sent to {self.ran[-1]['to']}."
