"""What earlier versions kept of people, and no version shows any more."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from chat_ui.server.lifetime import delete_former_files

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
