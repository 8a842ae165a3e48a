"""A credential for a backend: the header that carries it, its encryption, and the tokens that a proxy passes on.

A credential is encrypted with Fernet before it is written, together with its person and origin. So a record that is
moved to another person or origin does not open. The module never prints it.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import math
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias, get_args
from weakref import WeakValueDictionary

from cryptography.fernet import Fernet, InvalidToken

from chat_ui.errors import SignInNeededError
from chat_ui.protocol.backends.backend import is_header_name
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.protocol.translatable import msg

logger = logging.getLogger(__name__)

Scheme: TypeAlias = Literal["bearer", "api-key", "header"]
"""The scheme of a key: as a bearer token, in the header `api-key`, or in a header of another name."""

_RESERVED_HEADERS: Final = re.compile(
    r"(?:host|cookie|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept.*|origin|referer|forwarded|"
    r"proxy-.*|sec-.*|x-forwarded-.*|x-real-ip|x-ms-.*|x-chat-ui-.*|remote-.*|x-auth-.*)",
    re.IGNORECASE,
)
_MAX_SECRET: Final = 16_384
TOKEN_BYTES: Final = 32 * 1024 * 1024
_NEW_TOKEN_SECONDS: Final = 3
SEALED_FILE: Final = "credentials.db"
"""The file of sealed credentials, beside the key."""
_MENDING: Final = "restore a backup, or delete it and let users enter their keys again"


@dataclass(frozen=True, slots=True)
class Credential:
    """A key and its scheme; `header` is the header's name for the scheme `header`, else empty."""

    scheme: Scheme
    secret: str = field(repr=False)
    header: str = ""

    def headers(self) -> dict[str, str]:
        match self.scheme:
            case "bearer":
                return {"Authorization": f"Bearer {self.secret}"}
            case "api-key":
                return {"api-key": self.secret}
            case "header":
                return {self.header: self.secret}


def credential_of(scheme: str, secret: str, header: str = "", *, reserved: Collection[str] = ()) -> Credential:
    """A typed credential; the headers `reserved` cannot carry a key.

    Raises:
        ValueError: it cannot be sent; the words are for the person, without the secret.
    """
    secret = secret.strip()
    if scheme not in get_args(Scheme):
        raise ValueError(msg("Choose an authentication."))
    if scheme == "bearer":
        secret = re.sub(r"(?i)\Abearer(?:\s+|\Z)", "", secret)
    if not secret:
        raise ValueError(msg("Enter the key."))
    if not secret.isascii() or not secret.isprintable():
        raise ValueError(msg("The key contains characters that cannot be sent in a header. Check it."))
    if len(secret) > _MAX_SECRET:
        raise ValueError(msg("The key is too long for a header. Check it."))
    header = header.strip()
    if scheme == "header":
        if not is_header_name(header):
            raise ValueError(msg("Enter the name of the header, such as X-Api-Key."))
        if not may_carry_a_key(header, reserved):
            raise ValueError(msg("The header {name} is not meant for keys. Choose another one.", name=header))
    return Credential(scheme, secret, header if scheme == "header" else "")  # type: ignore[arg-type]


def may_carry_a_key(header: str, reserved: Collection[str]) -> bool:
    """Whether a person's key may be in that header, without another meaning and not `reserved`."""
    return not _RESERVED_HEADERS.fullmatch(header) and header.lower() not in map(str.lower, reserved)


class Seal:
    """Encrypts credentials with one key; `key` is any secret text."""

    def __init__(self, key: str) -> None:
        self._fernet = Fernet(base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()))

    def encrypt(self, credential: Credential, person: str, origin: str) -> str:
        """The sealed form of `credential`, to be opened only for the same person and origin."""
        content = {
            "person": person,
            "origin": origin,
            "kind": credential.scheme,
            "secret": credential.secret,
            "header": credential.header,
        }
        return self._fernet.encrypt(json.dumps(content).encode()).decode()

    def decrypt(self, sealed: str, person: str, origin: str) -> Credential | None:
        """The credential in `sealed`; None if it was sealed with another key, or for another person or origin."""
        try:
            content = json.loads(self._fernet.decrypt(sealed.encode()))
        except InvalidToken:
            return None
        same = hmac.compare_digest(content["person"], person) and content["origin"] == origin
        return Credential(content["kind"], content["secret"], content["header"]) if same else None


def seal_key(folder: Path) -> str:
    """The key in `folder`, made if missing, which only its owner can read.

    Raises:
        OSError: the folder cannot be used, its file lacks a key, or others may read it.
    """
    path = folder / "secret.key"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = folder / f"secret.key.{os.getpid()}"
    if not path.exists():
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(Fernet.generate_key())
            file.flush()
            # An empty file would be a key that everybody knows.
            os.fsync(file.fileno())
        try:
            # Of two processes that start at once, one makes the key for both.
            os.link(fresh, path)
            if (folder / SEALED_FILE).exists():
                logger.warning(
                    "%s was missing and a new one was created. Restore it from a backup, or let users enter their keys "
                    "again.",
                    path,
                )
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    if not path.is_file():
        raise OSError(f"{path} is not a file")
    if path.stat().st_mode & 0o077:
        raise PermissionError(f"{path} can be read by other users; run chmod 600 on it")
    try:
        key = path.read_text("ascii").strip()
    except UnicodeDecodeError:
        raise OSError(f"{path} is damaged; {_MENDING}") from None
    if not key:
        raise OSError(f"{path} is empty; {_MENDING}")
    return key


class Accounts(Protocol):
    """People who signed in here. `is_required`: nobody else may ask."""

    is_required: bool

    def groups(self, person: str) -> frozenset[str] | None:
        """The groups of a person; None for a person who is not signed in."""

    async def current_groups(self, person: str) -> frozenset[str] | None:
        """The same, with changes by other processes."""

    async def token(self, person: str, scope: str) -> str:
        """A token for `scope` that lasts; empty for a person who is not signed in.

        Raises:
            SignInNeededError: the person must sign in again.
            VaultError: a token cannot be had at the moment.
        """

    def refused(self, token: str) -> None:
        """Renew this token before its next use: a backend did not accept it."""


class Tokens:
    """The tokens of people: of `accounts`, or the newest from an authenticating proxy, which each request brings again
    and which is only in memory.
    """

    def __init__(self, memory_bytes: int = TOKEN_BYTES, clock: Callable[[], float] = time.time) -> None:
        self.accounts: Accounts | None = None
        self._clock = clock
        self._by_person: RecentlyUsed[str, tuple[str, float]] = RecentlyUsed(memory_bytes)
        self._awaited: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()

    def keep(self, person: str, token: str, ends_at: float = math.inf) -> None:
        """Keep the token of a proxy until `ends_at`, in seconds since 1970."""
        if token:
            self._by_person.put(person, (token, ends_at), sys.getsizeof(token))
            if self._clock() < ends_at and (awaited := self._awaited.get(person)) is not None:
                awaited.set()

    def groups(self, person: str) -> frozenset[str] | None:
        """The groups of a person; None for a person who did not sign in here."""
        return self.accounts.groups(person) if self.accounts is not None else None

    async def of(self, person: str, scope: str = "") -> str:
        """The person's token for `scope`; empty without one. Wait at most 3 s for the page to bring a new one.

        Raises:
            SignInNeededError: the person must sign in again.
        """
        token = await self.accounts.token(person, scope) if self.accounts is not None else ""
        if token or person not in self._by_person:
            return token
        if not self._current(person):
            awaited = self._awaited.setdefault(person, asyncio.Event())
            with suppress(TimeoutError):
                async with asyncio.timeout(_NEW_TOKEN_SECONDS):
                    await awaited.wait()
        if not (current := self._current(person)):
            raise SignInNeededError(msg("Sign in again to use this backend."))
        return current

    def refused(self, headers: Mapping[str, str]) -> None:
        """Renew the token among these headers before its next use: a backend did not accept it."""
        if self.accounts is not None:
            for value in headers.values():
                self.accounts.refused(value.removeprefix("Bearer "))

    def _current(self, person: str) -> str:
        token, ends_at = self._by_person.get(person) or ("", -math.inf)
        return token if self._clock() < ends_at else ""


def end_of(token: str, told: str = "") -> float:
    """The time at which a proxy's token ends, in seconds since 1970: as `told` by its header in ISO 8601, else the
    unverified `exp` of a JWT; infinite if unknown.
    """
    with suppress(ValueError):
        return datetime.fromisoformat(told).timestamp()
    with suppress(ValueError, LookupError, TypeError, RecursionError):
        return float(json.loads(base64.urlsafe_b64decode(f"{token.split('.')[1]}=="))["exp"])
    return math.inf
