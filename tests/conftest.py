"""The app, started once for all tests that talk to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app import running_app


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_app(tmp_path_factory.mktemp("app")) as url:
        yield url
