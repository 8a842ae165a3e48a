from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.page_socket import PageSocket
from tests.state.pages import Pages, open_pages


@pytest.fixture
async def pages(tmp_path: Path) -> AsyncIterator[Pages]:
    async with open_pages(tmp_path) as opened:
        yield opened


@pytest.fixture
async def page(pages: Pages) -> AsyncIterator[PageSocket]:
    """A page that is alive."""
    async with pages.booted() as page:
        yield page
