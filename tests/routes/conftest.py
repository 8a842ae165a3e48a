from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.routes.whole import whole


@pytest.fixture(scope="module")
def whole_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of everything that the app serves beside its page."""
    with whole(tmp_path_factory.mktemp("whole")) as url:
        yield url
