"""The app in production mode, run from a copy so that one that is already running is left alone."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
START_SECONDS = 600
_DEFAULTS = {
    "CHAT_UI_DEMO_DELAY": "0.004",
    "CHAT_UI_QUESTIONS_PER_MINUTE": "1000",
    "CHAT_UI_DOCUMENT_BYTES": "20000000",
    # Brotli takes five seconds of processor time for each build.
    "REFLEX_FRONTEND_COMPRESSION_FORMATS": "gzip",
}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class App:
    """The app in a folder of its own, on a port of its own; it can be killed and started again."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.data = folder / "data"
        self._folder = folder
        self._settings = {**_DEFAULTS, "CHAT_UI_DATA_DIR": str(self.data), **(settings or {})}
        self._server: subprocess.Popen[bytes] | None = None
        for name in ("chat_ui", "assets", "reflex.lock"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("external", "__pycache__"))
        shutil.copy(ROOT / "rxconfig.py", folder)

    def start(self) -> None:
        """Build the page and serve it.

        Raises:
            RuntimeError: it did not start; the end of its log is in the message.
        """
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CHAT_UI_", "REFLEX_"))}
        log = self._folder / "server.log"
        with log.open("ab") as output:
            self._server = subprocess.Popen(
                [sys.executable, "-m", "reflex", "run", "--env", "prod", "--frontend-port", str(self.port)],
                cwd=self._folder,
                env={**inherited, **self._settings},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            _wait_until_it_answers(self.url, self._server, log)
        except RuntimeError:
            self.end(signal.SIGKILL)
            raise

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to all its processes and wait until they are gone."""
        if self._server is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._server.pid, how)
            self._server.wait(timeout=120)
            self._server = None


@contextmanager
def running_app(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Build the app in `folder` with these environment variables, run it, and yield its URL.

    Raises:
        RuntimeError: it did not start; the end of its log is in the message.
    """
    app = App(folder, settings)
    app.start()
    try:
        yield app.url
    finally:
        app.end()


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/ping", timeout=10):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"The app did not start:\n{log.read_text(errors='replace')[-4000:]}")
