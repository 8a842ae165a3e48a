from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

_WITHOUT_PLUS: Final = re.compile(r"(?<=[Tt ])([0-9:.,]+) ([0-9]{2}(?::?[0-9]{2})?)\Z")
"""A time and a time zone, whose unencoded plus became a space in the query."""


def moment(text: str) -> float:
    """A date or a date and time in ISO 8601, in seconds since 1970; UTC by default.

    Raises:
        ValueError: the text is neither.
    """
    found = datetime.fromisoformat(_WITHOUT_PLUS.sub(r"\1+\2", text.strip()))
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
