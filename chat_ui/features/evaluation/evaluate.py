"""`evaluate`: questions to a backend, and the evaluation of its answers."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from chat_ui.backends.profile import recorded_profile
from chat_ui.command_line.arguments import advised, asked_backend, pinning, pinning_hint
from chat_ui.command_line.terminal import Counted, note, print_json, shown
from chat_ui.errors import UnusableSettingsError
from chat_ui.features.evaluation.bounds import Check, check_worse
from chat_ui.features.evaluation.changes import Change, Changes, Earlier
from chat_ui.features.evaluation.errors import BackendUnavailableError, QuestionsError, RunFolderError
from chat_ui.features.evaluation.junit import write_junit
from chat_ui.features.evaluation.question_set import Question, quoted, read_questions
from chat_ui.features.evaluation.report.report import Report, counted, report_html
from chat_ui.features.evaluation.run_folder import (
    RESULTS,
    RUN,
    SUMMARY,
    Conditions,
    RunFolder,
    complete_file,
    conditions_in,
    earlier_run,
    write_json,
)
from chat_ui.features.evaluation.run_tables import show_figures
from chat_ui.features.evaluation.running import FoundBackend, Progress, Run
from chat_ui.features.evaluation.summary import Summary
from chat_ui.protocol.answers.pause import denied
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.clean_text import clean_json
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.replay_transport import ReplayTransport
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Guard
from chat_ui.rendering.ai_notice import notice_json, notice_of
from chat_ui.settings import NoticeSettings, read_settings

DONE: Final = 0
CHECK_FAILED: Final = 1
UNUSABLE: Final = 2
UNREACHABLE: Final = 3
FAILED: Final = 4
CHANGES: Final = "changes.jsonl"
_NAMED: Final = 10
"""Questions listed as better or worse."""
_LONGEST: Final = 100
"""Characters of a listed question."""


class _UnusableError(Exception):
    """An unusable argument; the message has the reason."""


async def evaluate(options: argparse.Namespace, key: str | None) -> int:
    """Ask, print, write, exit: 0 done, 1 a check failed, 2 bad usage, 3 unreachable, 4 questions failed."""
    try:
        _expect_usable(options)
        notice = notice_of(read_settings(NoticeSettings, is_complete=False).ai_notice)
        found = read_questions(options.questions)
        questions = found.questions
        _note_unread(options.questions, found.unread)
        earlier = _earlier(options.against)
        recording = Recording.open(options.url) if isinstance(options.url, Path) else None
        backend, sent, told = await _asked(options, key, recording)
        conditions = Conditions.of(
            questions, backend, sent, told=told, recording=None if recording is None else options.url,
            file=options.questions.name, concurrency=options.concurrency, approve=options.approve,
        )  # fmt: skip
        with RunFolder(options.out, conditions) as folder:
            try:
                await _ask(options, backend, recording, questions[: options.limit], folder, sent=sent)
            except (BackendUnavailableError, asyncio.CancelledError):
                _note_kept(folder)
                raise
            return _told(options, folder, earlier, notice)
    except (_UnusableError, UnusableSettingsError, QuestionsError, RunFolderError, RecordingError) as problem:
        note(str(problem))
        return UNUSABLE
    except BackendUnavailableError as away:
        note(f"Error: {away}")
        note(pinning_hint(away.error))
        return UNREACHABLE


def _expect_usable(options: argparse.Namespace) -> None:
    if options.fail_if_worse and options.against is None:
        raise _UnusableError("--fail-if-worse needs --against with the folder of an earlier run.")
    out = options.out.resolve()
    against = options.against.resolve() if options.against is not None else None
    if against == out:
        raise _UnusableError("--against is the folder of this run. Name the folder of an earlier run.")
    kept = {options.questions.resolve(), *(out / name for name in (RUN, RESULTS, SUMMARY, CHANGES))}
    if isinstance(options.url, Path):
        kept.add(options.url.resolve())
    for path in filter(None, (options.html, options.junit)):
        target = path.resolve()
        if target in kept or against in target.parents:
            raise _UnusableError(f"{path} would be overwritten. Name another file.")
        if (target.exists() and not target.is_file()) or not (target.parent.is_dir() or target.parent == out):
            raise _UnusableError(f"{path} is not a regular file, or its folder is missing. Name another file.")
        kept.add(target)


def _earlier(path: Path | None) -> tuple[Conditions, Earlier] | None:
    if path is None:
        return None
    conditions, results = earlier_run(path)
    return conditions, Earlier(results)


async def _asked(
    options: argparse.Namespace, key: str | None, recording: Recording | None
) -> tuple[Backend, JsonObject, tuple[str, ...]]:
    """The backend, the options to send, and the names of those that only the deployment told."""
    if recording is None:
        return await _advised(options, asked_backend(options, key))
    recorded = recorded_profile(recording, "", options.url.name).backend()
    backend = replace(recorded, stream=not options.no_stream, model=options.model or recorded.model)
    return backend, options.overrides, ()


async def _advised(options: argparse.Namespace, backend: Backend) -> tuple[Backend, JsonObject, tuple[str, ...]]:
    """As `advised`; a resumed run keeps the options that the deployment told at its beginning."""
    before = None
    with suppress(OSError, RunFolderError):
        before = None if options.plain else conditions_in(options.out)
    if before is None or not before.told:
        async with AsyncClient(guard=Guard(options.policy)) as client:
            return await advised(pinning(client, options), options, backend)
    told = {key: value for key, value in before.shown_options.items() if key in before.told}
    return replace(backend, stream=backend.stream and before.stream), {**told, **options.overrides}, before.told


async def _ask(
    options: argparse.Namespace,
    backend: Backend,
    recording: Recording | None,
    questions: Sequence[Question],
    folder: RunFolder,
    *,
    sent: JsonObject,
) -> None:
    times = range(1, options.times + 1)
    total = len(questions) * options.times
    asked = {place for time in times for question in questions if (place := (question.number, time)) in folder.results}
    again = folder.results.failed & asked if options.retry_failed else set()
    left = total - len(asked) + len(again)
    if asked:
        note(f"{len(asked)} of {total} are already answered in {folder.path}.")
    _note_repeated(questions)
    if not left:
        return
    places = ((question, time) for time in times for question in questions)
    kept = asked - again
    wanted = (one for one in places if (one[0].number, one[1]) not in kept)
    async with AsyncClient(Bounds(total_timeout=options.timeout), guard=Guard(options.policy)) as plain:
        if recording is None:
            client = pinning(plain, options)
        else:
            client = plain.with_transport(lambda _: ReplayTransport(recording, speed=math.inf, strict=True))
        decide = partial(denied, approve=options.approve)
        run = Run(FoundBackend(client, backend), sent, options.concurrency, is_live=recording is None, decide=decide)
        with Counted("Asking", left) as shown_count:
            await run(wanted, folder.add, partial(_count, shown_count))


def _note_kept(folder: RunFolder) -> None:
    if len(folder.results):
        kept = counted(len(folder.results), "answer is", "answers are")
        note(f"{kept} kept in {folder.path}. Run the same command to continue.")


def _count(shown_count: Counted, progress: Progress) -> None:
    shown_count.show(progress.done, progress.failed, progress.waiting)


def _note_unread(path: Path, unread: Sequence[str]) -> None:
    if unread:
        note(f"{path}: fields ignored: {quoted(unread)}. The fields read are “question” and “truth”.")


def _note_repeated(questions: Sequence[Question]) -> None:
    repeated = sum(count - 1 for count in Counter(question.key for question in questions).values())
    if repeated:
        note(f"{counted(repeated, 'duplicate question is', 'duplicate questions are')} asked too.")


def _told(
    options: argparse.Namespace, folder: RunFolder, earlier: tuple[Conditions, Earlier] | None, notice: str
) -> int:
    """Print and write the results, and return the exit status; raise _UnusableError for an unwritable file."""
    results = folder.results
    summary = Summary.of((one.values for one in results), max((time for _, time in results.places), default=1))
    try:
        compared = _compare(folder, earlier[1] if earlier is not None else None)
        of_measures = compared.changes.of_measures()
        checks = [bound.check(summary) for bound in options.fail_if]
        checks += [check_worse(name, of_measures) for name in options.fail_if_worse]
        found = {**notice_json(notice), **_figures(summary, of_measures, checks)}
        if options.json:
            print_json({"out": str(folder.path), **found, "questions": compared.as_json()})
        else:
            show_figures(summary, of_measures, checks)
            if earlier is not None:
                _show_compared(compared)
        write_json(folder.path / SUMMARY, found)
        if options.junit is not None:
            with complete_file(options.junit) as file:
                counts = summary.results, int(summary.statistic("failed", "total") or 0)
                write_junit(file, results, checks, counts, notice_json(notice))
        if options.html is not None:
            with complete_file(options.html) as file:
                shown_report = Report(folder.conditions, summary, results, of_measures, checks, earlier, notice)
                file.writelines(report_html(shown_report))
    except OSError as error:
        _note_kept(folder)
        raise _UnusableError(f"{error.filename or folder.path} cannot be written: {error.strerror}.") from None
    if failed := len(results.failed):
        note(f"{counted(failed, 'question', 'questions')} failed. Use --retry-failed to ask again.")
    if any(check.has_failed for check in checks):
        return CHECK_FAILED
    is_bounded = any(bound.name == "failed" for bound in options.fail_if)
    return FAILED if failed and not is_bounded else DONE


def _figures(summary: Summary, changes: Mapping[str, Change], checks: Sequence[Check]) -> dict[str, Json]:
    return {
        **summary.as_json(),
        "changes": [change.as_json() for change in changes.values()],
        "checks": [{"bound": check.words, "failed": check.has_failed, "found": check.found} for check in checks],
    }


@dataclass(slots=True)
class _Compared:
    """The changes since an earlier run, the numbers of better and worse questions, and a list of some."""

    changes: Changes = field(default_factory=Changes)
    better: list[int] = field(default_factory=list)
    worse: list[int] = field(default_factory=list)
    words: dict[int, str] = field(default_factory=dict)

    def add(self, numbers: list[int], question: Question) -> None:
        if len(numbers) < _NAMED:
            self.words[question.number] = " ".join(question.text[:_LONGEST].split())
        numbers.append(question.number)

    def as_json(self) -> JsonObject:
        """The number of common questions, and the numbers of those that changed."""
        return {"compared": self.changes.compared, "better": self.better, "worse": self.worse}


def _compare(folder: RunFolder, earlier: Earlier | None) -> _Compared:
    """Compare each question with an earlier run, if any, and write a line for each difference.

    Raises:
        OSError: the lines cannot be written.
    """
    compared = _Compared()
    if earlier is None:
        (folder.path / CHANGES).unlink(missing_ok=True)
        return compared
    with complete_file(folder.path / CHANGES) as file:
        for before, now in earlier.beside(folder.results):
            if not before:
                continue
            question = now[0].question
            change = compared.changes.add([one.values for one in before], [one.values for one in now])
            if change.is_better:
                compared.add(compared.better, question)
            if change.is_worse:
                compared.add(compared.worse, question)
            if change.is_any:
                answers = {"before": before[0].answer.bracketed_text, "now": now[0].answer.bracketed_text}
                told = {"number": question.number, "question": question.text, **change.as_json(), **answers}
                file.write(json.dumps(clean_json(told), ensure_ascii=False) + "\n")
    return compared


def _show_compared(compared: _Compared) -> None:
    print(f"\n{counted(compared.changes.compared, 'question is', 'questions are')} in both runs.")
    for word, numbers in (("worse", compared.worse), ("better", compared.better)):
        print(f"{counted(len(numbers), 'question', 'questions')} got {word}{':' if numbers else '.'}")
        for number in numbers[:_NAMED]:
            print(shown(f"  {number}. {compared.words[number]}", sys.stdout))
        if len(numbers) > _NAMED:
            print(f"  and {len(numbers) - _NAMED} more")
