"""Chat completions: `choices[0].delta` or `.message`.

The AI Chat Protocol of January 2024 has a context in the choice. OpenAI and compatible servers have only the
completions, and Azure OpenAI On Your Data has a context in the message. Source of the rules: OpenAI's API reference and
its guide to errors. A chunk without choices is not judged as a chunk: Azure sends one before the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.backends.backend import SPECIFICATION_OVERRIDES, Backend
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.family import Answered, Dialect, End, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import (
    content_text,
    first_choice,
    has_only,
    message_text,
    object_in,
    objects_in,
    only_choice,
    text_of,
)
from chat_ui.protocol.dialects.placed_citations import annotated_citations, annotations_in, passed_on
from chat_ui.protocol.dialects.standards import (
    ERROR_RULES_OF_OPENAI,
    Observed,
    Rule,
    Standard,
    Verdict,
    as_json,
    done_rule,
    each,
    event_stream_rules,
)
from chat_ui.protocol.dialects.tool_calls import ToolCalls
from chat_ui.protocol.events import ContextReceived, Event, JsonObject
from chat_ui.protocol.translatable import msg

_KEYS: Final = frozenset(
    {"choices", "id", "object", "created", "model", "system_fingerprint", "service_tier", "obfuscation"}
)
_CHOICE_KEYS: Final = frozenset({"delta", "index", "logprobs", "end_turn", "finish_reason"})
_OWN_DATA: Final = frozenset({"citations", "intent", "all_retrieved_documents"})


class ChoicesReader(FamilyReader):
    """Reads the first choice."""

    text_places: ClassVar = "choices"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls()

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an object. Perplexity's `search_results` are cited by their numbers."""
        if found := objects_in(value, "search_results"):
            yield ContextReceived({SOURCES: {str(number): one for number, one in enumerate(found, 1)}})
        yield from self.text.sources(passed_on(value))
        choice = first_choice(value)
        if choice is None:
            return
        delta, message = object_in(choice, "delta"), object_in(choice, "message")
        yield from self.text.delta(choice.get("delta"))
        if isinstance(choice.get("message"), Mapping):
            annotations = annotations_in(message)
            yield from self.text.sources(annotations)
            citations = annotated_citations(annotations, 0, len(message_text(message)))
            yield from self.text.message(message, partial(self.text.complete, citations=citations))
        if not (choice.get("delta") or choice.get("message")) and isinstance(choice.get("text"), str):
            yield from self.text.piece(content_text(choice["text"]))
        annotations = annotations_in(delta)
        yield from self.text.sources(annotations)
        yield from self.text.cite(annotated_citations(annotations, 0, self.text.came.length))
        for place in (delta, message):
            self._note_calls(place)
        if (reason := choice.get("finish_reason")) is not None or message:
            yield from self._calls.steps()
        yield from self.text.finish(reason)

    def _note_calls(self, message: JsonObject) -> None:
        for place, call in enumerate(objects_in(message, "tool_calls")):
            if function := object_in(call, "function"):
                key = str(call.get("index", place))
                self._calls.begin(key, function.get("name"))
                self._calls.add(key, function.get("arguments"))

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an object with only a delta."""
        choice = only_choice(value, _CHOICE_KEYS) if has_only(_KEYS, value) else None
        return None if choice is None else text_of(choice.get("delta"))


def _match(_present: JsonObject, value: JsonObject) -> Match | None:
    choice = first_choice(value)
    if choice is None:
        return None
    name = value.get("object")
    context = object_in(object_in(choice, "delta"), "context") or object_in(object_in(choice, "message"), "context")
    if context.keys() & _OWN_DATA or (isinstance(name, str) and name.startswith("extensions.")):
        return Match("on-your-data", 83, 3)
    has_context = bool(choice.keys() & {"context", "session_state"} or context)
    if isinstance(name, str) and not has_context:
        return Match("openai", 81, 1)
    return Match("choices", 82, 2 if has_context else 0)


def _known(answered: Answered) -> str:
    if answered.dialect != "choices":
        return "openai-compatible" if answered.dialect == "openai" else "azure-openai-on-your-data"
    delta = object_in(next(iter(objects_in(answered.first_object, "choices")), None), "delta")
    in_delta = isinstance(delta.get("context"), Mapping)
    return "azure-search-openai-javascript" if in_delta else "azure-search-openai-demo-2024-01"


def _is_over(value: JsonObject) -> bool:
    choice = first_choice(value) or {}
    is_complete = isinstance(choice.get("message"), Mapping) and not choice.get("delta")
    return is_complete or choice.get("finish_reason") not in (None, "", "null")


_REFERENCE: Final = "https://developers.openai.com/api/reference/resources/chat/subresources/completions/"
_CREATE: Final = _REFERENCE + "methods/create"
_CHUNKS: Final = _REFERENCE + "streaming-events"
_REASONS: Final = ("stop", "length", "tool_calls", "content_filter", "function_call")


def _choices(observed: Observed) -> list[JsonObject]:
    return [choice for value in observed.objects if (choice := first_choice(value)) is not None]


def _has_reason(observed: Observed) -> Verdict:
    choices = _choices(observed)
    last = next((reason for one in reversed(choices) if (reason := one.get("finish_reason")) is not None), None)
    return Verdict(last in _REASONS if choices else None, f'"finish_reason": {as_json(last)}')


_STANDARD: Final = Standard(
    "OpenAI’s reference of chat completions",
    None,
    (
        *event_stream_rules(_CREATE, may_be_done=True),
        Rule(
            "Each choice of a chunk has a “delta”",
            _CHUNKS,
            lambda observed: each(_choices(observed), lambda choice: isinstance(choice.get("delta"), Mapping)),
        ),
        Rule(
            "“finish_reason” is stop, length, tool_calls, content_filter or function_call",
            _CHUNKS,
            _has_reason,
        ),
        done_rule(_CREATE),
        Rule(
            "A non-streaming response has a choice with an assistant message",
            _CREATE,
            lambda observed: each(
                [] if observed.complete is None else [observed.complete],
                lambda value: object_in(first_choice(value), "message").get("role") == "assistant",
            ),
        ),
        *ERROR_RULES_OF_OPENAI,
    ),
    answers_at_once=True,
)

_OVERRIDES_OF_2024: Final = (
    *SPECIFICATION_OVERRIDES,
    "exclude_category", "prompt_template", "minimum_search_score", "minimum_reranker_score",
)  # fmt: skip
_OVERRIDES_OF_JAVASCRIPT: Final = (
    "temperature", "top", "retrieval_mode", "semantic_ranker", "semantic_captions", "suggest_followup_questions",
    "exclude_category", "prompt_template", "prompt_template_prefix", "prompt_template_suffix",
)  # fmt: skip
_OVERRIDES: Final = ("temperature", "top_p", "max_tokens", "seed", "presence_penalty", "frequency_penalty")
_COMPATIBLE: Final = Backend(
    "",
    streaming="body",
    overrides="body",
    known_overrides=_OVERRIDES,
    files="parts",
    file_types=("image/", "application/pdf"),
)
_END: Final = End("finish_reason", _is_over, may_be_done=True)

FAMILY: Final = Family(
    dialects=(
        Dialect("choices", msg("AI Chat Protocol of January 2024")),
        Dialect("openai", msg("OpenAI chat completions"), _END),
        Dialect("on-your-data", "Azure OpenAI On Your Data", _END),
    ),
    match=_match,
    reader=ChoicesReader,
    position=1,
    places={"/v1/chat/completions": 3},
    endings={"/completions": _COMPATIBLE},
    bases={r"/openai/deployments/[^/]+": "/chat/completions"},
    backends={
        "azure-search-openai-demo-2024-01": KnownBackend(
            "/chat",
            Backend("", streaming="body", known_overrides=_OVERRIDES_OF_2024),
        ),
        "azure-search-openai-javascript": KnownBackend(
            "/chat",
            Backend("", streaming="body", overrides="flat", known_overrides=_OVERRIDES_OF_JAVASCRIPT),
        ),
        "azure-openai-on-your-data": KnownBackend(
            "/openai/deployments/NAME/chat/completions?api-version=2024-10-21",
            replace(_COMPATIBLE, key_header="api-key", file_types=("image/",)),
            "/openai/deployments/",
        ),
        "openai-compatible": KnownBackend("/v1/chat/completions", _COMPATIBLE),
    },
    known=_known,
    standard=lambda dialect, *_: _STANDARD if dialect == "openai" else None,
)
