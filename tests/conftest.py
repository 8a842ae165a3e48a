"""The app, started once for all tests that talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.app import running_app

# How long an example takes is a matter of the machine; what it costs has tests of its own. The same examples for
# everybody, so that a red run is about the change: `--hypothesis-profile search` looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("same")


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("app")
    with running_app(folder) as url:
        yield folder, url


@pytest.fixture(scope="session")
def app_url(running: tuple[Path, str]) -> str:
    return running[1]


@pytest.fixture(scope="session")
def built_app(running: tuple[Path, str]) -> Path:
    """A folder in which the page is built, for further servers of it."""
    return running[0]
