"""Errors of backends, in words for a person.

Errors come as strings, numbers, lists, objects in a dozen shapes, Python reprs, HTML pages and stack traces. The
functions here find the words in them and leave out traces, markup and keys.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.dialects.objects import first_choice, kind_of, object_in, string_in
from chat_ui.protocol.events import ErrorInfo, Json, JsonObject
from chat_ui.protocol.translatable import msg

MAX_MESSAGE: Final = 600
_MOST_READ: Final = 4 * 1024
"""Characters of a string that is read as a Python repr."""
_CHAT_KEYS: Final = frozenset({"delta", "choices", "context", "output_text", "answer", "output", "response"})
_UNFINISHED: Final = frozenset({"failed", "incomplete", "cancelled"})
_COMPLETE: Final = frozenset({"response.completed", "response.done"})
"""Types of events that end a response, possibly an incomplete one."""
_FAILED: Final = frozenset({"error", "fail", "failed", "failure"})
_NAMES_OF_ERRORS: Final = ("error", "exception")
_HOLD_ERRORS: Final = ("errors", "err", "exception", "fault")
_SAY_ERRORS: Final = ("errorMessage", "error_message", "error_msg")
_STATUSES: Final = ("status", "statusCode", "status_code")
_BARE: Final = frozenset(
    {
        "message", "Message", "__type", "request_id", "requestId", "RequestId", "trace_id", "traceId", "timestamp",
        "path",
    }
)  # fmt: skip
"""Keys of a gateway's object with only the words of an error, such as of Kong or AWS API Gateway."""
_OF_A_PART: Final = frozenset({"SUBAGENT_ERROR"})
"""Types of events whose error is not the answer's."""
_DATA_KEYS: Final = frozenset({"data_points", "thoughts", "followup_questions", "citations"})
NOTHING_SAID: Final = msg("The backend reported an error without a message.")
CONTENT_FILTER: Final = msg("The backend's content filter stopped the answer. Try to rephrase the question.")
TOO_LONG: Final = msg(
    "The answer reached the backend's length limit (max_output_tokens). Ask for a shorter one, or raise the limit."
)

_HTML = re.compile(
    r"<(?:!doctype|html|head|body|title|meta|style|script|center|form|h[1-6]|pre|div|p|br|\?xml)\b[^<>]*+>",
    re.IGNORECASE,
)
_NOT_SHOWN = re.compile(r"<(style|script)\b.*?(?:</\1\b[^>]*(?:>|\Z)|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_OPENING = {tag: re.compile(rf"<{tag}\b[^<>]{{0,2000}}+>", re.IGNORECASE) for tag in ("title", "h1", "pre")}
_BREAK = re.compile(r"<br\s*/?>|\n", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,2000}+>")
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\):.*?(?=^[A-Za-z_][\w.]*(?::|$)|\Z)", re.DOTALL | re.MULTILINE
)
_TRACE_LINE = re.compile(
    r"^[ \t]*+(?:at .+|File \"[^\"\n]*+\", line \d+.*|--- End of .*|[~^]{2,}+[ \t]*+|\.\.\. \d+ more)$", re.MULTILINE
)
_FRAMES_INLINE = re.compile(r"(?<!\s)\s++at [\w$.<>\[\] ]{1,200}\([^)]{0,400}:\d+(?::\d+)?\)")
_SECRET = re.compile(r"(?i)\b(bearer\s+|sk-|api[-_ ]?key['\"]?\s*[:=]\s*['\"]?)[\w.~+/=-]{6,}")
_PYTHON_REPR = re.compile(r"Error code: (\d{3}) - (\{.*\})\s*\Z", re.DOTALL)
_ERROR_STATUS = re.compile(r"[45]\d\d", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
_WORDS = (
    "message", "Message", "msg", "detail", "faultstring", "error_description", "description", "title", "reason", "text",
    "errorText", "errorMessage", "error_message", "error_msg", "status_msg", "data", "content",
)  # fmt: skip


def plain_words(text: str) -> str:
    """`text` without traces, markup, control characters and keys, at most `MAX_MESSAGE` characters."""
    plain = _plain_words(text[: 20 * MAX_MESSAGE])
    return text if plain == text else plain


def _plain_words(text: str) -> str:
    if _HTML.search(text):
        text = _html_words(text)
    text = _TRACEBACK.sub("", text)
    text = _FRAMES_INLINE.sub("", _TRACE_LINE.sub("", text))
    text = _SECRET.sub(r"\1…", text)
    text = _CONTROL.sub("", text.replace("\r\n", "\n"))
    text = "\n".join(words for line in text.split("\n") if (words := line.strip()))
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1].rstrip() + "…"


def _html_words(page: str) -> str:
    page = _NOT_SHOWN.sub(" ", page)
    found: list[str] = []
    for tag in _OPENING:
        words = _without_markup(_BREAK.split(_element(page, tag).strip(), maxsplit=1)[0])
        if words and not any(words in other for other in found):
            found = [other for other in found if other not in words] + [words]
    return ": ".join(found) if found else _without_markup(page)[:200]


def _element(page: str, tag: str) -> str:
    opening = _OPENING[tag].search(page)
    if opening is None:
        return ""
    end = page.lower().find(f"</{tag}", opening.end())
    return page[opening.end() : end] if end >= 0 else ""


def _without_markup(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


def page_title(page: str) -> str:
    """The title of an HTML page, or an empty string."""
    return plain_words(_without_markup(_element(page, "title") or _element(page, "h1")))[:120]


def error_of(error: Json, beside: JsonObject | None = None) -> ErrorInfo:
    """The error in the value `error`; `beside` is the object around it, which may say more."""
    beside = beside or {}
    message = words_of(error)
    code = code_of(error) or code_of(beside)
    said = beside.get("message")
    if isinstance(said, str) and said.strip() and plain_words(said) != message:
        more = plain_words(said)
        message = f"{message}: {more}" if message else more
    elif not message:
        message = words_of(beside.get("detail"))
    if unwrapped := _python_repr(message):
        return unwrapped
    if not message:
        message = msg("The backend reported the error {code} without a message.", code=code) if code else NOTHING_SAID
    if code == "content_filter" and "filter" not in message.lower():
        message = msg("{problem} ({explanation})", problem=message, explanation=CONTENT_FILTER)
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
    words = words_of(value)
    return ErrorInfo(words, code=code_of(value) or match.group(1)) if words else None


def words_of(value: Json, depth: int = 0) -> str:
    """The words for a person in an error value of any shape, possibly empty."""
    if value is None or isinstance(value, bool) or depth > 6:
        return ""
    if isinstance(value, str):
        stripped = value.strip()
        if stripped[:1] in {"{", "["} and depth < 3:
            for read in (json.loads, ast.literal_eval) if len(stripped) <= _MOST_READ else (json.loads,):
                try:
                    inner = words_of(read(stripped), depth + 1)
                except (ValueError, SyntaxError, MemoryError, RecursionError):
                    continue
                if inner:
                    return inner
        return plain_words(value)
    if isinstance(value, int | float):
        return msg("Error {code}", code=str(value))
    if isinstance(value, Mapping):
        return _object_words(value, depth)
    words = [words for item in list(value)[:10] if (words := words_of(item, depth + 1))]
    return plain_words("; ".join(words))


def _object_words(value: JsonObject, depth: int) -> str:
    if inner := words_of(value.get("error"), depth + 1):
        return inner
    for key in _WORDS:
        if words := words_of(value.get(key), depth + 1):
            # Pydantic gives the place in `loc`, and zod in `path`.
            where = value.get({"msg": "loc", "message": "path"}.get(key, ""))
            if isinstance(where, list | tuple) and where:
                words = f"{'.'.join(str(part) for part in where[:8])}: {words}"
            return plain_words(words)
    for key in ("errors", "innererror", "inner_error", "issues"):
        if words := words_of(value.get(key), depth + 1):
            return words
    of_fields = list(object_in(value, "fieldErrors").items())[:10]
    told = ((field, words_of(errors, depth + 1)) for field, errors in of_fields)
    return plain_words("; ".join(f"{field}: {words}" for field, words in told if words))


def code_of(value: Json, depth: int = 0) -> str | None:
    """The innermost code in an error value."""
    if not isinstance(value, Mapping) or depth > 3:
        return None
    if inner := code_of(value.get("error"), depth + 1):
        return inner
    for key in ("code", "error_code", "type", "statusCode", "status"):
        code = value.get(key)
        if isinstance(code, str | int) and not isinstance(code, bool) and str(code).strip() and code != "error":
            return plain_words(str(code))[:80] or None
    return None


def error_in(value: JsonObject, event: str | None) -> ErrorInfo | None:
    """The error in an object, in any form; `event` is the name of its server-sent event."""
    kind, status, response = kind_of(value), string_in(value, "status"), object_in(value, "response")
    if kind in _OF_A_PART:
        return None
    if kind in {"response.failed", "response.incomplete", "response.cancelled", "response.error"}:
        return _failed_response(kind, value, response)
    if kind in _COMPLETE and string_in(response, "status") in _UNFINISHED:
        return _failed_response(f"response.{response['status']}", value, response)
    if status in _UNFINISHED and _is_response(value):
        return _failed_response(f"response.{status}", value, {})
    if (error := value.get("error")) is not None and error is not False:
        return error_of(error, value)
    if any(name in _NAMES_OF_ERRORS for name in (kind, event, value.get("object"), value.get("event"))):
        return error_of(value)
    choice = first_choice(value) or {}
    inner = (object_in(outer, key) for outer in (choice, value) for key in ("delta", "message"))
    for place in (choice, *inner, response):
        if place.get("error") is not None:
            return error_of(place["error"])
    if any(value.get(key) for key in _CHAT_KEYS) or isinstance(value.get("message"), Mapping):
        return None
    return _unnamed_error(value, status)


def _unnamed_error(value: JsonObject, status: str) -> ErrorInfo | None:
    """The error in an object of no dialect that does not call it an error."""
    has_message = "message" in value
    if has_message and ("code" in value or "error_code" in value):
        return error_of(value)
    if not any(value.get(key) for key in _DATA_KEYS):
        for key in _HOLD_ERRORS:
            if value.get(key):
                return error_of(value[key])
        if any(value.get(key) for key in _SAY_ERRORS) or ("msg" in value and _is_code_of_error(value.get("code"))):
            return error_of(value)
        if value.get("detail") is not None:
            return error_of(value["detail"])
    base = object_in(value, "base_resp")
    if _is_code_of_error(base.get("status_code")):
        return error_of(base)
    has_failed = has_message and (value.get("success") is False or status in _FAILED)
    has_status = (has_message or "title" in value) and any(_is_of_an_error(value.get(key)) for key in _STATUSES)
    if has_failed or has_status:
        return error_of(value)
    only = next(iter(value)) if len(value) == 1 else ""
    return error_of(value[only]) if only.endswith("Exception") else None


def bare_error(value: JsonObject) -> ErrorInfo | None:
    """The error in an object of no dialect amid an answer, which has only words."""
    return error_of(value) if _BARE.issuperset(value) and words_of(value) else None


def _is_of_an_error(status: Json) -> bool:
    """Whether a status, a number or its digits, is an HTTP status of an error."""
    return status in range(400, 600) or (isinstance(status, str) and _ERROR_STATUS.fullmatch(status) is not None)


def _is_code_of_error(code: Json) -> bool:
    """Whether a code, a number or its digits, is of an error, if 0 and 2xx mean success."""
    return str(code).isdecimal() and int(str(code)[:9]) != 0 and not 200 <= int(str(code)[:9]) < 300


def _is_response(value: JsonObject) -> bool:
    """Whether `value` is a whole response of the Responses shape, perhaps without its type."""
    return (
        value.get("object") == "response"
        or value.get("output_text") is not None
        or isinstance(value.get("incomplete_details"), Mapping)
    )


def _failed_response(event_type: str, value: JsonObject, response: JsonObject) -> ErrorInfo:
    details = object_in(response, "incomplete_details") or object_in(value, "incomplete_details")
    reason = string_in(details, "reason")
    if reason == "content_filter":
        return ErrorInfo(CONTENT_FILTER, code="content_filter")
    for error in (value.get("error"), response.get("error"), value.get("message")):
        if error is not None:
            info = error_of(error)
            return info if info.code else ErrorInfo(info.message, code=event_type)
    if reason == "max_output_tokens":
        return ErrorInfo(TOO_LONG, code=event_type)
    if words := plain_words(reason)[:80]:
        stopped = msg(
            "The backend stopped before the end of the answer: {reason} ({event}).", reason=words, event=event_type
        )
        return ErrorInfo(stopped, code=event_type)
    return ErrorInfo(msg("The backend reported {event} without a reason.", event=event_type), code=event_type)
