"""The ID token: its verification (OpenID Connect Core, 3.1.3.7), and the person that it names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hmac import compare_digest
from typing import Any, Final

from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError
from joserfc.jws import JWSRegistry
from joserfc.jwt import ClaimsOption, JWTClaimsRegistry, decode

from chat_ui.features.signing_in.errors import ProviderError, ProviderUnavailableError
from chat_ui.features.signing_in.provider import Provider, TokenResponse
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.dialects.objects import string_in
from chat_ui.protocol.events import JsonObject

_ALGORITHMS: Final = frozenset({f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)} | {"EdDSA"})
"""Signatures by a private key: neither `none`, nor HS256, which the public key could make."""
_LEEWAY: Final = 330
"""Seconds between the clocks of the provider and of this server."""
_GROUPS: Final = re.compile(r"(?:.*[/:])?(?:groups|roles)")
"""Claims of groups, also in a namespace, as Auth0 and Cognito have them."""
_MOST_GROUPS: Final = 500
_NEEDED: Final[ClaimsOption] = {"essential": True}


@dataclass(frozen=True, slots=True)
class Claims:
    """The person: `subject` is unique at the issuer, `name` may be empty."""

    subject: str
    name: str = ""
    groups: frozenset[str] = frozenset()


async def person_of(tokens: TokenResponse, provider: Provider, nonce: str | None, *, needs_groups: bool) -> Claims:
    """The person of `tokens`; the userinfo endpoint completes the name, and the groups if needed.

    `nonce` is that of the sign-in; None for renewed tokens, which need none.

    Raises:
        ProviderError: the ID token is not valid, or the endpoint names another person or does not answer.
    """
    claims = await _verified(tokens.id_token, provider, nonce)
    person = _person(claims)
    if person.name and (person.groups or not needs_groups):
        return person
    found: JsonObject = {}
    try:
        found = await provider.claims_of_person(tokens.access_token)
    except ProviderError as error:
        # Without an answer, the groups are unknown; a refusal means that this token is for other addresses only.
        if needs_groups and isinstance(error, ProviderUnavailableError):
            raise
    if found and found.get("sub") != person.subject:
        raise ProviderError("The userinfo endpoint names another person than the ID token.")
    return _person({**found, **claims})


async def _verified(token: str, provider: Provider, nonce: str | None) -> dict[str, Any]:
    metadata = await provider.metadata()
    registry = JWSRegistry(algorithms=_ALGORITHMS & metadata.algorithms or {"RS256"}, strict_check_header=False)
    iss, aud = (ClaimsOption(essential=True, value=needed) for needed in (provider.issuer, provider.client_id))
    rules = JWTClaimsRegistry(None, _LEEWAY, iss=iss, aud=aud, exp=_NEEDED, iat=_NEEDED)
    try:
        try:
            claims = decode(token, metadata.keys, registry=registry).claims
        except (InvalidKeyIdError, BadSignatureError):
            claims = decode(token, (await provider.metadata(again=True)).keys, registry=registry).claims
        rules.validate(claims)
    except (JoseError, ValueError, TypeError, LookupError) as error:
        reason = str(error) if isinstance(error, JoseError) else type(error).__name__
        raise ProviderError(f"The ID token is not valid: {reason}") from None
    is_only = claims["aud"] in (provider.client_id, [provider.client_id])
    if claims.get("azp", provider.client_id if is_only else None) != provider.client_id:
        raise ProviderError("The ID token is for another client.")
    subject, given = string_in(claims, "sub"), string_in(claims, "nonce")
    if not (subject.isascii() and subject.isprintable() and 0 < len(subject) <= 255):
        raise ProviderError("The ID token has an unusable subject.")
    if nonce is not None and not (given.isascii() and compare_digest(given, nonce)):
        raise ProviderError("The ID token is of another sign-in.")
    return claims


def _person(claims: JsonObject) -> Claims:
    name = " ".join(clean_text(string_in(claims, "name", "preferred_username", "email")).split())
    values = [value if isinstance(value, list) else [value] for key, value in claims.items() if _GROUPS.fullmatch(key)]
    groups = [one for value in values for one in value if isinstance(one, str)]
    return Claims(string_in(claims, "sub"), name[:100], frozenset(groups[:_MOST_GROUPS]))
