"""The measures of Microsoft's ai-rag-chat-evaluator that need no model, by the definitions of its `code_metrics.py`."""

from __future__ import annotations

import re
from typing import Final

_CITATION: Final = re.compile(r"\[[^\]]+\]")
_NAMED_FILE: Final = re.compile(r"\[([^\]]+)\.\w{3,4}(#page=\d+)*\]")


def has_citation(answer: str) -> bool:
    """Whether anything stands between square brackets."""
    return _CITATION.search(answer) is not None


def citation_match(answer: str, truth: str, *, is_lost: bool = False) -> bool:
    """Whether each file that the truth names between brackets, with its page, is so named in the answer. A truth that
    names none is matched by any answer, but for one that `is_lost`: an error in place of an answer, which the tool has
    no way to say.
    """
    return not is_lost and set(_NAMED_FILE.findall(truth)) <= set(_NAMED_FILE.findall(answer))


def rounded(value: float) -> float:
    """Two digits, as `numpy.round` gives them, by which the tool rounds: 199 of 200 is 1.0."""
    return round(value * 100) / 100
