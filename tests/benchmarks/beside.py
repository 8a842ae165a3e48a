"""Other ways to put a streamed answer on a page, beside ours, with the same text from the same backend."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import Locator, Page

from tests.app import free_port
from tests.benchmarks.answering import STANDARD
from tests.benchmarks.bench import Bench
from tests.benchmarks.browser import CLOCK, Measured, MeasuredPage, chat_page
from tests.benchmarks.figures import Figure
from tests.benchmarks.servers import Server, TooLateError, answers, wait_until

HERE = Path(__file__).parent
PEERS = HERE / "peers"
TUTORIAL = HERE / "tutorial"
START_SECONDS = 300


@dataclass(frozen=True)
class Peer:
    """One of them: how it is started with an interpreter on a port, where, and its box for a question."""

    name: str
    command: Callable[[str, int], list[str]]
    box: Callable[[Page], Locator]
    folder: Path = PEERS
    submit: Callable[[Page], None] | None = None


TUTORIAL_PATTERN = Peer(
    "Reflex, the tutorial's pattern",
    lambda python, port: [python, "-m", "reflex", "run", "--env", "prod", "--frontend-port", str(port)],
    lambda page: page.get_by_label("Message"),
    TUTORIAL,
    lambda page: page.get_by_role("button", name="Ask").click(),
)
INSTALLED = (
    Peer("Gradio", lambda python, port: [python, "gradio_app.py"], lambda page: page.locator("textarea").last),
    Peer(
        "Streamlit",
        lambda python, port: [
            *(python, "-m", "streamlit", "run", "streamlit_app.py", "--server.headless", "true"),
            *("--server.address", "127.0.0.1", "--server.port", str(port), "--browser.gatherUsageStats", "false"),
        ],
        lambda page: page.get_by_test_id("stChatInputTextArea"),
    ),
    Peer(
        "Chainlit",
        lambda python, port: [
            *(python, "-m", "chainlit", "run", "chainlit_app.py", "--headless"),
            *("--host", "127.0.0.1", "--port", str(port)),
        ],
        lambda page: page.locator("#chat-input"),
        # It takes no Enter until it is connected.
        submit=lambda page: page.locator("#chat-submit").click(),
    ),
)


def beside(bench: Bench) -> Iterator[Figure]:
    """The answer of ordinary length in each of them, once for its times and once for its bytes."""
    with chat_page(bench.browser, bench.server, bench.backend) as page:
        page.ask(tokens=40, rate=200)
        ours = page.ask(**STANDARD)
    with chat_page(bench.browser, bench.server, bench.backend) as page:
        page.count_bytes()
        our_bytes = page.ask(**STANDARD).received
    peers = [(TUTORIAL_PATTERN, sys.executable), *((peer, bench.peers) for peer in INSTALLED if bench.peers)]
    for peer, python in peers:
        assert python is not None
        with _running(peer, python, bench) as server:
            theirs = _asked(bench, server, peer, count=False)
            their_bytes = _asked(bench, server, peer, count=True).received
        part = f"beside: {peer.name}"
        yield Figure(part, "last text after the backend's last byte", theirs.last_text, "s")
        yield Figure(part, "main thread of the browser", theirs.main_thread, "s")
        yield Figure(part, "… for one second of ours", theirs.main_thread / ours.main_thread, "×")
        yield Figure(part, "bytes to the browser", their_bytes / 1000, "kB")
        yield Figure(part, "… for one of ours", their_bytes / our_bytes, "×")


def _asked(bench: Bench, server: Server, peer: Peer, *, count: bool) -> Measured:
    context = bench.browser.new_context(base_url=server.url, viewport={"width": 1200, "height": 800})
    context.add_init_script(CLOCK)
    page = context.new_page()
    page.goto("/")
    peer.box(page).wait_for()
    measured = MeasuredPage(page, server, bench.backend, box=peer.box(page), submit=peer.submit)
    if count:
        measured.count_bytes()
    else:
        measured.ask(tokens=40, rate=200)
    result = measured.ask(**STANDARD)
    context.close()
    return result


@contextmanager
def _running(peer: Peer, python: str, bench: Bench) -> Iterator[Server]:
    port = free_port()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copytree(peer.folder, folder, dirs_exist_ok=True)
        shutil.copy(PEERS / "backend_text.py", folder)
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(
                peer.command(str(Path(python).absolute()), port),
                cwd=folder,
                env=_environment(bench.backend.url, port),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        url = f"http://localhost:{port}"
        try:
            _wait_for(url, process, folder / "server.log")
            yield Server(url, psutil.Process(process.pid))
        finally:
            os.killpg(process.pid, 15)
            process.wait(timeout=30)


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    with suppress(TooLateError):
        wait_until(lambda: answers(url) or process.poll(), START_SECONDS)
    if not answers(url):
        raise RuntimeError(f"It did not start:\n{log.read_text(errors='replace')[-4000:]}")


def _environment(backend: str, port: int) -> Mapping[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CHAT_UI_", "REFLEX_"))}
    return {**inherited, "PACED_BACKEND": backend, "PORT": str(port), "GRADIO_ANALYTICS_ENABLED": "False"}
