"""AG-UI. Source: its specification, version 1.0, each page of which is named where its rules are.

Version 1.0 asks for no text in a piece and for no JSON in the arguments of a tool; a stream may carry several runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from chat_ui.protocol.conformance.report import Finding, Specification
from chat_ui.protocol.conformance.seen import as_json, excerpt, finding
from chat_ui.protocol.conformance.wires.judging import SeenOnWire, Wire
from chat_ui.protocol.conformance.wires.pairs import Pairs, without_fields
from chat_ui.protocol.conformance.wires.server_events import (
    Breach,
    events_of,
    first_breach,
    kept_unless,
    objects_in,
    stream_findings,
    type_of,
)
from chat_ui.protocol.dialects.agent_state import AgentState, PatchBounds
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg

_TRANSPORT: Final = msg("AG-UI 1.0: HTTP + Server-Sent Events")
_RUNS: Final = msg("AG-UI 1.0: Runs and Steps")
_MESSAGES: Final = msg("AG-UI 1.0: Streaming Messages")
_INPUT: Final = msg("AG-UI 1.0: Run Input")
_SNAPSHOTS: Final = msg("AG-UI 1.0: Snapshots and Deltas")
_PROCESSING: Final = msg("AG-UI 1.0: Processing Model")
_SCHEMA: Final = msg("AG-UI 1.0: Schema")
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "RUN_STARTED": ("threadId", "runId"),
    "RUN_FINISHED": ("threadId", "runId"),
    "RUN_ERROR": ("message",),
    "STEP_STARTED": ("stepName",),
    "STEP_FINISHED": ("stepName",),
    "TEXT_MESSAGE_START": ("messageId",),
    "TEXT_MESSAGE_CONTENT": ("messageId", "delta"),
    "TEXT_MESSAGE_END": ("messageId",),
    "TEXT_MESSAGE_CHUNK": (),
    "TOOL_CALL_START": ("toolCallId", "toolCallName"),
    "TOOL_CALL_ARGS": ("toolCallId", "delta"),
    "TOOL_CALL_END": ("toolCallId",),
    "TOOL_CALL_CHUNK": (),
    "TOOL_CALL_RESULT": ("messageId", "toolCallId"),
    "REASONING_START": ("messageId",),
    "REASONING_MESSAGE_START": ("messageId",),
    "REASONING_MESSAGE_CONTENT": ("messageId", "delta"),
    "REASONING_MESSAGE_END": ("messageId",),
    "REASONING_MESSAGE_CHUNK": (),
    "REASONING_END": ("messageId",),
    "REASONING_ENCRYPTED_VALUE": ("entityId", "encryptedValue"),
    "STATE_SNAPSHOT": (),
    "STATE_DELTA": (),
    "MESSAGES_SNAPSHOT": (),
    "ACTIVITY_SNAPSHOT": ("messageId", "activityType"),
    "ACTIVITY_DELTA": ("messageId", "activityType"),
    "SUBAGENT_STARTED": ("subagentRunId", "name"),
    "SUBAGENT_FINISHED": ("subagentRunId",),
    "SUBAGENT_ERROR": ("subagentRunId",),
    "RAW": (),
    "CUSTOM": ("name",),
}
"""The strings that an event of each type has."""
_RETIRED: Final = frozenset(
    {
        "THINKING_START", "THINKING_END", "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_END",
    }
)  # fmt: skip
"""Types of older versions, for which version 1.0 has others."""
_OVER: Final = frozenset({"RUN_FINISHED"})
_DROPS: Final = frozenset({"RUN_STARTED", "RUN_ERROR"})
_MAY_FOLLOW: Final[Mapping[str, frozenset[str]]] = {
    "RUN_FINISHED": frozenset({"RUN_STARTED", "RUN_ERROR"}),
    "RUN_ERROR": frozenset({"RUN_STARTED"}),
}
"""The events that end a run, each with those that may come after it."""


def _pairs(kind: str, content: str, key: str) -> Pairs:
    return Pairs(key, f"{kind}_START", frozenset({f"{kind}_{content}"}), f"{kind}_END", _OVER, _DROPS)


_TEXTS: Final = _pairs("TEXT_MESSAGE", "CONTENT", "messageId")
_CALLS: Final = _pairs("TOOL_CALL", "ARGS", "toolCallId")
_REASONING: Final = _pairs("REASONING_MESSAGE", "CONTENT", "messageId")
_STEPS: Final = Pairs("stepName", "STEP_STARTED", frozenset(), "STEP_FINISHED", _OVER, _DROPS)
_CHUNKS: Final[Mapping[str, Pairs]] = {
    "TEXT_MESSAGE_CHUNK": _TEXTS,
    "TOOL_CALL_CHUNK": _CALLS,
    "REASONING_MESSAGE_CHUNK": _REASONING,
}
_BESIDE: Final = frozenset(
    {"RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED"}
)
"""Events that end no thing that comes in chunks."""


def _judge(seen: SeenOnWire) -> Iterator[Finding]:
    yield from stream_findings(seen.streamed, _TRANSPORT, ends_with_done=False)
    events = objects_in(events_of(seen.streamed.wire))
    yield kept_unless(
        first_breach(events, lambda event: type_of(event) in _FIELDS.keys() | _RETIRED),
        msg("The “type” of an event is known"), _PROCESSING, was_seen=bool(events),
    )  # fmt: skip
    yield kept_unless(
        without_fields(events, _FIELDS), msg("An event has the strings of its type"), _SCHEMA,
        was_seen=any(_FIELDS.get(type_of(event)) for event in events),
    )  # fmt: skip
    yield finding(
        msg("A stream begins with RUN_STARTED or RUN_ERROR"), _RUNS,
        type_of(events[0]) in {"RUN_STARTED", "RUN_ERROR"} if events else None, as_json(events[0]) if events else "",
    )  # fmt: skip
    yield kept_unless(
        _outside_a_run(events), msg("Each run ends with RUN_FINISHED or RUN_ERROR, and nothing of it comes after that"),
        _RUNS, was_seen=bool(events),
    )  # fmt: skip
    yield kept_unless(
        _of_another_run(events, seen.conversation),
        msg("The events around a run have the “threadId” of the question, and one “runId”"), _INPUT,
        was_seen=any(type_of(event) == "RUN_STARTED" for event in events),
    )  # fmt: skip
    in_full = list(_in_full(events))
    for pairs, rule, source in (
        (_TEXTS, msg("A text message starts, grows and ends under one “messageId”"), _MESSAGES),
        (_REASONING, msg("Reasoning starts, grows and ends under one “messageId”"), _MESSAGES),
        (_CALLS, msg("The call of a tool starts, grows and ends under one “toolCallId”"), _MESSAGES),
        (_STEPS, msg("A step that is started is finished, once, before the run is"), _RUNS),
    ):
        yield kept_unless(pairs.breach_in(in_full), rule, source, was_seen=pairs.occur_in(in_full))
    yield kept_unless(
        _unfit_change(events), msg("A change of the state is a JSON Patch that fits the state"), _SNAPSHOTS,
        was_seen=any(type_of(event) == "STATE_DELTA" for event in events),
    )  # fmt: skip
    refused = seen.refused
    status = refused.status if refused is not None else None
    yield finding(
        msg("A question that is no input of a run gets an HTTP status of an error"), _TRANSPORT,
        status >= 400 if status is not None else None,
        msg("status {status}: {body}", status=str(status), body=excerpt(refused.body.decode("utf-8", "replace")))
        if refused is not None else "",
    )  # fmt: skip


def _outside_a_run(events: Sequence[JsonObject]) -> Breach:
    """What breaks the order of runs. A stream that begins with something else breaks another rule."""
    last = ""
    for event in events:
        kind = type_of(event)
        if last in _MAY_FOLLOW and kind not in _MAY_FOLLOW[last]:
            return as_json(event)
        if kind == last == "RUN_STARTED":
            return as_json(event)
        last = kind if kind == "RUN_STARTED" or kind in _MAY_FOLLOW else last
    return as_json(events[-1]) if events and last not in _MAY_FOLLOW else None


def _of_another_run(events: Sequence[JsonObject], thread: str) -> Breach:
    run = None
    for event in events:
        kind = type_of(event)
        if kind == "RUN_STARTED":
            run = event.get("runId")
        is_around = kind in {"RUN_STARTED", "RUN_FINISHED"}
        if is_around and (event.get("threadId") != thread or event.get("runId") != run):
            return as_json(event)
    return None


def _in_full(events: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """The events, with the chunks as the starts, the pieces and the ends that they stand for."""
    opened: dict[str, JsonObject] = {}
    for event in events:
        kind = type_of(event)
        pairs = _CHUNKS.get(kind)
        name = event.get(pairs.key) if pairs else None
        if kind not in _BESIDE:
            goes_on = pairs is not None and pairs.end in opened and name in (None, opened[pairs.end].get(pairs.key))
            for end in [end for end in opened if not (goes_on and pairs is not None and end == pairs.end)]:
                yield opened.pop(end)
        if pairs is None:
            yield event
        elif pairs.end in opened or name is None:
            # A first chunk without a name goes on with what is not open.
            ended = opened.get(pairs.end, {})
            yield {"type": next(iter(pairs.within)), pairs.key: ended.get(pairs.key)}
        else:
            yield {"type": pairs.start, pairs.key: name}
            opened[pairs.end] = {"type": pairs.end, pairs.key: name}
    yield from opened.values()


def _unfit_change(events: Sequence[JsonObject]) -> Breach:
    """The first change that does not fit. The state that goes with a question is an empty object."""
    bounds = PatchBounds()
    state = AgentState(bounds, {})
    for event in events:
        kind = type_of(event)
        if kind == "STATE_SNAPSHOT":
            state = AgentState(bounds, event.get("snapshot"))
        elif kind == "STATE_DELTA":
            operations = event.get("delta")
            if not (isinstance(operations, list) and state.change(operations)):
                return as_json(event)
    return None


WIRE: Final = Wire(Specification("AG-UI", "1.0"), _judge, answers_whole=False)
