"""The state and the activities of an agent, as steps of its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.dialects.agent_state import AgentState, PatchBounds, copy_of
from chat_ui.protocol.dialects.families.ag_ui.thread import id_in
from chat_ui.protocol.dialects.found_sources import context_found
from chat_ui.protocol.dialects.objects import present
from chat_ui.protocol.events import (
    ContextReceived,
    Event,
    Json,
    JsonObject,
    Warning,  # noqa: A004
)
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg

_NO_STATE: Final = frozenset({"messages", "tools", "copilotkit"})
"""Keys of a state whose values are told elsewhere, or are of use to a page alone. An underscore begins others."""
_MOST_TOLD: Final = 100
"""Changes that are told at once; of more, the last alone is told at the end."""
_MOST_BYTES_TOLD: Final = 4 * 1024 * 1024
"""Bytes of states that are told at once: each change tells all of its state."""
_MOST_ACTIVITIES: Final = 100


class ShownStates:
    """The state and the activities of one answer, of a run in the `thread`."""

    def __init__(self) -> None:
        self.thread = ""
        self._bounds = PatchBounds()
        self._state = AgentState(self._bounds)
        self._is_changed = False
        self._activities: dict[str, AgentState] = {}
        self._changed_activities: dict[str, str] = {}
        """The kinds of those that changed since they were told."""
        self._left, self._bytes_left = _MOST_TOLD, _MOST_BYTES_TOLD

    def state(self, kind: str, value: JsonObject) -> Iterator[Event]:
        """The events of `STATE_SNAPSHOT` and `STATE_DELTA`."""
        if kind == "STATE_SNAPSHOT":
            self._state = AgentState(self._bounds, value.get("snapshot"))
        elif not self._state.change(value.get("delta")):
            yield Warning("state_delta", msg("a change of the agent's state that does not fit it was skipped"))
        self._is_changed = True
        yield from self.told()

    def activity(self, kind: str, value: JsonObject) -> Iterator[Event]:
        """The events of `ACTIVITY_SNAPSHOT` and `ACTIVITY_DELTA`."""
        name, key = value.get("activityType"), id_in(value, "messageId") or ""
        if not isinstance(name, str):
            return
        known = self._activities.get(key)
        if kind == "ACTIVITY_SNAPSHOT":
            is_full = known is None and len(self._activities) >= _MOST_ACTIVITIES
            if is_full or (known is not None and value.get("replace") is False):
                return
            self._activities[key] = AgentState(self._bounds, value.get("content"))
        elif known is None or not known.change(value.get("patch")):
            yield Warning("activity_delta", msg("a change of the agent's activity that does not fit it was skipped"))
            return
        self._changed_activities[key] = name
        yield from self.told()

    def rest(self) -> Iterator[Event]:
        """What changed since it was told."""
        if self._is_changed and (state := copy_of(self._shown())):
            yield from context_found(state, "state ")
            yield step("state", msg("State"), state)
        self._is_changed = False
        for key, name in self._changed_activities.items():
            content = self._activities[key].value()
            yield step(f"activity {key}", name, content)
            yield from context_found(content, f"{name} ")
        self._changed_activities.clear()

    def told(self) -> Iterator[Event]:
        """What changed since it was told, unless too much was told already: then `rest` tells it at the end."""
        changed = [self._activities[key].current for key in self._changed_activities]
        if self._is_changed:
            changed.append(self._shown())
        self._left -= 1
        self._bytes_left -= size_of(changed, max(0, self._bytes_left))
        if self._left > 0 and self._bytes_left >= 0:
            yield from self.rest()

    def shown(self, most: int) -> Json:
        """The state without what an agent keeps for itself; None where it takes more than so many bytes."""
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
