import json
import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.backends.credential import Credential, Tokens
from chat_ui.backends.offer import (
    Offer,
    backend_for,
    default_options,
    remembered_backend,
    sent_options,
    with_trusted_certificate,
)
from chat_ui.backends.options import FOLLOWUPS, OPTIONS, read_more, read_option
from chat_ui.backends.personal_choices import Choices, OwnBackend, operator_profile_id, read_choices
from chat_ui.backends.profile import Profile, read_profiles
from chat_ui.backends.vault import Vault
from chat_ui.errors import NotAllowedError, SignInNeededError, UnusableSettingsError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import Advice
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from tests.accounts import Accounts

TOML = """
[[backends]]
name = "Handbook"
url = "https://handbook.example/chat"
kind = "azure-search-openai-demo"
options = { temperature = 0.3 }
starter_questions = ["Who pays for glasses?"]
documents = "{origin}/content/{source}"

[backends.credential]
kind = "api-key"
env = "HANDBOOK_KEY"

[[backends]]
name = "Signed in"
url = "https://signed-in.example/chat"
pass_token = true
"""
OWN = OwnBackend("own:1", "https://handbook.example/chat", "Mine")


@pytest.fixture
def given_profiles(tmp_path: Path) -> tuple[Profile, ...]:
    path = tmp_path / "backends.toml"
    path.write_text(TOML)
    return read_profiles(path)


def test_toml_and_json_profiles_are_equal(given_profiles: tuple[Profile, ...], tmp_path: Path):
    path = tmp_path / "backends.json"
    path.write_text(json.dumps(tomllib.loads(TOML)))
    assert read_profiles(path) == given_profiles
    assert [profile.name for profile in given_profiles] == ["Handbook", "Signed in"]


def test_a_broken_or_endless_file_is_refused_with_the_place(tmp_path: Path):
    named = "[[backends]]\nname = 'A'\n"
    located = f"{named}url = 'https://a.example'\n"
    mistakes = {
        "": "backends",
        "backends = []": "backends",
        named: "url",
        f"{named}url = 'ftp://a.example'": "Only http:// and https://",
        f"{located}colour = 'red'": "colour",
        f"{located}dialect = 'z'": "'z' is not a dialect",
        f"{located}kind = 'z'": "'z' is not a kind of backend",
        f"{located}token_scope = 'z'": "needs pass_token",
        f"{located}pass_token = true\ncredential = {{ kind = 'bearer', env = 'K' }}": "cannot be combined",
        located * 2: "names must be unique, and these are not: A",
        "[[backends]\n": "line 1",
    }
    path = tmp_path / "backends.toml"
    for text, words in mistakes.items():
        path.write_text(text)
        with pytest.raises(UnusableSettingsError, match=r"backends\.toml") as refused:
            read_profiles(path)
        assert words in str(refused.value)
    os.mkfifo(endless := tmp_path / "endless.toml")
    with pytest.raises(UnusableSettingsError, match=r"endless\.toml cannot be read: it is not a regular file"):
        read_profiles(endless)


def test_a_person_chooses_own_and_operators_backends_by_name(given_profiles: tuple[Profile, ...]):
    choices = Choices(selected="own:1", own=(OWN,))
    offer, locked = Offer(given_profiles), Offer(given_profiles, own_allowed=False)
    assert [profile.name for profile in offer.profiles(choices).values()] == ["Handbook", "Signed in", "Mine"]
    assert offer.chosen(choices)[1].name == "Mine"
    assert list(locked.profiles(choices)) == [operator_profile_id(profile) for profile in given_profiles]
    assert locked.chosen(choices)[1].name == "Handbook"
    own = tuple(OwnBackend(f"own:{number}", f"http://x.test/{number}/chat") for number in (1, 2))
    names = [*Offer(given_profiles).names(Choices(own=own)).values()]
    assert names == ["Handbook", "Signed in", "x.test (http://x.test/1/chat)", "x.test (http://x.test/2/chat)"]


def test_a_profile_without_a_kind_is_read_by_its_address():
    completions = Profile(name="Own model", url="https://x.test/v1/chat/completions")
    known = KNOWN_BACKENDS["openai-compatible"]
    assert completions.backend() == known.at(completions.url)
    assert completions.known_options == known.template.known_overrides
    assert Profile(name="Chat", url="https://x.test/chat").backend() == Backend("https://x.test/chat")


@pytest.mark.parametrize(("model", "kept"), [("", "small-1"), ("large-1", "large-1")])
def test_an_own_backend_keeps_the_address_where_it_was_found(model: str, kept: str):
    other, url = replace(OWN, id="own:2"), "https://handbook.example/v1/chat/completions"
    choices = Choices("own:1", (replace(OWN, model=model), other))
    found = choices.with_found("own:1", url, "openai-compatible", "small-1")
    assert found == replace(choices, own=(replace(OWN, url=url, kind="openai-compatible", model=kept), other))
    assert read_choices(found.to_json()) == found


def test_an_invalid_header_is_refused_with_its_place():
    for headers in ({"X `id`": "1"}, {"X-A\r\nX-B": "1"}, {"": "1"}, {"X-Ä": "1"}, {"X-A": "1\r\nX-B: 2"}):
        with pytest.raises(ValueError, match="header"):
            Profile(name="Handbook", url="https://handbook.example/chat", headers=headers)


def test_choices_survive_in_the_browser_and_hostile_names_stay_text():
    choices = Choices("own:1", (OWN,), {"own:1": {"temperature": 0.1}})
    assert read_choices(choices.to_json()) == choices
    hostile = {"id": "given:x", "url": "http://a.example", "name": "<b>", "dialect": "z"}
    [kept] = read_choices(json.dumps({"own": [hostile]})).own
    assert (kept.name, kept.dialect, kept.id.startswith("own:")) == ("<b>", "auto", True)
    # Invalid backends are left out.
    urls = (1, "javascript:alert(1)", "http://", "http://a@b.example")
    for entry in (None, 1, "x", {}, *({"url": url} for url in urls)):
        assert read_choices(json.dumps({"own": [entry]})).own == (), entry


@given(
    st.one_of(st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).map(json.dumps))
)
def test_valid_parts_of_a_stored_choice_are_kept(text: str):
    assert isinstance(read_choices(text), Choices)


async def sent_to(profile: Profile, tmp_path: Path, tokens: Tokens | None = None) -> dict[str, str]:
    vault = Vault(tmp_path)
    await vault.keep("ann", "https://handbook.example:443", Credential("bearer", "anns"))
    backend = await backend_for(profile, "ann", vault, tokens or Tokens())
    await vault.close()
    return dict(backend.headers)


async def test_each_key_and_token_goes_only_to_its_backend(
    given_profiles: tuple[Profile, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDBOOK_KEY", "operators")
    handbook, signed_in = given_profiles
    tokens = Tokens()
    tokens.keep("ann", "anns-token")
    tokens.keep("bob", "bobs-token")
    assert await sent_to(handbook, tmp_path, tokens) == {"api-key": "operators"}
    assert await sent_to(signed_in, tmp_path, tokens) == {"Authorization": "Bearer anns-token"}
    assert await sent_to(OWN.profile(), tmp_path, tokens) == {"Authorization": "Bearer anns"}
    for origin in ("http://handbook.example", "https://handbook.example:8443", "https://a.handbook.example"):
        assert await sent_to(OwnBackend("own:2", f"{origin}/chat").profile(), tmp_path) == {}, origin


async def test_a_knowledge_base_gets_the_token_of_the_person_beside_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SEARCH_KEY", "operators")
    about = {"name": "Search", "url": "https://s.example/knowledgebases/k/retrieve?api-version=1", "pass_token": True}
    key = {"kind": "api-key", "env": "SEARCH_KEY"}
    profile, tokens = Profile.model_validate({**about, "credential": key}), Tokens()
    assert await sent_to(profile, tmp_path, tokens) == {"api-key": "operators"}
    tokens.keep("ann", "anns-token")
    beside = {"api-key": "operators", "x-ms-query-source-authorization": "anns-token"}
    assert await sent_to(profile, tmp_path, tokens) == beside
    memory = replace(profile.backend(), profile="given:Search").memory
    of_documents = await remembered_backend(memory, "ann", Offer((profile,)), Vault(tmp_path), tokens)
    assert of_documents is not None
    assert of_documents.headers == beside
    alone = Profile.model_validate(about)
    assert await sent_to(alone, tmp_path, tokens) == {"Authorization": "Bearer anns-token"}
    for people, token in (({"ann": ""}, "of ann for api://a/b"), ({}, "anns-token")):
        tokens.accounts = Accounts(**people)
        scoped = alone.model_copy(update={"token_scope": "api://a/b"})
        assert await sent_to(scoped, tmp_path, tokens) == {"Authorization": f"Bearer {token}"}


async def test_an_own_backend_does_not_open_the_origin_of_another_group(tmp_path: Path):
    legal = Profile(name="Legal", url="http://10.0.0.1/legal/chat", groups=("legal",))
    offer = Offer((legal, Profile(name="Open", url="https://open.example/chat")))
    own, vault, tokens = OwnBackend("own:1", "http://10.0.0.1/chat"), Vault(tmp_path), Tokens()
    tokens.accounts = Accounts(ann="legal", bob="staff")
    choices, memory = Choices(own.id, (own,)), replace(own.profile().backend(), profile=own.id).memory
    theirs = {person: offer.for_person(tokens.groups(person)) for person in ("ann", "bob", "eve")}
    assert (await backend_for(theirs["ann"].chosen(choices)[1], "ann", vault, tokens)).url == own.url
    assert await remembered_backend(memory, "ann", theirs["ann"], vault, tokens)
    for person, error in (("bob", NotAllowedError), ("eve", SignInNeededError)):
        with pytest.raises(error):
            await backend_for(theirs[person].chosen(choices)[1], person, vault, tokens)
        with pytest.raises(error):
            await remembered_backend(memory, person, theirs[person], vault, tokens)


async def test_a_certificate_is_trusted_for_own_backends_at_its_origin_only(tmp_path: Path):
    vault, handbook = Vault(tmp_path), Profile(name="Handbook", url="https://handbook.example/chat")
    await vault.trust("ann", "https://handbook.example:443", "ab" * 32)

    async def believed(profile: Profile, person: str = "ann", *, allowed: bool = True) -> str:
        offer = Offer((handbook,), certificates_allowed=allowed)
        backend = await with_trusted_certificate(profile.backend(), profile, person, offer, vault)
        assert "ab" * 32 not in str(backend.memory)
        return backend.fingerprint

    own = OwnBackend("own:1", "https://handbook.example/other").profile()
    assert await believed(own) == "ab" * 32
    assert await believed(own, allowed=False) == await believed(own, "bob") == await believed(handbook) == ""
    for url in ("https://handbook.example:8443/chat", "http://handbook.example:443/chat"):
        assert await believed(OwnBackend("own:1", url).profile()) == ""
    await vault.close()


def test_a_removed_backend_comes_back_at_its_place():
    own = tuple(OwnBackend(f"own:{number}", f"http://{number}.test/chat") for number in (1, 2, 3))
    choices = Choices("own:2", own, {"own:2": {"top": 3}})
    assert choices.without_own("own:2").with_restored(own[1], 1, {"top": 3}) == choices
    assert [choices.without_own(removed).selected for removed in ("own:1", "own:2")] == ["own:2", ""]


def test_options_are_the_defaults_with_the_persons_changes(given_profiles: tuple[Profile, ...]):
    handbook = given_profiles[0]
    assert default_options(handbook) == {"suggest_followup_questions": True, "temperature": 0.3}
    sent = sent_options(handbook, {"temperature": None, "suggest_followup_questions": False, "seed": 1}).options
    assert sent == {"suggest_followup_questions": False, "seed": 1}


def test_a_person_precedes_the_operator_who_precedes_the_deployment(given_profiles: tuple[Profile, ...]):
    advice = Advice({"temperature": 0.9, "top": 5, "seed": 2, "suggest_followup_questions": True})
    sent = sent_options(given_profiles[0], {"seed": 1}, advice)
    assert sent.options == {"temperature": 0.3, "top": 5, "seed": 1, "suggest_followup_questions": True}
    assert sent.told == ("top",)
    assert sent_options(given_profiles[0], {"top": None}, advice).told == ("seed",)


def test_an_option_is_parsed_or_refused_with_a_reason():
    typed: dict[tuple[str, str], object] = {
        ("temperature", "0.3"): 0.3,
        ("temperature", " 0,5 "): 0.5,
        ("temperature", ""): None,
        ("top", "3"): 3,
        ("retrieval_mode", "hybrid"): "hybrid",
        ("semantic_ranker", "false"): False,
        ("vector_fields", "text, image ,"): ["text", "image"],
    }
    assert {(key, text): read_option(OPTIONS[key], text) for key, text in typed} == typed

    for key, text, words in (
        ("temperature", "warm", "Enter a number"),
        ("temperature", "2.5", "from 0 to 2"),
        ("temperature", "nan", "from 0 to 2"),
        ("top", "3.5", "whole number"),
        ("minimum_search_score", "-1", "0 or more"),
        ("retrieval_mode", "telepathy", "Choose"),
    ):
        with pytest.raises(ValueError, match=words):
            read_option(OPTIONS[key], text)


def test_broken_json_is_refused_with_its_place():
    mistakes = {
        '{"a": 1,\n "b": }': "Line 2, column 7",
        "[1]": "Line 1, column 1",
        "[" * 100_000: "The options are nested too deeply",
    }
    for typed, place in mistakes.items():
        with pytest.raises(ValueError, match=place):
            read_more(typed)


def test_a_kind_of_backend_lists_its_requests_and_labelled_options():
    for kind, known in KNOWN_BACKENDS.items():
        profile = Profile(name="A", url="https://a.example/chat", kind=kind, model="m")
        assert known.at(profile.url, model="m") == profile.backend(), kind
        assert set(default_options(profile)) <= set(known.template.known_overrides or ()), kind
        # Microsoft's own samples are known to take files.
        assert profile.backend().takes_forms or not kind.startswith("microsoft"), kind

    named = {key for known in KNOWN_BACKENDS.values() for key in known.template.known_overrides or ()}
    assert named - set(OPTIONS) == {FOLLOWUPS}
