"""Assertions about the growth of costs with the length of the input."""

import gc
import time
from collections.abc import Callable
from typing import Any, Final

import pytest

TIMES: Final = 4
GROWTH: Final = 8.0
"""The most by which the cost may grow at four times the length. Linear growth gives 4, quadratic growth 16."""
ENOUGH: Final = 0.002
"""Processor seconds that are long enough to measure. Shorter work is repeated at greater length, up to `_LONGEST`
times.
"""
_LONGEST: Final = 64
_ATTEMPTS: Final = 5


def cost_of(work: Callable[[], object]) -> float:
    """Processor seconds of the work, without garbage collection."""
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
    """Assert that `work` on a value `made` of four times a length costs about four times as much, from `length` on."""

    def cost(length: int) -> float:
        worked_on = made(length)
        return cost_of(lambda: work(worked_on))

    cost(length // 10)
    assert_cost_in_proportion(cost, length)


def assert_cost_in_proportion(cost: Callable[[int], float], length: int) -> None:
    """The same for a `cost` in seconds by length."""
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
