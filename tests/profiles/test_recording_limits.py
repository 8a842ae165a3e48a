"""What people record and send takes a bounded room."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from chat_ui.profiles.recording_files import MOST_FILES, RecordingFiles
from chat_ui.profiles.recording_people import Recorders
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.guard import Guard
from chat_ui.recordings.recording_format import Header, RecordingError
from tests.backends.stand_in import Reply, StandIn, lines
from tests.patience import PATIENCE

LONG = Reply([lines({"delta": {"content": "long " * 10_000}})] * 4)
HEADER = Header("2025-11-20T09:30:00Z")


def files_of(folder: Path, file_bytes: int = 60_000, all_bytes: int = 10**9) -> RecordingFiles:
    return RecordingFiles(folder / "recordings", file_bytes=file_bytes, keep_days=1, all_bytes=all_bytes)


async def test_one_answer_makes_no_recording_larger_than_allowed(tmp_path: Path):
    files = files_of(tmp_path)
    recorders, has_ended = Recorders(files), asyncio.Event()
    recorders.announce = has_ended.set
    await recorders.start("ann", HEADER)
    async with StandIn(LONG).running() as stand_in, Client(guard=Guard("local")) as client:
        answer = await recorders.client(client, "ann").ask(
            Backend(f"{stand_in.url}/chat"), ChatRequest((Message("user", "?"),))
        )
    assert (answer.error, len(answer.text)) == (None, 200_000)
    async with asyncio.timeout(PATIENCE):
        await has_ended.wait()
    sign = recorders.sign("ann")
    assert not sign.is_recording
    assert sign.problem == "The recording ended: it has 58.6 KB, and none may be larger."
    path = files.find("ann", sign.made)
    assert path is not None
    assert path.stat().st_size <= 60_000


async def test_a_recording_that_another_process_makes_goes_on(tmp_path: Path):
    files = files_of(tmp_path)
    here, elsewhere = Recorders(files), Recorders(files)
    await here.start("ann", HEADER)
    await elsewhere.look("ann")
    assert (elsewhere.sign("ann").made, elsewhere.sign("ann").is_recording) == ("", True)
    await elsewhere.start("ann", HEADER)
    assert len(files.being_made("ann")) == 1
    await here.stop("ann")
    assert files.find("ann", here.sign("ann").made) is not None
    await elsewhere.look("ann")
    assert not elsewhere.sign("ann").is_recording


async def test_a_recording_that_another_process_makes_is_stopped(tmp_path: Path):
    files = files_of(tmp_path)
    here, elsewhere = Recorders(files), Recorders(files)
    await here.start("ann", HEADER)
    await elsewhere.start("ann", HEADER)
    await elsewhere.stop("ann")
    made = elsewhere.sign("ann")
    assert (made.is_recording, made.problem) == (False, "")
    assert files.find("ann", made.made) is not None
    await here.look("ann")
    assert not here.sign("ann").is_recording


async def test_a_recording_that_a_server_left_is_found(tmp_path: Path):
    files = files_of(tmp_path)
    left = Recorders(files)
    await left.start("ann", HEADER)
    await left.close()
    found = Recorders(files)
    await found.look("ann")
    assert files.find("ann", found.sign("ann").made) is not None
    assert "server stopped" in found.sign("ann").problem


def test_what_is_still_coming_counts_for_a_person_and_for_all(tmp_path: Path):
    files = files_of(tmp_path, file_bytes=1_000)
    for _ in range(MOST_FILES):
        files.new("ann", is_sent=True)
    with pytest.raises(RecordingError, match="no more are kept"):
        files.new("ann", is_sent=True)
    small = files_of(tmp_path / "small", file_bytes=1_000, all_bytes=2_500)
    for person in ("ann", "bob"):
        small.new(person, is_sent=True)
    with pytest.raises(RecordingError, match="no room for another recording"):
        small.new("eve", is_sent=True)


def test_one_person_does_not_fill_the_room_of_all(tmp_path: Path):
    files = files_of(tmp_path, file_bytes=1_000, all_bytes=40_000)
    for _ in range(2):
        path = files.new("ann", is_sent=True)[1]
        path.write_bytes(b"x" * 1_000)
        files.finish(path)
    with pytest.raises(RecordingError, match="no room for another recording"):
        files.new("ann", is_sent=True)
    assert files.new("bob", is_sent=True)
