"""A TCP server, below HTTP."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from ssl import SSLContext


async def pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, change: Callable[[bytes], bytes] = bytes
) -> None:
    """Write all that comes, each piece after its `change`, and close the writer."""
    try:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(change(data))
                await writer.drain()
    finally:
        writer.close()


@asynccontextmanager
async def accepting(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    port: int = 0,
    tls: SSLContext | None = None,
) -> AsyncIterator[int]:
    """Have `serve` handle each connection to a port of 127.0.0.1, and yield that port. 0 is any free port.

    A client that leaves ends its connection. All connections are closed at the end.
    """
    serving: set[asyncio.Task[None] | None] = set()

    async def serve_one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(task := asyncio.current_task())
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await serve(reader, writer)
        finally:
            serving.discard(task)
            writer.close()

    server = await asyncio.start_server(serve_one, "127.0.0.1", port, ssl=tls, limit=2**20)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        # A new connection is served from the next turn of the loop.
        await asyncio.sleep(0)
        ending = [task for task in serving if task is not None]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
