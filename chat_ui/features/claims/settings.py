from __future__ import annotations

from pydantic import Field

from chat_ui.settings import SettingsGroup


class ClaimsSettings(SettingsGroup):
    claims: bool = Field(default=True, description="Cited sentences are compared with their passages.")
