"""Pieces of text, their pace, and the same ends under the server that the page runs on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.demo.app import demo_app
from chat_ui.demo.streaming import pieces
from chat_ui.settings import Settings
from tests.app import free_port
from tests.demo.asking import ask
from tests.demo.serving import serving, wait_for


@given(st.text())
def test_pieces_joined_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


def test_a_citation_is_split_as_a_tokenizer_would() -> None:
    assert list(pieces("See [Leave_Policy.pdf#page=2].")) == [
        *("See", " ", "[", "Leave", "_", "Policy", ".", "pdf", "#", "page", "=", "2", "].")
    ]


def test_text_comes_at_the_pace_that_is_set() -> None:
    with serving(demo_app(Settings(demo_delay=0.01))) as origin:
        ask(f"{origin}/chat", "When is payday?")
        start = monotonic()
        heard = ask(f"{origin}/chat/stream", "When is payday?")
        elapsed = monotonic() - start
    assert elapsed >= 0.01 * (len(heard.objects) - 2)


@pytest.fixture(scope="module")
def granian() -> Iterator[str]:
    """The demo alone under granian, which serves the page in production."""
    port = free_port()
    command = [Path(sys.executable).with_name("granian"), "--interface", "asgi", "--factory"]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port), "chat_ui.demo.app:demo_app"],
        env={**os.environ, "CHAT_UI_DEMO_DELAY": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    origin = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            return httpx2.get(f"{origin}/", trust_env=False).is_success
        except httpx2.TransportError:
            return False

    try:
        wait_for(answers)
        yield origin
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest.mark.thorough
def test_a_stream_ends_properly_under_granian(granian: str) -> None:
    heard = ask(f"{granian}/chat/stream", "When is payday?")
    assert not heard.broken
    assert heard.objects[-1]["sessionState"]


@pytest.mark.thorough
def test_a_cut_stream_is_unclean_under_granian(granian: str) -> None:
    heard = ask(f"{granian}/chat/stream", "Show me a cut stream")
    assert heard.broken
    assert heard.rest.startswith('{"delta":')


@pytest.mark.thorough
def test_a_stalled_answer_stops_under_granian_when_its_reader_leaves(granian: str) -> None:
    def running() -> int:
        count = httpx2.get(f"{granian}/", trust_env=False).json()["running"]
        assert isinstance(count, int)
        return count

    body = {"messages": [{"role": "user", "content": "Show me a stall"}]}
    with (
        httpx2.Client(trust_env=False, timeout=60) as client,
        client.stream("POST", f"{granian}/chat/stream", json=body) as response,
    ):
        arriving = response.iter_raw()
        assert next(arriving)
        wait_for(lambda: running() == 1)
    wait_for(lambda: running() == 0)
