"""The state and the activities of an agent, as steps of its answer.

Each comes whole and then as changes of it: JSON Patch, RFC 6902.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

import jsonpatch
import jsonpointer

from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.dialects.contexts import context_found
from chat_ui.protocol.dialects.objects import present, string_in
from chat_ui.protocol.events import AnswerWarning, ContextReceived, Event, Json, JsonObject
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg

_COST: Final = 20
_COST_OF_A_MISFIT: Final = 20_000
"""Bytes that an operation counts for, and a misfit, beside those of the state."""
_NO_STATE: Final = frozenset({"messages", "tools", "copilotkit"})
"""Keys of a state that other events repeat, or that only a page uses. An underscore begins others."""
_MOST_TOLD: Final = 100
"""Changes that are passed on at once; of more, only the last follows at the end."""
_MOST_BYTES_TOLD: Final = 4 * 1024 * 1024
"""Bytes of states that are passed on at once: each change repeats its whole state."""
_MOST_ACTIVITIES: Final = 100


@dataclass(slots=True)
class PatchBudget:
    """The bytes that the changes of one answer's states may still cost.

    An operation costs the bytes that it copies within a state, which may double it. A misfit costs the bytes that its
    error quotes. Each operation costs a fixed number more.
    """

    left: int = 2 * 1024 * 1024


class AgentState:
    """A state, and the changes of it within `budget`."""

    def __init__(self, budget: PatchBudget, snapshot: Json = None) -> None:
        self.current: Json = snapshot
        self._budget = budget

    def change(self, operations: Json) -> bool:
        """Apply operations in order, up to the first that does not fit; whether all of them fit."""
        return isinstance(operations, list) and all(map(self._is_applied, operations))

    def _is_applied(self, operation: Json) -> bool:
        state = {} if self.current is None else self.current
        self._budget.left -= _COST
        if self._budget.left < 0 or not isinstance(operation, dict):
            return False
        try:
            if operation.get("op") == "copy":
                copied = jsonpointer.resolve_pointer(state, str(operation.get("from")))
                self._budget.left -= size_of((copied,), self._budget.left)
                if self._budget.left < 0:
                    return False
            self.current = jsonpatch.apply_patch(state, [operation], in_place=True)
        except (
            jsonpatch.JsonPatchException, jsonpointer.JsonPointerException,
            TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError,
        ):  # fmt: skip
            # The last ones are of values that are not operations.
            self._budget.left -= _COST_OF_A_MISFIT + size_of((state,), self._budget.left)
            return False
        return True


class ShownStates:
    """The state and the activities of one answer, of a run in the `thread`."""

    def __init__(self) -> None:
        self.thread = ""
        self._budget = PatchBudget()
        self._state = AgentState(self._budget)
        self._is_changed = False
        self._activities: dict[str, AgentState] = {}
        self._changed_activities: dict[str, str] = {}
        self._left, self._bytes_left = _MOST_TOLD, _MOST_BYTES_TOLD

    def state(self, kind: str, value: JsonObject) -> Iterator[Event]:
        """The events of `STATE_SNAPSHOT` and `STATE_DELTA`."""
        if kind == "STATE_SNAPSHOT":
            self._state = AgentState(self._budget, value.get("snapshot"))
        elif not self._state.change(value.get("delta")):
            yield AnswerWarning(
                "state_delta", msg("a change of the agent's state was skipped, because it does not fit")
            )
        self._is_changed = True
        yield from self.told()

    def activity(self, kind: str, value: JsonObject) -> Iterator[Event]:
        """The events of `ACTIVITY_SNAPSHOT` and `ACTIVITY_DELTA`."""
        name, key = value.get("activityType"), string_in(value, "messageId")
        if not isinstance(name, str):
            return
        known = self._activities.get(key)
        if kind == "ACTIVITY_SNAPSHOT":
            is_full = known is None and len(self._activities) >= _MOST_ACTIVITIES
            if is_full or (known is not None and value.get("replace") is False):
                return
            self._activities[key] = AgentState(self._budget, value.get("content"))
        elif known is None or not known.change(value.get("patch")):
            yield AnswerWarning(
                "activity_delta", msg("a change of the agent's activity was skipped, because it does not fit")
            )
            return
        self._changed_activities[key] = name
        yield from self.told()

    def rest(self) -> Iterator[Event]:
        """The changes that were not passed on yet."""
        if self._is_changed and (state := copy_of(self._shown())):
            yield from context_found(state, "state ")
            yield step("state", msg("State"), state)
        self._is_changed = False
        for key, name in self._changed_activities.items():
            content = copy_of(self._activities[key].current)
            yield step(f"activity {key}", name, content)
            yield from context_found(content, f"{name} ")
        self._changed_activities.clear()

    def told(self) -> Iterator[Event]:
        """The new changes; `rest` gives them at the end if too many were passed on already."""
        changed = [self._activities[key].current for key in self._changed_activities]
        if self._is_changed:
            changed.append(self._shown())
        self._left -= 1
        self._bytes_left -= size_of(changed, max(0, self._bytes_left))
        if self._left > 0 and self._bytes_left >= 0:
            yield from self.rest()

    def shown(self, most: int) -> Json:
        """The state without the agent's internal keys; None above `most` bytes."""
        state = self._shown()
        return copy_of(state) if size_of((state,), most) <= most else None

    def _shown(self) -> Json:
        state = self._state.current
        if isinstance(state, Mapping):
            return present({key: held for key, held in state.items() if self._is_shown(key, held)})
        return state

    def _is_shown(self, key: str, held: Json) -> bool:
        is_thread = key == "id" and held == self.thread
        return not (is_thread or key in _NO_STATE or key.startswith("_"))


def step(key: str, title: str, description: Json) -> ContextReceived:
    """The step called `key`."""
    return ContextReceived({STEPS: {key: {"title": title, "description": description}}})


def copy_of(state: Json) -> Json:
    """A copy that does not change with the state; None for a state nested too deeply."""
    try:
        return deepcopy(state)
    except RecursionError:
        return None
