"""The backends a person can choose from, and the options and credentials sent to the chosen backend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from chat_ui.backends.credential import Tokens
from chat_ui.backends.options import FOLLOWUPS
from chat_ui.backends.personal_choices import Choices, OwnBackend, operator_profile_id, own_id_of, read_own
from chat_ui.backends.profile import Profile, RecordedProfile
from chat_ui.backends.vault import Vault
from chat_ui.errors import NotAllowedError, SignInNeededError, VaultError, VaultUnavailableError
from chat_ui.languages.translation import gettext, recorded_on
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import NO_ADVICE, Advice
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.rendering.html.links import OVERRIDES

_LONGEST_NAME: Final = 100
_NAMELESS: Final = msg("a backend without a name")
_NO_BACKEND: Final = Profile(name="None", url="http://none.invalid/", groups=("",))
"""Stands for the backends that a person may not use; no group has this name."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The operator's profiles, at least one, and people's rights to add backends, to set options and keys, and to trust
    certificates of unknown authorities.
    """

    operator_profiles: tuple[Profile, ...]
    own_allowed: bool = True
    options_allowed: bool = True
    certificates_allowed: bool = False
    closed: frozenset[str] = frozenset()
    """Origins of the operator's backends of which the person may use none."""

    def for_person(self, groups: frozenset[str] | None) -> Offer:
        """The offer without the operator's backends of other groups; with one that refuses if nothing else is left."""
        allowed = tuple(profile for profile in self.operator_profiles if _may_use(profile, groups))
        if allowed == self.operator_profiles:
            return self
        nothing = _NO_BACKEND.model_copy(update={"name": gettext("No backend")})
        every, theirs = ({origin_of(one.url) for one in some} for some in (self.operator_profiles, allowed))
        return replace(self, operator_profiles=allowed or (nothing,), closed=frozenset(every - theirs))

    def own_profile(self, own: OwnBackend) -> Profile:
        """The profile of a person's own backend, which refuses them at a closed origin."""
        profile = own.profile()
        return profile.model_copy(update={"groups": ("",)}) if origin_of(own.url) in self.closed else profile

    def profiles(self, choices: Choices) -> dict[str, Profile]:
        """Every profile that the person can choose, by its id, the operator's first."""
        offered = {operator_profile_id(profile): profile for profile in self.operator_profiles}
        if self.own_allowed:
            offered.update({own.id: self.own_profile(own) for own in choices.own})
        return offered

    def names(self, choices: Choices) -> dict[str, str]:
        """The name of each profile by its id; with its address or the time of recording if the name is not unique."""
        offered = self.profiles(choices)
        names = [profile.name for profile in offered.values()]
        return {
            key: profile.name if names.count(profile.name) == 1 else f"{profile.name} ({_told_apart_by(profile)})"
            for key, profile in offered.items()
        }

    def chosen(self, choices: Choices) -> tuple[str, Profile]:
        """The profile in use and its id: the selected one, else the operator's first."""
        offered = self.profiles(choices)
        selected = choices.selected if choices.selected in offered else next(iter(offered))
        return selected, offered[selected]

    def may_trust_certificate(self, profile: Profile) -> bool:
        """Whether a person may trust the certificate of that profile's server, only of their own backends."""
        return (
            self.certificates_allowed and profile not in self.operator_profiles and profile.url.startswith("https://")
        )

    def own_options(self, choices: Choices, profile_id: str) -> dict[str, Json]:
        return dict(choices.options.get(profile_id, {})) if self.options_allowed else {}

    def remembered_id(self, asked_of: JsonObject, choices: Choices) -> str:
        """The id of a remembered profile (`Backend.memory`) that the person can choose at this origin, else empty."""
        profile_id = str(asked_of.get("profile") or "")
        profile = self.profiles(choices).get(profile_id)
        same = profile is not None and origin_of(profile.url) == origin_of(str(asked_of.get("url") or ""))
        return profile_id if same else ""

    def remembered_profile(self, asked_of: JsonObject) -> Profile | None:
        """The profile of the backend that a conversation remembers (`Backend.memory`).

        None if the profile is gone, or at another origin by now. A person's choices are only in their browser, so their
        own profile is made again from the conversation. The conversation has its id only if this server asked that
        backend for them. An imported conversation names no profile.
        """
        profile_id, url = str(asked_of.get("profile") or ""), str(asked_of.get("url") or "")
        for profile in self.operator_profiles:
            if operator_profile_id(profile) == profile_id:
                return profile if origin_of(profile.url) == origin_of(url) else None
        own = read_own({**asked_of, "id": profile_id}) if self.own_allowed else None
        return self.own_profile(own) if own is not None and own.id == profile_id else None


@dataclass(frozen=True, slots=True)
class Sent:
    """The options of a question, and the names of those that only the deployment told."""

    options: dict[str, Json]
    told: tuple[str, ...] = ()


def default_options(profile: Profile, advice: Advice = NO_ADVICE) -> dict[str, Json]:
    """The options that are sent unless a person set others: the operator's, else the deployment's, else this page's."""
    followups: dict[str, Json] = {FOLLOWUPS: True} if FOLLOWUPS in profile.known_options else {}
    return {**followups, **advice.options, **profile.options}


def sent_options(profile: Profile, own: Mapping[str, Json], advice: Advice = NO_ADVICE) -> Sent:
    """The sent options: the defaults and those that the person set, whose null removes a default."""
    merged: dict[str, Json] = {**default_options(profile, advice), **own}
    sent: dict[str, Json] = {key: value for key, value in merged.items() if value is not None}
    untold = {**default_options(profile), **own}
    return Sent(sent, tuple(key for key in advice.options if key in sent and sent[key] != untold.get(key)))


def _may_use(profile: Profile, groups: frozenset[str] | None) -> bool:
    return not profile.groups or not (groups or frozenset()).isdisjoint(profile.groups)


def _told_apart_by(profile: Profile) -> str:
    if isinstance(profile, RecordedProfile):
        return recorded_on(profile.recorded_at) or gettext("A recording")
    return profile.url


async def check_access(profile: Profile, person: str, tokens: Tokens) -> None:
    """Check that the person may use a profile.

    Raises:
        SignInNeededError: the person must sign in.
        NotAllowedError: the profile is for other groups.
    """
    groups, is_required = None, False
    if tokens.accounts is not None:
        groups, is_required = await tokens.accounts.current_groups(person), tokens.accounts.is_required
    may_use = _may_use(profile, groups)
    if groups is None and (is_required or not may_use):
        raise SignInNeededError(msg("Sign in to ask."))
    if not may_use:
        raise NotAllowedError(msg("Your account may not use a backend here. Ask the operator for access."))


async def backend_for(
    profile: Profile, person: str, vault: Vault, tokens: Tokens, *, own_id: str = "", may_have_key: bool = True
) -> Backend:
    """The profile's backend for this person, with the credential that the person may use there.

    The operator's key is sent only with the operator's profile. A person's key is sent to the origin that it was
    entered for; a key of the person's own backend `own_id` only with that backend. The person's token is sent with
    profiles that have `pass_token`, beside the operator's key in a header for it. While the vault is unavailable, a
    person who never kept a key (not `may_have_key`) asks without one.

    Raises:
        SignInNeededError, NotAllowedError: as `check_access`; or the person must sign in again.
        VaultError: the person's credentials cannot be read.
        ValueError: the operator's key is missing from the environment.
    """
    await check_access(profile, person, tokens)
    if isinstance(profile, RecordedProfile):
        return profile.backend()
    if profile.credential is not None or profile.pass_token:
        headers = profile.credential.read().headers() if profile.credential is not None else {}
        if profile.pass_token and (token := await tokens.of(person, profile.token_scope)):
            # Azure AI Search takes it without a scheme.
            headers |= {profile.person_header: token} if headers else {"Authorization": f"Bearer {token}"}
        return profile.backend(headers)
    try:
        kept = await vault.find(person, origin_of(profile.url), own_id)
    except VaultUnavailableError:
        if may_have_key:
            raise
        kept = None
    return profile.backend(kept.headers() if kept is not None else {})


async def with_trusted_certificate(
    backend: Backend, profile: Profile, person: str, offer: Offer, vault: Vault
) -> Backend:
    """`backend`, pinned to the certificate that this person trusts there, if they may."""
    if not offer.may_trust_certificate(profile):
        return backend
    with suppress(VaultError):
        return replace(backend, fingerprint=await vault.trusted(person, origin_of(profile.url)))
    return backend


async def remembered_backend(
    asked_of: JsonObject, person: str, offer: Offer, vault: Vault, tokens: Tokens
) -> Backend | None:
    """The backend that a conversation remembers; None if not on offer.

    A conversation without a profile, such as an imported one, may name an operator's backend by its address. It gets no
    credential: the file may name a backend that its owner never saw.

    Raises:
        VaultError, ValueError: as `backend_for`.
    """
    profile = offer.remembered_profile(asked_of)
    if profile is not None:
        # It may have been found at another path than the profile's.
        own_id = own_id_of(str(asked_of.get("profile") or ""))
        found = await backend_for(profile, person, vault, tokens, own_id=own_id)
        recording = asked_of.get("recording")
        backend = replace(
            found,
            url=str(asked_of["url"]),
            profile=str(asked_of["profile"]),
            recording=recording if isinstance(recording, str) else "",
        )
        return await with_trusted_certificate(backend, profile, person, offer, vault)
    if asked_of.get("profile"):
        return None
    given = next((one for one in offer.operator_profiles if one.url == asked_of.get("url")), None)
    if given is None:
        return None
    await check_access(given, person, tokens)
    return Backend(given.url, documents=given.documents)


def backend_key(asked_of: JsonObject) -> str:
    """A key that answers of one backend share, by its memory."""
    return str(asked_of.get("profile") or _host(asked_of))


def backend_name(asked_of: JsonObject) -> str:
    """The name in a backend's memory, else the host of its address."""
    name, profile = asked_of.get("name"), str(asked_of.get("profile") or "")
    known = name if isinstance(name, str) else ""
    of_operator = "" if own_id_of(profile) else profile.removeprefix("given:")
    return (known or of_operator or _host(asked_of) or gettext(_NAMELESS))[:_LONGEST_NAME].translate(OVERRIDES)


def origins_of(asked: Iterable[JsonObject]) -> frozenset[str]:
    return frozenset(origin_of(str(one.get("url") or "")) for one in asked) - {""}


def _host(asked_of: JsonObject) -> str:
    # It may come from an imported file.
    try:
        return urlsplit(str(asked_of.get("url") or "")).netloc.rpartition("@")[2]
    except ValueError:
        return ""
