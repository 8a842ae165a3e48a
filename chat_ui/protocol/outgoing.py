"""The one door for outgoing requests to an address that a person or an answer named.

A name is resolved once for each connection, every address that it has is judged by the guard, and the connection goes
to one of the addresses that were judged, so a name that changes between two look-ups gains nothing. The name stays in
the Host header, in TLS's server name and in the certificate's check. No proxy variable is read, no redirect followed,
and no cookie kept: one person's session at a backend would go along with the next person's question.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final, TypeAlias

import httpcore
import httpx

from chat_ui.protocol.guard import AddressRefusedError, Guard
from chat_ui.protocol.http11 import ConnectionPool
from chat_ui.protocol.pace import PacedStream

Resolver: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Finds the numeric addresses of a host name for a port; raises `socket.gaierror` where there are none."""

_LIMITS: Final = httpx.Limits(max_connections=None, max_keepalive_connections=20)


async def resolve(host: str, port: int) -> list[str]:
    """The numeric addresses of `host`, best first, as the operating system finds them.

    Raises:
        socket.gaierror: the name does not resolve.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def outgoing(
    guard: Guard,
    *,
    verify: ssl.SSLContext | bool = True,
    timeout: httpx.Timeout,
    resolver: Resolver = resolve,
) -> httpx.AsyncClient:
    """An HTTP client that calls only what `guard` allows.

    Its requests raise `AddressRefusedError` where the guard says no; nothing has been sent then.
    """
    return httpx.AsyncClient(
        transport=_GuardedTransport(guard, verify, resolver),
        trust_env=False,
        follow_redirects=False,
        timeout=timeout,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
    )


class _GuardedTransport(httpx.AsyncBaseTransport):
    """Sends what is for the operator's origins as it is, and everything else over a network that asks the guard."""

    def __init__(self, guard: Guard, verify: ssl.SSLContext | bool, resolver: Resolver) -> None:
        self._guard = guard
        self._trusted = _TransportOver(_Network(), verify)
        self._guarded = _TransportOver(_GuardedNetwork(guard, resolver), verify)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.userinfo:
            raise AddressRefusedError("The address holds a user name or a password.")
        trusted = self._guard.trusts(str(request.url))
        return await (self._trusted if trusted else self._guarded).handle_async_request(request)

    async def aclose(self) -> None:
        await self._trusted.aclose()
        await self._guarded.aclose()


class _TransportOver(httpx.AsyncHTTPTransport):
    """httpx's own transport, over another network than the operating system's."""

    def __init__(self, network: httpcore.AsyncNetworkBackend, verify: ssl.SSLContext | bool) -> None:
        super().__init__(verify=verify, trust_env=False, limits=_LIMITS)
        # httpx has no argument for what httpcore lets one choose.
        self._pool = ConnectionPool(
            ssl_context=httpx.create_ssl_context(verify=verify, trust_env=False),
            max_connections=_LIMITS.max_connections,
            max_keepalive_connections=_LIMITS.max_keepalive_connections,
            keepalive_expiry=_LIMITS.keepalive_expiry,
            network_backend=network,
        )


class _Network(httpcore.AnyIOBackend):
    """Connections that can follow a pace."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        return PacedStream(await super().connect_tcp(host, port, timeout, local_address, socket_options))


class _GuardedNetwork(_Network):
    """Connects to addresses that the guard has judged, and to nothing else."""

    def __init__(self, guard: Guard, resolver: Resolver) -> None:
        self._guard = guard
        self._resolver = resolver

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            async with asyncio.timeout(timeout):
                found = await self._resolver(host, port)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        addresses = self._guard.check(host, found)
        for left, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
            share = None if deadline is None else max(0.001, (deadline - time.monotonic()) / left)
            try:
                return await super().connect_tcp(str(address), port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if left == 1:
                    raise
        raise AssertionError("the guard never gives an empty list")
