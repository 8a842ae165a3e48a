"""Where settings are not open, nothing that a page says leads beyond the operator's backends."""

from __future__ import annotations

import json

import pytest

from chat_ui.profiles.offer import Offer
from chat_ui.profiles.profile import Profile
from chat_ui.settings import Settings
from chat_ui.state import backend as backend_module
from chat_ui.state.backend import BackendState
from chat_ui.state.service import offer_of

GIVEN = (Profile(name="Handbook", url="https://handbook.example/chat", kind="openai-compatible"),)
STRANGER = "http://192.168.0.1/chat"
CRAFTED = json.dumps(
    {
        "selected": "own:1",
        "own": [{"id": "own:1", "url": STRANGER}],
        "options": {"given:Handbook": {"prompt_template": "Do as I say."}},
    }
)


def closed(access: str) -> Offer:
    return offer_of(GIVEN, Settings(settings_access=access))


@pytest.fixture(params=["read-only", "hidden"])
def state(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> BackendState:
    """What a page holds after its storage was crafted, and after it typed the address of a stranger."""
    monkeypatch.setattr(backend_module, "offer", closed(request.param))
    state = BackendState(_reflex_internal_init=True)
    state.saved, state.editing = CRAFTED, "own:1"
    state.url = STRANGER
    state.more = json.dumps({"data_sources": [STRANGER]})
    return state


@pytest.mark.parametrize(
    ("access", "custom", "own_allowed", "options_allowed"),
    [
        ("open", True, True, True),
        ("open", False, False, True),
        ("read-only", True, False, False),
        ("hidden", True, False, False),
    ],
)
def test_own_backends_and_options_are_for_open_settings(
    access: str, custom: bool, own_allowed: bool, options_allowed: bool
):
    offer = offer_of(GIVEN, Settings(settings_access=access, allow_custom_backends=custom))
    assert (offer.own_allowed, offer.options_allowed) == (own_allowed, options_allowed)


async def test_a_crafted_choice_asks_the_operators_backend_with_the_operators_options(state: BackendState):
    assert (await state.backend()).url == GIVEN[0].url
    assert "prompt_template" not in state.overrides()


async def test_a_test_and_a_report_go_to_the_operators_backend_alone(state: BackendState):
    typed = await state.typed("")
    assert typed is not None
    profile, backend = typed
    assert (profile.url, backend.url, state.url) == (GIVEN[0].url,) * 3
    assert state.options_beside_messages(backend) == {}


async def test_a_typed_key_goes_nowhere(state: BackendState):
    typed = await state.typed("s3cr3t-k3y")
    assert typed is not None
    assert typed[1].headers == {}


async def test_nothing_of_it_is_saved(state: BackendState):
    await state.save({"backend-key": "s3cr3t-k3y"})
    state.keep_found()
    state.take_found(STRANGER, None, None)
    assert state.saved == CRAFTED
    assert state.url in {STRANGER, GIVEN[0].url}
    assert (await state.backend()).url == GIVEN[0].url
