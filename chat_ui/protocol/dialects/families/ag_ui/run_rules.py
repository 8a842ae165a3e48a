"""The rules of AG-UI. Source: its specification, version 1.0.

Version 1.0 requires neither text in a piece nor JSON in a tool's arguments; a stream may carry several runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.dialects.families.ag_ui.states import AgentState, PatchBudget
from chat_ui.protocol.dialects.objects import kind_of
from chat_ui.protocol.dialects.standards import Observed, Rule, Standard, Verdict, each, event_stream_rules, has_strings
from chat_ui.protocol.events import JsonObject

_SPECIFICATION: Final = "https://docs.ag-ui.com/spec/1.0/"
_TRANSPORT: Final = _SPECIFICATION + "basic/transports/http-sse"
_RUNS: Final = _SPECIFICATION + "events/lifecycle"
_INPUT: Final = _SPECIFICATION + "basic/run-input"
_SNAPSHOTS: Final = _SPECIFICATION + "basic/patterns/snapshots"
_SCHEMA: Final = _SPECIFICATION + "schema.json"
_STRINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "RUN_ERROR": ("message",),
    "STEP_STARTED": ("stepName",),
    "TEXT_MESSAGE_START": ("messageId",),
    "TEXT_MESSAGE_CONTENT": ("messageId", "delta"),
    "TOOL_CALL_START": ("toolCallId", "toolCallName"),
    "TOOL_CALL_ARGS": ("toolCallId", "delta"),
    "TOOL_CALL_RESULT": ("messageId", "toolCallId"),
    "REASONING_MESSAGE_CONTENT": ("messageId", "delta"),
    "ACTIVITY_SNAPSHOT": ("messageId", "activityType"),
    "ACTIVITY_DELTA": ("messageId", "activityType"),
    "SUBAGENT_STARTED": ("subagentRunId", "name"),
    "CUSTOM": ("name",),
}
"""The strings of the events that a page shows."""
_BEGINNINGS: Final = frozenset({"RUN_STARTED", "RUN_ERROR"})
_ENDS: Final = frozenset({"RUN_FINISHED", "RUN_ERROR"})


def _of_types(observed: Observed, *types: str) -> list[JsonObject]:
    return [event for event in observed.objects if kind_of(event) in types]


def _is_over(observed: Observed) -> Verdict:
    around = _of_types(observed, "RUN_STARTED", *_ENDS)
    return each(around[-1:] or observed.objects[-1:], lambda event: kind_of(event) in _ENDS)


def _has_one_thread(observed: Observed) -> Verdict:
    around = _of_types(observed, "RUN_STARTED", "RUN_FINISHED")
    thread = around[0].get("threadId") if around else None
    return each(around, lambda event: isinstance(thread, str) and event.get("threadId") == thread)


def _fits(observed: Observed) -> Verdict:
    """Whether the changes fit the state, which is an empty object in a question."""
    budget = PatchBudget()
    state = AgentState(budget, {})

    def is_kept(event: JsonObject) -> bool:
        nonlocal state
        if kind_of(event) == "STATE_SNAPSHOT":
            state = AgentState(budget, event.get("snapshot"))
            return True
        return state.change(event.get("delta"))

    return each(_of_types(observed, "STATE_SNAPSHOT", "STATE_DELTA"), is_kept)


def _is_refused(observed: Observed) -> Verdict:
    if observed.refused is None:
        return Verdict(None)
    status, body = observed.refused
    return Verdict(status >= 400, f"status {status}: {body}")


STANDARD: Final = Standard(
    "AG-UI",
    "1.0",
    (
        *event_stream_rules(_TRANSPORT),
        Rule(
            "A stream begins with RUN_STARTED or RUN_ERROR",
            _RUNS,
            lambda observed: each(observed.objects[:1], lambda event: kind_of(event) in _BEGINNINGS),
        ),
        Rule("A run ends with RUN_FINISHED or RUN_ERROR", _RUNS, _is_over),
        Rule("RUN_STARTED and RUN_FINISHED have the same “threadId”", _INPUT, _has_one_thread),
        Rule("Events have the string fields of their type", _SCHEMA, has_strings(_STRINGS)),
        Rule("State changes are JSON Patches that apply to the state", _SNAPSHOTS, _fits),
        Rule("Invalid run input gets an HTTP error status", _TRANSPORT, _is_refused),
    ),
)
