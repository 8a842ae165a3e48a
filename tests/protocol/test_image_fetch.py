import gzip

import pytest

from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.documents.image_fetch import FetchedImage, fetch_image
from chat_ui.protocol.errors import DocumentError
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT
from tests.stand_ins.literal import literal
from tests.stand_ins.stand_in import Received, Reply, StandIn

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 92
DAMAGED = gzip.compress(PNG)[:-8] + bytes(8)


async def fetched(reply: Reply, most: int = 1000) -> tuple[FetchedImage, Received]:
    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        image = await fetch_image(client, f"{stand_in.url}/a.png", max_bytes=most, bounds=PATIENT)
        return image, stand_in.requests[0]


async def test_an_image_has_the_type_of_its_bytes() -> None:
    for data, media_type in {
        PNG: "image/png",
        b"\xff\xd8\xff\xe0": "image/jpeg",
        b"GIF87a": "image/gif",
        b"GIF89a": "image/gif",
        b"RIFF\n\n\n\nWEBP": "image/webp",
    }.items():
        image, request = await fetched(
            Reply([data[:2], data[2:]], headers={"Content-Type": "text/html"}), most=len(PNG)
        )
        assert image == FetchedImage(data, media_type)
        assert (request.method, request.path) == ("GET", "/a.png")
        assert not {"cookie", "authorization"} & request.headers.keys()


@pytest.mark.parametrize(
    ("reply", "status", "words"),
    [
        (Reply([PNG], 404), 502, "did not return this image (status 404)"),
        (Reply([PNG], 206), 502, "did not return this image (status 206)"),
        (Reply([PNG], 302, {"Location": "http://elsewhere.example/"}), 502, "another address, which is not followed"),
        (Reply([b"<svg>"]), 415, "127.0.0.1 did not send a PNG, JPEG, GIF or WebP image"),
        (Reply([PNG + b"x"]), 413, "larger than the limit of 0.1 kB"),
        (Reply([PNG, float("inf")], headers={"Content-Encoding": "br"}), 502, "as br, which was not requested"),
        (Reply([DAMAGED], headers={"Content-Encoding": "gzip"}), 502, "cannot be decompressed"),
        (Reply(end="rst", before_headers=True), 502, "The connection to http://127.0.0.1:"),
        (Reply([PNG], end="abrupt"), 502, "The connection to http://127.0.0.1:"),
    ],
)
async def test_a_missing_image_has_a_reason(reply: Reply, status: int, words: str) -> None:
    with pytest.raises(DocumentError) as refused:
        await fetched(reply, most=len(PNG))
    assert refused.value.status == status
    assert words in refused.value.message


async def test_an_invalid_address_or_a_slow_image_is_refused_in_words() -> None:
    async with AsyncClient() as client:
        with pytest.raises(DocumentError, match="address") as refused:
            await fetch_image(client, "http://images.example:abc/a.png", max_bytes=1000, bounds=PATIENT)
    assert refused.value.status == 502
    soon = Bounds(connect_timeout=10, first_byte_timeout=0.2)
    async with literal(b"", keep_open=True) as (url, _), AsyncClient(soon) as client:
        with pytest.raises(DocumentError, match=r"127.0.0.1 did not send this image in time") as refused:
            await fetch_image(client, f"{url}/a.png", max_bytes=1000, bounds=soon)
    assert refused.value.status == 504
