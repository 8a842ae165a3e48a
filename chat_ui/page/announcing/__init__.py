from __future__ import annotations

from chat_ui.page.scripts import Scripted, script


class Announcer(Scripted):
    library = script("page/announcing/announcer.jsx")
