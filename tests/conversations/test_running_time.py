"""A bound by the time for which the loop runs: a loop that is late at every step ends nothing that goes on."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from chat_ui.conversations.running_time import within
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.database import Database
from tests.patience import PATIENCE
from tests.postgresql import PostgreSQL

LATE = 0.8
"""Seconds that pass by the clock of the loop each time that it comes round."""


class _Selector(selectors.DefaultSelector):
    """Waits for other processes, whatever the timers say, where there are any."""

    def __init__(self, patience: float) -> None:
        super().__init__()
        self._patience = patience
        self.rounds = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.rounds += 1
        return super().select(0 if timeout is not None and timeout <= 0 else self._patience)


class LateLoop(asyncio.SelectorEventLoop):
    """asyncio's loop, as where something keeps it busy for long at each step."""

    def __init__(self, patience: float) -> None:
        self._late = _Selector(patience)
        super().__init__(self._late)

    def time(self) -> float:
        """Seconds by the clock of this loop."""
        return LATE * self._late.rounds


def run(work: Callable[[], Coroutine[Any, Any, None]], patience: float = 0) -> None:
    with asyncio.Runner(loop_factory=lambda: LateLoop(patience)) as runner:
        runner.run(work())


def test_what_goes_on_in_a_late_loop_is_not_ended():
    async def work() -> None:
        async with within(1.0):
            for _ in range(40):
                await asyncio.sleep(0)

    run(work)


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_what_does_not_go_on_is_ended_in_a_late_loop_as_well(seconds: float):
    async def work() -> None:
        with pytest.raises(TimeoutError):
            async with within(seconds):
                await asyncio.Event().wait()

    run(work)


def test_without_seconds_nothing_is_ended():
    async def work() -> None:
        async with within(None):
            for _ in range(1000):
                await asyncio.sleep(0)

    run(work)


def test_a_postgresql_that_answers_a_late_loop_is_not_away(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database_module, "ANSWER_SECONDS", 1.0)

    async def work() -> None:
        database = await Database.open(postgresql.url())
        for _ in range(3):
            await database.touch()
            async with database.reading():
                pass
        assert not database.is_away
        await database.close()

    run(work, PATIENCE)
