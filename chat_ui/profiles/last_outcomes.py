"""What became of the last question to each backend, or of its last test, and when; the browser keeps it as JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

from chat_ui.protocol.events import Json


class Outcome(StrEnum):
    ANSWERED = "answered"
    FLAWED = "flawed"
    """An answer began, and did not end as it should."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LastOutcome:
    """The last outcome at a backend and its time; `outcome` is empty where it was not asked. `used_at` is when it was
    chosen or asked last. Times are seconds since 1970, UTC.
    """

    outcome: Outcome | None = None
    at: float = 0
    used_at: float = 0


LastOutcomes: TypeAlias = Mapping[str, LastOutcome]
"""By the ids of backends."""
_NONE: Final = LastOutcome()
_END_OF_TIME: Final = 8.64e12
"""Seconds that a browser has a date for."""


def with_outcome(known: LastOutcomes, backend_id: str, outcome: Outcome, at: float) -> LastOutcomes:
    used_at = max(at, known.get(backend_id, _NONE).used_at)
    return {**known, backend_id: LastOutcome(outcome, at, used_at)}


def with_use(known: LastOutcomes, backend_id: str, at: float) -> LastOutcomes:
    return {**known, backend_id: replace(known.get(backend_id, _NONE), used_at=at)}


def without_outcome(known: LastOutcomes, backend_id: str) -> LastOutcomes:
    return {**known, backend_id: LastOutcome(used_at=known.get(backend_id, _NONE).used_at)}


def outcomes_to_json(known: LastOutcomes, offered: Collection[str]) -> str:
    """The outcomes at those backends that are `offered`, as the browser keeps them."""
    return json.dumps({key: asdict(last) for key, last in known.items() if key in offered})


@lru_cache(maxsize=100)
def read_outcomes(text: str) -> LastOutcomes:
    """The outcomes in `text`; what cannot be used is left out, as a stranger may have written it."""
    try:
        content = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(content, Mapping):
        return {}
    return {key: last for key, entry in content.items() if (last := _read(entry)) is not None}


def _read(entry: Json) -> LastOutcome | None:
    if not isinstance(entry, Mapping):
        return None
    at = _time(entry.get("at"))
    outcome = next((one for one in Outcome if at and one == entry.get("outcome")), None)
    return LastOutcome(outcome, at, _time(entry.get("used_at")))


def _time(value: Json) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _END_OF_TIME:
        return float(value)
    return 0
