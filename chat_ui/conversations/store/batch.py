"""Rows that are written together."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

Row: TypeAlias = dict[str, Any]


class Batch(msgspec.Struct):
    """Rows that are written together.

    Those of a conversation follow its own; `whole` are the ids of the conversations that have all of them with this
    batch, and are to be seen from then on.
    """

    conversations: list[Row] = msgspec.field(default_factory=list)
    turns: list[Row] = msgspec.field(default_factory=list)
    generations: list[Row] = msgspec.field(default_factory=list)
    whole: list[str] = msgspec.field(default_factory=list)
    feedback: list[Row] = msgspec.field(default_factory=list)
