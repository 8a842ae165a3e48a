"""Bounds on connections: their silence, and their number.

Granian takes 1,024 connections. With several versions of HTTP it waits without a bound for the first byte, which shows
the version, so 1,024 silent connections block it. Browsers and proxies speak HTTP/1.1 to it; with only that version,
the head of a request has a timeout. A proxy limits connections by address.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import ceil
from types import FrameType
from typing import Any, Final

import granian._signals
import granian.server
from granian._granian import WorkerSignal
from granian.constants import HTTPModes
from granian.http import HTTP1Settings

from chat_ui.settings import settings

HEAD_MILLISECONDS: Final = 10_000
"""Milliseconds within which each head of a request on a connection has to arrive."""
CONNECTIONS: Final = 8192
"""Connections of one process at once."""
END_SECONDS: Final = 20
"""Seconds for a process to end, after the grace of its answers: a thread of granian may block it for ever."""

logger = logging.getLogger(__name__)

_END_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class BoundedServer(granian.server.Server):  # type: ignore[misc, valid-type]  # its class is chosen as Granian is imported
    """Granian with these bounds, unless the operator set others.

    If one of several workers crashes, the others go on and a new one replaces it. Granian ends the server if the new
    one crashes within seconds too, and if it has a single worker.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        bounds = {
            "http": HTTPModes.http1,
            "http1_settings": HTTP1Settings(header_read_timeout=HEAD_MILLISECONDS),
            "backlog": CONNECTIONS,
            "backpressure": CONNECTIONS,
            "workers_kill_timeout": END_SECONDS + ceil(settings().grace_seconds),
            "respawn_failed_workers": named.get("workers", 1) > 1,
        }
        super().__init__(*arguments, **{**bounds, **named})

    def shutdown(self, exit_code: int = 0) -> None:
        """End the workers, and the process with an error if one of them did not end by itself."""
        workers = [worker.inner for worker in self.wrks]
        try:
            super().shutdown(exit_code)
        except SystemExit:
            # A signal to the whole group reaches the workers too: one that ended by it did not crash.
            if exit_code or not self.interrupt_signal:
                raise
        # A thread of granian that waits for the same process may be about to store its exit status.
        while any(worker.exitcode is None for worker in workers):
            time.sleep(0.001)
        # SIGTERM ends a worker that does not serve yet.
        if crashes := {worker.exitcode for worker in workers} - {0, -signal.SIGTERM}:
            logger.error("a worker crashed with exit status %d", crashes.pop())
            raise SystemExit(1)

    def _spawn_workers(self, *arguments: Any) -> None:
        with signals_held():
            super()._spawn_workers(*arguments)

    def _respawn_workers(self, *arguments: Any, **named: Any) -> None:
        logger.error("a worker exited unexpectedly and was replaced")
        with signals_held():
            super()._respawn_workers(*arguments, **named)

    def _spawn_worker(self, *, target: Callable[..., None], **named: Any) -> Any:
        return super()._spawn_worker(target=partial(_ending_by_signal, target), **named)


def _ending_by_signal(target: Callable[..., None], *arguments: Any, **named: Any) -> None:
    """Run a worker that a signal ends while it loads the app, in place of the server's copied handler."""
    end_by_signal()
    granian._signals.set_loop_signals = _set_end_once
    target(*arguments, **named)


def _set_end_once(_loop: asyncio.AbstractEventLoop) -> WorkerSignal:
    """The handler that ends a worker of granian at the first SIGTERM; SIGINT stays ignored.

    Setting it again blocks for ever, with Python's lock. The event loop's own handlers would miss a signal between two
    runs of the loop.
    """
    ending = WorkerSignal()
    asked = False

    def end(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if not asked:
            asked = True
            ending.set()

    signal.signal(signal.SIGTERM, end)
    return ending


@contextmanager
def signals_held() -> Iterator[None]:
    """Within the context, a signal to end waits, also in a process that starts here, until `end_by_signal`."""
    former = signal.pthread_sigmask(signal.SIG_BLOCK, _END_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def end_by_signal() -> None:
    """Have SIGTERM end this child process. Ctrl+C reaches the parent too, which sends SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _END_SIGNALS)


def bound_connections() -> None:
    """Have `reflex run` start a `BoundedServer`, since it passes no bounds on connections.

    `granian` itself takes `--http 1 --http1-header-read-timeout 10000 --backlog 8192 --backpressure 8192
    --workers-kill-timeout 30`.
    """
    granian.server.Server = BoundedServer
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * CONNECTIONS)), hard))
