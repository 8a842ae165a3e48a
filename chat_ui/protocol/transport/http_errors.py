"""HTTP statuses of 400 and more, in words with advice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from math import ceil
from typing import Final

from chat_ui.protocol.dialects.reported_errors import NOTHING_SAID, code_of, error_in, error_of, plain_words, words_of
from chat_ui.protocol.events import AnswerWarning, ErrorInfo, Json
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed, FrameItem, StreamDone, Unfinished
from chat_ui.protocol.reading.json_text import decode, parse
from chat_ui.protocol.translatable import msg, plural_msg, with_end

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
    401: msg("Check the key or sign in again."),
    403: msg("Check that the key has permission for this."),
    405: msg("Check the path of the address."),
    429: msg("Wait a moment, then try again."),
    502: msg("The backend behind the gateway may be down."),
    503: msg("Try again in a moment."),
}


_WAITS: Final = frozenset({429, 503})
_SAYS_TO_WAIT: Final = re.compile(r"\b(?:try again|retry|wait|later)\b", re.IGNORECASE)
_SAYS_HOW_LONG: Final = re.compile(r"\b\d+(?:\.\d+)? ?(?:s|secs?|seconds?|mins?|minutes?|hours?)\b", re.IGNORECASE)
_ASKS_FOR_DATA: Final = re.compile(r"at least one extension|data_?sources\b(?!/\d)", re.IGNORECASE)
_ONLY_NOT_FOUND: Final = re.compile(
    r"(?:\W|404|error|the|requested|page|file|path|resource|route|url|not found|nginx)*", re.IGNORECASE
)
"""Words that only repeat the status."""
_UNHANDLED: Final = re.compile(r"The backend answered with status 500(?:\W|500|internal server error)+", re.IGNORECASE)
_NOTHING: Final = re.compile(r"The backend answered with status 500(?:\W|500|internal|server|error)+", re.IGNORECASE)
_NOTHING_AT: Final = "Nothing was found at "
_ONLY_ABSENT: Final = re.compile(rf"The backend answered with status 404\b[^.]*\. {_NOTHING_AT}\S+")
_WORDS_BEGUN: Final = re.compile(
    r'"(?:message|msg|detail|error|error_description)"\s*:\s*("(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))+)'
)
_MOST_SAID: Final = 200
"""Values and reports of a body in which words are looked for."""
_READ_TOGETHER: Final = 4096
_RETIRED: Final = "/extensions/chat/completions"
OTHER_FORMAT: Final = "other_format"
"""The code of an error that shows a format that is not read."""
_AT_CHATKIT: Final = re.compile(r"/chatkit/?\Z", re.IGNORECASE)
_OF_CHATKIT: Final = re.compile(r"\bThreadsCreateReq\b|'threads\.create', '")


def _own_data_hint(status: int, said: str, url: str) -> str:
    """Advice for Azure OpenAI On Your Data, for a request that does not name the data in its way."""
    refused = status in {400, 422} and _ASKS_FOR_DATA.search(said)
    if refused and "unrecognized" in said.lower():
        return "It reads data_sources with an api-version of 2024-02-01 or later, and without /extensions in the path."
    if refused:
        name, source_type = (
            ("dataSources", "AzureCognitiveSearch") if _RETIRED in url else ("data_sources", "azure_search")
        )
        example = f'{{"{name}": [{{"type": "{source_type}", "parameters": {{…}}}}]}}'
        return f"It answers from your own data: say where that is among the other options of the request, as {example}."
    if status == 404 and _RETIRED in url:
        return "Azure has retired this path: leave out /extensions, and set data_sources among the other options."
    return ""


def _server_of_another_format(refusal: ErrorInfo, url: str) -> str:
    """The name of a server of an unread format, by its refusal; else empty.

    ChatKit's server raises over every body other than its requests, without words.
    """
    says_no_more = is_unhandled(refusal) or says_nothing(refusal)
    is_chatkit = (says_no_more and _AT_CHATKIT.search(url)) or _OF_CHATKIT.search(refusal.message)
    return "ChatKit" if is_chatkit else ""


def _reason(status: int) -> str:
    if status == 304:
        return "it says “not modified”, which is not an answer"
    if status < 400:
        return "the redirect has no address"
    return _STATUS_WORDS.get(status, "no reason given")


def http_error(status: int, headers: Mapping[str, str], body: bytes, url: str) -> ErrorInfo:
    """The error of an HTTP status of 400 or more, with the words of its body; never the raw page."""
    said, code = _said(body)
    message = (
        msg("The backend answered with status {status}: {said}", status=str(status), said=said)
        if said
        else msg("The backend answered with status {status} ({reason}).", status=str(status), reason=_reason(status))
    )
    if server := _server_of_another_format(ErrorInfo(message, status=status), url):
        other = msg(
            "{url} is a {server} server, and this page does not read its format. Enter the address "
            "of a backend whose format it reads, such as AG-UI.",
            url=url,
            server=server,
        )
        return ErrorInfo(other, code=OTHER_FORMAT, status=status)
    wait = retry_after(headers.get("retry-after"))
    hint = _own_data_hint(status, said, url) or _STATUS_HINTS.get(status)
    if hint and not (status in _WAITS and (wait or _SAYS_TO_WAIT.search(said))):
        message = msg("{problem} {advice}", problem=ended(message), advice=hint)
    if status == 404 and _ONLY_NOT_FOUND.fullmatch(said):
        nothing = msg("Nothing was found at {url}.", url=url)
        message = msg("{problem} {more}", problem=ended(message), more=nothing)
    return ErrorInfo(message, code=code, status=status, retry_after=wait)


def with_wait(error: ErrorInfo) -> str:
    """The words of `error` with the backend's wait, if any, said once."""
    if not error.retry_after or _SAYS_HOW_LONG.search(error.message):
        return error.message
    seconds = ceil(error.retry_after)
    open_end = with_end(error.message, lambda text: text.rstrip(" .!"))
    if _SAYS_TO_WAIT.search(error.message) and not open_end.endswith((" ", ".", "!")):
        return plural_msg(
            "{problem} (in {count} second).", "{problem} (in {count} seconds).", seconds, problem=open_end
        )
    return msg("{problem} {advice}", problem=ended(error.message), advice=try_again_in(seconds))


def try_again_in(seconds: float) -> str:
    """When to try again, in words."""
    return plural_msg("Try again in {count} second.", "Try again in {count} seconds.", ceil(seconds))


def is_unhandled(error: ErrorInfo) -> bool:
    """Whether it is a framework's report of an unhandled exception: only the name of the status."""
    return error.status == 500 and _UNHANDLED.fullmatch(error.message) is not None


def says_nothing(error: ErrorInfo) -> bool:
    """Whether it is a status 500 without words, which Next.js sends for an exception too."""
    return error.status == 500 and _NOTHING.fullmatch(error.message) is not None


def says_only_absent(error: ErrorInfo) -> bool:
    """Whether it is a status 404 without further words."""
    return _ONLY_ABSENT.match(error.message) is not None


def ended(sentence: str) -> str:
    """`sentence` with a full stop, unless it has an end."""
    return with_end(sentence, _with_full_stop)


def _with_full_stop(words: str) -> str:
    words = words.rstrip()
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def _said(body: bytes) -> tuple[str, str | None]:
    """The words and the code of an error's body: read like an answer if it has values, else as text."""
    text = decode(body).lstrip("\ufeff")
    if text.lstrip().startswith("<"):
        return plain_words(text), None
    items = list(islice((item for item in _items(body) if not isinstance(item, StreamDone)), _MOST_SAID))
    values = [item for item in items if isinstance(item, Framed)]
    is_text = len(values) < len(items)
    if is_text:
        values = [item for item in values if isinstance(item.value, Mapping) or item.event == "error"]
    found = [_said_by(item.value) for item in values]
    words = dict.fromkeys(said for said, _ in found if said)
    if words or not is_text:
        together = "; ".join(words) if len(words) > 1 else next(iter(words), "")
        return plain_words(together), next((code for _, code in found if code), None)
    if not isinstance(items[0], AnswerWarning) and isinstance(items[-1], Unfinished):
        return _said_before_the_cut(text), None
    return plain_words(text), None


def _items(body: bytes) -> Iterator[FrameItem]:
    framer = Framer()
    for at in range(0, len(body), _READ_TOGETHER):
        yield from framer.feed(body[at : at + _READ_TOGETHER])
    yield from framer.close()


def _said_by(value: Json) -> tuple[str, str | None]:
    info: ErrorInfo | None = None
    if isinstance(value, Mapping) and value.get("error") is not None:
        info = error_of(value["error"], value)
    elif words := words_of(value):
        return words, code_of(value)
    elif isinstance(value, Mapping):
        info = error_in(value, None)
    if info is None:
        return "", code_of(value)
    return "" if info.message == NOTHING_SAID else info.message, info.code


def _said_before_the_cut(text: str) -> str:
    """The words of an object without its end."""
    begun = _WORDS_BEGUN.search(text)
    return words_of(parse(f'{begun[1]}"')) if begun else ""


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a `Retry-After` header asks to wait, a number or an HTTP date; None if it is neither."""
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
