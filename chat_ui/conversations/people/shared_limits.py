"""How much one person may ask for, counted in Redis over all processes, in one step for each question.

An answer in the making is known by its process's sign of life (`generations.redis_log`), and until the first
of these by a reservation. While Redis cannot be used, each process counts on its own.
"""

from __future__ import annotations

from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from chat_ui.conversations.people.limits import MINUTE, Allowance, Limits, too_many_answers, too_many_questions
from chat_ui.conversations.sharing.redis_connection import alive, answering, log_refusal

RESERVED: Final = 1.0
"""Seconds within which the log of an answer has begun that was asked for."""

# Gives what is too much, if anything is: answers in the making elsewhere, or questions within the minute, with the
# microseconds until there is room.
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


class SharedAllowance(Allowance):
    """Keeps count of what each person asks of all processes that use `redis`."""

    def __init__(self, limits: Limits, redis: Redis) -> None:
        super().__init__(limits)
        self._script = redis.register_script(_TAKE)

    async def _count(self, person: str, questions: int, conversation: str, running: int) -> None:
        limits = self.limits
        keys = [answering(person), f"chat-ui:asked:{person}", alive("")]
        try:
            surplus = await self._script(
                keys=keys,
                args=[
                    conversation,
                    int(RESERVED * 1000),
                    limits.answers_at_once,
                    questions,
                    limits.questions_per_minute,
                    int(MINUTE * 1_000_000),
                ],
            )
        except RedisError as error:
            log_refusal("this process counts what a person asks on its own", error)
            await super()._count(person, questions, conversation, running)
            return
        match surplus:
            case ["answers", count]:
                raise too_many_answers(count)
            case ["questions", count, wait]:
                raise too_many_questions(count, wait / 1_000_000)
