"""A Redis server of the distribution for tests."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from tests.app import free_port


@dataclass
class RedisServer:
    """A server on loopback that forgets everything when it stops."""

    folder: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self, *more: str) -> None:
        """Start the server with further options."""
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        self._process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), *options, *more], stdout=subprocess.DEVNULL
        )
        while not self._answers():
            if self._process.poll() is not None:
                raise RuntimeError("Redis did not start.")
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Accept connections without answering within the context."""
        assert self._process is not None, "it does not run"
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def forget(self, pattern: str) -> None:
        """Delete every key of that pattern, like an expiry."""
        with Redis(port=self.port) as client:
            client.delete(*client.keys(pattern))

    def _answers(self) -> bool:
        with suppress(RedisError), Redis(port=self.port, retry=Retry(NoBackoff(), 0)) as client:
            return bool(client.ping())
        return False


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """A new, empty server.

    Raises:
        RuntimeError: Redis is not installed.
    """
    if os.environ.get("TESTS_WITHOUT_REDIS"):
        pytest.skip("tests/run could not install Redis")
    if shutil.which("redis-server") is None:
        raise RuntimeError("Redis is not installed; tests/run installs it.")
    with TemporaryDirectory(prefix="chat-ui-redis-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
