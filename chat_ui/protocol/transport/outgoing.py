"""The one transport of outgoing requests to an address that a person or an answer named.

A name is resolved once for each connection, the guard judges every address, and the connection goes to a judged
address. So a name that changes between two look-ups gains nothing. The name stays in the Host header, in TLS's server
name and in the certificate's check. Proxy variables are not read, redirects not followed, and cookies not kept: one
person's session would be sent with the next person's question.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Iterable, Mapping
from copy import copy
from functools import reduce
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.metadata import version
from typing import Final, TypeAlias, cast

import httpcore2
import httpx2

from chat_ui.protocol.errors import AddressRefusedError, CertificateRefusedError
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.certificates import (
    Certificate,
    certificate_of,
    known_authorities,
    pinned_context,
    unverified_context,
    why_refused,
)
from chat_ui.protocol.transport.connection_errors import causes
from chat_ui.protocol.transport.guard import Guard, origin_of
from chat_ui.protocol.transport.network_stream import read_directly, was_left

Resolver: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Finds the numeric addresses of a host name for a port; raises `socket.gaierror` without any."""
Wrap: TypeAlias = Callable[[httpx2.AsyncBaseTransport], httpx2.AsyncBaseTransport]

_HTTPS: Final = 443
HTTP11_OF: Final = ("0.16.0", "2.16.2")
"""The versions of h11 and httpcore2 whose private parts `http11` uses. With others each request opens a connection:
httpcore2 itself would take unrequested bytes as the next answer.
"""
_KEPT_OPEN: Final = 20
_KEPT_SECONDS: Final = 5.0


async def resolve(host: str, port: int) -> list[str]:
    """The numeric addresses of `host`, best first, as the operating system finds them.

    Raises:
        socket.gaierror: the name does not resolve.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def outgoing(
    guard: Guard, *, verify: ssl.SSLContext | None = None, timeout: httpx2.Timeout, resolver: Resolver = resolve
) -> Outgoing:
    """An HTTP client that calls only addresses that `guard` allows.

    `verify` says which certificates are trusted: those of the known authorities if it is None. Requests raise
    `AddressRefusedError` for a refused address, and `CertificateRefusedError` for an untrusted certificate. Nothing has
    been sent then.
    """
    return Outgoing(_GuardedTransport(guard, verify or known_authorities(), resolver), timeout)


async def _without_place_that_is_none(response: httpx2.Response) -> None:
    """Take an invalid redirect's place out: httpx2 raises over it even if it does not follow redirects."""
    try:
        response.url.join(response.headers.get("location", ""))
    except (httpx2.InvalidURL, ValueError):
        del response.headers["location"]


class Outgoing(httpx2.AsyncClient):
    """An HTTP client without shared state between requests. The redirects in its responses have valid addresses."""

    def __init__(self, guarded: _GuardedTransport, timeout: httpx2.Timeout, wraps: tuple[Wrap, ...] = ()) -> None:
        super().__init__(
            transport=reduce(
                lambda transport, wrap: wrap(transport), wraps, cast("httpx2.AsyncBaseTransport", guarded)
            ),
            trust_env=False,
            follow_redirects=False,
            timeout=timeout,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            event_hooks={"response": [_without_place_that_is_none]},
        )
        self._guarded = guarded
        self._wraps = wraps

    def pinning(self, origin: str, fingerprint: str) -> Outgoing:
        """This client, trusting at `origin` only the certificate of that fingerprint; closed with this one."""
        return Outgoing(self._guarded.pinning(origin, fingerprint), self.timeout, self._wraps)

    def with_transport(self, wrap: Wrap) -> Outgoing:
        """This client with the transport that `wrap` puts around its own, also where pinned; closed with this one."""
        return Outgoing(self._guarded, self.timeout, (*self._wraps, wrap))


class _GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends requests to the operator's origins as they are, and all others over a network that asks the guard.

    Requests to an origin of `pins` use separate connections, which trust the certificate of that fingerprint.
    """

    def __init__(self, guard: Guard, verify: ssl.SSLContext, resolver: Resolver) -> None:
        self._guard = guard
        self._authorities = verify
        self._open, self._watched = _Network(None, resolver), _Network(guard, resolver)
        self._trusted = _TransportOver(self._open, self._authorities)
        self._guarded = _TransportOver(self._watched, self._authorities)
        self._pins: Mapping[str, str] = {}

    def pinning(self, origin: str, fingerprint: str) -> _GuardedTransport:
        """This transport, which trusts one certificate at `origin`."""
        pinned = copy(self)
        pinned._pins = {**self._pins, origin: fingerprint}
        return pinned

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.userinfo:
            raise AddressRefusedError(msg("The address contains a user name or a password."))
        url = str(request.url)
        is_trusted = self._guard.trusts(url)
        network = self._open if is_trusted else self._watched
        if request.url.scheme == "https" and (fingerprint := self._pins.get(origin_of(url))):
            return await _send_alone(request, _TransportOver(network, pinned_context(fingerprint)), network)
        try:
            return await _send(request, self._trusted if is_trusted else self._guarded, network)
        except httpx2.ReadError as error:
            if not was_left(error.__cause__):
                raise
        # Like a browser, send the request once more, on a new connection.
        return await _send_alone(request, _TransportOver(network, self._authorities), network)

    async def aclose(self) -> None:
        await self._trusted.aclose()
        await self._guarded.aclose()


class _ThenClosed(httpx2.AsyncByteStream):
    """The body of a response whose transport is closed with it."""

    def __init__(
        self, body: httpx2.SyncByteStream | httpx2.AsyncByteStream, transport: httpx2.AsyncBaseTransport
    ) -> None:
        if not isinstance(body, httpx2.AsyncByteStream):
            raise TypeError
        self._body = body
        self._transport = transport

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()
        await self._transport.aclose()


async def _send(request: httpx2.Request, transport: httpx2.AsyncBaseTransport, network: _Network) -> httpx2.Response:
    """The response to `request`; an untrusted certificate is fetched once more for the error."""
    try:
        return await transport.handle_async_request(request)
    except httpx2.ConnectError as error:
        refused = next((one for one in causes(error) if isinstance(one, ssl.SSLCertVerificationError)), None)
        if refused is None:
            raise
        certificate = await _certificate_at(request, network)
        why = why_refused(refused, request.url.host, certificate)
        if certificate is None:
            raise CertificateRefusedError(why) from error
        raise CertificateRefusedError(why, certificate.fingerprint, certificate.in_words) from error


async def _send_alone(
    request: httpx2.Request, transport: httpx2.AsyncBaseTransport, network: _Network
) -> httpx2.Response:
    """The response to `request`; closing it closes `transport`."""
    try:
        response = await _send(request, transport, network)
    except BaseException:
        await transport.aclose()
        raise
    response.stream = _ThenClosed(response.stream, transport)
    return response


async def _certificate_at(request: httpx2.Request, network: _Network) -> Certificate | None:
    """The certificate of the server of `request`; None if it does not show one again."""
    host, seconds = request.url.host, request.extensions.get("timeout", {}).get("connect")
    try:
        stream = await network.connect_tcp(host, request.url.port or _HTTPS, seconds)
        try:
            shown = await stream.start_tls(unverified_context(), host, seconds)
            der = shown.get_extra_info("ssl_object").getpeercert(binary_form=True)
        finally:
            await stream.aclose()
    except (httpcore2.ConnectError, httpcore2.ConnectTimeout, OSError):
        return None
    return certificate_of(der) if der else None


class _TransportOver(httpx2.AsyncHTTPTransport):
    """httpx2's own transport, over another network than the operating system's."""

    def __init__(self, network: httpcore2.AsyncNetworkBackend, verify: ssl.SSLContext) -> None:
        super().__init__(verify=verify)
        # httpx2 lacks an argument for httpcore2's network backend.
        self._pool = _pool_over(network, verify)


def _pool_over(network: httpcore2.AsyncNetworkBackend, verify: ssl.SSLContext) -> httpcore2.AsyncConnectionPool:
    pool, kept_open = httpcore2.AsyncConnectionPool, 0
    if (version("h11"), version("httpcore2")) == HTTP11_OF:
        from chat_ui.protocol.transport.http11 import ConnectionPool  # noqa: PLC0415 - of no other versions

        pool, kept_open = ConnectionPool, _KEPT_OPEN
    return pool(
        ssl_context=verify,
        max_connections=None,
        max_keepalive_connections=kept_open,
        keepalive_expiry=_KEPT_SECONDS,
        network_backend=network,
    )


class _Network(httpcore2.AnyIOBackend):
    """Connects only to addresses that the guard has judged; to all without a guard."""

    def __init__(self, guard: Guard | None, resolver: Resolver) -> None:
        self._guard = guard
        self._resolver = resolver

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore2's interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        deadline = None if timeout is None else time.monotonic() + timeout
        left = [host] if self._guard is None else await self._judged(self._guard, host, port, timeout)
        while True:
            share = None if deadline is None else max(0.001, (deadline - time.monotonic()) / len(left))
            address = left.pop(0)
            try:
                stream = await super().connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if not left:
                    raise
            else:
                return await read_directly(stream)

    async def _judged(self, guard: Guard, host: str, port: int, seconds: float | None) -> list[str]:
        try:
            async with asyncio.timeout(seconds):
                found = await self._resolver(host, port)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        return [str(address) for address in guard.check(host, found)]


KEEP_METHOD: Final = frozenset({307, 308})
"""Statuses of redirects that ask for the same request once more (RFC 9110, 15.4)."""
_MOST: Final = 3


def target_within_origin(
    url: httpx2.URL,
    status: int | None,
    headers: Mapping[str, str],
    statuses: Container[int | None],
    trusts: Callable[[str], bool] = lambda _: False,
) -> httpx2.URL | None:
    """The target of a redirect of `url` with one of `statuses`, at its origin or accepted by `trusts`; else None."""
    location = headers.get("location")
    if status not in statuses or not location:
        return None
    target = url.join(location)
    return target if origin_of(str(target)) == origin_of(str(url)) or trusts(str(target)) else None


async def within_origin(
    send: Callable[[httpx2.URL], Awaitable[httpx2.Response]],
    url: httpx2.URL,
    statuses: Container[int | None],
    trusts: Callable[[str], bool] = lambda _: False,
) -> httpx2.Response:
    """The response of `send` for `url`, after three redirects at most: within its origin (see `target_within_origin`),
    or to an address that `trusts` accepts, for which `send` leaves out credentials.

    The body is not read; that of a followed redirect is closed. Errors of `send` are raised.
    """
    for _ in range(_MOST):
        response = await send(url)
        target = target_within_origin(url, response.status_code, response.headers, statuses, trusts)
        if target is None:
            return response
        await response.aclose()
        url = target
    return await send(url)
