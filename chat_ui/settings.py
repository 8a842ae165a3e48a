"""Every setting of the app, typed, from the environment (prefix `CHAT_UI_`)."""

from __future__ import annotations

from functools import lru_cache

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What an operator can set; each field is the environment variable `CHAT_UI_<FIELD NAME>`."""

    model_config = SettingsConfigDict(env_prefix="CHAT_UI_", extra="ignore", frozen=True)

    backend_url: str | None = Field(
        default=None,
        description="The backend that answers until a person sets another; none: the embedded demo.",
    )
    demo_delay: float = Field(
        default=0.03, ge=0, description="Seconds between two pieces of text of the demo backend; 0: at once."
    )
    demo_llm_url: str | None = Field(
        default=None,
        description="An OpenAI-compatible endpoint that words the demo's answers from the passages found.",
    )
    demo_llm_model: str = Field(default="default", description="The model named to `demo_llm_url`.")
    demo_llm_key: SecretStr | None = Field(
        default=None, description="The bearer token for `demo_llm_url`, where it wants one."
    )
    document_bytes: int = Field(
        default=100 * 1024 * 1024, ge=1024, description="Bytes of one document behind a source that are passed on."
    )


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once.

    Raises:
        pydantic.ValidationError: a variable holds something that its field cannot take.
    """
    return Settings()
