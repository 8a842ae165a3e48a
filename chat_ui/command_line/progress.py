"""Progress of a command that waits: a moving line on a terminal, elsewhere nothing or plain lines."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from chat_ui.command_line.output import shown
from chat_ui.protocol.answers.redaction import without_query

if TYPE_CHECKING:
    from rich.status import Status


class Waiting:
    """A moving line on standard error for as long as a command waits, on a terminal; elsewhere nothing."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            # Loading rich takes longer than a short answer takes to come.
            from rich.console import Console  # noqa: PLC0415
            from rich.markup import escape  # noqa: PLC0415

            self._status = Console(stderr=True).status(escape(shown(self._words, sys.stderr)))
            self._status.start()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def note(self, method: str, url: str) -> None:
        """Name the request that goes now."""
        if self._status is not None:
            from rich.markup import escape  # noqa: PLC0415

            self._status.update(escape(shown(f"{self._words}: {method} {without_query(url)}", sys.stderr)))

    def stop(self) -> None:
        """Take the line away."""
        if self._status is not None:
            self._status.stop()
            self._status = None


class Steps(Waiting):
    """A count of requests: in the moving line on a terminal, elsewhere in a line for each."""

    def __init__(self, words: str, most: int) -> None:
        super().__init__(words)
        self._most = most
        self._count = 0

    def note(self, method: str, url: str) -> None:
        """Name the request that goes now."""
        self._count += 1
        words = f"{self._count} of at most {self._most}: {method} {shown(without_query(url), sys.stderr)}"
        if self._status is not None:
            from rich.markup import escape  # noqa: PLC0415

            self._status.update(escape(words))
        else:
            print(words, file=sys.stderr, flush=True)
