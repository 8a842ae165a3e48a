"""Which of the known backends has answered, from the traits of its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.events import Json
from chat_ui.protocol.transport.recorder import WireRecord

_BY_DIALECT = {"sample-app": "azure-sample-app", "ollama": "ollama", "on-your-data": "azure-openai-on-your-data"}


def kind_of(backend: Backend, answer: Answer, wire: WireRecord | None) -> str | None:
    """The name in `KNOWN_BACKENDS` of the backend that gave `answer` when it was asked as `backend` says.

    None where nothing tells it from others: a wrong description would be worse than a general one.
    """
    dialect, path = answer.dialect, urlsplit(backend.url).path.rstrip("/")
    if "/openai/deployments/" in path:
        return "azure-openai-on-your-data"
    if dialect in _BY_DIALECT:
        return _BY_DIALECT[dialect]
    if dialect == "openai":
        return "openai-compatible"
    if dialect == "responses":
        return _responses_kind(backend)
    first = _first_value(wire)
    if dialect == "choices":
        return "azure-search-openai-javascript" if _context_in_delta(first) else "azure-search-openai-demo-2024-01"
    if dialect not in {"flat", "chat-protocol"}:
        return None
    if backend.requires_context:
        return "rag-postgres-openai-python-2024"
    if dialect == "chat-protocol":
        return "microsoft-express" if _keeps_history(path, answer, wire) else "ai-chat-protocol"
    if path.endswith("/api/chat"):
        return "microsoft-python"
    if _dumps_a_delta(first):
        return "openai-chat-backend-fastapi"
    return "azure-search-openai-demo" if _names_citations(first) else "chat-app-protocol"


def _responses_kind(backend: Backend) -> str | None:
    if backend.messages_key == "messages":
        return "azure-search-openai-demo"
    if backend.requires_context:
        return "rag-postgres-openai-python"
    return "openai-chat-app-quickstart" if urlsplit(backend.url).path.rstrip("/").endswith("/chat") else None


def _first_value(wire: WireRecord | None) -> Mapping[str, Json]:
    try:
        value = json.loads(wire.lines[0].text) if wire is not None and wire.lines else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _context_in_delta(value: Mapping[str, Json]) -> bool:
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    delta = choice.get("delta") if isinstance(choice, Mapping) else None
    return isinstance(delta, Mapping) and isinstance(delta.get("context"), Mapping)


def _dumps_a_delta(value: Mapping[str, Json]) -> bool:
    """Whether a line is the delta of an OpenAI client as it is, with its nulls, and nothing else."""
    delta = value.get("delta")
    return isinstance(delta, Mapping) and len(value) == 1 and {"function_call", "tool_calls"} <= delta.keys()


def _names_citations(value: Mapping[str, Json]) -> bool:
    """Whether the data points list their citations, which azure-search-openai-demo alone does."""
    context = value.get("context")
    points = context.get("data_points") if isinstance(context, Mapping) else None
    return isinstance(points, Mapping) and isinstance(points.get("citations"), list)


def _keeps_history(path: str, answer: Answer, wire: WireRecord | None) -> bool:
    """Whether it is a sample in Express or C#: a session id from the server, and no context."""
    headers = {name.lower(): value.lower() for name, value in wire.headers} if wire is not None else {}
    server = headers.get("x-powered-by", "") + headers.get("server", "")
    state = answer.session_state
    named = state is not None and isinstance(state.value, str) and not (answer.data_points or answer.thoughts)
    return named and path.endswith("/api/chat") and ("express" in server or "kestrel" in server)
