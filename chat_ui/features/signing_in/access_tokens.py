"""Access tokens of sessions, renewed on demand: one request to the provider for all tabs and processes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from typing import Final

from chat_ui.backends.vault import Vault
from chat_ui.errors import SignInNeededError, VaultError
from chat_ui.features.signing_in.errors import GrantRefusedError, ProviderError
from chat_ui.features.signing_in.id_token import Claims, person_of
from chat_ui.features.signing_in.provider import Provider, TokenResponse
from chat_ui.features.signing_in.sessions import ROW, AccessToken, Session, Sessions, hint_of, row_of
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.protocol.translatable import msg

logger = logging.getLogger(__name__)

WAIT_SECONDS: Final = 5.0
"""Seconds that a question waits for a renewal, which goes on without it."""
_CLAIMS_SECONDS: Final = 4.0
_REFUSED_BYTES: Final = 1024 * 1024
_BY_SIGN_IN: Final = {"invalid_grant", "consent_required", "interaction_required", "login_required", "invalid_scope"}
"""Errors of the token endpoint that a further sign-in can mend."""
_AGAIN: Final = msg("Sign in again to use this backend.")
_SILENT: Final = msg("The sign-in service does not answer. Try again in a moment.")


class AccessTokens:
    """The tokens of people who signed in; members of `allowed`, if any. It implements `Accounts`."""

    def __init__(
        self,
        sessions: Sessions,
        provider: Provider,
        vault: Vault,
        *,
        is_required: bool,
        allowed: Collection[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.is_required = is_required
        self.groups = sessions.groups
        self._sessions, self._provider, self._vault, self._clock = sessions, provider, vault, clock
        self._allowed = frozenset(allowed)
        self._renewals: dict[tuple[str, str], asyncio.Task[AccessToken | None]] = {}
        self._refused: RecentlyUsed[int, bool] = RecentlyUsed(_REFUSED_BYTES)
        """Refused tokens by their hashes; those of a grant with its scope."""

    def refused(self, token: str) -> None:
        self._refused.put(hash(token), True, 0)

    async def current_groups(self, person: str) -> frozenset[str] | None:
        if (session := await self._sessions.current(person)) is None:
            return None
        own = AccessToken.read(await self._vault.find(session.id, f"{ROW} {session.scope}"))
        if own is not None and not self._is_fresh(own):
            # Its claims count for the next question: this one may not need the provider.
            self._renewal(session.id, session.scope)
        return session.groups

    async def token(self, person: str, scope: str) -> str:
        known = self._sessions.of_person(person)
        for session_id in known:
            # The provider may have ended the sign-in of one browser only.
            with suppress(SignInNeededError):
                if (token := await self._of_session(session_id, scope)) is not None:
                    return token.value
        if known:
            raise SignInNeededError(_AGAIN)
        return ""

    async def end(self) -> None:
        """Wait for running renewals: without its successor, a used refresh token is lost."""
        if self._renewals:
            await asyncio.wait(self._renewals.values(), timeout=WAIT_SECONDS)

    async def _of_session(self, session_id: str, scope: str) -> AccessToken | None:
        """The session's token for `scope`; None if the session has ended."""
        held = AccessToken.read(await self._vault.find(session_id, f"{ROW} {scope}"))
        if held is not None and self._is_fresh(held):
            return held
        renewal = self._renewal(session_id, scope)
        await asyncio.wait([renewal], timeout=WAIT_SECONDS)
        error = renewal.exception() if renewal.done() else VaultError(_SILENT)
        if error is None:
            return renewal.result()
        if held is not None and self._clock() < held.ends_at and hash(held.value) not in self._refused:
            return held
        raise error

    def _renewal(self, session_id: str, scope: str) -> asyncio.Task[AccessToken | None]:
        """The running renewal, which goes on without those who wait: a used refresh token must be replaced."""
        key = session_id, scope
        if (renewal := self._renewals.get(key)) is None:
            renewal = self._renewals[key] = asyncio.create_task(self._renewed(session_id, scope))
            renewal.add_done_callback(lambda done: self._renewals.pop(key) and (done.cancelled() or done.exception()))
        return renewal

    async def _renewed(self, session_id: str, scope: str) -> AccessToken | None:
        session = await self._sessions.find(session_id)
        if session is not None and scope != session.scope:
            # Only the scopes of the sign-in give all claims about the person.
            await self._of_session(session_id, session.scope)
        async with self._vault.in_turn(session_id) as rows:
            session = Session.read(rows.get(ROW))
            if session is None:
                return None
            token = AccessToken.read(rows.get(f"{ROW} {scope}"))
            if token is not None and self._is_fresh(token):
                return token
            is_own = scope == session.scope
            tokens = await self._grant(session.refresh_token, "" if is_own else scope)
            token = AccessToken.of(tokens, self._clock())
            claims = Claims(session.subject, session.name, session.groups)
            if tokens.id_token and is_own:
                needs_groups = bool(session.groups or self._allowed)
                # Without a valid ID token in time, the former claims stay.
                with suppress(ProviderError, TimeoutError):
                    async with asyncio.timeout(_CLAIMS_SECONDS):
                        claims = await person_of(tokens, self._provider, None, needs_groups=needs_groups)
            if claims.subject != session.subject or (self._allowed and not self._allowed & claims.groups):
                rows.clear()
                session = None
            else:
                newest = tokens.refresh_token or session.refresh_token
                hint = hint_of(tokens) or session.id_token
                name = claims.name or session.name
                session = replace(session, name=name, groups=claims.groups, id_token=hint, refresh_token=newest)
                rows.update({ROW: row_of(session), f"{ROW} {scope}": row_of(token)})
        self._sessions.note(session_id, session)
        return token if session is not None else None

    async def _grant(self, refresh_token: str, scope: str) -> TokenResponse:
        grant = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        if not refresh_token or hash(f"{scope} {refresh_token}") in self._refused:
            raise SignInNeededError(_AGAIN)
        try:
            return await self._provider.token({**grant, "scope": f"openid {scope}"} if scope else grant)
        except ProviderError as error:
            if isinstance(error, GrantRefusedError) and error.code in _BY_SIGN_IN:
                self.refused(f"{scope} {refresh_token}")
                raise SignInNeededError(_AGAIN) from None
            logger.warning("A token cannot be renewed: %s", error)
            raise VaultError(_SILENT) from None

    def _is_fresh(self, token: AccessToken) -> bool:
        return self._clock() < token.renewed_at and hash(token.value) not in self._refused
