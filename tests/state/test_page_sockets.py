"""The sockets of pages, each with a person, in the process of the test."""

import asyncio
import json
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from chat_ui.state.socket_people import SocketPeople
from chat_ui.state.sockets import EVENTS_A_SECOND, EVENTS_AT_ONCE, Rate, page_of
from tests.page_socket import CHAT, PageSocket, page_socket
from tests.state.pages import Pages, ask, open_pages

of_file = pytest.mark.asyncio(loop_scope="module")


async def refused(pages: Pages, person: str = "ann", token: str = "a" * 20) -> bool:
    """Whether a page of this person with this token is told nothing of its state."""
    try:
        async with page_socket(pages.url, person, token=token) as page:
            await page.raw(f"40/_event,{json.dumps({})}")
            while not (answer := await page.take()).startswith(("40", "44")):
                pass
            return answer.startswith("44")
    except (ConnectionClosed, InvalidStatus):
        return True


@of_file
async def test_a_socket_needs_a_person_and_one_token_that_is_not_too_long(pages: Pages):
    assert not await refused(pages)
    assert not await refused(pages, token="b" * 100)
    assert await refused(pages, token="b" * 101)
    assert await refused(pages, person="")


@of_file
async def test_a_person_who_opens_sockets_without_end_is_refused(tmp_path: Path):
    async with open_pages(tmp_path, rate=Rate(clock=lambda: 100.0)) as pages:
        opened = 0
        while not await refused(pages, token=f"{opened:020}"):
            opened += 1
        assert opened == EVENTS_AT_ONCE // 5
        assert not await refused(pages, person="bea")


@of_file
async def test_events_beyond_those_that_are_heard_at_once_wait(page: PageSocket):
    began = asyncio.get_running_loop().time()
    for _ in range(EVENTS_AT_ONCE + 10):
        await page.send(f"{CHAT}.ping")
    await page.until(lambda state: state["pongs"] == EVENTS_AT_ONCE + 10)
    assert asyncio.get_running_loop().time() - began > 5 / EVENTS_A_SECOND


@of_file
async def test_what_no_page_sends_is_dropped_and_the_log_says_so_without_its_words(pages: Pages, caplog):
    async with pages.booted() as page:
        await page.send(f"{CHAT}.sk-secret", {"sk-secret": 1})
        for frame in ('["disconnect"]', '["connect",{},{}]', '["sk-secret",1]', '["ping",1,2]', "[7]"):
            await page.raw(f"42/_event,{frame}")
        await page.raw('42/_event,["client_error","sk-secret"]')
        await page.hear()
        await ask(page, "Colour?")
    words = [record.getMessage() for record in caplog.records if record.name == "chat_ui.state.sockets"]
    assert len([one for one in words if "an event was dropped" in one]) == 6
    assert len([one for one in words if "could not use a change" in one]) == 1
    assert "sk-secret" not in "".join(words)


def test_a_page_is_named_by_its_person_and_its_token():
    names = {page_of(person, token) for person in ("ann", "bea") for token in ("one", "two")}
    assert len(names) == 4
    assert page_of("ann", "one") in names
    assert len(page_of("ann", "one")) == 36


def test_a_closed_socket_keeps_its_person_for_a_while():
    people = SocketPeople()
    for number in range(10_001):
        people.open(str(number), f"person {number}")
        assert people.of(str(number)) == f"person {number}"
        people.close(str(number))
    assert people.of("0") == ""
    assert people.of("1") == "person 1"
    assert people.of("10000") == "person 10000"
    assert people.of("none such") == ""


def test_events_are_heard_at_once_and_then_at_a_rate():
    now = [100.0]
    rate = Rate(4, 2.0, clock=lambda: now[0])
    assert rate.allows("ann", 3)
    assert not rate.allows("ann", 2)
    assert rate.allows("ann", 1)
    assert rate.allows("bea", 4)
    assert [rate.turn("ann") for _ in range(3)] == [0.5, 1.0, 1.5]
    now[0] += 2.0
    assert [rate.turn("ann") for _ in range(2)] == [0.0, 0.5]
    now[0] += 100.0
    assert rate.allows("ann", 4)
    assert not rate.allows("ann", 1)


def test_of_very_many_people_the_longest_silent_are_counted_anew():
    now = [0.0]
    rate = Rate(1, 1.0, clock=lambda: now[0])
    for number in range(10_000):
        assert rate.allows(str(number), 1)
    assert rate.turn("0") == 1.0
    assert rate.allows("10000", 1)
    assert not rate.allows("0", 1)
    assert rate.allows("1", 1)
