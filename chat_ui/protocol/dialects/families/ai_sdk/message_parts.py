"""The assistant's message of a UI message stream, which is sent back with decisions on its approval requests.

Source: `processUIMessageStream` of the AI SDK, version 7. Servers without a memory run the calls in this message, and
refuse a signed request whose call was changed.
"""

from __future__ import annotations

from typing import Final

from chat_ui.protocol.answers.pause import Resume
from chat_ui.protocol.answers.streaming_text import StreamingText
from chat_ui.protocol.dialects.objects import content_text, kind_of, object_in, objects_in, present, string_in
from chat_ui.protocol.events import Interrupt, Json, JsonObject

WIRE: Final = "ai-sdk"
_MOST: Final = 10_000
"""Parts of a message that is sent back."""
_MOST_OPEN: Final = 8
"""Texts at once: each has all pieces between its start and its end."""
_STATES: Final = {
    "tool-input-start": "input-streaming",
    "tool-input-available": "input-available",
    "tool-input-error": "output-error",
    "tool-approval-request": "approval-requested",
    "tool-approval-response": "approval-responded",
    "tool-output-available": "output-available",
    "tool-output-error": "output-error",
    "tool-output-denied": "output-denied",
}
_OF_CALL: Final = (
    "toolCallId", "input", "output", "errorText", "providerExecuted", "preliminary", "title", "toolMetadata",
)  # fmt: skip
_OF_REQUEST: Final = {
    "approvalId": "id", "approvalDescriptor": "descriptor", "inputSchemaInput": "inputSchemaInput",
    "reason": "requestReason", "isAutomatic": "isAutomatic", "signature": "signature",
}  # fmt: skip
"""Keys of a request in a stream, with those in a message."""
_WHOLE: Final = frozenset({"file", "reasoning-file", "custom"})
"""Types of parts that a model reads and that are the same in a stream and in a message."""


class MessageParts:
    """The parts of a message, whose texts are in `came`."""

    def __init__(self, came: StreamingText) -> None:
        self._streams = {"text": came, "reasoning": StreamingText()}
        self._id = ""
        self._parts: list[dict[str, Json]] = []
        self._open: dict[tuple[str, str], tuple[dict[str, Json], int]] = {}
        """The parts whose text still comes, each with the index at which it begins."""
        self._calls: dict[str, dict[str, Json]] = {}

    def continues(self, resume: Resume) -> None:
        """Begin with the parts before a pause, and the decisions on them."""
        message = message_of(resume)
        self._id = string_in(message, "id")
        self._parts = [dict(part) for part in objects_in(message, "parts")]
        self._calls = {string_in(part, "toolCallId"): part for part in self._parts if "toolCallId" in part}

    def read(self, kind: str, value: JsonObject) -> None:
        """Take a part of the stream in, after its text came."""
        name, _, phase = kind.rpartition("-")
        if len(self._parts) >= _MOST:
            return
        if kind == "start":
            self._id = string_in(value, "messageId") or self._id
        elif kind == "start-step":
            self._parts.append({"type": "step-start"})
        elif kind in _STATES:
            self._call(kind, value)
        elif kind in _WHOLE:
            self._parts.append(dict(value))
        elif name in self._streams:
            self._text(name, phase, value)

    def _text(self, name: str, phase: str, value: JsonObject) -> None:
        key, stream = (name, str(value.get("id"))), self._streams[name]
        if phase == "start" and len(self._open) < _MOST_OPEN:
            self._parts.append({"type": name, "text": "", "state": "streaming"})
            self._open[key] = self._parts[-1], stream.length
        if key not in self._open:
            return
        part, begun = self._open[key]
        part.update(present({"providerMetadata": value.get("providerMetadata")}))
        if phase == "delta" and name == "reasoning":
            stream.append(content_text(value.get("delta")))
        elif phase == "end":
            part.update(text=stream.between(begun, stream.length), state="done")
            del self._open[key]

    def _call(self, kind: str, value: JsonObject) -> None:
        key, name = string_in(value, "toolCallId"), string_in(value, "toolName")
        part = self._calls.get(key)
        if kind == "tool-approval-response":
            asked = string_in(value, "approvalId")
            part = next((one for one in self._calls.values() if object_in(one, "approval").get("id") == asked), None)
        if part is None:
            if not name:
                return
            part = {"type": "dynamic-tool", "toolName": name} if value.get("dynamic") else {"type": f"tool-{name}"}
            self._calls[key] = part
            self._parts.append(part)
        part["state"] = _STATES[kind]
        part.update({name: value[name] for name in _OF_CALL if name in value})
        if (metadata := value.get("providerMetadata")) is not None:
            part["resultProviderMetadata" if "output" in kind else "callProviderMetadata"] = metadata
        if kind == "tool-approval-request":
            part["approval"] = {new: value[name] for name, new in _OF_REQUEST.items() if value.get(name) is not None}
        elif kind == "tool-approval-response":
            given = present({"approved": value.get("approved"), "reason": value.get("reason")})
            part["approval"] = {**object_in(part, "approval"), **given}

    def interrupts(self) -> list[Interrupt]:
        """The requests that wait for a person."""
        return [
            Interrupt(
                string_in(approval, "id"),
                message=string_in(approval, "requestReason"),
                tool=string_in(part, "toolName") or kind_of(part).removeprefix("tool-"),
                call=string_in(part, "toolCallId"),
                arguments=part.get("input"),
                may=frozenset({"reason"}),
            )
            for part in self._calls.values()
            if part.get("state") == "approval-requested"
            and (approval := object_in(part, "approval")).get("isAutomatic") is not True
        ]

    def kept(self) -> Json:
        """The message so far; None for one with too many parts."""
        for part, begun in self._open.values():
            stream = self._streams[kind_of(part)]
            part["text"] = stream.between(begun, stream.length)
        return {"id": self._id, "parts": [*self._parts]} if len(self._parts) < _MOST else None


def message_of(resume: Resume) -> JsonObject:
    """The message since the question, with all decisions."""
    pause, decisions = resume.steps[-1]
    given = {decision.interrupt: decision for decision in decisions}
    parts: list[Json] = []
    for part in objects_in(pause.kept, "parts"):
        approval = object_in(part, "approval")
        decision = given.get(string_in(approval, "id")) if part.get("state") == "approval-requested" else None
        if decision is None:
            parts.append(part)
            continue
        answer: JsonObject = {"approved": decision.verdict == "approved", **present({"reason": decision.reason})}
        parts.append({**part, "state": "approval-responded", "approval": {**approval, **answer}})
    return {"id": string_in(pause.kept, "id") or "answer", "role": "assistant", "parts": parts}
