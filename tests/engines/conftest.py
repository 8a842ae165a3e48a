import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.engines import firefox, webkit
from tests.engines.chromium import chromium
from tests.engines.walking import Walker
from tests.engines.window import Window

_ENGINES: dict[str, Callable[[Path], AbstractContextManager[Window]]] = {
    "Chromium": lambda _folder: chromium(),
    "Firefox": firefox.firefox,
    "WebKit": webkit.webkit,
}


@pytest.fixture(params=_ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if os.environ.get(f"TESTS_WITHOUT_{name.upper()}"):
        pytest.skip(f"tests/run could not install {name}")
    return name


@pytest.fixture
def walker(engine: str, app_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walker]:
    """A person at the open page."""
    with _ENGINES[engine](tmp_path_factory.mktemp(engine)) as window:
        window.resize(1200, 900)
        walker = Walker(window, app_url)
        walker.open()
        yield walker
