"""Many people for long: `python -m tests.benchmarks.soak [--minutes 30] [--people 50] [--seed 1]`.

Each person asks again and again, reloads in mid-answer, stops, opens a second tab, begins a new conversation; the
backend now and then sends noise, breaks off, fails or stalls. Whatever was read of an answer, while it grew and when it
had settled, is compared with what the backend sent, of one that was stopped with what it had sent by then; and nobody
gets the answer of another. After a quarter of it the server is killed and started again, and everything is read back.

Memory is looked at from when the server's caches are full and as many closed pages are kept as ever will be: after the
restart in half an hour, before it as well in two; what it grew by in an hour is told, and judged where that was looked
at for long enough. The exit status is 1 where something was lost, doubled or another person's, or where memory grew.
"""

from __future__ import annotations

import argparse
import asyncio
import pickle
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from reflex.config import get_config

from chat_ui.conversations.in_memory import KEPT_BYTES
from chat_ui.protocol.recently_used import size_of
from chat_ui.rendering.answer import render_answer
from chat_ui.routes.renderings import SETTLED_BYTES
from tests.app import App
from tests.backends.paced import Sent
from tests.benchmarks.figures import middle, slope, this_machine
from tests.benchmarks.people import Person, WrongAnswerError, shown_words
from tests.benchmarks.servers import Backend, Server, built_app, paced_backend, server_at

JUDGED_FROM = 600.0
"""Seconds with all that is kept, from which on memory is judged: what it does within a minute or two says little."""
MEMORY_EVERY = 5.0
GROWTH = 0.1
"""The part of its memory by which the server may grow in an hour."""
RATE = 60
ON_THE_WAY = 1.0
"""Seconds for which text may be on its way when its reader stops it, on a machine that is busy."""
ANSWER_SECONDS = 90.0
READ_AT_ONCE = 8
CLOSED_PAGES_KEPT: Final = float(get_config().redis_token_expiration)
"""Seconds for which the server keeps the state of a page that was closed."""
RESTARTED_AFTER: Final = 0.25
"""The part of the time after which the server is killed: what follows is long enough for its memory to be judged."""
LOG_CHARACTERS = 4000
ACTIONS = {
    "ask": 8,
    "stop": 2,
    "reload": 2,
    "tab": 2,
    "noise": 2,
    "error": 1,
    "short": 1,
    "stall": 1,
    "anew": 2,
    "long": 4,
}
LONG = (30_000, 60_000)
"""Words of an answer that comes all at once: the server's caches are full within some minutes."""


@dataclass(frozen=True)
class Kept:
    """An answer that had settled, as its person read it."""

    owner: str
    question: str
    words: list[str]


@dataclass
class Soak:
    """What happened so far."""

    app: App
    backend: Backend
    until: float
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    kept: dict[str, Kept] = field(default_factory=dict)
    """What there is, by its address."""
    people: dict[str, Person] = field(default_factory=dict)
    starts: int = 1
    started: float = field(default_factory=time.monotonic)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Set but for the restart, when nobody begins anything."""
    acting: int = 0
    held: Counter[str] = field(default_factory=Counter)
    """Bytes that each cache of the server that runs now was given."""
    full_at: float | None = None
    memory: list[tuple[float, float]] = field(default_factory=list)
    """Megabytes of the server that runs now, by the seconds since all that is kept was as much as it will be."""

    def count(self, sent: Sent) -> None:
        """Take note that the server has made an answer and rendered it."""
        self.held["answers"] += size_of((sent.text.split(), sent.text), KEPT_BYTES)
        self.held["renderings"] += len(pickle.dumps(render_answer(sent.text, ())))
        if self.full_at is None and self.held["answers"] >= KEPT_BYTES and self.held["renderings"] >= SETTLED_BYTES:
            self.full_at = max(time.monotonic(), self.started + CLOSED_PAGES_KEPT)


async def live(number: int, soak: Soak, seed: int) -> None:
    """One person, until the time is over."""
    chance = random.Random(f"{seed}.{number}")
    person = soak.people[f"p{number}"] = Person(soak.app.url)
    starts = 0
    count = 0
    while time.monotonic() < soak.until:
        await soak.begun.wait()
        soak.acting += 1
        try:
            if starts != soak.starts:
                # After a restart each page is another one, of the same person.
                person = soak.people[f"p{number}"] = person.tab()
                await person.arrive()
                await person.use(soak.backend)
                starts = soak.starts
            (action,) = chance.choices(list(ACTIONS), list(ACTIONS.values()))
            name = f"p{number}x{count}"
            count += 1
            person = await _act_within_time(action, person, name, soak, chance)
            soak.people[f"p{number}"] = person
            soak.done[action] += 1
        finally:
            soak.acting -= 1
        await asyncio.sleep(chance.uniform(0.1, 3))
    await person.leave()


async def _act_within_time(action: str, person: Person, name: str, soak: Soak, chance: random.Random) -> Person:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            return await _act(action, person, name, soak, chance)
    except (WrongAnswerError, TimeoutError, OSError, EOFError) as problem:
        soak.wrong.append(f"{action} {name}: {type(problem).__name__} {problem}")
        await person.leave()
        person = person.tab()
        await person.arrive()
        await person.use(soak.backend)
        return person


async def _act(action: str, person: Person, name: str, soak: Soak, chance: random.Random) -> Person:
    if action == "anew":
        await person.start_anew()
    tokens, rate = (chance.randrange(*LONG), 0) if action == "long" else (chance.randrange(20, 400), RATE)
    fault = f" fault={action}" if action in ("noise", "error", "short", "stall") else ""
    question = f"kind=prose rate={rate} tokens={tokens} id={name}{fault}"
    address = await person.begin(question)
    following = asyncio.create_task(person.read(address))
    readings = [following]
    stopped_at = None
    if action in ("stop", "reload", "tab"):
        await asyncio.sleep(chance.uniform(0, tokens / RATE))
    if action == "stall":
        # All that came before the silence is there by then.
        await _sent(soak.backend, name)
        await asyncio.sleep(ON_THE_WAY)
    if action in ("stop", "stall"):
        stopped_at = time.time()
        await person.stop()
    elif action == "reload":
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await person.leave()
        person = person.tab()
        await person.arrive()
        await person.use(soak.backend)
        readings = [asyncio.create_task(person.read(address))]
    elif action == "tab":
        second = person.tab()
        await second.arrive()
        readings.append(asyncio.create_task(second.read(address)))
    read = await asyncio.gather(*readings)
    if action == "tab":
        await second.leave()
    if action != "reload":
        await person.see_the_end()
    words = await _settled(person, address)
    if stopped_at is not None and not words:
        # It may have been stopped before the backend heard of it.
        await asyncio.sleep(ON_THE_WAY)
        sent = await asyncio.to_thread(soak.backend.sent, name) or Sent()
    else:
        sent = await _sent(soak.backend, name)
    compare(words, sent, stopped_at)
    for reading in read:
        if reading is not None and reading.words() != words:
            raise WrongAnswerError(f"{len(reading.words())} words were read and {len(words)} are kept")
    soak.kept[address] = Kept(name.partition("x")[0], question, words)
    soak.count(sent)
    await _look_at_another(person, name, soak, chance)
    return person


async def _sent(backend: Backend, name: str) -> Sent:
    """What the backend sent, once it has ended or fallen silent."""
    while (sent := await asyncio.to_thread(backend.sent, name)) is None:  # noqa: ASYNC110 - it is another process
        await asyncio.sleep(0.1)
    return sent


async def _settled(person: Person, address: str) -> list[str]:
    status, words = await person.settled(address)
    if status != 200:
        raise WrongAnswerError(f"the settled answer is status {status}")
    return words


def compare(kept: list[str], sent: Sent, stopped_at: float | None) -> None:
    """See that what is kept is what was sent: all of it, or all that had been sent when it was stopped.

    Raises:
        WrongAnswerError: it is not.
    """
    whole = shown_words(sent.text)
    if stopped_at is None or sent.text == sent.text_at(stopped_at - ON_THE_WAY):
        if kept != whole:
            raise WrongAnswerError(f"{len(kept)} words are kept, {len(whole)} were sent; {kept[-3:]} at the end")
        return
    # It may end within a word, and so may what had been sent.
    least = shown_words(sent.text_at(stopped_at - ON_THE_WAY))[:-1]
    if len(kept) < len(least) or kept[:-1] != whole[: max(len(kept) - 1, 0)]:
        raise WrongAnswerError(
            f"{len(kept)} words are kept of one that was stopped when {len(least)} had been sent, and in the end "
            f"{len(whole)}; {kept[-3:]} at the end"
        )


async def _look_at_another(person: Person, name: str, soak: Soak, chance: random.Random) -> None:
    address, other = chance.choice(list(soak.kept.items()))
    if other.owner != name.partition("x")[0] and (status := (await person.settled(address))[0]) != 404:
        raise WrongAnswerError(f"another person's answer is status {status}")


async def _restart(soak: Soak, moment: float) -> tuple[int, float]:
    """Kill the server at that moment, once nobody waits for anything, start it again and read everything back; how
    many answers that were, and the seconds that it took.
    """
    await asyncio.sleep(max(0.0, moment - time.monotonic()))
    soak.begun.clear()
    while soak.acting:  # noqa: ASYNC110 - a moment more or less is of no matter
        await asyncio.sleep(0.1)
    began = time.monotonic()
    # What has ended is kept at once.
    await asyncio.sleep(ON_THE_WAY)
    await asyncio.to_thread(soak.app.end, signal.SIGKILL)
    await asyncio.to_thread(soak.app.start)
    soak.held.clear()
    soak.full_at, soak.starts, soak.started = None, soak.starts + 1, time.monotonic()
    count = len(soak.kept)
    left = iter(list(soak.kept.items()))

    async def read() -> None:
        for address, kept in left:
            person = soak.people[kept.owner]
            words, question = await _settled(person, address), await person.question(address)
            if (words, question) != (kept.words, kept.question):
                raise WrongAnswerError(f"{address}: {len(words)} words were read back, {len(kept.words)} were kept")

    for problem in await asyncio.gather(*(read() for _ in range(READ_AT_ONCE)), return_exceptions=True):
        if problem is not None:
            soak.wrong.append(f"after the restart: {type(problem).__name__} {problem}")
    soak.begun.set()
    return count, time.monotonic() - began


@dataclass(frozen=True)
class Memory:
    """The memory of one server from when its caches were full: for so long, so much, and so much more in an hour."""

    seconds: float
    megabytes: float
    per_hour: float

    @property
    def grew(self) -> bool:
        """Whether it grows, where that can be told."""
        return self.seconds >= JUDGED_FROM and self.per_hour > GROWTH * self.megabytes


async def _watch_memory(soak: Soak) -> list[Memory | None]:
    """The memory of each server that ran; None of one whose caches did not become full."""
    found: list[Memory | None] = []
    starts, server, seen = 0, None, list[tuple[float, float]]()
    while time.monotonic() < soak.until:
        if starts != soak.starts:
            if starts:
                found.append(memory_of(seen))
            starts, server, seen = soak.starts, server_at(soak.app.url), []
        is_full = soak.full_at is not None and time.monotonic() >= soak.full_at
        if soak.begun.is_set() and is_full and server is not None:
            seen.append((time.monotonic() - soak.full_at, await asyncio.to_thread(_megabytes, server)))
        await asyncio.sleep(MEMORY_EVERY)
    return [*found, memory_of(seen)]


def _megabytes(server: Server) -> float:
    return server.memory_mb()


def memory_of(seen: list[tuple[float, float]]) -> Memory | None:
    if len(seen) < 3:
        return None
    return Memory(seen[-1][0], middle([used for _, used in seen]), 3600 * slope(seen))


async def soak(app: App, backend: Backend, people: int, seconds: float, seed: int) -> int:
    """Let the people live, print what came of it, and return the exit status."""
    began = time.monotonic()
    state = Soak(app, backend, began + seconds)
    state.begun.set()
    watching = asyncio.create_task(_watch_memory(state))
    async with asyncio.TaskGroup() as together:
        restarting = together.create_task(_restart(state, began + RESTARTED_AFTER * seconds))
        for number in range(people):
            together.create_task(live(number, state, seed))
    read_back, took = restarting.result()
    memory = await watching
    for action, times in state.done.most_common():
        print(f"{times:6} {action}")
    print(f"{len(state.kept)} answers of {people} people in {seconds / 60:.0f} minutes, {len(state.wrong)} wrong")
    print(f"{read_back} answers were read back after a kill, {took:.0f} s with the start")
    for when, one in zip(("before", "after"), memory, strict=False):
        if one is None:
            print(f"memory {when} the restart: what is kept did not become as much as it will be")
        else:
            verdict = (
                "it grew" if one.grew else "as it should be" if one.seconds >= JUDGED_FROM else "too short to judge"
            )
            print(
                f"memory {when} the restart, {one.seconds:.0f} s with all that is kept: {one.megabytes:.0f} MB, "
                f"{one.per_hour:+.0f} MB an hour ({verdict})"
            )
    for problem in state.wrong[:20]:
        print("WRONG", problem)
    if state.wrong:
        print(app.log[-LOG_CHARACTERS:])
    return 1 if state.wrong or any(one.grew for one in memory if one is not None) else 0


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks.soak", description="Use the page for long.")
    reader.add_argument("--minutes", type=float, default=30)
    reader.add_argument("--people", type=int, default=50)
    reader.add_argument("--seed", type=int, default=1)
    chosen = reader.parse_args()
    print(this_machine())
    with paced_backend() as backend, built_app() as app:
        return asyncio.run(soak(app, backend, chosen.people, chosen.minutes * 60, chosen.seed))


if __name__ == "__main__":
    sys.exit(main())
