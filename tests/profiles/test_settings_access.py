"""What an operator lets people do with the settings of a backend, as the page is built from it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEADER = "from chat_ui.components.header.header import header; print(header().render())"


@pytest.mark.parametrize(("access", "is_there"), [("open", True), ("read-only", True), ("hidden", False)])
def test_the_way_to_the_settings_is_there_unless_it_is_hidden(access: str, is_there: bool):
    environment = {**os.environ, "CHAT_UI_SETTINGS_ACCESS": access}
    built = subprocess.run([sys.executable, "-c", HEADER], env=environment, capture_output=True, text=True, check=True)
    assert "New chat" in built.stdout
    assert ("Backend settings" in built.stdout) == is_there
