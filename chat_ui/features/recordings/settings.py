"""Settings of recordings."""

from __future__ import annotations

from pydantic import Field

from chat_ui.settings import SettingsGroup, WholePath


class RecordingsSettings(SettingsGroup):
    """The recording of what the page asks."""

    record: WholePath = Field(
        default=None, description="A file that everything is recorded to that the page asks of backends."
    )
