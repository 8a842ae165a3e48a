"""Storage of conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.targets import FindTargets, only_target
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import Changes, StoredAnswer
from chat_ui.protocol.transport.client import AsyncClient


class Repository:
    """Keeps conversations only in memory; a `StoredRepository` writes them to the store.

    `attachments` has the images of questions; `find_targets` finds how each is answered.
    """

    def __init__(self, attachments: Attachments | None = None, find_targets: FindTargets = only_target) -> None:
        self.attachments = attachments or Attachments()
        self.running: set[asyncio.Task[None]] = set()
        self.watches: list[Callable[[LocalGeneration], None]] = []
        self._find_targets = find_targets

    def note(self, _changes: Changes) -> bool:
        """Keep these newest states, each in place of an earlier one; whether they are already kept."""
        return True

    async def write_first(self, changes: Changes) -> None:
        """Return once these changes are kept, together.

        Raises:
            AlreadyDecidedError: another decision on the answer is kept.
            StoreUnavailableError: they cannot be kept.
        """

    def begin(self, generation: LocalGeneration, client: AsyncClient) -> None:
        """Start a generation, and keep it as it grows."""
        self._start(generation, client)

    def _start(self, generation: LocalGeneration, client: AsyncClient) -> None:
        task = generation.start(client, self._find_targets)
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        for watch in self.watches:
            watch(generation)

    def hurry(self) -> None:
        """Keep the noted changes at once: an answer has ended."""

    async def answers(self, _generation_ids: Sequence[str]) -> Mapping[str, StoredAnswer]:
        """These answers by their ids, as far as they are kept; the caller checks their owner.

        Raises:
            StoreUnavailableError: they cannot be read.
        """
        return {}
