"""Serving on loopback until Ctrl-C or SIGTERM."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from chat_ui.command_line.ports import PortNotFreeError, expect_free
from chat_ui.command_line.terminal.output import shown
from chat_ui.recordings.serving.loopback_server import HOST, LoopbackServer


async def serve_until_stopped(server: LoopbackServer, port: int, welcome: Callable[[str], str]) -> None:
    """Serve on `port`, print what `welcome` says of the origin, and return once the process is told to stop.

    Raises:
        PortNotFreeError: the port cannot be had.
    """
    expect_free(HOST, port)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    try:
        async with server.running(port) as taken:
            # Nobody may read it, such as a service manager that has ended its pipe.
            with suppress(OSError):
                print(shown(f"{welcome(f'http://{HOST}:{taken}')}\nCtrl+C stops it.", sys.stdout), flush=True)
            await stopped.wait()
    except OSError as error:
        raise PortNotFreeError(f"This cannot be served at port {port}: {error.strerror or error}.") from error
