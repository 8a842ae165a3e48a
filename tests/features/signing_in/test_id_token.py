"""The person of an ID token; forged tokens are among the attacks."""

from typing import Any

import pytest

from chat_ui.features.signing_in.id_token import Claims
from tests.features.signing_in.trial import trial
from tests.stand_ins.provider import by_key, key


@pytest.mark.parametrize(
    ("claims", "person"),
    [
        ({}, Claims("anna", "Anna Example")),
        ({"name": None, "preferred_username": "anna@example.com"}, Claims("anna", "anna@example.com")),
        ({"name": " A\n\x1b B" + "c" * 200, "sub": "1|2"}, Claims("1|2", "A B" + "c" * 97)),
        ({"groups": ["staff", 7], "roles": "Reader"}, Claims("anna", "Anna Example", frozenset({"staff", "Reader"}))),
        ({"https://example.com/groups": ["x"]}, Claims("anna", "Anna Example", frozenset({"x"}))),
        ({"my_groups": ["x"]}, Claims("anna", "Anna Example")),
        ({"_claim_names": {"groups": "src1"}}, Claims("anna", "Anna Example", is_overage=True)),
        ({"hasgroups": True}, Claims("anna", "Anna Example", is_overage=True)),
        ({"aud": ["chat"], "azp": None}, Claims("anna", "Anna Example")),
        ({"aud": ["chat", "other"], "azp": "chat"}, Claims("anna", "Anna Example")),
    ],
)
async def test_the_person_is_read_from_the_claims(claims: dict[str, Any], person: Claims):
    async with trial() as one:
        one.at.claims |= claims
        assert (await one.sign_in()).claims == person


async def test_more_than_500_groups_are_too_many():
    async with trial() as one:
        one.at.claims["groups"] = [f"group {number}" for number in range(501)]
        claims = (await one.sign_in()).claims
        assert claims is not None
        assert (len(claims.groups), claims.is_overage) == (500, True)


async def test_userinfo_gives_a_missing_name_and_needed_groups():
    async with trial() as one:
        one.at.userinfo = {"name": "Anna of userinfo", "groups": ["staff"]}
        assert (await one.sign_in()).claims == Claims("anna", "Anna Example")
        one.at.claims = {}
        assert (await one.sign_in()).claims == Claims("anna", "Anna of userinfo", frozenset({"staff"}))
        one.at.raw["/userinfo"] = (503, b"", {})
        assert (await one.sign_in()).claims == Claims("anna")
        assert one.at.calls["/userinfo"] == 2
    async with trial(groups=["staff"]) as one:
        one.at.userinfo = {"groups": ["staff"]}
        assert (await one.sign_in()).claims == Claims("anna", "Anna Example", frozenset({"staff"}))


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
@pytest.mark.parametrize("header", [{}, {"nonce": "n", "x5t": "abc", "typ": "JWT"}])
async def test_signatures_of_private_keys_are_taken_with_any_header(algorithm: str, header: dict[str, str]):
    async with trial() as one:
        one.at.algorithm = algorithm
        one.at.sign = by_key(key("key-1", algorithm), **header)
        assert await one.outcome() == "in"


@pytest.mark.parametrize(("skew", "outcome"), [(300, "in"), (-600, "in"), (400, "failed"), (-700, "failed")])
async def test_a_clock_may_differ_by_five_minutes(skew: int, outcome: str):
    async with trial() as one:
        one.at.skew = skew
        assert await one.outcome() == outcome, "a token lasts for 300 s"


async def test_keys_that_change_are_read_again_once_a_minute():
    async with trial() as one:
        assert await one.outcome() == "in"
        for kids, seconds, outcome, calls in (
            (["key-2"], 0, "in", 2),
            (["key-3"], 0, "failed", 2),
            (["key-3"], 59, "failed", 2),
            (["key-3"], 1, "in", 3),
        ):
            one.at.kids, one.now = kids, one.now + seconds
            assert (await one.outcome(), one.at.calls["/jwks"]) == (outcome, calls)


@pytest.mark.parametrize(
    "body", [b"{}", b'{"keys": "x"}', b'{"keys": [1]}', b'{"keys": [{"kty": "RSA", "kid": "key-1"}]}']
)
async def test_unusable_keys_are_refused(body: bytes):
    async with trial() as one:
        one.at.raw["/jwks"] = (200, body, {})
        assert await one.outcome() == "failed"
