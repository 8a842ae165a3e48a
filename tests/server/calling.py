"""Requests of clients, as the middleware makes them known."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Message

from chat_ui.processes.caller import Caller, reset_caller, set_caller


@contextmanager
def calling_from(address: str, gone: asyncio.Event | None = None) -> Iterator[None]:
    """Work for a request from an address, whose client leaves when that is `gone`."""
    is_gone = gone or asyncio.Event()

    async def receive() -> Message:
        await is_gone.wait()
        return {"type": "http.disconnect"}

    caller = Caller(address, receive)
    within = set_caller(caller)
    try:
        yield
    finally:
        reset_caller(within)
        caller.end()
