from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script
from chat_ui.page.slots import Parts
from chat_ui.server.addresses import CONVERSATIONS


class Exporting(rx.Component):
    """The command `export-page` of conversations at `address`; once on a page."""

    library = script("features/exporting/page/exporting.jsx")
    tag = "Exporting"

    address: rx.Var[str]


PARTS = Parts(page=lambda: (Exporting.create(address=f"{CONVERSATIONS}/"),))
