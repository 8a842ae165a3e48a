"""Why a backend could not be reached, in words that say what to do next."""

from __future__ import annotations

import errno
import re
import socket
import ssl
import zlib
from typing import Final

import httpx

from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.causes import causes
from chat_ui.protocol.transport.certificates import CertificateRefusedError
from chat_ui.protocol.transport.guard import AddressRefusedError

_NO_WAY: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EHOSTDOWN})
_LEFT = re.compile(r"disconnected|closed")


def connection_error(error: Exception, url: str, bounds: Bounds) -> ErrorInfo:
    """The error of an exchange with `url` that broke before the first byte of an answer."""
    place = _address(url)
    for cause in causes(error):
        if isinstance(cause, AddressRefusedError):
            words = f"{place} was not called: {cause}"
            return ErrorInfo(words, code="address_refused")
        if isinstance(cause, socket.gaierror):
            host = httpx.URL(url).host
            words = (
                f"Could not connect to {place}: the name {host} does not resolve. Check the spelling of the address."
            )
            return ErrorInfo(words, code="unreachable")
        if isinstance(cause, CertificateRefusedError):
            shown = f" {cause.certificate.in_words}" if cause.certificate else ""
            words = f"{place} was not asked, as its certificate is not trusted: {cause}.{shown}"
            fingerprint = cause.certificate.fingerprint if cause.certificate else None
            return ErrorInfo(words, code="tls", fingerprint=fingerprint)
        if isinstance(cause, ssl.SSLError):
            reason = (cause.reason or "no reason given").replace("_", " ").lower()
            words = (
                f"Could not connect to {place}: TLS failed ({reason}). "
                "The backend may speak plain http: try the address with http://."
            )
            return ErrorInfo(words, code="tls")
        if isinstance(cause, ConnectionRefusedError):
            words = (
                f"Could not connect to {place}: the connection was refused. Check that the backend is running there."
            )
            return ErrorInfo(words, code="unreachable")
        if isinstance(cause, OSError) and cause.errno in _NO_WAY:
            words = f"Could not connect to {place}: there is no way to it from here. Check the address and the network."
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
