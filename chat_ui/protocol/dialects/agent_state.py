"""The state of an agent, which comes whole and then as changes of it: JSON Patch, RFC 6902."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Final

import jsonpatch
import jsonpointer

from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.recently_used import size_of

_COST_OF_A_MISFIT: Final = 1_000
"""Operations that one counts for which does not fit."""


@dataclass(slots=True)
class PatchBounds:
    """What the changes of all states of one answer may still cost: operations, and bytes that operations copy within a
    state, each of which may double it, or that the error of one that does not fit quotes.
    """

    operations: int = 100_000
    copied: int = 2 * 1024 * 1024


class AgentState:
    """A state, and the changes of it within `bounds`."""

    def __init__(self, bounds: PatchBounds, snapshot: Json = None) -> None:
        self.current: Json = snapshot
        """The state, which changes with each operation."""
        self._bounds = bounds

    def value(self) -> Json:
        """The state as it is now; None where it is nested too deeply to be copied."""
        return copy_of(self.current)

    def change(self, operations: Json) -> bool:
        """Apply operations in order, up to the first that does not fit; whether all of them fit."""
        if not isinstance(operations, list):
            return False
        for operation in operations:
            self._bounds.operations -= 1
            if self._bounds.operations < 0 or self._bounds.copied < 0:
                return False
            if not self._apply(operation):
                self._bounds.operations -= _COST_OF_A_MISFIT
                self._bounds.copied -= size_of((self.current,), self._bounds.copied)
                return False
        return True

    def _apply(self, operation: Json) -> bool:
        state = {} if self.current is None else self.current
        if not isinstance(operation, dict):
            return False
        try:
            if not self._has_room_for(operation):
                return False
            self.current = jsonpatch.apply_patch(state, [operation], in_place=True)
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
            return False
        except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError):
            # Operations that are none.
            return False
        return True

    def _has_room_for(self, operation: JsonObject) -> bool:
        if operation.get("op") != "copy":
            return True
        copied = jsonpointer.resolve_pointer(self.current, str(operation.get("from")))
        self._bounds.copied -= size_of((copied,), self._bounds.copied)
        return self._bounds.copied >= 0


def copy_of(state: Json) -> Json:
    """A copy that does not change with the state; None where that is nested too deeply to be copied."""
    try:
        return deepcopy(state)
    except RecursionError:
        return None
