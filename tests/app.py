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
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
START_SECONDS = 180
_DEFAULTS = {"CHAT_UI_DEMO_DELAY": "0.004", "CHAT_UI_QUESTIONS_PER_MINUTE": "1000"}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def running_app(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Build the app in `folder` with these environment variables, run it, and yield its URL.

    Raises:
        RuntimeError: it did not start; the end of its log is in the message.
    """
    for name in ("chat_ui", "assets", "reflex.lock"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("external", "__pycache__"))
    shutil.copy(ROOT / "rxconfig.py", folder)
    port = free_port()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CHAT_UI_", "REFLEX_"))}
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "reflex", "run", "--env", "prod", "--frontend-port", str(port)],
            cwd=folder,
            env={
                **inherited,
                "CHAT_UI_DEMO_DELAY": "0.004",
                "CHAT_UI_DATA_DIR": str(folder / "data"),
                **(settings or {}),
            },
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        url = f"http://localhost:{port}"
        _wait_until_it_answers(url, server, log)
        yield url
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=30)


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/ping", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"The app did not start:\n{log.read_text(errors='replace')[-4000:]}")
