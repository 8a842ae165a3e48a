"""A sign-in from its start to its end."""

from urllib.parse import parse_qs, urlsplit

import pytest

from chat_ui.features.signing_in.id_token import Claims
from tests.features.signing_in.trial import REDIRECT, trial
from tests.stand_ins.provider import StandInProvider


async def test_a_sign_in_returns_to_its_page_with_the_person_and_the_tokens():
    async with trial(scopes=["more"]) as one:
        url = await one.begin("/c/abc?backend=given:Azure", "api://server/access_as_user")
        asked = {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()}
        assert asked["scope"] == "openid profile email offline_access api://server/access_as_user more"
        assert (asked["redirect_uri"], asked["code_challenge_method"]) == (REDIRECT, "S256")
        result = await one.finish(one.at.answer_to(url))
        assert (result.outcome, result.address, result.sealed) == ("in", "/c/abc?backend=given:Azure", "")
        assert (result.claims, result.scope) == (Claims("anna", "Anna Example"), "api://server/access_as_user")


async def test_google_is_asked_in_its_own_way():
    stand_in = StandInProvider("https://accounts.google.com")
    stand_in.metadata = {"end_session_endpoint": None, "authorization_response_iss_parameter_supported": None}
    async with trial(stand_in, "secret chat+") as one:
        asked = parse_qs(urlsplit(await one.begin()).query)
        assert (asked["scope"], asked["access_type"]) == (["openid profile email"], ["offline"])
        assert (await one.sign_in(iss=None)).outcome == "in"


async def test_an_address_with_a_query_keeps_it():
    async with trial() as one:
        one.at.metadata = {"authorization_endpoint": "https://id.example/authorize?policy=p"}
        assert "?policy=p&response_type=code&" in await one.begin()


async def test_three_sign_ins_can_be_under_way_in_a_cookie_of_4_kb():
    async with trial() as one:
        urls = [await one.begin(f"/c/{'x' * 100}?backend={'y' * 200}", f"api://{'z' * 100}") for _ in range(4)]
        assert len(one.sealed) < 3_900
        outcomes = [(await one.finish(one.at.answer_to(url))).outcome for url in urls]
        assert outcomes == ["expired", "in", "in", "in"]
        assert one.sealed == ""


@pytest.mark.parametrize(
    ("error", "address"),
    [
        ("access_denied", "/c/abc?sign-in=denied"),
        ("temporarily_unavailable", "/c/abc?sign-in=unavailable"),
        ("<script>", "/c/abc?sign-in=failed"),
    ],
)
async def test_an_error_of_the_provider_returns_in_our_words(error: str, address: str):
    async with trial() as one:
        state = one.at.answer_to(await one.begin("/c/abc"))["state"]
        query = {"error": error, "error_description": "<b>", "state": state, "iss": one.at.issuer}
        assert (await one.finish(query)).address == address


async def test_a_provider_that_is_down_in_the_middle_is_unavailable():
    async with trial() as one:
        for path in ("/token", "/jwks"):
            one.at.raw = {path: (502, b"", {})}
            result = await one.sign_in()
            assert (result.outcome, result.claims, result.address) == ("unavailable", None, "/?sign-in=unavailable")


@pytest.mark.parametrize(("groups", "outcome"), [(["staff"], "in"), (["Legal"], "not-allowed"), (None, "not-allowed")])
async def test_only_members_of_the_groups_may_use_the_page(groups: list[str] | None, outcome: str):
    async with trial(groups=["staff", "other"]) as one:
        one.at.claims["groups"] = groups
        result = await one.sign_in()
        assert (result.outcome, result.tokens is None) == (outcome, outcome != "in")
