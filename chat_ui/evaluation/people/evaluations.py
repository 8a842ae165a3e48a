"""Evaluations as people have them on the page: each is asked by a task of the server, and belongs to no tab."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from chat_ui.conversations.generations.signal import Signal
from chat_ui.conversations.people.limits import Allowance, LastMinute, LimitReachedError
from chat_ui.conversations.people.person_folders import deleted_if_failing, written_at
from chat_ui.evaluation.people.person_runs import (
    GONE,
    RUN_BYTES,
    EvaluationError,
    KeptRun,
    PersonRuns,
    copy_set,
)
from chat_ui.evaluation.people.question_sets import KeptTurn, take_turns
from chat_ui.evaluation.people.report_file import write_report
from chat_ui.evaluation.question_set import Question
from chat_ui.evaluation.report.report import report_policy
from chat_ui.evaluation.results import Result, result_of
from chat_ui.evaluation.run_folder import (
    Conditions,
    OtherRunError,
    RunFolder,
    RunFolderError,
    UnwritableRunError,
)
from chat_ui.evaluation.running import Ask, BackendAwayError, Progress, Run
from chat_ui.languages.translation import current_language
from chat_ui.processes.pool import Processes, TooCostlyError
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.protocol.events import ErrorInfo, JsonObject
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.exported_page.page_document import Look

logger = logging.getLogger(__name__)

AT_ONCE: Final = 2
"""Questions of one person that are asked at once."""
MOST_PEOPLE: Final = 16
"""People whose questions are asked at once."""
REPORT_SECONDS: Final = 60.0
"""Seconds of writing a report."""
_SET_SECONDS: Final = 10.0
"""Seconds of reading a set of questions."""
_KEPT_REPORTS: Final = 4
"""Reports of one evaluation that are kept: of another scheme or language, or compared with another."""
_REFUSED: Final = frozenset({401, 403, 404, 405})
"""Statuses that the first question ends with where every other one would too; nothing is kept then."""
_PROBLEM_BYTES: Final = 2**20
DAMAGED: Final = msg("The answers that are here cannot be read any more. “Ask again” asks all questions anew.")
_FULL: Final = msg(
    "The answers have {most}, and no more are kept of one set. Ask fewer questions, or use the command chat-ui "
    "evaluate.",
    most=in_words(RUN_BYTES),
)
_NOT_KEPT: Final = msg(
    "The answers cannot be kept: this page's server cannot write to its disk, which may be full. What was answered "
    "until then is here."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """How questions are asked: by `ask`, which asks `backend`, with its `options`; it `is_live` unless it is a
    recording.
    """

    ask: Ask
    backend: Backend
    options: JsonObject
    is_live: bool = True


@dataclass(slots=True)
class UnderWay:
    """An evaluation that is being asked: its state as it began, its progress since, and the newest `error` in place of
    an answer. So many questions are `paced`: they wait for the person's share of a minute. The backend asks to be left
    alone until the moment `free_at`, in seconds of the epoch, or not at all. `signal` tells of changes, the last of
    which is the end.
    """

    before: KeptRun
    progress: Progress = field(default_factory=Progress)
    paced: int = 0
    error: str = ""
    free_at: float | None = None
    signal: Signal = field(default_factory=Signal)
    task: asyncio.Task[None] | None = None

    @property
    def kept(self) -> KeptRun:
        """Its state now."""
        done, failed = self.before.done + self.progress.done, self.before.failed + self.progress.failed
        return replace(self.before, done=done, failed=failed)


class Evaluations:
    """The evaluations of people, whose files are `runs`. Questions to a backend that is live are counted in `allowance`
    like those that are typed, and take no more than half of it. Answers of backends are read in `reading`, and
    reports are written in `writing`: these take long, and nothing else of the page waits for them.
    """

    def __init__(self, runs: PersonRuns, allowance: Allowance, *, reading: Processes, writing: Processes) -> None:
        self._runs = runs
        self._allowance = allowance
        self._reading = reading
        self._writing = writing
        self._begun = LastMinute(time.monotonic)
        self._under_way: dict[str, UnderWay] = {}
        self._problems: RecentlyUsed[tuple[str, str], str] = RecentlyUsed(_PROBLEM_BYTES)

    @property
    def share(self) -> int:
        """Questions of one person within a minute."""
        return max(self._allowance.limits.questions_per_minute // 2, 1)

    def under_way(self, person: str) -> UnderWay | None:
        """What is being asked for a person."""
        return self._under_way.get(person)

    def problem(self, person: str, run_id: str) -> str:
        """Why an evaluation ended before its last question, if it did; translatable."""
        return self._problems.get((person, run_id)) or ""

    async def all(self, person: str) -> list[KeptRun]:
        """The evaluations of a person, the newest first."""
        under_way = self._under_way.get(person)
        found = await asyncio.to_thread(self._runs.all, person)
        return [under_way.kept if under_way is not None and one.id == under_way.before.id else one for one in found]

    async def find(self, person: str, run_id: str) -> KeptRun | None:
        """The person's evaluation of that id; None where there is none, or not any more."""
        return await asyncio.to_thread(self._runs.find, person, run_id)

    async def new(self, person: str) -> tuple[str, Path]:
        """The id and the folder of one more evaluation of a person, for what is taken into it.

        Raises:
            EvaluationError: there is no room.
            OSError: the folder cannot be made.
        """
        return await asyncio.to_thread(self._runs.new, person, len(self._under_way))

    async def take_turns(self, person: str, name: str, turns: Sequence[KeptTurn]) -> str:
        """Take what was asked in a conversation for the questions of a new evaluation; its id.

        Raises:
            EvaluationError: nothing was asked, or too much, or there is no room.
            OSError: they cannot be written.
            TooCostlyError: they take too long to read.
        """
        new_id, folder = await self.new(person)
        with deleted_if_failing(folder):
            await self._reading.run(person, take_turns, folder, name, turns, seconds=_SET_SECONDS)
        return new_id

    async def copy(self, person: str, run_id: str) -> str:
        """The id of a new evaluation with the same questions, none of which is answered, to begin now.

        Raises:
            EvaluationError: they are gone, others are being asked, or there is no room.
            OSError: they cannot be written.
        """
        self._expect_free(person)
        found = await self.find(person, run_id)
        if found is None:
            raise EvaluationError(GONE)
        new_id, folder = await self.new(person)
        with deleted_if_failing(folder):
            await asyncio.to_thread(copy_set, found, folder, time.time())
        return new_id

    async def begin(self, person: str, run_id: str, asked: Asked) -> None:
        """Ask the questions that have no answer yet; nothing changes where that is done already.

        Raises:
            EvaluationError: they are gone, others are being asked, or there is no room.
        """
        now = self._under_way.get(person)
        if now is not None and now.before.id == run_id:
            return
        found = await self.find(person, run_id)
        if found is None:
            raise EvaluationError(GONE)
        if found.is_full:
            raise EvaluationError(_FULL)
        await asyncio.to_thread(self._runs.expect_room, person, len(self._under_way))
        self._expect_free(person)
        under_way = self._under_way[person] = UnderWay(found)
        self._problems.pop((person, run_id))
        under_way.task = asyncio.create_task(self._ask_all(person, under_way, asked), name="evaluation")
        under_way.task.add_done_callback(lambda task: self._end(person, under_way, task))

    async def begin_anew(self, person: str, run_id: str, asked: Asked) -> None:
        """Ask the same questions in an evaluation of their own.

        Raises:
            EvaluationError: they are gone, others are being asked, or there is no room.
            OSError: they cannot be written.
        """
        copied = await self.copy(person, run_id)
        try:
            await self.begin(person, copied, asked)
        except EvaluationError:
            await self.remove(person, copied)
            raise

    def _expect_free(self, person: str) -> None:
        if person in self._under_way:
            raise EvaluationError(msg("Questions of yours are being asked already. Wait for their end, or stop them."))
        if len(self._under_way) >= MOST_PEOPLE:
            raise EvaluationError(msg("Questions of many people are being asked here. Try again in a few minutes."))

    async def stop(self, person: str) -> None:
        """Ask no more; what was answered stays."""
        under_way = self._under_way.get(person)
        if under_way is not None and under_way.task is not None:
            under_way.task.cancel()
            await asyncio.wait([under_way.task])

    async def remove(self, person: str, run_id: str) -> None:
        """Delete an evaluation of a person; it is stopped first.

        Raises:
            OSError: it cannot be deleted.
        """
        under_way = self._under_way.get(person)
        if under_way is not None and under_way.before.id == run_id:
            await self.stop(person)
        self._problems.pop((person, run_id))
        await asyncio.to_thread(self._runs.drop, person, run_id)

    async def forget_all(self, person: str) -> None:
        """Delete every evaluation of a person.

        Raises:
            OSError: they cannot be deleted.
        """
        await self.stop(person)
        await asyncio.to_thread(self._runs.forget_all, person)

    async def close(self) -> None:
        """Ask no more for anybody. Each evaluation can go on when a server runs again."""
        for person in list(self._under_way):
            await self.stop(person)
        for processes in (self._reading, self._writing):
            await processes.end()

    async def report(self, person: str, kept: KeptRun, against: KeptRun | None, look: Look) -> Path:
        """The file of the report on an evaluation, compared with the one `against`; the last ones that were made stay.

        Raises:
            OSError: it cannot be written.
            RunFolderError: the results are damaged.
            TooCostlyError: it takes too long to write.
        """
        target, is_there = await asyncio.to_thread(_place_of_report, kept, against, look)
        if not is_there:
            before = against.run if against is not None else None
            await self._writing.run(person, write_report, target, kept.run, before, look, seconds=REPORT_SECONDS)
            # Reports are rare, and SciPy is large.
            await self._writing.end()
        return target

    async def _ask_all(self, person: str, under_way: UnderWay, asked: Asked) -> None:
        kept = under_way.before
        questions = await asyncio.to_thread(kept.questions)
        conditions = Conditions.of(questions, asked.backend, asked.options, file=kept.about.name, concurrency=AT_ONCE)
        with await _taken(kept.run, conditions) as folder:
            under_way.before = replace(kept, asked=conditions)

            def take(result: Result) -> None:
                if result.answer.error is not None:
                    under_way.error = result.answer.error.message
                folder.add(result)
                if folder.results.end > RUN_BYTES:
                    raise EvaluationError(_FULL)

            def tell(progress: Progress) -> None:
                under_way.progress = replace(progress)
                under_way.free_at = time.time() + progress.waiting if progress.waiting is not None else None
                under_way.signal.bump()

            run = Run(
                partial(self._ask, person, under_way, asked),
                asked.options,
                AT_ONCE,
                is_live=asked.is_live,
                measure=partial(self._measured, person),
            )
            await run(((one, 1) for one in questions if (one.number, 1) not in folder.results), take, tell)

    async def _ask(self, person: str, under_way: UnderWay, asked: Asked, request: ChatRequest) -> Answer:
        most = self._allowance.limits.question_characters
        characters = len(request.messages[-1].content)
        if characters > most:
            words = msg(
                "This question has {characters} characters; {most} are allowed.", characters=characters, most=most
            )
            return Answer(error=ErrorInfo(words))
        if asked.is_live:
            await self._wait_for_share(person, under_way)
        answer = await asked.ask(request)
        error = answer.error
        if error is not None and error.status in _REFUSED and asked.is_live and not under_way.kept.done:
            raise EvaluationError(error.message)
        return answer

    async def _wait_for_share(self, person: str, under_way: UnderWay) -> None:
        while wait := self._begun.count(person, 1, self.share)[1]:
            await _paced(under_way, wait)
        while True:
            try:
                await self._allowance.take(person)
            except LimitReachedError as reached:
                await _paced(under_way, reached.wait)
            else:
                return

    async def _measured(
        self, person: str, question: Question, times: int, said: Sequence[Message], answer: Answer
    ) -> Result:
        try:
            return await self._reading.run(person, result_of, question, times, said, answer)
        except TooCostlyError:
            failed = Answer(error=ErrorInfo(msg("This answer takes too long to be measured.")), timing=answer.timing)
            # The truth may be what takes so long, so nothing is measured by it.
            unmeasured = result_of(replace(question, truth=""), times, said, failed)
            return replace(unmeasured, values={**unmeasured.values, "truth": question.truth or None})

    def _end(self, person: str, under_way: UnderWay, task: asyncio.Task[None]) -> None:
        del self._under_way[person]
        error = None if task.cancelled() else task.exception()
        words = _in_words(error) if error is not None else ""
        if not words and under_way.error:
            words = msg("The newest error: {error}", error=under_way.error)
        if words:
            key = person, under_way.before.id
            self._problems.put(key, words, size_of((key, words), _PROBLEM_BYTES))
        under_way.signal.bump()


def _in_words(error: BaseException) -> str:
    if isinstance(error, OtherRunError):
        return msg(
            "These questions were put to another backend, or with other settings. “Ask again” asks all of them anew."
        )
    if isinstance(error, BackendAwayError | EvaluationError):
        return str(error.args[0])
    if isinstance(error, UnwritableRunError):
        logger.warning("the results of an evaluation cannot be kept: %s", error)
        return _NOT_KEPT
    if isinstance(error, RunFolderError):
        return DAMAGED
    logger.error("an evaluation ended: %s", type(error).__name__)
    return msg("It ended because of a fault in this page's server.")


async def _taken(path: Path, conditions: Conditions) -> RunFolder:
    """The folder of a run. Who stops meanwhile waits until it was taken, so that it can be taken again."""
    taking = asyncio.create_task(asyncio.to_thread(RunFolder, path, conditions), name="taking a folder")
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        with suppress(RunFolderError), await taking:
            pass
        raise


async def _paced(under_way: UnderWay, seconds: float) -> None:
    under_way.paced += 1
    under_way.signal.bump()
    try:
        await asyncio.sleep(seconds)
    finally:
        under_way.paced -= 1
        under_way.signal.bump()


def _place_of_report(kept: KeptRun, against: KeptRun | None, look: Look) -> tuple[Path, bool]:
    """Where the report is that has everything that it would have now, and whether it is there; else the oldest ones
    make room for it.
    """
    for used in filter(None, (kept, against)):
        used.touch()
    has = report_policy(look), current_language().tag, *map(_stamp, (kept, against))
    target = kept.folder / f"report-{hashlib.sha256(repr(has).encode()).hexdigest()[:32]}.html"
    is_there = target.exists()
    newest_last = [] if is_there else sorted(kept.folder.glob("report-*.html"), key=written_at)
    for former in newest_last[: -_KEPT_REPORTS + 1]:
        former.unlink(missing_ok=True)
    return target, is_there


def _stamp(kept: KeptRun | None) -> tuple[str, int]:
    if kept is None:
        return "", 0
    with suppress(OSError):
        return kept.id, kept.results.stat().st_size
    return kept.id, 0
