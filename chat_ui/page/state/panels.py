from __future__ import annotations

from urllib.parse import quote

import reflex as rx

from chat_ui.page.state.chat import ChatState

_TABS = ("sources", "thoughts")


class PanelState(rx.State):
    """The panel with an answer's sources or thoughts, open only in its `conversation`. The tab stores it, for a server
    that does not know it.
    """

    answer: str = rx.SessionStorage("", name="chat-ui-panel")
    conversation: str = rx.SessionStorage("", name="chat-ui-panel-of")
    tab: str = rx.SessionStorage("sources", name="chat-ui-panel-tab")
    marked: str = rx.SessionStorage("", name="chat-ui-panel-marked")
    """The query of the tab's address that selects a citation, a data point or a step."""

    @rx.var
    def sources_address(self) -> str:
        return f"{self.answer}/sources{self.marked}" if self.answer and self.tab == "sources" else ""

    @rx.var
    def thoughts_address(self) -> str:
        return f"{self.answer}/thoughts{self.marked}" if self.answer and self.tab == "thoughts" else ""

    @rx.event
    async def show_source(self, address: str, use: int) -> None:
        """Open Sources on the data point of a citation of the answer at `address`."""
        await self._open(address, "sources", f"?use={use}" if use >= 0 else "")

    @rx.event
    async def show_point(self, address: str, point: int) -> None:
        """Open Sources on a data point of the answer at `address`; -1 selects no data point."""
        await self._open(address, "sources", _at(point))

    @rx.event
    async def show_thoughts(self, address: str) -> None:
        await self._open(address, "thoughts")

    @rx.event
    async def show_step(self, address: str, step: str) -> None:
        """Open Thoughts on a step of the answer at `address`, by the step's id."""
        await self._open(address, "thoughts", f"?step={quote(step, safe='')}")

    @rx.event
    def show_data_point(self, point: int) -> None:
        """Switch from the open thoughts to Sources, on a data point of the same answer."""
        self._show(self.answer, "sources", _at(point))

    @rx.event
    async def toggle(self, address: str, tab: str) -> None:
        """Open a tab for the answer at `address`, or close it if already open."""
        is_open = (self.answer, self.tab) == (address, tab)
        await self._open("" if is_open else address, tab)

    @rx.event
    def show_tab(self, tab: str) -> None:
        self._show(self.answer, tab)

    @rx.event
    def close(self) -> None:
        self._show("", self.tab)

    async def _open(self, address: str, tab: str, marked: str = "") -> None:
        self.conversation = (await self.get_state(ChatState)).conversation_id
        self._show(address, tab, marked)

    def _show(self, address: str, tab: str, marked: str = "") -> None:
        if tab in _TABS:
            self.answer, self.tab, self.marked = address, tab, marked


def _at(point: int) -> str:
    return f"?point={point}" if point >= 0 else ""
