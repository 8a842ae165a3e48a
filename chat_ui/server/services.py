"""The services that the page's states and routes share in one process, built once from the settings."""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from chat_ui.backends.backends import Backends
from chat_ui.backends.credential import Tokens, seal_key
from chat_ui.backends.offer import Offer
from chat_ui.backends.operator_profiles import operator_profiles
from chat_ui.backends.profile import Profile, RecordedProfile
from chat_ui.backends.replaying import Replaying
from chat_ui.backends.vault import Vault
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.people.limits import Admission, Allowance, Limits
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.errors import UnusableSettingsError
from chat_ui.languages.catalogues import chosen as spoken
from chat_ui.languages.catalogues import offered
from chat_ui.languages.language import Language
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.documents.document_urls import Kind, document_template
from chat_ui.protocol.reading.json_text import MOST_PARTS
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Policy, guard_for
from chat_ui.protocol.transport.throttle import Throttle
from chat_ui.rendering.panels.read_document import Reader
from chat_ui.server.addresses import is_loopback, own_host
from chat_ui.server.brand import Brand
from chat_ui.server.processes.pool import Processes, Uploads
from chat_ui.server.renderings import Renderings
from chat_ui.server.served import Served
from chat_ui.settings import Settings, names_people, store_bytes, store_url

logger = logging.getLogger(__name__)

VALUE_BYTES: Final = 8 * 1024 * 1024
"""Bytes of one JSON value of an answer, such as its sources with their images."""


@dataclass(frozen=True, slots=True, eq=False)
class Services:
    """The services of one process.

    `is_local` says that only people on this machine can reach the page. `following` counts the pages of each person
    that follow an answer. `pages` is the folder of the built page once it is served. If several processes serve the
    same people, `allowance` and `conversations` are shared over Redis. The features fill `readers`.
    """

    settings: Settings
    languages: Mapping[str, Language]
    brand: Brand
    is_local: bool
    backends: Backends
    admission: Admission
    allowance: Allowance
    following: Counter[str]
    processes: Processes
    uploads: Uploads
    renderings: Renderings
    conversations: Conversations
    pages: Path
    served: tuple[Served, ...] = ()
    readers: dict[Kind, Reader] = field(default_factory=dict)

    def own_parts(self, profile: Profile) -> dict[str, str]:
        """HTML of the page's parts with the branding of an operator's backend, and its `style`."""
        return {name: html for served in self.served for name, html in served.own_parts(profile).items()}


def build(
    chosen: Settings,
    host: str,
    port: int,
    *,
    brand: Brand,
    default_backend: Callable[[Settings, str], Profile] | None,
    pages: Path,
) -> Services:
    """The services of a server that listens at `host` and `port`, without connections and written files.

    `default_backend` gives the backend for settings without one, from the origin of the server.

    Raises:
        UnusableSettingsError: the operator's backends or language cannot be used.
        ValueError: the key of a backend is missing from the environment.
    """
    is_local = is_loopback(host) and not (chosen.origins or chosen.trusted_proxies or names_people(chosen))
    default = default_backend(chosen, f"http://{own_host(host)}:{port}") if default_backend else None
    profiles, recordings = operator_profiles(chosen, default)
    offer = offer_of(profiles, chosen, is_local=is_local)
    documents = [template for profile in offer.operator_profiles if (template := document_template(profile.backend()))]
    live = [profile.url for profile in offer.operator_profiles if not isinstance(profile, RecordedProfile)]
    trusted = [*([default.url] if default else []), *live, *documents, *chosen.backend_origins]
    policy: Policy = chosen.policy or ("local" if is_local else "public")
    throttle, guard = Throttle(), guard_for(policy, trusted)
    bounds = Bounds(
        idle_timeout=chosen.idle_seconds,
        answer_bytes=chosen.answer_bytes,
        value_bytes=VALUE_BYTES,
        value_parts=MOST_PARTS,
    )
    limits = Limits(chosen.questions_per_minute, chosen.answers_at_once, chosen.question_characters)
    redis_url = chosen.redis_url.get_secret_value() if chosen.redis_url else None
    redis = redis_at(redis_url) if redis_url else None
    attachments = Attachments(redis_at(redis_url, as_text=False) if redis_url else None)
    client = AsyncClient(bounds, guard=guard, throttle=throttle)
    replaying, processes = Replaying(recordings), Processes()
    conversations = Conversations(
        lambda: Database.open(store_url(chosen)),
        find_targets=replaying.targets,
        retention_days=chosen.retention_days or None,
        redis=redis,
        attachments=attachments,
        person_bytes=chosen.person_bytes,
        store_bytes=store_bytes(chosen),
    )
    return Services(
        settings=chosen,
        languages=languages_of(chosen),
        brand=brand,
        is_local=is_local,
        backends=Backends(offer, _vault(chosen, conversations), Tokens(), replaying, client),
        admission=Admission(lambda: throttle.lateness, lambda: len(conversations.repository.running)),
        allowance=Allowance(limits, redis),
        following=Counter(),
        processes=processes,
        uploads=Uploads(),
        renderings=Renderings(processes),
        conversations=conversations,
        pages=pages,
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
            f"CHAT_UI_LANGUAGE: {chosen_settings.language} is not available. Use one of: {known}."
        )
    return languages


def offer_of(operator_profiles: tuple[Profile, ...], chosen: Settings, *, is_local: bool) -> Offer:
    """The backends on offer: people add backends and options only where they may open the settings."""
    is_open = chosen.settings_access == "open"
    own_allowed = is_open and chosen.allow_custom_backends
    return Offer(operator_profiles, own_allowed, is_open, certificates_allowed=own_allowed and is_local)


def cookie_secret(chosen: Settings) -> str:
    """The secret of cookies: from the settings, else the key in the data folder, else a secret of this process."""
    for shared in (chosen.secret_key, chosen.database_url):
        if shared is not None:
            return shared.get_secret_value()
    try:
        return seal_key(chosen.data_dir)
    except OSError as error:
        logger.warning(
            "users are not recognised after a restart: the key in the data folder cannot be used (%s)", error
        )
        return secrets.token_urlsafe(32)


def _vault(chosen: Settings, conversations: Conversations) -> Vault:
    url = store_url(chosen)
    # Beside SQLite, credentials have a separate file.
    is_shared = not url.startswith("sqlite")
    return Vault(
        chosen.data_dir,
        chosen.secret_key.get_secret_value() if chosen.secret_key else None,
        (lambda: engine_at(url)) if is_shared else None,
        # A backend behind the same proxy would take these headers for the proxy's own.
        [name for name in (chosen.identity_header, chosen.token_header) if name],
        lambda: is_shared and conversations.unavailable,
    )


_current: list[Services] = []
"""Reflex makes the page's states, so the services cannot be passed to them."""


def use(services: Services) -> None:
    _current[:] = [services]


def services() -> Services:
    """The services of this process's app.

    Raises:
        LookupError: nothing was built yet.
    """
    if not _current:
        raise LookupError("Services are not built yet: call `use` first.")
    return _current[0]
