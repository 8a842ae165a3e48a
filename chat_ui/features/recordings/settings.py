from __future__ import annotations

from pydantic import Field

from chat_ui.settings import AbsolutePath, SettingsGroup


class RecordingsSettings(SettingsGroup):
    record: AbsolutePath = Field(
        default=None, description="A file that everything is recorded to that the page asks of backends."
    )
