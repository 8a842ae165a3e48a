from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from chat_ui.features.demo.app import demo_app
from chat_ui.features.demo.retrieval import Index, demo_index
from chat_ui.features.demo.settings import DemoSettings
from tests.features.demo.serving import serving


@pytest.fixture(scope="session")
def app() -> Starlette:
    return demo_app(DemoSettings(demo_delay=0))


@pytest.fixture(scope="session")
def demo(app: Starlette) -> Iterator[str]:
    """The demo's base URL, mounted as in the page, without pauses in the text."""
    with serving(Starlette(routes=[Mount("/demo", app)])) as origin:
        yield f"{origin}/demo"


@pytest.fixture(scope="session")
def index() -> Index:
    return demo_index()
