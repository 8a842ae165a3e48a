"""Images that people attach to questions, in Redis: any process shows and sends what another one took.

Redis forgets an image after `KEPT_SECONDS`, and before that when there are too many. Where Redis does not take or give
one, it is kept in the memory of the process that took it, and is there for that process alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from chat_ui.conversations.people.attached_images import (
    KEPT_BYTES,
    PERSON_BYTES,
    Attached,
    Attachments,
    ImageName,
    judged,
)
from chat_ui.conversations.sharing.redis_connection import log_refusal
from chat_ui.protocol.backends.request import Attachment
from chat_ui.protocol.recently_used import ENTRY_BYTES

KEPT_SECONDS: Final = 86_400

_COMMON: Final = """
local function drop(member)
    local length, id, person = string.match(member, '^(%d+) (%S+) (.*)$')
    redis.call('DEL', 'chat-ui:image:' .. id)
    redis.call('ZREM', 'chat-ui:images', member)
    redis.call('ZREM', 'chat-ui:images-of:' .. person, member)
    redis.call('DECRBY', 'chat-ui:images-bytes', length)
end
local function drop_all(members)
    for _, member in ipairs(members) do drop(member) end
end
"""
_KEEP: Final = f"""{_COMMON}
local person, id, name, media_type, data = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local seconds, share, bytes = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local length = #data + {ENTRY_BYTES}
local own = 'chat-ui:images-of:' .. person
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
drop_all(redis.call('ZRANGEBYSCORE', 'chat-ui:images', '-inf', now - seconds * 1000000))
local owned, of_person = length, redis.call('ZRANGE', own, 0, -1)
for _, member in ipairs(of_person) do owned = owned + tonumber(string.match(member, '^%d+')) end
for _, member in ipairs(of_person) do
    if owned <= share then break end
    owned = owned - tonumber(string.match(member, '^%d+'))
    drop(member)
end
while tonumber(redis.call('GET', 'chat-ui:images-bytes') or 0) + length > bytes do
    local oldest = redis.call('ZRANGE', 'chat-ui:images', 0, 0)
    if #oldest == 0 then break end
    drop_all(oldest)
end
local member = length .. ' ' .. id .. ' ' .. person
redis.call('HSET', 'chat-ui:image:' .. id, 'person', person, 'name', name, 'type', media_type, 'data', data)
redis.call('EXPIRE', 'chat-ui:image:' .. id, seconds)
redis.call('ZADD', 'chat-ui:images', now, member)
redis.call('ZADD', own, now, member)
redis.call('INCRBY', 'chat-ui:images-bytes', length)
for _, key in ipairs({{'chat-ui:images', own, 'chat-ui:images-bytes'}}) do redis.call('EXPIRE', key, seconds) end
"""
_FORGET: Final = f"{_COMMON} drop_all(redis.call('ZRANGE', 'chat-ui:images-of:' .. ARGV[1], 0, -1))"


class SharedAttachments(Attachments):
    """The newest images of all people in `redis`, which gives bytes as bytes; bounded as those in memory are."""

    def __init__(self, redis: Redis, kept_bytes: int = KEPT_BYTES, person_bytes: int = PERSON_BYTES) -> None:
        super().__init__(kept_bytes, person_bytes)
        self._bounds = person_bytes, kept_bytes
        self._redis = redis
        self._keep = redis.register_script(_KEEP)
        self._forget = redis.register_script(_FORGET)

    async def keep(self, person: str, name: str, data: bytes) -> Attached:
        """Keep an image of `person`, for every process to find.

        Raises:
            AttachmentError: it is too large, or no image that backends take.
        """
        attached = judged(name, data)
        file = attached.file
        try:
            image = person, attached.id, file.name, file.media_type, file.data
            await self._keep(args=[*image, KEPT_SECONDS, *self._bounds])
        except RedisError as error:
            log_refusal("an image is kept by the process alone that took it", error)
            return await super().keep(person, name, data)
        return attached

    async def find(self, person: str, attachment_id: str) -> Attached | None:
        """The image of that id, where it is that person's and still kept."""
        if (own := await super().find(person, attachment_id)) is not None:
            return own
        try:
            found = await self._hash(f"chat-ui:image:{attachment_id}")
        except RedisError:
            return None
        if found.get(b"person") != person.encode():
            return None
        file = Attachment(found[b"name"].decode(), found[b"type"].decode(), found[b"data"])
        return Attached(attachment_id, file)

    async def forget_all(self, person: str) -> None:
        """Keep no image of that person any longer."""
        await super().forget_all(person)
        try:
            await self._forget(args=[person])
        except RedisError as error:
            log_refusal("a person's images stay in Redis until they expire", error)

    async def remember(self, conversation_id: str, turn_id: str, images: Sequence[ImageName]) -> None:
        """Have every process know which images go with a question."""
        await super().remember(conversation_id, turn_id, images)
        key, names = _of_turns(conversation_id), json.dumps([[image.id, image.name] for image in images])
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.hset(key, turn_id, names)
                pipeline.expire(key, KEPT_SECONDS)
                await pipeline.execute()
        except RedisError as error:
            log_refusal("other processes do not know the images of a question", error)

    async def of_turns(self, conversation_id: str) -> dict[str, tuple[ImageName, ...]]:
        """The images that go with the questions of a conversation, by turn."""
        own = await super().of_turns(conversation_id)
        try:
            found = await self._hash(_of_turns(conversation_id))
        except RedisError:
            return own
        shared = {turn.decode(): tuple(ImageName(*one) for one in json.loads(names)) for turn, names in found.items()}
        return own | shared

    async def _hash(self, key: str) -> dict[bytes, bytes]:
        async with self._redis.pipeline(transaction=False) as pipeline:
            pipeline.hgetall(key)
            [found] = await pipeline.execute()
        return dict(found)


def _of_turns(conversation_id: str) -> str:
    return f"chat-ui:images-of-turns:{conversation_id}"
