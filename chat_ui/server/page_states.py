"""The states of pages in memory: those of closed pages are bounded, those of open pages stay."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Self

from reflex.istate.manager.memory import StateManagerMemory
from reflex.istate.manager.token import BaseStateToken, StateToken
from reflex.state import BaseState, State

from chat_ui.protocol.recently_used import RecentlyUsed, size_of

CLOSED_BYTES: Final = 64 * 1024 * 1024
"""Bytes of the states of all closed pages, half of them without a conversation; the first closed are dropped first."""
EMPTY_SECONDS: Final = 60.0
"""Seconds for which a closed page without a conversation is kept."""
_LOOK_SECONDS: Final = 10.0
_PART_BYTES: Final = 1024
"""Bytes of one part of a state beside its values."""


@dataclass
class PageStates(StateManagerMemory):
    """Reflex's states in memory; `has_conversation` says whether the state of a page has one. With several processes
    (`begin_anew`), a page that connects gets a new state: it may have been at another process since.
    """

    has_conversation: Callable[[BaseState], bool] = field(kw_only=True)
    begin_anew: bool = field(default=False, kw_only=True)
    closed: RecentlyUsed[str, StateToken[Any]] = field(
        default_factory=lambda: RecentlyUsed(CLOSED_BYTES, share=CLOSED_BYTES // 2)
    )

    @classmethod
    def of_pages(cls, has_conversation: Callable[[BaseState], bool], *, begin_anew: bool) -> Self:
        # Reflex declares its methods twice, so a type checker may take the named class for an abstract one.
        return cls(has_conversation=has_conversation, begin_anew=begin_anew)

    def page_closed(self, page: str) -> None:
        self._keep_closed(BaseStateToken(ident=page, cls=State))

    def page_opened(self, page: str) -> None:
        token = BaseStateToken(ident=page, cls=State)
        self.closed.pop(token.cache_key)
        if self.begin_anew:
            self._purge_unless_used(token)

    def _keep_closed(self, token: StateToken[Any]) -> None:
        key = token.cache_key
        if (state := self.states.get(key)) is None:
            return
        has_conversation = self.has_conversation(state)
        # Visitors without questions do not push out conversations.
        for dropped in self.closed.put(key, token, _size_of(state), has_conversation):
            self._purge_unless_used(dropped)
        if key in self._token_expires_at and not has_conversation:
            self._token_expires_at[key] = time.time() + EMPTY_SECONDS, token

    def _purge_unless_used(self, token: StateToken[Any]) -> None:
        # A running event has the state to its end, and it is counted again then.
        lock = self._states_locks.get(token.lock_key)
        if lock is None or not lock.locked():
            self._purge_token(token)

    def _track_token(self, token: StateToken[Any]) -> None:
        super()._track_token(token)
        if token.cache_key in self.closed:
            self._keep_closed(token)

    def _purge_token(self, token: StateToken[Any]) -> None:
        self.closed.pop(token.cache_key)
        super()._purge_token(token)

    def _purge_expired_tokens(self) -> float | None:
        # A page that closes may be due before any other one.
        following = super()._purge_expired_tokens()
        return None if following is None else min(following, time.time() + _LOOK_SECONDS)


def _size_of(root: BaseState) -> int:
    return sum(_PART_BYTES + size_of((vars(part),), CLOSED_BYTES) for part in _parts_of(root))


def _parts_of(state: BaseState) -> Iterator[BaseState]:
    yield state
    for part in state.substates.values():
        yield from _parts_of(part)
