import shutil
from pathlib import Path

import pytest

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.recordings.file_recorder import Recorder, RecordingTransport
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.transport.client import AsyncClient
from tests.full_disk import room_for
from tests.protocol.asking import PATIENT, QUESTION
from tests.protocol.recordings.taping import FACTS, HEADER, fail, recorder, taped
from tests.stand_ins.stand_in import Reply, StandIn, lines

ANSWER = Reply([lines({"delta": {"content": "word "}}) for _ in range(50)])


async def test_an_answer_continues_on_a_full_disk(tmp_path: Path) -> None:
    told: list[str] = []
    path = tmp_path / "a.jsonl"
    async with StandIn(ANSWER).running() as stand_in, AsyncClient(PATIENT) as client:
        with room_for(900), recorder(path, told.append) as opened:
            recorded = client.with_transport(lambda inner: RecordingTransport(inner, opened))
            answers = [await recorded.ask(Backend(stand_in.url + "/chat"), QUESTION) for _ in range(2)]
    assert [answer.text for answer in answers] == ["word " * 50] * 2
    assert told == [f"The recording {path} cannot be written: File too large. Requests continue without it."]
    assert [one.how for one in Recording.open(path).exchanges] == ["cut"]


async def test_a_vanished_file_is_reported(tmp_path: Path) -> None:
    told: list[str] = []
    (folder := tmp_path / "there").mkdir()
    with recorder(folder / "a.jsonl", told.append) as opened:
        taking = opened.begin(FACTS)
        taking.answered(200, {}, 0)
        shutil.rmtree(folder)
        taking.reading(1, b"a")
        taking.ended(2, "end")
    assert told == [
        f"The recording {folder}/a.jsonl cannot be written: the file is gone. Requests continue without it."
    ]


def test_an_unwritable_place_is_reported_and_foreign_files_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for _ in range(2):
        with recorder(path), pytest.raises(RecordingError, match="is already in use for recording"), recorder(path):
            pass
    for content in (b"notes", b"notes\n", b'{"format": "chat-ui-recording", "version": 2}\n'):
        (path := tmp_path / "a.jsonl").write_bytes(content)
        with pytest.raises(RecordingError), recorder(path):
            pass
        assert path.read_bytes() == content
    for path, words in (
        (tmp_path / "none" / "a.jsonl", "cannot be written"),
        (tmp_path, "cannot be written"),
        (Path("/dev/full"), "No space left on device"),
    ):
        with pytest.raises(RecordingError, match=words):
            Recorder(path, HEADER, on_failure=fail)


async def test_a_recording_is_continued_with_new_numbers(tmp_path: Path) -> None:
    taped(tmp_path / "a.jsonl", [b"a"])
    recording = taped(tmp_path / "a.jsonl", [b"b"])
    assert [one.number for one in recording.exchanges] == [1, 2]
    assert recording.header == HEADER
