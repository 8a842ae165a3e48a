"""The app in production mode, started once for all tests that talk to it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
START_SECONDS = 180


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app in production mode, built from a copy so that a running one is left alone."""
    folder = tmp_path_factory.mktemp("app")
    for name in ("chat_ui", "assets", "reflex.lock"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("external", "__pycache__"))
    shutil.copy(ROOT / "rxconfig.py", folder)
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CHAT_UI_", "REFLEX_"))}
    environment["CHAT_UI_DEMO_DELAY"] = "0.004"
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "reflex", "run", "--env", "prod", "--frontend-port", str(port)],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    url = f"http://localhost:{port}"
    try:
        _wait_until_it_answers(url, server, log)
        yield url
    finally:
        os.killpg(server.pid, 15)
        server.wait(timeout=30)


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/ping", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"The app did not start:\n{log.read_text(errors='replace')[-4000:]}")
