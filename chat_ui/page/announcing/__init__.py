from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script


class Announcer(rx.Component):
    library = script("page/announcing/announcer.jsx")
    tag = "Announcer"
