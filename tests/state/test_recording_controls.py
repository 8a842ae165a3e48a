"""A person records what they ask, and takes recordings for backends."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from chat_ui.profiles.personal_choices import read_choices
from chat_ui.recordings.recording import Recording
from tests.backends.stand_in import JSON_LINES, Received, Reply, lines
from tests.conversations.keeping import until
from tests.page_socket import ARM_CHOICE, BACKEND, CHAT, ROOT, SECOND_ARM, PageSocket
from tests.profiles.recorded import AT, QUESTION, RECORDED, recording_of
from tests.state.comparisons import ask_both, compare, latest
from tests.state.pages import Pages, ask, open_pages, saying

RECORDINGS = f"{ROOT}.chat_ui___state___recordings___recording_controls____recording_state"


async def begin(page: PageSocket) -> None:
    await page.boot()
    await page.send(f"{RECORDINGS}.start")
    await page.until(lambda state: state["recording"]["is_on"])


async def end(page: PageSocket) -> str:
    """Stop, and give the id of the recording."""
    await page.send(f"{RECORDINGS}.stop")
    state = await page.until(lambda state: state["recording"]["made"])
    return str(state["recording"]["made"])


async def test_what_one_person_asks_is_recorded_and_nothing_of_others(tmp_path: Path):
    async with open_pages(tmp_path, recording=True) as pages, pages.page() as page, pages.page("bob") as other:
        await begin(page)
        await other.boot()
        await ask(page, "Mine?")
        await ask(other, "Theirs?")
        made = await end(page)
        assert not other.state["recording"]["is_on"]
        path = pages.services.recording_files.find("ann", made)
        assert path is not None
        assert [one.question for one in Recording.open(path).exchanges] == ["Mine?"]
        await page.send(f"{RECORDINGS}.use", {"recording_id": made})
        await page.until(lambda state: state["recorded"])
        assert page.state["starters"] == ["Mine?"]
        await other.send(f"{RECORDINGS}.use", {"recording_id": made})
        state = await other.until(lambda state: state["problem"])
        assert state["problem"].startswith("The recording is not here any more.")
        before = len(pages.backend.requests)
        assert (await ask(page, "mine?"))["latest"]["recorded"].startswith("Recorded on ")
        assert len(pages.backend.requests) == before


async def test_a_recorded_comparison_is_shown_as_one_again(tmp_path: Path):
    """The right arm answered first when it was recorded, at another path."""
    right_is_there = asyncio.Event()

    def reply(received: Received) -> Reply:
        if received.path.startswith("/after"):
            right_is_there.set()
            return saying("Twelve.")
        return Reply([right_is_there, *saying("Twenty.").writes])

    offered = [{"name": name, "url": f"/{name.lower()}/chat"} for name in ("Before", "After")]
    async with open_pages(tmp_path, reply, offered, recording=True) as pages, pages.page() as page:
        await begin(page)
        await compare(page)
        await page.send(f"{ARM_CHOICE}.select_for_arm", {"backend_id": "given:After"})
        await ask_both(page, QUESTION)
        await page.send(f"{RECORDINGS}.use", {"recording_id": await end(page)})
        await page.until(lambda state: state["recorded"])
        recorded = page.states[BACKEND]["selected"]
        asked = len(pages.backend.requests)
        await page.send(f"{CHAT}.new_chat")
        await page.send(f"{SECOND_ARM}.open")
        await page.until(lambda _: not page.states[SECOND_ARM]["comparing"])
        await compare(page)
        await page.until(lambda _: page.states[ARM_CHOICE]["arm_backend"] == recorded)
        assert page.states[ARM_CHOICE]["arm_recorded"].startswith("Recorded on ")
        await ask_both(page, QUESTION)
        assert all(one["recorded"].startswith("Recorded on ") for one in latest(page))
        assert [await text_of(pages, one["id"]) for one in latest(page)] == ["Twenty.", "Twelve."]
        assert len(pages.backend.requests) == asked


async def text_of(pages: Pages, answer: str) -> str:
    found = await pages.services.conversations.answer("ann", answer)
    assert found is not None
    return found.answer.text


async def test_an_answer_goes_on_where_the_recording_cannot_be_written(tmp_path: Path):
    async with open_pages(tmp_path, recording=True) as pages, pages.page() as page:
        await begin(page)
        for path in pages.services.recording_files.being_made("ann"):
            path.unlink()
        state = await ask(page, "Which?")
        assert state["latest"]["status"] == "finished"
        recording = (await page.until(lambda state: not state["recording"]["is_on"]))["recording"]
        assert recording["problem"].startswith("The recording ended")
        assert not recording["made"]


async def test_a_recording_that_a_server_left_is_offered(tmp_path: Path):
    async with open_pages(tmp_path, recording=True) as pages, pages.page() as page:
        await begin(page)
        await ask(page, "Which?")
        await pages.services.recorders.close()
    async with open_pages(tmp_path, recording=True) as pages, pages.page() as page:
        await page.boot()
        await page.send(f"{RECORDINGS}.look")
        recording = (await page.until(lambda state: state["recording"]["made"]))["recording"]
        assert "server stopped" in recording["problem"]
        path = pages.services.recording_files.find("ann", recording["made"])
        assert path is not None
        assert len(Recording.open(path).exchanges) == 1


async def test_nobody_records_where_the_operator_does_not_want_it(tmp_path: Path):
    async with open_pages(tmp_path) as pages, pages.page() as page:
        await page.boot()
        await page.send(f"{RECORDINGS}.start")
        await page.hear()
        await ask(page, "Which?")
        assert not (tmp_path / "recordings").exists()


async def test_the_operator_records_everybody_and_every_page_says_so(tmp_path: Path):
    path = tmp_path / "all.jsonl"
    async with open_pages(tmp_path, record=path) as pages, pages.page() as page, pages.page("bob") as other:
        for one, question in ((page, "Mine?"), (other, "Theirs?")):
            await one.boot()
            state = await ask(one, question)
            assert state["recording"]["is_of_all"]

        async def are_written() -> bool:
            return [one.question for one in Recording.open(path).exchanges] == ["Mine?", "Theirs?"]

        await until(are_written)
        path.unlink()
        await ask(page, "Which?")
        state = await page.until(lambda state: not state["recording"]["is_of_all"])
        assert state["recording"]["problem"].startswith("The recording ended")
        await page.send(f"{RECORDINGS}.dismiss")
        await page.until(lambda state: not state["recording"]["problem"])


async def test_a_replay_behind_an_address_is_told_of_as_well(tmp_path: Path):
    said = Reply([lines({"delta": {"content": "Yes."}})], headers={**JSON_LINES, "Chat-UI-Recorded": AT})
    async with open_pages(tmp_path, said) as pages, pages.page() as page:
        await page.boot()
        latest = (await ask(page, "Which?"))["latest"]
        assert latest["recorded"] == "Recorded on 20 November 2025"
        assert latest["replayed_by"] == page.state["selected"]


@pytest.mark.parametrize("place", ["https://evil.example/chat", "http://recording.invalid.evil.example/chat"])
def test_choices_make_no_recording_of_another_place(place: str):
    entry = {"id": "own:1", "url": place, "recording": "A" * 22}
    assert read_choices(json.dumps({"own": [entry]})).own == ()


async def test_the_operators_recording_is_a_backend_on_offer_and_its_settings_stay(tmp_path: Path):
    recording_of(tmp_path / "showing.jsonl", RECORDED)
    offered = [{"name": "Shown", "kind": "recording", "file": "showing.jsonl"}, {"name": "Here", "url": "/chat"}]
    async with open_pages(tmp_path, offered=offered) as pages, pages.page() as page:
        await page.boot()
        assert (page.state["label"], page.state["starters"]) == ("Shown", [QUESTION])
        assert page.state["recorded"] == "Recorded on 20 November 2025"
        state = await ask(page, QUESTION)
        assert state["latest"]["recorded"] == "Recorded on 20 November 2025"
        assert state["latest"]["replayed_by"] == "given:Shown"
        assert pages.backend.requests == []
