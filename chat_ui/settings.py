"""Every setting of the app, typed, from the environment (prefix `CHAT_UI_`) and from an optional file."""

from __future__ import annotations

import errno
import json
import os
import re
import tomllib
from difflib import get_close_matches
from functools import lru_cache
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, TypeVar, get_args
from urllib.parse import urlsplit

import platformdirs
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, StringConstraints, ValidationError
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.sources import InitSettingsSource

from chat_ui.errors import UnusableSettingsError

CONFIG_VARIABLE: Final = "CHAT_UI_CONFIG"
_PREFIX: Final = "CHAT_UI_"
_ORIGIN: Final = re.compile(r"https?://(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?/?", re.ASCII | re.IGNORECASE)
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_IN_WORDS: Final = {"tuple_type": "must be a list", "path_type": "must be a path", "string_type": "must be text"}
"""Problems that pydantic names by types of Python, by its names of them."""
RETIRED: Final = {
    "CHAT_UI_DENSITY": "remove it; users zoom in their browser",
    "CHAT_UI_DOCUMENT_BYTES": "remove it; the limit is 100 MB",
    "CHAT_UI_EVALUATION": "use the command `chat-ui evaluate`",
    "CHAT_UI_FEEDBACK_SECRET": "remove it; feedback is no longer delivered",
    "CHAT_UI_FEEDBACK_URL": "use `chat-ui feedback`, or /api/feedback/all with a token",
    "CHAT_UI_OFFLINE": "export conversations as pages to read them offline",
    "CHAT_UI_RECORDING": "use CHAT_UI_RECORD to record the page's requests",
    "CHAT_UI_RECORDING_BYTES": "remove it; users can no longer record",
    "CHAT_UI_RECORDING_DAYS": "remove it; users can no longer record",
}
"""Settings of earlier versions, by their variables, and their replacements."""
WARNED: Final = "_CHAT_UI_TOLD"
"""A variable that is set after the sentences of `unused_settings` were written; later processes inherit it."""


def _usual_folder() -> Path:
    try:
        return Path(platformdirs.user_data_dir("chat-ui", appauthor=False))
    except RuntimeError:
        raise UnusableSettingsError(
            "The user of this process has no home folder for conversations. Set CHAT_UI_DATA_DIR to a folder."
        ) from None


def expect_regular_file(file: Path) -> None:
    """Check a file before it is read.

    Raises:
        OSError: it is a pipe or a device, which may be endless, or it cannot be looked at.
    """
    if file.exists() and not file.is_file() and not file.is_dir():
        raise OSError(errno.EINVAL, "it is not a regular file")


def _complete(value: Path | None) -> Path | None:
    """The path from the root on, with `~` for a person's home: the working directory changes."""
    if value and "\0" in str(value):
        raise ValueError("a path cannot contain NUL")
    try:
        return value and value.expanduser().absolute()
    except RuntimeError:
        raise ValueError("the home folder does not exist; write the full path") from None
    except FileNotFoundError:
        raise ValueError("the current folder no longer exists; write the full path") from None


def is_url(value: str, *schemes: str) -> bool:
    try:
        address = urlsplit(value)
        port = address.port
    except ValueError:
        # Its words would be a part of the URL.
        return False
    return address.scheme in schemes and (port is None or port > 0)


def _header_name(value: str) -> str:
    value = value.strip()
    if not _HEADER_NAME.fullmatch(value):
        raise ValueError("must be a header name, such as X-Forwarded-User")
    return value


def _words(value: object) -> object:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


def _json_list(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError('must be JSON, such as ["Who pays?"]') from None


def _networks(value: tuple[str, ...]) -> tuple[str, ...]:
    for one in value:
        try:
            ip_network(one, strict=False)
        except ValueError:
            raise ValueError("must be IP addresses or networks, such as 10.0.0.0/8") from None
    return value


def _redis_url(value: SecretStr) -> SecretStr:
    if not is_url(value.get_secret_value(), "redis", "rediss", "unix"):
        raise ValueError(
            "must be a Redis URL, such as redis://:password@host:6379/0, with the password percent-encoded"
        )
    return value


def _database_url(value: SecretStr) -> SecretStr:
    scheme, found, _ = value.get_secret_value().partition("://")
    if not found or scheme.partition("+")[0] not in ("postgresql", "postgres", "sqlite"):
        raise ValueError("must be a PostgreSQL URL, such as postgresql://user:password@host/name")
    return value


def origins_of(values: tuple[str, ...]) -> tuple[str, ...]:
    if not all(map(_ORIGIN.fullmatch, values)):
        raise ValueError("must be origins, such as https://chat.example.com:8443")
    return values


Words: TypeAlias = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_words)]
"""Several values in one variable, with spaces or commas between them."""
Origins: TypeAlias = Annotated[Words, AfterValidator(origins_of)]
HeaderName: TypeAlias = Annotated[str, AfterValidator(_header_name)]
AbsolutePath: TypeAlias = Annotated[Path | None, AfterValidator(_complete)]


class SettingsGroup(BaseSettings):
    """A group of the operator's settings; each field is the environment variable `CHAT_UI_<FIELD NAME>`.

    `CHAT_UI_CONFIG` names a TOML file of fields by their names. A variable wins over the file.
    """

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        named = os.environ.get(CONFIG_VARIABLE)
        of_file = _of_file(Path(named), settings_cls) if named else {}
        return (init_settings, env_settings, InitSettingsSource(settings_cls, init_kwargs=of_file))

    @classmethod
    def of(cls, chosen: SettingsGroup) -> Self:
        """This group of the settings of an app.

        Raises:
            TypeError: the app lacks these settings.
        """
        if not isinstance(chosen, cls):
            raise TypeError(f"These settings have no {cls.__name__}.")
        return chosen


class NoticeSettings(SettingsGroup):
    """The setting that pages, files and reports share."""

    ai_notice: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] = Field(
        default="", description="The notice that answers are generated by AI; `off` for no notice."
    )


class Settings(NoticeSettings):
    """The settings of the core; an app also has the groups of its features."""

    backend_url: str | None = Field(
        default=None,
        description="The backend until a user sets another; not set: the demo backend.",
    )
    backends: AbsolutePath = Field(default=None, description="A TOML or JSON file of the backends on offer.")
    allow_custom_backends: bool = Field(default=True, description="Users may add backends, if settings access is open.")
    settings_access: Literal["open", "read-only", "hidden"] = Field(
        default="open", description="Access of users to backend settings."
    )
    show_thoughts: bool = Field(default=True, description="Users can see the steps of the backend.")
    replay: AbsolutePath = Field(default=None, description="A recording on offer as a backend.")
    fallback: AbsolutePath = Field(default=None, description="A recording that answers if an operator's backend fails.")
    secret_key: SecretStr | None = Field(
        default=None,
        description="Encrypts users' keys and signs their cookies; not set: created in the data folder, readable only "
        "by its owner, and a shared database's URL signs cookies.",
    )

    language: str | None = Field(
        default=None,
        description="The language for users who chose none, such as de; not set: the browser's.",
    )
    translations: AbsolutePath = Field(
        default=None, description="A folder of catalogues (LANGUAGE.po) that add or replace languages."
    )
    starter_questions: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_json_list)] = Field(
        default=(), description="Starter questions, as a JSON list; not set: those of the backend."
    )
    trusted_proxies: Annotated[Words, AfterValidator(_networks)] = Field(
        default=(), description="Addresses or networks of the authenticating proxy, which alone can name users."
    )
    identity_header: HeaderName | None = Field(
        default=None, description="The header with the user's name, such as X-MS-CLIENT-PRINCIPAL-ID."
    )
    token_header: HeaderName | None = Field(
        default=None,
        description="The header with the user's token, such as X-MS-TOKEN-AAD-ACCESS-TOKEN.",
    )

    policy: Literal["public", "local"] | None = Field(
        default=None,
        description="Addresses allowed for users' backends: `public`, or `local` (also this machine and private "
        "networks). Not set: `local` on your own machine, `public` on a network.",
    )
    backend_origins: Origins = Field(
        default=(), description="Origins allowed at any address, such as https://chat.internal:8443."
    )
    origins: Origins = Field(
        default=(),
        description="The origins under which users open the page, if other than the listening address. Pages of other "
        "origins cannot use the server.",
    )
    idle_seconds: float = Field(
        default=60, gt=0, description="Seconds of silence after which an answer counts as cut off."
    )
    questions_per_minute: int = Field(default=60, ge=1, description="Questions per user and minute.")
    answers_at_once: int = Field(default=4, ge=1, description="Simultaneous answers per user.")
    question_characters: int = Field(default=400_000, ge=1, description="Characters per question.")
    answer_bytes: int = Field(default=8 * 1024 * 1024, ge=1024, description="Bytes per answer, as sent.")
    person_bytes: int = Field(default=256 * 1024 * 1024, ge=1024, description="Bytes of stored conversations per user.")
    store_bytes: int | None = Field(
        default=None,
        ge=1024,
        description="Bytes of stored conversations of all users. Not set: 10 GB on disk, or 1 GB in memory if nothing "
        "is written to disk.",
    )

    data_dir: Annotated[Path, AfterValidator(_complete)] = Field(
        default_factory=_usual_folder,
        description="The folder of the SQLite databases and the key; created if missing.",
    )
    database_url: Annotated[SecretStr, AfterValidator(_database_url)] | None = Field(
        default=None, description="A PostgreSQL database for conversations, instead of SQLite."
    )
    redis_url: Annotated[SecretStr, AfterValidator(_redis_url)] | None = Field(
        default=None,
        description="Redis for several processes, which also need PostgreSQL; not set: one process.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="The level of the log; `info` has each request and each answer."
    )
    log_json: bool = Field(default=False, description="One JSON object per line of the log.")
    retention_days: float | None = Field(
        default=None,
        ge=0,
        description="Days to keep a conversation after its last question; 0: nothing is written to disk, and "
        "conversations end with the server; not set: for ever.",
    )
    grace_seconds: float = Field(
        default=10,
        ge=0,
        allow_inf_nan=False,
        description="Seconds for running answers to end when the server stops.",
    )


Chosen = TypeVar("Chosen", bound=SettingsGroup)


def store_url(chosen: Settings) -> str:
    if chosen.retention_days == 0:
        return "sqlite://"
    if chosen.database_url is not None:
        return chosen.database_url.get_secret_value()
    return f"sqlite:///{chosen.data_dir / 'chat.db'}"


def sqlite_file(chosen: Settings) -> Path | None:
    """The file of conversations; None for memory and other databases."""
    scheme, _, path = store_url(chosen).partition(":///")
    return Path(path) if path and scheme.startswith("sqlite") else None


def store_bytes(chosen: Settings) -> int:
    if chosen.store_bytes is not None:
        return chosen.store_bytes
    return 2**30 if chosen.retention_days == 0 else 10 * 2**30


def names_people(chosen: Settings) -> bool:
    """Whether a proxy or a sign-in names people."""
    return bool(chosen.trusted_proxies and chosen.identity_header) or getattr(chosen, "signs_in", False)


def setting_name(field: str) -> str:
    """The variable of a field, and the field's key in the file of settings, if any."""
    variable = f"{_PREFIX}{field.upper()}"
    return f"{field} ({variable})" if os.environ.get(CONFIG_VARIABLE) else variable


def read_settings(kind: type[Chosen], *, is_complete: bool = True) -> Chosen:
    """The current settings of the environment and the file. `is_complete`: the file sets only fields of `kind`.

    Raises:
        UnusableSettingsError: a value is invalid, or the file sets another key.
    """
    file = os.environ.get(CONFIG_VARIABLE)
    if is_complete and file:
        _expect_known(Path(file), kind)
    try:
        return kind()
    except ValidationError as error:
        problems = [
            f"{setting_name(str(one['loc'][0]))}: "
            + _IN_WORDS.get(one["type"], one["msg"].removeprefix("Value error, "))
            for one in error.errors(include_input=False)
        ]
        raise UnusableSettingsError("\n".join(problems)) from None


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of the core in this process, read once.

    Raises:
        SystemExit: as `settings_or_exit`.
    """
    return settings_or_exit(Settings, is_complete=False)


def settings_or_exit(kind: type[Chosen], *, is_complete: bool = True) -> Chosen:
    """The settings of this process.

    Raises:
        SystemExit: one of them cannot be used; the words say which, and why.
    """
    try:
        return read_settings(kind, is_complete=is_complete)
    except UnusableSettingsError as problem:
        raise SystemExit(str(problem)) from None


def absolute_paths(chosen: Settings) -> dict[str, str]:
    """Variables that name the files and folders of `chosen` wherever a process works."""
    values = {name: getattr(chosen, name) for name in type(chosen).model_fields}
    return {f"{_PREFIX}{name.upper()}": str(value) for name, value in values.items() if isinstance(value, Path)}


def unused_settings(kind: type[Settings]) -> list[str]:
    """Sentences about unread variables, and keys of the file: retired ones and near misses."""
    told = [f"{name} is no longer a setting: {RETIRED[name]}." for name in _retired_names()]
    named = (name for name in os.environ if name.startswith(_PREFIX) and name not in (CONFIG_VARIABLE, *RETIRED))
    unknown = (name for name in named if name.removeprefix(_PREFIX).lower() not in kind.model_fields)
    nearest = {name: _nearest(name.removeprefix(_PREFIX).lower(), kind) for name in unknown}
    return told + [
        f"{name} is not a setting and has no effect. Did you mean {_PREFIX}{near.upper()}?"
        for name, near in nearest.items()
        if near
    ]


def _retired_names() -> list[str]:
    file = os.environ.get(CONFIG_VARIABLE)
    of_file = {f"{_PREFIX}{name.upper()}" for name in (_read_file(Path(file)) if file else ())}
    return [name for name in RETIRED if os.environ.get(name) or name in of_file]


def _nearest(name: str, model: type[BaseSettings]) -> str | None:
    return next(iter(get_close_matches(name, model.model_fields, n=1, cutoff=0.75)), None)


def _of_file(file: Path, model: type[BaseSettings]) -> dict[str, Any]:
    """The fields of `model` in the TOML file; an empty text sets nothing. A path in it is relative to its folder.

    Raises:
        UnusableSettingsError: it cannot be read.
    """
    paths = {
        name for name, field in model.model_fields.items() if Path in (field.annotation, *get_args(field.annotation))
    }
    return {
        name: Path("" if value.startswith("~") else file.parent, value)
        if name in paths and isinstance(value, str)
        else value
        for name, value in _read_file(file).items()
        if value != "" and name in model.model_fields
    }


def _expect_known(file: Path, model: type[BaseSettings]) -> None:
    for name in _read_file(file):
        if name not in model.model_fields and f"{_PREFIX}{name.upper()}" not in RETIRED:
            near = _nearest(name, model)
            hint = f" Did you mean {near}?" if near else ""
            raise UnusableSettingsError(f"The settings file {file} sets {name}, which is not a setting.{hint}")


def _read_file(file: Path) -> dict[str, Any]:
    try:
        expect_regular_file(file)
        return tomllib.loads(file.read_text("utf-8"))
    except RecursionError:
        raise UnusableSettingsError(f"The settings file {file} is not TOML: it is nested too deeply.") from None
    except OSError as error:
        raise UnusableSettingsError(f"The settings file {file} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        # It names a line and a column, without a value.
        raise UnusableSettingsError(f"The settings file {file} is not TOML: {error}.") from None
