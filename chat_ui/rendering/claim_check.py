"""The check of an answer's claims, which a feature sets for a process.

The check is a function of a module, because it is sent to the processes beside the server by its name.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.html.parts import PlacedMark

logger = logging.getLogger(__name__)

Check: TypeAlias = Callable[[Answer, RenderedAnswer], RenderedAnswer]
"""Gives the rendering with its checks, and with marks in its blocks."""

_check: Check | None = None


def use(check: Check | None) -> None:
    """Set the check of this process; None without the feature."""
    global _check  # noqa: PLW0603 - like the functions that make the page, renderings get no services
    _check = check


def current() -> Check | None:
    """The check of this process."""
    return _check


def checked(answer: Answer, rendered: RenderedAnswer) -> RenderedAnswer:
    """The rendering of a finished answer with its checks, if there is a check. Sources do not depend on them."""
    if not (_check and answer.data_points and rendered.uses):
        return rendered
    try:
        return _check(answer, rendered)
    except Exception:
        logger.exception("comparing the claims of an answer failed")
        return rendered


def marks(answer: Answer, rendered: RenderedAnswer) -> list[tuple[PlacedMark, ...]]:
    """The marks in each block of a growing answer."""
    return [block.marks for block in checked(answer, rendered).blocks]
