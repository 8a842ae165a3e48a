"""The app, started once for all tests that talk to it."""

import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from hypothesis import HealthCheck, settings

from tests.app import build_once, running_app
from tests.clock_loop import SteadyLoop
from tests.timeouts import TIMEOUT

# How long an example takes is a matter of the machine; what it costs has tests of its own. The same examples for
# everybody, so that a red run is about the change: `--hypothesis-profile search` looks for new ones.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _ANY_MACHINE, derandomize=True, max_examples=40)
settings.register_profile("search", _ANY_MACHINE, max_examples=400)
settings.load_profile("same")

# By itself, httpx2 gives a server five seconds.
for _phase in ("connect", "read", "write", "pool"):
    setattr(httpx2._config.DEFAULT_TIMEOUT_CONFIG, _phase, TIMEOUT)


_LONGEST_ID = 60


def pytest_make_parametrize_id(val: object) -> str | None:
    """Long words by their beginning: the name of a test is in the environment of what the test starts, where Linux
    takes 128 kB.
    """
    if isinstance(val, bytes):
        val = val.decode("ascii", "backslashreplace")
    return val[:_LONGEST_ID] if isinstance(val, str) and len(val) > _LONGEST_ID else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that start the whole app."""
    for item in items:
        if {"built_app", "app_url"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker("app")


def pytest_collection_finish() -> None:
    """Leave what was imported to no collection: half a second of a test's own processor time, whenever it came."""
    gc.collect()
    gc.freeze()


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], SteadyLoop]]:
    """The loop of every test that is a coroutine."""
    return {"steady": SteadyLoop}


@pytest.fixture(autouse=True)
def _same_records_for_every_test() -> Iterator[None]:
    """How records of the log are made belongs to the whole process: whatever a test sets, it sets back."""
    before = logging.getLogRecordFactory()
    yield
    after = logging.getLogRecordFactory()
    logging.setLogRecordFactory(before)
    assert after is before, "this test left another way of making records of the log behind"


@pytest.fixture(scope="module", autouse=True)
def _colours_take_their_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """No pause of the machine takes the colours of code, but where tests are about costs."""
    code_blocks = sys.modules.get("chat_ui.rendering.markdown.code_blocks")
    with pytest.MonkeyPatch.context() as patch:
        if code_blocks is not None and "cost" not in request.path.stem:
            patch.setattr(code_blocks, "thread_time", lambda: 0.0)
        yield


@pytest.fixture(scope="session")
def built_app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the page is built, once for all that `tests/run` starts, or for one run of pytest."""
    of_process = tmp_path_factory.getbasetemp()
    of_run = of_process.parent if "PYTEST_XDIST_WORKER" in os.environ else of_process
    return build_once(Path(os.environ.get("TESTS_BUILT_IN", of_run)))


@pytest.fixture(scope="session")
def app_url(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_app(tmp_path_factory.mktemp("app"), built=built_app) as url:
        yield url
