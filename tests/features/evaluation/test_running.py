"""Questions to backends that answer, wait, fail, hang and go away."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from chat_ui.features.evaluation.errors import BackendUnavailableError
from chat_ui.features.evaluation.question_set import Question
from chat_ui.features.evaluation.results import Result
from chat_ui.features.evaluation.running import Run
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.client import AsyncClient
from tests.features.evaluation.made import (
    CUT,
    REFUSED,
    SOUND,
    Held,
    Trial,
    all_came,
    by_question,
    in_turn,
    saying,
    trial,
)
from tests.late_loop import run_late
from tests.stand_ins.stand_in import Reply, lines


def limited(status: int, **headers: str) -> Reply:
    named = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Reply([b'{"error": {"message": "too many"}}'], status, named)


def failures(one: Trial) -> Any:
    """Failed answers in the run's summary."""
    return json.loads((one.out / "summary.json").read_bytes())["failed"]


async def test_answers_without_an_end_of_stream_fail_only_three_times(tmp_path: Path):
    delta = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Red"}
    async with trial(tmp_path, Reply([lines(delta)]), 6, "/agent") as one:
        await one.run("--concurrency", "1")
    assert [(row["failed"], row["answer"]) for row in one.rows] == [(True, "Red")] * 3 + [(False, "Red")] * 3


async def test_each_question_is_asked_once_with_one_result_line(tmp_path: Path):
    async with trial(tmp_path, SOUND, 9) as one:
        ran = await one.run("--model", "m", "--overrides", '{"top": 2}', "--json")
    assert (ran.status, ran.err.splitlines()[-1]) == (0, "Asking: 9 done, 0 left, 0 failed")
    assert sorted(one.asked) == [f"Who pays {number}?" for number in range(1, 10)]
    bodies = [request.json for request in one.stand_in.requests]
    assert {(body["model"], body["context"]["overrides"]["top"]) for body in bodies} == {("m", 2)}
    answer = "The company pays ten euros a day for the bus [plan.pdf#page=1]."
    assert [(row["number"], row["time"], row["failed"], row["answer"], row["citation_recall"]) for row in one.rows] == [
        (number, 1, False, answer, 1.0) for number in range(1, 10)
    ]


async def test_each_question_is_asked_the_chosen_number_of_times(tmp_path: Path):
    async with trial(tmp_path, in_turn([saying("One."), saying("One."), saying("Three.")]), ["Who?", "Why?"]) as one:
        once = await one.run("--concurrency", "1")
        ran = await one.run("--concurrency", "1", "--times", "3", "--json")
    assert (once.status, ran.status, "2 of 6 are already answered" in ran.err) == (0, 0, True)
    assert one.asked == ["Who?", "Why?"] * 3
    assert [(row["number"], row["time"], row["answer"]) for row in one.rows] == [
        (1, 1, "One."), (1, 2, "Three."), (1, 3, "Three."), (2, 1, "One."), (2, 2, "Three."), (2, 3, "Three."),
    ]  # fmt: skip
    told = json.loads(ran.out)
    assert (told["times"], told["results"], told["measures"]["answer_length"]["spread"]) == (3, 6, 2.0)


async def test_the_first_question_goes_first_and_then_the_allowed_number_at_once(tmp_path: Path):
    async with trial(tmp_path, held := Held(), 7) as one:
        running = asyncio.create_task(one.run("--concurrency", "3"))
        together = []
        for count in (1, 3, 3):
            await held.until(count)
            await all_came(one.stand_in)
            together.append(len(held.waiting))
            held.let_go()
        ran = await running
    assert (ran.status, together) == (0, [1, 3, 3])


def said_to(one: Trial) -> list[list[tuple[str, str]]]:
    return [[(said["role"], said["content"]) for said in each.json["messages"]] for each in one.stand_in.requests]


def turns(*said: tuple[str, str]) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": content} for role, content in said]}


async def test_follow_up_questions_are_asked_in_turn_with_the_backends_answers(tmp_path: Path):
    said = ("system", "Be brief."), ("user", "Who?"), ("assistant", "We."), ("user", "Where?"), ("user", "Why?")
    where = Reply([lines({"context": {}, "session_state": {"id": 7}}), lines({"delta": {"content": "Here."}})])
    replies = {"Where?": where, "Why?": saying("So [plan.pdf#page=2].")}
    question = {**turns(*said), "truth": "So [plan.pdf#page=2]."}
    async with trial(tmp_path, by_question(replies), [question]) as one:
        ran = await one.run()
    complete = [*said[:4], ("assistant", "Here."), said[4]]
    assert (ran.status, said_to(one)) == (0, [[*said[:4]], complete])
    assert [request.json.get("session_state") for request in one.stand_in.requests] == [None, {"id": 7}]
    (row,) = one.rows
    assert (row["question"], row["answer"], row["citation_recall"]) == ("Why?", "So [plan.pdf#page=2].", 1.0)
    assert [(said["role"], said["content"]) for said in row["messages"]] == complete


async def test_a_broken_conversation_is_a_failed_result_with_its_questions(tmp_path: Path):
    asked = [[first, f"{first} Why?"] for first in ("Who?", "Where?")]
    conversations = [turns(*(("user", words) for words in both)) for both in asked]
    async with trial(tmp_path, by_question({"Who?": REFUSED, "Where?": CUT}), conversations) as one:
        ran = await one.run()
    assert (ran.status, said_to(one)) == (4, [[("user", "Who?")], [("user", "Where?")]])
    assert [(row["question"], row["failed"]) for row in one.rows] == [(last, True) for _, last in asked]
    told = [[said["content"] for said in row["messages"] if said["role"] == "user"] for row in one.rows]
    assert told == asked


async def test_a_retry_after_is_followed_and_told(tmp_path: Path):
    replies = in_turn([SOUND, limited(429, Retry_After="0"), SOUND])
    async with trial(tmp_path, replies, ["Who?", "Why?"]) as one:
        ran = await one.run()
    assert (ran.status, one.asked) == (0, ["Who?", "Why?", "Why?"])
    assert [(row["number"], row["failed"]) for row in one.rows] == [(1, False), (2, False)]
    assert "the backend asks to wait 1 s" in ran.err


@pytest.mark.parametrize(("place", "status", "seconds"), [(0, 429, 0.0), (1, 429, 30.0), (1, 503, 90.0)])
def test_a_retry_after_is_followed_at_its_time(place: int, status: int, seconds: float):
    """Runs on the clock of a loop that skips waits."""
    at: list[tuple[str, float]] = []
    busy = ErrorInfo("too many", status=status, retry_after=seconds)
    kept: list[Result] = []

    async def ask(request: ChatRequest) -> Answer:
        at.append((request.messages[-1].content, asyncio.get_running_loop().time()))
        return Answer(error=busy) if len(at) == place + 1 else Answer("We.")

    async def work() -> None:
        wanted = [(Question(number, (Message("user", f"{number}?"),)), 1) for number in (1, 2)]
        await Run(ask, {}, concurrency=1)(wanted, kept.append, lambda _: None)

    run_late(work)
    refused, again = at[place : place + 2]
    assert refused[0] == again[0]
    assert max(1.0, seconds) <= again[1] - refused[1] < max(1.0, seconds) + 5
    assert [one.values["failed"] for one in kept] == [False, False]
    assert len(at) == 3


FAILING: Mapping[str, Reply] = {
    "429?": limited(429),
    "503?": limited(503),
    "500?": limited(500, Retry_After="0"),
    "502?": Reply([b"<h1>Bad Gateway</h1>"], 502, {"Content-Type": "text/html"}),
    "cut?": CUT,
    "reset?": Reply([lines({"delta": {"content": "It pa"}})], end="rst"),
    "broken?": Reply([lines({"delta": {"content": "It pa"}}, {"error": {"message": "out of order"}})]),
    "empty?": Reply([lines({"delta": {"role": "assistant"}})]),
    "away?": Reply([b'{"error": {"code": "unreachable", "message": "no search service"}}'], 500),
    "tls?": Reply([lines({"error": {"code": "tls", "message": "no search service"}})]),
}


@pytest.mark.parametrize("first", ["Who?", "429?", "cut?", "away?", "tls?"])
async def test_a_failed_answer_is_a_result_and_is_not_retried(tmp_path: Path, first: str):
    questions = sorted([*FAILING, "Who?"], key=lambda question: question != first)
    async with trial(tmp_path, by_question(FAILING), questions, "/chat") as one:
        ran = await one.run()
    assert sorted(one.asked) == sorted(questions)
    assert (ran.status, failures(one)["total"]) == (4, len(FAILING))
    found = {row["question"]: row for row in one.rows}
    assert {question for question, row in found.items() if row["failed"]} == {*FAILING}
    assert {question for question, row in found.items() if row["answer"] == "It pa"} == {"cut?", "reset?", "broken?"}
    assert [question for question in FAILING if not (found[question]["error"] or found[question]["answer"])] == []


async def test_a_silently_closed_connection_is_a_result(tmp_path: Path):
    silent = Reply(end="abrupt", before_headers=True)
    async with trial(tmp_path, by_question({"Silent?": silent}), ["Silent?", "Who?"], "/chat") as one:
        ran = await one.run()
    assert (ran.status, one.asked) == (4, ["Silent?", "Who?"])
    assert [row["failed"] for row in one.rows] == [True, False]


async def test_a_backend_that_always_fails_gives_a_run_without_answers(tmp_path: Path):
    async with trial(tmp_path, REFUSED, 5) as one:
        ran = await one.run()
    assert (ran.status, len(one.asked), failures(one)) == (4, 5, {"count": 5, "total": 5, "rate": 1.0})
    assert [(row["failed"], row["answer"], row["citation_recall"], row["citation_match"]) for row in one.rows] == [
        (True, "", 0.0, False)
    ] * 5
    assert "failed               | total 5, rate 1" in ran.out


async def test_a_hanging_backend_is_left_after_the_timeout(tmp_path: Path):
    async with trial(tmp_path, Reply([float("inf")]), 2, "/chat") as one:
        ran = await one.run("--timeout", "0.2")
    assert ran.status == 4
    assert [(row["failed"], row["answer"], bool(row["error"])) for row in one.rows] == [(True, "", True)] * 2


class Leaving:
    """A backend that answers `left` questions, refuses `refusals` connections, and then answers again."""

    def __init__(self, client: AsyncClient, left: int, refusals: int) -> None:
        self._client = client
        self._left = left
        self._refusals = refusals
        self.answered: list[str] = []

    async def __call__(self, request: ChatRequest) -> Answer:
        if self._left <= 0 < self._refusals:
            self._refusals -= 1
            return await self._client.ask(Backend("http://127.0.0.1:1/chat"), request)
        self._left -= 1
        self.answered.append(request.messages[-1].content)
        return Answer("One pair.")

    async def ask(self, kept: list[Result], count: int, pauses: tuple[float, ...]) -> None:
        """Ask the questions without a result."""
        done = {one.question.number for one in kept}
        wanted = [Question(number, (Message("user", f"{number}?"),)) for number in range(1, count + 1)]
        run = Run(self, {}, 1, pauses=pauses)
        await run(((one, 1) for one in wanted if one.number not in done), kept.append, lambda _: None)


async def test_an_outage_pauses_the_run_and_ends_it_if_it_lasts():
    kept: list[Result] = []
    async with AsyncClient() as client:
        backend = Leaving(client, 3, refusals=2)
        with pytest.raises(BackendUnavailableError, match="the connection was refused"):
            await backend.ask(kept, 6, pauses=(0,))
        assert [one.question.number for one in kept] == [1, 2, 3]
        await backend.ask(kept, 6, pauses=(0,))
        soon_back = Leaving(client, 2, refusals=2)
        await soon_back.ask([], 4, pauses=(0, 0))
    assert backend.answered == ["1?", "2?", "3?", "4?", "5?", "6?"]
    assert [one.question.number for one in kept] == [1, 2, 3, 4, 5, 6]
    assert soon_back.answered == ["1?", "2?", "3?", "4?"]


async def test_a_backend_busy_beyond_the_limit_ends_the_run_without_failures(tmp_path: Path):
    replies = {"Who pays 3?": limited(429, Retry_After="7200")}
    async with trial(tmp_path, by_question(replies), 4, "/chat") as one:
        ran = await one.run("--concurrency", "1")
    assert ran.status == 3
    assert "The backend asks to wait 120 minutes." in ran.err
    assert "2 answers are kept" in ran.err
    assert [row["failed"] for row in one.rows] == [False, False]


async def test_failed_questions_are_told_and_asked_again(tmp_path: Path):
    replies = {"Who pays 2?": limited(500)}
    async with trial(tmp_path, by_question(replies), 3, "/chat") as one:
        ran = await one.run("--concurrency", "1")
        bounded = await one.run("--fail-if", "failed>50%")
        replies.clear()
        again = await one.run("--retry-failed")
    assert (ran.status, bounded.status, again.status) == (4, 0, 0)
    assert "1 question failed. Use --retry-failed to ask again." in ran.err
    assert one.asked == ["Who pays 1?", "Who pays 2?", "Who pays 3?", "Who pays 2?"]
    assert failures(one)["total"] == 0


def test_a_retry_after_of_zero_seconds_is_not_retried_for_ever():
    kept: list[Result] = []
    times = iter(range(100))

    async def ask(request: ChatRequest) -> Answer:
        return Answer(error=ErrorInfo(f"too many, {next(times)}", status=429, retry_after=0))

    async def work() -> None:
        await Run(ask, {}, longest_wait=3)([(Question(1, (Message("user", "Who?"),)), 1)], kept.append, lambda _: None)

    run_late(work)
    assert next(times) == 4
    assert [one.values["failed"] for one in kept] == [True]
