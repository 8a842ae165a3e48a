"""The panel that is open beside the conversation, and its subject."""

from __future__ import annotations

import reflex as rx


class PanelState(rx.State):
    """The Sources region and the Thoughts drawer; each shows one answer at a time."""

    sources_answer: str = ""
    sources_use: int = -1
    sources_point: int = -1
    thoughts_answer: str = ""
    inspecting: bool = False

    @rx.var
    def sources_address(self) -> str:
        """The address of the open sources."""
        use = f"?use={self.sources_use}" if self.sources_use >= 0 else ""
        if self.sources_point >= 0:
            use = f"?point={self.sources_point}"
        return f"{self.sources_answer}/sources{use}" if self.sources_answer else ""

    @rx.var
    def thoughts_address(self) -> str:
        """The address of the open thoughts."""
        return f"{self.thoughts_answer}/thoughts" if self.thoughts_answer else ""

    @rx.event
    def show_source(self, address: str, use: int) -> None:
        """Open Sources on the data point of one citation of the answer at `address`."""
        self._show_sources(address, use=use)

    @rx.event
    def show_point(self, address: str, point: int) -> None:
        """Open Sources on one data point of the answer at `address`; with -1 on none."""
        self._show_sources(address, point=point)

    @rx.event
    def show_data_point(self, point: int) -> None:
        """Go from the open thoughts to Sources, on one data point of the same answer."""
        self._show_sources(self.thoughts_answer, point=point)
        self.thoughts_answer = ""

    @rx.event
    def toggle_sources(self, address: str) -> None:
        """Open Sources for the answer at `address`, or close it when it shows that answer."""
        self._show_sources("" if self.sources_answer == address else address)

    @rx.event
    def close_sources(self) -> None:
        """Close Sources."""
        self._show_sources("")

    @rx.event
    def show_thoughts(self, address: str) -> None:
        """Open Thoughts for the answer at `address`."""
        self.thoughts_answer = address
        self.inspecting = False

    @rx.event
    def toggle_inspector(self) -> None:
        """Show or hide what travelled for the answer whose thoughts are open."""
        self.inspecting = not self.inspecting

    @rx.event
    def set_thoughts_open(self, is_open: bool) -> None:
        """Close Thoughts."""
        if not is_open:
            self.thoughts_answer = ""

    def _show_sources(self, address: str, *, use: int = -1, point: int = -1) -> None:
        self.sources_answer, self.sources_use, self.sources_point = address, use, point
