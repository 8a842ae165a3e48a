from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from chat_ui.settings import SettingsGroup, is_url


def _http_url(value: str) -> str:
    value = value.strip()
    if not (is_url(value, "http", "https") and urlsplit(value).hostname):
        raise ValueError("must be a URL, such as https://llm.example.com/v1")
    return value


class DemoSettings(SettingsGroup):
    demo_delay: float = Field(
        default=0.03, ge=0, description="Seconds between two pieces of text of the demo backend; 0: at once."
    )
    demo_llm_url: Annotated[str, AfterValidator(_http_url)] | None = Field(
        default=None,
        description="An OpenAI-compatible endpoint that writes the demo's answers.",
    )
    demo_llm_model: str = Field(default="default", description="The model of `demo_llm_url`.")
    demo_llm_key: SecretStr | None = Field(default=None, description="The bearer token for `demo_llm_url`.")
