"""Settings, discovery, keys and the token endpoint, with the faults of each."""

import asyncio
from typing import Any

import pytest

from chat_ui.errors import UnusableSettingsError
from chat_ui.features.signing_in.errors import GrantRefusedError, ProviderError, ProviderUnavailableError
from chat_ui.features.signing_in.provider import Provider
from chat_ui.features.signing_in.settings import SigningInSettings
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import guard_for
from chat_ui.settings import read_settings
from tests.features.demo.serving import serving
from tests.features.signing_in.trial import trial
from tests.stand_ins.provider import StandInProvider

DISCOVERY = "/.well-known/openid-configuration"
ISSUER = "https://id.example/realms/staff"
LONG = b'{"keys": ["' + b"x" * 300_000 + b'"]}'
ENTRA = "https://login.microsoftonline.com"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("OIDC_ISSUER", "http://id.example", "OIDC_ISSUER: must be an https URL"),
        ("OIDC_ISSUER", "https://id.example?x=1", "must be an https URL"),
        *(("OIDC_ISSUER", f"https://{rest}", "must be an https URL") for rest in ("a@id.example", "id.example#a", "")),
        ("OIDC_ISSUER", f"{ENTRA}/common/v2.0", "name one tenant"),
        ("OIDC_ISSUER", "https://id.example", "OIDC_CLIENT_ID: is missing"),
        ("SIGN_IN", "required", "SIGN_IN: required needs CHAT_UI_OIDC_ISSUER"),
    ],
)
def test_invalid_settings_are_told(monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str):
    monkeypatch.setenv(f"CHAT_UI_{name}", value)
    with pytest.raises(UnusableSettingsError, match=words):
        read_settings(SigningInSettings)


def test_users_sign_in_once_an_issuer_is_set():
    for issuer in ("https://t.auth0.com/", "http://127.0.0.1:9/realms/r", f"{ENTRA}/7e1b/v2.0"):
        assert SigningInSettings(oidc_issuer=issuer, oidc_client_id="chat").signs_in
    assert not SigningInSettings().signs_in
    assert not SigningInSettings(oidc_issuer="https://id.example", oidc_client_id="chat", sign_in="off").signs_in


async def test_discovery_is_shared_read_again_and_serves_on_while_the_provider_is_down():
    async with trial() as one:
        for status, seconds, calls in (
            *((503, 0, 1), (503, 4, 1), (200, 1, 2), (503, 3599, 2)),
            *((503, 1, 3), (503, 59, 3), (503, 1, 4), (200, 60, 5), (200, 3599, 5)),
        ):
            one.now += seconds
            one.at.raw = {DISCOVERY: (status, b"", {})} if status == 503 else {}
            found = await asyncio.gather(*(one.provider.metadata() for _ in range(3)), return_exceptions=True)
            assert one.at.calls[DISCOVERY] == calls
            assert all(isinstance(each, ProviderUnavailableError) == (calls == 1) for each in found)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"metadata": {"issuer": f"{ISSUER}/"}}, f"calls itself '{ISSUER}/'"),
        ({"metadata": {"issuer": None}}, "calls itself ''"),
        ({"metadata": {"token_endpoint": "http://127.0.0.1/token"}}, "no usable token_endpoint"),
        ({"metadata": {"authorization_endpoint": "javascript:alert(1)"}}, "no usable authorization_endpoint"),
        ({"metadata": {"jwks_uri": ["https://id.example"]}}, "no usable jwks_uri"),
        *(
            ({"raw": {"/jwks": (200, body, {})}}, words)
            for body, words in (
                *((body, "/jwks answered with status 200, without a usable") for body in (b"<html>", b"[]", LONG)),
                *((body, "no usable keys") for body in (b"{}", b'{"keys": "x"}', b'{"keys": [{"kty": "RSA"}]}')),
            )
        ),
        ({"raw": {"/jwks": (404, b"{}", {})}}, "status 404"),
    ],
)
async def test_an_unusable_discovery_is_refused(changed: dict[str, Any], words: str):
    async with trial() as one:
        one.change(**changed)
        with pytest.raises(ProviderError, match=words):
            await one.provider.metadata()


async def test_an_issuer_may_end_with_a_slash_and_an_optional_address_be_unusable():
    async with trial(StandInProvider("https://tenant.auth0.com/")) as one:
        one.at.metadata = {"end_session_endpoint": "http://elsewhere.example"}
        assert (await one.provider.metadata()).urls["end_session_endpoint"] == ""


@pytest.mark.parametrize(
    ("client_id", "methods", "by"),
    [
        ("chat", None, "none"),
        ("secret chat+", None, "Basic"),
        ("secret chat+", ["client_secret_post", "private_key_jwt"], "post"),
        ("secret chat+", ["client_secret_post", "client_secret_basic"], "Basic"),
    ],
)
async def test_the_client_authenticates_as_the_provider_lists(client_id: str, methods: list[str] | None, by: str):
    async with trial(client_id=client_id) as one:
        one.at.metadata = {"token_endpoint_auth_methods_supported": methods}
        assert await one.outcome() == "in"
        assert [form["by"] for form in one.at.forms] == [by]


async def test_a_refused_grant_has_a_code_and_no_words_of_the_provider():
    async with trial() as one:
        grant = {"grant_type": "refresh_token", "refresh_token": "unknown"}
        with pytest.raises(GrantRefusedError, match=r"refused the grant: invalid_grant\.\Z") as refused:
            await one.provider.token(grant)
        assert refused.value.code == "invalid_grant"
        one.at.raw["/token"] = (400, b'{"error": "<script>"}', {})
        with pytest.raises(GrantRefusedError, match="an unknown error"):
            await one.provider.token(grant)


async def test_an_access_token_lasts_as_long_as_told():
    async with trial() as one:
        for told, seconds in (("3599", 3599), (59.5, 59.5), (None, 600), (-1, 600), ([], 600)):
            one.at.response = {"expires_in": told, "token_type": "bearer", "refresh_token": None}
            tokens = (await one.sign_in()).tokens
            assert tokens is not None
            assert (tokens.expires_in, tokens.refresh_token) == (seconds, "")


async def test_a_slow_forbidden_or_redirecting_provider_is_refused():
    at = StandInProvider("http://127.0.0.1")
    with serving(at.app) as at.issuer:
        at.wait, at.raw[DISCOVERY] = 0.3, (302, b"", {"Location": "/jwks"})
        for policy, origins, seconds, words in (
            ("local", [], 0.1, "does not answer: No answer within 0.1 s"),
            ("public", [], 0.1, "not allowed to call"),
            ("public", [at.issuer], 9, "status 302"),
        ):
            bounds = Bounds(first_byte_timeout=seconds)
            async with AsyncClient(bounds, guard=guard_for(policy, origins)) as client:
                with pytest.raises(ProviderError, match=words):
                    await Provider(client, at.issuer, "chat").metadata()
    assert at.calls["/jwks"] == 0
