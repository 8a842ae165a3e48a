"""Redirects that stay at the origin that was asked: the only ones that are followed, as credentials go along."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container
from typing import Final

import httpx

from chat_ui.protocol.transport.guard import origin_of

_MOST: Final = 3


async def within_origin(
    send: Callable[[httpx.URL], Awaitable[httpx.Response]], url: httpx.URL, statuses: Container[int]
) -> httpx.Response:
    """The response of `send`, called for `url` and then for where each redirect leads, three times at most.

    A redirect is followed where its status is one of `statuses` and it stays at the origin of `url`; any other is the
    response. No body is read; that of a followed redirect is closed.

    Raises:
        httpx.InvalidURL: a redirect leads to no address; and whatever `send` raises.
    """
    for _ in range(_MOST):
        response = await send(url)
        location = response.headers.get("location")
        if response.status_code not in statuses or not location:
            return response
        target = url.join(location)
        if origin_of(str(target)) != origin_of(str(url)):
            return response
        await response.aclose()
        url = target
    return await send(url)
