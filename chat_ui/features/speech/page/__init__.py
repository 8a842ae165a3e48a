"""Announcements to screen readers, reading aloud, and dictation."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script


class Announcer(rx.Component):
    """The page's live region."""

    library = script("features/speech/page/announcer.jsx")
    tag = "Announcer"


class ListenButton(rx.Component):
    """The button that has the answer at `address` read aloud, where the browser has a voice.

    The command `listen` is for the answer that `is_latest`.
    """

    library = script("features/speech/page/listen_button.jsx")
    tag = "ListenButton"

    address: rx.Var[str]
    is_latest: rx.Var[bool]
