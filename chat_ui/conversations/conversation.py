"""Conversations: turns in order, each a question with its answers."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Final

from chat_ui.conversations.generation import Generation
from chat_ui.conversations.signal import Signal
from chat_ui.protocol.backend import Backend
from chat_ui.protocol.client import Client
from chat_ui.protocol.events import Json, SessionState
from chat_ui.protocol.request import ChatRequest, Message


class StillAnsweringError(Exception):
    """A question was asked while the answer to an earlier one is still being made."""


@dataclass(slots=True)
class Turn:
    """A question with its answers; `generation` is the one that is shown, the newest."""

    question: str
    generations: list[Generation] = field(default_factory=list)
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    asked_at: float = field(default_factory=time.time)

    @property
    def generation(self) -> Generation:
        """The newest answer of this question."""
        return self.generations[-1]


class Conversation:
    """What one person asked one after the other, with the answers. `signal` announces changes of its structure."""

    def __init__(self, owner: str) -> None:
        self.id = secrets.token_urlsafe(16)
        self.owner = owner
        self.turns: list[Turn] = []
        self.signal = Signal()

    @property
    def live(self) -> Generation | None:
        """The generation that is running, if one is."""
        if self.turns and not self.turns[-1].generation.ended:
            return self.turns[-1].generation
        return None

    def ask(self, client: Client, backend: Backend, question: str, overrides: dict[str, Json]) -> Turn:
        """Add a turn and start its answer.

        Raises:
            ValueError: the question is blank.
            StillAnsweringError: an answer is still being made; two never interleave.
        """
        if not question.strip():
            raise ValueError("a question needs words")
        if self.live is not None:
            raise StillAnsweringError
        turn = Turn(question)
        self.turns.append(turn)
        self._generate(turn, client, backend, overrides)
        return turn

    def answer_again(self, client: Client, backend: Backend, overrides: dict[str, Json]) -> Turn:
        """Ask the last question once more, keeping the answers it already has.

        Raises:
            ValueError: nothing was asked yet.
            StillAnsweringError: an answer is still being made.
        """
        if not self.turns:
            raise ValueError("nothing was asked yet")
        if self.live is not None:
            raise StillAnsweringError
        self._generate(self.turns[-1], client, backend, overrides)
        return self.turns[-1]

    def _generate(self, turn: Turn, client: Client, backend: Backend, overrides: dict[str, Json]) -> None:
        generation = Generation(
            f"{self.id}.{self.turns.index(turn)}.{len(turn.generations)}",
            backend,
            self._request(turn, overrides),
            on_structure=self.signal.bump,
        )
        turn.generations.append(generation)
        generation.start(client)
        self.signal.bump()

    def _request(self, asked: Turn, overrides: dict[str, Json]) -> ChatRequest:
        messages: list[Message] = []
        session_state: SessionState | None = None
        for turn in self.turns[: self.turns.index(asked)]:
            answer = turn.generation.answer
            if answer.text:
                messages += Message("user", turn.question), Message("assistant", answer.text)
            session_state = answer.session_state or session_state
        messages.append(Message("user", asked.question))
        return ChatRequest(messages=tuple(messages), overrides=overrides, session_state=session_state)


MAX_CONVERSATIONS: Final = 1000
"""How many conversations one process keeps in memory; the ones not touched for longest go first."""


class Conversations:
    """All conversations of this process, each belonging to one person."""

    def __init__(self) -> None:
        self._by_id: dict[str, Conversation] = {}
        self._current: dict[str, str] = {}

    def current(self, owner: str) -> Conversation:
        """The conversation that the person had open last, or a new one."""
        found = self._by_id.get(self._current.get(owner, ""))
        return found if found is not None else self.start(owner)

    def start(self, owner: str) -> Conversation:
        """A new, empty conversation, from now on the person's current one."""
        conversation = Conversation(owner)
        self._by_id[conversation.id] = conversation
        self._current[owner] = conversation.id
        self._forget_oldest()
        return conversation

    def get(self, owner: str, conversation_id: str) -> Conversation | None:
        """The person's conversation of that id; None also when it is somebody else's."""
        conversation = self._by_id.get(conversation_id)
        return conversation if conversation is not None and conversation.owner == owner else None

    def running(self, owner: str) -> int:
        """How many answers are being made for the person."""
        return sum(1 for found in self._by_id.values() if found.owner == owner and found.live is not None)

    def generation(self, owner: str, generation_id: str) -> Generation | None:
        """The person's generation of that id; None also when it is somebody else's."""
        conversation_id, _, place = generation_id.partition(".")
        conversation = self.get(owner, conversation_id)
        turn, _, number = place.partition(".")
        if conversation is None or not (turn.isdecimal() and number.isdecimal()):
            return None
        try:
            return conversation.turns[int(turn)].generations[int(number)]
        except IndexError:
            return None

    def _forget_oldest(self) -> None:
        surplus = len(self._by_id) - MAX_CONVERSATIONS
        if surplus <= 0:
            return
        for conversation in [c for c in self._by_id.values() if c.live is None][:surplus]:
            del self._by_id[conversation.id]
            if self._current.get(conversation.owner) == conversation.id:
                del self._current[conversation.owner]
