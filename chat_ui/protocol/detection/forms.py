"""The form of a request that a backend takes, as its refusal of another form shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal
from urllib.parse import urlsplit

from chat_ui.protocol.backends.backend import Backend, configured_like
from chat_ui.protocol.backends.request import ChatRequest, is_form, request_body
from chat_ui.protocol.dialects.family import KnownBackend
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS, PLACES
from chat_ui.protocol.events import ErrorInfo, JsonObject
from chat_ui.protocol.transport.http_errors import is_unhandled, says_nothing

REFUSALS: Final = frozenset({400, 404, 415, 422, 500, None})
"""Statuses of a refusal that may concern the form; None is that of an error within an answer of status 200."""
_WANTED: Final = (
    r"required|missing|must provide|must have|must be (?:set|given)|specified|undefined|null\b|none\b|empty"
)


def _misses(key: str, wanted: str = _WANTED) -> re.Pattern[str]:
    """Matches a refusal because `key` is missing: the key in quotation marks, unless its value follows, or near a word
    that says so.
    """
    return re.compile(
        rf"['\"`“]{key}['\"`”](?!\s*:)|\b{key}\b(?! (?:should|length|window|limit))[^;]{{0,30}}?\b(?:{wanted})"
        rf"|\b(?:missing|required|requires?|provide|specify|keyerror)(?: \w+){{0,3}}[\W_]{{1,4}}{key}\b",
        re.IGNORECASE,
    )


_MISSES_CONTEXT: Final = _misses("(?:context|overrides)")
_MISSES_KEY: Final[Mapping[str, re.Pattern[str]]] = {"messages": _misses("messages"), "input": _misses("input")}
_MISSES_KEYS_OF: Final[Mapping[str, re.Pattern[str]]] = {
    name: _misses(f"(?:{known.wants})", rf"{_WANTED}|invalid input|expected")
    for name, known in KNOWN_BACKENDS.items()
    if known.wants
}
_MISSES_MODEL: Final = _misses("model(?!'s)", rf"{_WANTED}|not found|not exist")
_REFUSES_CONTEXT: Final = re.compile(
    r"\b(?:context|overrides)\b.{0,60}?(?:should be|must be|not permitted|not allowed|not supported|unexpected|unknown"
    r"|unrecogni[sz]ed)|(?:unexpected|unknown|unrecogni[sz]ed|additional|extra).{0,40}\b(?:context|overrides)\b",
    re.IGNORECASE | re.DOTALL,
)
_MISSES_LIST: Final = re.compile(r"Cannot read propert\w+ of undefined \(reading '(?:map|some|filter|find)'\)")
"""The words of JavaScript for a list that is not there, such as the `parts` of a message."""


def misses_model(backend: Backend, error: ErrorInfo) -> bool:
    """Whether `error` asks for a model, where none was named."""
    return not backend.model and error.status in REFUSALS - {None} and bool(_MISSES_MODEL.search(error.message))


def wanted_by(said: str) -> KnownBackend | None:
    """The known backend whose form the words of a refusal ask for; None where they ask for none."""
    return next((KNOWN_BACKENDS[name] for name, misses in _MISSES_KEYS_OF.items() if misses.search(said)), None)


def form_from_refusal(backend: Backend, question: ChatRequest, error: ErrorInfo) -> Backend | None:
    """`backend` in the form that `error`, its refusal of `question`, asks for; None where it asks for none."""
    if error.status not in REFUSALS:
        return None
    said, form = error.message, backend
    wanted = wanted_by(said) if error.status is not None else None
    if wanted is not None and wanted.template.form is not backend.form:
        return configured_like(wanted.at(backend.url), backend)
    if backend.form is not None:
        refusal = backend.form.refusal
        in_other = replace(backend, form=backend.form.otherwise) if refusal and refusal.search(said) else backend
        return in_other if _asks(in_other, question) != _asks(backend, question) else None
    if error.status == 415 and backend.stream and is_form(backend, question):
        # Microsoft's sample in C# takes files where it answers as a whole alone.
        form = replace(form, stream=False)
    if _sends_context(backend, question) and _REFUSES_CONTEXT.search(said):
        is_flat = backend.overrides == "nested" and "context/overrides" in said
        form = replace(form, overrides="flat" if is_flat else "none", requires_context=False)
    elif _MISSES_CONTEXT.search(said):
        form = replace(form, overrides="nested", requires_context=True)
    if _MISSES_KEY[other := _other_key(backend)].search(said):
        form = replace(form, messages_key=other)
    return form if form != backend else None


def guessed_forms(backend: Backend, error: ErrorInfo) -> list[Backend]:
    """Other forms that `backend`, described by no form of its own, may take, likelier ones first, where `error` names
    no key: backends that check nothing fail like this over a missing key.

    Likeliest is a known backend whose paths are like this one, such as the AI SDK at `/api/chat`. There even an error
    without a word is one of the form: Next.js says nothing else. Known backends that are guessed have no path for
    streams.
    """
    if backend.form is not None:
        return []
    path = urlsplit(backend.url).path.rstrip("/")
    first: list[Backend] = []
    last: list[Backend] = []
    # Where chat backends are, a model may have failed, which a form that they can read would ask a second time.
    may_ask_again = path.endswith(PLACES) and is_unhandled(error)
    for known in KNOWN_BACKENDS.values() if backend.streaming != "path" else ():
        if known.guessed_at is not None:
            is_likely = known.guessed_at.search(path) is not None
            if is_likely or not (may_ask_again and known.has_plain_messages):
                (first if is_likely else last).append(configured_like(known.at(backend.url), backend))
    if is_unhandled(error):
        with_input = [replace(backend, messages_key="input")] if backend.messages_key == "messages" else []
        return [*first, *with_input, *last]
    if _MISSES_LIST.search(error.message):
        return [*first, *last]
    return first if says_nothing(error) else []


def _asks(backend: Backend, question: ChatRequest) -> JsonObject:
    return request_body(backend, question, stream_flag=None)


def _sends_context(backend: Backend, question: ChatRequest) -> bool:
    says_something = bool(question.overrides or backend.requires_context)
    return backend.overrides in {"nested", "flat"} and says_something


def _other_key(backend: Backend) -> Literal["messages", "input"]:
    return "input" if backend.messages_key == "messages" else "messages"
