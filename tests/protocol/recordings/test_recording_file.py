import json
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat_ui.backends.profile import recorded_profile
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import Ending, Reading, header_in
from chat_ui.protocol.recordings.replay_transport import RECORDED_ORIGIN
from chat_ui.protocol.recordings.request_facts import request_facts
from tests.protocol.recordings.taping import FACTS, HEADER, NOTHING_SECRET, items, played, recorder, taped

PIECES = st.lists(st.one_of(st.binary(min_size=1), st.text(min_size=1).map(lambda text: text.encode())), max_size=12)


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def head(version: int = 1) -> dict[str, object]:
    return {"format": "chat-ui-recording", "version": version, "created_at": "2026-11-20T09:30:00Z", "backend": {}}


def exchange(number: int, **more: object) -> dict[str, object]:
    return {"exchange": number, "at": "2026-11-20T09:30:00Z", "method": "GET", "path": "/a.pdf", "status": 200, **more}


@given(pieces=PIECES)
async def test_any_pieces_are_read_back_unchanged(pieces: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording = taped(Path(folder) / "a.jsonl", pieces)
        (one,) = recording.exchanges
        assert (await played(recording), one.readings, one.how) == (pieces, len(pieces), "end")


async def test_each_line_is_plain_json(tmp_path: Path) -> None:
    taped(tmp_path / "a.jsonl", ["Schöne ".encode(), "Brücke ".encode()[:3], b"\xff\n"])
    first, second, *rest = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert (first["format"], first["backend"]["name"]) == ("chat-ui-recording", "Plans")
    assert second.items() >= {"exchange": 1, "method": "POST", "path": "/chat", "status": 200}.items()
    assert rest == [
        [0.01, "text", "Schöne "], [0.02, "base64", "QnLD"], [0.03, "base64", "/wo="], [0.04, "end", ""],
    ]  # fmt: skip


async def test_a_truncated_file_is_used_up_to_its_last_whole_line(tmp_path: Path) -> None:
    pieces = [b"One ", "zwei – ".encode(), b"\xff\x00", b"four"]
    taped(tmp_path / "whole.jsonl", pieces)
    complete = (tmp_path / "whole.jsonl").read_bytes()
    lines = complete.splitlines()
    for end in range(len(HEADER.line), len(complete)):
        (cut := tmp_path / "cut.jsonl").write_bytes(complete[:end])
        there = sum(line in lines for line in cut.read_bytes().splitlines())
        recording = Recording.open(cut)
        assert len(recording.exchanges) == (1 if there > 1 else 0)
        for one in recording.exchanges:
            *readings, last = await items(recording)
            assert [item.data for item in readings if isinstance(item, Reading)] == pieces[: there - 2]
            assert last == Ending(one.seconds, "end" if there == len(lines) else "cut")


async def test_an_exchange_appended_after_a_torn_line_is_used(tmp_path: Path) -> None:
    taped(path := tmp_path / "a.jsonl", [b"One ", b"two"])
    path.write_bytes(path.read_bytes()[:-20])
    recording = taped(path, [b"Another"])
    found = {one.number: await played(recording, one) for one in recording.exchanges}
    assert found == {1: [b"One "], 2: [b"Another"]}


async def test_a_very_large_body_is_written_in_readable_lines(tmp_path: Path) -> None:
    words = "Who pays? " * 110_000
    asked = json.dumps({"messages": [{"role": "user", "content": words}]}).encode()
    facts = request_facts("POST", f"https://plans.example/chat?{'a' * 20_000}", {}, asked)
    body = bytes(300_000)
    recording = taped(tmp_path / "a.jsonl", [body, b"end"], facts)
    assert b"".join(await played(recording)) == body + b"end"
    assert recording.matching("POST", "/chat", json.loads(asked)) == recording.exchanges


async def test_overlapping_exchanges_are_kept_apart(tmp_path: Path) -> None:
    with recorder(tmp_path / "a.jsonl") as opened:
        first, second = opened.begin(FACTS), opened.begin(FACTS)
        first.answered(200, {}, 0.1)
        first.reading(0.1, b"1a")
        second.answered(200, {}, 0.1)
        first.reading(0.2, b'1b", 2]')
        second.reading(0.2, b"2a")
        second.ended(0.3, "cut")
        first.reading(0.4, b"1c")
        first.ended(0.5, "end")
    recording = Recording.open(tmp_path / "a.jsonl")
    one, two = recording.exchanges
    assert [await played(recording, each) for each in (one, two)] == [[b"1a", b'1b", 2]', b"1c"], [b"2a"]]
    assert (one.how, one.seconds, two.how, two.seconds) == ("end", 0.5, "cut", 0.3)


async def test_times_may_go_backwards_and_unknown_lines_are_skipped(
    tmp_path: Path,
) -> None:
    lines = ([2, "text", "a"], [1, "text", "b"], [-3, "text", "c"], '["x", "text", "d"]', '[NaN, "text", "e"]')
    path = written(tmp_path / "a.jsonl", head(), exchange(1), *lines, [1e300, "text", "f"], [0, "end", ""])
    found = await items(Recording.open(path))
    assert found == [
        Reading(2, b"a"), Reading(2, b"b"), Reading(2, b"c"), Reading(86400, b"f"), Ending(86400, "end"),
    ]  # fmt: skip
    path = written(
        tmp_path / "a.jsonl",
        {**head(), "weather": "fair"},
        [0, "text", "of no exchange"],
        {"note": "by hand"},
        {"exchange": "two"},
        exchange(7, mood="calm", headers={"A": "b", "c": 1}),
        [0.1, "smell", "roses"],
        [0.2, "base64", "not base64!"],
        [0.2, "text", "\ud800"],
        [0.2],
        "no JSON",
        "[" * 5000,
        "",
        [0.3, "text", "a", None, "more"],
        [0.4, "text", "of another", 8],
    )
    recording = Recording.open(path)
    (one,) = recording.exchanges
    assert dict(one.headers) == {"a": "b"}
    assert await items(recording) == [Reading(0.3, b"a"), Ending(0.3, "cut")]
    one, other = exchange(1), {**exchange(2), "path": "/" + "a" * 10_000}
    path = written(tmp_path / "a.jsonl", head(), one, [1, "text", "a"], other, [1, "text", "b"], [2, "text", "c", 1])
    assert await items(Recording.open(path)) == [Reading(1, b"a"), Reading(2, b"c", 1), Ending(2, "cut")]


def test_an_unreadable_recording_is_refused_in_words(tmp_path: Path) -> None:
    for line in (b"", b"hello", b"[]", b'{"format": "har"}', b"\xff\xfe", b"{" * 100_000):
        with pytest.raises(RecordingError, match="is not a recording"):
            header_in(line)
    for version in (None, True, "1", 0, 1.5):
        with pytest.raises(RecordingError, match="has no format version"):
            header_in(json.dumps({**head(), "version": version}).encode())
    twice = written(tmp_path / "twice.jsonl", head(), exchange(1), exchange(1))
    newer = written(tmp_path / "newer.jsonl", head(2))
    for path, words in (
        (tmp_path / "none.jsonl", "cannot be read: No such file"),
        (twice, "two exchanges with the number 1"),
        (newer, "has version 2 of the format, and this program reads version 1"),
    ):
        with pytest.raises(RecordingError, match=words):
            Recording.open(path)


def test_an_invalid_path_or_name_gives_a_recording_error(tmp_path: Path) -> None:
    for path in ("//[x", "//a\u2100b", "/a b", "/a\x00b", "/\ud800", "//u:p@h:99999/x"):
        lines = (exchange(1, path=path, question="Who pays?", place=1), [0, "end", ""])
        recording = Recording.open(written(tmp_path / "a.jsonl", head(), *lines))
        try:
            profile = recorded_profile(recording, "label", "Plans")
        except RecordingError:
            assert recording.exchanges == ()
        else:
            assert profile.url == f"{RECORDED_ORIGIN}{path}"

    lines = ({**head(), "backend": {"name": "\ud800"}}, exchange(1, question="Who pays?"), [0, "end", ""])
    with pytest.raises(RecordingError, match="The backend described in this recording"):
        recorded_profile(Recording.open(written(tmp_path / "a.jsonl", *lines)), "label", "Plans")


def test_a_question_with_half_a_character_is_found_again(tmp_path: Path) -> None:
    asked = {"messages": [{"role": "user", "content": "Who \ud83d pays?"}]}
    lines = (exchange(1, method="POST", request=asked), exchange(2, method="POST", question="A \ude00?", request=asked))
    recording = Recording.open(written(tmp_path / "a.jsonl", head(), *lines))
    assert recording.matching("POST", "/a.pdf", asked) == recording.exchanges[:1]
    assert recording.exchanges[1].question == "A \ude00?"


def test_the_memory_of_an_index_does_not_grow_with_the_bodies(tmp_path: Path) -> None:
    def most_memory(readings: int) -> int:
        path = tmp_path / f"{readings}.jsonl"
        with recorder(path) as opened:
            for _ in range(10):
                taking = opened.begin(NOTHING_SECRET)
                for number in range(readings):
                    taking.reading(number, b"a" * 1000)
                taking.ended(readings, "end")
        tracemalloc.start()
        try:
            Recording.open(path)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    most_memory(2)
    assert most_memory(400) < 2 * most_memory(20)


@settings(max_examples=30)
@given(cuts=st.lists(st.integers(0, 400), max_size=6))
async def test_a_file_truncated_during_its_playback_ends_as_cut(cuts: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        recording = taped(path := Path(folder) / "a.jsonl", [b"One ", b"two ", b"three"])
        complete = path.read_bytes()
        for size in cuts:
            path.write_bytes(complete[: len(complete) - size])
            try:
                found = await items(recording)
            except RecordingError as error:
                assert "has changed since it was opened" in str(error)
            else:
                assert isinstance(found[-1], Ending)


PLAIN = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
KEYS = ["exchange", "at", "method", "path", "question", "place", "request", "status", "headers", "a"]
VALUES = st.recursive(
    PLAIN | st.sampled_from(["text", "end", "GET", "/"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)
LIKE_EXCHANGES = st.fixed_dictionaries(
    {"exchange": st.integers(0, 3), "method": st.just("GET"), "path": st.just("/")},
    optional={"headers": VALUES, "request": VALUES},
)
LIKE_READINGS = st.tuples(
    st.floats() | st.integers(), st.sampled_from(["text", "base64", "end", "cut"]), st.text(max_size=5)
)


@given(lines=st.lists(VALUES | LIKE_EXCHANGES | LIKE_READINGS | st.binary(max_size=10), max_size=12))
async def test_no_file_crashes_a_reader(lines: list[object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "a.jsonl").write_bytes(
            b"\n".join([HEADER.line, *(one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)])
        )
        try:
            recording = Recording.open(path)
        except RecordingError as error:
            assert "two exchanges with the number" in str(error)
            return
        for one in recording.exchanges:
            *readings, last = await items(recording, one)
            assert isinstance(last, Ending)
            assert last.seconds >= max((item.seconds for item in readings), default=0)
            assert len(readings) <= len(lines)
            recording.matching("GET", one.path)
