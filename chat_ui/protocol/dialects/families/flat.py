"""Answers whose text is in the object itself.

The AI Chat Protocol of May 2024, in both its documents, has it in `delta` or `message`, as do Ollama's own lines, with
`done` in each. The samples of 2023 have a whole answer in `answer`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from chat_ui.protocol.backends.backend import SPECIFICATION_OVERRIDES, Backend
from chat_ui.protocol.dialects.answer_text import reasoning
from chat_ui.protocol.dialects.family import Answered, Dialect, End, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import content_text, has_only, object_in, text_of
from chat_ui.protocol.events import Event, JsonObject, UsageReceived
from chat_ui.protocol.translatable import msg

_OVERRIDES_OF_DEMO: Final = (
    "temperature", "top", "retrieval_mode", "semantic_ranker", "semantic_captions", "query_rewriting",
    "reasoning_effort", "suggest_followup_questions", "minimum_search_score", "minimum_reranker_score",
    "include_category", "exclude_category", "prompt_template", "use_oid_security_filter", "use_groups_security_filter",
    "send_text_sources", "send_image_sources", "search_text_embeddings", "search_image_embeddings",
    "use_agentic_knowledgebase", "retrieval_reasoning_effort", "use_web_source", "use_sharepoint_source",
)  # fmt: skip
_OVERRIDES_OF_POSTGRES: Final = ("temperature", "top", "retrieval_mode", "use_advanced_flow", "prompt_template", "seed")
_OVERRIDES_OF_OLLAMA: Final = ("temperature", "top_p", "top_k", "num_predict", "num_ctx", "seed", "repeat_penalty")
_KEYS: Final = frozenset({"delta", "id", "object", "created", "model"})
_KEYS_OF_LINE: Final = frozenset({"model", "created_at", "message", "done"})
_COUNTS: Final = ("prompt_eval_count", "eval_count", "total_duration")


class FlatReader(FamilyReader):
    """Reads the delta, the message or the answer of an object, and the end that Ollama marks with `done`."""

    text_places: ClassVar = "flat"

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an object."""
        message = object_in(value, "message")
        yield from self.text.delta(value.get("delta"))
        if message:
            yield from self.text.message(message, self.text.piece if "done" in value else self.text.complete)
        elif "done" in value and isinstance(value.get("response"), str):
            yield from reasoning(value)
            yield from self.text.piece(content_text(value["response"]))
        elif not value.get("delta"):
            yield from self.text.complete(content_text(value.get("answer")))
        if value.get("done") is True and (counts := {key: value[key] for key in _COUNTS if key in value}):
            yield UsageReceived(counts)
        yield from self.text.finish(value.get("finish_reason") or value.get("done_reason"))

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an object with only a delta, or of a line with only a message."""
        if has_only(_KEYS, value):
            return text_of(value.get("delta"))
        if value.get("done") is False and has_only(_KEYS_OF_LINE, value):
            return text_of(value.get("message"))
        return None


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    # The last line of older versions of Ollama lacks a message.
    is_last = value.get("done") is True and "model" in present and "delta" not in present
    if is_last or ("done" in value and ("message" in present or "response" in present)):
        return Match("ollama", 70, 2)
    if "delta" in present or isinstance(present.get("message"), Mapping):
        return Match("chat-protocol", 50, 1) if "sessionState" in value else Match("flat", 50)
    return Match("answer", 40) if "answer" in present and not isinstance(present["answer"], Mapping) else None


def _known(answered: Answered) -> str | None:
    if answered.dialect in ("answer", "ollama"):
        return "ollama" if answered.dialect == "ollama" else None
    if answered.backend.requires_context:
        return "rag-postgres-openai-python-2024"
    if answered.dialect == "chat-protocol":
        return "microsoft-express" if _keeps_history(answered) else "ai-chat-protocol"
    # It refuses options, but the Java sample needs them at this path.
    if answered.path.endswith("/api/chat") and not answered.has_options:
        return "microsoft-python"
    if _is_dumped_delta(answered.first_object):
        return "openai-chat-backend-fastapi"
    return "azure-search-openai-demo" if _names_citations(answered.first_object) else "chat-app-protocol"


def _is_dumped_delta(value: JsonObject) -> bool:
    """Whether an object is only the dumped delta of an OpenAI client, with its nulls."""
    delta = value.get("delta")
    return isinstance(delta, Mapping) and len(value) == 1 and {"function_call", "tool_calls"} <= delta.keys()


def _names_citations(value: JsonObject) -> bool:
    """Whether the data points list their citations, as only azure-search-openai-demo's do."""
    return isinstance(object_in(object_in(value, "context"), "data_points").get("citations"), list)


def _keeps_history(answered: Answered) -> bool:
    """Whether it is a sample in Express or C#: a session id from the server, and no context."""
    server = f"{answered.headers.get('x-powered-by', '')}{answered.headers.get('server', '')}".lower()
    state = answered.session_state
    is_named = state is not None and isinstance(state.value, str) and not answered.has_context
    return is_named and answered.path.endswith("/api/chat") and ("express" in server or "kestrel" in server)


FAMILY: Final = Family(
    dialects=(
        Dialect("flat", msg("AI Chat Protocol of May 2024")),
        Dialect("chat-protocol", "Microsoft AI Chat Protocol"),
        Dialect("ollama", "Ollama", End("done", lambda value: value.get("done") is True)),
        Dialect("answer", msg("Azure sample of 2023")),
    ),
    match=_match,
    reader=FlatReader,
    position=2,
    places={"/chat": 1, "/api/chat": 2},
    endings={"/chat": Backend("")},
    backends={
        "ai-chat-protocol": KnownBackend(
            "/chat",
            Backend(
                "",
                streaming="path",
                known_overrides=SPECIFICATION_OVERRIDES,
                session_state_key="sessionState",
                files="multipart",
                file_types=("",),
            ),
        ),
        "chat-app-protocol": KnownBackend(
            "/chat",
            Backend("", streaming="path", known_overrides=SPECIFICATION_OVERRIDES, session_state_key="session_state"),
        ),
        "azure-search-openai-demo": KnownBackend(
            "/chat",
            Backend("", streaming="path", known_overrides=_OVERRIDES_OF_DEMO),
        ),
        "rag-postgres-openai-python-2024": KnownBackend(
            "/chat",
            Backend("", streaming="path", requires_context=True, known_overrides=_OVERRIDES_OF_POSTGRES),
        ),
        "openai-chat-backend-fastapi": KnownBackend("/chat", Backend("", streaming="path", known_overrides=())),
        "microsoft-python": KnownBackend(
            "/api/chat/",
            Backend("", streaming="path", overrides="none", known_overrides=(), files="multipart"),
        ),
        "microsoft-express": KnownBackend(
            "/api/chat",
            Backend(
                "",
                streaming="path",
                overrides="none",
                known_overrides=(),
                history="last",
                session_state_key="sessionState",
                files="multipart-file",
            ),
        ),
        "ollama": KnownBackend(
            "/api/chat",
            Backend(
                "",
                streaming="body",
                dialect="ollama",
                overrides="options",
                known_overrides=_OVERRIDES_OF_OLLAMA,
                files="images",
            ),
        ),
    },
    known=_known,
)
