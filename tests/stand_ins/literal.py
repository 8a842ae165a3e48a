"""A backend that sends literal HTTP bytes."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.stand_ins.connections import accepting


@asynccontextmanager
async def literal(
    reply: bytes, second: bytes | None = None, *, keep_open: bool = False
) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Send `reply` to each request, or `second` to those after the first, and close the connection unless told to keep
    it.

    Yields the URL and the growing list of the requests' heads.
    """
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_open = True
        while is_open:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            await reader.readexactly(int(length.group(1)) if length else 0)
            heads.append(head)
            writer.write(reply if second is None or len(heads) == 1 else second)
            await writer.drain()
            is_open = keep_open

    async with accepting(serve) as port:
        yield f"http://127.0.0.1:{port}", heads
