"""The dialog of a backend as its state has it: no page, no socket, no server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from reflex.istate.data import RouterData
from reflex.state import State

from chat_ui.profiles.choices import read_choices
from chat_ui.server.current import services, use
from chat_ui.server.services import build
from chat_ui.settings import Settings
from chat_ui.state.backend_choice import chosen_backend
from chat_ui.state.backend_dialog import KEY_FIELD, BackendDialog
from chat_ui.state.socket_people import people

KEY = "sk-of-this-test-alone"


@pytest.fixture
async def dialog(tmp_path: Path) -> AsyncIterator[BackendDialog]:
    use(build(Settings(data_dir=tmp_path), "127.0.0.1", 8000))
    root = State(_reflex_internal_init=True)
    root.router = RouterData.from_router_data({"token": "page", "sid": "socket of this test"})
    people.open("socket of this test", "ann")
    yield await root.get_state(BackendDialog)
    people.close("socket of this test")
    await services().client.aclose()


async def test_the_dialog_opens_with_the_backend_in_use(dialog: BackendDialog):
    await dialog.open_dialog()
    assert (dialog.is_open, dialog.is_own, dialog.name) == (True, False, "Demo backend")
    assert dialog.url == "http://127.0.0.1:8000/demo/chat"
    assert dialog.label == "Demo backend"


async def test_an_address_that_is_typed_becomes_a_backend_of_ones_own(dialog: BackendDialog):
    await dialog.add_backend()
    dialog.set_text("name", "Mine")
    await dialog.set_url("https://mine.example/chat")
    dialog.set_switch("stream", False)
    await dialog.save({KEY_FIELD: KEY})
    assert (dialog.is_open, dialog.label) == (False, "Mine")
    (own,) = read_choices(dialog.saved).own
    assert (own.url, own.name, own.stream) == ("https://mine.example/chat", "Mine", False)
    assert KEY not in dialog.saved
    backend = await chosen_backend(dialog)
    assert backend.headers == {"Authorization": f"Bearer {KEY}"}


async def test_what_is_wrong_stands_at_its_place_and_nothing_is_kept(dialog: BackendDialog):
    await dialog.add_backend()
    await dialog.set_url("ftp://mine.example/chat")
    await dialog.save({})
    assert dialog.url_error
    assert (dialog.is_open, dialog.saved) == (True, "")
    await dialog.set_url("https://mine.example/chat")
    dialog.set_more("{")
    await dialog.save({})
    assert (dialog.url_error, dialog.is_open) == ("", True)
    assert dialog.more_error


async def test_the_name_is_kept_within_its_length(dialog: BackendDialog):
    await dialog.add_backend()
    dialog.set_text("name", "n" * 101)
    assert dialog.name == "n" * 100


async def test_where_settings_are_closed_nothing_opens_or_is_kept(dialog: BackendDialog, tmp_path: Path):
    use(build(Settings(data_dir=tmp_path, settings_access="read-only"), "127.0.0.1", 8000))
    assert await dialog.add_backend() is None
    assert not dialog.is_open
    await dialog.set_url("https://mine.example/chat")
    await dialog.save({KEY_FIELD: KEY})
    assert dialog.saved == ""
