import os
from pathlib import Path
from unittest.mock import patch

import pytest
from reflex_base.environment import EnvironmentVariables, environment

from chat_ui.errors import NoPageError
from chat_ui.server import reflex_environment


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file for the page of a separate package."""
    monkeypatch.setattr(reflex_environment, "_PACKAGE", tmp_path / "chat_ui")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "chat_ui/built/.web/build/client/index.html"


def test_each_variable_is_known_to_reflex(page: Path):
    page.parent.mkdir(parents=True)
    page.touch()
    known = {getattr(environment, name).name for name in vars(EnvironmentVariables) if name.isupper()}
    with patch.dict(os.environ):
        for name in known:
            os.environ.pop(name, None)
        before = set(os.environ)
        reflex_environment.serve_built("127.0.0.1", 3000)
        mine = set(os.environ) - before
    of_config = {"REFLEX_BACKEND_HOST", "REFLEX_BACKEND_PORT"}
    assert mine >= {"__REFLEX_SKIP_COMPILE", "REFLEX_SOCKET_INTERVAL"}
    assert mine - of_config <= known


def test_a_missing_page_is_told(page: Path):
    with patch.dict(os.environ), pytest.raises(NoPageError, match="reflex run --env prod"):
        reflex_environment.serve_built("127.0.0.1", 3000)
    assert not page.exists()
