"""Why a backend could not be reached, in words that say what to do next."""

from __future__ import annotations

import re
import socket
import ssl
import zlib
from collections.abc import Iterator

import httpx

from chat_ui.protocol.backend import Bounds
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.guard import AddressRefusedError

_LEFT = re.compile(r"disconnected|closed")


def connection_error(error: Exception, url: str, bounds: Bounds) -> ErrorInfo:
    """The error of an exchange with `url` that broke before the first byte of an answer."""
    place = _address(url)
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, AddressRefusedError):
            words = f"{place} was not called: {cause}"
            return ErrorInfo(words, code="address_refused")
        if isinstance(cause, socket.gaierror):
            host = httpx.URL(url).host
            words = (
                f"Could not connect to {place}: the name {host} does not resolve. Check the spelling of the address."
            )
            return ErrorInfo(words, code="unreachable")
        if isinstance(cause, ssl.SSLCertVerificationError):
            words = (
                f"Could not connect to {place}: its TLS certificate is not trusted ({cause.verify_message}). "
                "Check the address, or the certificate of the backend."
            )
            return ErrorInfo(words, code="tls")
        if isinstance(cause, ssl.SSLError):
            words = (
                f"Could not connect to {place}: TLS failed ({reason_of(cause)}). "
                "The backend may speak plain http: try the address with http://."
            )
            return ErrorInfo(words, code="tls")
        if isinstance(cause, ConnectionRefusedError):
            words = (
                f"Could not connect to {place}: the connection was refused. Check that the backend is running there."
            )
            return ErrorInfo(words, code="unreachable")
    if isinstance(error, httpx.ConnectTimeout):
        words = (
            f"Could not connect to {place} within {bounds.connect:g} s. "
            "Check that the backend is running and that the address is right."
        )
        return ErrorInfo(words, code="unreachable")
    if isinstance(error, httpx.ConnectError):
        words = f"Could not connect to {place}: {reason_of(error)}. Check that the backend is running."
        return ErrorInfo(words, code="unreachable")
    if isinstance(error, httpx.RemoteProtocolError) and not _LEFT.search(str(error)):
        words = f"What {place} sent is not a valid HTTP answer. Check that a web service listens at that address."
        return ErrorInfo(words, code="not_http")
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError | httpx.CloseError):
        words = (
            f"The connection to {place} was closed before the backend sent an answer. "
            "Try again, or look at the backend's log."
        )
        return ErrorInfo(words, code="connection_closed")
    if isinstance(error, zlib.error):
        words = f"The answer of {place} is damaged: its compression could not be undone."
        return ErrorInfo(words, code="connection_closed")
    words = f"The request to {place} could not be sent: {reason_of(error)}. Check the address and the headers."
    return ErrorInfo(words, code="bad_request")


def reason_of(error: BaseException) -> str:
    """What `error` says, without its class where it says something."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")[:160]


def _address(url: str) -> str:
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        return "the address"
    return str(parsed.copy_with(query=None, fragment=None, userinfo=b"", path="/")).rstrip("/")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """`error` and everything that led to it, groups included."""
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
