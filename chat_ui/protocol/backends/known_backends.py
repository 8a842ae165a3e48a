"""Ready descriptions of the backends of this family that are in use.

Each says where below its base URL it answers, how requests to it differ, and which options it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from chat_ui.protocol.backends.backend import Backend, without_stream

SPECIFICATION_OVERRIDES: Final = (
    "temperature", "top", "retrieval_mode", "semantic_ranker", "semantic_captions", "suggest_followup_questions",
    "use_oid_security_filter", "use_groups_security_filter", "vector_fields", "use_gpt4v", "gpt4v_input",
)  # fmt: skip
"""The keys of `context.overrides` that the specification names."""

_DEMO_2024: Final = (
    *SPECIFICATION_OVERRIDES,
    "exclude_category", "prompt_template", "minimum_search_score", "minimum_reranker_score",
)  # fmt: skip
_DEMO: Final = (
    "temperature", "top", "retrieval_mode", "semantic_ranker", "semantic_captions", "query_rewriting",
    "reasoning_effort", "suggest_followup_questions", "minimum_search_score", "minimum_reranker_score",
    "include_category", "exclude_category", "prompt_template", "use_oid_security_filter", "use_groups_security_filter",
    "send_text_sources", "send_image_sources", "search_text_embeddings", "search_image_embeddings",
    "use_agentic_knowledgebase", "retrieval_reasoning_effort", "use_web_source", "use_sharepoint_source",
)  # fmt: skip
_JAVASCRIPT: Final = (
    "temperature", "top", "retrieval_mode", "semantic_ranker", "semantic_captions", "suggest_followup_questions",
    "exclude_category", "prompt_template", "prompt_template_prefix", "prompt_template_suffix",
)  # fmt: skip
_RAG_POSTGRES: Final = ("temperature", "top", "retrieval_mode", "use_advanced_flow", "prompt_template", "seed")
_OPENAI: Final = ("temperature", "top_p", "max_tokens", "seed", "presence_penalty", "frequency_penalty")
_OLLAMA: Final = ("temperature", "top_p", "top_k", "num_predict", "num_ctx", "seed", "repeat_penalty")


@dataclass(frozen=True, slots=True)
class KnownBackend:
    """A kind of backend: `label` names it to a person, `path` is where it answers below its base URL.

    `template` is its description but for the URL; `fill_in` names the fields that have to be filled in besides it.
    """

    label: str
    path: str
    template: Backend
    fill_in: tuple[str, ...] = ()

    def at(self, url: str, **changes: Any) -> Backend:
        """The description of such a backend whose endpoint is `url`; `changes` are fields of `Backend`."""
        return replace(self.template, url=url, **changes)

    def below(self, base_url: str, **changes: Any) -> Backend:
        """The description of such a backend whose base URL, without the path, is `base_url`."""
        parts = urlsplit(base_url)
        path, _, query = self.path.partition("?")
        return self.at(urlunsplit((*parts[:2], parts.path.rstrip("/") + path, query or parts.query, "")), **changes)


def _asked_with(**fields: Any) -> Backend:
    return Backend("", **fields)


KNOWN_BACKENDS: Final[Mapping[str, KnownBackend]] = MappingProxyType(
    {
        "ai-chat-protocol": KnownBackend(
            "Microsoft AI Chat Protocol",
            "/chat",
            _asked_with(
                streaming="path",
                known_overrides=SPECIFICATION_OVERRIDES,
                session_state_key="sessionState",
                files="multipart",
            ),
        ),
        "chat-app-protocol": KnownBackend(
            "HTTP protocol for AI chat apps, by Azure-Samples",
            "/chat",
            _asked_with(streaming="path", known_overrides=SPECIFICATION_OVERRIDES, session_state_key="session_state"),
        ),
        "azure-search-openai-demo": KnownBackend(
            "azure-search-openai-demo (since May 2024)", "/chat", _asked_with(streaming="path", known_overrides=_DEMO)
        ),
        "azure-search-openai-demo-2024-01": KnownBackend(
            "azure-search-openai-demo (January to May 2024)",
            "/chat",
            _asked_with(streaming="body", known_overrides=_DEMO_2024),
        ),
        "azure-search-openai-javascript": KnownBackend(
            "azure-search-openai-javascript",
            "/chat",
            _asked_with(streaming="body", overrides="flat", known_overrides=_JAVASCRIPT),
        ),
        "rag-postgres-openai-python": KnownBackend(
            "rag-postgres-openai-python (since April 2026)",
            "/chat",
            _asked_with(streaming="path", messages_key="input", requires_context=True, known_overrides=_RAG_POSTGRES),
        ),
        "rag-postgres-openai-python-2024": KnownBackend(
            "rag-postgres-openai-python (until April 2026)",
            "/chat",
            _asked_with(streaming="path", requires_context=True, known_overrides=_RAG_POSTGRES),
        ),
        "openai-chat-backend-fastapi": KnownBackend(
            "openai-chat-backend-fastapi", "/chat", _asked_with(streaming="path", known_overrides=())
        ),
        "openai-chat-app-quickstart": KnownBackend(
            "openai-chat-app-quickstart (since April 2026)",
            "/chat",
            _asked_with(streaming="path", streams_only=True, messages_key="input", known_overrides=()),
        ),
        "microsoft-python": KnownBackend(
            "Microsoft's sample, Python (Quart)",
            "/api/chat/",
            _asked_with(streaming="path", overrides="none", known_overrides=(), files="multipart"),
        ),
        "microsoft-express": KnownBackend(
            "Microsoft's samples that keep the history, Express and C#",
            "/api/chat",
            _asked_with(
                streaming="path",
                overrides="none",
                known_overrides=(),
                history="last",
                session_state_key="sessionState",
                files="multipart-file",
            ),
        ),
        "azure-openai-on-your-data": KnownBackend(
            "Azure OpenAI On Your Data",
            "/openai/deployments/NAME/chat/completions?api-version=2024-10-21",
            _asked_with(
                streaming="body", overrides="body", known_overrides=_OPENAI, files="parts", key_header="api-key"
            ),
            ("data_sources",),
        ),
        "openai-compatible": KnownBackend(
            "OpenAI-compatible chat completions",
            "/v1/chat/completions",
            _asked_with(streaming="body", overrides="body", known_overrides=_OPENAI, files="parts"),
            ("model",),
        ),
        "ollama": KnownBackend(
            "Ollama",
            "/api/chat",
            _asked_with(
                streaming="body", dialect="ollama", overrides="options", known_overrides=_OLLAMA, files="images"
            ),
            ("model",),
        ),
        "azure-sample-app": KnownBackend(
            "The Azure sample app (sample-app-aoai-chatGPT)",
            "/conversation",
            _asked_with(streaming="server", overrides="none", known_overrides=(), session_state_key="history_metadata"),
        ),
    }
)
"""Every known kind of backend by its name."""


def described(place: str) -> Backend:
    """The description that the URL `place` alone gives of the backend that is there."""
    path = urlsplit(place).path
    if "/openai/deployments/" in path:
        return KNOWN_BACKENDS["azure-openai-on-your-data"].at(place)
    if path.endswith("/completions"):
        return KNOWN_BACKENDS["openai-compatible"].at(place)
    if path.endswith("/responses"):
        return Backend(place, streaming="body", messages_key="input", overrides="body")
    if path.endswith("/stream"):
        return Backend(without_stream(place), streaming="path")
    if path.endswith("/conversation"):
        return KNOWN_BACKENDS["azure-sample-app"].at(place)
    return Backend(place)
