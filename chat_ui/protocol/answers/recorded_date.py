"""The header by which a replay says that an answer was recorded, and when."""

from __future__ import annotations

from datetime import datetime
from typing import Final

RECORDED_HEADER: Final = "Chat-UI-Recorded"
"""Holds the date and the time in ISO 8601, with an offset."""
_LONGEST: Final = 40


def recorded_date(value: str) -> str | None:
    """The date and time in a `Chat-UI-Recorded`, as ISO 8601 with an offset; None where it is none."""
    try:
        moment = datetime.fromisoformat(value) if len(value) <= _LONGEST else None
    except ValueError:
        return None
    return moment.isoformat() if moment is not None and moment.tzinfo is not None else None
