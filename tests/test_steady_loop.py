"""What the loop of the tests takes for the time that passed."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tests.steady_loop import LONGEST_STEP


async def test_a_machine_that_stands_still_ends_no_bound():
    async with asyncio.timeout(4 * LONGEST_STEP) as bound:
        threading.Event().wait(8 * LONGEST_STEP)
        for _ in range(2):
            await asyncio.sleep(0)
    assert not bound.expired()


async def test_what_never_comes_is_waited_for_as_long_as_it_says():
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(4 * LONGEST_STEP):
            await asyncio.Event().wait()
    assert time.monotonic() - began >= 4 * LONGEST_STEP
