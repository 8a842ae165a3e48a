"""Images and other files that people attach to questions, bounded: in Redis for all processes, or else in the memory of
this one.

Redis drops a file after `KEPT_SECONDS`, and earlier if there are too many. If Redis fails, the file is kept in the
memory of its process, and only for that process.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from chat_ui.conversations.redis_connection import log_refusal
from chat_ui.errors import AttachmentError
from chat_ui.protocol.answers.pictures import MOST_PICTURE, image_type
from chat_ui.protocol.backends.backend import Attachment
from chat_ui.protocol.recently_used import ENTRY_BYTES, RecentlyUsed, size_of
from chat_ui.protocol.translatable import msg

MOST_BYTES: Final = MOST_PICTURE
"""Bytes of an image."""
MOST_FILE_BYTES: Final = 10 * 1024 * 1024
"""Bytes of another file."""
MOST: Final = 4
MEMORY_BYTES: Final = 256 * 1024 * 1024
PERSON_BYTES: Final = 64 * 1024 * 1024
KEPT_SECONDS: Final = 86_400
_NAMES_BYTES: Final = 16 * 1024 * 1024
_LONGEST_NAME: Final = 120
_LONGEST_LINE: Final = 120
_OFFICE: Final = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
_TEXTS: Final = {"csv": "text/csv", "md": "text/markdown", "json": "application/json"}
_UNKNOWN: Final = "application/octet-stream"

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
for _, member in ipairs(redis.call('ZRANGE', own, 0, -1)) do
    if string.find(member, ' ' .. id .. ' ', 1, true) then drop(member) end
end
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


@dataclass(frozen=True, slots=True)
class ImageName:
    """An attached file without its bytes: the id and the name, and unless it is an image, its type, its size in bytes,
    and the first line of a text.
    """

    id: str
    name: str
    media_type: str = "image/"
    size: int = 0
    line: str = ""


@dataclass(frozen=True, slots=True)
class Attached:
    """An image or another file of one person, under its id."""

    id: str
    file: Attachment

    @property
    def named(self) -> ImageName:
        """The file without its bytes."""
        name, media_type, data = self.file.name, self.file.media_type, self.file.data
        if media_type.startswith("image/"):
            return ImageName(self.id, name)
        is_text = media_type.startswith("text/") or media_type in _TEXTS.values()
        return ImageName(self.id, name, media_type, len(data), _first_line(data) if is_text else "")


class Attachments:
    """Files of all people, within bounds, in `redis` (as bytes) if given; the most recently used stay."""

    def __init__(
        self, redis: Redis | None = None, *, memory_bytes: int = MEMORY_BYTES, person_bytes: int = PERSON_BYTES
    ) -> None:
        self._kept: RecentlyUsed[tuple[str, str], Attached] = RecentlyUsed(memory_bytes, share=person_bytes)
        self._of_turns: RecentlyUsed[str, dict[str, tuple[ImageName, ...]]] = RecentlyUsed(_NAMES_BYTES)
        self._redis = redis
        self._in_turn = asyncio.Lock()
        self._writing: set[asyncio.Task[None]] = set()
        self._bounds = person_bytes, memory_bytes

    async def keep(self, person: str, name: str, data: bytes) -> Attached:
        """Keep a file of `person`; its type is read from its bytes (see `_media_type_of`).

        Raises:
            AttachmentError: it is too large, or empty.
        """
        attached = _judged(name, data)
        self._kept.put((person, attached.id), attached, len(data), person)
        await self._share(person, attached)
        return attached

    def keep_picture(self, person: str, key: str, data: bytes) -> bool:
        """Keep a picture under `key`, in place of an earlier one, or refuse it; at once here, and soon for all."""
        media_type = image_type(data)
        if media_type is None or len(data) > MOST_BYTES:
            return False
        attached = Attached(key, Attachment(key, media_type, data))
        self._kept.put((person, key), attached, len(data), person)
        self._writing.add(task := asyncio.create_task(self._share(person, attached)))
        task.add_done_callback(self._writing.discard)
        return True

    async def _share(self, person: str, attached: Attached) -> None:
        """Move a file to Redis, for every process, unless it was replaced or forgotten meanwhile."""
        if self._redis is None:
            return
        image = person, attached.id, attached.file.name, attached.file.media_type, attached.file.data
        async with self._in_turn:
            if self._kept.get((person, attached.id)) is not attached:
                return
            try:
                await self._redis.register_script(_KEEP)(args=[*image, KEPT_SECONDS, *self._bounds])
            except RedisError as error:
                log_refusal("only this process has the image", error)
                return
        if self._kept.get((person, attached.id)) is attached:
            self._kept.pop((person, attached.id))

    async def find(self, person: str, attachment_id: str) -> Attached | None:
        """The person's image of that id, if still kept."""
        if (own := self._kept.get((person, attachment_id))) is not None:
            return own
        found = await self._hash(f"chat-ui:image:{attachment_id}")
        if found.get(b"person") != person.encode():
            return None
        file = Attachment(found[b"name"].decode(), found[b"type"].decode(), found[b"data"])
        return Attached(attachment_id, file)

    async def find_all(self, person: str, attachment_ids: Sequence[str]) -> list[Attached]:
        """The person's images of these ids that are still kept."""
        found = [await self.find(person, one) for one in attachment_ids]
        return [image for image in found if image is not None]

    async def forget_all(self, person: str) -> None:
        """Drop all images of that person."""
        self._kept.pop_group(person)
        if self._redis is not None:
            async with self._in_turn:
                try:
                    await self._redis.register_script(_FORGET)(args=[person])
                except RedisError as error:
                    log_refusal("a person's images stay in Redis until they expire", error)

    async def remember(self, conversation_id: str, turn_id: str, images: Sequence[ImageName]) -> None:
        """Note the images of a question, for every process."""
        of_turns = (self._of_turns.get(conversation_id) or {}) | {turn_id: tuple(images)}
        self._of_turns.put(conversation_id, of_turns, size_of((of_turns,), _NAMES_BYTES))
        if self._redis is None:
            return
        key, names = _of_turns(conversation_id), json.dumps([astuple(image) for image in images])
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.hset(key, turn_id, names)
                pipeline.expire(key, KEPT_SECONDS)
                await pipeline.execute()
        except RedisError as error:
            log_refusal("other processes do not know the images of a question", error)

    async def of_turns(self, conversation_id: str) -> dict[str, tuple[ImageName, ...]]:
        """The images of a conversation's questions, by turn."""
        found = await self._hash(_of_turns(conversation_id))
        shared = {turn.decode(): tuple(ImageName(*one) for one in json.loads(names)) for turn, names in found.items()}
        return (self._of_turns.get(conversation_id) or {}) | shared

    async def _hash(self, key: str) -> dict[bytes, bytes]:
        """The value of a key in Redis; empty if Redis fails."""
        if self._redis is None:
            return {}
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.hgetall(key)
                [found] = await pipeline.execute()
        except RedisError:
            return {}
        return dict(found)


def _of_turns(conversation_id: str) -> str:
    return f"chat-ui:images-of-turns:{conversation_id}"


def _judged(name: str, data: bytes) -> Attached:
    """A file under a new id.

    Raises:
        AttachmentError: it is too large, or empty.
    """
    name = name[-_LONGEST_NAME:] or msg("image")
    media_type = _media_type_of(name, data)
    most = MOST_BYTES if media_type.startswith("image/") else MOST_FILE_BYTES
    if len(data) > most:
        words = msg("{name} is larger than {most} MB. Attach a smaller file.", name=name, most=most // 1024 // 1024)
        raise AttachmentError(words)
    if not data:
        raise AttachmentError(msg("{name} is empty, so it cannot be attached.", name=name))
    return Attached(secrets.token_urlsafe(16), Attachment(name, media_type, data))


def _media_type_of(name: str, data: bytes) -> str:
    """The media type by the bytes; the ending of `name` only distinguishes Office files and texts. It is never a type
    that a browser runs, such as HTML or SVG.
    """
    ending = name.rpartition(".")[2].casefold()
    if (image := image_type(data)) is not None:
        return image
    if data.startswith(b"%PDF-"):
        return "application/pdf"
    if data.startswith(b"PK\x03\x04"):
        return _OFFICE.get(ending, _UNKNOWN)
    try:
        return _UNKNOWN if "\0" in data.decode() else _TEXTS.get(ending, "text/plain")
    except UnicodeDecodeError:
        return _UNKNOWN


def _first_line(data: bytes) -> str:
    """The first line with words in the beginning of a text."""
    beginning = data[: 8 * _LONGEST_LINE].decode("utf-8-sig", "ignore").strip()
    return beginning.partition("\n")[0].strip()[:_LONGEST_LINE]
