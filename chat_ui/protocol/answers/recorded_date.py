"""How a replay says that an answer was recorded, and when: by a header, and in this process before any of it comes."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, datetime
from typing import Final

RECORDED_HEADER: Final = "Chat-UI-Recorded"
"""Holds the date and the time in ISO 8601, with an offset."""
RECORDED_EXTENSION: Final = "recorded"
"""The extension of a request, as of httpx2, that a replay calls with that date once it has found what answers."""
_LONGEST: Final = 40


def recorded_date(value: str) -> str | None:
    """The date and time in a `Chat-UI-Recorded`, as ISO 8601 with an offset; None where it is none, or not one in every
    time zone.
    """
    try:
        moment = datetime.fromisoformat(value) if len(value) <= _LONGEST else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is None or moment.year in {MINYEAR, MAXYEAR}:
        return None
    return moment.isoformat()
