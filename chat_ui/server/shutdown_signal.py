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
def on_shutdown_signal(act: Callable[[], object]) -> Iterator[None]:
    """Within the context, call `act` in the running loop at SIGTERM or SIGINT, unless it is ignored.

    The server's own handler still runs. The server waits for open connections before it ends its lifespan, and the
    streams of running answers are such connections: the end of the lifespan would come too late to end them.
    """
    loop = asyncio.get_running_loop()
    # What is ignored stays so: a process that starts here inherits that.
    former = {one: handler for one in _SIGNALS if (handler := signal.getsignal(one)) != signal.SIG_IGN}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)
        before = former[signal.Signals(number)]
        if callable(before):
            before(number, frame)

    try:
        for one in former:
            signal.signal(one, handle)
    except ValueError:
        # Outside the main thread signals belong to the host of the app, and the host ends the lifespan.
        yield
        return
    try:
        yield
    finally:
        for one, handler in former.items():
            signal.signal(one, handler)
