"""An ASGI app on a loopback port, in a thread of the test process."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import uvicorn
from starlette.types import ASGIApp

from tests.timeouts import TIMEOUT


def wait_for(condition: Callable[[], bool], seconds: float = TIMEOUT) -> None:
    pause = threading.Event()
    end = monotonic() + seconds
    while not condition():
        if monotonic() > end:
            raise TimeoutError("the condition did not come to hold")
        pause.wait(0.01)


def listening(port: int = 0) -> socket.socket:
    """A listening socket on a loopback port for uvicorn. 0 is any free port."""
    listener = socket.create_server(("127.0.0.1", port))
    # Without it, an answer in two parts takes 40 ms more. asyncio sets it only on its own sockets.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


@contextmanager
def serving(app: ASGIApp, port: int = 0) -> Iterator[str]:
    """Serve the app within the context, and yield its base URL."""
    listener = listening(port)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    try:
        wait_for(lambda: server.started)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=60)
        listener.close()
