from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, Field, SecretStr

from chat_ui.settings import SettingsGroup

_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]{16,}=*")
"""A token of RFC 6750, long enough to be secret."""


def _bearer_token(value: SecretStr) -> SecretStr:
    if not _TOKEN.fullmatch(value.get_secret_value()):
        raise ValueError("must be at least 16 letters, digits and -._~+/")
    return value


class FeedbackSettings(SettingsGroup):
    feedback: bool = Field(default=True, description="Users can rate answers and doubt citations.")
    feedback_token: Annotated[SecretStr, AfterValidator(_bearer_token)] | None = Field(
        default=None,
        description="The bearer token for the feedback of all users; not set: not available over HTTP.",
    )
