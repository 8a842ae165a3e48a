"""Images that people attach to questions, in memory alone and bounded."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.backends.request import Attachment
from chat_ui.protocol.documents.image_fetch import image_type
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.translatable import msg

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of one image."""
MOST: Final = 4
"""Images of one question."""
KEPT_BYTES: Final = 256 * 1024 * 1024
PERSON_BYTES: Final = 64 * 1024 * 1024
_NAMES_BYTES: Final = 16 * 1024 * 1024
_LONGEST_NAME: Final = 120


class AttachmentError(ValueError):
    """A file that is not taken; the message is for the person."""


@dataclass(frozen=True, slots=True)
class ImageName:
    """The id of an attached image, and the name of its file."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Attached:
    """An image of one person, under its id."""

    id: str
    file: Attachment

    @property
    def named(self) -> ImageName:
        """The image without its bytes."""
        return ImageName(self.id, self.file.name)


class Attachments:
    """Images of all people, at most `kept_bytes`, and `person_bytes` of one person; those used last stay."""

    def __init__(self, kept_bytes: int = KEPT_BYTES, person_bytes: int = PERSON_BYTES) -> None:
        self._kept: RecentlyUsed[tuple[str, str], Attached] = RecentlyUsed(kept_bytes, share=person_bytes)
        self._of_turns: RecentlyUsed[str, dict[str, tuple[ImageName, ...]]] = RecentlyUsed(_NAMES_BYTES)

    async def keep(self, person: str, name: str, data: bytes) -> Attached:
        """Keep an image of `person`; what it is is seen from its bytes, never from its name.

        Raises:
            AttachmentError: it is too large, or no image that backends take.
        """
        attached = judged(name, data)
        self._kept.put((person, attached.id), attached, len(data), person)
        return attached

    async def find(self, person: str, attachment_id: str) -> Attached | None:
        """The image of that id, where it is that person's and still kept."""
        return self._kept.get((person, attachment_id))

    async def find_all(self, person: str, attachment_ids: Sequence[str]) -> list[Attached]:
        """Those of the images that are that person's and still kept."""
        found = [await self.find(person, one) for one in attachment_ids]
        return [image for image in found if image is not None]

    async def forget_all(self, person: str) -> None:
        """Keep no image of that person any longer."""
        self._kept.pop_group(person)

    async def remember(self, conversation_id: str, turn_id: str, images: Sequence[ImageName]) -> None:
        """Take note of which images go with a question."""
        of_turns = (self._of_turns.get(conversation_id) or {}) | {turn_id: tuple(images)}
        self._of_turns.put(conversation_id, of_turns, size_of((of_turns,), _NAMES_BYTES))

    async def of_turns(self, conversation_id: str) -> dict[str, tuple[ImageName, ...]]:
        """The images that go with the questions of a conversation, by turn."""
        return self._of_turns.get(conversation_id) or {}


def judged(name: str, data: bytes) -> Attached:
    """An image under a new id.

    Raises:
        AttachmentError: it is too large, or no image that backends take.
    """
    name = name[-_LONGEST_NAME:] or msg("image")
    if len(data) > MOST_BYTES:
        most = MOST_BYTES // 1024 // 1024
        raise AttachmentError(msg("{name} is larger than {most} MB. Attach a smaller image.", name=name, most=most))
    media_type = image_type(data)
    if media_type is None:
        raise AttachmentError(
            msg("{name} is no image of the types PNG, JPEG, GIF or WebP, so it cannot be attached.", name=name)
        )
    return Attached(secrets.token_urlsafe(16), Attachment(name, media_type, data))
