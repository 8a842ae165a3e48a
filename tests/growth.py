"""How the cost of work grows with its length: this is asserted, since the time itself is a matter of the machine."""

import gc
import time
from collections.abc import Callable
from typing import Any, Final

import pytest

TIMES: Final = 4
GROWTH: Final = 8.0
"""How much more four times the length may cost: it is four times where it grows with the length, sixteen times where it
grows with its square.
"""
ENOUGH: Final = 0.002
"""Seconds of processor time that are measured well. Shorter work is done at greater length, up to `_LONGEST` times."""
_LONGEST: Final = 64
_ATTEMPTS: Final = 5


def cost_of(work: Callable[[], object]) -> float:
    """Seconds of processor time that the work takes, without what collecting garbage happens to take."""
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def assert_in_proportion(
    work: Callable[[Any], object], length: int, *, made: Callable[[int], object] = lambda length: length
) -> None:
    """That `work` on what is `made` of four times a length costs about four times as much, from `length` on."""

    def cost(length: int) -> float:
        worked_on = made(length)
        return cost_of(lambda: work(worked_on))

    cost(length // 10)
    assert_cost_in_proportion(cost, length)


def assert_cost_in_proportion(cost: Callable[[int], float], length: int) -> None:
    """The same of a `cost` in seconds for a length."""
    longest = _LONGEST * length
    while (once := cost(length)) < ENOUGH:
        length *= 2
        if length > longest:
            return
    fourfold = float("inf")
    for _ in range(_ATTEMPTS):
        fourfold = min(fourfold, cost(TIMES * length))
        if fourfold <= GROWTH * once:
            return
        once = min(once, cost(length))
    pytest.fail(f"{once:.4f} s for {length:,}, then {fourfold:.4f} s for {TIMES} times as much")
