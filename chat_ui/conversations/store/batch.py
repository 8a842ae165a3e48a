"""Rows that are written together."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

Row: TypeAlias = dict[str, Any]


class Batch(msgspec.Struct):
    """Rows of an import that are written together.

    Those of a conversation follow its own. Until the import ends, its conversations have its mark as the time of their
    deletion; `ends` has their owner and that mark, with the last batch alone, and they are to be seen from then on.
    """

    conversations: list[Row] = msgspec.field(default_factory=list)
    turns: list[Row] = msgspec.field(default_factory=list)
    generations: list[Row] = msgspec.field(default_factory=list)
    feedback: list[Row] = msgspec.field(default_factory=list)
    ends: tuple[str, float] | None = None
