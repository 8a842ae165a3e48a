"""Access tokens of sessions, renewed on demand: one request to the provider for all tabs and processes."""

from __future__ import annotations

import asyncio
import hashlib
import json
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
        self._sessions, self._provider, self._vault, self._clock = sessions, provider, vault, clock
        self._allowed = frozenset(allowed)
        self._renewals: dict[tuple[str, str], asyncio.Task[AccessToken | None]] = {}
        self._refused: RecentlyUsed[str, bool] = RecentlyUsed(_REFUSED_BYTES)

    def groups(self, person: str) -> frozenset[str] | None:
        return self._sessions.groups(person)

    def refused(self, token: str) -> None:
        self._refused.put(_digest(token), True, 0)

    async def token(self, person: str, scope: str) -> str:
        known = self._sessions.of_person(person)
        for session_id in known:
            if (token := await self._of_session(session_id, scope)) is not None:
                return token.value
        if known:
            raise SignInNeededError(_AGAIN)
        return ""

    async def _of_session(self, session_id: str, scope: str) -> AccessToken | None:
        """The session's token for `scope`; None if the session has ended."""
        found = await self._vault.find(session_id, f"{ROW} {scope}")
        held = AccessToken(**json.loads(found.secret)) if found is not None else None
        if held is not None and self._is_fresh(held):
            return held
        key = session_id, scope
        if (renewal := self._renewals.get(key)) is None:
            # It goes on after the end of the event that waits: a used refresh token must be replaced.
            renewal = self._renewals[key] = asyncio.create_task(self._renewed(session_id, scope))
            renewal.add_done_callback(lambda done: self._renewals.pop(key) and (done.cancelled() or done.exception()))
        await asyncio.wait([renewal], timeout=WAIT_SECONDS)
        error = renewal.exception() if renewal.done() else VaultError(_SILENT)
        if error is None:
            return renewal.result()
        if held is not None and self._clock() < held.ends_at and not self._was_refused(held.value):
            return held
        raise error

    async def _renewed(self, session_id: str, scope: str) -> AccessToken | None:
        async with self._vault.in_turn(session_id) as rows:
            session = Session.read(session_id, rows.get(ROW))
            if session is None:
                return None
            row = rows.get(f"{ROW} {scope}")
            if row and self._is_fresh(token := AccessToken(**json.loads(row))):
                return token
            tokens = await self._grant(session.refresh_token, scope if scope != session.scope else "")
            token = AccessToken.of(tokens, self._clock())
            claims = await self._claims(tokens, session)
            if claims.subject != session.subject or (self._allowed and not self._allowed & claims.groups):
                rows.clear()
                session = None
            else:
                newest = tokens.refresh_token or session.refresh_token
                hint = hint_of(tokens) or session.id_token
                session = replace(session, name=claims.name, groups=claims.groups, id_token=hint, refresh_token=newest)
                rows.update({ROW: row_of(session), f"{ROW} {scope}": row_of(token)})
        self._sessions.note(session_id, session)
        return token if session is not None else None

    async def _grant(self, refresh_token: str, scope: str) -> TokenResponse:
        grant = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        if not refresh_token or self._was_refused(f"{scope} {refresh_token}"):
            raise SignInNeededError(_AGAIN)
        try:
            return await self._provider.token({**grant, "scope": f"openid {scope}"} if scope else grant)
        except GrantRefusedError as error:
            if error.code in _BY_SIGN_IN:
                self.refused(f"{scope} {refresh_token}")
                raise SignInNeededError(_AGAIN) from None
            logger.warning("A token cannot be renewed: %s", error)
        except ProviderError as error:
            logger.warning("A token cannot be renewed: %s", error)
        raise VaultError(_SILENT)

    async def _claims(self, tokens: TokenResponse, session: Session) -> Claims:
        """The claims of a new ID token; the session's without a valid one."""
        if tokens.id_token:
            needs_groups = bool(session.groups or self._allowed)
            with suppress(ProviderError, TimeoutError):
                async with asyncio.timeout(_CLAIMS_SECONDS):
                    return await person_of(tokens, self._provider, None, needs_groups=needs_groups)
        return Claims(session.subject, session.name, session.groups)

    def _is_fresh(self, token: AccessToken) -> bool:
        return self._clock() < token.renewed_at and not self._was_refused(token.value)

    def _was_refused(self, token: str) -> bool:
        return self._refused.get(_digest(token)) is not None


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
