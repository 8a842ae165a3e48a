"""Attacks that the flow and the ID token refuse themselves."""

from typing import Any

import pytest
from joserfc.jwk import ECKey

from chat_ui.features.signing_in.sign_in_flow import FLOW_SECONDS
from tests.features.signing_in.trial import trial
from tests.stand_ins.provider import StandInProvider, by_key, by_public_key, key, unsigned

FOREIGN = ECKey.generate_key("P-256", {"kid": "key-1"})
EVIL = "https://evil.example"
ALGORITHMS = "id_token_signing_alg_values_supported"


async def test_a_callback_needs_the_state_and_the_cookie_of_its_flow_in_time():
    async with trial() as one, trial(StandInProvider(EVIL)) as other:
        query = one.at.answer_to(await one.begin())
        other.sealed = one.sealed
        assert (await other.finish(query)).outcome == "expired"
        for changed in ({"state": "other"}, {"state": "ä€"}, {"state": ""}):
            assert (await one.finish({**query, **changed})).outcome == "expired"
        one.now += FLOW_SECONDS
        assert (await one.finish(query)).outcome == "expired"
        one.sealed = "forgéd"
        assert (await one.finish(query)).outcome == "expired"


@pytest.mark.parametrize(
    "changed",
    [
        # The response of the authorization endpoint, such as that of another provider (RFC 9207).
        *({"query": value} for value in ({"iss": EVIL}, {"iss": EVIL, "error": "access_denied"}, {"iss": None})),
        *({"query": {"code": value}} for value in (None, "other")),
        *({"claims": {"nonce": value}} for value in ("other", ["other"], "ä", None)),
        *({"claims": {"aud": value}} for value in ("other", ["chat", "other"], [], 7, None)),
        *({"claims": value} for value in ({"azp": "other"}, {"aud": "other", "azp": "chat"})),
        *({"claims": {"iss": value}} for value in (EVIL, None)),
        *({"claims": {"exp": value}} for value in (1, None, "9")),
        *({"claims": {name: 2**40}} for name in ("iat", "nbf")),
        {"claims": {"iat": None}},
        *({"skew": value} for value in (400, -700)),
        *({"claims": {"sub": value}} for value in ("", 7, "a\n", "ä", "x" * 256, None)),
        {"claims": {"name": None}, "userinfo": {"sub": "bob", "name": "Bob"}},
        *({"sign": unsigned, "metadata": {ALGORITHMS: value}} for value in (["RS256", "none"], ["none"])),
        *({"sign": by_public_key, "metadata": {ALGORITHMS: value}} for value in (["ES256", "HS256"], ["HS256"])),
        {"sign": by_key(key("key-1", "ES256")), "metadata": {ALGORITHMS: ["RS256"]}},
        {"sign": by_key(FOREIGN)},
        {"sign": by_key(FOREIGN, jwk=FOREIGN.as_dict(private=False))},
        {"sign": by_key(FOREIGN, jku=EVIL, kid="evil")},
        *({"sign": lambda *_, token=token: token} for token in ("a.b.c", "")),
        *({"response": value} for value in ({"token_type": "DPoP"}, {"access_token": ""}, {"access_token": "a\r\nb"})),
    ],
)
async def test_a_forged_or_unusable_response_signs_nobody_in(changed: dict[str, Any]):
    async with trial() as one:
        query = one.change(**changed)
        assert await one.outcome(**query) == "failed"


@pytest.mark.parametrize(
    "to",
    [
        *("//evil.example", "/\\evil.example", "https:evil.example", EVIL, "javascript:alert(1)", "", "/api/sign-in"),
        *("/c/../..//x", "/c/%2f%2fevil", "/%2f%2fevil", "/c/a\r\nSet-Cookie: x", "/c/a\n", "/c/é"),
        *("/?backend=a&to=//evil", "/?backend=a#x", "/?backend=a\\b", "/?backend=a\n"),
    ],
)
async def test_a_sign_in_returns_only_to_our_own_pages(to: str):
    async with trial() as one:
        assert (await one.sign_in(to)).address == "/"
        assert (await one.sign_in(to, error="access_denied")).address == "/?sign-in=denied"


async def test_the_code_of_another_flow_needs_its_verifier():
    async with trial() as one:
        assert await one.outcome(code=one.at.answer_to(await one.begin())["code"]) == "failed"


@pytest.mark.parametrize(
    ("kids", "sign", "outcomes"),
    [
        (["key-2", *["key-3"] * 3], None, ["in", "failed", "failed", "in"]),
        # A flood of forged tokens.
        (["key-1"] * 4, by_key(FOREIGN, kid="unknown"), ["failed"] * 4),
    ],
)
async def test_changed_and_unknown_keys_are_read_once_a_minute(kids: list[str], sign: Any, outcomes: list[str]):
    async with trial() as one:
        assert await one.outcome() == "in"
        one.at.sign = sign
        for kid, seconds, outcome, calls in zip(kids, (0, 0, 59, 1), outcomes, (2, 2, 2, 3), strict=True):
            one.at.kids, one.now = [kid], one.now + seconds
            assert [await one.outcome() for _ in range(3)] == [outcome] * 3
            assert one.at.calls["/jwks"] == calls


async def test_no_token_is_in_the_log_or_in_a_representation(caplog: pytest.LogCaptureFixture):
    caplog.set_level("DEBUG")
    async with trial() as one:
        result = await one.sign_in()
        one.at.claims = {"nonce": "other"}
        assert await one.outcome() == await one.outcome(code="other") == "failed"
        said = f"{caplog.text} {result}"
        assert "A sign-in failed: The ID token is of another sign-in." in said
        assert result.tokens is not None
        assert not any(token in said for token in (result.tokens.access_token, result.tokens.id_token, *one.at.grants))
