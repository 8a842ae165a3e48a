"""Full garbage collections wait until nobody waits for an answer, though not for ever."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from chat_ui.state.garbage import MOST_POSTPONED, full_collections_when_idle


class Loop:
    """What only a garbage collection frees."""

    def __init__(self) -> None:
        self.itself = self


def old_garbage() -> tuple[weakref.ref[Loop], asyncio.Event]:
    """A loop that a full collection alone looks at, and what is set once it is gone."""
    gone = asyncio.Event()
    loop = Loop()
    seen = weakref.ref(loop, lambda _: gone.set())
    gc.collect()
    return seen, gone


@pytest.mark.parametrize("asked_before", [0, MOST_POSTPONED])
async def test_garbage_goes_once_nobody_waits_or_somebody_waits_for_long(asked_before: int) -> None:
    asked = 0

    def is_busy() -> bool:
        nonlocal asked
        asked += 1
        return asked <= MOST_POSTPONED if asked_before else False

    async with full_collections_when_idle(is_busy, every=0.001):
        seen, gone = old_garbage()
        await gone.wait()
    assert seen() is None
    assert asked > asked_before


async def test_afterwards_collections_are_as_they_were() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    async with full_collections_when_idle(lambda: False):
        assert gc.get_threshold()[:2] == before[0][:2]
        assert gc.get_threshold()[2] > 1000 * before[0][2]
        assert gc.get_freeze_count() > before[1]
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
