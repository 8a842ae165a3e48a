"""The app in production mode, run from a copy of the code."""

import fcntl
import multiprocessing
import os
import random
import runpy
import shutil
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]
START_SECONDS = 600
_DEFAULTS = {
    # Tests of slow answers have another backend.
    "CHAT_UI_DEMO_DELAY": "0",
    "CHAT_UI_QUESTIONS_PER_MINUTE": "1000",
    # Brotli costs five processor seconds for each build.
    "REFLEX_FRONTEND_COMPRESSION_FORMATS": "gzip",
}
_BUILT = {"REFLEX_ENV_MODE": "prod", "__REFLEX_SKIP_COMPILE": "true", "__REFLEX_MOUNT_FRONTEND_COMPILED_APP": "true"}


# Modules without settings are imported once, and an app starts in a fork. Imports take more than a processor second.
IMPORTED = multiprocessing.get_context("forkserver")
IMPORTED.set_forkserver_preload(
    [
        "granian.cli",
        "reflex.app",
        "chat_ui.features.demo.app",
        "chat_ui.features.exporting.exports",
        "chat_ui.server.lifetime",
        "chat_ui.server.page_states",
        "chat_ui.server.services",
        "tests.app",
    ]
)

_BOUNDS = str.split(
    "--http 1 --http1-header-read-timeout 10000 --backlog 8192 --backpressure 8192 --workers-kill-timeout 30"
)
"""The limits of `chat_ui.server.listening`."""
_OWN_PORTS = range(20_000, 32_000)
"""Ports below Linux's range for outgoing connections."""
_held: list[socket.socket] = []


def free_port() -> int:
    """A free port of 127.0.0.1, reserved from other test runs until this process ends."""
    while True:
        port = random.choice(_OWN_PORTS)
        # A UDP socket reserves the number, and leaves the TCP port free.
        holder = socket.socket(type=socket.SOCK_DGRAM)
        try:
            holder.bind(("127.0.0.1", port))
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            holder.close()
            continue
        _held.append(holder)
        return port


class App:
    """The app in its own folder, on a new port or the `port` of a former app. It can be killed and started again.

    It builds the page at the start, or serves the page of the folder `built`. The code is loaded anew where it
    `is_changed`.
    """

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        built: Path | None = None,
        port: int | None = None,
        *,
        is_changed: bool = False,
    ) -> None:
        self.port = port or free_port()
        self.url = f"http://localhost:{self.port}"
        self.data = folder / "data"
        self._log = folder / "server.log"
        self._folder = built or folder
        self._is_changed = is_changed
        self._settings = {**_DEFAULTS, "CHAT_UI_DATA_DIR": str(self.data), **(settings or {})}
        self._command: Sequence[str] = ("reflex", "run", "--env", "prod", "--frontend-port", str(self.port))
        self._server: multiprocessing.process.BaseProcess | None = None
        if built is None:
            for name in ("chat_ui", "assets", "reflex.lock"):
                shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("external", "__pycache__"))
            shutil.copy(ROOT / "rxconfig.py", folder)
        else:
            self._settings |= {**_BUILT, "REFLEX_BACKEND_PORT": str(self.port)}
            listening = ("--host", "127.0.0.1", "--port", str(self.port), *_BOUNDS)
            self._command = ("granian", "--interface", "asgi", "--factory", *listening, "chat_ui.chat_ui:app")

    def start(self) -> None:
        """Build the page if needed, and serve it.

        Raises:
            RuntimeError: it did not start; the end of its log is in the message.
        """
        own = ("CHAT_UI_", "REFLEX_", "OTEL_")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        environment = {**inherited, **self._settings}
        self._server = IMPORTED.Process(
            target=_run, args=(self._command, self._folder, environment, self._log, self._is_changed)
        )
        self._server.start()
        try:
            _wait_until_it_answers(self.url, self._server, self._log)
        except RuntimeError:
            self.end(signal.SIGKILL)
            raise

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to all processes of the app, and wait for their end."""
        if self._server is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._server.pid, how)
            self.wait_for_end()

    def ask_to_end(self) -> None:
        """Send SIGTERM to the process that was started."""
        if self._server is not None:
            self._server.terminate()

    def wait_for_end(self) -> int:
        """The exit status of the process that was started.

        Raises:
            TimeoutError: it is still there after two minutes.
        """
        if self._server is None:
            raise RuntimeError("It does not run.")
        self._server.join(120)
        if self._server.exitcode is None:
            raise TimeoutError("The app did not end.")
        status, self._server = self._server.exitcode, None
        return status

    def processes(self) -> list[int]:
        """The ids of its processes, empty before the start and after the end."""
        if self._server is None:
            return []
        return [self._server.pid, *(one.pid for one in psutil.Process(self._server.pid).children(recursive=True))]

    @property
    def log(self) -> str:
        """The server's standard output and error."""
        return self._log.read_text(errors="replace")


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path, is_changed: bool) -> None:
    """Run the command in the folder, as `python -m` would."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    # The default of a new process.
    multiprocessing.set_start_method("fork", force=True)
    if is_changed:
        for name in [name for name in sys.modules if name.partition(".")[0] == "chat_ui"]:
            del sys.modules[name]
    sys.argv = list(command)
    sys.path.insert(0, str(folder))
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)


def build_once(parent: Path) -> Path:
    """The folder in `parent` with the built page. The first process that needs it builds it."""
    folder = parent / "built"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "is-built").exists():
            with running_app(folder):
                (folder / "is-built").touch()
    return folder


@contextmanager
def running_app(folder: Path, settings: Mapping[str, str] | None = None, built: Path | None = None) -> Iterator[str]:
    """Run the app in `folder` with these environment variables, and yield its URL; see `App` for `built`.

    Raises:
        RuntimeError: it did not start; the end of its log is in the message.
    """
    app = App(folder, settings, built)
    app.start()
    try:
        yield app.url
    finally:
        app.end()


def _wait_until_it_answers(url: str, server: multiprocessing.process.BaseProcess, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.is_alive():
        try:
            with urllib.request.urlopen(f"{url}/ping", timeout=10):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError(f"The app did not start:\n{log.read_text(errors='replace')[-4000:]}")


if __name__ == "__main__":
    build_once(Path(os.environ["TESTS_BUILT_IN"]))
