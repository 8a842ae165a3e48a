"""Profiles: backends as people name them, from the operator's file, from a person's own browser and from recordings."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator

from chat_ui.backends.credential import Credential, Scheme, credential_of
from chat_ui.errors import UnusableSettingsError
from chat_ui.protocol.backends.backend import SPECIFICATION_OVERRIDES, Backend, is_header_name
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.dialects.registry import DIALECTS, KNOWN_BACKENDS, described
from chat_ui.protocol.documents.document_urls import parse_document_template
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN
from chat_ui.settings import expect_regular_file

AUTOMATIC: Final = "auto"
RECORDING: Final = "recording"
_MOST_STARTERS: Final = 4
_LONGEST_STARTER: Final = 300
_LONGEST_NAME: Final = 100


class CredentialSource(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Scheme = "bearer"
    header: str = ""
    env: str = Field(min_length=1, description="The environment variable that holds the key.")

    def read(self) -> Credential:
        """The credential as it is in the environment now.

        Raises:
            ValueError: the variable is unset, or cannot be sent.
        """
        try:
            return credential_of(self.kind, os.environ.get(self.env, ""), self.header)
        except ValueError as error:
            raise ValueError(f"The variable {self.env} does not have a usable key: {error}") from error


def _known_kind(name: str) -> str:
    if name not in (AUTOMATIC, RECORDING) and name not in KNOWN_BACKENDS:
        raise ValueError(
            f"{name!r} is not a kind of backend; use one of {AUTOMATIC}, {RECORDING}, {', '.join(KNOWN_BACKENDS)}"
        )
    return name


def _known_dialect(name: str) -> str:
    if name != AUTOMATIC and name not in DIALECTS:
        raise ValueError(f"{name!r} is not a dialect; use one of {AUTOMATIC}, {', '.join(DIALECTS)}")
    return name


def _sendable(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not is_header_name(name):
            raise ValueError(f"{name!r} is not a header name, such as X-Team")
        if not value.isascii() or not value.isprintable():
            raise ValueError(f"the value of the header {name} has characters that are not printable ASCII")
    return headers


def _in_the_files_folder(path: Path | None, validated: ValidationInfo) -> Path | None:
    return validated.context["folder"] / path if path and validated.context else path


class OwnBranding(BaseModel):
    """The branding of the page while a backend is in use, where different from the page's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    logo: Annotated[Path | None, AfterValidator(_in_the_files_folder)] = None
    accent: str = ""
    greeting: str = Field(default="", max_length=200)
    introduction: str = Field(default="", max_length=1000)


class Profile(BaseModel):
    """A backend with all of its settings; the fields are those of the operator's file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=_LONGEST_NAME)
    url: Annotated[str, AfterValidator(parse_backend_url)] = ""
    file: Annotated[Path | None, AfterValidator(_in_the_files_folder)] = Field(
        default=None, description="The recording that answers, of the kind `recording`; relative to the profiles' file."
    )
    fallback: Annotated[Path | None, AfterValidator(_in_the_files_folder)] = Field(
        default=None, description="A recording that answers where the backend does not; relative to the profiles' file."
    )
    kind: Annotated[str, AfterValidator(_known_kind)] = AUTOMATIC
    dialect: Annotated[str, AfterValidator(_known_dialect)] = AUTOMATIC
    stream: bool = True
    model: str | None = None
    body: dict[str, Any] = Field(default_factory=dict, description="Merged into the body of each request.")
    headers: Annotated[dict[str, str], AfterValidator(_sendable)] = Field(default_factory=dict, repr=False)
    credential: CredentialSource | None = None
    pass_token: bool = Field(
        default=False, description="Send the person's token, from the sign-in or the authenticating proxy."
    )
    token_scope: str = Field(default="", description="The scope of that token, such as api://ID/access_as_user.")
    groups: tuple[str, ...] = Field(default=(), description="Groups whose members may use it; not set: everyone.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options that differ from the backend's own.")
    starter_questions: tuple[str, ...] = ()
    branding: OwnBranding | None = None
    documents: Annotated[str, AfterValidator(parse_document_template)] | None = Field(
        default=None,
        description="Where a citation's document is, such as {origin}/content/{source}; empty: nowhere. None: beside "
        "the chat, where Microsoft's samples have it.",
    )

    @model_validator(mode="after")
    def _has_one_credential(self) -> Profile:
        if self.credential is not None and self.pass_token and not self.person_header:
            raise ValueError("credential and pass_token cannot be combined; remove one")
        if self.token_scope and not self.pass_token:
            raise ValueError("token_scope needs pass_token = true")
        return self

    @model_validator(mode="after")
    def _is_at_one_place(self) -> Profile:
        if self.kind == RECORDING and (self.file is None or self.url or self.fallback):
            raise ValueError('kind = "recording" needs file, without url and fallback')
        if self.kind != RECORDING and (self.file is not None or not self.url):
            raise ValueError('url is missing, or kind = "recording" with a file')
        return self

    @property
    def _template(self) -> Backend:
        return described(self.url, self.dialect) if self.kind == AUTOMATIC else KNOWN_BACKENDS[self.kind].at(self.url)

    def backend(self, headers: Mapping[str, str] | None = None) -> Backend:
        template = self._template
        return replace(
            template,
            stream=self.stream,
            dialect=template.dialect if self.dialect == AUTOMATIC else self.dialect,
            headers={**self.headers, **(headers or {})},
            model=self.model,
            extra_body=self.body,
            documents=self.documents,
        )

    @property
    def person_header(self) -> str:
        """The header of the person's token beside a credential; empty if the kind has none."""
        return self._template.person_header if self.url else ""

    @property
    def known_options(self) -> tuple[str, ...]:
        """The options that a person can set by name: those that the backend reads, or the specification's."""
        known = self._template.known_overrides
        return SPECIFICATION_OVERRIDES if known is None else known


class RecordedProfile(Profile):
    """A backend that is answered from the `recording` of that name, of the moment `recorded_at` (ISO 8601)."""

    recording: str
    recorded_at: str = ""

    def backend(self, headers: Mapping[str, str] | None = None) -> Backend:
        """The backend of the profile, without a credential."""
        return replace(super().backend(headers), recording=self.recording)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    backends: tuple[Profile, ...] = Field(min_length=1)


def read_profiles(path: Path) -> tuple[Profile, ...]:
    """The operator's profiles in a TOML or JSON file, by its extension, in the order of the file.

    Raises:
        UnusableSettingsError: it cannot be read, or a part of it is wrong; the message names the place.
    """
    try:
        expect_regular_file(path)
        text = path.read_text("utf-8")
        content = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
        profiles = _File.model_validate(content, context={"folder": path.absolute().parent}).backends
    except ValidationError as error:
        # An invalid backend is left out of the list, whose length is then not the fault.
        faults = [fault for fault in error.errors() if fault["type"] != "too_short"] or error.errors()
        places = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].removeprefix('Value error, ')}" for fault in faults[:5]
        )
        raise UnusableSettingsError(f"{path}: {places}") from None
    except OSError as error:
        raise UnusableSettingsError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnusableSettingsError(f"{path}: {error}") from error
    names = [profile.name for profile in profiles]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise UnusableSettingsError(f"{path}: names must be unique, and these are not: {', '.join(sorted(twice))}")
    return profiles


def recorded_profile(recording: Recording, label: str, fallback_name: str) -> RecordedProfile:
    """The profile of a recording that the server calls `label`, with the name of its backend, if any.

    Raises:
        RecordingError: it lacks an answered question, or its description of the backend is unusable.
    """
    answered = (exchange for exchange in recording.exchanges if exchange.question and exchange.status is not None)
    # The header describes the backend of the first column.
    asked = sorted(answered, key=lambda exchange: exchange.is_second)
    if not asked:
        raise RecordingError("This recording has no answered questions.")
    header = recording.header.backend
    place = next((one for one in asked if one.status == 200), asked[0])
    first = (one.question or "" for one in asked if one.place in (None, 1))
    questions = dict.fromkeys(" ".join(words.split())[:_LONGEST_STARTER] for words in first)
    try:
        return RecordedProfile(
            name=(header.name.strip() or fallback_name)[:_LONGEST_NAME],
            url=f"{RECORDED_ORIGIN}{place.path.partition('?')[0]}",
            kind=header.kind if header.kind in KNOWN_BACKENDS else AUTOMATIC,
            dialect=header.dialect if header.dialect in DIALECTS else AUTOMATIC,
            stream=header.stream,
            model=header.model or None,
            starter_questions=tuple(questions)[:_MOST_STARTERS],
            recording=label,
            recorded_at=asked[0].at,
        )
    except ValidationError as error:
        raise RecordingError("The backend described in this recording is not valid.") from error
