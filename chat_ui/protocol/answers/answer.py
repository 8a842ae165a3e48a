"""An answer, and the fold of events that makes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final

from chat_ui.protocol.answers.data_points import (
    ANNOTATIONS,
    MAX_DATA_POINTS,
    SOURCE_KEYS,
    SOURCES,
    DataPoint,
    newest,
    read_data_points,
)
from chat_ui.protocol.answers.followups import MAX_QUESTIONS, FollowupFilter
from chat_ui.protocol.answers.placed_citation import PlacedCitation, with_brackets
from chat_ui.protocol.answers.redaction import SecretFilter, Secrets, object_without_secrets, without_secrets
from chat_ui.protocol.answers.streaming_text import StreamingText
from chat_ui.protocol.answers.thoughts import MAX_THOUGHTS, STEPS, THOUGHT_KEYS, Thought, read_thoughts
from chat_ui.protocol.clean_text import TextCleaner, clean_json, clean_text
from chat_ui.protocol.events import (
    CUT_OFF,
    FINISH_LENGTH,
    FINISH_REASON,
    MAYBE_SHORT,
    NO_END,
    REFUSED,
    STATES_OF_FORMS,
    AnswerWarning,
    CitationReceived,
    ContextReceived,
    CutOff,
    DialectDetected,
    ErrorInfo,
    Event,
    Failed,
    Interrupt,
    Json,
    JsonObject,
    ObjectReceived,
    Pause,
    PictureReceived,
    ReasoningDelta,
    Recorded,
    SessionState,
    TextDelta,
    TextRevised,
    Timing,
    UsageReceived,
)
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg, plural_msg, with_commas

__all__ = ["Answer", "AnswerBuilder", "DataPoint", "Thought", "Timing"]

REASONING: Final = msg("Reasoning")
MAX_WARNINGS: Final = 100
_MOST_STATE: Final = 1024 * 1024
"""Bytes of a form's state, which is sent back with each question: ids, and the memory of an agent."""
_MOST_PROMPT: Final = 4_000
_MOST_SHOWN: Final = 64_000
"""Characters of words, arguments or a schema of an agent's request."""
_NOT_READ: Final = frozenset({"not_json", "unknown_object", "unexpected_value", "tool_message"})
_ENDINGS: Final = ("tool_calls", "interrupt", FINISH_REASON, REFUSED, NO_END)
"""Codes of warnings that explain a complete stream without text."""
CHECK_ADDRESS: Final = msg("Check that the address is a chat endpoint, or try again.")
EMPTY_ANSWER: Final = msg("{problem} {advice}", problem=msg("The backend sent an empty answer."), advice=CHECK_ADDRESS)
_SPENT: Final = msg(
    "The model reached its length limit, often while reasoning, before it wrote an answer. Raise the "
    "limit (max_tokens or max_completion_tokens), or ask for less reasoning."
)
_MOST_SOURCES: Final = msg("only {most} sources of an answer are kept", most=MAX_DATA_POINTS)
_MOST_THOUGHTS: Final = msg("only {most} thoughts of an answer are kept", most=MAX_THOUGHTS)
_MOST_QUESTIONS: Final = msg("only {most} follow-up questions of an answer are kept", most=MAX_QUESTIONS)


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, or its part so far.

    `text` is clean: follow-up questions are taken out, surrogate pairs joined, control characters dropped. Citation
    brackets stay. `citations` came beside the text, and are in the order of their places. `complete` is False for an
    answer that was cut off. `recorded_at` is the time of a recorded answer, in ISO 8601. With a `pause`, the agent
    waits for a person.
    """

    text: str = ""
    reasoning: str = ""
    dialect: str | None = None
    complete: bool = True
    error: ErrorInfo | None = None
    followup_questions: tuple[str, ...] = ()
    citations: tuple[PlacedCitation, ...] = ()
    pictures: tuple[PictureReceived, ...] = ()
    data_points: tuple[DataPoint, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    session_state: SessionState | None = None
    usage: JsonObject | None = None
    warnings: tuple[AnswerWarning, ...] = ()
    timing: Timing = field(default_factory=Timing)
    recorded_at: str | None = None
    pause: Pause | None = None

    @property
    def bracketed_text(self) -> str:
        """The text with its placed citations as brackets, for readers of plain text."""
        return with_brackets(self.text, self.citations)

    @property
    def all_thoughts(self) -> tuple[Thought, ...]:
        """The thoughts, and the model's reasoning as the last of them."""
        return (*self.thoughts, Thought(REASONING, self.reasoning)) if self.reasoning.strip() else self.thoughts

    @property
    def incomplete_details(self) -> AnswerWarning | None:
        """The first warning that says why the answer is cut off, or may not be whole."""
        codes = MAYBE_SHORT if self.complete else (*MAYBE_SHORT, NO_END, CUT_OFF)
        return next((warning for warning in self.warnings if warning.code in codes), None)

    @property
    def characters_per_second(self) -> float | None:
        """The pace of the text from its first character to its end; None if that took no time."""
        first, total = self.timing.first_text, self.timing.total
        return len(self.text) / (total - first) if first is not None and total is not None and total > first else None


def folded(events: Iterable[Event], secrets: Secrets | None = None) -> Answer:
    """The whole answer that `events` make (see `AnswerBuilder`)."""
    builder = AnswerBuilder(secrets)
    for event in events:
        builder.add(event)
    builder.close()
    return builder.answer()


class AnswerBuilder:
    """Folds the events of one answer.

    The text that `add` and `close` return, in order, is `text`. It only grows, unless it is sent again (`revision`).
    Data points and thoughts are read again only after a new context. An ellipsis replaces the request's `secrets` in
    text of the backend.

    `streamed` is the growing text; others read parts of it and do not change it.
    """

    def __init__(self, secrets: Secrets | None = None) -> None:
        self._secrets = secrets.in_prose if secrets else ()
        self._text_filter = SecretFilter(self._secrets)
        self._reasoning_filter = SecretFilter(self._secrets)
        self.streamed = StreamingText()
        self._reasoning = StreamingText()
        self._cleaner = TextCleaner()
        self._reasoning_cleaner = TextCleaner()
        self._followups = FollowupFilter()
        self._context_followups: dict[str, None] = {}
        self._cited: list[CitationReceived] = []
        self._pictures: dict[str, PictureReceived] = {}
        self._context: dict[str, Json] = {}
        self._annotations: list[Json] = []
        self._added: dict[str, dict[str, Json]] = {SOURCES: {}, STEPS: {}}
        self._unread: set[str] = set()
        """Keys of the context that changed since the last reading."""
        self._data_points: tuple[DataPoint, ...] = ()
        self._thoughts: tuple[Thought, ...] = ()
        self._warnings: list[AnswerWarning] = []
        self._warnings_left_out = 0
        self._dialect: str | None = None
        self._object_names: list[str] = []
        self._error: ErrorInfo | None = None
        self._complete = True
        self._session_state: SessionState | None = None
        self._usage: JsonObject | None = None
        self._timing = Timing()
        self._recorded_at: str | None = None
        self._pause: Pause | None = None
        self._closed = False
        self.revision = 0
        """How often `text` was sent again: then it is not what `add` and `close` returned before."""

    @property
    def text(self) -> str:
        """The clean text released so far."""
        return self.streamed.joined()

    def add(self, event: Event) -> str:
        """Take one event in; the clean text that it releases, possibly empty."""
        if type(event) is TextDelta:
            text = self._cleaner.feed(event.text)
            released = self._followups.feed(self._text_filter.feed(text) if self._secrets else text)
            self.streamed.append(released)
            return released
        match event:
            case TextRevised(text):
                self._revise(text)
            case CitationReceived(label):
                self._cited.append(replace(event, label=without_secrets(clean_text(label), self._secrets)))
            case PictureReceived():
                self._keep_picture(event)
            case ReasoningDelta(text):
                self._reasoning.append(self._reasoning_filter.feed(self._reasoning_cleaner.feed(text)))
            case ContextReceived():
                self._merge(event)
            case SessionState():
                self._keep_state(event)
            case UsageReceived(usage):
                self._usage = usage
            case Recorded(at):
                self._recorded_at = at
            case Pause(interrupts=interrupts):
                self._pause = replace(event, interrupts=tuple(map(self._shown, interrupts)))
            case Failed(error):
                self._fail(error)
            case CutOff(reason, code):
                self._complete = False
                self._warn(AnswerWarning(code, reason))
            case DialectDetected(name):
                self._dialect = name
            case ObjectReceived(name):
                self._object_names.append(name)
            case Timing():
                self._timing = event
            case AnswerWarning():
                self._warn(event)
        return ""

    def close(self) -> str:
        """The text held back. Without text, pause and error the error is `empty_answer`, unless the body broke off."""
        if self._closed:
            return ""
        self._closed = True
        rest = self._text_filter.feed(self._cleaner.close()) + self._text_filter.close()
        released = self._followups.feed(rest) + self._followups.close()
        self.streamed.append(released)
        self._reasoning.append(self._reasoning_filter.feed(self._reasoning_cleaner.close()))
        self._reasoning.append(self._reasoning_filter.close())
        answer = self.answer()
        # An answer may be kept for long, and its context is not read again.
        self._context = {}
        for kept, most, words in (
            (answer.data_points, MAX_DATA_POINTS, _MOST_SOURCES),
            (answer.thoughts, MAX_THOUGHTS, _MOST_THOUGHTS),
            (answer.followup_questions, MAX_QUESTIONS, _MOST_QUESTIONS),
        ):
            if len(kept) >= most:
                self._warn(AnswerWarning("more_left_out", words))
        if self._warnings_left_out:
            more = plural_msg(
                "{count} more warning was left out", "{count} more warnings were left out", self._warnings_left_out
            )
            self._warnings.append(AnswerWarning("more_warnings", more))
        is_closed_properly = self._warned_of(CUT_OFF) is None
        has_content = self.text.strip() or self._pictures
        if self._error is None and self._pause is None and is_closed_properly and not has_content:
            self._error = ErrorInfo(self._empty_message(), code="empty_answer")
        return released

    def answer(self) -> Answer:
        """The answer so far."""
        if self._unread & SOURCE_KEYS:
            self._data_points = read_data_points(self._context)
        if self._unread & THOUGHT_KEYS:
            self._thoughts = read_thoughts(self._context)
        self._unread.clear()
        return Answer(
            text=self.text,
            reasoning=self._reasoning.joined(),
            dialect=self._dialect,
            complete=self._complete,
            error=self._error,
            followup_questions=tuple(dict.fromkeys([*self._followups.questions, *self._context_followups])),
            citations=self.citations,
            pictures=tuple(self._pictures.values()),
            data_points=self._data_points,
            thoughts=self._thoughts,
            session_state=self._session_state,
            usage=self._usage,
            warnings=tuple(self._warnings),
            timing=self._timing,
            recorded_at=self._recorded_at,
            pause=self._pause,
        )

    def _revise(self, text: str) -> None:
        self._cleaner, self._followups, self._text_filter = TextCleaner(), FollowupFilter(), SecretFilter(self._secrets)
        self._cited.clear()
        self.streamed.clear()
        self.add(TextDelta(text))
        self.revision += 1

    @property
    def citations(self) -> tuple[PlacedCitation, ...]:
        """The citations in the clean text, in order."""

        def clean(place: int) -> int:
            for read in (self._cleaner, self._text_filter, self._followups):
                place = read.places.of(place)
            return min(place, self.streamed.length)

        placed = [PlacedCitation(one.label, clean(one.start), clean(one.end)) for one in self._cited]
        return tuple(sorted(placed, key=attrgetter("start", "end")))

    def _merge(self, event: ContextReceived) -> None:
        is_sent_back = self._secrets and not event.is_clean
        context = object_without_secrets(event.context, self._secrets) if is_sent_back else event.context
        for key, value in context.items():
            if value is None:
                continue
            if key in SOURCE_KEYS or key in THOUGHT_KEYS:
                cleaned = value if event.is_clean else clean_json(value, 1)
                if key == ANNOTATIONS and isinstance(cleaned, list):
                    self._annotations += cleaned[: MAX_DATA_POINTS - len(self._annotations)]
                    cleaned = self._annotations
                elif key in self._added:
                    if not isinstance(cleaned, Mapping):
                        continue
                    added, most = self._added[key], MAX_DATA_POINTS if key == SOURCES else MAX_THOUGHTS
                    added.update({name: one for name, one in cleaned.items() if name in added or len(added) < most})
                    cleaned = added
                else:
                    cleaned = newest(self._context.get(key), cleaned)
                self._context[key] = cleaned
                self._unread.add(key)
        questions = context.get("followup_questions")
        if isinstance(questions, str):
            questions = [questions]
        if isinstance(questions, Sequence):
            for question in questions:
                if len(self._context_followups) == MAX_QUESTIONS:
                    break
                if isinstance(question, str) and question.strip():
                    words = clean_text(question).strip().removeprefix("<<").removesuffix(">>").strip()
                    self._context_followups[words] = None

    def _keep_picture(self, event: PictureReceived) -> None:
        known = self._pictures.get(event.id, PictureReceived(event.id, version=0))
        prompt, url = (without_secrets(clean_text(text), self._secrets) for text in (event.prompt, event.url))
        self._pictures[event.id] = replace(
            event, prompt=prompt[:_MOST_PROMPT] or known.prompt, url=url, data=b"", version=known.version + 1
        )

    def _keep_state(self, state: SessionState) -> None:
        """Keep the last state. A form's state is kept only without one of the AI Chat Protocol, which may pass on
        events of a model's API. A form's state above `_MOST_STATE` is left out.
        """
        known = self._session_state
        if state.key in STATES_OF_FORMS and size_of((state.value,), _MOST_STATE) > _MOST_STATE:
            return
        if state.key not in STATES_OF_FORMS or known is None or known.key in STATES_OF_FORMS:
            self._session_state = state

    def _shown(self, interrupt: Interrupt) -> Interrupt:
        """A request fit to be shown. Cut or redacted arguments cannot be edited."""

        def words(text: str) -> str:
            return without_secrets(clean_text(text), self._secrets)[:_MOST_SHOWN]

        cleaned: JsonObject = {"arguments": clean_json(interrupt.arguments), "schema": clean_json(interrupt.schema)}
        cleaned = object_without_secrets(cleaned, self._secrets)
        arguments, schema = cleaned["arguments"], cleaned["schema"]
        if size_of((arguments,), _MOST_SHOWN) > _MOST_SHOWN:
            arguments = json.dumps(arguments, ensure_ascii=False)[:_MOST_SHOWN]
        return replace(
            interrupt,
            message=words(interrupt.message),
            tool=words(interrupt.tool),
            server=words(interrupt.server),
            arguments=arguments,
            schema=schema if isinstance(schema, Mapping) and size_of((schema,), _MOST_SHOWN) <= _MOST_SHOWN else None,
            may=interrupt.may if arguments == interrupt.arguments else interrupt.may - {"edit"},
        )

    def _fail(self, error: ErrorInfo) -> None:
        """Keep the first error; later ones of an answer follow from it and become warnings."""
        if self._error is None:
            self._error = error
        elif error.message != self._error.message:
            self._warn(AnswerWarning("further_error", error.message))

    def _warn(self, warning: AnswerWarning) -> None:
        if len(self._warnings) < MAX_WARNINGS:
            self._warnings.append(AnswerWarning(warning.code, clean_text(warning.detail)))
        else:
            self._warnings_left_out += 1

    def _empty_message(self) -> str:
        if self._warned_of(FINISH_LENGTH):
            return _SPENT
        if ending := self._warned_of(*_ENDINGS):
            return msg("The backend sent no text: {reason}.", reason=ending)
        if self._reasoning.length and self._reasoning.joined().strip():
            return msg("The backend sent the model's reasoning but no answer. Ask again, or raise its length limit.")
        unread = self._warned_of(*_NOT_READ)
        if not (unread or self._object_names):
            return EMPTY_ANSWER
        problem = msg("The backend sent no text to show.")
        if self._object_names:
            came = msg("Received: {names}.", names=with_commas(self._object_names))
            problem = msg("{problem} {more}", problem=problem, more=came)
        if unread:
            not_read = msg("Not read: {detail}.", detail=unread)
            problem = msg("{problem} {more}", problem=problem, more=not_read)
        return msg("{problem} {advice}", problem=problem, advice=CHECK_ADDRESS)

    def _warned_of(self, *codes: str) -> str | None:
        return next((warning.detail for warning in self._warnings if warning.code in codes), None)
