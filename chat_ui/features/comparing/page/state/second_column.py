"""The second column of a comparison: a separate conversation with the same questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import zip_longest
from typing import Any, Final

import reflex as rx
from reflex.event import EventType

from chat_ui.backends.state.backend_choice import note_answer
from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.records.records import Better, Status
from chat_ui.conversations.store.store import QUESTION_HEAD
from chat_ui.errors import StillAnsweringError, StoreUnavailableError
from chat_ui.features.comparing.page.state.column_choice import ColumnChoice, use_for_column
from chat_ui.languages.translation import gettext
from chat_ui.page.state.chat import LONGEST_NAME, STILL_ANSWERING, WINDOW, ChatEvents, ChatState
from chat_ui.page.state.panels import PanelState
from chat_ui.page.state.views import AnswerView
from chat_ui.protocol.translatable import msg
from chat_ui.server.addresses import ANSWERS
from chat_ui.server.services import services

NOT_KEPT: Final = msg("Your choice could not be saved. Choose again in a moment.")
LONGEST_WAIT: Final = 30.0
"""Maximum seconds before a throttled question is retried."""
MOST_CHOICES: Final = 200
"""Preferences between two answers on a page."""
_BUSY: Final = (429, 503)


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


class SecondColumnState(ChatEvents, rx.State):
    """The second column of the open conversation, while `comparing`; the columns do not share messages."""

    comparing: bool = False
    begun: str = rx.SessionStorage("", name="chat-ui-compared")
    """The conversation whose second column is still empty; only the tab stores this."""
    chosen: dict[str, str] = {}
    """The preferences by the ids of both answers, with a space between."""
    choice_problem: str = ""
    waiting: str = ""
    """The side whose throttled question is retried after the other side's answer."""

    _of: str = ""
    """The id of the first column's conversation."""

    @rx.event
    async def open(self) -> EventType[()] | None:
        """Show and follow the second column of the open conversation, if any."""
        chat = await self.get_state(ChatState)
        if chat.missing or self._of != chat.conversation_id:
            self._leave()
        if chat.missing:
            return None
        conversations = services().conversations
        with suppress(StoreUnavailableError):
            column = await conversations.second_column(self._owner, chat.conversation_id)
            if column is None and self.begun == chat.conversation_id:
                first = await conversations.get(self._owner, chat.conversation_id)
                column = await conversations.compare(first) if first is not None else None
            if column is not None:
                return await self._follow(column, chat.conversation_id)
            self._leave()
        return None

    @rx.event
    async def compare(self) -> EventType[()] | None:
        """Open a second column beside the conversation, initially with another backend, if any."""
        chat = await self.get_state(ChatState)
        if self.comparing or chat.missing:
            return None
        try:
            conversation = await services().conversations.get(self._owner, chat.conversation_id)
            if conversation is None or conversation.record.compared_with is not None:
                return None
            return await self._follow(await services().conversations.compare(conversation), conversation.id)
        except StoreUnavailableError:
            chat.refusal = gettext(StoreUnavailableError.refusal)
            return None

    @rx.event
    async def end(self) -> None:
        """End the comparison; both columns stay as separate conversations."""
        if not self.comparing:
            return
        try:
            first = await services().conversations.get(self._owner, self._of)
            if first is not None:
                await services().conversations.part(first)
        except StoreUnavailableError:
            self.refusal = gettext(
                "Conversations cannot be changed at the moment. The comparison continues; end it later."
            )
            return
        panels = await self.get_state(PanelState)
        if panels.answer.startswith(f"{ANSWERS}/{self.conversation_id}."):
            panels.close()
        self._leave()

    @rx.event
    async def ask_both(
        self, question: str, attached: list[str], answer: str = "", shown: str = ""
    ) -> list[EventType[Any]]:
        """Send a question to the open conversation and its second column, if any; to neither if one refuses."""
        chat = await self.get_state(ChatState)
        if self._of != chat.conversation_id:
            self._leave()
        if not self.comparing or not question.strip():
            return _listed(await chat._ask(question, attached, answer, shown))
        if not await self._is_ready(attached):
            chat._give_back(question)
            return []
        events = _listed(await chat._ask(question, attached, answer, shown, counted=len(Side)))
        if chat.refusal:
            return events
        if self._of != chat.conversation_id:
            # The first column was deleted, and the question starts another conversation.
            self._leave()
            return events
        left = chat.latest.id
        events += _listed(await self._ask(question, attached, counted=0))
        if self.refusal or not self.comparing:
            return events
        return [*events, SecondColumnState.ask_refused_again(left, self.latest.id)]

    async def _is_ready(self, attached: list[str]) -> bool:
        """Whether this column can take a question with these images now; `refusal` has the reason."""
        self.refusal = self.sign_in = ""
        try:
            column = await self._column()
        except StoreUnavailableError:
            self.refusal = gettext(StoreUnavailableError.refusal)
            return False
        if column is None:
            self._leave()
            return True
        try:
            column.check_not_answering()
        except StillAnsweringError:
            self.refusal = gettext(STILL_ANSWERING)
            return False
        if not self._may_drop(column):
            return False
        chosen = await self._asked(await self._choice())
        return chosen is not None and await self._images(attached, chosen[0]) is not None

    @rx.event(background=True)
    async def ask_refused_again(self, left: str, right: str) -> EventType[()] | None:
        """Retry a throttled question once after the other column's answer, if both answers are still the latest."""
        async with self:
            owner = self._owner
        asked: dict[str, Generation] = {}
        with suppress(StoreUnavailableError):
            for side, answer in ((Side.LEFT, left), (Side.RIGHT, right)):
                if (generation := await services().conversations.answer(owner, answer)) is not None:
                    asked[side] = generation
        if len(asked) < len(Side):
            return None
        async with asyncio.TaskGroup() as group:
            ends = [group.create_task(one.wait_for_end()) for one in asked.values()]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            refused = [side for side, one in asked.items() if one.ended and _wait_of_busy(one) is not None]
            if not refused:
                return None
            async with self:
                if not await self._shows(left, right):
                    return None
                self.waiting = refused[0]
        waits = {side: wait for side, one in asked.items() if (wait := _wait_of_busy(one)) is not None}
        if len(waits) == 1:
            await asyncio.sleep(min(*waits.values(), LONGEST_WAIT))
        async with self:
            is_waiting, self.waiting = self.waiting != "", ""
            if len(waits) != 1 or not is_waiting or not await self._shows(left, right):
                return None
        return ChatState.answer_again if Side.LEFT in waits else SecondColumnState.answer_again

    async def _shows(self, left: str, right: str) -> bool:
        chat = await self.get_state(ChatState)
        return self.comparing and (chat.latest.id, self.latest.id) == (left, right)

    @rx.event
    def stop_waiting(self) -> None:
        """Cancel the retry of a throttled question."""
        self.waiting = ""

    @rx.event(background=True)
    async def ask_in_turn(self) -> None:
        """Ask the questions that only the first column has, in sequence until a failure. If this column has another
        question at the position, that question is edited.
        """
        try:
            await self._ask_missing()
        except StoreUnavailableError:
            async with self:
                self.refusal = gettext(StoreUnavailableError.refusal)

    async def _ask_missing(self) -> None:
        async with self:
            owner, left = self._owner, self._of
            most = len(await self._missing())
        for _ in range(most):
            async with self:
                # Another request may be asking them, or the person may have asked meanwhile.
                missing = await self._missing() if self.comparing and self._of == left else []
                if not missing:
                    return
                turn, other = missing[0]
                kept = await services().conversations.answer(owner, turn.generation.id)
                question = kept.question if kept is not None else turn.question
                if other is not None and other.images == turn.images:
                    await self.edit(other.id, question)
                else:
                    await self._ask(question, [image.id for image in turn.images])
                if self.refusal:
                    return
                asked = (await self._conversation()).turns[-1].generation.id
            generation = await services().conversations.answer(owner, asked)
            if generation is None:
                return
            await generation.wait_for_end()
            async with self:
                note_answer(await self._choice(), generation)
            if generation.status is not Status.FINISHED:
                return

    async def _missing(self) -> list[tuple[Turn, Turn | None]]:
        """The turns that only the first column has, each with the turn at its position here; empty while answering."""
        first, column = await self._first(), await self._column()
        if first is None or column is None:
            return []
        with suppress(StillAnsweringError):
            column.check_not_answering()
            return missing_turns(first.turns, column.turns)
        return []

    @rx.event
    async def prefer(self, left: str, right: str, better: str) -> None:
        if better not in list(Better):
            return
        try:
            kept = await services().conversations.prefer(
                self._owner, left[:LONGEST_NAME], right[:LONGEST_NAME], Better(better)
            )
        except StoreUnavailableError:
            kept = False
        self.choice_problem = "" if kept else gettext(NOT_KEPT)
        if kept:
            former = {pair: choice for pair, choice in self.chosen.items() if pair != f"{left} {right}"}
            newest = dict(list(former.items())[1 - MOST_CHOICES :])
            self.chosen = {**newest, f"{left} {right}": better}

    async def _ask(
        self, question: str, attached: list[str], answer: str = "", shown: str = "", *, counted: int = 1
    ) -> EventType[()] | list[EventType[Any]] | None:
        # It may have been deleted with the first column.
        await self._conversation()
        return await super()._ask(question, attached, answer, shown, counted=counted) if self.comparing else None

    def _show(self, conversation: Conversation) -> None:
        if not self.comparing or conversation.id != self.conversation_id:
            return
        if conversation.record.compared_with is None:
            # It was ended in another tab.
            self._leave()
            return
        super()._show(conversation)
        if self.turns:
            self.begun = ""

    async def _follow(self, column: Conversation, of: str) -> EventType[()]:
        self._of, self.comparing, self.refusal, self._window = of, True, "", WINDOW
        self.waiting, self.conversation_id = "", column.id
        self.begun = of
        self._show(column)
        newest = None
        with suppress(StoreUnavailableError):
            if column.turns:
                newest = await services().conversations.answer(self._owner, column.turns[-1].generation.id)
            kept = await services().conversations.preferred(column, MOST_CHOICES)
            self.chosen = {f"{left} {right}": better for left, right, better in kept}
        await use_for_column(await self._choice(), column.id, newest)
        return SecondColumnState.follow

    def _leave(self) -> None:
        if not self.comparing and not self.conversation_id:
            return
        self.comparing, self._of, self.conversation_id, self.refusal = False, "", "", ""
        self.begun = ""
        self.turns, self.has_earlier, self.title, self.chosen, self.choice_problem = [], False, "", {}, ""
        self.waiting = ""
        self.latest = AnswerView()

    async def _choice(self) -> ColumnChoice:
        return await self.get_state(ColumnChoice)

    @property
    def _is_followed(self) -> bool:
        return self.comparing

    async def _conversation(self, owner: str = "") -> Conversation:
        """The second column; an empty conversation if it is gone or unreadable."""
        try:
            found = await self._column()
        except StoreUnavailableError:
            return Conversation(owner or self._owner)
        if found is None:
            self._leave()
        return found or Conversation(owner or self._owner)

    async def _column(self) -> Conversation | None:
        """The second column, or None; StoreUnavailableError if it cannot be read."""
        found = await services().conversations.get(self._owner, self.conversation_id)
        if found is None and not self.turns and (first := await self._first()) is not None:
            # An empty column is not stored: another process has to create it again.
            found = await services().conversations.compare(first)
            self.conversation_id = found.id
        return found if found is not None and not found.deleted else None

    async def _first(self) -> Conversation | None:
        return await services().conversations.get(self._owner, self._of) if self.comparing else None


def missing_turns(left: Sequence[Turn], right: Sequence[Turn]) -> list[tuple[Turn, Turn | None]]:
    """The left turns whose questions the right lacks, each with the right turn at its position.

    They follow the last common question. A right question matches the first left turn with the same text and without an
    earlier match. Decisions are not asked in another column. `features/comparing/page/pairs.js` has the same rule.
    """
    left, right = ([turn for turn in turns if turn.decides is None] for turns in (left, right))
    place = after = 0
    for number, turn in enumerate(left, 1):
        words = turn.question[:QUESTION_HEAD]
        same = next((at for at in range(place, len(right)) if right[at].question[:QUESTION_HEAD] == words), None)
        if same is not None:
            place, after = same + 1, number
    missing = left[after:]
    return list(zip_longest(missing, right[place : place + len(missing)]))


def _wait_of_busy(generation: Generation) -> float | None:
    """Seconds after which a throttled question may be retried; None for any other outcome."""
    error = generation.answer.error
    if generation.status is not Status.FAILED or error is None or generation.answer.text or error.status not in _BUSY:
        return None
    return error.retry_after or 0.0


def _listed(events: Any) -> list[EventType[Any]]:
    if events is None:
        return []
    return events if isinstance(events, list) else [events]
