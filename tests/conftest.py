"""The app, started once for all tests that use it."""

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

# The time of an example depends on the machine, and costs have separate tests. Each run has the same examples, so that
# a failure is about the change. `--hypothesis-profile search` looks for new ones.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _ANY_MACHINE, derandomize=True, max_examples=40)
settings.register_profile("search", _ANY_MACHINE, max_examples=400)
settings.load_profile("same")

# httpx2's default is five seconds.
for _phase in ("connect", "read", "write", "pool"):
    setattr(httpx2._config.DEFAULT_TIMEOUT_CONFIG, _phase, TIMEOUT)


_LONGEST_ID = 60


def pytest_make_parametrize_id(val: object) -> str | None:
    """Shorten long parameters: the environment of child processes has the name of the test, at most 128 kB on Linux."""
    if isinstance(val, bytes):
        val = val.decode("ascii", "backslashreplace")
    return val[:_LONGEST_ID] if isinstance(val, str) and len(val) > _LONGEST_ID else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if {"built_app", "app_url"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker("app")


def pytest_collection_finish() -> None:
    """Exclude imported modules from garbage collection, which would cost half a second of a test's processor time."""
    gc.collect()
    gc.freeze()


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], SteadyLoop]]:
    """The event loop of every asynchronous test."""
    return {"steady": SteadyLoop}


@pytest.fixture(autouse=True)
def _same_records_for_every_test() -> Iterator[None]:
    """Restore the process-wide settings of the log after each test."""
    before = logging.getLogRecordFactory()
    yield
    after = logging.getLogRecordFactory()
    logging.setLogRecordFactory(before)
    assert after is before, "this test left another way of making records of the log behind"


@pytest.fixture(scope="module", autouse=True)
def _colours_take_their_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give colours of code unlimited time, except in tests of costs."""
    code_blocks = sys.modules.get("chat_ui.rendering.markdown.code_blocks")
    with pytest.MonkeyPatch.context() as patch:
        if code_blocks is not None and "cost" not in request.path.stem:
            patch.setattr(code_blocks, "thread_time", lambda: 0.0)
        yield


@pytest.fixture(scope="session")
def built_app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built page, shared by all runs that `tests/run` starts."""
    of_process = tmp_path_factory.getbasetemp()
    of_run = of_process.parent if "PYTEST_XDIST_WORKER" in os.environ else of_process
    return build_once(Path(os.environ.get("TESTS_BUILT_IN", of_run)))


@pytest.fixture(scope="session")
def app_url(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_app(tmp_path_factory.mktemp("app"), built=built_app) as url:
        yield url
