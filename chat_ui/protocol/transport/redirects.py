"""Redirects: credentials go along, so those are followed that stay at the origin that was asked, or at named others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping
from typing import Final

import httpx2

from chat_ui.protocol.transport.guard import origin_of

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
    """The address that a response of `url` redirects to; None where its status is none of `statuses`, or the address
    has another origin and `trusts` does not accept it.
    """
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
    or to an address that `trusts` accepts, where `send` leaves out credentials.

    No body is read; that of a followed redirect is closed. What `send` raises is raised.
    """
    for _ in range(_MOST):
        response = await send(url)
        target = target_within_origin(url, response.status_code, response.headers, statuses, trusts)
        if target is None:
            return response
        await response.aclose()
        url = target
    return await send(url)
