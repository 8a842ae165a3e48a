"""Neither arm of a comparison is ever told what the other said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app import App
from tests.arms import Numbers, pairs, run
from tests.demo.serving import serving

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def app(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    made = App(tmp_path_factory.mktemp("arms"), built=built_app)
    made.start()
    yield made
    made.end()


@pytest.mark.parametrize("wire", list(pairs("")))
async def test_each_arm_keeps_its_own_number_over_reloads_and_a_killed_server(app: App, wire: str):
    numbers = Numbers()
    with serving(numbers.app) as url:
        left, right = pairs(url)[wire]
        seen = await run(app, left, right, 5, reload_each=2, kill_each=3)
    assert seen.others == ()
    assert seen.left != seen.right
    assert (numbers.begun, seen.answers, seen.kills) == (2, 10, 1)
