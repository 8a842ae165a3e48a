"""One question to an address that is not quite the backend's."""

from __future__ import annotations

import pytest

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.asking import FOUND_ELSEWHERE, ask_anywhere
from chat_ui.protocol.events import DialectSeen, Event, Failed, TextDelta, Timing
from chat_ui.protocol.events import Warning as Skipped
from chat_ui.protocol.transport.client import Client
from tests.backends.counted import Counted
from tests.backends.lookalikes import FOUND_FROM_THEIR_BASE, LOOKALIKES
from tests.backends.stand_in import Received, Reply, StandIn, lines
from tests.protocol.asking import PATIENT, QUESTION

HELLO = {"content": "Hello."}


async def asked(client: Client, url: str) -> Answer:
    builder = AnswerBuilder()
    await ask_anywhere(client, Backend(url), QUESTION, builder.add)
    builder.close()
    return builder.answer()


@pytest.mark.parametrize("name", FOUND_FROM_THEIR_BASE)
async def test_a_base_url_leads_to_one_answer_and_the_warning_says_where_it_came_from(name: str) -> None:
    path, rule = LOOKALIKES[name]
    counted = Counted(rule)
    stand_in = StandIn(counted)
    async with stand_in.running(), Client(PATIENT) as client:
        first = await asked(client, stand_in.url)
        looked = len(stand_in.requests)
        again = await asked(client, stand_in.url)
    assert "One pair" in first.text
    assert first.error is None
    assert "One pair" in again.text
    assert counted.answered == 2
    [warning] = [warning for warning in first.warnings if warning.code == FOUND_ELSEWHERE]
    assert "answered at " + (stand_in.url + path).rstrip("/") in warning.detail
    assert f"POST {stand_in.url}" in warning.detail
    assert FOUND_ELSEWHERE not in {warning.code for warning in again.warnings}
    assert len(stand_in.requests) <= looked + 2


async def test_where_no_backend_is_found_the_first_refusal_stays() -> None:
    async with StandIn(lambda _: Reply([b"gone"], status=404)).running() as stand_in, Client(PATIENT) as client:
        answer = await asked(client, stand_in.url + "/nowhere")
        assert answer.error is not None
        assert answer.error.status == 404
        assert not client.found


async def test_a_refusal_that_has_nothing_to_do_with_the_place_is_not_asked_again() -> None:
    reply = Reply([lines({"error": "The key is wrong."})], status=401)
    async with StandIn(reply).running() as stand_in, Client(PATIENT) as client:
        answer = await asked(client, stand_in.url + "/chat")
        assert answer.error is not None
        assert len(stand_in.requests) == 1


async def test_each_event_is_taken_once_and_those_of_a_passed_place_not_at_all() -> None:
    def rule(request: Received) -> Reply:
        if request.path.startswith("/api/chat"):
            return Reply([b"oops\n", lines(*({"delta": {"content": text}} for text in "ABC"))])
        return Reply([b"gone\n"], status=404)

    taken: list[Event] = []
    async with StandIn(rule).running() as stand_in, Client(PATIENT) as client:
        await ask_anywhere(client, Backend(stand_in.url), QUESTION, taken.append)
    warnings = [event.code for event in taken if isinstance(event, Skipped)]
    assert warnings == ["not_json", FOUND_ELSEWHERE]
    assert "".join(event.text for event in taken if isinstance(event, TextDelta)) == "ABC"
    assert (
        sum(isinstance(event, DialectSeen) for event in taken) == sum(isinstance(event, Timing) for event in taken) == 1
    )
    assert not any(isinstance(event, Failed) for event in taken)
    assert isinstance(taken[-1], Skipped)


async def test_a_root_that_answers_everything_with_its_health_is_no_backend() -> None:
    def rule(request: Received) -> Reply:
        if request.path == "/api/chat":
            return Reply([lines({"message": {"role": "assistant", "content": "Two a year."}})])
        return Reply([lines({"status": "ok"})]) if request.path == "/" else Reply([b"Not Found"], status=404)

    async with StandIn(rule).running() as stand_in, Client(PATIENT) as client:
        answer = await asked(client, stand_in.url)
    assert (answer.text, answer.error) == ("Two a year.", None)


async def test_words_of_a_content_filter_do_not_change_the_form_of_the_questions_after_it() -> None:
    def rule(request: Received) -> Reply:
        asked = request.json["messages"][-1]
        if "content" not in asked:
            return Reply([lines({"error": "messages[0].content is required"})], 400)
        filtered = {"error": {"message": "Parts of the prompt were filtered: run_id 7, thread_id 9."}}
        return Reply([lines(filtered)], 400) if len(stand_in.requests) == 1 else Reply([lines({"delta": HELLO})])

    stand_in = StandIn(rule)
    async with stand_in.running(), Client(PATIENT) as client:
        refused = await asked(client, stand_in.url + "/chat")
        answered = await asked(client, stand_in.url + "/chat")
    assert refused.error is not None
    assert "were filtered" in refused.error.message
    assert answered.text == "Hello."
    assert len(stand_in.requests) == 2


async def test_a_form_that_is_refused_too_is_not_kept() -> None:
    def rule(request: Received) -> Reply:
        is_plain = "content" in request.json["messages"][-1]
        if is_plain and len(stand_in.requests) > 2:
            return Reply([lines({"delta": HELLO})])
        return Reply([lines({"error": "'parts' is what this tool wants" if is_plain else "no content"})], 400)

    stand_in = StandIn(rule)
    async with stand_in.running(), Client(PATIENT) as client:
        refused = await asked(client, stand_in.url + "/chat")
        answered = await asked(client, stand_in.url + "/chat")
    assert refused.error is not None
    assert answered.text == "Hello."
