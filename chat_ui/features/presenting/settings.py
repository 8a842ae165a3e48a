from __future__ import annotations

from pydantic import Field

from chat_ui.settings import AbsolutePath, SettingsGroup


class PresentingSettings(SettingsGroup):
    script: AbsolutePath = Field(
        default=None,
        description="A TOML script of questions for presenting.",
    )
