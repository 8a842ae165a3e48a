from __future__ import annotations

import reflex as rx
from reflex.event import EventType

from chat_ui.page.slots import new_chat
from chat_ui.page.state.chat import ChatState


class ListState(rx.State):
    """The list panel; its entries are loaded over HTTP."""

    opened: str = rx.SessionStorage("", name="chat-ui-list")
    """Non-empty while the list is open; stored in the tab, for a server that does not know it."""

    @rx.var
    def is_open(self) -> bool:
        return self.opened != ""

    @rx.event
    def toggle(self) -> None:
        self.opened = "" if self.opened else "yes"

    @rx.event
    def close(self) -> None:
        self.opened = ""

    @rx.event
    async def gone(self, conversation: str) -> EventType[()] | None:
        """Leave a conversation that the person has deleted, if open, without a notice."""
        chat = await self.get_state(ChatState)
        if conversation == chat._gone:
            chat.is_gone = False
        await chat._look_back()
        return new_chat() if conversation in ("", chat.conversation_id) else None
