"""Dictation of questions, and speech output of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chat_ui.feature import Feature

if TYPE_CHECKING:
    from chat_ui.page.slots import Parts


def _parts() -> Parts:
    from chat_ui.features.speech.page import PARTS

    return PARTS


FEATURE = Feature(name="speech", parts=_parts)
