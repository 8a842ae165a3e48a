"""How much one person may ask for, so that one cannot take the server from the others."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Final

from chat_ui.protocol.recently_used import RecentlyUsed

MINUTE: Final = 60.0
KEPT_BYTES: Final = 32 * 1024 * 1024
_QUESTION: Final = 32


class LimitReachedError(Exception):
    """A person asked for more than their share; the message is for them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one person may ask for: questions within a minute, answers at once, characters of one question."""

    questions_per_minute: int = 60
    answers_at_once: int = 4
    question_characters: int = 400_000


class Allowance:
    """Keeps count of what each person has asked for within the last minute, in this process.

    `kept_bytes` is for the counts; those who asked longest ago begin anew when there are more.
    """

    def __init__(
        self, limits: Limits, *, clock: Callable[[], float] = time.monotonic, kept_bytes: int = KEPT_BYTES
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._asked: RecentlyUsed[str, deque[float]] = RecentlyUsed(kept_bytes)

    async def take(
        self, person: str, *, questions: int = 1, characters: int = 0, conversation: str = "", running: int = 0
    ) -> None:
        """Count `questions` of `person`, who has `running` answers in the making here.

        A question that goes on a conversation names it by its id.

        Raises:
            LimitReachedError: they are too many or too long; none of them is counted then.
        """
        limits = self.limits
        if characters > limits.question_characters:
            raise LimitReachedError(
                f"This question has {characters:,} characters; {limits.question_characters:,} are allowed. "
                "Shorten it, then send it again."
            )
        await self._count(person, questions, conversation, running)

    async def _count(self, person: str, questions: int, conversation: str, running: int) -> None:
        if conversation and running >= self.limits.answers_at_once:
            raise too_many_answers(running)
        now = self._clock()
        asked = self._asked.get(person) or deque()
        while asked and asked[0] <= now - MINUTE:
            asked.popleft()
        surplus = len(asked) + questions - self.limits.questions_per_minute
        if surplus > 0:
            freed = asked[surplus - 1] if surplus <= len(asked) else now
            raise too_many_questions(len(asked), freed + MINUTE - now)
        asked.extend([now] * questions)
        self._asked.put(person, asked, sys.getsizeof(asked) + _QUESTION * len(asked))


def too_many_answers(running: int) -> LimitReachedError:
    """So many answers are being made for the person already."""
    answers = "An answer is" if running == 1 else f"{running} answers are"
    return LimitReachedError(
        f"{answers} still being made for you, and no more are made at the same time. "
        "Wait for one to end or stop it, then send the question again."
    )


def too_many_questions(asked: int, wait: float) -> LimitReachedError:
    """So many questions were asked within a minute already; there is room again after `wait` seconds."""
    seconds = ceil(wait)
    return LimitReachedError(
        f"You have asked {asked} question{'' if asked == 1 else 's'} within a minute, and no more "
        f"are allowed. Try again in {seconds} second{'' if seconds == 1 else 's'}."
    )
