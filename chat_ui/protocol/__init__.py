"""A client of the AI Chat Protocol and of the dialects around it, usable without the app.

`AsyncClient` sends a `ChatRequest` to a `Backend`. `AsyncClient.stream` gives the `Event`s of the answer as they
arrive, `AsyncClient.ask` the whole `Answer`. Errors of a backend or of the network are a part of the answer and
raise nothing:

    async with AsyncClient() as client:
        answer = await client.ask(Backend("http://localhost:3000/demo/chat"), ChatRequest((Message("user", "Hi"),)))

`detect` finds the backend behind an address, `ask_anywhere` asks there and falls back to the found backend, and `check`
judges how well a backend keeps to the protocol. `errors` has the exceptions.

A public name is imported from its module on first use: loading the client takes five times as long as the events do.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
    from chat_ui.protocol.answers.data_points import DataPoint
    from chat_ui.protocol.answers.placed_citation import PlacedCitation, with_brackets
    from chat_ui.protocol.answers.thoughts import Thought
    from chat_ui.protocol.backends.backend import Attachment, Backend, Bounds, ChatRequest, Message
    from chat_ui.protocol.backends.urls import parse_backend_url
    from chat_ui.protocol.conformance.examination import check
    from chat_ui.protocol.conformance.report import Report
    from chat_ui.protocol.detection.asking import ask_anywhere
    from chat_ui.protocol.detection.detection import Detection, detect
    from chat_ui.protocol.dialects.registry import DIALECTS, KNOWN_BACKENDS
    from chat_ui.protocol.documents.document_fetch import fetch_document
    from chat_ui.protocol.errors import (
        AddressRefusedError,
        ChatUIError,
        DocumentError,
        InvalidBackendError,
        InvalidRequestError,
    )
    from chat_ui.protocol.events import (
        AnswerWarning,
        CitationReceived,
        ContextReceived,
        CutOff,
        DialectDetected,
        ErrorInfo,
        Event,
        Failed,
        ObjectReceived,
        PictureReceived,
        ReasoningDelta,
        Recorded,
        SessionState,
        TextDelta,
        TextRevised,
        Timing,
        UsageReceived,
    )
    from chat_ui.protocol.transport.client import AsyncClient
    from chat_ui.protocol.transport.guard import Guard
    from chat_ui.protocol.transport.recorder import ResponseRecord, ResponseRecorder

__all__ = [
    "DIALECTS", "KNOWN_BACKENDS", "AddressRefusedError", "Answer", "AnswerBuilder", "AnswerWarning", "AsyncClient",
    "Attachment", "Backend", "Bounds", "ChatRequest", "ChatUIError", "CitationReceived", "ContextReceived",
    "CutOff", "DataPoint", "Detection", "DialectDetected", "DocumentError", "ErrorInfo", "Event", "Failed", "Guard",
    "InvalidBackendError", "InvalidRequestError", "Message", "ObjectReceived", "PictureReceived", "PlacedCitation",
    "ReasoningDelta", "Recorded", "Report", "ResponseRecord", "ResponseRecorder", "SessionState", "TextDelta",
    "TextRevised", "Thought", "Timing", "UsageReceived", "ask_anywhere", "check", "detect", "fetch_document",
    "parse_backend_url", "with_brackets",
]  # fmt: skip

_MODULES: Final = {
    "answers.answer": ("Answer", "AnswerBuilder"),
    "answers.data_points": ("DataPoint",),
    "answers.placed_citation": ("PlacedCitation", "with_brackets"),
    "answers.thoughts": ("Thought",),
    "backends.backend": ("Attachment", "Backend", "Bounds", "ChatRequest", "Message"),
    "backends.urls": ("parse_backend_url",),
    "conformance.examination": ("check",),
    "conformance.report": ("Report",),
    "detection.asking": ("ask_anywhere",),
    "detection.detection": ("Detection", "detect"),
    "dialects.registry": ("DIALECTS", "KNOWN_BACKENDS"),
    "documents.document_fetch": ("fetch_document",),
    "errors": ("AddressRefusedError", "ChatUIError", "DocumentError", "InvalidBackendError", "InvalidRequestError"),
    "transport.client": ("AsyncClient",),
    "transport.guard": ("Guard",),
    "transport.recorder": ("ResponseRecord", "ResponseRecorder"),
}
"""The modules of the public names outside `events`."""
_MODULE_OF: Final = {name: module for module, names in _MODULES.items() for name in names}


if not TYPE_CHECKING:  # A type checker would take every other name for a public one.

    def __getattr__(name: str) -> Any:
        """A public name, imported on first use (PEP 562)."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(f"{__name__}.{_MODULE_OF.get(name, 'events')}")
        globals()[name] = found = getattr(module, name)
        return found


def __dir__() -> list[str]:
    return __all__
