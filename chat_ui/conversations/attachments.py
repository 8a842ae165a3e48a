"""Images that people attach to questions, in memory alone and bounded."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.image_types import image_type
from chat_ui.protocol.request import Attachment

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of one image."""
MOST: Final = 4
"""Images of one question."""
MOST_OF_A_PERSON: Final = 64
KEPT_BYTES: Final = 256 * 1024 * 1024
_MOST_CONVERSATIONS: Final = 1000
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
    """The newest images of all people, of each person no more than a share; the oldest make room when there are more
    than `kept_bytes` of them.
    """

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self.kept_bytes = kept_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, str], Attached] = OrderedDict()
        self._of_turns: OrderedDict[str, dict[str, tuple[ImageName, ...]]] = OrderedDict()

    async def keep(self, person: str, name: str, data: bytes) -> Attached:
        """Keep an image of `person`; what it is is seen from its bytes, never from its name.

        Raises:
            AttachmentError: it is too large, or no image that backends take.
        """
        attached = judged(name, data)
        own = [key for key in self._kept if key[0] == person]
        for oldest in own[: max(0, len(own) + 1 - MOST_OF_A_PERSON)]:
            self._drop(oldest)
        self._kept[person, attached.id] = attached
        self._bytes += len(data)
        while self._bytes > self.kept_bytes:
            self._drop(next(iter(self._kept)))
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
        for key in [key for key in self._kept if key[0] == person]:
            self._drop(key)

    async def remember(self, conversation_id: str, turn_id: str, images: Sequence[ImageName]) -> None:
        """Take note of which images go with a question."""
        self._of_turns.setdefault(conversation_id, {})[turn_id] = tuple(images)
        self._of_turns.move_to_end(conversation_id)
        if len(self._of_turns) > _MOST_CONVERSATIONS:
            self._of_turns.popitem(last=False)

    async def of_turns(self, conversation_id: str) -> dict[str, tuple[ImageName, ...]]:
        """The images that go with the questions of a conversation, by turn."""
        return self._of_turns.get(conversation_id, {})

    def _drop(self, key: tuple[str, str]) -> None:
        self._bytes -= len(self._kept.pop(key).file.data)


def judged(name: str, data: bytes) -> Attached:
    """An image under a new id.

    Raises:
        AttachmentError: it is too large, or no image that backends take.
    """
    name = name[-_LONGEST_NAME:] or "image"
    if len(data) > MOST_BYTES:
        raise AttachmentError(f"{name} is larger than {MOST_BYTES // 1024 // 1024} MB. Attach a smaller image.")
    media_type = image_type(data)
    if media_type is None:
        raise AttachmentError(f"{name} is no image of the types PNG, JPEG, GIF or WebP, so it cannot be attached.")
    return Attached(secrets.token_urlsafe(16), Attachment(name, media_type, data))
