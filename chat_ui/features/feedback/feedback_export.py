"""`feedback`: the stored feedback on standard output."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from chat_ui.command_line.terminal import note
from chat_ui.conversations.records.feedback import Feedback, Rating
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.stored_feedback import StoredFeedback
from chat_ui.errors import StoreTooNewError, StoreUnavailableError, UnusableSettingsError
from chat_ui.features.feedback.feedback_lines import csv_head, csv_line, json_line
from chat_ui.settings import CONFIG_VARIABLE, Settings, read_settings, sqlite_file, store_url, unused_settings

DONE: Final = 0
UNUSABLE: Final = 2
NOT_READABLE: Final = 3

_ON_NO_DISK: Final = (
    "With CHAT_UI_RETENTION_DAYS=0, feedback is only in the server's memory. Set CHAT_UI_FEEDBACK_TOKEN and read it "
    "from the running server:\n"
    'curl -H "Authorization: Bearer $CHAT_UI_FEEDBACK_TOKEN" ADDRESS/api/feedback/all'
)
_IN_MEMORY: Final = "sqlite://"


@dataclass(slots=True)
class _Counts:
    """The number of written answers with feedback, of each rating, and of doubted citations."""

    answers: int = 0
    good: int = 0
    bad: int = 0
    doubted: int = 0

    def add(self, feedback: Feedback) -> None:
        self.answers += 1
        self.good += feedback.rating is Rating.GOOD
        self.bad += feedback.rating is Rating.BAD
        self.doubted += len(feedback.doubted)

    def __str__(self) -> str:
        answers = "Feedback on 1 answer" if self.answers == 1 else f"Feedback on {self.answers} answers"
        citations = "1 citation" if self.doubted == 1 else f"{self.doubted} citations"
        return f"{answers}: {self.good} good, {self.bad} bad, {citations} doubted."


async def export_feedback(options: argparse.Namespace) -> int:
    """Write the feedback and return the exit status: 0 done, 2 unusable settings or output, 3 unreadable store.

    Raises:
        BrokenPipeError: the output was closed.
    """
    if options.config is not None:
        os.environ[CONFIG_VARIABLE] = str(options.config)
    kind = options.settings()
    try:
        chosen = read_settings(kind)
        url = store_url(chosen)
    except UnusableSettingsError as problem:
        note(str(problem))
        return UNUSABLE
    for words in unused_settings(kind):
        note(words)
    if url == _IN_MEMORY:
        note(_ON_NO_DISK)
        return UNUSABLE
    try:
        database = await Database.open(url, to_read=True)
        try:
            counts = await _write(StoredFeedback(database), is_csv=options.csv, since=options.since)
        finally:
            await database.close()
    except StoreUnavailableError as problem:
        for line in _unreadable(problem, chosen):
            note(line)
        return NOT_READABLE
    except BrokenPipeError:
        raise
    except OSError as error:
        # Unwritten output must not raise again at exit.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        note(f"The output cannot be written: {error.strerror}.")
        return UNUSABLE
    note(str(counts) if counts.answers else "No feedback found.")
    return DONE


async def _write(stored: StoredFeedback, *, is_csv: bool, since: float) -> _Counts:
    # Bytes, as the text of standard output depends on the machine's encoding and line ends.
    out, counts = sys.stdout.buffer, _Counts()
    if is_csv:
        out.write(csv_head().encode())
    async for one in stored.given(since=since):
        out.write((csv_line(one) if is_csv else json_line(one)).encode("utf-8", "replace"))
        counts.add(one.feedback)
    out.flush()
    return counts


def _unreadable(problem: StoreUnavailableError, chosen: Settings) -> Iterator[str]:
    yield f"The feedback cannot be read: {problem}."
    if isinstance(problem, StoreTooNewError):
        return
    file = sqlite_file(chosen)
    where = str(file) if file is not None else "the one in CHAT_UI_DATABASE_URL"
    yield (
        f"The database is {where}. Use the server's settings (CHAT_UI_DATA_DIR, CHAT_UI_DATABASE_URL or --config FILE) "
        "and a user who can read that database."
    )
