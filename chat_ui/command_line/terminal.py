"""Terminal output: text without control sequences, JSON, and progress."""

from __future__ import annotations

import json
import re
import sys
from shutil import get_terminal_size
from typing import IO, TYPE_CHECKING, Final, Self

from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.clean_text import clean_json
from chat_ui.protocol.events import JsonObject

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID
    from rich.status import Status

_CONTROL: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNSEEN: Final = "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""Invisible characters, and those that reorder others."""
_MARKED: Final = {True: re.compile(f"[{_CONTROL}{_UNSEEN}]"), False: re.compile(f"[{_CONTROL}]")}
_ESCAPED: Final = re.compile(f"[\x7f-\x9f{_UNSEEN}]")


def shown(text: str, stream: IO[str]) -> str:
    """`text` with a mark such as `<U+001B>` for each character that could move the cursor or change a terminal. On a
    terminal, marks replace invisible and reordering characters too.
    """
    return _MARKED[stream.isatty()].sub(lambda found: f"<U+{ord(found.group()):04X}>", text)


def print_json(value: JsonObject) -> None:
    """Print a JSON object, with letters beyond ASCII if the output is UTF-8."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    text = json.dumps(clean_json(value), ensure_ascii=encoding != "utf8")
    print(_ESCAPED.sub(lambda found: json.dumps(found.group())[1:-1], text), flush=True)


def wide_console(columns: int) -> Console | None:
    """Standard output for tables, or None without a terminal of at least `columns`."""
    if not sys.stdout.isatty() or get_terminal_size().columns < columns:
        return None
    # Importing rich is slow.
    from rich.console import Console  # noqa: PLC0415

    return Console()


def note(words: str) -> None:
    """Print a note on standard error, unless it is empty."""
    if words:
        print(shown(words, sys.stderr), file=sys.stderr, flush=True)


class Waiting:
    """A spinner on standard error while a command waits, only on a terminal."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            # Importing rich takes longer than a short answer.
            from rich.console import Console  # noqa: PLC0415
            from rich.markup import escape  # noqa: PLC0415

            self._status = Console(stderr=True).status(escape(shown(self._words, sys.stderr)))
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def note(self, method: str, url: str) -> None:
        self._update(f"{self._words}: {method} {without_query(url)}")

    def _update(self, words: str) -> None:
        if self._status is not None:
            from rich.markup import escape  # noqa: PLC0415

            self._status.update(escape(shown(words, sys.stderr)))

    def stop(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None


class Counted:
    """A progress bar on standard error of a terminal; elsewhere a line for each tenth."""

    def __init__(self, words: str, total: int) -> None:
        self._words = words
        self._total = total
        self._told = -1
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console  # noqa: PLC0415
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

            columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
            self._bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True))
            self._task = self._bar.add_task(self._words, total=self._total, state="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: int, failed: int, waiting: float | None) -> None:
        """Show how many are done and failed, and the seconds of the backend's throttling."""
        state = f"{done} done, {self._total - done} left, {failed} failed"
        if waiting is not None:
            state += f"; the backend asks to wait {waiting:.0f} s"
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, state=state)
            return
        tenth = 10 * done // self._total
        if tenth != self._told or waiting is not None:
            self._told = tenth
            note(f"{self._words}: {state}")


class Steps(Waiting):
    """A count of requests: in the spinner on a terminal, elsewhere in a line each."""

    def __init__(self, words: str, most: int) -> None:
        super().__init__(words)
        self._most = most
        self._count = 0

    def note(self, method: str, url: str) -> None:
        self._count += 1
        words = f"{self._count} of at most {self._most}: {method} {without_query(url)}"
        if self._status is None:
            note(words)
        self._update(words)
