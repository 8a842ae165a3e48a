"""Text in the pieces in which a model sends it."""

from __future__ import annotations

import re

SOURCES = {"context": {"data_points": {"text": ["Plans.pdf: The plan covers glasses.", "Costs.pdf: It costs 12."]}}}


def deltas(text: str) -> list[object]:
    """Text as a model sends it."""
    return [{"delta": {"content": piece}} for piece in re.findall(r"\s*\S+|\s+$", text)]
