"""Announcements to screen readers."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script


class Announcer(rx.Component):
    """The page's live region."""

    library = script("page/announcing/announcer.jsx")
    tag = "Announcer"
