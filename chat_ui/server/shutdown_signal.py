"""Noticing a shutdown signal before the server waits for its connections to close."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def on_shutdown_signal(act: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Within the context, call `act` in the running loop at SIGTERM or SIGINT, unless it is ignored.

    The server's own handler runs once the function that is yielded is called. The server waits for open connections
    before it ends its lifespan, and the streams of running answers are such connections: the end of the lifespan would
    come too late to end them.
    """
    loop = asyncio.get_running_loop()
    # What is ignored stays so: a process that starts here inherits that.
    former = {one: handler for one in _SIGNALS if (handler := signal.getsignal(one)) != signal.SIG_IGN}
    received: list[signal.Signals] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        received.append(signal.Signals(number))
        loop.call_soon_threadsafe(act)

    def pass_on() -> None:
        before = former[received[0]] if received else None
        if callable(before):
            before(received[0], None)

    try:
        for one in former:
            signal.signal(one, handle)
    except ValueError:
        # Outside the main thread signals belong to the host of the app, and the host ends the lifespan.
        yield pass_on
        return
    try:
        yield pass_on
    finally:
        for one, handler in former.items():
            signal.signal(one, handler)
