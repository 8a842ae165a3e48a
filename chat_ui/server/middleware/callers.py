"""The client of each request, so that addresses share the processes evenly and work ends with its request."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from chat_ui.conversations.people.person import is_named, person_of
from chat_ui.server.middleware.identity import Networks, comes_from
from chat_ui.server.processes.caller import Caller, reset_caller, set_caller

_OF_ONE_SITE: Final = 64
"""Common bits of the IPv6 addresses of one site, at least."""


class Callers:
    """ASGI middleware: names the `Caller` of each request.

    `X-Forwarded-For` has the client's address in requests from the networks `proxies`. A person whom such a proxy names
    counts as an address.
    """

    def __init__(self, app: ASGIApp, proxies: Networks = ()) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = Caller(person_of(scope) if is_named(scope) else _address_of(scope, self._proxies), receive)
        within = set_caller(caller)
        try:
            await self._app(scope, caller.receive, send)
        finally:
            reset_caller(within)
            caller.end()


def _address_of(scope: Scope, proxies: Networks) -> str:
    """The address of the client, or its network for IPv6. Each proxy adds the address of its client at the end of
    `X-Forwarded-For`; entries before our last proxy may be forged.
    """
    address = str((scope.get("client") or ("",))[0])
    forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
    while forwarded and comes_from({"client": (address, 0)}, proxies):
        found = _without_port(forwarded.pop().strip())
        if not found:
            break
        address = found
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if isinstance(known, IPv6Address) and known.ipv4_mapped is None:
        return str(ip_network((known, _OF_ONE_SITE), strict=False))
    return str(getattr(known, "ipv4_mapped", None) or known)


def _without_port(written: str) -> str:
    """An address in the forms of proxies, `192.0.2.1:4711` or `[2001:db8::1]:4711`, without the port; else empty."""
    bare = written[1:].partition("]")[0] if written.startswith("[") else written
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        return str(ip_address(bare))
    except ValueError:
        return ""
