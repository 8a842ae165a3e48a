"""The rules of a standard, each a function of the observed answers.

Version 2024-05-29 of the AI Chat Protocol exists twice: as Azure-Samples' README (HTTP protocol for AI chat apps), and
as Microsoft's specification, a README with TypeSpec. The two differ in the name of the session state and in the content
type of a stream. Microsoft's TypeSpec also differs in the form of an error and in how strictly a delta is typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.conformance.report import (
    MICROSOFT,
    SAMPLES,
    Finding,
    Source,
    Specification,
    Standing,
    judged_by_the_followed,
)
from chat_ui.protocol.dialects.objects import object_in
from chat_ui.protocol.dialects.standards import (
    Observed,
    Standard,
    as_json,
    each,
    is_media_type,
    reports_an_error,
    value_of,
)
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.recordings.recording_format import path_of
from chat_ui.protocol.transport.probe import Probe
from chat_ui.protocol.transport.recorder import ResponseRecord

MAX_EVIDENCE: Final = 160
BOTH: Final[Source] = "README and TypeSpec"
SAMPLE_SPECIFICATION: Final = Specification("the source of azure-search-openai-demo since April 2026", None)
_SAMPLE: Final[Source] = "azure-search-openai-demo"
_OF_MICROSOFT: Final = frozenset({"TypeSpec", MICROSOFT})
_ROLES: Final = ("assistant", "user", "system")


@dataclass(frozen=True, slots=True)
class Sent:
    """A question, its answer, and the response."""

    answer: Answer
    response: ResponseRecord

    @property
    def answered(self) -> bool:
        """Whether text, a picture or a request of an agent came."""
        return bool(self.answer.text.strip() or self.answer.pictures) or self.answer.pause is not None

    @property
    def content_type(self) -> str:
        """The header of the response; may be empty."""
        return dict(self.response.headers).get("content-type", "")

    @property
    def lines(self) -> list[str]:
        """The lines that were kept whole, without empty ones."""
        lines = list(self.response.lines)
        if self.response.left_out:
            del lines[self.response.head_lines - 1 : self.response.head_lines + 1]
        return [line.text for line in lines if line.text.strip()]

    @property
    def objects(self) -> list[JsonObject]:
        """The lines that are one JSON object each."""
        return [value for line in self.lines if isinstance(value := value_of(line), Mapping)]

    @property
    def body(self) -> str:
        """The whole body."""
        return "\n".join(line.text for line in self.response.lines)

    @property
    def json_object(self) -> JsonObject:
        """The body if it is one object; else empty."""
        value = value_of(self.body)
        return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True, slots=True)
class Observations:
    """The observed behaviour of a backend of the AI Chat Protocol; None for a request that was not sent."""

    messages_key: str
    needs_context: bool
    streamed: Sent
    optional: Sent | None
    """The streamed answer with follow-up questions, if a request asked for them."""
    complete: Sent | None
    only_streams: str
    """Why the backend cannot answer without a stream; empty if it can."""
    example: Sent | None
    """The response to the READMEs' own example of a request: an empty context and a null session state."""
    refusals: tuple[Probe, ...]
    """The answers to a body without messages, and to one with an empty list."""

    @property
    def came(self) -> Sent | None:
        """The answer that is not streamed, if it came."""
        return self.complete if self.complete is not None and self.complete.response.status is not None else None

    @property
    def values(self) -> list[JsonObject]:
        """The objects of all answers."""
        optional = self.optional.objects if self.optional else []
        return [*self.streamed.objects, *optional, *([self.complete.json_object] if self.complete else [])]


def finding(rule: str, source: Source, held: bool | None, evidence: str = "", topic: str = "") -> Finding:
    """The finding for `rule`: kept, broken, or not seen where `held` is None."""
    standing = Standing.NOT_SEEN if held is None else Standing.HELD if held else Standing.BROKEN
    return Finding(rule, source, standing, excerpt(evidence), topic)


def excerpt(text: str) -> str:
    """The beginning of `text`, on one line."""
    shown = " ".join(text.split())
    if shown == text and len(shown) <= MAX_EVIDENCE:
        return text
    return shown if len(shown) <= MAX_EVIDENCE else shown[: MAX_EVIDENCE - 1] + "…"


def standard_findings(
    standard: Standard, streamed: Sent, complete: Sent | None, refused: Probe | None
) -> tuple[Finding, ...]:
    """The rules of another standard, by the first answer, a complete one and the response to an empty object."""
    observed = Observed(
        streamed.response.status,
        streamed.content_type,
        () if streamed.response.left_out else tuple(line.text for line in streamed.response.lines),
        complete.json_object if complete is not None and complete.response.status == 200 else None,
        (refused.status, refused.body.decode("utf-8", "replace")) if refused and refused.status is not None else None,
    )
    return tuple(finding(rule.words, rule.page, *rule.judge(observed)) for rule in standard.rules)


def judge(observed: Observations) -> tuple[Finding, ...]:
    """Every rule of the AI Chat Protocol, in the order of the specification."""
    values = observed.streamed.objects
    findings = (
        *_request_findings(observed),
        *_complete_findings(observed),
        *_message(observed.came),
        *_stream_findings(observed.streamed),
        *_deltas(values),
        _first_context(values),
        *_context_findings(observed),
        *_state_findings(observed),
        *_error_findings(observed),
    )
    return judged_by_the_followed(findings)


def _request_findings(observed: Observations) -> Iterator[Finding]:
    response, answered = observed.streamed.response, observed.streamed.answered

    def asked(rule: str, held: bool, evidence: str) -> Finding:
        return finding(rule, BOTH, held if answered else None, evidence)

    by_path = without_query(response.url).rstrip("/").endswith("/stream")
    requests = response.tried or ((response.url, response.status),)
    tried = ", ".join(f"POST {path_of(url)}: {status}" for url, status in requests)
    wanted = "context.overrides is required" if observed.needs_context else ""
    yield asked(
        "The conversation is sent as “messages”",
        observed.messages_key == "messages",
        f"sent as “{observed.messages_key}”",
    )
    yield asked("Streaming is requested at the path “…/stream”", by_path, tried)
    yield asked("Requests without a context are answered", not observed.needs_context, wanted)
    error = observed.example.answer.error if observed.example is not None else None
    yield finding(
        "Requests with a context and a session state are answered, as in the READMEs’ example",
        "README",
        None if observed.example is None else observed.example.answered,
        error.message if error else "",
    )


def _complete_findings(observed: Observations) -> Iterator[Finding]:
    """The rules of an answer that is not streamed, of any shape."""
    complete = observed.came
    status, content_type = (complete.response.status, complete.content_type) if complete else (None, "")
    held = status == 200 if complete or observed.only_streams else None
    yield finding(
        "Non-streaming responses have status 200", "README", held, observed.only_streams or f"status {status}"
    )
    is_json = is_media_type(content_type, "application/json") if complete else None
    rule = "Non-streaming responses have the content type application/json"
    yield finding(rule, "README", is_json, f"content-type: {content_type}")


def _message(complete: Sent | None) -> Iterator[Finding]:
    message = object_in(complete.json_object, "message") if complete else {}
    named = isinstance(message.get("content"), str) if complete else None
    rule = "A non-streaming response is an object whose “message” has “content”"
    yield finding(rule, BOTH, named, complete.body if complete else "")
    role = message.get("role")
    rule = "A message’s “role” is assistant, user or system"
    yield finding(rule, BOTH, role in _ROLES if named else None, f'"role": {as_json(role)}')


def _stream_findings(streamed: Sent) -> Iterator[Finding]:
    """The rules of a stream of objects of any shape."""
    status, media_type, lines = streamed.response.status, streamed.content_type, streamed.lines
    yield finding("Streaming responses have status 200", "README", status == 200, f"status {status}")
    for name, source in (("application/json-lines", SAMPLES), ("application/jsonl", MICROSOFT)):
        rule = f"Streaming responses have the content type {name}"
        yield finding(rule, source, is_media_type(media_type, name), f"content-type: {media_type}")
    odd = next((line for line in lines if not isinstance(value_of(line), Mapping)), None)
    held = odd is None if lines else None
    yield finding("Each line of a stream is one JSON object", BOTH, held, odd or "".join(lines[:1]))
    complete = streamed.answer.complete if streamed.objects else None
    flaw = streamed.answer.incomplete_details.detail if streamed.answer.incomplete_details else ""
    yield finding("The answer is complete when the response body ends", BOTH, complete, flaw)


def _deltas(values: Sequence[JsonObject]) -> Iterator[Finding]:
    typed = each(values, lambda one: _is_error(one) or isinstance(one.get("delta"), Mapping))
    yield finding("Each object of a stream has an object “delta”", BOTH, *typed)
    deltas = [delta for value in values if isinstance(delta := value.get("delta"), Mapping)]
    strings = each(deltas, lambda delta: isinstance(delta.get("content", ""), str))
    yield finding("A delta’s “content”, if present, is a string", "TypeSpec", *strings)
    roles = each(deltas, lambda delta: delta.get("role", "assistant") in _ROLES)
    yield finding("A delta’s “role”, if present, is assistant, user or system", "TypeSpec", *roles)


def _is_error(value: JsonObject) -> bool:
    return value.get("error") is not None


def _first_context(values: Sequence[JsonObject]) -> Finding:
    streamed = [one for one in values if "delta" in one or ("message" not in one and object_in(one, "context"))]
    carries = [bool(object_in(value, "context")) for value in streamed]
    rule = "The first object of a stream has the context, if any"
    return finding(rule, "README", carries[0] if any(carries) else None, as_json(streamed[0]) if streamed else "")


def _context_findings(observed: Observations) -> Iterator[Finding]:
    found = [value["context"] for value in observed.values if value.get("context") is not None]
    yield finding("A context is an object", BOTH, *each(found, lambda one: isinstance(one, Mapping)))
    contexts = [context for context in found if isinstance(context, Mapping)]
    flat = each(contexts, lambda context: not isinstance(context.get("context"), Mapping))
    yield finding("Context fields are not nested in another “context”", "README", *flat)
    shapes: Iterable[tuple[str, str, Callable[[Json], bool]]] = (
        ("data_points", "“data_points” is an object with the lists “text” and “images”", _is_data_points),
        ("thoughts", "“thoughts” is a list of steps with “title” and “description”", _is_thoughts),
        ("followup_questions", "“followup_questions” is a list of strings", _is_strings),
    )
    for key, rule, fits in shapes:
        held, shown = each((context[key] for context in contexts if context.get(key) is not None), fits)
        yield finding(rule, "README", held, f'"{key}": {shown}' if shown else "")


def _is_data_points(value: Json) -> bool:
    if not isinstance(value, Mapping):
        return False
    lists = [value[key] for key in ("text", "images") if value.get(key) is not None]
    known = not value or bool(value.keys() & {"text", "images"})
    return known and all(isinstance(found, list) for found in lists) and _is_strings(value.get("text") or [])


def _is_thoughts(value: Json) -> bool:
    return isinstance(value, list) and all(
        isinstance(step, Mapping) and isinstance(step.get("title"), str) and "description" in step for step in value
    )


def _is_strings(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _state_findings(observed: Observations) -> Iterator[Finding]:
    values = [*observed.streamed.objects, *([observed.complete.json_object] if observed.complete else [])]
    carrying = [value for value in values if value.keys() & {"session_state", "sessionState"}]
    for name, source in (("session_state", SAMPLES), ("sessionState", MICROSOFT)):
        named = next((value for value in carrying if name in value), None)
        shown = named or next(iter(carrying), {})
        evidence = ", ".join(f'"{key}": {as_json(shown[key])}' for key in shown if key.startswith("session"))
        held = named is not None if carrying else None
        yield finding(f"The session state is named “{name}”", source, held, evidence)


def _error_findings(observed: Observations) -> Iterator[Finding]:
    refusals = [(one.status, one.body.decode("utf-8", "replace")) for one in observed.refusals]
    asked = [sent for sent in (observed.complete, observed.example) if sent is not None and not sent.answered]
    refusals += [(sent.response.status, sent.body) for sent in asked]
    refused = [
        (status, body)
        for status, body in refusals
        if status is not None and (status >= 300 or reports_an_error(value_of(body)))
    ]
    odd = next((f"status {status}: {body}" for status, body in refused if not 400 <= status < 600), "")
    status, body = refused[0] if refused else (None, "")
    held = not odd if refused else None
    yield finding("Errors have a status from 400 to 599", "README", held, odd or f"status {status}")
    value = value_of(body)
    error = value.get("error") if isinstance(value, Mapping) else None
    coded = isinstance(error, Mapping) and all(isinstance(error.get(key), str) for key in ("code", "message"))
    rules: tuple[tuple[str, Source, bool], ...] = (
        ("Errors are returned as a string in “error”", "README", isinstance(error, str)),
        ("Errors are returned in “error” with a “code” and a “message”", "TypeSpec", coded),
    )
    for rule, source, held in rules:
        yield finding(rule, source, held if refused else None, body, topic="error")


def judge_sample(observed: Observations) -> tuple[Finding, ...]:
    """Every rule of the protocol's shape of 2026, in the order of the protocol's.

    Contexts and pieces of text are events with a `type`. Rules that only Microsoft's specification has are left out.
    Source: azure-search-openai-demo, `app/backend/approaches/chatreadretrieveread.py` (`run_with_streaming`,
    `run_without_streaming`) since April 2026. No published document describes that shape.
    """
    complete = observed.came
    is_text = isinstance(complete.json_object.get("output_text"), str) if complete else None
    rule = "A non-streaming response is an object with a string “output_text”"
    findings = (
        *_request_findings(observed),
        *_complete_findings(observed),
        finding(rule, _SAMPLE, is_text, complete.body if complete else ""),
        *_stream_findings(observed.streamed),
        *_sample_events(observed.streamed.objects),
        *_context_findings(observed),
        *_state_findings(observed),
        *_error_findings(observed),
    )
    return tuple(replace(one, source=_SAMPLE) for one in findings if one.source not in _OF_MICROSOFT)


def _sample_events(values: Sequence[JsonObject]) -> Iterator[Finding]:
    typed = each(values, lambda one: _is_error(one) or isinstance(one.get("type"), str))
    yield finding("Each object of a stream has a string “type” or an “error”", _SAMPLE, *typed)
    carries = each(
        values[:1], lambda one: one.get("type") == "response.context" and isinstance(one.get("context"), Mapping)
    )
    rule = "The first object of a stream is a “response.context” with the context"
    yield finding(rule, _SAMPLE, *carries)
    texts = [value for value in values if value.get("type") == "response.output_text.delta" and not _is_error(value)]
    rule = "Text is sent as “response.output_text.delta” objects with a string “delta”"
    yield finding(rule, _SAMPLE, *each(texts, lambda text: isinstance(text.get("delta"), str)))
