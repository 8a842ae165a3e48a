"""The services that the page's states and routes share in one process, built once from the settings."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chat_ui.backends.credential import Tokens, seal_key
from chat_ui.backends.offer import Offer, remembered_backend
from chat_ui.backends.operator_profiles import operator_profiles, recording_of_all
from chat_ui.backends.profile import Profile, RecordedProfile
from chat_ui.backends.vault import Vault
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.people.limits import Admission, Allowance, Limits
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.features.branding.branding import Branding, branding_of
from chat_ui.features.presenting.script import Script, read_script
from chat_ui.features.recordings.replaying import PageRecorder, Replaying
from chat_ui.features.telemetry.generations import GenerationWatch
from chat_ui.languages.catalogues import chosen as spoken
from chat_ui.languages.catalogues import offered
from chat_ui.languages.language import Language
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.documents.document_urls import document_template
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.reading.json_text import MOST_PARTS
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.guard import Policy, guard_for
from chat_ui.protocol.transport.pace import Pace
from chat_ui.server.addresses import DEMO, is_loopback, own_host
from chat_ui.server.processes.pool import Processes, Uploads
from chat_ui.settings import LinkReaders, Settings, UnusableSettingsError, link_readers, store_bytes, store_url

logger = logging.getLogger(__name__)

VALUE_BYTES: Final = 8 * 1024 * 1024
"""Bytes of one JSON value of an answer: the sources of an answer with their images are one."""


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one process.

    `brandings` are those that the operator's backends have of their own, by the names of the backends. `is_local` says
    that only people on this machine can reach the page, and `link_readers` who may read shared links. Where several
    processes serve the same people, `allowance`, `attachments` and `conversations` are shared over Redis.
    """

    settings: Settings
    languages: Mapping[str, Language]
    branding: Branding
    brandings: Mapping[str, Branding]
    is_local: bool
    link_readers: LinkReaders
    offer: Offer
    vault: Vault
    tokens: Tokens
    client: Client
    pace: Pace
    admission: Admission
    allowance: Allowance
    attachments: Attachments
    processes: Processes
    uploads: Uploads
    watch: GenerationWatch
    conversations: Conversations
    recorder: PageRecorder
    replaying: Replaying
    script: Script | None
    """The operator's, of a showing."""

    async def client_for(self, backend: Backend) -> Client:
        """The client for further requests to a backend of a conversation.

        Raises:
            RecordingError: a recording answers instead, and is not there any more.
        """
        return await self.replaying.client_for(self.client, backend)

    async def remembered_backend(self, asked_of: JsonObject, person: str) -> Backend | None:
        """The backend that a conversation remembers, with this person's credential; None where it is not on offer.

        Raises:
            VaultError, ValueError: its credential cannot be had.
        """
        return await remembered_backend(asked_of, person, self.offer, self.vault, self.tokens)


def build(chosen: Settings, host: str, port: int) -> Services:
    """The services of a server that listens at `host` and `port`. Nothing is connected to and no file is written yet.

    Raises:
        BrandingError: the branding cannot be shown.
        ProfilesError: the operator's backends cannot be used.
        ScriptError: the script of a showing cannot be used.
        UnusableSettingsError: there is no such language, or nobody could read shared links.
        ValueError: the key of one of them is not in the environment.
    """
    is_local = is_loopback(host) and not (chosen.origins or chosen.trusted_proxies)
    demo = f"http://{own_host(host)}:{port}{DEMO}/chat"
    profiles, recordings = operator_profiles(chosen, demo)
    offer = offer_of(profiles, chosen, is_local=is_local)
    documents = [template for profile in offer.operator_profiles if (template := document_template(profile.backend()))]
    live = [profile.url for profile in offer.operator_profiles if not isinstance(profile, RecordedProfile)]
    trusted = [demo, *live, *documents, *chosen.backend_origins]
    policy: Policy = chosen.policy or ("local" if is_local else "public")
    pace, guard = Pace(), guard_for(policy, trusted)
    bounds = Bounds(
        idle=chosen.idle_seconds,
        answer_bytes=chosen.answer_bytes,
        value_bytes=VALUE_BYTES,
        value_parts=MOST_PARTS,
    )
    limits = Limits(chosen.questions_per_minute, chosen.answers_at_once, chosen.question_characters)
    redis_url = chosen.redis_url.get_secret_value() if chosen.redis_url else None
    redis = redis_at(redis_url) if redis_url else None
    attachments = Attachments(redis_at(redis_url, as_text=False) if redis_url else None)
    watch = GenerationWatch()
    recorder = PageRecorder(recording_of_all(chosen, profiles))
    replaying = Replaying(recordings, recorder)
    conversations = Conversations(
        lambda: Database.open(store_url(chosen)),
        watch=watch,
        find_ways=replaying.ways,
        keep_days=chosen.retention_days or None,
        redis=redis,
        attachments=attachments,
        person_bytes=chosen.person_bytes,
        store_bytes=store_bytes(chosen),
    )
    conversations.feedback.changed = watch.feedback_changed
    branding = branding_of(chosen)
    return Services(
        settings=chosen,
        languages=languages_of(chosen),
        branding=branding,
        brandings={
            one.name: branding.with_own(one.name, **one.branding.model_dump())
            for one in offer.operator_profiles
            if one.branding
        },
        is_local=is_local,
        link_readers=link_readers(chosen, is_local=is_local),
        offer=offer,
        vault=_vault(chosen, conversations),
        tokens=Tokens(),
        client=Client(bounds, guard=guard, pace=pace),
        pace=pace,
        admission=Admission(lambda: pace.lateness, lambda: len(watch.running)),
        allowance=Allowance(limits, redis),
        attachments=attachments,
        processes=Processes(),
        uploads=Uploads(),
        watch=watch,
        conversations=conversations,
        recorder=recorder,
        replaying=replaying,
        script=read_script(chosen.script) if chosen.script is not None else None,
    )


def languages_of(chosen_settings: Settings) -> Mapping[str, Language]:
    """The languages of the page, by their tags.

    Raises:
        UnusableSettingsError: the operator's is not among them, or a catalogue of theirs cannot be read.
    """
    try:
        languages = offered(chosen_settings.translations)
    except ValueError as problem:
        raise UnusableSettingsError(f"CHAT_UI_TRANSLATIONS: {problem}") from None
    if chosen_settings.language and spoken([chosen_settings.language], languages) is None:
        known = ", ".join(languages)
        raise UnusableSettingsError(
            f"CHAT_UI_LANGUAGE: there is no language {chosen_settings.language}. Known: {known}."
        )
    return languages


def offer_of(operator_profiles: tuple[Profile, ...], chosen: Settings, *, is_local: bool) -> Offer:
    """The backends on offer: people add backends and options of their own only where they may open the settings."""
    is_open = chosen.settings_access == "open"
    own_allowed = is_open and chosen.allow_custom_backends
    return Offer(operator_profiles, own_allowed, is_open, certificates_allowed=own_allowed and is_local)


def cookie_secret(chosen: Settings) -> str:
    """The secret that signs cookies: what processes that serve the same people share, else the key in the data folder,
    or, where that cannot be kept, a secret of this process.
    """
    for shared in (chosen.secret_key, chosen.database_url):
        if shared is not None:
            return shared.get_secret_value()
    try:
        return seal_key(chosen.data_dir)
    except OSError as error:
        logger.warning("people are not known again after a restart: the data folder holds no key (%s)", error)
        return secrets.token_urlsafe(32)


def _vault(chosen: Settings, conversations: Conversations) -> Vault:
    url = store_url(chosen)
    # Beside SQLite, credentials have a file of their own.
    is_shared = not url.startswith("sqlite")
    return Vault(
        chosen.data_dir,
        chosen.secret_key.get_secret_value() if chosen.secret_key else None,
        (lambda: engine_at(url)) if is_shared else None,
        # A backend behind the same proxy would take these headers for the proxy's own.
        [name for name in (chosen.identity_header, chosen.token_header) if name],
        lambda: is_shared and conversations.away,
    )


_current: list[Services] = []
"""Reflex makes the page's states, so the services cannot be handed to them."""


def use(services: Services) -> None:
    _current[:] = [services]


def services() -> Services:
    """The services that the app of this process was built with.

    Raises:
        LookupError: nothing was built yet.
    """
    if not _current:
        raise LookupError("The app's services are not built yet: call `use` first.")
    return _current[0]
