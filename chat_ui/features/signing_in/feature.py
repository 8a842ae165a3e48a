"""Signing in at an OpenID Connect provider, whose tokens go to backends that want the person's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from chat_ui.errors import UnusableSettingsError
from chat_ui.feature import Feature
from chat_ui.server.served import Paint, Served

if TYPE_CHECKING:
    from chat_ui.features.signing_in.settings import SigningInSettings
    from chat_ui.server.services import Services

_UNTIL_KNOWN: Final = '<style id="until-known">.composer{opacity:0}</style>'
"""Hides the box until the page knows the person; it takes text all the same."""


def _serve(services: Services) -> Served:
    from chat_ui.features.signing_in.settings import SigningInSettings

    chosen, header = SigningInSettings.of(services.settings), services.settings.identity_header or ""
    if chosen.signs_in and header:
        raise UnusableSettingsError("CHAT_UI_OIDC_ISSUER: CHAT_UI_IDENTITY_HEADER names users already. Set only one.")
    if not chosen.signs_in and any(profile.groups for profile in services.backends.offer.operator_profiles):
        raise UnusableSettingsError("CHAT_UI_BACKENDS: groups of a backend need CHAT_UI_OIDC_ISSUER.")
    if chosen.signs_in:
        return _signing_in(services, chosen)
    return _behind_app_service() if header.lower().startswith("x-ms-") else Served()


def _signing_in(services: Services, chosen: SigningInSettings) -> Served:
    # These import joserfc, which takes 70 ms.
    from chat_ui.features.signing_in.access_tokens import AccessTokens
    from chat_ui.features.signing_in.provider import Provider
    from chat_ui.features.signing_in.sessions import Sessions
    from chat_ui.features.signing_in.sign_in_flow import SignInFlow
    from chat_ui.features.signing_in.sign_in_routes import SignInRoutes
    from chat_ui.protocol.transport.client import AsyncClient
    from chat_ui.protocol.transport.guard import guard_for
    from chat_ui.server.services import cookie_secret

    core, backends, is_required = services.settings, services.backends, chosen.sign_in == "required"
    issuer, key = chosen.oidc_issuer or "", chosen.oidc_client_secret
    client = AsyncClient(guard=guard_for(core.policy or "public", [issuer, *core.backend_origins]))
    provider = Provider(client, issuer, chosen.oidc_client_id or "", key.get_secret_value() if key else "")
    secret = cookie_secret(core)
    has_groups = any(profile.groups for profile in backends.offer.operator_profiles)
    flow = SignInFlow(provider, secret, chosen.oidc_scopes, chosen.oidc_groups, needs_groups=has_groups)
    sessions = Sessions(backends.vault, secret, issuer)
    # A session that ended elsewhere opens nothing here.
    services.conversations.on_signed_out.append(lambda ended: sessions.note(ended, None))
    backends.tokens.accounts = tokens = AccessTokens(
        sessions, provider, backends.vault, is_required=is_required, allowed=chosen.oidc_groups
    )

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        async with client:
            yield
            await tokens.end()

    routes = SignInRoutes(services, provider, flow, sessions)
    return Served(
        routes=lambda: {"": routes.routes()},
        running=running,
        paint=lambda: Paint(options={"sign_in": {}}, head=_UNTIL_KNOWN if is_required else ""),
        sign_ins=sessions.signed_in,
    )


def _behind_app_service() -> Served:
    """App Service signs people in, and its page `/.auth/me` tells their names."""
    from starlette.routing import Route

    from chat_ui.features.signing_in.sign_in_routes import me_of_proxy
    from chat_ui.page.routes.owned import for_person
    from chat_ui.server.addresses import SIGN_IN

    return Served(
        routes=lambda: {"": [Route(f"{SIGN_IN}/me", for_person(me_of_proxy))]},
        paint=lambda: Paint(options={"sign_in": {"app_service": True}}),
    )


FEATURE = Feature(name="signing_in", settings="SigningInSettings", has_page=True, serve=_serve)
