import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from chat_ui.features.demo.app import demo_app
from chat_ui.features.demo.settings import DemoSettings
from chat_ui.features.demo.streaming import pieces
from tests.app import free_port
from tests.features.demo.asking import ask
from tests.features.demo.serving import serving, wait_for


@given(st.text())
def test_joined_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


def test_a_citation_is_split_like_a_tokenizers_output() -> None:
    split = "See| |[|Leave|_|Policy|.|pdf|#|page|=|2|]."
    assert "|".join(pieces("See [Leave_Policy.pdf#page=2].")) == split


def test_text_comes_at_the_pace_that_is_set() -> None:
    with serving(demo_app(DemoSettings(demo_delay=0.01))) as origin:
        ask(f"{origin}/chat", "When is payday?")
        start = monotonic()
        heard = ask(f"{origin}/chat/stream", "When is payday?")
        elapsed = monotonic() - start
    assert elapsed >= 0.01 * (len(heard.objects) - 2)


def at_once() -> Starlette:
    return demo_app(DemoSettings(demo_delay=0))


@contextmanager
def granian() -> Iterator[str]:
    """The demo under granian, the page's production server."""
    port = free_port()
    command = [Path(sys.executable).with_name("granian"), "--interface", "asgi", "--factory"]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port), f"{__name__}:at_once"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.mark.thorough
def test_streams_end_break_and_stop_alike_under_the_pages_server() -> None:
    def running(origin: str) -> int | None:
        try:
            return int(httpx2.get(f"{origin}/", trust_env=False).json()["running"])
        except httpx2.TransportError:
            return None

    with granian() as origin, httpx2.Client(trust_env=False, timeout=60) as client:
        wait_for(lambda: running(origin) == 0)
        complete = ask(f"{origin}/chat/stream", "When is payday?")
        assert (complete.broken, bool(complete.objects[-1]["sessionState"])) == (False, True)
        cut = ask(f"{origin}/chat/stream", "Show me a cut stream")
        assert (cut.broken, cut.rest[:9]) == (True, '{"delta":')
        body = {"messages": [{"role": "user", "content": "Show me a stall"}]}
        with client.stream("POST", f"{origin}/chat/stream", json=body) as response:
            arriving = response.iter_raw()
            assert next(arriving)
            wait_for(lambda: running(origin) == 1)
        wait_for(lambda: running(origin) == 0)
