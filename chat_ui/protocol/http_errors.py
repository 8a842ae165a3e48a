"""What an HTTP status of 400 or more says, in words that tell what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from chat_ui.protocol.errors import NOTHING_SAID, code_of, error_of, plain_words, words_of
from chat_ui.protocol.events import ErrorInfo

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


_ASKS_FOR_DATA: Final = re.compile(r"at least one extension|data_?sources\b(?!/\d)", re.IGNORECASE)
_RETIRED: Final = "/extensions/chat/completions"


def _own_data_hint(status: int, said: str, url: str) -> str:
    """What to do where Azure OpenAI On Your Data was not told where the data is, or not in the way that it reads."""
    refused = status in {400, 422} and _ASKS_FOR_DATA.search(said)
    if refused and "unrecognized" in said.lower():
        return "It reads data_sources with an api-version of 2024-02-01 or later, and without /extensions in the path."
    if refused:
        name, kind = ("dataSources", "AzureCognitiveSearch") if _RETIRED in url else ("data_sources", "azure_search")
        example = f'{{"{name}": [{{"type": "{kind}", "parameters": {{…}}}}]}}'
        return f"It answers from your own data: say where that is among the other options of the request, as {example}."
    if status == 404 and _RETIRED in url:
        return "Azure has retired this path: leave out /extensions, and set data_sources among the other options."
    return ""


def _reason(status: int) -> str:
    if status == 304:
        return "it says that nothing has changed, which a question cannot be answered with"
    return "it leads elsewhere but does not say where" if status < 400 else _STATUS_WORDS.get(status, "no reason given")


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
            said, code = words_of(value), code_of(value)
    message = f"The backend answered with status {status}"
    message += f": {said}" if said else f" ({_reason(status)})."
    hint = _own_data_hint(status, said, url) or _STATUS_HINTS.get(status)
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
                words = words_of(json.loads(payload, strict=False))
            except (ValueError, RecursionError):
                continue
            if words:
                return words
    return text


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
