"""What a response that comes piece by piece holds is let go of with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from chat_ui.routes.bodies import Streamed
from tests.patience import PATIENCE


async def test_a_generator_is_closed_where_its_reader_leaves_while_a_piece_is_on_its_way():
    closed = []
    on_its_way = asyncio.Event()

    async def pieces() -> AsyncGenerator[bytes, None]:
        try:
            yield b"piece"
        finally:
            closed.append("generator")

    async def close() -> None:
        closed.append("what it reads from")

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            on_its_way.set()
            await asyncio.Event().wait()

    async def receive() -> dict[str, str]:
        await on_its_way.wait()
        return {"type": "http.disconnect"}

    body = pieces()
    async with asyncio.timeout(PATIENCE):
        await Streamed(body, close=close)({"type": "http"}, receive, send)
    assert closed == ["generator", "what it reads from"]
