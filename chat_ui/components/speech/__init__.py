"""What is said to people who hear the page, and in which language."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.linking import linked_scripts

_SCRIPTS = linked_scripts(__file__)


class Announcer(rx.Component):
    """The page's live region."""

    library = _SCRIPTS["announcer.jsx"]
    tag = "Announcer"
