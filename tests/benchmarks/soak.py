"""Many people for long: `python -m tests.benchmarks.soak [--minutes 30] [--people 50] [--seed 1]`.

Each person asks again and again, reloads in mid-answer, stops, opens a second tab, begins a new conversation; the
backend now and then sends noise, breaks off, fails or stalls. Whatever was read of an answer, while it grew and when it
had settled, is compared with what the backend sent, and nobody gets the answer of another. The exit status is 1 where
something was lost, doubled or another person's, or where memory grew after the first five minutes; a run of less than
twenty tells too little of memory to be judged by it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.backends.paced import texts
from tests.benchmarks.figures import middle, this_machine
from tests.benchmarks.people import Person, Reading, WrongAnswerError, shown_words
from tests.benchmarks.servers import Backend, Server, app, paced_backend

SETTLING = 300.0
JUDGED_AFTER = 1200.0
MEMORY_EVERY = 5.0
GROWTH = 1.1
"""By what memory may be more at the end than after it settled: what is kept for the newest answers is bounded."""
RATE = 60
ANSWER_SECONDS = 90.0
ACTIONS = {"ask": 8, "stop": 2, "reload": 2, "tab": 2, "noise": 2, "error": 1, "short": 1, "stall": 1, "anew": 2}


@dataclass
class Soak:
    """What happened so far."""

    backend: Backend
    until: float
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    addresses: list[tuple[str, str]] = field(default_factory=list)
    """Whose answers there are, and where."""


async def live(number: int, server: Server, soak: Soak, seed: int) -> None:
    """One person, until the time is over."""
    chance = random.Random(f"{seed}.{number}")
    person = Person(server.url)
    await person.arrive()
    await person.use(soak.backend)
    count = 0
    while time.monotonic() < soak.until:
        (action,) = chance.choices(list(ACTIONS), list(ACTIONS.values()))
        name = f"p{number}x{count}"
        count += 1
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                person = await _act(action, person, name, soak, chance)
        except (WrongAnswerError, TimeoutError, OSError) as problem:
            soak.wrong.append(f"{action} {name}: {type(problem).__name__} {problem}")
            await person.leave()
            person = person.tab()
            await person.arrive()
            await person.use(soak.backend)
        soak.done[action] += 1
        await asyncio.sleep(chance.uniform(0.1, 3))
    await person.leave()


async def _act(action: str, person: Person, name: str, soak: Soak, chance: random.Random) -> Person:
    if action == "anew":
        await person.start_anew()
    tokens = chance.randrange(20, 400)
    fault = f" fault={action}" if action in ("noise", "error", "short", "stall") else ""
    address = await person.begin(f"kind=prose rate={RATE} tokens={tokens} id={name}{fault}")
    soak.addresses.append((name.partition("x")[0], address))
    whole = shown_words("".join(texts("prose", tokens, name)))
    following = asyncio.create_task(person.read(address))
    readings = [following]
    if action in ("stop", "reload", "tab", "stall"):
        await asyncio.sleep(chance.uniform(0, tokens / RATE))
    if action in ("stop", "stall"):
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
    sent = await asyncio.to_thread(soak.backend.sent, name)
    expected = shown_words(sent.text) if sent and action not in ("stop", "stall") else None
    _compare(read, await person.settled(address), whole, expected)
    await _look_at_another(person, name, soak, chance)
    return person


def _compare(
    readings: list[Reading | None], kept: tuple[int, list[str]], whole: list[str], sent: list[str] | None
) -> None:
    """See that what was read and what is kept are the same, and what was sent; `sent` is None where it was stopped.

    Raises:
        WrongAnswerError: they are not.
    """
    status, settled = kept
    if status != 200:
        raise WrongAnswerError(f"the settled answer is status {status}")
    # What was stopped may end within a word.
    end = len(settled) - (sent is None)
    if settled[:end] != (whole if sent is None else sent)[: max(end, 0)] or (sent is not None and end != len(sent)):
        raise WrongAnswerError(
            f"{len(settled)} words are kept, {len(sent or whole)} were sent; {settled[-3:]} at the end"
        )
    for reading in readings:
        if reading is not None and reading.words() != settled:
            raise WrongAnswerError(f"{len(reading.words())} words were read and {len(settled)} are kept")


async def _look_at_another(person: Person, name: str, soak: Soak, chance: random.Random) -> None:
    owner, address = chance.choice(soak.addresses)
    if owner != name.partition("x")[0] and (status := (await person.settled(address))[0]) != 404:
        raise WrongAnswerError(f"another person's answer is status {status}")


async def _watch_memory(server: Server, until: float) -> list[tuple[float, float]]:
    """Megabytes of the server, by the seconds since the beginning."""
    began, seen = time.monotonic(), []
    while (now := time.monotonic()) < until:
        seen.append((now - began, await asyncio.to_thread(server.memory_mb)))
        await asyncio.sleep(MEMORY_EVERY)
    return seen


async def soak(server: Server, backend: Backend, people: int, seconds: float, seed: int) -> int:
    """Let the people live, print what came of it, and return the exit status."""
    state = Soak(backend, time.monotonic() + seconds)
    watching = asyncio.create_task(_watch_memory(server, state.until))
    await asyncio.gather(*(live(number, server, state, seed) for number in range(people)))
    memory = await watching
    settling = min(SETTLING, seconds / 6)
    window = max(30.0, (seconds - settling) / 10)
    early = middle([used for at, used in memory if settling <= at < settling + window])
    late = middle([used for at, used in memory if at >= seconds - window])
    for action, times in state.done.most_common():
        print(f"{times:6} {action}")
    print(f"{len(state.addresses)} answers of {people} people in {seconds / 60:.0f} minutes, {len(state.wrong)} wrong")
    print(f"memory: {early:.0f} MB after {settling:.0f} s, {late:.0f} MB at the end ({late / early:.2f} of it)")
    for problem in state.wrong[:20]:
        print("WRONG", problem)
    grew = seconds >= JUDGED_AFTER and late > early * GROWTH
    return 1 if state.wrong or grew else 0


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.benchmarks.soak", description="Use the page for long.")
    reader.add_argument("--minutes", type=float, default=30)
    reader.add_argument("--people", type=int, default=50)
    reader.add_argument("--seed", type=int, default=1)
    chosen = reader.parse_args()
    print(this_machine())
    with paced_backend() as backend, app() as server:
        return asyncio.run(soak(server, backend, chosen.people, chosen.minutes * 60, chosen.seed))


if __name__ == "__main__":
    sys.exit(main())
