"""The rules of the AI Chat Protocol, each as a function of what a backend sent.

Version 2024-05-29 of the AI Chat Protocol exists twice: as Azure-Samples' README (HTTP protocol for AI chat apps), and
as Microsoft's specification, whose README stands beside TypeSpec. The two differ in the name of the session state and
in the content type of a stream; Microsoft's TypeSpec, in the form of an error and in how strictly a delta is typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.conformance.report import (
    MICROSOFT,
    SAMPLES,
    Finding,
    Source,
    Specification,
    judged_by_the_followed,
)
from chat_ui.protocol.conformance.seen import (
    Sent,
    body_of,
    finding,
    lines_of,
    objects_of,
    status_in_words,
    whole_values,
)
from chat_ui.protocol.dialects.wire_rules import as_json, is_media_type, reports_an_error, value_of
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.transport.probe import Probe

Fits: TypeAlias = Callable[[Json], bool]
BOTH: Final[Source] = "README and TypeSpec"
SAMPLE_SPECIFICATION: Final = Specification("the source of azure-search-openai-demo since April 2026", None)
_SAMPLE: Final[Source] = "azure-search-openai-demo"
_OF_MICROSOFT: Final = frozenset({"TypeSpec", MICROSOFT})
_ROLES: Final = ("assistant", "user", "system")


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a backend was seen doing; None is what it was not asked."""

    messages_key: str
    needs_context: bool
    streamed: Sent
    optional: Sent | None
    """The streamed answer with follow-up questions, where that had to be asked for."""
    whole: Sent | None
    no_whole: str
    """Why the backend cannot answer without a stream; empty where it can."""
    example: Sent | None
    """The response to the READMEs' own example of a request: an empty context and a null session state."""
    refusals: tuple[Probe, ...]
    """The answers to a body without messages, and to one with none in its list."""


def judge(seen: Seen) -> tuple[Finding, ...]:
    """Every rule, in the order of the specification."""
    values = list(objects_of(seen.streamed.wire))
    findings = (
        *_request_findings(seen),
        *_whole_findings(seen),
        *_message(seen.whole),
        *_stream_findings(seen.streamed),
        *_deltas(values),
        _first_context(values),
        *_context_findings(seen, values),
        *_state_findings(values + whole_values(seen.whole)),
        *_error_findings(seen),
    )
    return judged_by_the_followed(findings)


def _request_findings(seen: Seen) -> Iterator[Finding]:
    """How the rules of a question stand."""
    wire, answered = seen.streamed.wire, seen.streamed.answered
    yield finding(
        "The conversation is sent as “messages”", BOTH, seen.messages_key == "messages" if answered else None,
        f"sent as “{seen.messages_key}”",
    )  # fmt: skip
    by_path = without_query(wire.url).rstrip("/").endswith("/stream")
    tried = ", ".join(f"POST {url}: {status}" for url, status in wire.tried)
    yield finding(
        "A streamed answer is asked for at the path “…/stream”", BOTH,
        by_path if answered else None, tried or f"POST {wire.url}: {wire.status}",
    )  # fmt: skip
    yield finding(
        "A request without a context is answered", BOTH,
        not seen.needs_context if answered else None,
        "context.overrides is required" if seen.needs_context else "",
    )  # fmt: skip
    example = seen.example
    error = example.answer.error if example is not None else None
    yield finding(
        "A request with a context and a session state, as in the READMEs’ example, is answered", "README",
        None if example is None else example.answered, error.message if error else "",
    )  # fmt: skip


def _whole_findings(seen: Seen) -> Iterator[Finding]:
    """How the rules of an answer that is not streamed stand, whatever its shape."""
    whole, no_whole = _came(seen.whole), seen.no_whole
    status = whole.wire.status if whole else None
    yield finding(
        "An answer that is not streamed has status 200", "README", status == 200 if whole or no_whole else None,
        no_whole or status_in_words(status),
    )  # fmt: skip
    content_type = whole.header("content-type") if whole else ""
    yield finding(
        "An answer that is not streamed has the content type application/json", "README",
        is_media_type(content_type, "application/json") if whole else None, f"content-type: {content_type}",
    )  # fmt: skip


def _came(whole: Sent | None) -> Sent | None:
    return whole if whole is not None and whole.wire.status is not None else None


def _message(sent: Sent | None) -> Iterator[Finding]:
    whole = _came(sent)
    message = (whole_values(whole) or [{}])[0].get("message")
    named = isinstance(message, Mapping) and isinstance(message.get("content"), str)
    yield finding(
        "An answer that is not streamed is one object with a “message” that has “content”",
        BOTH,
        named if whole else None,
        body_of(whole.wire) if whole else "",
    )
    role = message.get("role") if isinstance(message, Mapping) else None
    yield finding(
        "A message’s “role” is assistant, user or system", BOTH, role in _ROLES if whole and named else None,
        f'"role": {as_json(role)}',
    )  # fmt: skip


def _stream_findings(streamed: Sent) -> Iterator[Finding]:
    """How the rules of a stream stand, whatever the shape of its objects."""
    wire = streamed.wire
    yield finding("A streamed answer has status 200", "README", wire.status == 200, status_in_words(wire.status))
    media_type = streamed.header("content-type")
    types: tuple[tuple[str, Source], ...] = (("application/json-lines", SAMPLES), ("application/jsonl", MICROSOFT))
    for name, source in types:
        rule = f"A streamed answer has the content type {name}"
        yield finding(rule, source, is_media_type(media_type, name), f"content-type: {media_type}")
    lines = lines_of(wire)
    odd = next((line for line in lines if not isinstance(value_of(line), Mapping)), None)
    yield finding(
        "Each line of a streamed answer is one JSON object",
        BOTH,
        odd is None if lines else None,
        odd or (lines[0] if lines else ""),
    )
    yield finding(
        "The answer ends with the end of the body, whole", BOTH,
        streamed.answer.complete if any(objects_of(wire)) else None,
        streamed.answer.flaw.detail if streamed.answer.flaw else "",
    )  # fmt: skip


def _deltas(values: Sequence[JsonObject]) -> Iterator[Finding]:
    without = next(
        (value for value in values if not _is_error(value) and not isinstance(value.get("delta"), Mapping)), None
    )
    shown = without if without is not None else (values[0] if values else None)
    yield finding(
        "Each object of a streamed answer has a “delta” that is an object",
        BOTH,
        without is None if values else None,
        as_json(shown) if shown else "",
    )
    deltas = [delta for value in values if isinstance(delta := value.get("delta"), Mapping)]
    odd = next((d for d in deltas if "content" in d and not isinstance(d["content"], str)), None)
    yield finding(
        "A delta’s “content” is a string where it is there", "TypeSpec", odd is None if deltas else None,
        as_json(odd) if odd else "",
    )  # fmt: skip
    odd = next((d for d in deltas if "role" in d and d["role"] not in _ROLES), None)
    yield finding(
        "A delta’s “role” is assistant, user or system where it is there", "TypeSpec",
        odd is None if deltas else None, as_json(odd) if odd else "",
    )  # fmt: skip


def _is_error(value: JsonObject) -> bool:
    return value.get("error") is not None


def _first_context(values: Sequence[JsonObject]) -> Finding:
    streamed = [value for value in values if "delta" in value or ("message" not in value and _context_of(value))]
    carrying = [index for index, value in enumerate(streamed) if _context_of(value)]
    return finding(
        "The first object of a stream carries the context, where there is one", "README",
        carrying[0] == 0 if carrying else None, as_json(streamed[0]) if streamed else "",
    )  # fmt: skip


def _context_findings(seen: Seen, streamed: Sequence[JsonObject]) -> Iterator[Finding]:
    """How the rules of contexts stand, wherever those are."""
    values = [*streamed, *(objects_of(seen.optional.wire) if seen.optional else ()), *whole_values(seen.whole)]
    found = [value["context"] for value in values if value.get("context") is not None]
    odd = next((context for context in found if not isinstance(context, Mapping)), None)
    yield finding(
        "A context is an object", BOTH, odd is None if found else None, as_json(odd) if odd is not None else ""
    )
    contexts = [context for context in found if isinstance(context, Mapping)]
    nested = next((context for context in contexts if isinstance(context.get("context"), Mapping)), None)
    yield finding(
        "What a context holds stands in it, and not in a “context” inside it", "README",
        nested is None if contexts else None, as_json(nested) if nested else "",
    )  # fmt: skip
    yield _shape(
        "data_points", "“data_points” is an object with the lists “text” and “images”", contexts, _is_data_points
    )
    yield _shape("thoughts", "“thoughts” is a list of steps with “title” and “description”", contexts, _is_thoughts)
    yield _shape("followup_questions", "“followup_questions” is a list of strings", contexts, _is_strings)


def _context_of(value: JsonObject) -> JsonObject:
    context = value.get("context")
    return context if isinstance(context, Mapping) else {}


def _shape(key: str, rule: str, contexts: Iterable[JsonObject], fits: Fits) -> Finding:
    found = [context[key] for context in contexts if context.get(key) is not None]
    odd = next((value for value in found if not fits(value)), None)
    shown = odd if odd is not None else (found[0] if found else None)
    return finding(rule, "README", odd is None if found else None, f'"{key}": {as_json(shown)}' if found else "")


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


def _state_findings(values: Sequence[JsonObject]) -> Iterator[Finding]:
    """How the rules of the session state stand."""
    carrying = [value for value in values if value.keys() & {"session_state", "sessionState"}]
    names: tuple[tuple[str, Source], ...] = (("session_state", SAMPLES), ("sessionState", MICROSOFT))
    for name, source in names:
        shown = next((value for value in carrying if name in value), carrying[0] if carrying else None)
        evidence = (
            ", ".join(f'"{key}": {as_json(shown[key])}' for key in shown if key.startswith("session")) if shown else ""
        )
        yield finding(
            f"The session state is called “{name}”", source,
            any(name in value for value in carrying) if carrying else None, evidence,
        )  # fmt: skip


def _error_findings(seen: Seen) -> Iterator[Finding]:
    """How the rules of errors stand."""
    refusals = [(one.status, one.body.decode("utf-8", "replace")) for one in seen.refusals if one.status is not None]
    asked = [sent for sent in (seen.whole, seen.example) if sent is not None and not sent.answered]
    refusals += [(sent.wire.status, body_of(sent.wire)) for sent in asked if sent.wire.status is not None]
    refused = [(status, body) for status, body in refusals if status >= 300 or reports_an_error(value_of(body))]
    other_status = next(((status, body) for status, body in refused if not 400 <= status < 600), None)
    status, body = other_status or (refused[0] if refused else (None, ""))
    yield finding(
        "What cannot be answered gets a status from 400 to 599", "README",
        other_status is None if refused else None,
        f"status {status}: {body}" if other_status else status_in_words(status),
    )  # fmt: skip
    body = refused[0][1] if refused else ""
    value = value_of(body)
    error = value.get("error") if isinstance(value, Mapping) else None
    coded = isinstance(error, Mapping) and isinstance(error.get("code"), str) and isinstance(error.get("message"), str)
    rules: tuple[tuple[str, Source, bool], ...] = (
        ("What cannot be answered gets an “error” that is a string", "README", isinstance(error, str)),
        ("What cannot be answered gets an “error” with a “code” and a “message”", "TypeSpec", coded),
    )
    for rule, source, held in rules:
        yield finding(rule, source, held if refused else None, body, topic="error")


def judge_sample(seen: Seen) -> tuple[Finding, ...]:
    """Every rule of the protocol's shape of 2026, whose contexts and pieces of text are events with a `type`, in the
    order of the protocol's. The rules of Microsoft's specification alone are none of the sample's.

    Source: azure-search-openai-demo, `app/backend/approaches/chatreadretrieveread.py` (`run_with_streaming`,
    `run_without_streaming`) since April 2026. No published document describes that shape.
    """
    values = list(objects_of(seen.streamed.wire))
    findings = (
        *_request_findings(seen),
        *_whole_findings(seen),
        _output_text(seen),
        *_stream_findings(seen.streamed),
        *_sample_events(values),
        *_context_findings(seen, values),
        *_state_findings(values + whole_values(seen.whole)),
        *_error_findings(seen),
    )
    return tuple(replace(one, source=_SAMPLE) for one in findings if one.source not in _OF_MICROSOFT)


def _output_text(seen: Seen) -> Finding:
    whole = _came(seen.whole)
    value = (whole_values(whole) or [{}])[0]
    return finding(
        "An answer that is not streamed is one object with an “output_text” that is a string", _SAMPLE,
        isinstance(value.get("output_text"), str) if whole else None, body_of(whole.wire) if whole else "",
    )  # fmt: skip


def _sample_events(values: Sequence[JsonObject]) -> Iterator[Finding]:
    events = [value for value in values if not _is_error(value)]
    odd = next((event for event in events if not isinstance(event.get("type"), str)), None)
    yield finding(
        "Each object of a streamed answer has a “type” that is a string, or an “error”", _SAMPLE,
        odd is None if values else None, as_json(odd or values[0]) if values else "",
    )  # fmt: skip
    first = values[0] if values else {}
    carries = first.get("type") == "response.context" and isinstance(first.get("context"), Mapping)
    yield finding(
        "The first object of a stream is a “response.context” that carries the context", _SAMPLE,
        carries if values else None, as_json(first) if values else "",
    )  # fmt: skip
    texts = [event for event in events if event.get("type") == "response.output_text.delta"]
    odd = next((event for event in texts if not isinstance(event.get("delta"), str)), None)
    yield finding(
        "The text comes in objects of the type “response.output_text.delta”, whose “delta” is a string", _SAMPLE,
        odd is None if texts else None, as_json(odd or texts[0]) if texts else "",
    )  # fmt: skip
