"""The text of one answer, from the objects of every dialect.

Repetitions of streamed text are left out. Thinking at the head of the text is separated from it. Messages of other
roles than the assistant's become warnings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from chat_ui.protocol.answers.data_points import ANNOTATIONS, MAX_DATA_POINTS, image_url
from chat_ui.protocol.answers.pictures import decoded, image_type
from chat_ui.protocol.answers.streaming_text import rest_after
from chat_ui.protocol.dialects.contexts import context_found
from chat_ui.protocol.dialects.objects import (
    content_text,
    kind_of,
    list_in,
    message_text,
    objects_in,
    string_in,
    thinking_text,
)
from chat_ui.protocol.dialects.placed_citations import AnnotatedCitation, Placing
from chat_ui.protocol.dialects.reported_errors import CONTENT_FILTER, plain_words
from chat_ui.protocol.dialects.thinking import ThinkingFilter
from chat_ui.protocol.events import (
    FINISH_LENGTH,
    FINISH_REASON,
    REFUSED,
    AnswerWarning,
    CitationReceived,
    ContextReceived,
    CutOff,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    PictureReceived,
    ReasoningDelta,
)
from chat_ui.protocol.reading.json_text import excerpt
from chat_ui.protocol.translatable import msg

_TOOLS: Final = frozenset({"tool", "function"})
_NOT_ANSWERING: Final = frozenset({"user", "system", "developer"})
_TOOLS_ASKED_FOR: Final = frozenset({"tool_calls", "function_call"})
_PICTURES: Final = frozenset({"image_url", "output_image", "image"})
_PICTURE_URL: Final = re.compile(r"data:image/|https?://", re.IGNORECASE)
_BASE64: Final = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")
"""Beginnings of pictures in base64, which Ollama sends without a type."""
_MOST_PICTURES: Final = 20
_Ending: TypeAlias = Literal["whole", "length", "tool", "refusal", "content_filter", "filter", "broken"]

_REASONS: Final[Mapping[_Ending, str]] = {
    "whole": (
        "stop stopped end end_turn eos eos_token eos_found stop_sequence stop_token complete completed done "
        "end_of_turn end_of_message stop_string_found stop_str "
        "finish finished success pause_turn load unload null none finish_reason_unspecified"
    ),
    "length": (
        "length max_tokens max_output_tokens max_completion_tokens max_length model_length "
        "model_context_window_exceeded out_of_tokens token_limit context_length_reached max_predicted_tokens_reached"
    ),
    "tool": "tool_calls function_call tool_call tool_use",
    "refusal": "refusal",
    "content_filter": "content_filter",
    "filter": (
        "safety image_safety prohibited_content image_prohibited_content blocklist spii recitation image_recitation "
        "sensitive guardrail_intervened content_filtered"
    ),
    "broken": (
        "error abort aborted cancelled canceled interrupted timeout network_error malformed_function_call language "
        "unexpected_tool_call too_many_tool_calls malformed_model_output malformed_tool_use "
        "insufficient_system_resource"
    ),
}
"""Finish reasons by their meaning. Sources: the references of OpenAI, Anthropic, Gemini, Mistral, DeepSeek, Ollama,
TGI, vLLM, OpenRouter, Llama Stack, LM Studio, watsonx and the AI SDK.
"""
_NO_LETTER: Final = re.compile(r"[^a-z]+")
_LONGEST_REASON: Final = 80
_OTHER_DELTAS: Final = frozenset({"compaction_delta", "input_json_delta", "signature_delta", "citations_delta"})
"""Types of Anthropic's deltas that are not text of the answer, whatever their content."""


def _letters(reason: str) -> str:
    """A finish reason without the spelling of its API: `maxTokens`, `MAX_TOKENS`, `FinishReason.MAX_TOKENS`."""
    return _NO_LETTER.sub("", reason.lower()).removeprefix("finishreason")


_ENDINGS: Final[Mapping[str, _Ending]] = {
    _letters(name): ending for ending, names in _REASONS.items() for name in names.split()
}


class AnswerText:
    """Takes the text of one answer, and gives its events."""

    def __init__(self) -> None:
        self._thinking = ThinkingFilter()
        self.came = self._thinking.came
        """The text that came; others do not change it."""
        self._placing = Placing(self.came)
        self._said_by_system: list[tuple[AnswerWarning, str]] = []
        self._picture_ids: dict[object, str] = {}
        self._whole_pictures: set[object] = set()
        self.picture_bytes = 0
        """Bytes of the pictures as they were sent, also of repeated ones."""
        self._annotations: set[str] = set()
        """Annotations already given: a part, its item and the whole response repeat them."""
        self.asks_for_tool = False
        self._has_warned_of_tool = self._has_refused = False

    @property
    def has_begun(self) -> bool:
        """Whether any text has come."""
        return self.came.length > 0

    def piece(self, text: str) -> list[Event]:
        """The next piece of the text."""
        if not text:
            return []
        events = self._thinking.feed(text)
        if self._said_by_system:
            # The answer has begun, so it does not include the system's messages before it.
            events = [*(warning for warning, _ in self._said_by_system), *events]
            self._said_by_system.clear()
        return events

    def sources(self, annotations: Iterable[Json]) -> Iterator[Event]:
        """The sources that annotations of OpenAI name, such as `url_citation` and `file_citation`, each once."""
        new: list[Json] = []
        for annotation in annotations:
            said = repr(annotation)
            if said not in self._annotations and len(self._annotations) < MAX_DATA_POINTS:
                self._annotations.add(said)
                new.append(annotation)
        if new:
            yield ContextReceived({ANNOTATIONS: new})

    def cite(self, citations: Iterable[AnnotatedCitation]) -> Iterator[Event]:
        """Have citations in their places in the text that came, without the thinking in it."""
        for cited in filter(None, map(self._placing.place, citations)):
            yield CitationReceived(cited.label, *map(self._thinking.places.of, (cited.start, cited.end)))

    def complete(self, text: str, citations: Sequence[AnnotatedCitation] = ()) -> list[Event]:
        """Text that may repeat the whole streamed answer: only the new part counts."""
        # At most the comparable length: each half of a surrogate pair counts for itself.
        streamed = self.came.between(0, 2 * len(text))
        rest = "" if rest_after(text, streamed) is not None else rest_after(streamed, text)
        return [*self.piece(text if rest is None else rest), *self.cite(citations)]

    def delta(self, delta: Json) -> Iterator[Event]:
        """The events of a delta: a piece of a message, or only of its text."""
        if not isinstance(delta, Mapping):
            yield from self.piece(content_text(delta))
        elif kind_of(delta) not in _OTHER_DELTAS:
            yield from self.message(delta, self.piece)

    def message(self, message: JsonObject, take: Callable[[str], Iterable[Event]]) -> Iterator[Event]:
        """The events of a message, or of a piece of a message, whose text `take` takes."""
        left_out = _said_by_another(message)
        if left_out is None:
            self.asks_for_tool |= any(message.get(key) for key in _TOOLS_ASKED_FOR)
            yield from reasoning(message)
            if content_text(message.get("refusal")):
                yield from self.refused()
            yield from take(message_text(message))
            yield from self._pictures(message)
        elif message.get("role") in _TOOLS:
            yield left_out
            yield from context_found(message.get("content"), f"{string_in(message, 'tool_call_id', 'id', 'name')} ")
        elif message.get("role") == "system" and not self.has_begun:
            self._said_by_system.append((left_out, message_text(message)))
        else:
            yield left_out

    def _pictures(self, message: JsonObject) -> Iterator[Event]:
        """The pictures of a message: OpenRouter's `images`, and parts of the content."""
        parts = (part for part in objects_in(message, "content") if kind_of(part) in _PICTURES)
        for picture in (*list_in(message, "images"), *parts):
            url = picture if isinstance(picture, str) else image_url(picture)
            if url and (_PICTURE_URL.match(url) or url.startswith(_BASE64)):
                yield from self.picture(url)
            else:
                yield AnswerWarning("picture_left_out", f"an unsupported image was skipped: {excerpt(picture)}")

    def picture(self, source: str, name: str = "", prompt: str = "", *, is_partial: bool = False) -> Iterator[Event]:
        """A picture from its address or its base64. It replaces earlier ones of its `name`, unless they are whole."""
        is_remote = source[:4].lower() == "http"
        self.picture_bytes += 0 if is_remote else len(source)
        digest = hash(source)
        key = name or digest
        if not source or {key, digest} & self._whole_pictures:
            return
        if key not in self._picture_ids and len(self._picture_ids) >= _MOST_PICTURES:
            yield AnswerWarning("picture_left_out", f"an image after {_MOST_PICTURES} others was skipped")
            return
        if not is_partial:
            self._whole_pictures |= {key, digest}
        named = self._picture_ids.setdefault(key, str(len(self._picture_ids) + 1))
        data, url = (b"", source) if is_remote else (decoded(source), "")
        yield PictureReceived(named, prompt, image_type(data) or "", len(data), url, is_partial, data)

    def refused(self) -> Iterator[Event]:
        """The warning that the text is a refusal, once."""
        if not self._has_refused:
            self._has_refused = True
            yield AnswerWarning(REFUSED, msg("the model refused to answer"))

    def finish(self, reason: Json) -> Iterator[Event]:
        """The events of a finish reason, in the spelling of any API."""
        if not isinstance(reason, str) or not reason.strip():
            return
        named = {"reason": plain_words(reason)[:_LONGEST_REASON]}
        match _ENDINGS.get(_letters(reason)):
            case "whole":
                return
            case "content_filter":
                yield Failed(ErrorInfo(CONTENT_FILTER, code="content_filter"))
            case "tool":
                yield from self._tool_warning()
            case "refusal":
                yield from self.refused()
            case "length":
                words = msg("the backend reached its length limit, so the answer may be short")
                yield AnswerWarning(FINISH_LENGTH, words)
            case "filter":
                yield CutOff(msg("the backend's filter stopped it ({reason})", **named), FINISH_REASON)
            case "broken":
                yield CutOff(msg("its finish reason is {reason}", **named), FINISH_REASON)
            case _:
                yield AnswerWarning(FINISH_REASON, msg("its finish reason is {reason}", **named))

    def close(self) -> list[Event]:
        """The events kept back, at the end of the answer; its only text may be in the system's name."""
        events = self._thinking.close()
        if self.has_begun:
            return events
        texts = [text for _, text in self._said_by_system]
        self._said_by_system.clear()
        if said := "".join(texts):
            return [*events, *self.piece(said), *self._thinking.close()]
        return [*events, *(self._tool_warning() if self.asks_for_tool else ())]

    def _tool_warning(self) -> Iterator[Event]:
        if not self._has_warned_of_tool:
            self._has_warned_of_tool = True
            yield AnswerWarning("tool_calls", msg("the backend requested a tool call, which a chat page cannot run"))


def reasoning(message: JsonObject) -> Iterator[Event]:
    """The thinking beside the text of a message."""
    for key in ("reasoning_content", "reasoning", "thinking", "reasoning_details"):
        text = thinking_text(message.get(key)) or content_text(message.get(key))
        if text:
            yield ReasoningDelta(text)
            return
    if text := thinking_text(message.get("content")):
        yield ReasoningDelta(text)


def _said_by_another(message: JsonObject) -> AnswerWarning | None:
    """The warning for a message that is not the assistant's: an echo of the question, instructions, a tool's result."""
    role = message.get("role")
    if not isinstance(role, str):
        return None
    if role in _TOOLS:
        said = f"a tool message was left out of the answer: {excerpt(message)}"
        return AnswerWarning("tool_message", said)
    if role in _NOT_ANSWERING and message_text(message):
        said = f"a message of the role {role} was left out of the answer: {excerpt(message)}"
        return AnswerWarning("other_role", said)
    return None
