"""The newest of two values under one key of a context: nothing empty replaces something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from chat_ui.protocol.answers.data_points import KNOWN_LISTS
from chat_ui.protocol.events import Json

_MOST_NESTING: Final = 4
"""Levels at which emptiness is looked for; what is nested deeper says something."""


def is_empty(value: Json, depth: int = 0) -> bool:
    """Whether a value says nothing: null, white space, or a list or an object of such values alone."""
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, Sequence):
        return depth < _MOST_NESTING and all(is_empty(item, depth + 1) for item in value)
    return value is None


def newest(known: Json, value: Json) -> Json:
    """`value` in place of `known`, as far as it says something.

    Data points in lists by their kinds (`text`, `images`, …) are taken list by list.
    """
    if is_empty(value) and not is_empty(known):
        return known
    if (
        isinstance(known, Mapping)
        and isinstance(value, Mapping)
        and all(KNOWN_LISTS & one.keys() for one in (known, value))
    ):
        return {key: newest(known.get(key), value.get(key)) for key in {**known, **value}}
    return value
