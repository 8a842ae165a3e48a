"""Images that go with questions: each person's own, judged by their bytes, and bounded, in memory and in Redis."""

from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest
from redis.asyncio import Redis

from chat_ui.conversations.people.attached_images import MOST_BYTES, AttachmentError, Attachments, ImageName
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.protocol.recently_used import ENTRY_BYTES
from tests.redis_server import RedisServer, running_redis

PNG = b"\x89PNG\r\n\x1a\n"
LARGE = PNG + bytes(100_000)
ROOM = len(LARGE) + ENTRY_BYTES


@pytest.fixture
async def connection(redis: RedisServer) -> AsyncIterator[Redis]:
    opened = redis_at(redis.url, as_text=False)
    await opened.flushdb()
    yield opened
    await opened.aclose()


@pytest.fixture(params=["memory", "redis"])
def bounded(request: pytest.FixtureRequest) -> Callable[..., Attachments]:
    """Makes what keeps so many bytes of everybody and of one person."""
    if request.param == "memory":
        return Attachments
    return partial(Attachments, request.getfixturevalue("connection"))


@pytest.fixture
def attachments(bounded: Callable[..., Attachments]) -> Attachments:
    return bounded()


async def test_an_image_is_known_by_its_bytes():
    kinds = {PNG: "image/png", b"\xff\xd8\xff\xe0": "image/jpeg", b"GIF89a": "image/gif", b"RIFF1234WEBP": "image/webp"}
    found = {data: (await Attachments().keep("Ada", "picture.txt", data)).file.media_type for data in kinds}
    assert found == kinds


async def test_what_is_no_image_or_too_large_is_refused_by_its_name():
    for data in (b"", b"<svg onload='x()'/>", b"%PDF-1.7", PNG + b"0" * MOST_BYTES):
        with pytest.raises(AttachmentError, match=r"picture\.png is"):
            await Attachments().keep("Ada", "picture.png", data)


async def test_an_image_is_there_for_its_person_and_goes_with_its_question(attachments: Attachments) -> None:
    kept = await attachments.keep("Ada Lovelace", "Bóje 1.png", PNG + bytes(range(256)))
    assert await attachments.find("Ada Lovelace", kept.id) == kept
    assert await attachments.find("Grace", kept.id) is None
    images = (kept.named, ImageName("b", "2.png"))
    await attachments.remember("talk", "first", images)
    await attachments.remember("talk", "third", images[:1])
    assert await attachments.of_turns("talk") == {"first": images, "third": images[:1]}
    assert await attachments.of_turns("another") == {}


async def test_the_oldest_images_make_room_of_one_person_or_of_all(bounded: Callable[..., Attachments]) -> None:
    attachments = bounded(kept_bytes=20 * ROOM, person_bytes=8 * ROOM)
    of_grace = await attachments.keep("Grace", "picture.png", LARGE)
    kept = [await attachments.keep("Ada", "picture.png", LARGE) for _ in range(30)]
    assert await attachments.find_all("Ada", [one.id for one in kept]) == kept[-8:]
    assert await attachments.find("Grace", of_grace.id) == of_grace
    await attachments.forget_all("Ada")
    await attachments.forget_all("Grace")
    attachments = bounded(kept_bytes=2 * ROOM)
    kept = [await attachments.keep(person, "picture.png", LARGE) for person in ("Ada", "Grace", "Ada")]
    assert await attachments.find("Ada", kept[0].id) is None
    assert await attachments.find("Grace", kept[1].id) == kept[1]
    assert await attachments.find("Ada", kept[2].id) == kept[2]
    await attachments.forget_all("Ada")
    assert await attachments.find("Ada", kept[2].id) is None
    another = await attachments.keep("Grace", "picture.png", LARGE)
    assert await attachments.find_all("Grace", [kept[1].id, another.id]) == [kept[1], another]


async def test_every_process_has_the_images_that_one_took_until_nobody_looks_after_them(redis, connection) -> None:
    one, other = Attachments(connection), Attachments(redis_at(redis.url, as_text=False))
    kept = await one.keep("Ada", "picture.png", PNG)
    assert await other.find("Ada", kept.id) == kept
    await one.remember("talk", "first", (kept.named,))
    keys = await connection.keys("*")
    assert len(keys) == 5
    assert all([0 < await connection.ttl(key) <= 86_400 for key in keys])
    await other.forget_all("Ada")
    assert await one.find("Ada", kept.id) is None


async def test_while_redis_is_away_images_are_kept_by_the_process_that_takes_them() -> None:
    with running_redis() as redis:
        attachments = Attachments(redis_at(redis.url, as_text=False))
        before = await attachments.keep("Ada", "picture.png", PNG)
        redis.stop()
        kept = await attachments.keep("Ada", "picture.png", PNG)
        await attachments.remember("talk", "first", (kept.named,))
        assert await attachments.find_all("Ada", [before.id, kept.id]) == [kept]
        assert await attachments.of_turns("talk") == {"first": (kept.named,)}
        await attachments.forget_all("Ada")
        assert await attachments.find("Ada", kept.id) is None
