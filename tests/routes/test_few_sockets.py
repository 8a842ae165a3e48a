"""A socket that is closed is over, whatever the server that serves it does then."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.types import Message, Receive, Scope, Send

from chat_ui.conversations.people.person import PERSON
from chat_ui.server.middleware.unread import SocketLimit
from tests.patience import PATIENCE


async def never() -> Message:
    await asyncio.Event().wait()
    return {}


async def take(_: Message) -> None:
    """Send nothing anywhere."""


async def fail(_: Message) -> None:
    raise OSError


async def test_a_page_has_gone_once_its_socket_was_closed_though_the_server_is_silent():
    told: list[Message] = []

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        hearing = asyncio.ensure_future(receive())
        with suppress(OSError):
            await send({"type": "websocket.close"})
        told.append(await hearing)

    async with asyncio.timeout(PATIENCE):
        for send in (take, fail):
            await SocketLimit(app)({"type": "websocket", PERSON: "me"}, never, send)
    assert [message["type"] for message in told] == ["websocket.disconnect"] * 2
