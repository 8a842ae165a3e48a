"""The moment from which on feedback is wanted."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

_WITHOUT_PLUS: Final = re.compile(r"(?<=[Tt ])([0-9:.,]+) ([0-9]{2}(?::?[0-9]{2})?)\Z")
"""A time and a time zone, whose plus a query that was not encoded has turned into a space."""


def moment(text: str) -> float:
    """A date or a date and time in ISO 8601, in seconds since 1970; UTC where it names no time zone.

    Raises:
        ValueError: it is neither.
    """
    found = datetime.fromisoformat(_WITHOUT_PLUS.sub(r"\1+\2", text.strip()))
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
