"""Citations of an answer, for doubts about them.

Long answers are parsed in a separate process, without the server's objects.
"""

from __future__ import annotations

from collections.abc import Mapping

from chat_ui.conversations.records.feedback import LONGEST_NAME, DoubtedCitation
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer


def doubts_about(
    _answer: Answer, rendered: RenderedAnswer, *, comments: Mapping[int, str]
) -> list[DoubtedCitation] | None:
    """The doubts with these comments, by the indices of their citations in the text; None if one is missing."""
    if any(use >= len(rendered.uses) for use in comments):
        return None
    return [_doubt(rendered, use, comment) for use, comment in comments.items()]


def _doubt(rendered: RenderedAnswer, use: int, comment: str) -> DoubtedCitation:
    found = rendered.uses[use]
    citation = rendered.citations[found.number - 1]
    return DoubtedCitation(use, citation.label[:LONGEST_NAME], found.claim[:LONGEST_NAME], citation.data_point, comment)
