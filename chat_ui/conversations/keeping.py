"""Where conversations keep what is said in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.ways import FindWays, one_way
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import Changes, KeptAnswer
from chat_ui.protocol.transport.client import Client


class Keeping:
    """Keeps what conversations say in memory alone, where they have it themselves; a `Keeper` writes it to the store.

    `attachments` has the images of questions; `find_ways` finds how each is answered.
    """

    def __init__(self, attachments: Attachments | None = None, find_ways: FindWays = one_way) -> None:
        self.attachments = attachments or Attachments()
        self.running: set[asyncio.Task[None]] = set()
        """The tasks of the generations that run here."""
        self.watch: Callable[[LocalGeneration], None] = lambda _generation: None
        """Called with each generation that begins here."""
        self._find_ways = find_ways

    def note(self, _changes: Changes) -> bool:
        """Keep these newest states, each in place of an earlier one; whether they are kept already."""
        return True

    def begin(self, generation: LocalGeneration, client: Client) -> None:
        """Start a generation, and keep it as it grows."""
        self._start(generation, client)

    def _start(self, generation: LocalGeneration, client: Client) -> None:
        task = generation.start(client, self._find_ways)
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        self.watch(generation)

    def hurry(self) -> None:
        """Keep what was noted at once: an answer has ended."""

    async def answers(self, _generation_ids: Sequence[str]) -> Mapping[str, KeptAnswer]:
        """These answers by their ids, as far as they are kept; whose they are is the caller's to know.

        Raises:
            StoreUnavailableError: they cannot be read.
        """
        return {}
