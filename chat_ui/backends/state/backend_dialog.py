"""The dialog that changes or adds a backend."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

import reflex as rx
from reflex.event import EventType

from chat_ui.backends.credential import Credential, credential_of
from chat_ui.backends.offer import check_access, default_options, with_trusted_certificate
from chat_ui.backends.options import FOLLOWUPS, read_more
from chat_ui.backends.personal_choices import LONGEST_STORED, MOST_OWN, Outcome, OwnBackend, new_own_id, own_id_of
from chat_ui.backends.profile import AUTOMATIC, Profile, RecordedProfile
from chat_ui.backends.state.backend_choice import BackendState, backend_of, offer_of, recorded_words
from chat_ui.backends.state.option_rows import OptionRows, checked, more_problem, row_value
from chat_ui.errors import VaultError, VaultUnavailableError
from chat_ui.languages.translation import gettext, translated
from chat_ui.page.state.socket_people import person_at
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.detection.advice import Advice
from chat_ui.protocol.dialects.registry import DIALECTS, described
from chat_ui.protocol.documents.document_urls import parse_document_template
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.certificates import with_colons
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.server.services import services
from chat_ui.settings import settings

TOO_MANY: Final = msg("You have {most} backends, which is the limit. Remove one, then add this one.", most=MOST_OWN)
FIRST_FIELD: Final = "backend-url"
DOCUMENTS_FIELD: Final = "backend-documents"
KEY_FIELD: Final = "backend-key"
SETTINGS_BUTTON: Final = "backend-settings"
_BLANK: Final = OwnBackend("", "http://new.invalid/").profile()
TextField: TypeAlias = Literal["name", "dialect", "model", "documents", "key_scheme", "key_header"]
Switch: TypeAlias = Literal["stream", "followups", "as_sample"]
Tab: TypeAlias = Literal["request", "documents"]
_LONGEST: Final = {"name": 100, "model": 200}
TOO_LONG: Final = msg(
    "All backends and options together are too long to save in this browser. Shorten the options, or remove a backend."
)


class BackendDialog(OptionRows, BackendState):
    """The fields of the dialog and their errors, without the key."""

    is_open: bool = False
    openings: int = 0
    """The number of openings; 0 in the state of a restarted server."""
    editing: str = ""
    is_own: bool = False
    recorded_from: str = ""
    """The words for a recording, with its time; else empty."""
    is_new: bool = False
    name: str = ""
    url: str = ""
    kind: str = AUTOMATIC
    dialect: str = AUTOMATIC
    dialects: list[list[str]] = []
    """The name and the label of each."""
    model: str = ""
    stream: bool = True
    documents: str = ""
    followups: bool = True
    has_sample: bool = False
    """Whether the sample's own page has options to offer."""
    is_sample: bool = False
    """Whether these are sent unless the person switches them off."""
    as_sample: bool = False
    takes_key: bool = True
    key_scheme: str = "bearer"
    key_header: str = ""
    key_is_set: bool = False
    key_error: str = ""
    certificate: str = ""
    """The fingerprint of the trusted certificate at the shown address."""
    more: str = ""
    more_error: str = ""
    url_error: str = ""
    documents_error: str = ""
    fault: Tab = "request"
    """The tab with a wrong field at the last attempt to save."""
    faults: int = 0
    """The number of such attempts."""
    may_stream: bool = True
    may_suggest: bool = True
    takes_options: bool = True
    wants_model: bool = True
    """Whether this kind of backend uses each of these settings."""
    _tested: tuple[str, Outcome, float] | None = None
    """The address of the last test, its outcome and its time."""

    @rx.event
    async def open_dialog(self, backend_id: str = "") -> None:
        """Show the backend in use for changing, or the one of that id, if on offer."""
        choices = self._choices()
        if backend_id:
            choices = replace(choices, selected=backend_id)
        selected, profile = offer_of(self).chosen(choices)
        if settings().settings_access == "hidden" or backend_id not in ("", selected):
            return
        self.editing = selected
        own = {backend.id: backend for backend in choices.own}.get(self.editing)
        self.is_own, self.is_new = own is not None, False
        self.name = own.name if own is not None else profile.name
        self.recorded_from = recorded_words(profile)
        await self._look(profile, self.editing)
        self._fill(profile, self._own_options(self.editing))
        self.key_error = ""
        self._open()
        await self._look_for_key(profile)
        await self._look_for_certificate()

    @rx.event
    async def add_backend(self) -> EventType[()] | None:
        """Show an empty dialog for one more backend of the person's own."""
        if not services().backends.offer.own_allowed:
            return None
        self.editing, self.is_own, self.is_new, self.name = new_own_id(), True, True, ""
        self.recorded_from = ""
        self._fill(_BLANK, {})
        self.url = ""
        self.key_error, self.key_is_set, self.key_scheme, self.key_header = "", False, "bearer", ""
        self.certificate = ""
        self._open()
        return rx.set_focus(FIRST_FIELD)

    @rx.event
    async def restore(
        self, editing: str, is_new: bool, texts: dict[str, str], switches: dict[str, bool], options: dict[str, str]
    ) -> None:
        """Open the dialog with the fields of a page whose state was lost."""
        self.openings += 1
        if is_new:
            await self.add_backend()
        else:
            await self.open_dialog(editing)
        if not self.is_open:
            return
        await self.set_url(texts.get("url", ""))
        self.set_more(texts.get("more", ""))
        for field in get_args(TextField):
            self.set_text(field, texts.get(field, ""))
        for switch in get_args(Switch):
            self.set_switch(switch, switches.get(switch, False))
        for key, value in options.items():
            self.set_option(key, value)

    @rx.event
    async def set_open(self, is_open: bool) -> None:
        self.is_open = is_open
        if not is_open and self.certificate:
            await self._drop_certificate_unless_used()

    @rx.event
    def set_text(self, field: TextField, text: str) -> None:
        setattr(self, field, text[: _LONGEST.get(field)])
        if field == "documents":
            self.documents_error = ""

    @rx.event
    def set_switch(self, field: Switch, is_on: bool) -> None:
        setattr(self, field, is_on)
        if field == "as_sample":
            self._show_again()

    @rx.event
    async def set_url(self, url: str) -> None:
        profile = self._edited
        self.url, self.kind = url, profile.kind if url.strip() == profile.url else AUTOMATIC
        self.url_error = ""
        with suppress(ValueError):
            if not self.key_is_set and described(parse_backend_url(url)).key_header == "api-key":
                self.key_scheme = "api-key"
        self._show_again()
        await self._look_for_certificate()

    @rx.event
    def set_option(self, key: str, value: str) -> None:
        self._set_row(key, value, self._typed_profile, self._advice)

    @rx.event
    def set_more(self, more: str) -> None:
        self.more = more
        self.more_error = more_problem(more)

    @rx.event
    def reset_options(self) -> None:
        self._fill_options(self._typed_profile, {})

    @rx.event
    async def save(self, form: dict[str, Any]) -> EventType[()] | None:
        """Keep the settings and close, or show each error at its field. Only `form` has the key, for the vault."""
        if not services().backends.offer.options_allowed or isinstance(self._edited, RecordedProfile):
            return None
        if not self._check_url():
            return rx.set_focus(FIRST_FIELD)
        if not self._check("documents", parse_document_template):
            self._show_fault("documents")
            return None
        options = self._typed_options()
        if options is None:
            self._show_fault("request")
            return None
        choices = self._choices()
        profile = self._edited
        selected = self.editing
        if self._differs(profile):
            if not (self.is_own and not self.is_new) and len(choices.own) >= MOST_OWN:
                self.url_error = gettext(TOO_MANY)
                return rx.set_focus(FIRST_FIELD)
            own = self._own(self.editing if self.is_own else new_own_id(), profile.name)
            choices = choices.with_own(own)
            selected = own.id
        choices = replace(choices.with_options(selected, options), selected=selected)
        if len(choices.to_json()) > LONGEST_STORED:
            self.more_error = gettext(TOO_LONG)
            self._show_fault("request")
            return None
        try:
            key = self._typed_key(str(form.get(KEY_FIELD) or ""))
            if key is not None and self.takes_key:
                await services().backends.vault.keep(person_at(self), origin_of(self.url), key, own_id_of(selected))
                self.keys = "kept"
        except (ValueError, VaultError) as problem:
            self.key_error = translated(str(problem))
            return rx.set_focus(KEY_FIELD)
        self._keep(choices)
        self._note_test_of_saved(selected, profile)
        if self.is_own and not self.is_new and origin_of(profile.url) != origin_of(self.url):
            await drop_credentials(self, profile.url, selected)
        self.is_open = False
        return None

    @rx.event
    async def remove_key(self) -> EventType[()] | None:
        person, origin = person_at(self), origin_of(self.url)
        try:
            await services().backends.vault.drop(person, origin, own_id_of(self.editing))
            await services().backends.vault.drop(person, origin)
        except VaultError as problem:
            self.key_error = translated(str(problem))
            return None
        self.key_is_set, self.key_error = False, ""
        return rx.set_focus(KEY_FIELD)

    @rx.event
    async def distrust(self) -> EventType[()] | None:
        try:
            await services().backends.vault.distrust(person_at(self), origin_of(self.url))
        except VaultError as problem:
            self.url_error = translated(str(problem))
            return None
        self.certificate = ""
        return rx.set_focus(FIRST_FIELD)

    def _open(self) -> None:
        self.is_open = True
        self.openings += 1

    def _show_fault(self, tab: Tab) -> None:
        self.fault = tab
        self.faults += 1

    @property
    def _edited(self) -> Profile:
        offer = offer_of(self)
        return _BLANK if self.is_new else offer.profiles(self._choices()).get(self.editing, offer.operator_profiles[0])

    def _fill(self, profile: Profile, options: dict[str, Json]) -> None:
        self.url, self.dialect, self.stream = profile.url, profile.dialect, profile.stream
        self.dialects = [[name, translated(label)] for name, label in DIALECTS.items()]
        self.kind, self.model = profile.kind, profile.model or ""
        self.documents = profile.documents or ""
        self.takes_key = not (profile.credential or profile.pass_token or isinstance(profile, RecordedProfile))
        self._fill_uses(profile)
        self._tested = None
        self.url_error = self.documents_error = ""
        self._fill_options(profile, options)

    def _fill_uses(self, profile: Profile) -> None:
        backend = profile.backend()
        self.may_stream = not backend.streams_only
        self.may_suggest = FOLLOWUPS in profile.known_options
        self.takes_options = backend.overrides != "none"
        # Backends with options beside the messages or in `options` are servers of models.
        is_of_models = backend.overrides in ("body", "options")
        self.wants_model = profile.kind == AUTOMATIC or is_of_models or bool(profile.model)

    def _fill_options(self, profile: Profile, options: dict[str, Json]) -> None:
        told = self._advice_known(profile)
        sent = {**default_options(profile, told), **options}
        self.followups = sent.get(FOLLOWUPS) is True
        self.has_sample = bool(told.sample)
        self.as_sample = self.has_sample and all(sent.get(key) is not None for key in told.sample)
        if self.as_sample:
            options = {key: value for key, value in options.items() if value != told.sample.get(key)}
        self._show_options(profile, options)
        # Null removes a told option, which its row cannot show.
        shown = {FOLLOWUPS, *(row.key for row in self.rows if not row.told or options.get(row.key, "") is not None)}
        more = {key: value for key, value in options.items() if key not in shown}
        self.more = json.dumps(more, indent=2, ensure_ascii=False) if more else ""
        self.more_error = ""

    def _show_options(self, profile: Profile, options: Mapping[str, Json]) -> None:
        told = self._advice_known(profile)
        self.is_sample = bool(told.sample and told.options)
        if self.has_sample != bool(told.sample):
            self.has_sample, self.as_sample = bool(told.sample), self.is_sample
        self._show_rows(profile, options, self._advice)

    def _show_again(self) -> None:
        """Show the options with the facts that are known now, if any; changed ones keep their values."""
        told = self._advice_known(self._typed_profile)
        if not (told.options or told.sample or self.has_sample or any(row.told for row in self.rows)):
            return
        changed = {row.key: row.value for row in self.rows if row.changed}
        self._show_options(self._typed_profile, changed)

    @property
    def _typed_profile(self) -> Profile:
        """The profile of the dialog, as it is saved if that is unchanged or invalid."""
        profile = self._edited
        with suppress(ValueError):
            return self._own("").profile() if self._differs(profile) else profile
        return profile

    @property
    def _advice(self) -> Advice:
        """The facts that the deployment of the dialog told; the switch decides about the sample's options."""
        told = self._advice_known(self._typed_profile)
        return replace(told, options=told.sample if self.as_sample else {}) if told.sample else told

    def _is_saved(self, url: str) -> bool:
        """Whether the dialog has `url`, and is unchanged otherwise."""
        return url == self.url and not self._differs(self._edited)

    def _note_test(self, url: str, outcome: Outcome, *, is_saved: bool) -> None:
        """Keep the outcome of a test of the address; for unsaved changes, at their saving."""
        self._tested = url, outcome, time.time()
        if is_saved:
            self._note_outcome(self.editing, outcome)

    def _note_test_of_saved(self, backend_id: str, former: Profile) -> None:
        if self._tested is not None and self._tested[0] == self.url:
            _, outcome, at = self._tested
            self._note_outcome(backend_id, outcome, at)
        elif self.url != former.url:
            self._note_outcome(backend_id, None)

    async def _look_for_key(self, profile: Profile) -> None:
        person, origin = person_at(self), origin_of(profile.url)
        try:
            kept = await services().backends.vault.find(person, origin, own_id_of(self.editing))
        except VaultError as problem:
            self.key_error = translated(str(problem))
            # An unusable key can be removed.
            self.key_is_set = not isinstance(problem, VaultUnavailableError)
            return
        self.key_is_set = kept is not None
        if kept is not None:
            self.keys = "kept"
            self.key_scheme, self.key_header = kept.scheme, kept.header

    async def _look_for_certificate(self) -> None:
        self.certificate = ""
        if services().backends.offer.certificates_allowed and (origin := origin_of(self.url.strip())):
            with suppress(VaultError):
                self.certificate = with_colons(await services().backends.vault.trusted(person_at(self), origin))

    async def _drop_certificate_unless_used(self) -> None:
        origin = origin_of(self.url)
        if origin not in {origin_of(own.url) for own in self._choices().own}:
            with suppress(VaultError):
                await services().backends.vault.distrust(person_at(self), origin)

    def _typed_key(self, secret: str) -> Credential | None:
        if not secret.strip() or not services().backends.offer.options_allowed:
            return None
        return credential_of(self.key_scheme, secret, self.key_header, reserved=services().backends.vault.reserved)

    def _typed_options(self) -> dict[str, Json] | None:
        """The options that the person set, unless they equal the backend's own; None if an option is wrong."""
        self.rows = [checked(row) for row in self.rows]
        self.more_error = more_problem(self.more)
        if self.more_error or any(row.problem for row in self.rows):
            return None
        profile, told = self._edited, self._advice_known(self._typed_profile)
        typed: dict[str, Json] = {}
        if self.as_sample != self.is_sample:
            # Switched off, the sample's options are removed.
            typed.update({key: value if self.as_sample else None for key, value in told.sample.items()})
        typed.update({row.key: row_value(row) for row in self.rows if row.changed})
        typed.update(read_more(self.more))
        if FOLLOWUPS in profile.known_options:
            typed[FOLLOWUPS] = self.followups
        defaults = default_options(profile)
        return {key: value for key, value in typed.items() if key not in defaults or value != defaults[key]}

    def _differs(self, profile: Profile) -> bool:
        if not services().backends.offer.own_allowed:
            return False
        if self.is_new:
            return True
        renamed = self.is_own and self._own("").profile().name != profile.name
        typed = self.url, self.dialect, self.stream, self.kind, self.model.strip(), self.documents
        return renamed or typed != (
            profile.url, profile.dialect, profile.stream, profile.kind, profile.model or "", profile.documents or ""
        )  # fmt: skip

    def _own(self, backend_id: str, former_name: str = "") -> OwnBackend:
        name = self.name.strip() if self.is_own or self.name != former_name else ""
        model, documents = self.model.strip(), self.documents or None
        return OwnBackend(backend_id, self.url, name, self.dialect, self.stream, self.kind, model, documents)

    def _check_url(self) -> bool:
        if not services().backends.offer.own_allowed:
            self.url = self._edited.url
        return self._check("url", parse_backend_url)

    def _check(self, field: Literal["url", "documents"], parse: Callable[[str], str]) -> bool:
        """Whether `parse` takes the text of a field; shows its error there, or clears it."""
        problem = ""
        try:
            setattr(self, field, parse(getattr(self, field)))
        except ValueError as error:
            problem = translated(str(error))
        setattr(self, f"{field}_error", problem)
        return not problem


async def drop_credentials(dialog: BackendDialog, url: str, own_id: str) -> None:
    """Forget the person's key and trust for their backend that left `url`, unless they have others at `url`."""
    person, origin = person_at(dialog), origin_of(url)
    try:
        await services().backends.vault.drop(person, origin, own_id)
        if origin not in {origin_of(own.url) for own in dialog._choices().own}:
            await services().backends.vault.drop(person, origin)
            await services().backends.vault.distrust(person, origin)
    except VaultError as problem:
        dialog.key_error = translated(str(problem))


async def typed_backend(dialog: BackendDialog, secret: str) -> tuple[Profile, Backend] | None:
    """The backend in the dialog, as a profile and with its credential, a non-blank `secret`; None if invalid."""
    if isinstance(dialog._edited, RecordedProfile):
        dialog.key_error = gettext("Answers come from a recording, so there is nothing to test.")
        return None
    if not dialog._check_url():
        return None
    profile = dialog._edited
    if dialog._differs(profile):
        profile = offer_of(dialog).own_profile(replace(dialog._own(""), documents=None))
    try:
        key = dialog._typed_key(secret)
        if key is not None:
            await check_access(profile, person_at(dialog), services().backends.tokens)
            backend = profile.backend(key.headers())
            return profile, await with_trusted_certificate(
                backend, profile, person_at(dialog), services().backends.offer, services().backends.vault
            )
        return profile, await backend_of(dialog, profile, dialog.editing)
    except (ValueError, VaultError) as problem:
        dialog.key_error = translated(str(problem))
        return None


def options_beside_messages(dialog: BackendDialog, backend: Backend) -> JsonObject:
    """The other options of the dialog, if sent beside the messages: a backend may need them for its answer."""
    if not services().backends.offer.options_allowed or backend.overrides != "body" or more_problem(dialog.more):
        return {}
    return read_more(dialog.more)


def take_found(dialog: BackendDialog, url: str, kind: str | None, model: str | None) -> None:
    """Take a found backend's address, kind and model into the dialog."""
    if services().backends.offer.own_allowed:
        dialog.url, dialog.kind, dialog.model = url, kind or AUTOMATIC, dialog.model.strip() or model or ""
