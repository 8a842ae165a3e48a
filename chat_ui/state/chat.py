"""The conversation as the page sees it."""

from __future__ import annotations

from typing import Final

import reflex as rx
from reflex.event import EventType

from chat_ui.conversations.conversation import Conversation, StillAnsweringError
from chat_ui.conversations.limits import LimitReachedError
from chat_ui.conversations.people import PERSON_HEADER
from chat_ui.state.backend import BackendState
from chat_ui.state.service import allowance, client, conversations
from chat_ui.state.views import AnswerView, TurnView, answer_view, turn_view

ANSWERS_PATH: Final = "/api/answers"
MAX_QUESTION: Final = allowance.limits.question_characters
"""Characters of one question."""


class ChatState(rx.State):
    """Turns of the open conversation, and what a person does with them.

    `turns` changes when a question is asked; what changes while an answer is made is `latest` alone, so that one
    answer costs the same in a long conversation as in a new one.
    """

    turns: list[TurnView] = []
    latest: AnswerView = AnswerView()
    conversation_id: str = ""
    refusal: str = ""
    returned: str = ""

    @rx.event
    def open(self) -> EventType[()]:
        """Show the person's current conversation and follow it."""
        self._show(self._conversation())
        return ChatState.follow

    @rx.event(background=True)
    async def follow(self) -> None:
        """Keep this tab's structure in step with its conversation until the tab is gone."""
        while True:
            async with self:
                conversation = self._conversation()
                seen = conversation.signal.revision
                self._show(conversation)
            await conversation.signal.wait(seen)

    @rx.event
    async def ask(self, question: str) -> None:
        """Send a question; a blank one is nothing, and so is one while an answer is being made.

        One that is more than the person's share is given back to the composer, with the reason in `refusal`.
        """
        backend_state = await self.get_state(BackendState)
        conversation = self._conversation()
        if not question.strip() or conversation.live is not None:
            return
        self.refusal = self.returned = ""
        try:
            allowance.take(
                conversation.owner, characters=len(question), running=conversations.running(conversation.owner)
            )
        except LimitReachedError as reached:
            self.refusal = str(reached)
            self.returned = question
            return
        try:
            conversation.ask(client, backend_state.backend(), question, backend_state.overrides())
        except StillAnsweringError:
            return
        self._show(conversation)

    @rx.event
    async def answer_again(self) -> None:
        """Ask the last question once more."""
        backend_state = await self.get_state(BackendState)
        conversation = self._conversation()
        if conversation.live is not None:
            return
        self.refusal = self.returned = ""
        try:
            allowance.take(conversation.owner, running=conversations.running(conversation.owner))
        except LimitReachedError as reached:
            self.refusal = str(reached)
            return
        try:
            conversation.answer_again(client, backend_state.backend(), backend_state.overrides())
        except (StillAnsweringError, ValueError):
            return
        self._show(conversation)

    @rx.event
    async def stop(self) -> None:
        """Stop the answer that is being made, whichever tab asked for it."""
        conversation = self._conversation()
        if conversation.live is not None:
            await conversation.live.stop()
        self._show(conversation)

    @rx.event
    def new_chat(self) -> None:
        """Start an empty conversation in this tab."""
        left = self._conversation()
        self._show(conversations.start(left.owner))
        left.signal.bump()

    def _conversation(self) -> Conversation:
        owner = self.router.headers.raw_headers.get(PERSON_HEADER) or self.router.session.client_token
        found = conversations.get(owner, self.conversation_id)
        return found if found is not None else conversations.current(owner)

    def _show(self, conversation: Conversation) -> None:
        if conversation.id != self.conversation_id:
            self.conversation_id = conversation.id
        shown = [(turn.id, turn.answer.id) for turn in self.turns]
        if shown != [(turn.id, turn.generation.id) for turn in conversation.turns]:
            self.turns = [
                turn_view(number, turn, ANSWERS_PATH) for number, turn in enumerate(conversation.turns, start=1)
            ]
        latest = answer_view(conversation.turns[-1].generation, ANSWERS_PATH) if conversation.turns else AnswerView()
        if latest != self.latest:
            self.latest = latest
