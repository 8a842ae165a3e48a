"""Full garbage collections come at times of their own."""

from __future__ import annotations

import asyncio
import gc
import weakref

from chat_ui.server.lifetime import rare_full_collections


class Loop:
    """What only a garbage collection frees."""

    def __init__(self) -> None:
        self.itself = self


async def test_what_only_a_full_collection_finds_goes_when_its_time_has_come() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    async with rare_full_collections(every=0.001):
        assert gc.get_threshold()[:2] == before[0][:2]
        assert gc.get_threshold()[2] > 1000 * before[0][2]
        assert gc.get_freeze_count() > before[1]
        gone = asyncio.Event()
        loop = Loop()
        seen = weakref.ref(loop, lambda _: gone.set())
        gc.collect()
        del loop
        await gone.wait()
    assert seen() is None
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
