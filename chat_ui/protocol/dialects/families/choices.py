"""The AI Chat Protocol of January 2024: `choices[0].delta` or `.message`, with a context in the choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.backends.backend import SPECIFICATION_OVERRIDES, Backend
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.contents import content_text, message_text
from chat_ui.protocol.dialects.contexts import passed_on_annotations
from chat_ui.protocol.dialects.family import Answered, Dialect, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import context_in, first_choice, has_only, objects_in_list, only_choice, text_of
from chat_ui.protocol.dialects.placed_citations import placed_citations
from chat_ui.protocol.dialects.tool_calls import ToolCalls
from chat_ui.protocol.events import ContextReceived, Event, Json, JsonObject
from chat_ui.protocol.translatable import msg

_OVERRIDES_OF_2024: Final = (
    *SPECIFICATION_OVERRIDES,
    "exclude_category", "prompt_template", "minimum_search_score", "minimum_reranker_score",
)  # fmt: skip
_OVERRIDES_OF_JAVASCRIPT: Final = (
    "temperature", "top", "retrieval_mode", "semantic_ranker", "semantic_captions", "suggest_followup_questions",
    "exclude_category", "prompt_template", "prompt_template_prefix", "prompt_template_suffix",
)  # fmt: skip
_KEYS: Final = frozenset(
    {"choices", "id", "object", "created", "model", "system_fingerprint", "service_tier", "obfuscation"}
)
_CHOICE_KEYS: Final = frozenset({"delta", "index", "logprobs", "end_turn", "finish_reason"})


class ChoicesReader(FamilyReader):
    """Reads the first choice."""

    text_places: ClassVar = "choices"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls()

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an object. Perplexity's `search_results` are cited by their numbers."""
        if found := objects_in_list(value.get("search_results")):
            yield ContextReceived({SOURCES: {str(number): one for number, one in enumerate(found, 1)}})
        choice = first_choice(value)
        if choice is None:
            return
        delta, message = choice.get("delta"), choice.get("message")
        yield from self.text.delta(delta)
        if isinstance(message, Mapping):
            citations = placed_citations(_annotations(message), 0, len(message_text(message)))
            yield from self.text.message(message, partial(self.text.whole, citations=citations))
        if not (delta or message) and isinstance(choice.get("text"), str):
            yield from self.text.piece(content_text(choice["text"]))
        if isinstance(delta, Mapping):
            for citation in placed_citations(_annotations(delta), 0, self.text.length):
                yield from self.text.cite(citation)
        for place in (delta, message):
            if isinstance(place, Mapping):
                self._note_calls(place)
        if (reason := choice.get("finish_reason")) is not None or isinstance(message, Mapping):
            yield from self._calls.steps()
        yield from self.text.finish(reason)

    def _note_calls(self, message: JsonObject) -> None:
        for place, call in enumerate(objects_in_list(message.get("tool_calls"))):
            function = call.get("function")
            if isinstance(function, Mapping):
                key = str(call.get("index", place))
                self._calls.begin(key, function.get("name"))
                self._calls.add(key, function.get("arguments"))

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an object with a delta and nothing else."""
        if not (_KEYS.issuperset(value) or has_only(_KEYS, value)):
            return None
        choice = only_choice(value, _CHOICE_KEYS)
        return None if choice is None else text_of(choice.get("delta"))


def _annotations(message: JsonObject) -> list[Json]:
    return [*objects_in_list(message.get("annotations")), *passed_on_annotations(message)]


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    choice = first_choice(value) if isinstance(present.get("choices"), list) else None
    if choice is None:
        return None
    has_context = bool(choice.keys() & {"context", "session_state"} or context_in(choice))
    is_openai = isinstance(value.get("object"), str) and not has_context
    return None if is_openai else Match("choices", 82, 2 if has_context else 0)


def _known(answered: Answered) -> str:
    choices = answered.first_object.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    delta = choice.get("delta") if isinstance(choice, Mapping) else None
    in_delta = isinstance(delta, Mapping) and isinstance(delta.get("context"), Mapping)
    return "azure-search-openai-javascript" if in_delta else "azure-search-openai-demo-2024-01"


FAMILY: Final = Family(
    dialects=(Dialect("choices", msg("AI Chat Protocol of January 2024")),),
    match=_match,
    reader=ChoicesReader,
    position=1,
    backends={
        "azure-search-openai-demo-2024-01": KnownBackend(
            msg("azure-search-openai-demo (January to May 2024)"),
            "/chat",
            Backend("", streaming="body", known_overrides=_OVERRIDES_OF_2024),
        ),
        "azure-search-openai-javascript": KnownBackend(
            "azure-search-openai-javascript",
            "/chat",
            Backend("", streaming="body", overrides="flat", known_overrides=_OVERRIDES_OF_JAVASCRIPT),
        ),
    },
    known=_known,
)
