"""The evaluations of people on disk.

A person has a folder for each of their evaluations: its questions, what is said of them (`about.json`), the folder of
its run, and the report that was shown last. What has no `about.json` is on its way.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from chat_ui.conversations.people.person_folders import (
    bytes_of,
    delete_folder,
    folder_of,
    is_id,
    new_id,
    purge_folders,
    written_at,
)
from chat_ui.evaluation.question_file import QuestionsError
from chat_ui.evaluation.question_set import Question, parse_questions
from chat_ui.evaluation.run_folder import RESULTS, Conditions, RunFolderError, conditions_in, write_json
from chat_ui.protocol.byte_sizes import in_words
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.protocol.translatable import msg, plural_msg

logger = logging.getLogger(__name__)

MOST_RUNS: Final = 20
"""Evaluations of one person."""
MOST_QUESTIONS: Final = 1_000
"""Questions of one evaluation."""
SET_BYTES: Final = 4 * 2**20
"""Bytes of the questions of one evaluation."""
RUN_BYTES: Final = 32 * 2**20
"""Bytes of the answers of one evaluation."""
ALL_BYTES: Final = 4 * 2**30
"""Bytes of the evaluations of all people."""
SENT: Final = "sent"
"""The name of a file that a browser sends."""
_QUESTIONS: Final = "questions.jsonl"
_ABOUT: Final = "about.json"
_FOLDER: Final = "run"
_PEOPLE: Final = 20
"""People that find room beside each other."""
_DAY: Final = 86_400
_LONGEST_UPLOAD: Final = 3600
"""Seconds after which what was coming was left by a server that ended."""
_COUNTS_BYTES: Final = 2**20


GONE: Final = msg("These questions are not here any more. Take them in once more.")


class EvaluationError(Exception):
    """Something cannot be done; the message is for the person, and translatable."""


class About(msgspec.Struct, frozen=True):
    """What is said of a set of questions: its `name`, how many there are, how many of them have a truth, and when it
    was taken in, in seconds of the epoch.
    """

    name: str
    count: int
    with_truth: int
    at: float


@dataclass(frozen=True, slots=True)
class KeptRun:
    """An evaluation in a folder, and how far it has come: how many answers are `done`, and how many of these `failed`.
    `asked` says how its backend was asked, None before that, and where it cannot be read.
    """

    id: str
    folder: Path
    about: About
    done: int = 0
    failed: int = 0
    asked: Conditions | None = None

    @property
    def run(self) -> Path:
        """The folder of its run."""
        return self.folder / _FOLDER

    @property
    def results(self) -> Path:
        """The file of its results."""
        return self.run / RESULTS

    @property
    def is_full(self) -> bool:
        """Whether its answers take more room than those of one evaluation may."""
        return bytes_of(self.results) > RUN_BYTES

    def touch(self) -> None:
        """Have it be used now."""
        with suppress(OSError):
            os.utime(self.folder / _ABOUT)

    def questions(self) -> tuple[Question, ...]:
        """Its questions.

        Raises:
            EvaluationError: they are gone, or damaged.
        """
        try:
            return parse_questions((self.folder / _QUESTIONS).read_bytes())
        except (OSError, QuestionsError):
            raise EvaluationError(GONE) from None


class PersonRuns:
    """The evaluations of people below `folder`, which are kept for `keep_days` after they were used last."""

    def __init__(self, folder: Path, *, keep_days: float, all_bytes: int = ALL_BYTES) -> None:
        self.keep_days = keep_days
        self._folder = folder
        self._all_bytes = all_bytes
        self._counts: RecentlyUsed[Path, tuple[int, int, int]] = RecentlyUsed(_COUNTS_BYTES)

    def new(self, person: str, under_way: int = 0) -> tuple[str, Path]:
        """The id and the folder of one more evaluation, while so many are `under_way`; `write_set` has it be found.

        Raises:
            EvaluationError: the person has as many as are kept, or there is no room for another.
            OSError: the folder cannot be made.
        """
        folder = self._of(person)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._drop_old(folder)
        if sum(1 for _ in folder.iterdir()) >= MOST_RUNS:
            raise EvaluationError(
                plural_msg(
                    "You have one set of questions here, and no more are kept. Remove one first.",
                    "You have {count} sets of questions here, and no more are kept. Remove one first.",
                    MOST_RUNS,
                )
            )
        self.expect_room(person, under_way)
        path = folder / new_id()
        path.mkdir(mode=0o700)
        return path.name, path

    def expect_room(self, person: str, under_way: int = 0) -> None:
        """Have room for the answers of one more evaluation, while so many are `under_way`.

        Raises:
            EvaluationError: there is none.
        """
        taken = sum(map(bytes_of, self._folder.glob("*/*/**/*"))) + under_way * RUN_BYTES
        mine = sum(map(bytes_of, self._of(person).glob("*/**/*")))
        share = max(self._all_bytes // _PEOPLE, RUN_BYTES)
        if taken + RUN_BYTES > self._all_bytes or mine + RUN_BYTES > share:
            raise EvaluationError(
                msg("There is no room for more answers on this page's server. Remove a set of questions first.")
            )

    def find(self, person: str, run_id: str) -> KeptRun | None:
        """The person's evaluation of that id; None where there is none, or not any more."""
        return self._read(self._of(person) / run_id) if is_id(run_id) else None

    def all(self, person: str) -> list[KeptRun]:
        """The evaluations of a person, the newest first.

        Raises:
            OSError: their folder cannot be read.
        """
        folder = self._of(person)
        found = [self._read(path) for path in (folder.iterdir() if folder.is_dir() else ())]
        return sorted((one for one in found if one is not None), key=lambda one: one.about.at, reverse=True)

    def drop(self, person: str, run_id: str) -> None:
        """Delete one evaluation of a person, if it is there.

        Raises:
            OSError: it cannot be deleted.
        """
        if is_id(run_id):
            delete_folder(self._of(person) / run_id)

    def forget_all(self, person: str) -> None:
        """Delete every evaluation of a person.

        Raises:
            OSError: they cannot be deleted.
        """
        delete_folder(self._of(person))

    def purge(self) -> None:
        """Delete what is older than it is kept for."""
        try:
            purge_folders(self._folder, self._drop_old)
        except OSError as error:
            logger.warning("old evaluations cannot be deleted: %s", error.strerror)

    def _read(self, folder: Path) -> KeptRun | None:
        if self._is_old(folder):
            return None
        try:
            about = msgspec.json.decode((folder / _ABOUT).read_bytes(), type=About)
        except (OSError, msgspec.MsgspecError):
            return None
        asked = None
        with suppress(OSError, RunFolderError):
            asked = conditions_in(folder / _FOLDER)
        done, failed = self._counted(folder / _FOLDER / RESULTS)
        return KeptRun(folder.name, folder, about, done, failed, asked)

    def _counted(self, results: Path) -> tuple[int, int]:
        size = bytes_of(results)
        known = self._counts.get(results)
        if known is None or known[0] != size:
            known = (size, *_count(results))
            self._counts.put(results, known, len(str(results)))
        return known[1], known[2]

    def _drop_old(self, folder: Path) -> None:
        for path in folder.iterdir():
            if self._is_old(path):
                shutil.rmtree(path, ignore_errors=True)

    def _is_old(self, folder: Path) -> bool:
        used = max(map(written_at, (folder / _ABOUT, folder / _FOLDER / RESULTS)))
        if used:
            return used < time.time() - self.keep_days * _DAY
        return written_at(folder) < time.time() - _LONGEST_UPLOAD

    def _of(self, person: str) -> Path:
        return folder_of(self._folder, person)


def write_set(folder: Path, questions: Sequence[Question], name: str, at: float) -> None:
    """Write a set of questions that has this `name`, taken in `at` that moment: the evaluation in the folder is found
    from then on.

    Raises:
        EvaluationError: they are more than may be asked.
        OSError: they cannot be written.
    """
    if sum(map(_requests, questions)) > MOST_QUESTIONS:
        raise EvaluationError(
            msg(
                "These are more than {most} questions, the most that this page asks. The command chat-ui evaluate asks "
                "any number of them.",
                most=MOST_QUESTIONS,
            )
        )
    written = "".join(map(_line, questions)).encode("utf-8", "replace")
    if len(written) > SET_BYTES:
        raise EvaluationError(
            msg("These questions are larger than {most}, the most that is taken here.", most=in_words(SET_BYTES))
        )
    (folder / _QUESTIONS).write_bytes(written)
    with_truth = sum(1 for question in questions if question.truth)
    write_json(folder / _ABOUT, msgspec.structs.asdict(About(name, len(questions), with_truth, at)))


def copy_set(kept: KeptRun, folder: Path, at: float) -> None:
    """Write the questions of an evaluation to the folder of another one, as `write_set` does.

    Raises:
        OSError: they cannot be read or written.
    """
    shutil.copyfile(kept.folder / _QUESTIONS, folder / _QUESTIONS)
    write_json(folder / _ABOUT, msgspec.structs.asdict(msgspec.structs.replace(kept.about, at=at)))


class _Counted(msgspec.Struct):
    """What is counted of a result; the rest of its line is not looked at."""

    number: int
    failed: bool = False


_counted: Final = msgspec.json.Decoder(_Counted)


def _count(results: Path) -> tuple[int, int]:
    """How many results there are, and how many of these failed."""
    done = failed = 0
    with suppress(OSError), results.open("rb") as file:
        for line in file:
            with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                failed += _counted.decode(line).failed
                done += 1
    return done, failed


def _requests(question: Question) -> int:
    """How many requests a question takes: the backend answers also what the user asked on the way."""
    roles = [message.role for message in question.messages]
    return sum(1 for role, following in zip(roles, [*roles[1:], "user"], strict=True) if role == following == "user")


def _line(question: Question) -> str:
    messages = [{"role": message.role, "content": message.content} for message in question.messages]
    return json.dumps({"messages": messages, "truth": question.truth or None}, ensure_ascii=False) + "\n"
