"""Attacks that the flow and the ID token refuse themselves."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from joserfc.jwk import ECKey

from chat_ui.features.signing_in.sign_in_flow import FLOW_SECONDS
from tests.features.signing_in.trial import Trial, trial
from tests.stand_ins.provider import StandInProvider, by_key, by_public_key, key, unsigned

FOREIGN = ECKey.generate_key("P-256", {"kid": "key-1"})
EVIL = "https://evil.example"
ALGORITHMS = "id_token_signing_alg_values_supported"


async def in_another_browser(one: Trial) -> str:
    query = one.at.answer_to(await one.begin())
    one.sealed = ""
    await one.begin()
    return (await one.finish(query)).outcome


async def without_a_flow(one: Trial) -> str:
    one.sealed = "forgéd"
    return (await one.finish({"code": "code"})).outcome


async def too_late(one: Trial) -> str:
    query = one.at.answer_to(await one.begin())
    one.now += FLOW_SECONDS
    return (await one.finish(query)).outcome


async def a_second_time(one: Trial) -> str:
    query = one.at.answer_to(await one.begin())
    assert (await one.finish(query)).outcome == "in"
    return (await one.finish(query)).outcome


async def with_the_cookie_of_another_issuer(one: Trial) -> str:
    query = one.at.answer_to(await one.begin())
    async with trial(StandInProvider(EVIL)) as other:
        other.sealed = one.sealed
        return (await other.finish(query)).outcome


@pytest.mark.parametrize(
    "attack", [in_another_browser, without_a_flow, too_late, a_second_time, with_the_cookie_of_another_issuer]
)
async def test_a_callback_counts_once_in_its_browser(attack: Callable[[Trial], Awaitable[str]]):
    async with trial() as one:
        assert await attack(one) == "expired"


@pytest.mark.parametrize(
    ("query", "outcome"),
    [
        ({"state": "other"}, "expired"),
        ({"state": "ä€"}, "expired"),
        ({"state": None}, "expired"),
        ({"iss": EVIL}, "failed"),
        ({"iss": EVIL, "error": "access_denied"}, "failed"),
        ({"iss": None}, "failed"),
        ({"code": None}, "failed"),
    ],
)
async def test_a_forged_callback_signs_nobody_in(query: dict[str, str | None], outcome: str):
    async with trial() as one:
        assert await one.outcome(**query) == outcome


async def test_the_code_of_another_flow_needs_its_verifier():
    async with trial() as one:
        assert await one.outcome(code=one.at.answer_to(await one.begin())["code"]) == "failed"


@pytest.mark.parametrize(
    "claims",
    [
        *({"nonce": value} for value in ("other", ["other"], "ä", None)),
        *({"aud": value} for value in ("other", ["chat", "other"], [], 7, None)),
        *({"azp": "other"}, {"aud": "other", "azp": "chat"}, {"iss": EVIL}, {"iss": None}),
        *({"exp": 1}, {"exp": None}, {"exp": "9"}, {"iat": 2**40}, {"iat": None}, {"nbf": 2**40}),
        *({"sub": value} for value in ("", 7, "a\n", "ä", "x" * 256, None)),
    ],
    ids=str,
)
async def test_an_id_token_with_other_claims_is_refused(claims: dict[str, Any]):
    async with trial() as one:
        one.at.claims |= claims
        assert await one.outcome() == "failed"


@pytest.mark.parametrize(
    ("sign", "metadata"),
    [
        (unsigned, {}),
        (unsigned, {ALGORITHMS: ["none"]}),
        (by_public_key, {}),
        (by_public_key, {ALGORITHMS: ["HS256"]}),
        (by_key(key("key-1", "ES256")), {ALGORITHMS: ["RS256"]}),
        (by_key(FOREIGN), {}),
        (by_key(FOREIGN, jwk=FOREIGN.as_dict(private=False)), {}),
        (by_key(FOREIGN, jku=EVIL, kid="evil"), {}),
        (lambda *_: "a.b.c", {}),
        (lambda *_: "", {}),
    ],
)
async def test_an_id_token_of_another_signature_is_refused(sign: Any, metadata: dict[str, Any]):
    async with trial() as one:
        one.at.sign, one.at.metadata = sign, metadata
        assert await one.outcome() == "failed"


async def test_a_flood_of_unknown_keys_reads_the_keys_once_a_minute():
    async with trial() as one:
        one.at.sign = by_key(FOREIGN, kid="unknown")
        for seconds, calls in ((0, 2), (59, 2), (1, 3)):
            one.now += seconds
            assert [await one.outcome() for _ in range(3)] == ["failed"] * 3
            assert one.at.calls["/jwks"] == calls


async def test_userinfo_of_another_person_is_refused():
    async with trial() as one:
        one.at.claims, one.at.userinfo = {}, {"sub": "bob", "name": "Bob"}
        assert await one.outcome() == "failed"


@pytest.mark.parametrize(
    "to",
    [
        *("//evil.example", "/\\evil.example", "https:evil.example", EVIL, "javascript:alert(1)", ""),
        *("/c/../..//x", "/c/%2f%2fevil", "/%2f%2fevil", "/c/a\r\nSet-Cookie: x", "/c/a\n", "/c/é", "/api/sign-in"),
        *("/?backend=a&to=//evil", "/?backend=a#x", "/?backend=a\\b", "/?backend=a\n"),
    ],
)
async def test_a_sign_in_returns_only_to_our_own_pages(to: str):
    async with trial() as one:
        query = one.at.answer_to(await one.begin(to))
        assert (await one.finish(query)).address == "/"


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
