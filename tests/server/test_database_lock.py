"""A server has its SQLite database to itself, and its worker ends with it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.app import App
from tests.patience import PATIENCE
from tests.servers import wait_until

pytestmark = [pytest.mark.timeout(400), pytest.mark.thorough]


def folder(tmp_path: Path, name: str) -> Path:
    made = tmp_path / name
    made.mkdir()
    return made


def test_a_second_server_of_one_database_is_refused_in_words(built_app: Path, tmp_path: Path):
    one = App(folder(tmp_path, "one"), {}, built_app)
    other = App(folder(tmp_path, "other"), {"CHAT_UI_DATA_DIR": str(one.data)}, built_app)
    one.start()
    try:
        with pytest.raises(RuntimeError, match="did not start"):
            other.start()
        assert f"Another server uses the database {one.data / 'chat.db'}" in other.log
        assert "Traceback" not in other.log
        assert httpx2.get(f"{one.url}/ready").json() == {"store": True, "workers": True}
    finally:
        one.end()
    other.start()
    other.end()


def is_gone(process: int) -> bool | None:
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE or None
    except psutil.NoSuchProcess:
        return True


def is_refused(url: str) -> bool | None:
    """Whether nobody listens any more: threads of a process hold its socket a moment longer than its first, which
    makes it look gone.
    """
    try:
        httpx2.get(f"{url}/health")
    except httpx2.ConnectError:
        return True
    except httpx2.TransportError:
        return None
    return None


def test_without_the_process_that_was_started_its_worker_ends(built_app: Path, tmp_path: Path):
    app = App(tmp_path, {}, built_app)
    app.start()
    try:
        started, *others = app.processes()
        assert others
        os.kill(started, signal.SIGKILL)
        for process in others:
            assert wait_until(lambda process=process: is_gone(process), PATIENCE)
        assert wait_until(lambda: is_refused(app.url), PATIENCE)
    finally:
        app.end(signal.SIGKILL)
    app.start()
    try:
        assert httpx2.get(f"{app.url}/ready").json() == {"store": True, "workers": True}
    finally:
        app.end()
