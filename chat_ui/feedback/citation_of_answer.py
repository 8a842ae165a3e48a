"""One citation of an answer, as a doubt about it is kept. A long answer has it found in a process of its own, which
needs nothing of the server.
"""

from __future__ import annotations

from chat_ui.conversations.records.feedback import LONGEST_NAME, DoubtedCitation
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer


def citation_of(_answer: Answer, rendered: RenderedAnswer, *, use: int) -> DoubtedCitation | None:
    """The citation of this index among those in the text; None where there is none."""
    if use >= len(rendered.uses):
        return None
    found = rendered.uses[use]
    citation = rendered.citations[found.number - 1]
    return DoubtedCitation(use, citation.label[:LONGEST_NAME], found.claim[:LONGEST_NAME], citation.data_point)
