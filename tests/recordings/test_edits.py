"""A recording is looked through for secrets, cut and renamed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_edits import Suspicion, renamed, suspicions, without
from chat_ui.recordings.recording_format import RecordingError
from tests.recordings.taping import FACTS, played, recorder, taped


class Key(NamedTuple):
    kind: str
    start: int
    end: int


def keys(text: str) -> Iterator[Key]:
    for found in re.finditer(r"sk-\w{9}", text):
        yield Key("key", *found.span())


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A file of three exchanges, the second within the first."""
    with recorder(path := tmp_path / "three.jsonl") as opened:
        first, second = opened.begin(FACTS), opened.begin(FACTS)
        first.answered(200, {"X-Seen": "sk-fromthese"}, 0)
        first.reading(1, b"1a sk-abc")
        second.answered(200, {}, 0)
        second.reading(2, b"2a")
        first.reading(3, b"defghi 1b")
        second.ended(4, "end")
        first.ended(5, "end")
        third = opened.begin(FACTS)
        third.answered(404, {}, 0)
        third.reading(1, b"a" * 70_000 + b"sk-123456789")
        third.reading(2, b"3b")
        third.ended(3, "cut")
    return path


async def bodies(path: Path) -> dict[int, bytes]:
    recording = Recording.open(path)
    return {one.number: b"".join(await played(recording, one))[-9:] for one in recording.exchanges}


@pytest.mark.parametrize("numbers", [{1}, {2}, {3}, {1, 2}, {1, 2, 3}])
async def test_exchanges_are_left_out_with_all_that_belongs_to_them(
    numbers: set[int], three: Path, tmp_path: Path
) -> None:
    without(three, tmp_path / "out.jsonl", numbers)
    before, after = await bodies(three), await bodies(tmp_path / "out.jsonl")
    assert after == {number: body for number, body in before.items() if number not in numbers}
    kept = [(one.number, one.how) for one in Recording.open(three).exchanges if one.number not in numbers]
    assert [(one.number, one.how) for one in Recording.open(tmp_path / "out.jsonl").exchanges] == kept


async def test_a_cut_line_of_what_is_left_out_goes_too(tmp_path: Path) -> None:
    taped(path := tmp_path / "a.jsonl", [b"One ", b"secret words"])
    path.write_bytes(path.read_bytes().partition(b"words")[0])
    without(path, tmp_path / "out.jsonl", {1})
    assert "secret" not in (tmp_path / "out.jsonl").read_text()


def test_an_exchange_that_is_not_there_is_told_of_and_nothing_written(three: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no exchange 4 in this recording"):
        without(three, tmp_path / "out.jsonl", {1, 4})
    assert not (tmp_path / "out.jsonl").exists()


def test_a_recording_gets_another_name_and_keeps_the_rest(three: Path, tmp_path: Path) -> None:
    header, *rest = three.read_text().splitlines()
    three.write_text("\n".join([json.dumps({**json.loads(header), "mood": "calm"}), *rest]))
    renamed(three, out := tmp_path / "out.jsonl", "Pläne")
    assert Recording.open(out).header.backend.name == "Pläne"
    assert Recording.open(out).header.backend.address == "https://plans.example"
    assert out.read_text().splitlines()[1:] == rest
    assert json.loads(out.read_text().splitlines()[0])["mood"] == "calm"


@pytest.mark.parametrize("place", ["three.jsonl", "none/out.jsonl"])
def test_no_file_is_overwritten(place: str, three: Path, tmp_path: Path) -> None:
    before = three.read_bytes()
    with pytest.raises(RecordingError, match=r"is there already|cannot be written"):
        renamed(three, tmp_path / place, "Other")
    assert three.read_bytes() == before


def test_what_looks_like_a_secret_is_found_wherever_it_stands(three: Path) -> None:
    assert suspicions(three, keys) == [
        Suspicion(1, "request", "key", "sk-f"),
        Suspicion(1, "answer", "key", "sk-a"),
        Suspicion(3, "answer", "key", "sk-1"),
    ]


@pytest.mark.parametrize(
    "work", [lambda path: suspicions(path, keys), lambda path: without(path, path.parent / "b", ())]
)
def test_what_is_no_recording_is_refused(work, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("notes")
    with pytest.raises(RecordingError, match="is not a recording"):
        work(tmp_path / "a.txt")
