"""Notice that the server is asked to end, before it waits for its connections to close."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def when_asked_to_end(act: Callable[[], object]) -> Iterator[None]:
    """Within the context, call `act` in the running loop when the process is asked to end.

    The server that runs the app notices as well: it goes on as it would. It waits for open connections before it ends
    its lifespan, and the streams of running answers are such connections, so that the lifespan's end would come too
    late to end them.
    """
    loop = asyncio.get_running_loop()
    former = {one: signal.getsignal(one) for one in _SIGNALS}

    def noticed(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)
        before = former[signal.Signals(number)]
        if callable(before):
            before(number, frame)

    try:
        for one in _SIGNALS:
            signal.signal(one, noticed)
    except ValueError:
        # Outside the main thread signals belong to the host of the app, which ends the lifespan.
        yield
        return
    try:
        yield
    finally:
        for one, handler in former.items():
            signal.signal(one, handler)
