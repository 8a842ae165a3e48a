"""A sign-in from its start to its end, and the person that it names."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from chat_ui.features.signing_in.id_token import Claims
from tests.features.signing_in.trial import REDIRECT, trial
from tests.stand_ins.provider import StandInProvider, by_key, key

NAME = "Anna Example"
ODD_KEYS = [
    {"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA", "kid": "key-1"}, {"kty": "AKP", "alg": "ML-DSA-44"},
    {"kty": "RSA", "kid": "key-1"}, {"kty": ["EC"]}, 7,
]  # fmt: skip
KEY = key("key-1", "ES256").as_dict(private=False)


async def test_a_sign_in_returns_to_its_page_with_the_person_and_the_tokens():
    async with trial(scopes=["more"]) as one:
        one.at.metadata = {"authorization_endpoint": "https://id.example/authorize?policy=p"}
        url = await one.begin("/c/abc?backend=given:Azure", "api://server/access_as_user")
        asked = {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()}
        assert asked["scope"] == "openid profile email offline_access api://server/access_as_user more"
        assert (asked["redirect_uri"], asked["code_challenge_method"], asked["policy"]) == (REDIRECT, "S256", "p")
        result = await one.finish(one.at.answer_to(url))
        assert (result.outcome, result.address, result.sealed) == ("in", "/c/abc?backend=given:Azure", "")
        assert (result.claims, result.scope) == (Claims("anna", NAME), "api://server/access_as_user")


@pytest.mark.parametrize(
    ("scopes", "asked"),
    [
        (["openid", "email", "profile"], "openid profile email more"),
        (["offline_access", 7], "openid offline_access more"),
        ("openid", "openid profile email offline_access more"),
    ],
)
async def test_usual_scopes_are_those_that_the_provider_lists(scopes: object, asked: str):
    async with trial(scopes=["more"]) as one:
        one.at.metadata = {"scopes_supported": scopes}
        query = parse_qs(urlsplit(await one.begin()).query)
        assert (query["scope"], "access_type" in query) == ([asked], False)


async def test_google_is_asked_in_its_own_way():
    stand_in = StandInProvider("https://accounts.google.com")
    stand_in.metadata = {"end_session_endpoint": None, "authorization_response_iss_parameter_supported": None}
    async with trial(stand_in, "secret chat+") as one:
        assert parse_qs(urlsplit(await one.begin()).query)["access_type"] == ["offline"]
        assert (await one.sign_in(iss=None)).outcome == "in"


async def test_three_sign_ins_can_be_under_way_in_a_cookie_of_4_kb():
    async with trial() as one:
        urls = [await one.begin(f"/c/{'x' * 100}?backend={'y' * 200}", f"api://{'z' * 100}") for _ in range(4)]
        assert len(one.sealed) < 3_900
        outcomes = [(await one.finish(one.at.answer_to(url))).outcome for url in urls]
        assert outcomes == ["expired", "in", "in", "in"]
        assert one.sealed == ""


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({"query": {"error": "access_denied", "error_description": "<b>"}}, "denied"),
        ({"query": {"error": "<script>"}}, "failed"),
        ({"raw": {"/token": (502, b"", {})}}, "unavailable"),
        *(({"claims": {"groups": value}}, "not-allowed") for value in (["Legal"], None)),
    ],
)
async def test_another_outcome_is_in_the_address(changed: dict[str, Any], outcome: str):
    async with trial(groups=["staff", "other"]) as one:
        query = one.change(**changed)
        result = await one.sign_in("/c/abc", **query)
        assert (result.outcome, result.address) == (outcome, f"/c/abc?sign-in={outcome}")
        assert (result.claims, result.tokens) == (None, None)


@pytest.mark.parametrize(
    ("changed", "person"),
    [
        ({"userinfo": {"name": "Anna of userinfo"}}, Claims("anna", NAME)),
        ({"claims": {"name": None, "preferred_username": "anna@example.com"}}, Claims("anna", "anna@example.com")),
        ({"claims": {"name": " A\n\x1b B" + "c" * 200, "sub": "1|2"}}, Claims("1|2", "A B" + "c" * 97)),
        ({"claims": {"aud": ["chat"], "azp": None}}, Claims("anna", NAME)),
        ({"claims": {"aud": ["chat", "other"], "azp": "chat"}}, Claims("anna", NAME)),
        ({"raw": {"/jwks": (200, json.dumps({"keys": [*ODD_KEYS, KEY]}).encode(), {})}}, Claims("anna", NAME)),
        # A token lasts for 300 s.
        *(({"skew": seconds}, Claims("anna", NAME)) for seconds in (300, -600)),
        *(
            ({"algorithm": name, "sign": by_key(key("key-1", name), **header)}, Claims("anna", NAME))
            for name in ("RS256", "ES256")
            for header in ({}, {"nonce": "n", "x5t": "abc", "typ": "JWT"})
        ),
        ({"claims": {"name": None}, "raw": {"/userinfo": (503, b"", {})}}, Claims("anna")),
        (
            {"claims": {"name": None, "groups": ["a"]}, "userinfo": {"name": "Anna of userinfo", "groups": ["b"]}},
            Claims("anna", "Anna of userinfo", frozenset({"a"})),
        ),
    ],
)
async def test_the_person_is_read_from_the_claims(changed: dict[str, Any], person: Claims):
    async with trial() as one:
        one.change(**changed)
        assert (await one.sign_in()).claims == person
        assert one.at.calls["/userinfo"] == (person.name in ("", "Anna of userinfo"))


@pytest.mark.parametrize(
    ("claims", "groups"),
    [
        ({"groups": ["staff", 7], "roles": "Reader"}, {"staff", "Reader"}),
        ({"https://example.com/groups": ["staff"]}, {"staff"}),
        ({"groups": ["staff", *map(str, range(500))]}, {"staff", *map(str, range(499))}),
        ({"my_groups": ["x"]}, {"staff", "of userinfo"}),
    ],
)
async def test_groups_are_read_from_claims_or_userinfo(claims: dict[str, Any], groups: set[str]):
    async with trial(groups=["staff"]) as one:
        one.change(claims=claims, userinfo={"groups": ["staff", "of userinfo"]})
        assert (await one.sign_in()).claims == Claims("anna", NAME, frozenset(groups))
