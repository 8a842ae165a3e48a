"""The processes of a benchmark: the paced backend and the app, and their costs."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil

from tests.app import ROOT, free_port, running_app
from tests.stand_ins.paced import Sent

Found = TypeVar("Found")

_SETTINGS = {
    # A long thread is made of more questions than one person may ask in a minute.
    "CHAT_UI_QUESTIONS_PER_MINUTE": "1000000",
    # As in `rxconfig.py`, without slow steps of the build.
    "REFLEX_FRONTEND_COMPRESSION_FORMATS": "brotli,gzip",
}


class TooLateError(Exception):
    """A benchmark's condition did not hold in time."""


def wait_until(found: Callable[[], Found | None], seconds: float, every: float = 0.1) -> Found:
    """The first result of `found` that is not None.

    Raises:
        TooLateError: it stayed None for `seconds`.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if (value := found()) is not None:
            return value
        time.sleep(every)
    raise TooLateError


@dataclass(frozen=True)
class Backend:
    """The paced backend in a child process."""

    url: str
    process: psutil.Process

    def sent(self, name: str) -> Sent | None:
        """The `Sent` of the answer with that id, once it has ended."""
        with urllib.request.urlopen(f"{self.url.removesuffix('/chat')}/log/{name}", timeout=10) as response:
            found = json.load(response)
        return Sent(**found) if found else None


@dataclass(frozen=True)
class Server:
    """A server with all of its processes."""

    url: str
    root: psutil.Process

    def processes(self) -> list[psutil.Process]:
        """The started process and its descendants."""
        return [self.root, *self.root.children(recursive=True)]

    def cpu_seconds(self) -> float:
        """Processor time so far."""
        return sum(sum(process.cpu_times()[:2]) for process in self.processes())

    def memory_mb(self) -> float:
        """Memory in use, with shared memory counted once."""
        return float(sum(process.memory_full_info().pss for process in self.processes())) / 1e6

    def keep_to(self, cores: list[int]) -> None:
        """Pin every thread of the server to these cores."""
        for process in self.processes():
            for thread in process.threads():
                os.sched_setaffinity(thread.id, cores)


@contextmanager
def paced_backend() -> Iterator[Backend]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.stand_ins.paced", str(port)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Backend(process.stdout.readline().strip(), psutil.Process(process.pid))
    finally:
        process.terminate()
        process.wait(timeout=10)


@contextmanager
def app(settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Run the app in production mode, built in a new folder."""
    with tempfile.TemporaryDirectory() as folder, running_app(Path(folder), {**_SETTINGS, **(settings or {})}) as url:
        yield server_at(url)


def server_at(url: str) -> Server:
    """The server that listens at that address, as the leader of its session."""
    port = int(url.rpartition(":")[2])
    listening = (one for one in psutil.net_connections("tcp") if one.status == psutil.CONN_LISTEN)
    return Server(url, psutil.Process(os.getsid(next(one.pid for one in listening if one.laddr.port == port))))
