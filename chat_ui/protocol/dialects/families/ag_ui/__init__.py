"""AG-UI, the protocol between agents and pages: Microsoft Agent Framework, LangGraph, Google ADK, AWS Strands, Pydantic
AI and others.

Source: the protocol's documents, "Events" and "Types", to version 1.0. The protocol lacks an event for sources. They
are found in results of tools, the state, custom events and metadata of messages.
"""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.backends.backend import Backend, RequestFormat
from chat_ui.protocol.dialects.families.ag_ui.run_events import AgUiReader
from chat_ui.protocol.dialects.families.ag_ui.run_rules import STANDARD
from chat_ui.protocol.dialects.families.ag_ui.thread import run_input, sent_message
from chat_ui.protocol.dialects.family import ROOT, Dialect, End, Family, KnownBackend, Match
from chat_ui.protocol.events import JsonObject

_TYPE: Final = re.compile(
    r"(?:TEXT_MESSAGE|THINKING|THINKING_TEXT_MESSAGE|REASONING|REASONING_MESSAGE|TOOL_CALL|STATE|MESSAGES|ACTIVITY|RUN|STEP"
    r"|SUBAGENT)_[A-Z_]{3,20}|RAW|CUSTOM"
)


def _match(_present: JsonObject, value: JsonObject) -> Match | None:
    kind = value.get("type")
    return Match("ag-ui", 96) if isinstance(kind, str) and _TYPE.fullmatch(kind) else None


_BACKEND: Final = KnownBackend(
    "/ag-ui",
    Backend(
        "",
        streaming="server",
        request_format=RequestFormat(sent_message, run_input),
        files="parts",
        file_types=("",),
        known_overrides=(),
    ),
    wants="thread_?id|run_?id|forwarded_?props|RunAgentInput",
    guessed_at=re.compile(r"agent|/ag-?ui\Z|/awp\Z|/run\Z"),
    has_plain_messages=True,
)

_END: Final = End("RUN_FINISHED", lambda value: value.get("type") in ("RUN_FINISHED", "RUN_ERROR"))

FAMILY: Final = Family(
    dialects=(Dialect("ag-ui", "AG-UI", _END),),
    match=_match,
    reader=AgUiReader,
    position=9,
    places={ROOT: 8, "/agui": 10, "/ag-ui": 11, "/agent": 12},
    endings=dict.fromkeys(("/ag-ui", "/agui", "/awp", "/agentic_chat"), _BACKEND.template),
    backends={"ag-ui": _BACKEND},
    known=lambda _: "ag-ui",
    standard=lambda *_: STANDARD,
)
