from collections.abc import Iterator

import httpx2
import pytest

from tests.page.routes.running_app import person, running_app


@pytest.fixture(scope="module")
def whole_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app with all routes beside the page."""
    with running_app(tmp_path_factory.mktemp("whole")) as url:
        yield url


@pytest.fixture
def me(whole_url: str) -> Iterator[httpx2.Client]:
    with person(whole_url) as client:
        yield client
