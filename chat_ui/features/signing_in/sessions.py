"""Sessions of browsers that signed in. A cookie has random bits, and the vault has a sealed row under their digest."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Final

from chat_ui.backends.credential import Credential
from chat_ui.backends.vault import Vault
from chat_ui.errors import VaultError, VaultUnavailableError
from chat_ui.features.signing_in.id_token import Claims
from chat_ui.features.signing_in.provider import TokenResponse
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.server.middleware.identity import Cookies, SignedIn

ROW: Final = "sign-in"
"""The name of a session's row; a scope follows in the names of its tokens' rows."""
IDLE_DAYS: Final = 30
"""Days without a renewed token, after which a session ends."""
RENEWED_BEFORE: Final = 300
"""Seconds before the end of an access token, at which it is renewed."""
_DAY: Final = 24 * 3600
_FRESH_SECONDS: Final = 10
"""Seconds for which a process trusts a session that it read, unless it ended there."""
_LONGEST_HINT: Final = 8_000
"""Characters of an ID token that fit into the address of the provider's sign-out."""
_MEMORY_BYTES: Final = 16 * 1024 * 1024
_MOST_OF_A_PERSON: Final = 8


@dataclass(frozen=True, slots=True)
class Session:
    """A sign-in of one browser: `id` is the digest of its cookie's bits, `before` the person of this browser before it,
    empty once their conversations are brought along. `scope` is that of the first access token. `id_token` is empty if
    it is too long for an address.
    """

    id: str
    person: str
    subject: str
    name: str
    groups: frozenset[str]
    before: str
    scope: str
    id_token: str = field(repr=False)
    refresh_token: str = field(repr=False)

    @classmethod
    def read(cls, row: Credential | None) -> Session | None:
        found = json.loads(row.secret) if row is not None else None
        return cls(**{**found, "groups": frozenset(found["groups"])}) if found else None


@dataclass(frozen=True, slots=True)
class AccessToken:
    """An access token until `ends_at`, renewed from `renewed_at` on, by this server's clock."""

    value: str = field(repr=False)
    renewed_at: float
    ends_at: float

    @classmethod
    def of(cls, tokens: TokenResponse, now: float) -> AccessToken:
        # Keycloak's tokens last for five minutes.
        lasting = tokens.expires_in
        return cls(tokens.access_token, now + max(lasting - RENEWED_BEFORE, lasting / 2), now + lasting)

    @classmethod
    def read(cls, row: Credential | None) -> AccessToken | None:
        return cls(**json.loads(row.secret)) if row is not None else None


def row_of(value: Session | AccessToken) -> Credential:
    return Credential("bearer", json.dumps(asdict(value), default=sorted))


def hint_of(tokens: TokenResponse) -> str:
    """The ID token for the provider's sign-out; empty if it is too long for an address."""
    return tokens.id_token if len(tokens.id_token) <= _LONGEST_HINT else ""


class Sessions:
    """The sessions at `issuer`. All methods raise `VaultUnavailableError` while the vault cannot be used."""

    def __init__(self, vault: Vault, secret: str, issuer: str, *, clock: Callable[[], float] = time.time) -> None:
        self._vault, self._issuer, self._clock = vault, issuer, clock
        self._cookies = Cookies(secret, label=f"chat_ui session at {issuer}")
        self._read: RecentlyUsed[str, tuple[float, Session | None]] = RecentlyUsed(_MEMORY_BYTES)
        """Sessions without their tokens, each with the time at which it was read."""
        self._of_person: RecentlyUsed[str, tuple[str, ...]] = RecentlyUsed(_MEMORY_BYTES)
        self._swept = -math.inf

    async def begin(self, claims: Claims, tokens: TokenResponse, scope: str, before: str) -> str:
        """Begin a session with the tokens of a sign-in for `scope`, perhaps empty; returns the cookie's value."""
        value = self._cookies.new()
        session_id = self._cookies.person(value) or ""
        person = hashlib.sha256(f"oidc:{self._issuer} {claims.subject}".encode()).hexdigest()
        about = claims.subject, claims.name, claims.groups, before, scope, hint_of(tokens), tokens.refresh_token
        async with self._vault.in_turn(session_id) as rows:
            rows[ROW] = row_of(Session(session_id, person, *about))
            rows[f"{ROW} {scope}"] = row_of(AccessToken.of(tokens, self._clock()))
        return value

    async def signed_in(self, value: str) -> SignedIn | None:
        if (session_id := self._cookies.person(value)) is None:
            return None
        if (now := self._clock()) - self._swept >= _DAY:
            self._swept = now
            await self._vault.drop_older(ROW, now - IDLE_DAYS * _DAY)
        session = await self._current(session_id)
        return SignedIn(session.person, session.id) if session is not None else None

    async def find(self, session_id: str) -> Session | None:
        try:
            row = await self._vault.find(session_id, ROW)
        except VaultUnavailableError:
            raise
        except VaultError:
            # It was sealed with another key.
            row = None
        self.note(session_id, session := Session.read(row))
        return session

    async def answered(self, session_id: str) -> None:
        """Note that the conversations from before the sign-in were brought along or deleted."""
        async with self._vault.in_turn(session_id) as rows:
            if (session := Session.read(rows.get(ROW))) is not None:
                rows[ROW] = row_of(replace(session, before=""))

    async def end(self, session_id: str) -> Session | None:
        """End a session and forget its tokens; returns it as it was."""
        async with self._vault.in_turn(session_id) as rows:
            session = Session.read(rows.get(ROW))
            rows.clear()
        self.note(session_id, None)
        return session

    def of_person(self, person: str) -> tuple[str, ...]:
        """The ids of the person's sessions that this process knows, the one seen last first."""
        return self._of_person.get(person) or ()

    def groups(self, person: str) -> frozenset[str] | None:
        """The groups of the person's last session; None for a person who is not signed in."""
        read = (self._read.get(session_id) for session_id in self.of_person(person))
        return next((found[1].groups for found in read if found is not None and found[1] is not None), None)

    async def current(self, person: str) -> Session | None:
        """The person's last session as another process may have changed it, at most 10 s old."""
        for session_id in self.of_person(person):
            if (session := await self._current(session_id)) is not None:
                return session
        return None

    async def _current(self, session_id: str) -> Session | None:
        read_at, session = self._read.get(session_id) or (-math.inf, None)
        return session if self._clock() - read_at < _FRESH_SECONDS else await self.find(session_id)

    def note(self, session_id: str, session: Session | None) -> None:
        """Remember a session as it was read or written; None if it has ended."""
        known = replace(session, id_token="", refresh_token="") if session is not None else None
        size = size_of((known, *(known.groups if known else ())), _MEMORY_BYTES)
        self._read.put(session_id, (self._clock(), known), size)
        if session is not None:
            others = (one for one in self.of_person(session.person) if one != session_id)
            ids = (session_id, *others)[:_MOST_OF_A_PERSON]
            self._of_person.put(session.person, ids, size_of((ids,), _MEMORY_BYTES))
