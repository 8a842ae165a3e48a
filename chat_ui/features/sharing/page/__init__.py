from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script
from chat_ui.page.slots import Parts
from chat_ui.server.addresses import SHARED


class Sharing(rx.Component):
    """The commands `share` and `links`; links are at the address `links`. Once on a page."""

    library = script("features/sharing/page/sharing.jsx")
    tag = "Sharing"

    links: rx.Var[str]


PARTS = Parts(page=lambda: (Sharing.create(links=f"{SHARED}/"),))
