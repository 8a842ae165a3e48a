"""A server of connections, below HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ssl import SSLContext


@asynccontextmanager
async def accepting(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    port: int = 0,
    tls: SSLContext | None = None,
) -> AsyncIterator[int]:
    """Have `serve` answer each connection to a port of 127.0.0.1, and yield that port; 0: any that is free. No
    connection is left at the end.
    """
    server = await asyncio.start_server(serve, "127.0.0.1", port, ssl=tls, limit=2**20)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        waiting = asyncio.all_tasks() - {asyncio.current_task()}
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
