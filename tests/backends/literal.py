"""A backend that sends literal HTTP: whatever bytes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def literal(
    reply: bytes, second: bytes | None = None, *, keep_open: bool = False
) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Send `reply` to each request, or `second` to those after the first, and close the connection unless it is to be
    kept open.

    Yields the URL and the heads of the requests as they come.
    """
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
                await reader.readexactly(int(length.group(1)) if length else 0)
                heads.append(head)
                writer.write(reply if second is None or len(heads) == 1 else second)
                await writer.drain()
                if not keep_open:
                    break
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads
