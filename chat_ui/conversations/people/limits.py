"""Limits of the questions of one person, and of all answers at once.

With Redis the questions of all processes are counted there, in one step each. A running answer is known by its
process's sign of life (`generations.redis_log`), and before the first sign by a reservation. Without Redis, each
process counts for itself.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from chat_ui.conversations.redis_connection import alive, answering, log_refusal
from chat_ui.conversations.running_time import within
from chat_ui.errors import LimitReachedError
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.protocol.translatable import msg, plural_msg
from chat_ui.protocol.transport.http_errors import try_again_in

logger = logging.getLogger(__name__)

MINUTE: Final = 60.0
MEMORY_BYTES: Final = 32 * 1024 * 1024
_MOMENT: Final = 32
RESERVED: Final = 1.0
"""Seconds within which the log of a requested answer has begun."""
LATE: Final = 0.05
"""Seconds by which running answers may be late when another one begins. Measured with 200 to 400 answers: text that was
so late was on the page within 0.5 s (95th percentile), at 0.2 s within 0.8 s.
"""
FEW: Final = 20
"""Running answers that do not make a process late: with fewer, the machine is busy with something else."""
TIMEOUT: Final = 15.0
"""Seconds for which a question waits for that: the last of 300 simultaneous ones waited for 8.4."""
_AT_ONCE: Final = 16
_STEP: Final = 0.01
"""Seconds between two looks, and after each question, whose cost its answer shows first."""
_TRY_AGAIN: Final = 10.0

# Gives the exceeded limit, if any: running answers elsewhere, or questions within the minute and the microseconds until
# there is room.
_TAKE: Final = """
local answering, asked, alive = KEYS[1], KEYS[2], KEYS[3]
local conversation, reserved_ms, at_once = ARGV[1], ARGV[2], tonumber(ARGV[3])
local questions, most, minute = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

local seen, running = {}, 0
for _, member in ipairs(redis.call('SMEMBERS', answering)) do
    local other = string.match(member, '^[^.]*')
    if redis.call('EXISTS', alive .. member) == 0 then
        redis.call('SREM', answering, member)
    elseif other ~= conversation and not seen[other] then
        seen[other], running = true, running + 1
    end
end
if running >= at_once then return {'answers', running} end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', asked, '-inf', now - minute)
local count = redis.call('ZCARD', asked)
local surplus = count + questions - most
if surplus > 0 then
    local freed = redis.call('ZRANGE', asked, surplus - 1, surplus - 1, 'WITHSCORES')[2] or now
    return {'questions', count, freed + minute - now}
end

for number = 1, questions do
    redis.call('ZADD', asked, now, time[1] .. '.' .. time[2] .. '.' .. number)
end
redis.call('PEXPIRE', asked, minute / 1000)
if conversation ~= '' then
    redis.call('SADD', answering, conversation)
    redis.call('EXPIRE', answering, 600)
    redis.call('SET', alive .. conversation, 1, 'PX', reserved_ms)
end
return {}
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one person: questions within a minute, answers at once, characters of one question."""

    questions_per_minute: int = 60
    answers_at_once: int = 4
    question_characters: int = 400_000


class Allowance:
    """Counts each person's questions within the last minute: of all processes that use `redis`, or of this one."""

    def __init__(
        self,
        limits: Limits,
        redis: Redis | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._asked: RecentlyUsed[str, deque[float]] = RecentlyUsed(memory_bytes)
        """The moments of each person's questions; the least recent people are dropped first."""
        self._take = redis.register_script(_TAKE) if redis is not None else None

    async def take(
        self, person: str, *, questions: int = 1, characters: int = 0, conversation: str = "", running: int = 0
    ) -> None:
        """Count `questions` of `person`, who has `running` answers in this process. A question that goes on a
        conversation names it by its id.

        Raises:
            LimitReachedError: they are too many or too long; then they are not counted.
        """
        limits = self.limits
        if characters > limits.question_characters:
            raise LimitReachedError(
                msg(
                    "This question has {characters} characters; at most {most} are allowed. Shorten "
                    "it, then send it again.",
                    characters=characters,
                    most=limits.question_characters,
                )
            )
        if self._take is not None:
            reserved, most, minute = int(RESERVED * 1000), limits.questions_per_minute, int(MINUTE * 1_000_000)
            try:
                surplus = await self._take(
                    keys=[answering(person), f"chat-ui:asked:{person}", alive("")],
                    args=[conversation, reserved, limits.answers_at_once, questions, most, minute],
                )
            except RedisError as error:
                log_refusal("this process counts what a person asks on its own", error)
            else:
                match surplus:
                    case ["answers", count]:
                        raise _too_many_answers(count)
                    case ["questions", count, wait]:
                        raise _too_many_questions(count, wait / 1_000_000)
                return
        if conversation and running >= limits.answers_at_once:
            raise _too_many_answers(running)
        now = self._clock()
        moments = self._asked.get(person) or deque()
        while moments and moments[0] <= now - MINUTE:
            moments.popleft()
        asked = len(moments)
        surplus = asked + questions - limits.questions_per_minute
        if surplus > 0:
            freed = moments[surplus - 1] if surplus <= asked else now
            raise _too_many_questions(asked, freed + MINUTE - now)
        moments.extend([now] * questions)
        self._asked.put(person, moments, sys.getsizeof(moments) + _MOMENT * len(moments))


class Admission:
    """Lets a few questions at a time begin: while fewer than `FEW` answers are `running` here, or while these are late
    by at most `LATE`, by `lateness`. Other questions wait, and are refused before the answers of others become much
    later.
    """

    def __init__(self, lateness: Callable[[], float], running: Callable[[], int]) -> None:
        self.lateness, self._running = lateness, running
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._told = -math.inf

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The turn of a question: a slow loop takes long for each, and so begins fewer.

        Raises:
            LimitReachedError: too many answers are running here.
        """
        with ExitStack() as stack:
            try:
                async with within(TIMEOUT):
                    await self._turns.acquire()
                    stack.callback(asyncio.get_running_loop().call_later, _STEP, self._turns.release)
                    # Lateness falls without an event.
                    while self._running() >= FEW and self.lateness() > LATE:  # noqa: ASYNC110
                        await asyncio.sleep(_STEP)
            except TimeoutError:
                if time.monotonic() - self._told >= MINUTE:
                    self._told = time.monotonic()
                    logger.warning("questions are refused: too many users are asking at once")
                problem = msg("Too many people are asking at once.")
                raise LimitReachedError(
                    msg("{problem} {advice}", problem=problem, advice=try_again_in(_TRY_AGAIN)), _TRY_AGAIN
                ) from None
            yield


def _too_many_answers(running: int) -> LimitReachedError:
    """The error of too many running answers of the person."""
    return LimitReachedError(
        plural_msg(
            "An answer of yours is still being written, which is the limit. Wait until it ends or "
            "stop it, then send the question again.",
            "{count} of your answers are still being written, which is the limit. Wait until one "
            "ends or stop it, then send the question again.",
            running,
        )
    )


def _too_many_questions(asked: int, wait: float) -> LimitReachedError:
    """The error of too many questions within a minute; `wait` is in seconds."""
    return LimitReachedError(
        msg(
            "{problem} {advice}",
            problem=plural_msg(
                "You have asked {count} question within a minute, which is the limit.",
                "You have asked {count} questions within a minute, which is the limit.",
                asked,
            ),
            advice=try_again_in(wait),
        ),
        wait,
    )
