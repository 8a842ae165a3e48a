"""An OpenID Connect provider: its discovery document, its keys and its endpoints.

Sources: OpenID Connect Discovery 1.0, RFC 6749 (OAuth 2.0), RFC 7517 (keys), RFC 9207 (`iss` of a response).
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import quote_plus, urlencode

from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key, KeySet

from chat_ui.features.signing_in.errors import GrantRefusedError, ProviderError, ProviderUnavailableError
from chat_ui.features.signing_in.settings import is_safe_url
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.dialects.objects import list_in, string_in
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.reading.json_text import read_as_object
from chat_ui.protocol.transport.client import AsyncClient

logger = logging.getLogger(__name__)

_SECONDS: Final = 5.0
_BYTES: Final = 256 * 1024
_NEEDED: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OPTIONAL: Final = ("userinfo_endpoint", "end_session_endpoint")
_ACCESS_TOKEN: Final = re.compile(r"[!-~]{1,16384}")
Clock: TypeAlias = Callable[[], float]
_LASTING: Final = re.compile(r"[1-9]\d{0,8}(?:\.\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Metadata:
    """The usable part of a discovery document, and its keys. `urls` are by their names there, empty if absent."""

    urls: Mapping[str, str]
    keys: KeySet
    scopes: frozenset[str]
    algorithms: frozenset[str]
    promises_iss: bool
    takes_basic: bool


@dataclass(frozen=True, slots=True)
class TokenResponse:
    """A response of the token endpoint. `expires_in` is in seconds; the last two are empty if absent."""

    access_token: str = field(repr=False)
    expires_in: float
    refresh_token: str = field(repr=False)
    id_token: str = field(repr=False)


class Provider:
    """The provider `issuer`, where this app is `client_id`: with an empty `secret` a public client.

    All methods raise ProviderError.
    """

    def __init__(
        self, client: AsyncClient, issuer: str, client_id: str, secret: str = "", clock: Clock = time.monotonic
    ) -> None:
        self.issuer, self.client_id = issuer, client_id
        self._client, self._secret = client, secret
        self._clock, self._lock = clock, asyncio.Lock()
        self._found: Metadata | ProviderError = ProviderError("The provider was not asked.")
        self._next = self._next_demanded = -math.inf

    async def metadata(self, *, again: bool = False) -> Metadata:
        """The metadata of the last hour; earlier ones while the provider fails.

        `again` is for a signature that the keys do not fit, and reads them anew at most once a minute.
        """
        async with self._lock:
            now = self._clock()
            if now >= (self._next_demanded if again else self._next):
                self._next_demanded = now + 60 if again else self._next_demanded
                try:
                    self._found, self._next = await self._read(), now + 3600
                except ProviderError as error:
                    if isinstance(self._found, ProviderError):
                        self._found, self._next = error, now + 5
                    else:
                        logger.warning("The sign-in provider cannot be used: %s", error)
                        self._next = now + 60
        if isinstance(self._found, ProviderError):
            raise self._found
        return self._found

    async def token(self, grant: Mapping[str, str]) -> TokenResponse:
        """The tokens for `grant`, a form without the client's authentication (RFC 6749, 2.3.1).

        Raises:
            GrantRefusedError: the code or the refresh token is refused.
        """
        metadata = await self.metadata()
        form, headers = dict(grant), {"Content-Type": "application/x-www-form-urlencoded"}
        if self._secret and metadata.takes_basic:
            pair = f"{quote_plus(self.client_id)}:{quote_plus(self._secret)}"
            headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
        else:
            form |= {"client_id": self.client_id} | ({"client_secret": self._secret} if self._secret else {})
        status, found = await self._ask("POST", metadata.urls["token_endpoint"], headers, urlencode(form).encode())
        if status != 200:
            raise GrantRefusedError(string_in(found, "error"))
        access_token, lasting = string_in(found, "access_token"), str(found.get("expires_in"))
        if not _ACCESS_TOKEN.fullmatch(access_token) or string_in(found, "token_type").lower() != "bearer":
            raise ProviderError("The token endpoint gave no bearer token.")
        seconds = float(lasting) if _LASTING.fullmatch(lasting) else 600.0
        return TokenResponse(access_token, seconds, string_in(found, "refresh_token"), string_in(found, "id_token"))

    async def claims_of_person(self, access_token: str) -> JsonObject:
        """The claims of the userinfo endpoint; empty without one."""
        url = (await self.metadata()).urls["userinfo_endpoint"]
        return (await self._ask("GET", url, {"Authorization": f"Bearer {access_token}"}))[1] if url else {}

    async def _ask(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, JsonObject]:
        """The status and the object of a response; a GET needs status 200."""
        headers = {"Accept": "application/json", **headers}
        probe = await self._client.probe(method, url, headers, body, _BYTES, seconds=_SECONDS)
        status, read = probe.status, bytearray(probe.body.strip())
        if status is None or status == 429 or status >= 500:
            reason = probe.error.message if probe.error else f"status {status}"
            raise ProviderUnavailableError(f"{without_query(url)} does not answer: {reason}")
        found = read_as_object(read, 0, len(read))
        if found is None or (method == "GET" and status != 200):
            raise ProviderError(f"{without_query(url)} answered with status {status}, without a usable JSON object.")
        return status, found

    async def _read(self) -> Metadata:
        _, found = await self._ask("GET", f"{self.issuer.rstrip('/')}/.well-known/openid-configuration", {})
        if (named := string_in(found, "issuer")) != self.issuer:
            raise ProviderError(f"CHAT_UI_OIDC_ISSUER: {self.issuer} calls itself {named[:300]!r}. Set that one.")
        on_loopback = self.issuer.startswith("http:")
        urls = {
            name: url if is_safe_url(url := string_in(found, name), on_loopback=on_loopback) else ""
            for name in (*_NEEDED, *_OPTIONAL)
        }
        if missing := [name for name in _NEEDED if not urls[name]]:
            raise ProviderError(f"{self.issuer} has no usable {missing[0]}.")
        _, listed = await self._ask("GET", urls["jwks_uri"], {})
        keys: list[Key] = []
        one: Any
        for one in list_in(listed, "keys"):
            # A provider may list keys of kinds that are not known here (RFC 7517, 5).
            with suppress(JoseError, ValueError, TypeError, LookupError, AttributeError):
                keys.append(JWKRegistry.import_key(one))
        if not keys:
            raise ProviderError(f"{self.issuer} has no usable keys.")
        methods = list_in(found, "token_endpoint_auth_methods_supported")
        return Metadata(
            urls,
            KeySet(keys),
            scopes=frozenset(map(str, list_in(found, "scopes_supported"))),
            algorithms=frozenset(map(str, list_in(found, "id_token_signing_alg_values_supported"))),
            promises_iss=found.get("authorization_response_iss_parameter_supported") is True,
            takes_basic="client_secret_basic" in methods or "client_secret_post" not in methods,
        )
