"""What the page's states and routes share in one process: the conversations and the client that answers them."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from filelock import AsyncFileLock
from reflex.config import get_config
from sqlalchemy import make_url

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.people.limits import Allowance, Limits
from chat_ui.conversations.people.shared_attachments import SharedAttachments
from chat_ui.conversations.people.shared_limits import SharedAllowance
from chat_ui.conversations.sharing.redis_connection import redis_at
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.demo.answering import STARTER_QUESTIONS
from chat_ui.processes.pool import Processes
from chat_ui.profiles.credential import seal_key
from chat_ui.profiles.offer import Offer, backend_behind
from chat_ui.profiles.profile import Profile, read_profiles
from chat_ui.profiles.tokens import Tokens
from chat_ui.profiles.vault import Vault
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.documents.addresses import document_template
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.reading.json_text import MOST_PARTS
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.guard import Guard, guard_for
from chat_ui.protocol.transport.pace import Pace
from chat_ui.rendering.markdown.code_blocks import SLOW_TO_LOAD, lexer_for
from chat_ui.rendering.packed import packed
from chat_ui.server.alone import NotAloneError, be_alone_with
from chat_ui.server.ending import when_asked_to_end
from chat_ui.server.parent import wait_until_orphaned
from chat_ui.settings import Settings, settings, store_bytes, store_url
from chat_ui.telemetry.generations import GenerationWatch

logger = logging.getLogger(__name__)

DEMO_PATH = "/demo"
VALUE_BYTES: Final = 8 * 1024 * 1024
"""Bytes of one JSON value of an answer: the sources of an answer with their images are one."""
_END_SECONDS: Final = 5.0
"""Within which what is left is written where nobody waits for this process to end."""


def demo_url() -> str:
    """Where the embedded demo backend answers: this server's own address."""
    config = get_config()
    host = "127.0.0.1" if config.backend_host in ("0.0.0.0", "::") else config.backend_host  # noqa: S104 - compared
    return f"http://{host}:{config.backend_port or 8000}{DEMO_PATH}/chat"


def default_backend_url() -> str:
    """The backend that answers until a person sets another."""
    return settings().backend_url or demo_url()


def on_own_machine() -> bool:
    """Whether only people on this machine can reach the page: it listens on loopback, and no proxy is spoken of."""
    chosen = settings()
    return _is_loopback(get_config().backend_host) and not (chosen.origins or chosen.trusted_proxies)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _given_profiles() -> tuple[Profile, ...]:
    """The operator's profiles, or the one default backend.

    Raises:
        ProfilesError: the operator's file cannot be used.
        ValueError: a key is not in the environment.
    """
    if (path := settings().backends) is not None:
        profiles = read_profiles(path)
        for profile in profiles:
            if profile.credential is not None:
                profile.credential.read()
        return profiles
    url = default_backend_url()
    if url == demo_url():
        return (Profile(name="Demo backend", url=url, kind="ai-chat-protocol", starter_questions=STARTER_QUESTIONS),)
    return (Profile(name=urlsplit(url).netloc, url=url),)


def offer_of(given: tuple[Profile, ...], chosen: Settings) -> Offer:
    """What people can choose: backends and options of their own only where the settings of a backend are open."""
    is_open = chosen.settings_access == "open"
    own_allowed = is_open and chosen.allow_custom_backends
    return Offer(given, own_allowed, is_open, certificates_allowed=own_allowed and on_own_machine())


def _guard() -> Guard:
    chosen = settings()
    policy = chosen.policy or ("local" if on_own_machine() else "public")
    documents = [template for profile in offer.given if (template := document_template(profile.backend()))]
    return guard_for(
        policy, [demo_url(), *(profile.url for profile in offer.given), *documents, *chosen.backend_origins]
    )


def _vault() -> Vault:
    chosen = settings()
    url = store_url(chosen)
    return Vault(
        chosen.data_dir.expanduser().absolute(),
        chosen.secret_key.get_secret_value() if chosen.secret_key else None,
        # Beside SQLite, credentials have a file of their own.
        None if url.startswith("sqlite") else lambda: engine_at(url),
        # A backend behind the same proxy would take them for what the proxy says of a person.
        [name for name in (chosen.identity_header, chosen.token_header) if name],
        lambda: not url.startswith("sqlite") and conversations.away,
    )


def cookie_secret() -> str:
    """The secret that signs cookies: what processes that serve the same people share, else the key in the data folder,
    or, where that cannot be kept, a secret of this process.
    """
    chosen = settings()
    for shared in (chosen.secret_key, chosen.database_url):
        if shared is not None:
            return shared.get_secret_value()
    try:
        return seal_key(chosen.data_dir.expanduser().absolute())
    except OSError as error:
        logger.warning(
            "people are not known again after a restart: the data folder holds no key (%s)", type(error).__name__
        )
        return secrets.token_urlsafe(32)


offer = offer_of(_given_profiles(), settings())
vault = _vault()
tokens = Tokens()
_bounds = Bounds(
    idle=settings().idle_seconds,
    answer_bytes=settings().answer_bytes,
    value_bytes=VALUE_BYTES,
    value_parts=MOST_PARTS,
)
pace = Pace()
client = Client(_bounds, guard=_guard(), pace=pace)

_limits = Limits(settings().questions_per_minute, settings().answers_at_once, settings().question_characters)
_redis_url = shared.get_secret_value() if (shared := settings().redis_url) else None
_redis = redis_at(_redis_url) if _redis_url else None
allowance = SharedAllowance(_limits, _redis) if _redis else Allowance(_limits)
attachments = SharedAttachments(redis_at(_redis_url, as_text=False)) if _redis_url else Attachments()


async def remembered_backend(asked_of: JsonObject, person: str) -> Backend | None:
    """How to speak to the backend that a conversation remembers, for this person; None where it is not on offer.

    Raises:
        VaultError, ValueError: its credential cannot be had.
    """
    return await backend_behind(asked_of, person, offer, vault, tokens)


async def _connect() -> Database:
    return await Database.open(store_url(settings()))


processes = Processes()
watch = GenerationWatch()
conversations = Conversations(
    _connect,
    watch=watch,
    keep_days=settings().retention_days or None,
    redis=_redis,
    attachments=attachments,
    person_bytes=settings().person_bytes,
    store_bytes=store_bytes(settings()),
)


@asynccontextmanager
async def keeping() -> AsyncIterator[None]:
    """Keep conversations while the server runs; at its end, let running answers end for a while."""
    asked = asyncio.Event()
    with when_asked_to_end(asked.set):
        lock = await _be_alone()
        warming = asyncio.create_task(_warm(), name="warming")
        await conversations.begin()
        ending = asyncio.create_task(_end_running_after(asked), name="ending answers")
        orphaned = asyncio.create_task(_end_without_parent(), name="looking at the parent")
        try:
            yield
        finally:
            orphaned.cancel()
            warming.cancel()
            asked.set()
            await ending
            await _end()
            if lock is not None:
                await lock.release()


async def _be_alone() -> AsyncFileLock | None:
    """The lock of the one server of an SQLite database; None where there is no such file, or several share a Redis."""
    url = store_url(settings())
    database = make_url(url).database if url.startswith("sqlite") and _redis is None else None
    if not database:
        return None
    try:
        return await be_alone_with(Path(database))
    except NotAloneError as problem:
        logger.error("%s", problem)  # noqa: TRY400 - its words are all that there is to say
        # Whatever is raised here is told with a stack trace.
        os._exit(1)


async def _end() -> None:
    await conversations.end()
    await processes.end()


async def _end_without_parent() -> None:
    await wait_until_orphaned()
    logger.warning("the process that started this one is gone, so this one ends")
    with suppress(TimeoutError):
        async with asyncio.timeout(_END_SECONDS):
            await conversations.end_running(0)
            await _end()
    # The server that runs the app waits for connections, and for the process that is gone.
    os.kill(os.getpid(), signal.SIGKILL)


async def _warm() -> None:
    """Load what the first answer would wait for, and everybody with it."""
    await processes.warm(packed, Answer())
    for language in SLOW_TO_LOAD:
        await asyncio.to_thread(lexer_for, language)


async def _end_running_after(asked: asyncio.Event) -> None:
    await asked.wait()
    await conversations.end_running(settings().grace_seconds)
