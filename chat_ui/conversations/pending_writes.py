"""The pending writes of conversations: noted changes, and generations as far as they have grown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.records.records import Changes, ConversationRecord, GenerationRecord, Piece, TurnRecord


@dataclass(slots=True)
class _Noted:
    """Changes to be written; a later value replaces an earlier one."""

    conversations: dict[str, ConversationRecord] = field(default_factory=dict)
    turns: dict[str, TurnRecord] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.conversations or self.turns or self.current)

    def update(self, newer: _Noted) -> None:
        self.conversations |= newer.conversations
        self.turns |= newer.turns
        self.current |= newer.current

    def concerns(self, conversation_id: str) -> bool:
        return conversation_id in self.conversations or any(
            turn.conversation == conversation_id for turn in self.turns.values()
        )


class _Followed(NamedTuple):
    """The written part of a running generation; a negative `revision` means that it is not written."""

    generation: LocalGeneration
    length: int = 0
    revision: int = -1
    text_revision: int = 0


class Batch(NamedTuple):
    """Changes to be written together, and the written parts of followed generations afterwards."""

    changes: Changes
    noted: _Noted
    followed: dict[str, _Followed]


class PendingWrites:
    """The pending writes, from their notes until the store has them."""

    def __init__(self) -> None:
        self._noted = self._being_written = _Noted()
        self._followed: dict[str, _Followed] = {}

    def __bool__(self) -> bool:
        return bool(self._noted or self._followed)

    @property
    def generations(self) -> list[LocalGeneration]:
        """The generations with pending writes."""
        return [one.generation for one in self._followed.values()]

    @property
    def conversations(self) -> set[str]:
        """The ids of conversations with pending writes."""
        turns = {turn.conversation for turn in self._noted.turns.values()}
        return turns | {*self._noted.conversations} | {one.asked.conversation for one in self.generations}

    def follow(self, generation: LocalGeneration) -> None:
        """Have a generation written as it grows, until all of it is written."""
        self._followed[generation.id] = _Followed(generation)

    def follows(self, generation_id: str) -> bool:
        """Whether this generation has pending writes."""
        return generation_id in self._followed

    def note(self, changes: Changes) -> None:
        """Have the newest states of conversations, turns and people written."""
        self._noted.conversations.update((one.id, one) for one in changes.conversations)
        self._noted.turns.update((one.id, one) for one in changes.turns)
        self._noted.current.update(changes.current)

    def current(self, owner: str) -> str | None:
        """The id of the conversation that the person opened last, if pending."""
        return self._noted.current.get(owner) or self._being_written.current.get(owner)

    def has_turns_of(self, conversation_id: str) -> bool:
        """Whether the store may lack a part of this conversation other than its answers."""
        return self._noted.concerns(conversation_id) or self._being_written.concerns(conversation_id)

    def has_any_of(self, conversation_id: str) -> bool:
        """Whether the store may lack a part of this conversation other than a running answer's text."""
        return self.has_turns_of(conversation_id) or any(
            one.ended and one.asked.conversation == conversation_id for one in self.generations
        )

    def bytes_by_owner(self) -> Counter[str]:
        """Bytes of the running and unwritten answers of this process, by person."""
        held: Counter[str] = Counter()
        for one in self.generations:
            held[one.owner] += one.received
        return held

    def drop(self, conversation_ids: set[str]) -> None:
        """Drop the pending writes of these conversations."""
        noted = self._noted
        for conversation_id in conversation_ids:
            noted.conversations.pop(conversation_id, None)
        noted.turns = {key: turn for key, turn in noted.turns.items() if turn.conversation not in conversation_ids}
        noted.current = {owner: one for owner, one in noted.current.items() if one not in conversation_ids}
        self._followed = {
            key: one for key, one in self._followed.items() if one.generation.asked.conversation not in conversation_ids
        }

    def begin_batch(self, *, renew: bool) -> Batch:
        """The writes that are due; with `renew`, also the leases of running answers."""
        noted = self._being_written = self._noted
        self._noted = _Noted()
        records: list[GenerationRecord] = []
        pieces: list[Piece] = []
        written: dict[str, _Followed] = {}
        anew: list[str] = []
        for key, known in self._followed.items():
            generation, text_revision = known.generation, known.generation.text_revision
            is_of_it = known.text_revision == text_revision
            followed = known if is_of_it else _Followed(generation, text_revision=text_revision)
            if followed.revision < 0:
                anew.append(key)
            revision = generation.context_revision
            text, length = generation.text_since(followed.length)
            if generation.ended or revision != followed.revision:
                records.append(generation.record)
            if text and not generation.ended:
                pieces.append(Piece(key, followed.length, text))
            written[key] = followed._replace(length=length, revision=revision)
        alive = tuple(one.id for one in self.generations if not one.ended)
        changes = Changes(
            conversations=tuple(noted.conversations.values()),
            turns=tuple(noted.turns.values()),
            generations=tuple(records),
            anew=tuple(anew),
            pieces=tuple(pieces),
            alive=alive if pieces or renew else (),
            current=noted.current,
        )
        return Batch(changes, noted, written)

    def put_back(self, batch: Batch) -> None:
        """Have the changes of a refused batch written again. Those noted since then are newer."""
        batch.noted.update(self._noted)
        self._noted, self._being_written = batch.noted, _Noted()

    def end_batch(self, batch: Batch, closed: set[str]) -> None:
        """Note that the store has a batch, and that another process has `closed` these running generations."""
        self._being_written = _Noted()
        for key, followed in batch.followed.items():
            if key not in self._followed:
                continue
            if key in closed:
                # This process stood still for longer than the lease, and another took it for dead.
                self._followed[key] = _Followed(followed.generation)
            elif followed.generation.ended and followed.revision == followed.generation.context_revision:
                del self._followed[key]
            else:
                self._followed[key] = followed
