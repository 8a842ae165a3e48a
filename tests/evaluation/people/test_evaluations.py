"""Evaluations of people: what is asked, when, and what is there afterwards."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_ui.conversations.people.limits import Allowance, LimitReachedError, Limits
from chat_ui.evaluation.people.evaluations import MOST_PEOPLE, Asked, Evaluations
from chat_ui.evaluation.people.person_runs import RUN_BYTES, EvaluationError, write_set
from chat_ui.evaluation.question_set import Question
from chat_ui.processes.pool import Processes
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import Message
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.protocol.transport.client import Client
from chat_ui.server.lifetime import keeping
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.services import build
from chat_ui.settings import Settings
from tests.app import free_port
from tests.backends.stand_in import Reply, StandIn
from tests.conversations.keeping import until
from tests.evaluation.made import REFUSED, SOUND, Held, all_came, asked, by_question, in_turn, rows, saying
from tests.evaluation.people.made import (
    KEEP_DAYS,
    ask_all,
    asking,
    backends,
    below,
    ended,
    evaluations_of,
    everything,
    leave,
    put,
    questions_of,
    runs_in,
    there,
    told,
)

BUSY = Reply([b'{"error": {"message": "too many"}}'], 429, {"Content-Type": "application/json", "Retry-After": "1"})
FIVE = ("1?", "2?", "3?", "4?", "5?")


async def test_each_question_is_asked_once_and_nothing_before_that_is_wanted(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(by_question({"2?": REFUSED}))
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE, name="Plans.csv")
        assert [(one.done, one.asked) for one in await evaluations.all("ann")] == [(0, None)]
        assert stand_in.requests == []
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url, "m", {"top": 2}))
        kept = there(runs, "ann", run_id)
        assert sorted(asked(stand_in)) == [*FIVE]
        assert {one.json["model"] for one in stand_in.requests} == {"m"}
        assert [(row["number"], row["failed"]) for row in rows(kept.run)] == [(n, n == 2) for n in range(1, 6)]
        assert evaluations.problem("ann", run_id).startswith("The newest error: The backend answered with status 500")
        assert [(one.done, one.failed) for one in await evaluations.all("ann")] == [(5, 1)]
    assert kept.asked is not None
    assert (kept.asked.url, kept.asked.model, kept.asked.count) == (f"{stand_in.url}/chat", "m", 5)
    assert (kept.asked.question_file, kept.asked.shown_options) == ("Plans.csv", {"top": 2})


async def test_a_conversation_is_asked_with_all_that_was_said(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    run_id, folder = runs.new("ann")
    messages = [("user", "Who?"), ("assistant", "We."), ("user", "Why?")]
    write_set(folder, [Question(1, tuple(Message(*one) for one in messages))], "Talk", 1.0)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
    (request,) = stand_in.requests
    assert [(one["role"], one["content"]) for one in request.json["messages"]] == messages


async def test_the_first_question_goes_alone_and_then_two_at_once(tmp_path: Path):
    runs, held = runs_in(tmp_path), Held()
    stand_in, together, done = StandIn(held), [], []
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        await evaluations.begin("ann", put(runs, "ann", *FIVE), asking(client, stand_in.url))
        for count in (1, 2, 2):
            await held.until(count)
            await all_came(stand_in)
            together.append(len(held.waiting))
            done += [one.done for one in await evaluations.all("ann")]
            held.let_go()
        await ended(evaluations, "ann")
    assert together == [1, 2, 2]
    assert done == [0, 1, 3]


async def test_a_run_that_is_stopped_keeps_its_answers_and_goes_on_with_what_is_missing(tmp_path: Path):
    runs, held = runs_in(tmp_path), Held()
    stand_in = StandIn(held)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE)
        await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        await held.until(1)
        held.let_go()
        await held.until(2)
        await evaluations.stop("ann")
        assert evaluations.under_way("ann") is None
        assert evaluations.problem("ann", run_id) == ""
        assert [row["question"] for row in rows(there(runs, "ann", run_id).run)] == ["1?"]
        before = (there(runs, "ann", run_id)).results.read_bytes()
        held.let_go()
        await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        for count in (1, 2, 1):
            await held.until(count)
            held.let_go()
        await ended(evaluations, "ann")
        assert asked(stand_in)[0] == "1?"
        assert sorted(asked(stand_in)) == ["1?", "2?", "2?", "3?", "3?", "4?", "5?"]
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert len([one for one in stand_in.requests if one.method == "POST"]) == 7
    kept = there(runs, "ann", run_id)
    assert kept.results.read_bytes().startswith(before)
    assert [row["number"] for row in rows(kept.run)] == [1, 2, 3, 4, 5]


async def test_a_run_goes_on_where_another_server_takes_its_folder(tmp_path: Path):
    held = Held()
    stand_in, run_id = StandIn(held), put(runs_in(tmp_path), "ann", *FIVE)
    async with backends(stand_in) as client:
        async with evaluations_of(runs_in(tmp_path)) as (evaluations, _):
            await evaluations.begin("ann", run_id, asking(client, stand_in.url))
            await held.until(1)
            held.let_go()
            await held.until(2)
            await evaluations.close()
            assert evaluations.under_way("ann") is None
        held.let_go()
        count = len(stand_in.requests)
        async with evaluations_of(runs_in(tmp_path)) as (evaluations, _):
            assert [one.done for one in await evaluations.all("ann")] == [1]
            await evaluations.begin("ann", run_id, asking(client, stand_in.url))
            for more in (1, 2, 1):
                await held.until(more)
                held.let_go()
            await ended(evaluations, "ann")
    assert sorted(asked(stand_in)[count:]) == ["2?", "3?", "4?", "5?"]
    assert [row["number"] for row in rows(there(runs_in(tmp_path), "ann", run_id).run)] == [1, 2, 3, 4, 5]


async def test_a_person_has_one_evaluation_asked_at_a_time(tmp_path: Path):
    runs, held = runs_in(tmp_path), Held()
    stand_in = StandIn(held)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        first, second = put(runs, "ann", "First?"), put(runs, "ann", "Second?")
        await evaluations.begin("ann", first, asking(client, stand_in.url))
        await held.until(1)
        for begin, run_id in (
            (evaluations.begin, second),
            (evaluations.begin_anew, first),
            (evaluations.begin_anew, second),
        ):
            with pytest.raises(EvaluationError, match="Questions of yours are being asked already"):
                await begin("ann", run_id, asking(client, stand_in.url))
        await evaluations.begin("ann", first, asking(client, stand_in.url))
        assert len(await evaluations.all("ann")) == 2
        await evaluations.begin("bob", put(runs, "bob", "Third?"), asking(client, stand_in.url))
        await held.until(2)
        under_way = evaluations.under_way("ann")
        assert under_way is not None
        assert under_way.kept.id == first
        held.let_go()
        for person in ("ann", "bob"):
            await ended(evaluations, person)
    assert asked(stand_in) == ["First?", "Third?"]
    assert {one.id: one.done for one in runs.all("ann")} == {first: 1, second: 0}


async def test_of_two_that_are_begun_in_one_moment_one_is_asked(tmp_path: Path):
    runs, held = runs_in(tmp_path), Held()
    stand_in = StandIn(held)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        begun = [
            evaluations.begin("ann", put(runs, "ann", words), asking(client, stand_in.url)) for words in ("A?", "B?")
        ]
        outcomes = await asyncio.gather(*begun, return_exceptions=True)
        assert sorted(type(one).__name__ for one in outcomes) == ["EvaluationError", "NoneType"]
        await held.until(1)
        await all_came(stand_in)
        assert len(held.waiting) == 1


async def test_so_many_people_have_questions_asked_at_once(tmp_path: Path):
    runs, held = runs_in(tmp_path), Held()
    stand_in = StandIn(held)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        people = [f"person {number}" for number in range(MOST_PEOPLE + 1)]
        ids = {person: put(runs, person, f"{person}?") for person in people}
        *first, last = people
        for person in first:
            await evaluations.begin(person, ids[person], asking(client, stand_in.url))
        with pytest.raises(EvaluationError, match="Questions of many people"):
            await evaluations.begin(last, ids[last], asking(client, stand_in.url))
        await held.until(MOST_PEOPLE)
        await evaluations.stop(first[0])
        await evaluations.begin(last, ids[last], asking(client, stand_in.url))
        await held.until(MOST_PEOPLE + 1)
    assert sorted(asked(stand_in)) == sorted(f"{person}?" for person in people)


async def test_nobody_has_another_persons_questions_asked(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        other = put(runs, "bob", "Who?")
        before = below(tmp_path)
        for run_id in (other, "", "..", "a" * 22):
            with pytest.raises(EvaluationError, match="These questions are not here any more"):
                await evaluations.begin("ann", run_id, asking(client, stand_in.url))
            with pytest.raises(EvaluationError, match="These questions are not here any more"):
                await evaluations.copy("ann", run_id)
            await evaluations.remove("ann", run_id)
        await evaluations.stop("ann")
        assert await evaluations.find("ann", other) is None
        assert evaluations.under_way("ann") is None
        assert below(tmp_path) == before
    assert stand_in.requests == []


@pytest.mark.parametrize("changed", ["url", "model", "options"])
async def test_another_backend_answers_no_run_that_was_begun(tmp_path: Path, changed: str):
    runs, stand_in, other = runs_in(tmp_path), StandIn(SOUND), StandIn(saying("Another."))
    async with backends(stand_in, other) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE)
        mine = asking(client, stand_in.url)
        await ask_all(evaluations, "ann", run_id, mine)
        kept = there(runs, "ann", run_id)
        (first, *_) = kept.results.read_bytes().splitlines(keepends=True)
        kept.results.write_bytes(first)
        before = everything(kept)
        others = {
            "url": asking(client, other.url),
            "model": asking(client, other.url, "m"),
            "options": asking(client, stand_in.url, options={"top": 2}),
        }
        await ask_all(evaluations, "ann", run_id, others[changed])
        assert "put to another backend, or with other settings" in evaluations.problem("ann", run_id)
        assert evaluations.problem("bob", run_id) == ""
        assert (len(stand_in.requests), len(other.requests)) == (5, 0)
        assert everything(kept) == before
        await ask_all(evaluations, "ann", run_id, mine)
        assert evaluations.problem("ann", run_id) == ""
        assert len(stand_in.requests) == 9


async def test_a_copy_asks_every_question_anew_and_leaves_the_first_answers(tmp_path: Path):
    runs, stand_in, other = runs_in(tmp_path), StandIn(SOUND), StandIn(saying("Another."))
    async with backends(stand_in, other) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE, name="Plans.csv", at=1.0)
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        answers = there(runs, "ann", run_id).results.read_bytes()
        copy_id = await evaluations.copy("ann", run_id)
        copied = there(runs, "ann", copy_id)
        assert (copied.done, copied.asked, copied.about.name) == (0, None, "Plans.csv")
        assert copied.questions() == there(runs, "ann", run_id).questions()
        await ask_all(evaluations, "ann", copy_id, asking(client, other.url))
        assert sorted(asked(other)) == [*FIVE]
        assert {row["answer"] for row in rows(copied.run)} == {"Another."}
        assert there(runs, "ann", run_id).results.read_bytes() == answers
        assert [one.id for one in await evaluations.all("ann")] == [copy_id, run_id]


async def test_a_backend_that_fails_for_every_question_has_failed_answers(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(REFUSED)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE)
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert "out of order" in evaluations.problem("ann", run_id)
    kept = there(runs, "ann", run_id)
    assert (kept.done, kept.failed, len(stand_in.requests)) == (5, 5, 5)
    assert all("out of order" in row["error"] for row in rows(kept.run))


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_backend_that_refuses_the_first_question_is_asked_no_other_and_nothing_is_kept(
    tmp_path: Path, status: int
):
    refuses = Reply([b'{"error": {"message": "That key is unknown here."}}'], status=status)
    runs, stand_in = runs_in(tmp_path), StandIn(refuses)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE)
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert evaluations.problem("ann", run_id)
    # It may have been looked for at more than one address.
    assert set(asked(stand_in)) == {"1?"}
    assert there(runs, "ann", run_id).done == 0


async def test_an_error_that_was_waited_for_is_no_problem_of_the_set(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(in_turn([SOUND, BUSY, SOUND]))
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", "1?", "2?")
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert evaluations.problem("ann", run_id) == ""
    assert (there(runs, "ann", run_id).done, len(stand_in.requests)) == (2, 3)


async def test_a_truth_that_takes_too_long_to_read_fails_its_question_alone(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    quick = Evaluations(
        runs, Allowance(Limits()), reading=Processes(at_once=1, seconds=3), writing=Processes(at_once=1)
    )
    async with backends(stand_in) as client:
        run_id, folder = runs.new("ann")
        truth = "[" * 300_000
        both = (*questions_of("Who?", truth=truth), Question(2, (Message("user", "Why?"),)))
        write_set(folder, both, "Set", 1.0)
        await ask_all(quick, "ann", run_id, asking(client, stand_in.url))
        await quick.close()
    first, second = rows(there(runs, "ann", run_id).run)
    assert (first["failed"], first["error"]) == (True, "This answer takes too long to be measured.")
    assert first["truth"] == truth
    assert second["failed"] is False


async def test_a_backend_that_says_when_to_come_back_is_asked_then(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(in_turn([SOUND, BUSY, SOUND]))
    waits: list[float] = []
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", "1?", "2?")
        await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        while (under_way := evaluations.under_way("ann")) is not None:
            await under_way.signal.wait(under_way.signal.revision)
            if under_way.progress.waiting is not None:
                waits.append(under_way.progress.waiting)
    assert waits
    assert 0.9 < max(waits) <= 1
    assert asked(stand_in) == ["1?", "2?", "2?"]
    kept = there(runs, "ann", run_id)
    assert (kept.done, kept.failed) == (2, 0)


async def test_where_nobody_is_at_the_address_the_words_say_so_and_it_can_go_on(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", "1?", "2?")
        before = below(tmp_path)
        address = f"http://127.0.0.1:{free_port()}"
        await ask_all(evaluations, "ann", run_id, asking(client, address))
        assert f"Could not connect to {address}" in evaluations.problem("ann", run_id)
        assert below(tmp_path) == before
        await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        assert evaluations.problem("ann", run_id) == ""
        await ended(evaluations, "ann")
    assert there(runs, "ann", run_id).done == 2


async def test_half_of_the_questions_of_a_minute_stay_for_those_that_the_person_types(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(by_question({}))
    async with backends(stand_in) as client, evaluations_of(runs, questions_per_minute=4) as (evaluations, allowance):
        assert evaluations.share == 2
        run_id = put(runs, "ann", *FIVE)
        await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        under_way = evaluations.under_way("ann")
        assert under_way is not None
        while not (under_way.paced and under_way.progress.done == 2):
            await under_way.signal.wait(under_way.signal.revision)
        assert sorted(asked(stand_in)) == ["1?", "2?"]
        await allowance.take("ann", questions=2)
        with pytest.raises(LimitReachedError):
            await allowance.take("ann")
        await ask_all(evaluations, "bob", put(runs, "bob", "1?", "2?"), asking(client, stand_in.url))
        assert len(stand_in.requests) == 4
        await evaluations.stop("ann")
        await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        again = evaluations.under_way("ann")
        assert again is not None
        while not again.paced:
            await again.signal.wait(again.signal.revision)
        assert len(stand_in.requests) == 4
    assert there(runs, "ann", run_id).done == 2


async def test_a_person_who_typed_as_many_as_are_allowed_has_none_asked(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs, questions_per_minute=1) as (evaluations, allowance):
        assert evaluations.share == 1
        await allowance.take("ann")
        await evaluations.begin("ann", put(runs, "ann", "1?"), asking(client, stand_in.url))
        under_way = evaluations.under_way("ann")
        assert under_way is not None
        while not under_way.paced:
            await under_way.signal.wait(under_way.signal.revision)
        assert stand_in.requests == []


async def test_a_question_that_is_longer_than_a_person_may_type_is_not_sent(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs, question_characters=10) as (evaluations, _):
        run_id = put(runs, "ann", "Who pays it?", "Who pays??")
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
    assert asked(stand_in) == ["Who pays??"]
    first, second = rows(there(runs, "ann", run_id).run)
    assert (first["failed"], second["failed"]) == (True, False)
    assert first["error"] == "This question has 12 characters; 10 are allowed."


async def test_answers_that_are_larger_than_is_kept_end_the_run_in_words(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE)
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        results = there(runs, "ann", run_id).results
        (first, *_) = map(json.loads, results.read_bytes().splitlines())
        room = RUN_BYTES - len(json.dumps({**first, "more": ""})) - 1
        results.write_text(json.dumps({**first, "more": "x" * room}) + "\n")
        assert results.stat().st_size == RUN_BYTES
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert f"The answers have {in_words(RUN_BYTES)}" in evaluations.problem("ann", run_id)
        assert len(stand_in.requests) == 6
        assert there(runs, "ann", run_id).done == 2
        with pytest.raises(EvaluationError, match="The answers have"):
            await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        assert len(stand_in.requests) == 6


async def test_what_is_deleted_while_it_is_asked_leaves_nothing(tmp_path: Path):
    runs, held = runs_in(tmp_path), Held()
    stand_in = StandIn(held)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        other = put(runs, "bob", "What?")
        before = below(tmp_path)
        put(runs, "ann", "Why?")
        await evaluations.begin("ann", put(runs, "ann", *FIVE), asking(client, stand_in.url))
        await held.until(1)
        held.let_go()
        await held.until(2)
        await evaluations.forget_all("ann")
        assert evaluations.under_way("ann") is None
        assert below(tmp_path) == before
        held.let_go()
        await all_came(stand_in)
        assert below(tmp_path) == before
        assert await evaluations.all("ann") == []
        assert [one.id for one in await evaluations.all("bob")] == [other]
    assert sorted(asked_by_post(stand_in)) == ["1?", "2?", "3?"]


def asked_by_post(stand_in: StandIn) -> list[str]:
    return [one.json["messages"][-1]["content"] for one in stand_in.requests if one.method == "POST"]


async def test_one_that_is_removed_while_it_is_asked_is_gone_and_the_others_stay(tmp_path: Path):
    runs, held = runs_in(tmp_path), Held()
    stand_in = StandIn(held)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        stays, goes = put(runs, "ann", "Why?"), put(runs, "ann", *FIVE)
        await evaluations.begin("ann", goes, asking(client, stand_in.url))
        await held.until(1)
        await evaluations.remove("ann", stays)
        assert evaluations.under_way("ann") is not None
        await evaluations.remove("ann", goes)
        assert evaluations.under_way("ann") is None
        assert await evaluations.all("ann") == []
        assert [path.name for path in (tmp_path / "evaluations").glob("*/*")] == []


async def test_where_there_is_no_room_nothing_is_asked(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path, all_bytes=2 * RUN_BYTES), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", "Who?")
        _, folder = runs.new("bob")
        with (folder / "sent").open("wb") as file:
            file.truncate(RUN_BYTES)
        with pytest.raises(EvaluationError, match="no room for more answers"):
            await evaluations.begin("ann", run_id, asking(client, stand_in.url))
        with pytest.raises(EvaluationError, match="no room for more answers"):
            await evaluations.copy("ann", run_id)
        assert stand_in.requests == []
        assert [one.id for one in await evaluations.all("ann")] == [run_id]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("questions.jsonl", "These questions are not here any more"),
        ("run", "The answers that are here cannot be read any more"),
    ],
)
async def test_a_folder_that_was_damaged_ends_the_run_in_words(tmp_path: Path, name: str, words: str):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", "Who?")
        (there(runs, "ann", run_id).folder / name).write_bytes(b"{")
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert words in evaluations.problem("ann", run_id)
        assert str(tmp_path) not in evaluations.problem("ann", run_id)
    assert stand_in.requests == []


async def test_a_run_that_is_stopped_as_it_begins_can_begin_again_at_once(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE)
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        results = there(runs, "ann", run_id).results
        # So many that it takes a while to look through them.
        results.write_bytes(results.read_bytes().splitlines(keepends=True)[0] * 3_000)
        asked_before = len(stand_in.requests)
        for turns in range(20):
            await evaluations.begin("ann", run_id, asking(client, stand_in.url))
            for _turn in range(turns):
                await asyncio.sleep(0)
            await evaluations.stop("ann")
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert evaluations.problem("ann", run_id) == ""
        assert len(stand_in.requests) > asked_before


async def test_a_set_whose_run_is_of_another_version_is_shown_and_can_be_removed(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", "Who?")
        kept = there(runs, "ann", run_id)
        kept.run.mkdir()
        (kept.run / "run.json").write_text('{"format": 1000}')
        assert [one.id for one in await evaluations.all("ann")] == [run_id]
        await ask_all(evaluations, "ann", run_id, asking(client, stand_in.url))
        assert "“Ask again” asks all questions anew" in evaluations.problem("ann", run_id)
        await evaluations.begin_anew("ann", run_id, asking(client, stand_in.url))
        await ended(evaluations, "ann")
        (again,) = {one.id for one in await evaluations.all("ann")} - {run_id}
        await evaluations.remove("ann", run_id)
        assert [one.id for one in await evaluations.all("ann")] == [again]
        assert not kept.folder.exists()


async def test_a_recording_is_asked_without_waiting_and_its_answers_have_no_times(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs, questions_per_minute=2) as (evaluations, _):
        run_id = put(runs, "ann", *FIVE)
        live = asking(client, stand_in.url)
        recorded = replace(live.backend, recording="r" * 22)
        await ask_all(evaluations, "ann", run_id, Asked(live.ask, recorded, {}, is_live=False))
        assert there(runs, "ann", run_id).done == len(FIVE)
        # The live backend at the same address is another one.
        await ask_all(evaluations, "ann", run_id, live)
        assert "These questions were put to another backend" in evaluations.problem("ann", run_id)
    found = rows(there(runs, "ann", run_id).run)
    assert {(row["total_s"], row["failed"]) for row in found} == {(None, False)}


async def test_a_conversation_is_taken_as_a_set_of_its_own_or_not_at_all(tmp_path: Path):
    runs = runs_in(tmp_path)
    async with evaluations_of(runs) as (evaluations, _):
        run_id = await evaluations.take_turns("ann", "Talk", [("Who?", None, ""), ("Why?", None, "")])
        assert told(there(runs, "ann", run_id)) == [("Who?", ""), ("Why?", "")]
        before = below(tmp_path)
        with pytest.raises(EvaluationError, match="Nothing was asked"):
            await evaluations.take_turns("ann", "Talk", [])
        assert below(tmp_path) == before


async def test_a_server_deletes_what_is_old_as_it_begins_and_asks_no_more_as_it_ends(tmp_path: Path):
    services = build(Settings(data_dir=tmp_path, policy="local"), "127.0.0.1", 8000)
    runs, held = services.person_runs, Held()
    stand_in = StandIn(held)
    old, new = there(runs, "bob", put(runs, "bob", "Old?")).folder, put(runs, "ann", "1?", "2?")
    leave(old, KEEP_DAYS + 1)

    async def is_gone() -> bool:
        return not old.exists()

    async with stand_in.running():
        backend = Backend(f"{stand_in.url}/chat")
        async with keeping(services, InFlight()):
            await until(is_gone)
            asks = Asked(lambda request: services.client.ask(backend, request), backend, {})
            await services.evaluations.begin("ann", new, asks)
            await held.until(1)
            held.let_go()
            await held.until(1)
        assert services.evaluations.under_way("ann") is None
        held.let_go()
        await all_came(stand_in)
        await services.client.aclose()
    assert [row["question"] for row in rows(there(runs, "ann", new).run)] == ["1?"]


@pytest.mark.parametrize(
    ("chosen", "host", "may_evaluate"),
    [
        ({}, "127.0.0.1", True),
        ({}, "0.0.0.0", False),
        ({"origins": ["https://chat.example"]}, "127.0.0.1", False),
        ({"evaluation": True}, "0.0.0.0", True),
        ({"evaluation": False}, "127.0.0.1", False),
        ({"evaluation": True, "settings_access": "hidden"}, "127.0.0.1", False),
        ({"evaluation": True, "settings_access": "read-only"}, "127.0.0.1", True),
        ({"evaluation": True, "retention_days": 0}, "127.0.0.1", False),
        ({"evaluation": True, "redis_url": "redis://127.0.0.1:1/0"}, "127.0.0.1", False),
    ],
)
def test_people_may_evaluate_where_the_page_is_their_own_or_the_operator_says_so(
    tmp_path: Path, chosen: dict[str, Any], host: str, may_evaluate: bool
):
    services = build(Settings(data_dir=tmp_path / "data", **chosen), host, 8000)
    assert services.may_evaluate is may_evaluate
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("value", "meant"), [(None, None), ("true", True), ("0", False), ("", None)])
def test_the_operator_says_so_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, meant: bool | None
):
    if value is None:
        monkeypatch.delenv("CHAT_UI_EVALUATION", raising=False)
    else:
        monkeypatch.setenv("CHAT_UI_EVALUATION", value)
    assert Settings(data_dir=tmp_path).evaluation is meant


@pytest.mark.parametrize(("retention", "days"), [(None, 30), (7, 7), (90, 30)])
def test_evaluations_stay_no_longer_than_conversations_and_at_most_a_month(
    tmp_path: Path, retention: float | None, days: float
):
    chosen: dict[str, Any] = {} if retention is None else {"retention_days": retention}
    assert build(Settings(data_dir=tmp_path, **chosen), "127.0.0.1", 8000).person_runs.keep_days == days


async def test_no_key_of_a_backend_is_written_to_the_disk(tmp_path: Path):
    runs, stand_in = runs_in(tmp_path), StandIn(SOUND)
    async with backends(stand_in) as client, evaluations_of(runs) as (evaluations, _):
        run_id = put(runs, "ann", "Who?")
        backend = Backend(f"{stand_in.url}/chat?key=s3cr3t-w0rd-1", headers={"api-key": "s3cr3t-w0rd-2"})
        await ask_all(evaluations, "ann", run_id, Asked(_asker(client, backend), backend, {"api_key": "s3cr3t-w0rd-3"}))
    (request,) = stand_in.requests
    assert (request.headers["api-key"], "s3cr3t-w0rd-1" in request.path) == ("s3cr3t-w0rd-2", True)
    assert b"s3cr3t-w0rd-3" in request.body
    written = b"".join(everything(there(runs, "ann", run_id)).values())
    assert b"Who?" in written
    assert b"s3cr3t-w0rd" not in written


def _asker(client: Client, backend: Backend) -> Any:
    return lambda request: client.ask(backend, request)
