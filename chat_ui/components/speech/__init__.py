"""The spoken page, for screen readers, and its languages."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class Announcer(rx.Component):
    """The page's live region."""

    library = script("speech/announcer.jsx")
    tag = "Announcer"
