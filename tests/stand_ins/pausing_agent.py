"""An agent that asks before it runs its tools, on three wires. It counts the runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.stand_ins.stand_in import Received, Reply

AG_UI, AI_SDK, RESPONSES = WIRES = ("/ag-ui", "/ai-sdk", "/responses")
KINDS: Final = {AG_UI: "ag-ui", AI_SDK: "ai-sdk", RESPONSES: "openai-responses"}
"""The kind of the backend at each path."""
ARGUMENTS: Final = {"to": "ann@example.com", "subject": "Report"}
_SCHEMA: Final = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}, "editedArgs": {"type": "object"}},
}
FORM: Final = {
    "type": "object",
    "properties": {
        "room": {"enum": ["Blue", "Red"], "title": "Room"},
        "seats": {"type": "integer", "minimum": 1, "maximum": 20, "title": "Seats"},
        "day": {"type": "string", "format": "date", "title": "Day"},
    },
    "required": ["room", "seats"],
}


class PausingAgent:
    """A reply of a `StandIn`. Words in the question choose the case: `two` requests, a `form`, `again` for ever, `fail`
    after a decision. Another question is answered at once if it has the word `plain`.
    """

    def __init__(self) -> None:
        self.ran: list[Any] = []
        """The arguments of each run of the tool, on every wire."""
        self.decisions: list[Any] = []

    def __call__(self, received: Received) -> Reply:
        wire = received.path.partition("?")[0]
        values = {AG_UI: self._ag_ui, AI_SDK: self._ai_sdk, RESPONSES: self._responses}[wire](received.json)
        sent = b"".join(f"data: {json.dumps(one)}\n\n".encode() for one in values)
        headers = {"Content-Type": "text/event-stream"}
        return Reply([sent + (b"data: [DONE]\n\n" if wire == AI_SDK else b"")], headers=headers)

    def _decided(self, decision: Any, arguments: Any = None) -> str:
        """The words after a decision."""
        self.decisions.append(decision)
        if not decision:
            return "Not sent."
        self.ran.append(arguments or ARGUMENTS)
        return f"Sent to {self.ran[-1]['to']}."

    def _ag_ui(self, body: Any) -> Iterator[Any]:
        run = {"threadId": body["threadId"], "runId": body["runId"]}
        question = next(one["content"] for one in reversed(body["messages"]) if one["role"] == "user")
        yield {"type": "RUN_STARTED", **run}
        resume = body.get("resume", [])
        if resume and "fail" in question:
            self.decisions.append(resume)
            yield {"type": "RUN_ERROR", "message": "It broke."}
            return
        payloads = [one.get("payload", {}) for one in resume]
        words = [self._decided(one.get("approved", one.get("room")), one.get("editedArgs")) for one in payloads]
        text = " ".join(words) or ("Hello." if "plain" in question else "I will write to Ann.")
        yield {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text}
        yield {"type": "TEXT_MESSAGE_END", "messageId": "m"}
        if "again" not in question and (resume or "plain" in question):
            yield {"type": "RUN_FINISHED", **run}
            return
        tools = [] if "form" in question else ["send_email", "delete_file"][: 1 + ("two" in question)]
        for tool in tools:
            yield {"type": "TOOL_CALL_START", "toolCallId": tool, "toolCallName": tool}
            yield {"type": "TOOL_CALL_ARGS", "toolCallId": tool, "delta": json.dumps(ARGUMENTS)}
            yield {"type": "TOOL_CALL_END", "toolCallId": tool}
        yield {"type": "RUN_FINISHED", **run, "outcome": {"type": "interrupt", "interrupts": _interrupts(tools)}}

    def _ai_sdk(self, body: Any) -> Iterator[Any]:
        last = body["messages"][-1]
        approvals = [one["approval"] for one in last["parts"] if one.get("state") == "approval-responded"]
        yield {"type": "start", "messageId": "m"}
        if approvals:
            text = self._decided(approvals[0]["approved"])
            yield {"type": "tool-output-available", "toolCallId": "call", "output": text}
            yield from ({"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": text})
            yield from ({"type": "text-end", "id": "t"}, {"type": "finish"})
            return
        call = {"toolCallId": "call", "toolName": "send_email", "input": ARGUMENTS}
        yield {"type": "tool-input-available", **call}
        yield {"type": "tool-approval-request", "approvalId": "approval", "toolCallId": "call"}
        yield {"type": "finish", "finishReason": "tool-calls"}

    def _responses(self, body: Any) -> Iterator[Any]:
        items = body["input"] if isinstance(body["input"], list) else []
        approvals = [one for one in items if one.get("type") == "mcp_approval_response"]
        if approvals:
            text = self._decided(approvals[0]["approve"])
            yield {"type": "response.output_text.delta", "delta": text, "output_index": 0, "content_index": 0}
            output: list[Any] = []
        else:
            request = {"id": "mcpr_1", "server_label": "mail", "name": "send_email", "arguments": json.dumps(ARGUMENTS)}
            output = [{"type": "mcp_approval_request", **request}]
            yield {"type": "response.output_item.done", "output_index": 0, "item": output[0]}
        yield {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": output}}


def _interrupts(tools: list[str]) -> list[Any]:
    """A form without tools, else approvals of them."""
    if not tools:
        return [{"id": "i-1", "reason": "input_required", "message": "Which room?", "responseSchema": FORM}]
    asked = {"reason": "tool_call", "message": "Mail leaves the company.", "responseSchema": _SCHEMA}
    return [{"id": f"i-{tool}", "toolCallId": tool, **asked} for tool in tools]
