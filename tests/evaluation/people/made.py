"""Sets of questions of people on disk, and their evaluations over stand-in backends."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from chat_ui.conversations.people.limits import Allowance, Limits
from chat_ui.evaluation.people.evaluations import Asked, Evaluations
from chat_ui.evaluation.people.person_runs import KeptRun, PersonRuns, write_set
from chat_ui.evaluation.question_set import Question
from chat_ui.processes.pool import Processes
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import Message
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import StandIn
from tests.patience import PATIENCE

DAY = 86_400
KEEP_DAYS = 30


def runs_in(folder: Path, **bounds: int) -> PersonRuns:
    return PersonRuns(folder / "evaluations", keep_days=KEEP_DAYS, **bounds)


def questions_of(*texts: str, truth: str = "") -> tuple[Question, ...]:
    return tuple(Question(number, (Message("user", text),), truth) for number, text in enumerate(texts, 1))


def put(runs: PersonRuns, person: str, *questions: str, name: str = "Set.jsonl", at: float | None = None) -> str:
    """The id of a set with these questions."""
    run_id, folder = runs.new(person)
    write_set(folder, questions_of(*questions), name, time.time() if at is None else at)
    return run_id


def there(runs: PersonRuns, person: str, run_id: str) -> KeptRun:
    found = runs.find(person, run_id)
    assert found is not None
    return found


def told(kept: KeptRun) -> list[tuple[str, str]]:
    """Each question with its truth."""
    return [(one.text, one.truth) for one in kept.questions()]


def said(kept: KeptRun) -> list[list[tuple[str, str]]]:
    """The messages of each question."""
    return [[(message.role, message.content) for message in one.messages] for one in kept.questions()]


def leave(folder: Path, days: float) -> None:
    """Have everything in a folder, and the folder itself, be so old."""
    moment = time.time() - days * DAY
    for path in (*folder.rglob("*"), folder):
        os.utime(path, (moment, moment))


def below(folder: Path) -> list[str]:
    """Everything in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def everything(kept: KeptRun) -> dict[str, bytes]:
    """The files of an evaluation."""
    return {str(path): path.read_bytes() for path in kept.folder.rglob("*") if path.is_file()}


@asynccontextmanager
async def evaluations_of(runs: PersonRuns, **limits: int) -> AsyncIterator[tuple[Evaluations, Allowance]]:
    """The evaluations of people with these limits, and what counts their questions."""
    allowance = Allowance(Limits(**{"questions_per_minute": 1_000, **limits}))
    evaluations = Evaluations(runs, allowance, reading=Processes(at_once=1), writing=Processes(at_once=1))
    try:
        yield evaluations, allowance
    finally:
        await evaluations.close()


def asking(client: Client, url: str, model: str | None = None, options: Mapping[str, Any] | None = None) -> Asked:
    backend = Backend(f"{url}/chat", model=model)
    return Asked(lambda request: client.ask(backend, request), backend, options or {})


async def ended(evaluations: Evaluations, person: str) -> None:
    """Wait for the end of what is asked for a person."""
    async with asyncio.timeout(PATIENCE):
        while (under_way := evaluations.under_way(person)) is not None:
            await under_way.signal.wait(under_way.signal.revision)


async def ask_all(evaluations: Evaluations, person: str, run_id: str, asked: Asked) -> None:
    await evaluations.begin(person, run_id, asked)
    await ended(evaluations, person)


@asynccontextmanager
async def backends(*stand_ins: StandIn) -> AsyncIterator[Client]:
    """A client while these backends run."""
    async with asyncio.timeout(PATIENCE), Client() as client:
        if not stand_ins:
            yield client
            return
        async with stand_ins[0].running(), backends(*stand_ins[1:]):
            yield client


def names(kept: Sequence[KeptRun]) -> list[str]:
    return [one.about.name for one in kept]
