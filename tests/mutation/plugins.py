"""What pytest is told in the runs of a mutation run: which lines each test reaches, and which tests to run."""

from __future__ import annotations

import json
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest
from coverage import Coverage
from hypothesis import Phase, settings

_MACHINE = {"built_app", "app_url"}
"""Fixtures of tests whose code runs in another process."""


class Reach:
    """Writes to `folder` what one run of all tests finds: `lines` in coverage's form, and `found.json`.

    `found.json` has the seconds of each test that passed by its id, and the names of the modules that were imported
    from outside the project.
    """

    def __init__(self, folder: Path, room: str) -> None:
        self._folder = folder
        self._coverage = Coverage(data_file=str(folder / "lines"), source=[room], config_file=False)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._failed: set[str] = set()
        self._coverage.start()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        _keep(config, items, {item.nodeid for item in items if not _MACHINE & set(getattr(item, "fixturenames", ()))})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        passed = {name: seconds for name, seconds in self._seconds.items() if name not in self._failed}
        outside = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))
        modules = [
            name for name, module in sys.modules.items() if str(getattr(module, "__file__", "")).startswith(outside)
        ]
        (self._folder / "found.json").write_text(json.dumps({"seconds": passed, "modules": modules}))


class Chosen:
    """Runs the tests of `seconds` in their order, each for a few times as long as it took at most."""

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self._seconds = seconds
        self.failed: list[str] = []

    def pytest_sessionstart(self) -> None:
        # A failing example is enough: how small it could be does not matter here.
        settings.register_profile("mutants", settings.default, phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        _keep(config, items, self._seconds.keys())
        order = {name: place for place, name in enumerate(self._seconds)}
        items.sort(key=lambda item: order[item.nodeid])
        for item in items:
            item.add_marker(pytest.mark.timeout(10 + 5 * self._seconds[item.nodeid]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def _keep(config: pytest.Config, items: list[pytest.Item], names: Set[str]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
    items[:] = [item for item in items if item.nodeid in names]
