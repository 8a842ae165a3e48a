from __future__ import annotations

import re
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, ValidationInfo

from chat_ui.server.addresses import is_loopback
from chat_ui.settings import SettingsGroup, Words, is_url

_SEVERAL_TENANTS: Final = re.compile(
    r"https://login\.microsoftonline\.[^/]+/(?:common|organizations|consumers)(?:/|\Z)"
)


def is_safe_url(url: str, *, on_loopback: bool) -> bool:
    """Whether `url` is an address over TLS; `on_loopback`: or one of this machine."""
    if not (url.isascii() and url.isprintable() and is_url(url, "https", "http")):
        return False
    parts = urlsplit(url)
    is_own = on_loopback and is_loopback(parts.hostname or "")
    return bool(parts.hostname) and not parts.fragment and (parts.scheme == "https" or is_own)


def _issuer(value: str) -> str:
    if not is_safe_url(value, on_loopback=True) or "?" in value or "@" in value:
        raise ValueError("must be an https URL without a query, such as https://login.example.com/realms/staff")
    if _SEVERAL_TENANTS.match(value):
        raise ValueError("several tenants have no fixed issuer; name one tenant by its ID")
    return value


def _client_id(value: str | None, info: ValidationInfo) -> str | None:
    if not value and info.data.get("oidc_issuer"):
        raise ValueError("is missing; CHAT_UI_OIDC_ISSUER needs it")
    return value


def _sign_in(value: str, info: ValidationInfo) -> str:
    if value == "required" and not info.data.get("oidc_issuer"):
        raise ValueError("required needs CHAT_UI_OIDC_ISSUER")
    return value


class SigningInSettings(SettingsGroup):
    oidc_issuer: Annotated[str, AfterValidator(_issuer)] | None = Field(
        default=None, description="The OpenID Connect provider for sign-in, as its discovery document calls itself."
    )
    oidc_client_id: Annotated[str | None, AfterValidator(_client_id)] = Field(
        default=None, validate_default=True, description="The ID of this app at the provider."
    )
    oidc_client_secret: SecretStr | None = Field(default=None, description="Its secret; not set: a public client.")
    oidc_scopes: Words = Field(default=(), description="Scopes besides openid, profile, email and offline_access.")
    oidc_groups: Words = Field(default=(), description="Groups and roles that may use the page; not set: everyone.")
    sign_in: Annotated[Literal["off", "optional", "required"], AfterValidator(_sign_in)] = Field(
        default="optional", description="Whether users sign in; `off` without CHAT_UI_OIDC_ISSUER."
    )

    @property
    def signs_in(self) -> bool:
        return self.oidc_issuer is not None and self.sign_in != "off"
