import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


@asynccontextmanager
async def counted_turns() -> AsyncIterator[Callable[[], int]]:
    """Count the turns of the event loop that other tasks had."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    try:
        yield lambda: turns
    finally:
        counting.cancel()
