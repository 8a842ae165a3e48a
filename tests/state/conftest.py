from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.state.pages import Pages, open_pages


@pytest.fixture
async def pages(tmp_path: Path) -> AsyncIterator[Pages]:
    async with open_pages(tmp_path) as opened:
        yield opened
