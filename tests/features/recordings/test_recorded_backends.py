import asyncio
import json
from pathlib import Path

from chat_ui.backends.personal_choices import read_choices
from chat_ui.page.state.first_paint import first_paint
from chat_ui.protocol.recordings.recording import Recording
from tests.backends.recorded import AT, QUESTION, RECORDED, recording_of
from tests.page.state.pages import Pages, ask, ask_both, compare, latest, open_page, open_pages, saying
from tests.page_socket import ARM_CHOICE, BACKEND
from tests.stand_ins.stand_in import JSON_LINES, Received, Reply, lines


async def test_a_recorded_comparison_is_shown_as_a_comparison_again(tmp_path: Path):
    """The right column answered first in the recording, at another path."""
    right_is_there = asyncio.Event()

    def reply(received: Received) -> Reply:
        if received.path.startswith("/after"):
            right_is_there.set()
            return saying("Twelve.")
        return Reply([right_is_there, *saying("Twenty.").writes])

    offered = [{"name": name, "url": f"/{name.lower()}/chat"} for name in ("Before", "After")]
    path = tmp_path / "all.jsonl"
    async with open_page(tmp_path, reply, offered, record=path) as (pages, page):
        await compare(page)
        await page.send(f"{ARM_CHOICE}.select_for_column", {"backend_id": "given:After"})
        await ask_both(page, QUESTION)
    offered = [{"name": "Shown", "kind": "recording", "file": path.name}]
    async with open_page(tmp_path, offered=offered) as (pages, page):
        await compare(page)
        await ask_both(page, QUESTION)
        assert all(one["recorded"].startswith("Recorded on ") for one in latest(page))
        assert [await text_of(pages, one["id"]) for one in latest(page)] == ["Twenty.", "Twelve."]
        assert pages.backend.requests == []


async def text_of(pages: Pages, answer: str) -> str:
    found = await pages.services.conversations.answer("ann", answer)
    assert found is not None
    return found.answer.text


async def test_the_operator_records_everybody_and_a_failed_write_stops_no_answer(tmp_path: Path):
    path = tmp_path / "all.jsonl"
    async with open_pages(tmp_path, record=path) as pages, pages.booted() as page, pages.booted("bob") as other:
        for one, question in ((page, "Mine?"), (other, "Theirs?")):
            await ask(one, question)
        assert first_paint(pages.services).parts["recorded"]
        assert [one.question for one in Recording.open(path).exchanges] == ["Mine?", "Theirs?"]
        path.unlink()
        assert (await ask(page, "Which?"))["latest"]["status"] == "finished"
        assert not path.exists()


async def test_a_replay_behind_an_address_is_labelled(tmp_path: Path):
    said = Reply([lines({"delta": {"content": "Yes."}})], headers={**JSON_LINES, "Chat-UI-Recorded": AT})
    async with open_page(tmp_path, said) as (_, page):
        assert (await ask(page, "Which?"))["latest"]["recorded"] == "Recorded on 20 November 2025"


def test_a_persons_recording_of_an_earlier_version_is_not_offered():
    entry = {"id": "own:1", "url": "http://recording.invalid/chat", "recording": "A" * 22}
    assert read_choices(json.dumps({"own": [entry], "selected": "own:1"})).own == ()


async def test_the_operators_recording_is_offered_with_its_date(tmp_path: Path):
    recording_of(tmp_path / "showing.jsonl", RECORDED)
    offered = [{"name": "Shown", "kind": "recording", "file": "showing.jsonl"}, {"name": "Here", "url": "/chat"}]
    async with open_page(tmp_path, offered=offered) as (pages, page):
        assert (page.state["label"], page.state["starters"]) == ("Shown", [QUESTION])
        assert page.states[BACKEND]["recordings"] == {"given:Shown": "Recorded on 20 November 2025"}
        state = await ask(page, QUESTION)
        assert state["latest"]["recorded"] == "Recorded on 20 November 2025"
        assert pages.backend.requests == []
