"""A turn of a conversation: a question with its answers."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import TypeAlias

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.people.attached_images import ImageName
from chat_ui.conversations.records.records import AnswerHead

TurnAnswer: TypeAlias = LocalGeneration | AnswerHead
"""An answer to the question of a turn: whole where this process made it, else its head."""


@dataclass(slots=True)
class Turn:
    """A question with its answers; those that this process did not make are known by their heads.

    `question` may be cut where it was read back; `chosen` is the number of the answer that is shown, from 1. `images`
    are those that were attached, which are kept for a while only.
    """

    question: str
    place: int = 1
    parent: str | None = None
    generations: list[TurnAnswer] = field(default_factory=list)
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    asked_at: float = field(default_factory=time.time)
    chosen: int = 0
    images: tuple[ImageName, ...] = ()

    @property
    def generation(self) -> TurnAnswer:
        """The answer that is shown: the chosen one, or the newest."""
        return self.generations[min(self.chosen, len(self.generations)) - 1]
