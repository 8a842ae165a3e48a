"""States of closed pages have a limit in bytes and are evicted oldest first, while open pages stay."""

import asyncio
import time
from pathlib import Path

import pytest

from chat_ui.server import page_states
from chat_ui.server.page_states import EMPTY_SECONDS, PageStates
from tests.page.state.pages import Pages, ask, open_pages
from tests.page_socket import CHAT
from tests.timeouts import TIMEOUT

ROOM = 100_000
"""Bytes for some pages, far fewer than are closed below."""


def states_of(pages: Pages) -> PageStates:
    assert isinstance(pages.states, PageStates)
    return pages.states


async def until_open(states: PageStates, number: int) -> None:
    """Wait until that many of the stored pages are open."""
    async with asyncio.timeout(TIMEOUT):
        while len(states.states) - len(states.closed) != number:  # noqa: ASYNC110 - a page that closes announces nothing
            await asyncio.sleep(0)


async def test_visitors_take_limited_memory_and_evict_no_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page_states, "CLOSED_BYTES", ROOM)
    async with open_pages(tmp_path) as pages:
        states, kept = states_of(pages), list[int]()
        async with pages.booted("ann") as page:
            await ask(page, "Which buoys are red?")
        await until_open(states, 0)
        (asked,) = states.states
        async with pages.booted("open") as still:
            for number in range(16):
                async with pages.booted(f"visitor {number}"):
                    pass
                await until_open(states, 1)
                kept.append(len(states.states))
            assert asked in states.states
            assert states.closed.bytes <= ROOM
            assert kept[-1] == kept[-5] < 10
            await still.hear()
            assert len(states.states) == kept[-1]


@pytest.mark.parametrize("begin_anew", [False, True], ids=["one process", "several processes"])
async def test_a_returning_page_has_its_state_unless_other_processes_serve_it(tmp_path: Path, begin_anew: bool):
    async with open_pages(tmp_path) as pages:
        states = states_of(pages)
        states.begin_anew = begin_anew
        async with pages.booted("ann", token="one") as page:
            state = await ask(page, "Which buoys are red?")
        await until_open(states, 0)
        (key,) = states.states
        former = states.states[key]
        async with pages.page("ann", token="one") as page:
            await page.boot(storage={f"{CHAT}.remembered": state["conversation_id"]})
            assert [turn["question"] for turn in page.state["turns"]] == ["Which buoys are red?"]
            assert len(states.closed) == 0
        assert (states.states[key] is former) is not begin_anew


async def test_a_closed_page_without_a_conversation_is_kept_for_a_minute(tmp_path: Path):
    async with open_pages(tmp_path) as pages:
        states = states_of(pages)
        async with pages.booted("ann") as asked, pages.booted("bob"):
            await ask(asked, "Which buoys are red?")
        await until_open(states, 0)
        left = sorted(until - time.time() for until, _ in states._token_expires_at.values())
        assert left[0] <= EMPTY_SECONDS < 5 * EMPTY_SECONDS < left[1]
