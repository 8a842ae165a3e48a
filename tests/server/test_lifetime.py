"""The time for which a server runs: its full garbage collections, and what earlier versions left behind."""

import asyncio
import gc
import logging
import weakref
from pathlib import Path

import pytest

from chat_ui.server.lifetime import delete_former_files, rare_full_collections

PERSON = "0123456789abcdef" * 2


def test_files_of_people_are_deleted_and_that_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "chat.db").write_text("kept")
    for folder in ("evaluations", "recordings"):
        run = tmp_path / folder / PERSON / "a" / "run"
        run.mkdir(parents=True)
        (run / "results.jsonl").write_text("{}")
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            delete_former_files(tmp_path)
            delete_former_files(tmp_path)
        assert [one.name for one in tmp_path.iterdir()] == ["chat.db"]
        assert len(caplog.records) == 1


def test_what_somebody_else_put_there_stays(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    own = tmp_path / "evaluations" / "last week"
    own.mkdir(parents=True)
    delete_former_files(tmp_path)
    assert (own.is_dir(), caplog.records) == (True, [])


class Loop:
    """What only a garbage collection frees."""

    def __init__(self) -> None:
        self.itself = self


async def test_what_only_a_full_collection_finds_goes_when_its_time_has_come() -> None:
    gc.unfreeze()
    before = gc.get_threshold(), gc.get_freeze_count()
    async with rare_full_collections(every=0.001):
        assert gc.get_threshold()[:2] == before[0][:2]
        assert gc.get_threshold()[2] > 1000 * before[0][2]
        assert gc.get_freeze_count() > before[1]
        gone = asyncio.Event()
        loop = Loop()
        seen = weakref.ref(loop, lambda _: gone.set())
        gc.collect()
        del loop
        await gone.wait()
    assert seen() is None
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
    gc.freeze()
