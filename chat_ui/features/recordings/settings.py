from __future__ import annotations

from pydantic import Field

from chat_ui.settings import AbsolutePath, SettingsGroup


class RecordingsSettings(SettingsGroup):
    record: AbsolutePath = Field(default=None, description="A file for recording all requests to backends.")
