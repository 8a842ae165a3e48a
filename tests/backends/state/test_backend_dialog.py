"""The state of the backend dialog, without page, socket and server."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from reflex.istate.data import RouterData
from reflex.state import State

from chat_ui.assembly import build_with
from chat_ui.backends.personal_choices import LONGEST_STORED, read_choices
from chat_ui.backends.state.backend_choice import asked
from chat_ui.backends.state.backend_dialog import KEY_FIELD, BackendDialog
from chat_ui.errors import VaultError
from chat_ui.installed import FEATURES
from chat_ui.languages.catalogues import offered
from chat_ui.languages.translation import speaking
from chat_ui.page.state.socket_people import people
from chat_ui.server.services import services, use
from chat_ui.settings import settings
from tests.app_settings import AppSettings

KEY = "sk-of-this-test-alone"
MINE = "https://mine.example/chat"


@pytest.fixture
async def dialog(tmp_path: Path) -> AsyncIterator[BackendDialog]:
    use(build_with(FEATURES, AppSettings(data_dir=tmp_path), "127.0.0.1", 8000))
    root = State(_reflex_internal_init=True)
    root.router = RouterData.from_router_data({"token": "page", "sid": "socket of this test"})
    people.open("socket of this test", "ann")
    yield await root.get_state(BackendDialog)
    people.close("socket of this test")
    await services().backends.client.aclose()


async def add(dialog: BackendDialog, **texts: str) -> None:
    await dialog.add_backend()
    await dialog.set_url(MINE)
    for field, text in texts.items():
        dialog.set_text(field, text)
    await dialog.save({KEY_FIELD: KEY})


async def test_the_dialog_opens_with_the_backend_in_use(dialog: BackendDialog):
    with speaking(offered()["de"]):
        await dialog.open_dialog()
    assert (dialog.is_open, dialog.is_own, dialog.name) == (True, False, "Demo backend")
    assert (dialog.url, dialog.label) == ("http://127.0.0.1:8000/demo/chat", "Demo backend")
    assert ["choices", "AI Chat Protocol vom Januar 2024"] in dialog.dialects


async def test_a_typed_address_becomes_an_own_backend(dialog: BackendDialog):
    await dialog.add_backend()
    dialog.set_text("name", "n" * 101)
    assert dialog.name == "n" * 100
    await dialog.set_url(MINE)
    dialog.set_switch("stream", False)
    await dialog.save({KEY_FIELD: KEY})
    assert (dialog.is_open, dialog.label) == (False, "n" * 100)
    (own,) = read_choices(dialog.saved).own
    assert (own.url, own.name, own.stream) == (MINE, "n" * 100, False)
    assert KEY not in dialog.saved
    assert (await asked(dialog))[0].headers == {"Authorization": f"Bearer {KEY}"}


async def test_errors_are_shown_at_their_fields_and_nothing_is_kept(dialog: BackendDialog):
    async def said(place: str) -> str:
        await dialog.save({})
        assert (dialog.is_open, dialog.saved) == (True, "")
        return str(getattr(dialog, place))

    await dialog.add_backend()
    await dialog.set_url("ftp://mine.example/chat")
    assert await said("url_error")
    await dialog.set_url(MINE)
    dialog.set_more("{")
    assert await said("more_error")
    assert dialog.url_error == ""
    await dialog.open_dialog()
    dialog.set_text("documents", "https://mine.example/content")
    assert await said("documents_error")
    dialog.set_text("documents", "{origin}/content/{source}")
    assert dialog.documents_error == ""
    dialog.set_more(f'{{"long": "{"é" * (LONGEST_STORED // 2)}"}}')
    assert "too long to save in this browser" in await said("more_error")
    dialog.set_more("")
    dialog.set_option("temperature", "warm")
    await said("more_error")
    [row] = [row for row in dialog.rows if row.key == "temperature"]
    assert (bool(row.problem), row.changed) == (True, True)


async def test_a_closed_dialog_opens_and_keeps_nothing(dialog: BackendDialog, tmp_path: Path):
    use(build_with(FEATURES, AppSettings(data_dir=tmp_path, settings_access="read-only"), "127.0.0.1", 8000))
    assert await dialog.add_backend() is None
    assert not dialog.is_open
    await add(dialog)
    assert dialog.saved == ""


def offering(folder: Path, **facts: object) -> None:
    """Have the operator offer one backend with these `facts`."""
    path = folder / "backends.json"
    path.write_text(json.dumps({"backends": [{"name": "Handbook", "url": "https://h.example/chat", **facts}]}))
    use(build_with(FEATURES, AppSettings(data_dir=folder, backends=path), "127.0.0.1", 8000))


async def test_a_backend_saved_unchanged_stays_the_operators(dialog: BackendDialog, tmp_path: Path):
    for facts in ({}, {"model": "large", "documents": "{origin}/content/{source}", "stream": False}):
        offering(tmp_path, **facts)
        await dialog.open_dialog()
        assert (dialog.model, dialog.documents) == (facts.get("model", ""), facts.get("documents", ""))
        await dialog.save({})
        choices = read_choices(dialog.saved)
        assert (choices.own, choices.selected, choices.options["given:Handbook"]) == ((), "given:Handbook", {})
        assert dialog.selected == "given:Handbook"


async def test_a_changed_backend_becomes_an_own_backend(dialog: BackendDialog, tmp_path: Path):
    for field, value in (("model", "other"), ("documents", "{origin}/d/{source}"), ("dialect", "ollama")):
        offering(tmp_path, model="large")
        dialog.saved = ""
        await dialog.open_dialog()
        dialog.set_text(field, value)
        await dialog.save({})
        (own,) = read_choices(dialog.saved).own
        assert getattr(own, field) == value
        assert dialog.selected == own.id


async def test_a_key_is_accepted_where_the_operator_has_none(
    dialog: BackendDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KEY_OF_THIS_TEST", KEY)
    for facts in ({}, {"pass_token": True}, {"credential": {"env": "KEY_OF_THIS_TEST"}}):
        offering(tmp_path, **facts)
        await dialog.open_dialog()
        assert dialog.takes_key is (facts == {}), facts


async def test_changed_options_are_kept_and_shown_again(dialog: BackendDialog, tmp_path: Path):
    offering(tmp_path, options={"temperature": 0.5})
    await dialog.open_dialog()
    assert dialog.more == ""
    rows = {row.key: row for row in dialog.rows}
    temperature = rows["temperature"]
    assert (temperature.value, temperature.default, temperature.changed) == ("0.5", "0.5", False)
    assert dialog.differing == 0
    dialog.set_option("temperature", "0.7")
    dialog.set_more('{"index": "handbook"}')
    assert [row.key for row in dialog.rows if row.changed] == ["temperature"]
    await dialog.save({})
    assert dict(read_choices(dialog.saved).options["given:Handbook"]) == {"temperature": 0.7, "index": "handbook"}
    assert dialog.differing == 2
    await dialog.open_dialog()
    assert json.loads(dialog.more) == {"index": "handbook"}
    assert {row.key: row.value for row in dialog.rows}["temperature"] == "0.7"
    dialog.reset_options()
    assert dialog.more == ""
    assert [row.key for row in dialog.rows if row.changed] == []


async def test_options_of_azure_search_open_once_the_backend_is_known_or_one_is_set(
    dialog: BackendDialog, tmp_path: Path
):
    for facts, has, opens in (
        ({}, True, False), ({"options": {"top": 5}}, True, True), ({"kind": "azure-search-openai-demo"}, True, True),
        ({"kind": "rag-postgres-openai-python-2024"}, False, False), ({"kind": "ollama"}, False, False),
    ):  # fmt: skip
        offering(tmp_path, **facts)
        await dialog.open_dialog()
        assert (dialog.has_search, has and dialog.opens_search) == (has, has and opens), facts
        folded = {row.key for row in dialog.rows if row.is_of_search}
        assert ("temperature" in folded, "semantic_ranker" in folded) == (False, has)


async def test_a_dialog_for_a_new_backend_is_empty_and_closes_without_a_trace(dialog: BackendDialog):
    await dialog.open_dialog()
    assert await dialog.add_backend() is not None
    assert (dialog.is_own, dialog.is_new, dialog.url, dialog.name, dialog.key_is_set) == (True, True, "", "", False)
    await dialog.set_open(False)
    assert (dialog.is_open, dialog.saved) == (False, "")


@pytest.mark.parametrize("is_new", [True, False])
async def test_a_new_state_restores_the_dialog_of_its_page(dialog: BackendDialog, is_new: bool):
    texts = {"url": "https://mine.example/ch", "more": '{"index": ', "key_scheme": "header", "key_header": "X-Key"}
    texts |= {"name": "Mi", "dialect": "auto", "model": "small", "documents": "{origin}/"}
    switches = {"stream": False, "followups": False}
    await dialog.restore("given:Demo backend", is_new, texts, switches, {"temperature": "0.7", "no_option": "1"})
    assert (dialog.is_open, dialog.is_new) == (True, is_new)
    assert {name: getattr(dialog, name) for name in texts} == texts
    assert {name: getattr(dialog, name) for name in switches} == switches
    assert dialog.more_error
    if not is_new:
        assert {row.key: row.value for row in dialog.rows}["temperature"] == "0.7"
    await dialog.set_open(False)
    before = dialog.openings
    await dialog.restore("own:gone", False, {}, {}, {})
    assert (dialog.is_open, dialog.openings > before) == (False, True), "it is gone"


async def test_a_key_is_shown_as_set_and_can_be_removed(dialog: BackendDialog):
    await add(dialog, key_scheme="api-key")
    await dialog.open_dialog()
    assert (dialog.is_own, dialog.is_new, dialog.key_is_set, dialog.key_scheme) == (True, False, True, "api-key")
    assert await dialog.remove_key() is not None
    assert not dialog.key_is_set
    await dialog.open_dialog()
    assert not dialog.key_is_set
    assert (await asked(dialog))[0].headers == {}


async def test_an_unreadable_key_is_asked_for_again_or_removed(dialog: BackendDialog, tmp_path: Path):
    await add(dialog)
    await services().backends.vault.close()
    (tmp_path / "secret.key").unlink()
    with pytest.raises(VaultError, match="Enter it again"):
        await asked(dialog)
    await dialog.open_dialog()
    assert (dialog.is_open, dialog.key_is_set) == (True, True)
    assert "cannot be read any more" in dialog.key_error
    await dialog.remove_key()
    assert (dialog.key_is_set, dialog.key_error) == (False, "")
    assert (await asked(dialog))[0].headers == {}


async def test_a_moved_backend_drops_its_key_and_keeps_the_one_typed_since(dialog: BackendDialog):
    await add(dialog)
    for url, key in (("https://moved.example/chat", ""), (MINE, ""), ("https://third.example/chat", KEY), (MINE, "")):
        await dialog.open_dialog()
        await dialog.set_url(url)
        await dialog.save({KEY_FIELD: key})
        assert (await asked(dialog))[0].headers == ({"Authorization": f"Bearer {KEY}"} if key else {})


async def test_a_hidden_dialog_does_not_open(dialog: BackendDialog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("CHAT_UI_SETTINGS_ACCESS", "hidden")
    settings.cache_clear()
    await dialog.open_dialog()
    assert not dialog.is_open
    monkeypatch.undo()
    settings.cache_clear()
    await dialog.open_dialog()
    assert dialog.is_open
