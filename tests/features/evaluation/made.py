"""Question sets, backends that answer them, and runs of the command."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from tests.commands import Ran, run
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines
from tests.timeouts import TIMEOUT

PAGES = ("plan.pdf#page=1", "plan.pdf#page=2", "rules.pdf#page=1")
POINTS = {
    "text": [
        "plan.pdf#page=1: The company pays ten euros a day for the bus to the harbour.",
        "plan.pdf#page=2: A taxi is paid at night when no bus goes to the harbour.",
        "rules.pdf#page=1: Every bill is sent to the office within four weeks.",
    ]
}
REFUSED = Reply([lines({"error": {"message": "out of order"}})], status=500)
CUT = Reply([lines({"delta": {"content": "It pa"}})], end="abrupt")


def saying(text: str, **context: Any) -> Reply:
    """An answer with these words over the three passages."""
    said = lines({"context": {"data_points": POINTS, **context}}), lines({"delta": {"content": text}})
    return Reply([b"".join(said)])


SOUND = saying("The company pays ten euros a day for the bus [plan.pdf#page=1].")


def question_set(path: Path, *questions: object) -> Path:
    """A JSON Lines file of questions. A string is a question without a truth."""
    objects = ({"question": one} if isinstance(one, str) else one for one in questions)
    path.write_text("".join(f"{json.dumps(one)}\n" for one in objects))
    return path


def numbered(count: int, truth: str = "It pays [plan.pdf#page=1].") -> list[dict[str, str]]:
    return [{"question": f"Who pays {number}?", "truth": truth} for number in range(1, count + 1)]


async def evaluating(url: str, questions: Path, out: Path, *options: str, **environment: str) -> Ran:
    """The command's output for these questions."""
    return await run("evaluate", url, str(questions), "--out", str(out), *options, **environment)


@dataclass(frozen=True)
class Trial:
    """A question set, a backend that answers it, and the folder of the run."""

    stand_in: StandIn
    url: str
    path: Path
    out: Path

    async def run(self, *options: str, out: Path | None = None, **environment: str) -> Ran:
        return await evaluating(self.url, self.path, out or self.out, *options, **environment)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return rows(self.out)

    @property
    def asked(self) -> list[str]:
        """The questions in the order in which the backend got them."""
        return [question_of(request) for request in self.stand_in.requests]


@asynccontextmanager
async def trial(
    folder: Path, reply: Reply | Callable[[Received], Reply], questions: int | Sequence[object] = 1, at: str = ""
) -> AsyncIterator[Trial]:
    """A trial of these questions, or of that many numbered ones, with a backend `at` a path."""
    given = numbered(questions) if isinstance(questions, int) else questions
    path = question_set(folder / "set.jsonl", *given)
    async with StandIn(reply).running() as stand_in:
        yield Trial(stand_in, stand_in.url + at, path, folder / "out")


def rows(out: Path) -> list[dict[str, Any]]:
    """The lines of results in a folder with their newlines, in the order of the questions."""
    data = (out / "results.jsonl").read_bytes()
    assert data.endswith(b"\n")
    return sorted(map(json.loads, data.splitlines()), key=lambda row: (row["number"], row["time"]))


def files(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


def question_of(request: Received) -> str:
    question = request.json["messages"][-1]["content"]
    assert isinstance(question, str)
    return question


def by_question(replies: Mapping[str, Reply], other: Reply = SOUND) -> Callable[[Received], Reply]:
    return lambda request: replies.get(question_of(request), other)


def in_turn(replies: Sequence[Reply]) -> Callable[[Received], Reply]:
    """Each reply once, then the last one repeated."""
    left = iter(replies)
    return lambda _: next(left, replies[-1])


class Held:
    """Answers held until they are released."""

    def __init__(self, reply: Reply = SOUND) -> None:
        self._reply = reply
        self._changed = asyncio.Event()
        self.waiting: list[asyncio.Event] = []

    def __call__(self, request: Received) -> Reply:
        if request.method != "POST":
            return Reply([b"here"])
        held = asyncio.Event()
        self.waiting.append(held)
        self._changed.set()
        return Reply([held, *self._reply.writes])

    async def until(self, count: int) -> None:
        """Wait until that many are held."""
        async with asyncio.timeout(TIMEOUT):
            while len(self.waiting) < count:
                self._changed.clear()
                await self._changed.wait()

    def let_go(self) -> None:
        for held in self.waiting:
            held.set()
        self.waiting.clear()


async def all_came(stand_in: StandIn) -> None:
    """Wait long enough for requests sent together with the last one."""
    async with httpx2.AsyncClient(trust_env=False, timeout=TIMEOUT) as http:
        for _ in range(20):
            assert (await http.get(stand_in.url)).text == "here"
