"""A sign-in from its start to the tokens: authorization code with PKCE (RFC 6749, 4.1; RFC 7636).

A sealed cookie has the secrets of a browser's latest flows. So a callback counts once, in the browser that began.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final, Literal, TypeAlias
from urllib.parse import quote, urlencode

from cryptography.fernet import Fernet, InvalidToken

from chat_ui.features.signing_in.errors import GrantRefusedError, ProviderError, ProviderUnavailableError
from chat_ui.features.signing_in.id_token import Claims, person_of
from chat_ui.features.signing_in.provider import Provider, TokenResponse

logger = logging.getLogger(__name__)

Outcome: TypeAlias = Literal["in", "denied", "failed", "expired", "not-allowed", "unavailable"]
FLOW_SECONDS: Final = 600
"""Seconds from the start of a sign-in to its callback."""
_MOST_FLOWS: Final = 3
_PAGE: Final = re.compile(r"/(?:c/[\w-]{1,100})?(?:\?backend=[\w.~%:/+@!,()*-]{0,200})?", re.ASCII)
_SCOPES: Final = ("profile", "email", "offline_access")
_REFRESHED_BY_GOOGLE: Final = {"access_type": "offline", "prompt": "select_account consent"}
"""In place of the scope `offline_access`."""


def _failure(error: ProviderError) -> Outcome:
    if isinstance(error, GrantRefusedError) and error.code == "access_denied":
        return "denied"
    logger.warning("A sign-in failed: %s", error)
    return "unavailable" if isinstance(error, ProviderUnavailableError) else "failed"


def with_query(url: str, query: Mapping[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query, quote_via=quote)}"


@dataclass(frozen=True, slots=True)
class _Flow:
    state: str
    nonce: str
    verifier: str
    to: str
    redirect_uri: str
    scope: str
    until: float


@dataclass(frozen=True, slots=True)
class SignInResult:
    """The end of a sign-in for the `scope` of a backend, if any; with `claims` and `tokens` for the outcome `in`.

    The cookie becomes `sealed`, or is deleted if that is empty.
    """

    outcome: Outcome
    to: str = "/"
    sealed: str = ""
    claims: Claims | None = None
    tokens: TokenResponse | None = field(default=None, repr=False)
    scope: str = ""

    @property
    def address(self) -> str:
        """The page `to`, with any other outcome than `in`."""
        return self.to if self.outcome == "in" else with_query(self.to, {"sign-in": self.outcome})


class SignInFlow:
    """Sign-ins at `provider`, with additional `scopes`; of members of `groups`, if any. `secret` seals the cookie."""

    def __init__(
        self,
        provider: Provider,
        secret: str,
        scopes: Collection[str] = (),
        groups: Collection[str] = (),
        *,
        needs_groups: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._provider, self._scopes, self._clock = provider, scopes, clock
        self._groups, self._needs_groups = frozenset(groups), needs_groups or bool(groups)
        # A cookie of another provider or client does not open.
        label = f"chat_ui sign-in {provider.issuer} {provider.client_id}"
        self._fernet = Fernet(urlsafe_b64encode(hmac.digest(secret.encode(), label.encode(), "sha256")))

    async def begin(self, to: str, redirect_uri: str, scope: str = "", sealed: str = "") -> tuple[str, str]:
        """The provider's page for a sign-in that returns to our page `to`, and the new value of the cookie `sealed`.

        While the provider cannot be used, our page with that outcome.
        """
        page = to if _PAGE.fullmatch(to) else "/"
        try:
            metadata = await self._provider.metadata()
        except ProviderError as error:
            return SignInResult(_failure(error), page).address, sealed
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        flow = _Flow(state, nonce, verifier, page, redirect_uri, scope, self._clock() + FLOW_SECONDS)
        challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        # Google, GitLab and Amazon Cognito refuse scopes that they do not list.
        usual = [one for one in _SCOPES if one in metadata.scopes or not metadata.scopes]
        # Entra ID gives the token of the first resource.
        wanted = dict.fromkeys(("openid", *usual, *scope.split(), *self._scopes))
        query = {
            "response_type": "code", "client_id": self._provider.client_id, "redirect_uri": redirect_uri,
            "scope": " ".join(wanted), "state": state, "nonce": nonce, "code_challenge": challenge,
            "code_challenge_method": "S256",
            **(_REFRESHED_BY_GOOGLE if self._provider.issuer == "https://accounts.google.com" else {}),
        }  # fmt: skip
        return with_query(metadata.urls["authorization_endpoint"], query), self._seal([flow, *self._flows(sealed)])

    async def finish(self, query: Mapping[str, str], sealed: str) -> SignInResult:
        """The result of a callback with `query`, in the browser with the cookie `sealed`."""
        flows, state = self._flows(sealed), query.get("state", "").encode()
        flow = next((one for one in flows if hmac.compare_digest(one.state.encode(), state)), None)
        others = self._seal([one for one in flows if one is not flow])
        if flow is None:
            return SignInResult("expired", sealed=others)
        result = SignInResult("in", flow.to, others, scope=flow.scope)
        try:
            grant = await self._grant(query, flow)
            tokens = await self._provider.token(grant)
            claims = await person_of(tokens, self._provider, flow.nonce, needs_groups=self._needs_groups)
        except ProviderError as error:
            return replace(result, outcome=_failure(error))
        if self._groups and not self._groups & claims.groups:
            return replace(result, outcome="not-allowed")
        return replace(result, claims=claims, tokens=tokens)

    async def _grant(self, query: Mapping[str, str], flow: _Flow) -> dict[str, str]:
        issuer = query.get("iss")
        if issuer is None and (await self._provider.metadata()).promises_iss:
            # In Keycloak, “Exclude Issuer From Authentication Response” of a client breaks the promise.
            raise ProviderError("The response lacks iss, which the provider promises. Have the provider send it.")
        if issuer not in (None, self._provider.issuer):
            raise ProviderError("The response is from another issuer.")
        if error := query.get("error"):
            raise GrantRefusedError(error)
        grant = {"grant_type": "authorization_code", "code": query.get("code", ""), "code_verifier": flow.verifier}
        return {**grant, "redirect_uri": flow.redirect_uri}

    def _flows(self, sealed: str) -> list[_Flow]:
        """The flows that have not ended, the newest first."""
        try:
            flows = [_Flow(**one) for one in json.loads(self._fernet.decrypt(sealed))]
        except (InvalidToken, ValueError, TypeError):
            return []
        return [flow for flow in flows if flow.until > self._clock()]

    def _seal(self, flows: list[_Flow]) -> str:
        kept = json.dumps([asdict(flow) for flow in flows[:_MOST_FLOWS]])
        return self._fernet.encrypt(kept.encode()).decode() if flows else ""
