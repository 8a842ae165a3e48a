from __future__ import annotations

from pydantic import Field

from chat_ui.settings import SettingsGroup


class DeploymentSettings(SettingsGroup):
    upload_bytes: int = Field(default=100 * 1024 * 1024, ge=1, description="Bytes of a file sent to a deployment.")
