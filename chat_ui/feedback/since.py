"""The moment from which on feedback is wanted."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(text: str) -> float:
    """A date or a date and time in ISO 8601, in seconds since 1970; UTC where it names no time zone.

    Raises:
        ValueError: it is neither.
    """
    found = datetime.fromisoformat(text.strip())
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
