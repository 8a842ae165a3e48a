"""The standards outside the AI Chat Protocol's family, and the rules by which their backends are judged.

A family of dialects has its standard beside it. A standard has at most ten rules: those whose breach changes the page.
Each names the page of the published description that demands it. Source of the framing: the HTML standard, "Server-sent
events".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

from chat_ui.protocol.dialects.objects import kind_of, object_in
from chat_ui.protocol.dialects.reported_errors import error_in
from chat_ui.protocol.events import Json, JsonObject

_Value = TypeVar("_Value", bound=Json)
DONE: Final = "[DONE]"


class ServerEvent(NamedTuple):
    """A server-sent event: its name, possibly empty, and its data."""

    name: str
    data: str


@dataclass(frozen=True)
class Observed:
    """The responses of a backend that rules look at.

    `status`, `content_type` and `lines` are those of the first answer; `lines` is empty if a part was not kept.
    `complete` is the object of an answer without a stream, empty if the body was not an object, None without an answer.
    `refused` is the status and the body of the response to an empty object, None without one.
    """

    status: int | None
    content_type: str
    lines: tuple[str, ...]
    complete: JsonObject | None = None
    refused: tuple[int, str] | None = None

    @cached_property
    def events(self) -> tuple[ServerEvent, ...]:
        """The server-sent events of the lines."""
        events: list[ServerEvent] = []
        name, data = "", list[str]()
        for line in (*self.lines, ""):
            field, _, value = line.partition(":")
            if field == "event":
                name = value.removeprefix(" ")
            elif field == "data":
                data.append(value.removeprefix(" "))
            elif not line:
                if data:
                    events.append(ServerEvent(name, "\n".join(data)))
                name, data = "", []
        return tuple(events)

    @cached_property
    def objects(self) -> list[JsonObject]:
        """The data of the events that are JSON objects."""
        return [value for event in self.events if isinstance(value := value_of(event.data), Mapping)]

    def on_refusal(self, is_kept: Callable[[int, JsonObject], bool]) -> Verdict:
        """Whether the status and the `error` of a refusal keep a rule; an error other than an object is empty."""
        status, body = self.refused or (0, "")
        if not (status >= 300 or reports_an_error(value_of(body))):
            return Verdict(None)
        return Verdict(is_kept(status, object_in(value_of(body), "error")), f"status {status}: {body}")


class Verdict(NamedTuple):
    """Whether a rule is `held`, None if its subject did not come, and the evidence."""

    held: bool | None
    evidence: str = ""


class Rule(NamedTuple):
    """A rule in `words`, the `page` of the description that demands it, and its verdict on a backend."""

    words: str
    page: str
    judge: Callable[[Observed], Verdict]


@dataclass(frozen=True, slots=True)
class Standard:
    """A published description: its `name`, its `version` if any, and its rules in order. `answers_at_once` says whether
    an answer may be asked for without a stream.
    """

    name: str
    version: str | None
    rules: tuple[Rule, ...]
    answers_at_once: bool = False


def status_rule(page: str) -> Rule:
    """A stream has status 200."""
    return Rule(
        "Streaming responses have status 200",
        page,
        lambda observed: Verdict(observed.status == 200, f"status {observed.status}"),
    )


def event_stream_rules(page: str, *, may_be_done: bool = False) -> tuple[Rule, ...]:
    """The rules of a stream of server-sent events, which may end with `[DONE]` if it `may_be_done`."""

    def are_objects(observed: Observed) -> Verdict:
        if not observed.events:
            line = next(filter(str.strip, observed.lines), None)
            return Verdict(None if line is None else False, line or "")
        data = [event.data for event in observed.events if not (may_be_done and event.data == DONE)]
        odd = next((one for one in data if not isinstance(value_of(one), Mapping)), None)
        return Verdict(odd is None, odd if odd is not None else observed.events[0].data)

    return (
        status_rule(page),
        Rule(
            "Streaming responses have the content type text/event-stream",
            page,
            lambda observed: Verdict(
                is_media_type(observed.content_type, "text/event-stream"), f"content-type: {observed.content_type}"
            ),
        ),
        Rule("Each event of a stream is one JSON object", page, are_objects),
    )


def done_rule(page: str) -> Rule:
    """A stream ends with `[DONE]`."""
    return Rule(
        f"A stream ends with {DONE}",
        page,
        lambda observed: Verdict(
            *(observed.events[-1].data == DONE, observed.events[-1].data) if observed.events else (None,)
        ),
    )


def each(values: Iterable[_Value], is_kept: Callable[[_Value], bool]) -> Verdict:
    """Whether all of `values` keep a rule; the evidence is the first that does not, or else the first."""
    found = list(values)
    odd = [value for value in found if not is_kept(value)]
    return Verdict(not odd, as_json((odd or found)[0])) if found else Verdict(None)


def has_strings(fields: Mapping[str, tuple[str, ...]]) -> Callable[[Observed], Verdict]:
    """The verdict on whether each object of a type in `fields` has the strings named there."""

    def judge(observed: Observed) -> Verdict:
        typed = (value for value in observed.objects if kind_of(value) in fields)
        return each(typed, lambda value: all(isinstance(value.get(key), str) for key in fields[kind_of(value)]))

    return judge


def error_strings_rule(page: str, *keys: str) -> Rule:
    """A refusal has an `error` with strings under `keys`."""
    named = " and ".join(f"a “{key}”" for key in keys)
    return Rule(
        f"Invalid requests get an “error” with {named}",
        page,
        lambda observed: observed.on_refusal(lambda _, error: all(isinstance(error.get(key), str) for key in keys)),
    )


_ERRORS_OF_OPENAI: Final = "https://developers.openai.com/api/docs/guides/error-codes"
ERROR_RULES_OF_OPENAI: Final = (
    Rule(
        "Invalid requests get a status from 400 to 499",
        _ERRORS_OF_OPENAI,
        lambda observed: observed.on_refusal(lambda status, _: 400 <= status < 500),
    ),
    error_strings_rule(_ERRORS_OF_OPENAI, "message", "type"),
)


def reports_an_error(value: Json) -> bool:
    """Whether a body reports an error, in any form."""
    return isinstance(value, Mapping) and error_in(value, None) is not None


def is_media_type(header: str, media_type: str) -> bool:
    """Whether a header `content-type` names that type, with any parameters."""
    return header.partition(";")[0].strip().lower() == media_type


def value_of(text: str) -> Json:
    """The JSON value of a text, None for invalid JSON."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def as_json(value: Json) -> str:
    """A value as evidence."""
    return json.dumps(value, ensure_ascii=False)
