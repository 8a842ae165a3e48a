"""Conversations: turns in order, each a question with its answers.

Turns form a tree, since an edited question begins another path. `Conversation.turns` is the shown path.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import time
from bisect import insort
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from sys import getsizeof
from typing import Final, TypeAlias
from uuid import NAMESPACE_OID, uuid5

from chat_ui.conversations.generations.generation import Signal
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.targets import Asked
from chat_ui.conversations.people.attached_images import ImageName
from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import (
    AnswerHead,
    Changes,
    ConversationRecord,
    Outline,
    Status,
    StoredAnswer,
    TurnRecord,
    title_of,
)
from chat_ui.conversations.repository import Repository
from chat_ui.errors import AlreadyDecidedError, StillAnsweringError
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Decision, Resume, checked
from chat_ui.protocol.answers.pictures import with_pictures
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import THREAD, Json, SessionState
from chat_ui.protocol.recently_used import ENTRY_BYTES
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient

_NAME_BYTES: Final = 16
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{22}")

TurnAnswer: TypeAlias = LocalGeneration | AnswerHead
"""An answer to the question of a turn: whole if this process made it, else its head."""


@dataclass(slots=True)
class Turn:
    """A question with its answers; answers of other processes are heads.

    `question` may be cut if it was read back; `chosen` is the number of the shown answer, from 1. `images` are the
    attached ones, which are kept only for a while. `decides` and `decision` are as in `TurnRecord`.
    """

    question: str
    place: int = 1
    parent: str | None = None
    generations: list[TurnAnswer] = field(default_factory=list)
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    asked_at: float = field(default_factory=time.time)
    chosen: int = 0
    images: tuple[ImageName, ...] = ()
    decides: str | None = None
    decision: str = ""

    @property
    def generation(self) -> TurnAnswer:
        """The shown answer: the chosen one, or the newest."""
        return self.generations[min(self.chosen, len(self.generations)) - 1]


class Conversation:
    """The questions of one person, in order, with their answers; `repository` keeps them.

    `signal` announces changes of its structure. `changes_elsewhere` counts the announced changes of other processes,
    and `changes_read` those that were read from the store; `refreshing` is locked meanwhile. `own_changes` counts the
    changes of this process.
    """

    def __init__(
        self,
        owner: str,
        repository: Repository | None = None,
        record: ConversationRecord | None = None,
        *,
        compared_with: str | None = None,
    ) -> None:
        now = time.time()
        self.record = record or ConversationRecord(
            secrets.token_urlsafe(16), owner, "", now, now, compared_with=compared_with
        )
        self.turns: list[Turn] = []
        self.signal = Signal()
        self.deleted = False
        self.is_written = True
        """Whether the store has all of its turns that were asked here."""
        self.is_listed_as_waiting = False
        self.ratings: dict[str, Rating] = {}
        """The person's ratings of answers, by their ids."""
        self.changes_elsewhere = self.changes_read = self.own_changes = 0
        self.refreshing = asyncio.Lock()
        self.size = 0
        """Bytes of memory for its structure; answers of this process count for themselves."""
        self._repository = repository or Repository()
        self._turns: dict[str, Turn] = {}
        self._versions: defaultdict[str | None, list[Turn]] = defaultdict(list)
        """The turns after each turn, oldest first; under None, the versions of the first question."""
        self._made: dict[str, LocalGeneration] = {}
        self._newest: TurnAnswer | None = None

    @property
    def id(self) -> str:
        """Unguessable, and found only for its owner."""
        return self.record.id

    @property
    def owner(self) -> str:
        """The person it belongs to."""
        return self.record.owner

    @property
    def stale(self) -> bool:
        """Whether another process changed it since it was read."""
        return self.changes_read < self.changes_elsewhere

    @property
    def waits(self) -> bool:
        """Whether the agent waits for a person."""
        return bool(self.turns) and self.turns[-1].generation.status is Status.WAITING

    @property
    def live(self) -> TurnAnswer | None:
        """The running answer, if any."""
        return self._newest if self._newest is not None and not self._newest.ended else None

    def check_not_answering(self) -> None:
        """Check that an answer can be begun.

        Raises:
            StillAnsweringError: an answer is running.
        """
        if self.live is not None:
            raise StillAnsweringError

    def has(self, turn_id: str) -> bool:
        """Whether the conversation has such a turn, shown or not."""
        return turn_id in self._turns

    @property
    def answers_begun(self) -> int:
        """The number of answers that were begun in it, as far as this process knows."""
        return sum(len(turn.generations) for turn in self._turns.values())

    def generation(self, generation_id: str) -> LocalGeneration | None:
        """The generation of this id, if this process made it."""
        return self._made.get(generation_id)

    def has_answer(self, generation_id: str) -> bool:
        """Whether this process knows an answer of this id in it."""
        return any(one.id == generation_id for turn in self._turns.values() for one in turn.generations)

    def generations(self) -> list[LocalGeneration]:
        """The whole generations of this process."""
        return list(self._made.values())

    def let_go(self, generation: LocalGeneration) -> None:
        """Keep only the head of a generation that has ended and that the store has whole."""
        if self._made.pop(generation.id, None) is None:
            return
        turn = self._turns[generation.asked.turn]
        turn.generations = [generation.head if one is generation else one for one in turn.generations]
        if self._newest is generation:
            self._newest = generation.head

    def ask(
        self,
        client: AsyncClient,
        backend: Backend,
        question: str,
        overrides: dict[str, Json],
        *,
        told: Sequence[str] = (),
        images: tuple[ImageName, ...] = (),
        answer: str = "",
    ) -> Turn:
        """Add a turn and start its answer; `images` go with the question. The answer's id ends with the name `answer`,
        if possible for a new one. `told` names the options that only the deployment told.

        Raises:
            ValueError: the question is blank.
            StillAnsweringError: an answer is still running; two never interleave.
        """
        last = self.turns[-1] if self.turns else None
        return self._add(last, client, backend, question, overrides, told=told, images=images, answer=answer)

    def edit(
        self,
        client: AsyncClient,
        backend: Backend,
        turn_id: str,
        question: str,
        overrides: dict[str, Json],
        *,
        told: Sequence[str] = (),
    ) -> Turn:
        """Ask another question in place of a shown one; that one and its following turns stay reachable.

        Raises:
            ValueError: the question is blank.
            KeyError: a shown turn of that id is missing.
            StillAnsweringError: an answer is still running.
        """
        turn = self._shown(turn_id)
        before = self.turns[turn.place - 2] if turn.place > 1 else None
        return self._add(before, client, backend, question, overrides, told=told, images=turn.images)

    def answer_again(
        self, client: AsyncClient, backend: Backend, overrides: dict[str, Json], *, told: Sequence[str] = ()
    ) -> Turn:
        """Ask the last question once more, keeping its answers.

        Raises:
            ValueError: a question is missing, or the last turn is a decision.
            StillAnsweringError: an answer is still running.
        """
        if not self.turns or self.turns[-1].decides is not None:
            raise ValueError("nothing was asked yet")
        self.check_not_answering()
        turn = self.turns[-1]
        turn.chosen = len(turn.generations) + 1
        self._generate(turn, client, backend, overrides, told=told)
        return turn

    async def decide(
        self,
        client: AsyncClient,
        backend: Backend,
        answer: str,
        decisions: Sequence[Decision],
        words: str,
        *,
        again: bool = False,
    ) -> Turn:
        """Add a turn with decisions on the last answer, of this id, and start the next one. `words` are its question.

        The turn is kept first. Then the decisions are sent to `backend` once. `again` sends those of the last turn once
        more, and the backend may run a tool twice.

        Raises:
            AlreadyDecidedError: a decision exists; with `again`, the agent went on after it.
            InvalidRequestError: the decisions cannot be sent.
            KeyError: the answer is not the last one.
            StillAnsweringError: an answer is still running.
            StoreUnavailableError: the answer cannot be read, or the turn not kept, so nothing is sent.
        """
        # The turn is read back only after it is added here.
        async with self.refreshing:
            paused = (await self._whole([answer]))[answer]
            turn = next((one for one in self._turns.values() if one.decides == answer), None)
            went_on = turn and any(one.status in (Status.FINISHED, Status.WAITING) for one in turn.generations)
            if turn is not None and (went_on or not again):
                raise AlreadyDecidedError
            last = self.turns[-1] if self.turns else None
            if last is None or (turn is not last if again else last.generation.id != answer or not self.waits):
                raise KeyError(answer)
            if turn is None:
                turn = Turn(words, last.place + 1, last.id, chosen=1, decides=answer)
            given = _checked(paused.answer, _decisions(turn) if again else decisions)
            turn.decision = json.dumps([asdict(one) for one in given])
            self.check_not_answering()
            overrides = paused.asked.overrides if isinstance(paused, LocalGeneration) else paused.generation.overrides
            path = self.turns[: turn.place - 1]
            generation = self._new_generation(turn, backend, dict(overrides), told=())
            record = replace(self._record_of(turn), chosen=generation.number)
            self.record = replace(self.record, updated_at=time.time())
            # Other questions wait meanwhile.
            former, self._newest = self._newest, generation
            try:
                await self._repository.write_first(Changes((self.record,), (record,), (generation.record,)))
            except AlreadyDecidedError:
                self.outdate()
                raise
            finally:
                self._newest = former
            turn.chosen = generation.number
            if turn.id not in self._turns:
                self._include(turn)
            self._show([*path, turn], announce=False)
            self._begin(turn, generation, client)
            return turn

    def versions(self, turn: Turn) -> list[Turn]:
        """The versions of the turn's question, shown or not, in the order in which they were asked."""
        return self._versions[turn.parent]

    def show_version(self, turn_id: str, number: int) -> None:
        """Show another version of a question, from 1, and its newest path.

        Raises:
            KeyError: a shown turn of that id, or the version, is missing.
        """
        turn = self._shown(turn_id)
        versions = self.versions(turn)
        if not 1 <= number <= len(versions):
            raise KeyError(number)
        target = [*self.turns[: turn.place - 1], versions[number - 1]]
        while ways_on := self._versions.get(target[-1].id):
            target.append(ways_on[-1])
        self._show(target)

    def choose_answer(self, turn_id: str, number: int) -> None:
        """Show another answer to a question, from 1.

        Raises:
            KeyError: a shown turn of that id, or the answer, is missing.
        """
        turn = self._shown(turn_id)
        if not 1 <= number <= len(turn.generations):
            raise KeyError(number)
        turn.chosen = number
        self._keep_turn(turn, shown=True)
        self.signal.bump()

    def rate(self, generation_id: str, rating: Rating | None) -> None:
        """Note the person's stored rating of an answer."""
        if rating is None:
            self.ratings.pop(generation_id, None)
        else:
            self.ratings[generation_id] = rating
        self.own_changes += 1
        self.signal.bump()

    def outdate(self) -> None:
        """Note that another process changed the conversation."""
        self.changes_elsewhere += 1
        self.signal.bump()

    def merge(self, outline: Outline) -> None:
        """Merge the stored outline with the answers of this process."""
        self.record = outline.conversation
        self.ratings = dict(outline.ratings)
        for record in outline.turns:
            turn = self._turns.get(record.id)
            if turn is None:
                turn = Turn(record.question, record.place, record.parent, [], record.id, record.asked_at)
                turn.decides, turn.decision = record.decides, record.decision
                self._include(turn)
            turn.chosen = record.chosen
            answers: dict[int, TurnAnswer] = {one.number: one for one in outline.heads.get(record.id, ())}
            answers |= {one.number: one for one in turn.generations if one.id in self._made}
            turn.generations = [answers[number] for number in sorted(answers)]
        every = (one for turn in self._turns.values() for one in turn.generations)
        self._newest = next((one for one in every if not one.ended), None)
        shown = {record.id for record in outline.turns if record.shown}
        known = {record.id for record in outline.turns}
        shown |= {turn.id for turn in self.turns if turn.id not in known}
        # A question without any answer was never sent: its process died in between.
        target = [turn for turn in self._turns.values() if turn.id in shown and turn.generations]
        self.turns = sorted(target, key=lambda one: one.place)
        self.is_listed_as_waiting = self.waits
        self.size = sum(map(self._size_of, self._turns.values()))
        self.signal.bump()

    def set_images(self, of_turns: Mapping[str, tuple[ImageName, ...]]) -> None:
        """Set the images of questions, by turn."""
        for turn_id, images in of_turns.items():
            if (turn := self._turns.get(turn_id)) is not None:
                turn.images = images

    def retitle(self, record: ConversationRecord) -> None:
        """Replace the record by one with another title or pin."""
        self.record = record
        self.own_changes += 1
        self.signal.bump()

    def _size_of(self, turn: Turn) -> int:
        """Bytes of memory for a turn, without answers of this process."""
        followups = [text for one in turn.generations if one.id not in self._made for text in one.head.followups]
        texts = (turn.question, turn.decision, *followups)
        return ENTRY_BYTES * (1 + len(turn.generations)) + sum(map(getsizeof, texts))

    def _shown(self, turn_id: str) -> Turn:
        for turn in self.turns:
            if turn.id == turn_id:
                return turn
        raise KeyError(turn_id)

    def _add(
        self,
        before: Turn | None,
        client: AsyncClient,
        backend: Backend,
        question: str,
        overrides: dict[str, Json],
        *,
        told: Sequence[str],
        images: tuple[ImageName, ...],
        answer: str = "",
    ) -> Turn:
        if not question.strip():
            raise ValueError("a question needs words")
        self.check_not_answering()
        place = before.place if before else 0
        turn = Turn(question, place + 1, before.id if before else None, chosen=1, images=images)
        now = time.time()
        title = self.record.title or title_of(question)
        self.record = replace(self.record, title=title, updated_at=now)
        begins = not self._turns and self.record.compared_with is None
        self._repository.note(Changes((self.record,), current={self.owner: self.id} if begins else {}))
        self._include(turn)
        self._show([*self.turns[:place], turn], announce=False)
        self._generate(turn, client, backend, overrides, told=told, answer=answer)
        return turn

    def _include(self, turn: Turn) -> None:
        self._turns[turn.id] = turn
        insort(self._versions[turn.parent], turn, key=lambda one: one.asked_at)

    def _show(self, target: list[Turn], *, announce: bool = True) -> None:
        former, self.turns = self.turns, target
        shown = {turn.id for turn in target}
        before = {turn.id for turn in former}
        for turn in (*former, *target):
            if (turn.id in shown) != (turn.id in before):
                self._keep_turn(turn, shown=turn.id in shown)
        if announce:
            self.signal.bump()

    def _keep_turn(self, turn: Turn, *, shown: bool) -> None:
        self.own_changes += 1
        self.is_written = self._repository.note(Changes(turns=(replace(self._record_of(turn), shown=shown),)))

    def _record_of(self, turn: Turn) -> TurnRecord:
        return TurnRecord(
            id=turn.id,
            conversation=self.id,
            parent=turn.parent,
            place=turn.place,
            question=turn.question,
            asked_at=turn.asked_at,
            chosen=max(1, turn.chosen),
            decides=turn.decides,
            decision=turn.decision,
        )

    def _new_id(self, name: str) -> str:
        """The id of a new answer: with the page's name for it if that is valid and unused."""
        wanted = f"{self.id}.{name}"
        if _NAME.fullmatch(name) and not self.has_answer(wanted):
            return wanted
        return f"{self.id}.{secrets.token_urlsafe(_NAME_BYTES)}"

    def _generate(
        self,
        turn: Turn,
        client: AsyncClient,
        backend: Backend,
        overrides: dict[str, Json],
        *,
        told: Sequence[str],
        answer: str = "",
    ) -> None:
        self._begin(turn, self._new_generation(turn, backend, overrides, told=told, answer=answer), client)

    def _new_generation(
        self, turn: Turn, backend: Backend, overrides: dict[str, Json], *, told: Sequence[str], answer: str = ""
    ) -> LocalGeneration:
        prepare = partial(self._request, self.turns[: turn.place - 1], turn, overrides, backend)
        return LocalGeneration(
            self._new_id(answer),
            Asked(
                self.owner,
                self.id,
                turn.id,
                len(turn.generations) + 1,
                turn.question,
                overrides,
                is_second=self.record.compared_with is not None,
                told=tuple(told),
            ),
            backend,
            prepare,
            on_structure=self._answer_changed,
            attachments=self._repository.attachments,
        )

    def _begin(self, turn: Turn, generation: LocalGeneration, client: AsyncClient) -> None:
        turn.generations.append(generation)
        self._made[generation.id] = self._newest = generation
        self.size += self._size_of(turn)
        self._keep_turn(turn, shown=True)
        self._repository.begin(generation, client)
        self.signal.bump()

    def _answer_changed(self) -> None:
        self.signal.bump()
        if self.live is None:
            self._repository.hurry()

    async def _request(
        self, earlier: list[Turn], asked: Turn, overrides: dict[str, Json], backend: Backend
    ) -> ChatRequest:
        """The question with its history and the files that `backend` takes. Turns that this process lacks are read from
        the store. Decisions follow from the question that was paused, as it was asked.

        Raises:
            StoreUnavailableError: it cannot be read.
        """
        path = [*earlier, asked]
        begins = max(place for place, turn in enumerate(path) if turn.decides is None)
        asked, decided = path[begins], path[begins + 1 :]
        paused = [turn.decides or "" for turn in decided]
        complete = await self._whole([*(one.generation.id for one in path[:begins]), asked.generations[0].id, *paused])
        messages: list[Message] = []
        texts: list[str] = []
        session_state: SessionState | None = None
        known = 0
        for turn in path[:begins]:
            found = complete.get(turn.generation.id)
            answer = found.answer if found is not None else Answer()
            if turn.decides is None:
                texts, files = [], await self._files(turn, backend)
                question = Message("user", found.question if found is not None else turn.question, files)
            if said := answer.text or with_pictures("", answer.pictures):
                texts.append(said)
                if len(texts) > 1:
                    # The texts before and after a decision are one message: its words are not for the model.
                    del messages[-2:]
                messages += question, Message("assistant", "\n\n".join(texts))
            if answer.session_state is not None:
                session_state, known = answer.session_state, len(messages)
            if answer.pause is not None:
                session_state, known = _without_pause(session_state), 0
        steps = []
        for turn, one in zip(decided, paused, strict=True):
            answer = complete[one].answer
            session_state = answer.session_state or session_state
            if answer.pause is not None:
                steps.append((answer.pause, _decisions(turn)))
        first = complete.get(asked.generations[0].id)
        words = first.question if first is not None else asked.question
        messages.append(Message("user", words, await self._files(asked, backend)))
        return ChatRequest(
            tuple(messages),
            overrides,
            session_state,
            str(uuid5(NAMESPACE_OID, self.id)),
            new_message_count=len(messages) - known,
            resume=Resume(tuple(steps)) if steps else None,
        )

    async def _whole(self, generation_ids: Sequence[str]) -> dict[str, LocalGeneration | StoredAnswer]:
        """These answers by their ids, with the others of this process.

        Raises:
            StoreUnavailableError: they cannot be read.
        """
        missing = [one for one in generation_ids if one not in self._made]
        return {**self._made, **(await self._repository.answers(missing) if missing else {})}

    async def _files(self, turn: Turn, backend: Backend) -> tuple[Attachment, ...]:
        found = await self._repository.attachments.find_all(self.owner, [one.id for one in turn.images])
        return tuple(one.file for one in found if backend.takes(one.file.media_type))


def _checked(paused: Answer, decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    if paused.recorded_at is not None:
        raise InvalidRequestError(msg("A recording does not take decisions."))
    if paused.pause is None:
        raise KeyError("pause")
    return checked(paused.pause, decisions, time.time())


def _decisions(turn: Turn) -> tuple[Decision, ...]:
    return tuple(Decision(**one) for one in json.loads(turn.decision or "[]"))


def _without_pause(state: SessionState | None) -> SessionState | None:
    """The state for a question in place of a decision. Most agents refuse one in a thread that waits."""
    return SessionState(state.key, {}) if state is not None and state.key == THREAD else None
