"""The name of the page and the colours of its accent, also for other documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.translatable import msg

DESCRIPTION: Final = msg("Ask a question and see where the answer comes from.")


@dataclass(frozen=True, slots=True)
class Brand:
    """`style` has the rules of the accent for other documents. `ground` and `drawn` are colours of an icon."""

    title: str = "Chat"
    style: str = ""
    ground: str = "#3e63dd"
    drawn: str = "#ffffff"
