"""An answer as JSON and back, for the store and exports.

A text has its message beside it (`said_json`), so that a kept one is translated for its reader. The JSON may come from
anywhere when it is read back, so a message counts only if it makes the very text beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from operator import attrgetter
from typing import Final, TypeGuard

from chat_ui.languages.language import LARGEST
from chat_ui.protocol.answers.answer import REASONING, Answer, DataPoint, Thought
from chat_ui.protocol.answers.data_points import read_step
from chat_ui.protocol.answers.pause import pause_from_json, pause_to_json
from chat_ui.protocol.answers.placed_citation import MOST_CITATIONS, PlacedCitation
from chat_ui.protocol.events import (
    AnswerWarning,
    ErrorInfo,
    Json,
    JsonObject,
    PictureReceived,
    SessionState,
    Timing,
    recorded_date,
)
from chat_ui.protocol.translatable import Translatable, Value, fields_of, msg

_SAID: Final = "said"
"""The key of the message behind a text."""
_LONGEST: Final = 8192
_LONGEST_NAME: Final = 40
_MOST_VALUES: Final = 16
_DEEPEST: Final = 24


def answer_to_json(answer: Answer) -> dict[str, Json]:
    """Everything of `answer`, its keys named as the fields are; empty values are left out."""
    complete: dict[str, Json] = {
        "text": answer.text,
        "reasoning": answer.reasoning,
        "dialect": answer.dialect,
        "error": error_to_json(answer.error) if answer.error else None,
        "followup_questions": list(answer.followup_questions),
        "citations": [citation._asdict() for citation in answer.citations],
        "pictures": [{name: one for name, one in asdict(picture).items() if one} for picture in answer.pictures],
        "data_points": [_data_point_to_json(point) for point in answer.data_points],
        "thoughts": [_thought_to_json(thought) for thought in answer.thoughts],
        "session_state": (
            {"key": answer.session_state.key, "value": answer.session_state.value} if answer.session_state else None
        ),
        "usage": answer.usage,
        "warnings": [{"code": warning.code, **_text_to_json("detail", warning.detail)} for warning in answer.warnings],
        "timing": _without_none(asdict(answer.timing)),
        "recorded_at": answer.recorded_at,
        "pause": pause_to_json(answer.pause) if answer.pause else None,
    }
    kept: dict[str, Json] = {key: value for key, value in complete.items() if value not in (None, "", [], {})}
    kept["complete"] = answer.complete
    return kept


def complete_answer_to_json(answer: Answer) -> dict[str, Json]:
    """The JSON of `answer_to_json` for readers of a file: the reasoning is among the thoughts, a pause only shown."""
    answer = replace(answer, pause=answer.pause and replace(answer.pause, kept=None))
    thoughts: list[Json] = [_thought_to_json(thought) for thought in answer.all_thoughts]
    return {**answer_to_json(answer), **({"thoughts": thoughts} if thoughts else {})}


def error_to_json(error: ErrorInfo) -> dict[str, Json]:
    """The JSON of an error, without the certificate, which is asked about when it is refused."""
    return {
        **_text_to_json("message", error.message),
        "code": error.code,
        "status": error.status,
        "retry_after": error.retry_after,
    }


def answer_from_json(value: JsonObject, text: str | None = None) -> Answer:
    """The answer in the JSON of either function; `text` replaces its text if that is kept separately.

    Raises:
        ValueError: a part has another shape; the words say which.
    """
    error = object_of(value, "error")
    session = object_of(value, "session_state")
    timing = object_of(value, "timing") or {}
    pause = object_of(value, "pause")
    reasoning = string(value, "reasoning") or ""
    thoughts = [_thought(thought) for thought in objects(value, "thoughts")]
    known = string(value, "text") or ""
    if reasoning.strip() and thoughts[-1:] == [Thought(REASONING, reasoning)]:
        thoughts.pop()
    return Answer(
        text=known if text is None else text,
        reasoning=reasoning,
        dialect=string(value, "dialect"),
        complete=value.get("complete") is not False,
        error=error_from_json(error) if error else None,
        followup_questions=tuple(strings(value, "followup_questions")),
        citations=_citations(value, len(known) if text is None else LARGEST),
        pictures=tuple(map(_picture, objects(value, "pictures"))),
        data_points=tuple(_data_point(point) for point in objects(value, "data_points")),
        thoughts=tuple(thoughts),
        session_state=SessionState(string(session, "key") or "session_state", session.get("value"))
        if session
        else None,
        usage=object_of(value, "usage"),
        warnings=tuple(
            AnswerWarning(string(warning, "code") or "", _text(warning, "detail"))
            for warning in objects(value, "warnings")
        ),
        timing=Timing(
            number(timing, "first_byte"),
            number(timing, "first_text"),
            number(timing, "total"),
            number(timing, "context"),
        ),
        recorded_at=recorded_date(string(value, "recorded_at") or ""),
        pause=pause_from_json(pause) if pause else None,
    )


def _citations(value: JsonObject, most: int) -> tuple[PlacedCitation, ...]:
    """The placed citations with possible places; one beyond the text moves to its end."""
    found: list[PlacedCitation] = []
    for citation in objects(value, "citations")[:MOST_CITATIONS]:
        label, start, end = string(citation, "label"), citation.get("start"), citation.get("end")
        if label and type(start) is int and type(end) is int and 0 <= start <= end:
            found.append(PlacedCitation(label, start if end <= most else most, min(end, most)))
    return tuple(sorted(found, key=attrgetter("start", "end")))


def _text_to_json(key: str, text: str) -> dict[str, Json]:
    """`text` under `key`, with its message beside it."""
    kept: dict[str, Json] = {key: str.__str__(text)}
    said = said_json(text)
    return {**kept, _SAID: said} if said else kept


def _text(value: JsonObject, key: str) -> str:
    return text_of(string(value, key) or "", value.get(_SAID))


def _without_none(value: dict[str, Json]) -> dict[str, Json]:
    return {key: item for key, item in value.items() if item is not None}


def _data_point_to_json(point: DataPoint) -> dict[str, Json]:
    return _without_none(
        {
            "id": point.id,
            **_text_to_json("source", point.source),
            "text": point.text,
            "url": point.url,
            "image": point.image,
            "names": list(point.names) or None,
            "step": point.step,
        }
    )


def _thought_to_json(thought: Thought) -> dict[str, Json]:
    return _without_none(
        {**_text_to_json("title", thought.title), "description": thought.description, "props": thought.props}
    )


def error_from_json(value: JsonObject) -> ErrorInfo:
    """The error in the JSON of `error_to_json`.

    Raises:
        ValueError: a part has another shape; the words say which.
    """
    status = number(value, "status")
    return ErrorInfo(
        message=_text(value, "message") or msg("Something went wrong."),
        code=string(value, "code"),
        status=int(status) if status is not None else None,
        retry_after=number(value, "retry_after"),
    )


def _data_point(value: JsonObject) -> DataPoint:
    return DataPoint(
        id=string(value, "id") or "",
        source=_text(value, "source"),
        text=string(value, "text") or "",
        url=string(value, "url"),
        image=string(value, "image"),
        names=tuple(strings(value, "names")),
        step=read_step(value.get("step")),
    )


def _picture(value: JsonObject) -> PictureReceived:
    name, prompt, kind, url, key = (string(value, one) or "" for one in ("id", "prompt", "media_type", "url", "key"))
    size, version = (int(number(value, one) or 0) for one in ("size", "version"))
    is_partial = value.get("is_partial") is True
    return PictureReceived(name, prompt, kind, size, url, is_partial, key=key, version=version)


def _thought(value: JsonObject) -> Thought:
    return Thought(_text(value, "title"), value.get("description"), object_of(value, "props"))


def string(value: JsonObject, key: str) -> str | None:
    """The text under `key`, else None.

    Raises:
        ValueError: another value is there.
    """
    found = value.get(key)
    if found is not None and not isinstance(found, str):
        raise ValueError(msg("“{name}” is not text", name=key))
    return found


def number(value: JsonObject, key: str) -> float | None:
    """The number under `key`, None if missing or not finite, which only Python's JSON can write.

    Raises:
        ValueError: another value is there.
    """
    found = value.get(key)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ValueError(msg("“{name}” is not a number", name=key))  # noqa: TRY004 - the shape of a value, not a mistake in code
    with suppress(OverflowError):
        return float(found) if math.isfinite(found) else None
    return None


def object_of(value: JsonObject, key: str) -> JsonObject | None:
    """The object under `key`, else None.

    Raises:
        ValueError: another value is there.
    """
    found = value.get(key)
    if found is not None and not isinstance(found, Mapping):
        raise ValueError(msg("“{name}” is not an object", name=key))
    return found


def _list(value: JsonObject, key: str) -> Sequence[Json]:
    found = value.get(key)
    if found is None:
        return ()
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise ValueError(msg("“{name}” is not a list", name=key))  # noqa: TRY004 - as above
    return found


def objects(value: JsonObject, key: str) -> list[JsonObject]:
    """The list of objects under `key`, else empty.

    Raises:
        ValueError: another value is there.
    """
    found = [item for item in _list(value, key) if isinstance(item, Mapping)]
    if len(found) != len(_list(value, key)):
        raise ValueError(msg("“{name}” contains a value that is not an object", name=key))
    return found


def strings(value: JsonObject, key: str) -> list[str]:
    """The list of texts under `key`, else empty.

    Raises:
        ValueError: another value is there.
    """
    found = [item for item in _list(value, key) if isinstance(item, str)]
    if len(found) != len(_list(value, key)):
        raise ValueError(msg("“{name}” contains a value that is not text", name=key))
    return found


class _NotSaidError(Exception):
    """The message does not make the text."""


def said_json(text: str) -> dict[str, Json]:
    """The message behind `text`; empty if unknown."""
    return _message(text) if isinstance(text, Translatable) and len(text) <= _LONGEST else {}


def _message(text: Translatable) -> dict[str, Json]:
    said: dict[str, Json] = {"message": text.message}
    if text.values:
        said["values"] = {
            name: _message(value) if isinstance(value, Translatable) else value for name, value in text.values.items()
        }
    return {**said, "plural": text.plural, "quantity": text.quantity} if text.plural else said


def text_of(text: str, said: Json) -> str:
    """`text` as made from its message, if `said` has it."""
    if not isinstance(said, Mapping) or len(text) > _LONGEST:
        return text
    try:
        made = _Reader(len(text)).read(said)
    except _NotSaidError:
        return text
    return made if made == text else text


class _Reader:
    """Makes a text of at most `longest` characters, also in its parts, whose total is bounded like nested texts."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._left = _DEEPEST * (longest + 1)

    def read(self, said: Json, depth: int = 0) -> Translatable:
        """The text of a message.

        Raises:
            _NotSaidError: it is invalid, or too large.
        """
        if not isinstance(said, Mapping) or depth > _DEEPEST:
            raise _NotSaidError
        given, plural, quantity = said.get("values", {}), said.get("plural", ""), said.get("quantity", 1)
        if not isinstance(given, Mapping) or len(given) > _MOST_VALUES or not _is_number(quantity):
            raise _NotSaidError
        values = {_short(name, _LONGEST_NAME): self._value(value, depth + 1) for name, value in given.items()}
        message, plural = _short(said.get("message"), _LONGEST), _short(plural, _LONGEST)
        self._spend(plural if plural and quantity != 1 else message, values)
        return Translatable(message, values, plural, int(quantity))

    def _spend(self, template: str, values: Mapping[str, Value]) -> None:
        texts = (values.get(name, "") for name in fields_of(template))
        length = sum(len(text) for text in texts if isinstance(text, str))
        self._left -= length + 1
        if length > self._longest or self._left < 0:
            raise _NotSaidError

    def _value(self, value: Json, depth: int) -> Value:
        if isinstance(value, Mapping):
            return self.read(value, depth)
        return value if _is_number(value) else _short(value, self._longest)


def _short(text: Json, longest: int) -> str:
    if not isinstance(text, str) or len(text) > longest:
        raise _NotSaidError
    return text


def _is_number(value: Json) -> TypeGuard[int | float]:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) < LARGEST
