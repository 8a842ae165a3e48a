"""The state of an agent, which comes whole and then as changes of it: JSON Patch, RFC 6902."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Final

import jsonpatch
import jsonpointer

from chat_ui.protocol.events import Json
from chat_ui.protocol.recently_used import size_of

_MOST_OPERATIONS: Final = 100_000
_MOST_COPIED: Final = 4 * 1024 * 1024
"""Bytes that operations may copy within the state: each may double it."""


class AgentState:
    """A state, and the changes of it."""

    def __init__(self, snapshot: Json = None) -> None:
        self._state: Json = snapshot
        self._operations_left = _MOST_OPERATIONS
        self._copied_left = _MOST_COPIED

    def value(self) -> Json:
        """The state as it is now."""
        return deepcopy(self._state)

    def change(self, operations: Json) -> bool:
        """Apply operations in order, up to the first that does not fit; whether all of them fit."""
        for operation in operations if isinstance(operations, list) else ():
            self._operations_left -= 1
            try:
                if self._operations_left < 0 or not self._has_room_for(operation):
                    return False
                self._state = jsonpatch.apply_patch(
                    {} if self._state is None else self._state, [operation], in_place=True
                )
            except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
                return False
            except (TypeError, ValueError, KeyError, AttributeError, RecursionError):
                # Operations that are none.
                return False
        return True

    def _has_room_for(self, operation: Json) -> bool:
        if not isinstance(operation, Mapping) or operation.get("op") != "copy":
            return True
        copied = jsonpointer.resolve_pointer(self._state, str(operation.get("from")))
        self._copied_left -= size_of((copied,), _MOST_COPIED)
        return self._copied_left >= 0
