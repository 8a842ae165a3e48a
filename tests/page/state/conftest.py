from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import count

import pytest
import pytest_asyncio

from tests.page.state.pages import Pages, open_pages, saying
from tests.page_socket import PageSocket

_numbers = count(1)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pages_of_file(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Pages]:
    async with open_pages(tmp_path_factory.mktemp("pages")) as opened:
        yield opened


@pytest.fixture
def pages(pages_of_file: Pages) -> Pages:
    """The pages of the file, for a new person, and a backend without requests.

    A file that uses them has one loop: `pytestmark = pytest.mark.asyncio(loop_scope="module")`.
    """
    pages_of_file.backend.reply = saying("Red.")
    pages_of_file.backend.requests.clear()
    pages_of_file.backend.arrived.clear()
    return replace(pages_of_file, me=f"person-{next(_numbers)}")


@pytest_asyncio.fixture(loop_scope="module")
async def page(pages: Pages) -> AsyncIterator[PageSocket]:
    async with pages.booted() as page:
        yield page
