"""Full garbage collections of a running server, its services, and leftovers of earlier versions."""

import asyncio
import gc
import logging
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chat_ui.assembly import build_with
from chat_ui.errors import DatabaseInUseError
from chat_ui.feature import Feature
from chat_ui.server.lifetime import delete_former_files, lock_database, rare_full_collections, running_services
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.served import Served
from tests.app_settings import AppSettings

PERSON = "0123456789abcdef" * 2


def test_old_files_of_people_are_deleted_and_that_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture):
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


def test_foreign_files_stay(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    own = tmp_path / "evaluations" / "last week"
    own.mkdir(parents=True)
    delete_former_files(tmp_path)
    assert (own.is_dir(), caplog.records) == (True, [])


class Loop:
    """A reference cycle, freed only by a garbage collection."""

    def __init__(self) -> None:
        self.itself = self


async def test_cycles_are_freed_by_a_full_collection_at_its_time() -> None:
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


async def test_services_of_features_end_before_the_database_and_wrappers_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("chat_ui.server.lifetime._WAIT_SECONDS", 0)
    ended: list[str] = []

    @asynccontextmanager
    async def noted(name: str) -> AsyncIterator[None]:
        try:
            yield
        finally:
            try:
                await (await lock_database(tmp_path / "chat.db")).release()
                ended.append(f"{name}, free")
            except DatabaseInUseError:
                ended.append(f"{name}, in use")

    served = Served(running=lambda: noted("running"), around=lambda: noted("around"))
    settings = AppSettings(data_dir=tmp_path, backend_url="http://127.0.0.1:1/chat")
    services = build_with([Feature(name="noting", serve=lambda _: served)], settings, "127.0.0.1", 8000)
    async with running_services(services, InFlight()):
        assert ended == []
    assert ended == ["running, in use", "around, free"]
    assert "warming" not in {task.get_name() for task in asyncio.all_tasks()}
