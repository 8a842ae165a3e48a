"""Where conversations keep what is said in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.targets import FindTargets, only_target
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import Changes, StoredAnswer
from chat_ui.protocol.transport.client import Client


class Repository:
    """Keeps what conversations say in memory alone, where they have it themselves; a `StoredRepository` writes it to
    the store.

    `attachments` has the images of questions; `find_targets` finds how each is answered.
    """

    def __init__(self, attachments: Attachments | None = None, find_targets: FindTargets = only_target) -> None:
        self.attachments = attachments or Attachments()
        self.running: set[asyncio.Task[None]] = set()
        """The tasks of the generations that run here."""
        self.watch: Callable[[LocalGeneration], None] = lambda _generation: None
        """Called with each generation that begins here."""
        self._find_targets = find_targets

    def note(self, _changes: Changes) -> bool:
        """Keep these newest states, each in place of an earlier one; whether they are kept already."""
        return True

    def begin(self, generation: LocalGeneration, client: Client) -> None:
        """Start a generation, and keep it as it grows."""
        self._start(generation, client)

    def _start(self, generation: LocalGeneration, client: Client) -> None:
        task = generation.start(client, self._find_targets)
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        self.watch(generation)

    def hurry(self) -> None:
        """Keep what was noted at once: an answer has ended."""

    async def answers(self, _generation_ids: Sequence[str]) -> Mapping[str, StoredAnswer]:
        """These answers by their ids, as far as they are kept; whose they are is the caller's to know.

        Raises:
            StoreUnavailableError: they cannot be read.
        """
        return {}
