"""Where conversations keep what is said in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.ways import FindWays, one_way
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import Changes, KeptAnswer
from chat_ui.protocol.transport.client import Client

Watch: TypeAlias = Callable[[LocalGeneration], None]


class Keeping:
    """Keeps what conversations say in memory alone, where they have it themselves; a `Keeper` writes it to the store.

    `attachments` has the images of questions; `watch` is told of each generation that begins; `find_ways` finds how
    each is answered.
    """

    def __init__(
        self, attachments: Attachments | None = None, watch: Watch | None = None, find_ways: FindWays = one_way
    ) -> None:
        self.attachments = attachments or Attachments()
        self._watch = watch or (lambda _: None)
        self._find_ways = find_ways

    def note(self, _changes: Changes) -> bool:
        """Keep these newest states, each in place of an earlier one; whether they are kept already."""
        return True

    def begin(self, generation: LocalGeneration, client: Client) -> None:
        """Start a generation, and keep it as it grows."""
        generation.start(client, self._find_ways)
        self._watch(generation)

    def hurry(self) -> None:
        """Keep what was noted at once: an answer has ended."""

    async def answers(self, _generation_ids: Sequence[str]) -> Mapping[str, KeptAnswer]:
        """These answers by their ids, as far as they are kept; whose they are is the caller's to know.

        Raises:
            StoreUnavailableError: they cannot be read.
        """
        return {}
