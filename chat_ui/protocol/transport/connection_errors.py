"""The reasons why a backend could not be reached, in words that say what to do next."""

from __future__ import annotations

import errno
import re
import socket
import ssl
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import httpx2

from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.errors import AddressRefusedError, CertificateRefusedError
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.translatable import Translatable, msg

UNREACHABLE: Final = frozenset({"unreachable", "tls", "address_refused", "connection_closed", "not_http", "timeout"})
"""Codes of errors without an answer of a backend."""
NOBODY_THERE: Final = UNREACHABLE - {"timeout", "connection_closed"}
"""Codes among these without a backend at the address."""
_NO_ROUTE: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EHOSTDOWN})
_CLOSED = re.compile(r"disconnected|closed")


class _Case(NamedTuple):
    """A row: code and message of an error of these types; `words` may have fields that `connection_error` fills."""

    types: type[BaseException] | tuple[type[BaseException], ...]
    code: str
    words: Translatable
    only_if: Callable[[Any], bool] = lambda _: True

    def covers(self, error: BaseException) -> bool:
        return isinstance(error, self.types) and self.only_if(error)


_BY_CAUSE: Final = (
    _Case(AddressRefusedError, "address_refused", msg("{place} was not called: {error}")),
    _Case(
        socket.gaierror,
        "unreachable",
        msg("Could not connect to {place}: the name {host} does not resolve. Check the spelling of the address."),
    ),
    _Case(
        CertificateRefusedError, "tls", msg("{place} was not called, because its certificate is not trusted: {error}.")
    ),
    _Case(
        ssl.SSLError,
        "tls",
        msg(
            "Could not connect to {place}: TLS failed ({tls_reason}). "
            "The backend may speak plain http: try the address with http://."
        ),
    ),
    _Case(
        ConnectionRefusedError,
        "unreachable",
        msg("Could not connect to {place}: the connection was refused. Check that the backend is running there."),
    ),
    _Case(
        OSError,
        "unreachable",
        msg("Could not connect to {place}: the network cannot reach it from here. Check the address and the network."),
        lambda error: error.errno in _NO_ROUTE,
    ),
)
"""Errors of the network, looked for among all causes of an error."""
_BY_ERROR: Final = (
    _Case(
        httpx2.ConnectTimeout,
        "unreachable",
        msg(
            "Could not connect to {place} within {seconds} s. "
            "Check that the backend is running and that the address is right."
        ),
    ),
    _Case(
        httpx2.ConnectError,
        "unreachable",
        msg("Could not connect to {place}: {reason}. Check that the backend is running."),
    ),
    _Case(
        httpx2.RemoteProtocolError,
        "not_http",
        msg("{place} did not send a valid HTTP answer. Check that a web server listens at that address."),
        lambda error: not _CLOSED.search(str(error)),
    ),
    _Case(
        (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError, httpx2.CloseError),
        "connection_closed",
        msg(
            "The connection to {place} was closed before the backend sent an answer. "
            "Try again, or look at the backend's log."
        ),
    ),
    _Case(
        zlib.error,
        "connection_closed",
        msg("The answer from {place} is damaged and could not be decompressed. Try again, or check the backend's log."),
    ),
    _Case(
        Exception,
        "bad_request",
        msg("The request to {place} could not be sent: {reason}. Check the address and the headers."),
    ),
)
"""Errors of httpx2; the last row is for every other error."""


def connection_error(error: Exception, url: str, bounds: Bounds) -> ErrorInfo:
    """The error of an exchange with `url` that broke before the first byte of an answer."""
    by_cause = ((case, cause) for cause in causes(error) for case in _BY_CAUSE if case.covers(cause))
    by_error = ((case, error) for case in _BY_ERROR if case.covers(error))
    case, found = next(by_cause, None) or next(by_error)
    place, host = _place(url)
    words = case.words.filled_with(
        place=place,
        host=host,
        error=str(found),
        reason=_reason_of(found),
        tls_reason=_tls_reason_of(found),
        seconds=bounds.connect_timeout,
    )
    if not isinstance(found, CertificateRefusedError) or not found.fingerprint:
        return ErrorInfo(words, code=case.code)
    words = msg("{problem} {certificate}", problem=words, certificate=found.described)
    return ErrorInfo(words, code=case.code, fingerprint=found.fingerprint)


def _tls_reason_of(error: BaseException) -> str:
    reason = getattr(error, "reason", None)
    return reason.replace("_", " ").lower() if reason else msg("no reason given")


def _reason_of(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")[:160]


def _place(url: str) -> tuple[str, str]:
    """The origin of `url` for a person, and its host."""
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, ValueError):
        return msg("the address"), ""
    return str(parsed.copy_with(query=None, fragment=None, userinfo=b"", path="/")).rstrip("/"), parsed.host


def causes(error: BaseException) -> Iterator[BaseException]:
    """`error` and all its causes, groups included."""
    queue: list[BaseException] = [error]
    seen: set[int] = set()
    while queue:
        current = queue.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            queue.extend(current.exceptions)
        queue.extend(inner for inner in (current.__cause__, current.__context__) if inner is not None)
