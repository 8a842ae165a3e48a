"""A limit on the events of each person."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

EVENTS_AT_ONCE: Final = 200
"""Events of one person in this process that are handled at once."""
EVENTS_A_SECOND: Final = 20.0
"""Events of one person a second that are handled in the long run; further ones wait."""
_PEOPLE_COUNTED: Final = 10_000


class Rate:
    """A limit on the events of each person: `at_once`, and `a_second` in the long run."""

    def __init__(
        self,
        at_once: float = EVENTS_AT_ONCE,
        a_second: float = EVENTS_A_SECOND,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, person: str, events: int) -> bool:
        """Whether the person may send so many events now; they count where they are allowed."""
        left = self._left_of(person)
        if left >= events:
            self._count(person, left - events)
        return left >= events

    def turn(self, person: str) -> float:
        """Seconds until one more event of the person is handled; it counts."""
        left = self._left_of(person) - 1
        self._count(person, left)
        return max(0.0, -left / self._a_second)

    def _left_of(self, person: str) -> float:
        left, then = self._left.get(person, (self._at_once, 0.0))
        return min(self._at_once, left + (self._clock() - then) * self._a_second)

    def _count(self, person: str, left: float) -> None:
        self._left[person] = left, self._clock()
        self._left.move_to_end(person)
        if len(self._left) > _PEOPLE_COUNTED:
            self._left.popitem(last=False)
