"""What backends say when they fail, in words for a person.

Errors come as strings, numbers, lists, objects in a dozen shapes, Python reprs, HTML pages and stack traces.
The functions here find the words in them and leave out what is no business of a person's: traces, markup,
keys.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from chat_ui.protocol.events import ErrorInfo, Json, JsonObject

MAX_MESSAGE: Final = 600
NOTHING_SAID: Final = "The backend reported an error without saying what it was."
CONTENT_FILTER: Final = "The answer was stopped by the backend's content filter. Try to word the question differently."

_HTML = re.compile(r"<(?:!doctype|html|head|body|title|h1|pre|div|p|br)\b[^>]*>", re.IGNORECASE)
_HTML_WORDS = tuple(
    re.compile(rf"<{tag}\b[^>]*>(.*?)</{tag}\s*>", re.IGNORECASE | re.DOTALL) for tag in ("title", "h1", "pre", "p")
)
_TAG = re.compile(r"<[^>]{0,2000}>")
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\):.*?(?=^\w[\w.]*(?:Error|Exception|Exit|Interrupt|Warning)\b|\Z)",
    re.DOTALL | re.MULTILINE,
)
_TRACE_LINE = re.compile(
    r"^\s*(?:at .+|File \"[^\"]*\", line \d+.*|--- End of .*|[~^]{2,}\s*|\.\.\. \d+ more)$", re.MULTILINE
)
_FRAMES_INLINE = re.compile(r"(?:\s+at [\w$.<>\[\] ]+ ?\([^)]*:\d+(?::\d+)?\))+")
_SECRET = re.compile(r"(?i)\b(bearer\s+|sk-|api[-_ ]?key['\"]?\s*[:=]\s*['\"]?)[\w.~+/=-]{6,}")
_PYTHON_REPR = re.compile(r"Error code: (\d{3}) - (\{.*\})\s*\Z", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_WORDS = ("message", "msg", "detail", "error_description", "description", "title", "reason", "text")


def plain_words(text: str) -> str:
    """`text` without traces, markup, control characters and keys, at most `MAX_MESSAGE` characters; may be
    empty.
    """
    text = text[: 20 * MAX_MESSAGE]
    if _HTML.search(text):
        text = _html_words(text)
    text = _TRACEBACK.sub("", text)
    text = _FRAMES_INLINE.sub("", _TRACE_LINE.sub("", text))
    text = _SECRET.sub(r"\1…", text)
    text = _CONTROL.sub("", text.replace("\r\n", "\n"))
    text = re.sub(r"[ \t]*\n\s*", "\n", text).strip()
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1].rstrip() + "…"


def _html_words(page: str) -> str:
    found: list[str] = []
    for element in _HTML_WORDS[:3]:
        match = element.search(page)
        if match:
            first = re.split(r"<br\s*/?>|\n", match.group(1).strip(), maxsplit=1, flags=re.IGNORECASE)[0]
            words = " ".join(html.unescape(_TAG.sub(" ", first)).split())
            if words and not any(words in other for other in found):
                found = [other for other in found if other not in words] + [words]
    return ": ".join(found) if found else " ".join(html.unescape(_TAG.sub(" ", page)).split())[:200]


def page_title(page: str) -> str:
    """What an HTML page calls itself, or an empty string."""
    match = _HTML_WORDS[0].search(page) or _HTML_WORDS[1].search(page)
    return plain_words(" ".join(html.unescape(_TAG.sub(" ", match.group(1))).split()))[:120] if match else ""


def error_of(error: Json, beside: JsonObject | None = None) -> ErrorInfo:
    """The error that the value `error` reports; `beside` is the object it stood in, which may say more."""
    beside = beside or {}
    message = _words(error)
    code = _code(error) or _code(beside)
    said = beside.get("message")
    if isinstance(said, str) and said.strip() and plain_words(said) != message:
        more = plain_words(said)
        message = f"{message}: {more}" if message else more
    elif not message:
        message = _words(beside.get("detail"))
    unwrapped = _python_repr(message)
    if unwrapped:
        return unwrapped
    if not message:
        message = f"The backend reported the error {code} without saying more." if code else NOTHING_SAID
    if code == "content_filter":
        message = message if "filter" in message.lower() else f"{message} ({CONTENT_FILTER})"
    return ErrorInfo(message, code=code)


def _python_repr(message: str) -> ErrorInfo | None:
    """The OpenAI client's `Error code: 429 - {'error': {…}}`, which backends pass on as a string."""
    match = _PYTHON_REPR.search(message)
    if not match:
        return None
    try:
        value = ast.literal_eval(match.group(2))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    words = _words(value)
    return ErrorInfo(words, code=_code(value) or match.group(1)) if words else None


def _words(value: Json, depth: int = 0) -> str:
    if value is None or isinstance(value, bool) or depth > 6:
        return ""
    if isinstance(value, str):
        stripped = value.strip()
        if stripped[:1] in {"{", "["} and depth < 3:
            try:
                inner = _words(json.loads(stripped), depth + 1)
            except (ValueError, RecursionError):
                inner = ""
            if inner:
                return inner
        return plain_words(value)
    if isinstance(value, int | float):
        return f"Error {value}"
    if isinstance(value, Mapping):
        return _object_words(value, depth)
    words = [words for item in list(value)[:10] if (words := _words(item, depth + 1))]
    return plain_words("; ".join(words))


def _object_words(value: JsonObject, depth: int) -> str:
    if value.get("error") is not None:
        inner = _words(value["error"], depth + 1)
        if inner:
            return inner
    for key in _WORDS:
        words = _words(value.get(key), depth + 1)
        if words:
            where = value.get("loc")
            if key == "msg" and isinstance(where, list | tuple) and where:
                words = f"{'.'.join(str(part) for part in where[:8])}: {words}"
            return plain_words(words)
    for key in ("errors", "innererror", "inner_error"):
        words = _words(value.get(key), depth + 1)
        if words:
            return words
    return ""


def _code(value: Json, depth: int = 0) -> str | None:
    if not isinstance(value, Mapping) or depth > 3:
        return None
    inner = _code(value.get("error"), depth + 1)
    if inner:
        return inner
    for key in ("code", "type", "statusCode", "status"):
        code = value.get(key)
        if isinstance(code, str | int) and not isinstance(code, bool) and str(code).strip() and code != "error":
            return plain_words(str(code))[:80] or None
    return None


def http_error(status: int, headers: Mapping[str, str], body: bytes, url: str) -> ErrorInfo:
    """The error that an HTTP status of 400 or more means, with what its body says; never the raw page."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    code: str | None = None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        said = plain_words(_first_object_words(text))
    else:
        if isinstance(value, Mapping) and value.get("error") is not None:
            info = error_of(value["error"], value)
            said, code = "" if info.message == NOTHING_SAID else info.message, info.code
        else:
            said, code = _words(value), _code(value)
    message = f"The backend answered with status {status}"
    message += f": {said}" if said else f" ({_STATUS_WORDS.get(status, 'no reason given')})."
    hint = _STATUS_HINTS.get(status)
    if hint:
        message = f"{message.rstrip()}{'' if message.rstrip()[-1:] in '.!?…' else '.'} {hint}"
    if status == 404:
        message += f" Nothing answers at {url}."
    return ErrorInfo(message, code=code, status=status, retry_after=retry_after(headers.get("retry-after")))


def _first_object_words(text: str) -> str:
    """The words of an error body that is JSON lines or server-sent events rather than one JSON value."""
    for line in text.splitlines()[:20]:
        payload = line.removeprefix("data:").strip()
        if payload.startswith("{"):
            try:
                words = _words(json.loads(payload, strict=False))
            except (ValueError, RecursionError):
                continue
            if words:
                return words
    return text


_STATUS_WORDS: Final = {
    400: "it could not read the request",
    401: "not authorised",
    403: "forbidden",
    404: "not found",
    405: "method not allowed",
    408: "request time-out",
    413: "the request is too large",
    415: "it does not take JSON",
    422: "it could not use the request",
    429: "too many requests",
    500: "internal error",
    501: "not implemented",
    502: "bad gateway",
    503: "service unavailable",
    504: "gateway time-out",
}
_STATUS_HINTS: Final = {
    401: "Check the key or sign in again.",
    403: "Check that the key is allowed to do this.",
    405: "Check the path of the address.",
    429: "Wait a moment, then try again.",
    502: "The backend behind the gateway may be down.",
    503: "Try again in a moment.",
}


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a `Retry-After` header asks to wait, from a number or an HTTP date; None if it says
    neither.
    """
    if not value:
        return None
    value = value.strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d+)?", value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
