"""Whether the list of conversations is open."""

from __future__ import annotations

import reflex as rx
from reflex.event import EventType

from chat_ui.state.chat import ChatState
from chat_ui.state.second_arm import NEW_CHAT


class ListState(rx.State):
    """The list beside the conversation; its entries travel over HTTP."""

    is_open: bool = False

    @rx.event
    def toggle(self) -> None:
        self.is_open = not self.is_open

    @rx.event
    def close(self) -> None:
        self.is_open = False

    @rx.event
    async def gone(self, conversation: str) -> EventType[()] | None:
        """Leave a conversation that the person has deleted, if it is the open one; tell nobody that it is gone."""
        chat = await self.get_state(ChatState)
        if conversation == chat._gone:
            chat.is_gone = False
        return NEW_CHAT if conversation in ("", chat.conversation_id) else None
