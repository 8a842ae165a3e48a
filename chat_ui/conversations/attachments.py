"""Images that people attach to questions, in memory alone and bounded."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.image_types import image_type
from chat_ui.protocol.request import Attachment

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of one image."""
MOST: Final = 4
"""Images of one question."""
_MOST_OF_A_PERSON: Final = 64
_KEPT_BYTES: Final = 256 * 1024 * 1024
_LONGEST_NAME: Final = 120


class AttachmentError(ValueError):
    """A file that is not taken; the message is for the person."""


@dataclass(frozen=True, slots=True)
class Attached:
    """An image of one person, under its id."""

    id: str
    file: Attachment


class Attachments:
    """The newest images of all people, of each person no more than a share; the oldest make room when there are more
    than `kept_bytes` of them.
    """

    def __init__(self, kept_bytes: int = _KEPT_BYTES) -> None:
        self._kept_bytes = kept_bytes
        self._bytes = 0
        self._kept: OrderedDict[tuple[str, str], Attached] = OrderedDict()

    def keep(self, person: str, name: str, data: bytes) -> Attached:
        """Keep an image of `person`; what it is is seen from its bytes, never from its name.

        Raises:
            AttachmentError: it is too large, or no image that backends take.
        """
        name = name[-_LONGEST_NAME:] or "image"
        if len(data) > MOST_BYTES:
            raise AttachmentError(f"{name} is larger than {MOST_BYTES // 1024 // 1024} MB. Attach a smaller image.")
        media_type = image_type(data)
        if media_type is None:
            raise AttachmentError(f"{name} is no image of the types PNG, JPEG, GIF or WebP, so it cannot be attached.")
        own = [key for key in self._kept if key[0] == person]
        for oldest in own[: max(0, len(own) + 1 - _MOST_OF_A_PERSON)]:
            self._drop(oldest)
        kept = Attached(secrets.token_urlsafe(16), Attachment(name, media_type, data))
        self._kept[person, kept.id] = kept
        self._bytes += len(data)
        while self._bytes > self._kept_bytes:
            self._drop(next(iter(self._kept)))
        return kept

    def find(self, person: str, attachment_id: str) -> Attached | None:
        """The image of that id, where it is that person's and still kept."""
        return self._kept.get((person, attachment_id))

    def _drop(self, key: tuple[str, str]) -> None:
        self._bytes -= len(self._kept.pop(key).file.data)
