"""The state and the activities of an agent, as steps of its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.dialects.agent_state import AgentState, PatchBounds
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
from chat_ui.protocol.translatable import msg

_NO_STATE: Final = frozenset({"messages", "tools", "copilotkit"})
"""Keys of a state whose values are told elsewhere, or are of use to a page alone. An underscore begins others."""
_MOST_TOLD: Final = 100
"""Changes that are told at once; of more, the last alone is told at the end."""
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
        self._left = _MOST_TOLD

    def state(self, kind: str, value: JsonObject) -> Iterator[Event]:
        """The events of `STATE_SNAPSHOT` and `STATE_DELTA`."""
        if kind == "STATE_SNAPSHOT":
            self._state = AgentState(self._bounds, value.get("snapshot"))
        elif not self._state.change(value.get("delta")):
            yield Warning("state_delta", msg("a change of the agent's state that does not fit it was skipped"))
        self._is_changed = True
        yield from self._told()

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
        yield from self._told()

    def rest(self) -> Iterator[Event]:
        """What changed since it was told."""
        if self._is_changed and (state := self.shown()):
            yield from context_found(state, "state ")
            yield step("state", msg("State"), state)
        self._is_changed = False
        for key, name in self._changed_activities.items():
            content = self._activities[key].value()
            yield step(f"activity {key}", name, content)
            yield from context_found(content, f"{name} ")
        self._changed_activities.clear()

    def shown(self) -> Json:
        """The state without what an agent keeps for itself."""
        state = self._state.value()
        if isinstance(state, Mapping):
            return present({key: held for key, held in state.items() if self._is_shown(key, held)})
        return state

    def _told(self) -> Iterator[Event]:
        self._left -= 1
        if self._left > 0:
            yield from self.rest()

    def _is_shown(self, key: str, held: Json) -> bool:
        is_thread = key == "id" and held == self.thread
        return not (is_thread or key in _NO_STATE or key.startswith("_"))


def step(key: str, title: str, description: Json) -> ContextReceived:
    """The step called `key`."""
    return ContextReceived({STEPS: {key: {"title": title, "description": description}}})
