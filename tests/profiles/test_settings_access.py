"""What an operator lets people do with the settings of a backend, as the page is built from it."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.app import IMPORTED


def built_header(access: str) -> str:
    os.environ["CHAT_UI_SETTINGS_ACCESS"] = access
    from chat_ui.components.header.header import header

    return str(header().render())


@pytest.mark.parametrize(("access", "is_there"), [("open", True), ("read-only", True), ("hidden", False)])
def test_the_way_to_the_settings_is_there_unless_it_is_hidden(access: str, is_there: bool):
    with ProcessPoolExecutor(1, IMPORTED) as process:
        built = process.submit(built_header, access).result()
    assert "New chat" in built
    assert ("Backend settings" in built) == is_there
