"""Every setting of the app, typed, from the environment (prefix `CHAT_UI_`)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

import platformdirs
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError


def _words(value: object) -> object:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


def _redis_url(value: SecretStr) -> SecretStr:
    try:
        address = urlsplit(value.get_secret_value())
        known = address.scheme in ("redis", "rediss", "unix") and (address.port is None or address.port > 0)
    except ValueError:
        # Its words would be a part of the URL.
        known = False
    if not known:
        raise ValueError(
            "this is no URL of a Redis, such as redis://:password@host:6379/0, with its password percent-encoded"
        )
    return value


def _database_url(value: SecretStr) -> SecretStr:
    scheme, found, _ = value.get_secret_value().partition("://")
    if not found or scheme.partition("+")[0] not in ("postgresql", "postgres", "sqlite"):
        raise ValueError("this is no URL of a PostgreSQL database, such as postgresql://user:password@host/name")
    return value


Words: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_words)]
"""Several values in one variable, with spaces or commas between them."""


class Settings(BaseSettings):
    """The operator's settings; each field is the environment variable `CHAT_UI_<FIELD NAME>`."""

    model_config = SettingsConfigDict(
        env_prefix="CHAT_UI_", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

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

    backends: Path | None = Field(
        default=None, description="A TOML or JSON file with the backends that people can choose from."
    )
    allow_custom_backends: bool = Field(
        default=True, description="People may use backends of their own, where the settings of a backend are open."
    )
    settings_access: Literal["open", "read-only", "hidden"] = Field(
        default="open", description="What people can do with the settings of a backend."
    )
    show_thoughts: bool = Field(default=True, description="People can see what the backend did for an answer.")
    secret_key: SecretStr | None = Field(
        default=None,
        description="Seals people's keys and signs their cookies; none: one is made in the data folder, for its owner "
        "to read, and a shared database's URL signs cookies.",
    )

    title: str = Field(default="Chat", min_length=1, max_length=60, description="The name of the page.")
    logo: Path | None = Field(default=None, description="An image beside the title: SVG, PNG, JPEG or WebP.")
    accent: str = Field(default="indigo", pattern="[a-z]+", description="The accent colour, one of Radix Themes'.")
    starter_questions: tuple[str, ...] = Field(
        default=(), description="Questions to begin with, a JSON list; none: those of the backend."
    )
    notice: str = Field(default="", max_length=1000, description="Words above the conversation.")
    footer: str = Field(default="", max_length=1000, description="Words below the composer.")

    trusted_proxies: Words = Field(
        default=(), description="Addresses or networks of the authenticating proxy; only it may say who a person is."
    )
    identity_header: str | None = Field(
        default=None, description="The header in which that proxy names the person, such as X-MS-CLIENT-PRINCIPAL-ID."
    )
    token_header: str | None = Field(
        default=None,
        description="The header in which it passes on the person's token, such as X-MS-TOKEN-AAD-ACCESS-TOKEN.",
    )

    policy: Literal["public", "local"] | None = Field(
        default=None,
        description="Which addresses a person's backend may have: those of the public internet, or also this machine's "
        "and private networks'. None: `local` for one's own machine, `public` on a network.",
    )
    backend_origins: Words = Field(
        default=(), description="Origins that may be called whatever their address, such as https://chat.internal:8443."
    )
    origins: Words = Field(
        default=(),
        description="The origins under which people open the page, where they are not the address that is listened on; "
        "other pages may not use the server.",
    )
    frame_ancestors: Words = Field(default=(), description="Origins of pages that may show this one in a frame.")

    idle_seconds: float = Field(
        default=60, gt=0, description="Seconds without anything more after which an answer is taken for cut off."
    )
    questions_per_minute: int = Field(default=60, ge=1, description="Questions of one person within a minute.")
    answers_at_once: int = Field(default=4, ge=1, description="Answers being made for one person at the same time.")
    question_characters: int = Field(default=400_000, ge=1, description="Characters of one question.")
    answer_bytes: int = Field(default=8 * 1024 * 1024, ge=1024, description="Bytes of one answer as it is sent.")
    person_bytes: int = Field(
        default=256 * 1024 * 1024, ge=1024, description="Bytes of conversations that one person can keep."
    )
    store_bytes: int | None = Field(
        default=None,
        ge=1024,
        description="Bytes of conversations that all people can keep. None: 10 GB on disk; 1 GB where nothing is "
        "written to disk, since they are in memory then.",
    )

    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("chat-ui", appauthor=False)),
        description="The folder of the SQLite databases and the key; made where it is not there.",
    )
    database_url: Annotated[SecretStr, AfterValidator(_database_url)] | None = Field(
        default=None, description="A PostgreSQL database to keep conversations in, instead of SQLite."
    )
    redis_url: Annotated[SecretStr, AfterValidator(_redis_url)] | None = Field(
        default=None,
        description="A Redis by which several processes serve the same people, all with one PostgreSQL; none: there is "
        "one process.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="What is written to the log; `info` has each request and each answer."
    )
    log_json: bool = Field(default=False, description="Each line of the log is an object of JSON.")
    retention_days: float | None = Field(
        default=None,
        ge=0,
        description="Days after its last question for which a conversation is kept; 0: nothing is written to disk and "
        "conversations end with the server; none: for ever.",
    )
    grace_seconds: float = Field(
        default=10, ge=0, description="Seconds that running answers get to end by themselves when the server stops."
    )


def store_url(chosen: Settings) -> str:
    """The URL of the database in which conversations are kept."""
    if chosen.retention_days == 0:
        return "sqlite://"
    if chosen.database_url is not None:
        return chosen.database_url.get_secret_value()
    return f"sqlite:///{chosen.data_dir.expanduser().absolute() / 'chat.db'}"


def store_bytes(chosen: Settings) -> int:
    """How many bytes of conversations all people can keep."""
    if chosen.store_bytes is not None:
        return chosen.store_bytes
    return 2**30 if chosen.retention_days == 0 else 10 * 2**30


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once.

    Raises:
        SystemExit: a variable holds something that its field cannot take; which one, and why, is in the words.
    """
    try:
        return Settings()
    except ValidationError as error:
        problems = [f"CHAT_UI_{str(one['loc'][0]).upper()}: {one['msg']}" for one in error.errors(include_input=False)]
        raise SystemExit("\n".join(problems)) from None
    except SettingsError as error:
        raise SystemExit(f"A variable that is to hold JSON cannot be read: {error}") from None
