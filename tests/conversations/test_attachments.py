"""Images that are attached to questions: each person's own, judged by their bytes, and bounded."""

from __future__ import annotations

import pytest

from chat_ui.conversations.attachments import MOST_BYTES, AttachmentError, Attachments

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF1234WEBP", "image/webp"),
    ],
)
def test_an_image_is_known_by_its_bytes(data: bytes, media_type: str) -> None:
    assert Attachments().keep("Ada", "picture.txt", data).file.media_type == media_type


@pytest.mark.parametrize("data", [b"", b"<svg onload='x()'/>", b"%PDF-1.7", PNG + b"0" * MOST_BYTES])
def test_what_is_no_image_or_too_large_is_refused_by_its_name(data: bytes) -> None:
    with pytest.raises(AttachmentError, match=r"picture\.png is"):
        Attachments().keep("Ada", "picture.png", data)


def test_an_image_is_there_for_its_person_alone() -> None:
    attachments = Attachments()
    kept = attachments.keep("Ada", "picture.png", PNG)
    assert attachments.find("Ada", kept.id) is kept
    assert attachments.find("Grace", kept.id) is None


def test_one_person_does_not_take_the_room_of_another() -> None:
    attachments = Attachments()
    of_grace = attachments.keep("Grace", "picture.png", PNG)
    first, *_, last = [attachments.keep("Ada", "picture.png", PNG) for _ in range(100)]
    assert attachments.find("Ada", first.id) is None
    assert attachments.find("Ada", last.id) is last
    assert attachments.find("Grace", of_grace.id) is of_grace


def test_the_oldest_images_make_room() -> None:
    attachments = Attachments(kept_bytes=2 * len(PNG))
    kept = [attachments.keep("Ada", f"{number}.png", PNG) for number in range(3)]
    assert [attachments.find("Ada", one.id) for one in kept] == [None, *kept[1:]]
