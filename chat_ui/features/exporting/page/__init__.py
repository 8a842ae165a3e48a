from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts, answered_conversation
from chat_ui.server.addresses import CONVERSATIONS


class Exporting(Scripted):
    """The commands that export a conversation at `address`, or the open one; once on a page."""

    library = script("features/exporting/page/exporting.jsx")

    address: rx.Var[str]
    conversation: rx.Var[str]


def _page() -> tuple[rx.Component, ...]:
    return (Exporting.create(address=f"{CONVERSATIONS}/", conversation=answered_conversation()),)


PARTS = Parts(page=_page)
