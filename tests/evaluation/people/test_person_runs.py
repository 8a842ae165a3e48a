"""The sets of questions of people on disk: whose they are, how many there may be, and how long they stay."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chat_ui.evaluation.people.person_runs import (
    MOST_QUESTIONS,
    MOST_RUNS,
    RUN_BYTES,
    SENT,
    SET_BYTES,
    EvaluationError,
    copy_set,
    write_set,
)
from chat_ui.evaluation.question_set import Question
from chat_ui.protocol.backends.request import Message
from chat_ui.protocol.byte_sizes import in_words
from tests.evaluation.people.made import (
    DAY,
    KEEP_DAYS,
    below,
    leave,
    names,
    put,
    questions_of,
    runs_in,
    there,
    told,
)

TWENTY_PEOPLE = 20
HOUR = 3600


def large(path: Path, size: int) -> None:
    """A file of that size, which takes no room on the disk."""
    with path.open("wb") as file:
        file.truncate(size)


def test_a_set_is_its_persons_alone(tmp_path: Path):
    runs = runs_in(tmp_path)
    mine = put(runs, "ann", "Who?", "Why?")
    put(runs, "bob", "What?")
    assert told(there(runs, "ann", mine)) == [("Who?", ""), ("Why?", "")]
    assert runs.find("bob", mine) is None
    assert [one.id for one in runs.all("ann")] == [mine]
    assert mine not in [one.id for one in runs.all("bob")]
    assert runs.all("carl") == []
    runs.drop("bob", mine)
    runs.forget_all("bob")
    assert [one.id for one in runs.all("ann")] == [mine]
    assert runs.all("bob") == []


def test_no_path_says_whose_a_set_is_and_only_the_server_may_look(tmp_path: Path):
    runs = runs_in(tmp_path)
    folder = there(runs, "ann", put(runs, "ann", "Who?")).folder
    assert "ann" not in folder.relative_to(tmp_path).parts
    assert [path.stat().st_mode & 0o777 for path in (folder, folder.parent)] == [0o700, 0o700]


TRICKS: dict[str, Callable[[str, str], str]] = {
    "nothing": lambda *_: "",
    "this folder": lambda *_: ".",
    "the folder above": lambda *_: "..",
    "the folder of all": lambda *_: "../..",
    "one letter less": lambda other, _: other[:-1],
    "one letter more": lambda other, _: f"{other}a",
    "a new line at the end": lambda other, _: f"{other}\n",
    "a NUL at the end": lambda other, _: f"{other}\0",
    "a way to another person's": lambda other, person: f"../{person}/{other}",
    "a way through itself": lambda other, _: f"{other}/../{other}",
    "a way with as many letters": lambda *_: "../".ljust(22, "."),
    "another alphabet": lambda *_: "ä" * 22,
    "an id that nobody has": lambda *_: "a" * 22,
    "another person's": lambda other, _: other,
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_what_is_no_id_of_a_persons_own_finds_and_deletes_nothing(tmp_path: Path, trick: Callable[[str, str], str]):
    runs = runs_in(tmp_path)
    put(runs, "ann", "Who?")
    other = put(runs, "bob", "What?")
    before = below(tmp_path)
    run_id = trick(other, there(runs, "bob", other).folder.parent.name)
    assert runs.find("ann", run_id) is None
    runs.drop("ann", run_id)
    assert below(tmp_path) == before


def test_the_newest_comes_first(tmp_path: Path):
    runs = runs_in(tmp_path)
    for name, at in (("b", 2.0), ("c", 3.0), ("a", 1.0)):
        put(runs, "ann", "Who?", name=name, at=at)
    assert names(runs.all("ann")) == ["c", "b", "a"]


def test_a_person_has_so_many_sets_and_room_again_once_one_is_gone(tmp_path: Path):
    runs = runs_in(tmp_path)
    first, *_ = [put(runs, "ann", "Who?") for _ in range(MOST_RUNS - 1)]
    runs.new("ann")  # what is on its way counts as well
    with pytest.raises(EvaluationError, match=f"You have {MOST_RUNS} sets of questions here"):
        runs.new("ann")
    assert len(runs.all("ann")) == MOST_RUNS - 1
    put(runs, "bob", "Who?")
    runs.drop("ann", first)
    put(runs, "ann", "Who?")
    with pytest.raises(EvaluationError):
        runs.new("ann")


def test_there_is_room_for_the_answers_of_one_more_among_those_of_all_people(tmp_path: Path):
    runs = runs_in(tmp_path, all_bytes=3 * RUN_BYTES)
    _, folder = runs.new("bob")
    large(folder / SENT, 2 * RUN_BYTES)
    runs.expect_room("ann")
    with pytest.raises(EvaluationError, match="no room for more answers"):
        runs.expect_room("ann", under_way=1)
    runs.new("ann")
    large(folder / SENT, 2 * RUN_BYTES + 1)
    before = below(tmp_path)
    with pytest.raises(EvaluationError, match="no room for more answers"):
        runs.new("carl")
    assert len(below(tmp_path)) == len(before) + 1  # the folder of the person, which is empty


def test_no_person_takes_the_share_of_the_others(tmp_path: Path):
    runs = runs_in(tmp_path, all_bytes=TWENTY_PEOPLE * 2 * RUN_BYTES)
    _, folder = runs.new("ann")
    large(folder / SENT, RUN_BYTES)
    runs.new("ann")
    large(folder / SENT, RUN_BYTES + 1)
    with pytest.raises(EvaluationError, match="no room for more answers"):
        runs.new("ann")
    runs.new("bob")
    runs.drop("bob", runs.new("bob")[0])
    runs.forget_all("ann")
    runs.new("ann")


def test_a_set_has_so_many_questions_and_not_one_more(tmp_path: Path):
    runs = runs_in(tmp_path)
    run_id = put(runs, "ann", *map(str, range(MOST_QUESTIONS)))
    assert there(runs, "ann", run_id).about.count == MOST_QUESTIONS
    more, folder = runs.new("ann")
    with pytest.raises(EvaluationError, match=r"more than 1,000 questions, .* chat-ui evaluate"):
        write_set(folder, questions_of(*map(str, range(MOST_QUESTIONS + 1))), "More", time.time())
    assert runs.find("ann", more) is None
    assert below(folder) == []


def test_the_bytes_of_a_set_are_bounded_and_not_its_characters(tmp_path: Path):
    runs, third = runs_in(tmp_path), SET_BYTES // 6 + 10_000
    run_id = put(runs, "ann", *["a" * third] * 3)
    assert there(runs, "ann", run_id).about.count == 3
    more, folder = runs.new("ann")
    with pytest.raises(EvaluationError) as refused:
        write_set(folder, questions_of(*["ä" * third] * 3), "More", time.time())
    assert in_words(SET_BYTES) in str(refused.value)
    assert runs.find("ann", more) is None
    assert below(folder) == []


def test_a_set_is_read_as_it_was_written(tmp_path: Path):
    runs = runs_in(tmp_path)
    talk = Message("system", "Be brief."), Message("user", "Who?"), Message("assistant", "We."), Message("user", "Why?")
    odd = 'Who\u2028pays\x85 "really"?\n\t{"question": 1} question,truth 🧾'
    questions = (Question(1, talk, "So [a.pdf]."), Question(2, (Message("user", odd),)), *questions_of("Who?"))
    run_id, folder = runs.new("ann")
    write_set(folder, questions, "Größe", 7.0)
    kept = there(runs, "ann", run_id)
    assert [(one.messages, one.truth) for one in kept.questions()] == [(one.messages, one.truth) for one in questions]
    assert [one.number for one in kept.questions()] == [1, 2, 3]
    assert (kept.about.name, kept.about.count, kept.about.with_truth, kept.about.at) == ("Größe", 3, 1, 7.0)
    assert (kept.done, kept.failed, kept.asked) == (0, 0, None)
    other, beside = runs.new("ann")
    copy_set(kept, beside, 9.0)
    copied = there(runs, "ann", other)
    assert copied.questions() == kept.questions()
    assert (copied.about.name, copied.about.count, copied.about.with_truth, copied.about.at) == ("Größe", 3, 1, 9.0)


def test_answers_are_counted_as_they_come_and_what_a_killed_server_left_of_a_line_is_not(tmp_path: Path):
    runs = runs_in(tmp_path)
    run_id = put(runs, "ann", "1", "2", "3")
    results = there(runs, "ann", run_id).results
    results.parent.mkdir()
    counted = []
    for more in (b'{"number":1,"failed":false}\n', b'{"number":2,"failed":true}\n', b'{"number":3,"fai'):
        with results.open("ab") as file:
            file.write(more)
        kept = there(runs, "ann", run_id)
        counted.append((kept.done, kept.failed))
    assert counted == [(1, 0), (2, 1), (2, 1)]


def test_what_is_too_old_is_not_found_and_then_deleted(tmp_path: Path):
    runs = runs_in(tmp_path)
    old, new = put(runs, "ann", "Who?"), put(runs, "ann", "Why?")
    alone = there(runs, "bob", put(runs, "bob", "What?")).folder
    folder = there(runs, "ann", old).folder
    leave(there(runs, "ann", new).folder, KEEP_DAYS - 0.1)
    for one in (folder, alone):
        leave(one, KEEP_DAYS + 0.1)
    assert runs.find("ann", old) is None
    assert [one.id for one in runs.all("ann")] == [new]
    assert folder.exists()
    runs.purge()
    assert not folder.exists()
    assert not alone.parent.exists()
    assert [one.id for one in runs.all("ann")] == [new]


def test_a_set_stays_for_as_long_as_it_is_used(tmp_path: Path):
    runs = runs_in(tmp_path)
    kept = there(runs, "ann", put(runs, "ann", "Who?"))
    kept.run.mkdir()
    kept.results.write_bytes(b'{"number":1}\n')
    leave(kept.folder, KEEP_DAYS + 0.1)
    os.utime(kept.results)
    runs.purge()
    assert there(runs, "ann", kept.id).done == 1


def test_one_that_is_too_old_takes_no_room(tmp_path: Path):
    runs = runs_in(tmp_path)
    old, *_ = [put(runs, "ann", "Who?") for _ in range(MOST_RUNS)]
    folder = there(runs, "ann", old).folder
    leave(folder, KEEP_DAYS + 0.1)
    put(runs, "ann", "Why?")
    assert not folder.exists()


def test_what_a_server_that_ended_left_of_an_upload_is_deleted_after_an_hour(tmp_path: Path):
    runs = runs_in(tmp_path)
    _, left = runs.new("ann")
    _, coming = runs.new("ann")
    for folder, seconds in ((left, HOUR + 60), (coming, HOUR - 60)):
        (folder / SENT).write_bytes(b"{")
        leave(folder, seconds / DAY)
    assert runs.all("ann") == []
    runs.purge()
    assert (left.exists(), coming.exists()) == (False, True)


def test_nothing_is_deleted_where_nobody_has_anything(tmp_path: Path):
    runs = runs_in(tmp_path)
    runs.purge()
    runs.forget_all("ann")
    runs.drop("ann", "a" * 22)
    assert below(tmp_path) == []


@pytest.mark.parametrize("damaged", [b"", b"{", b'{"name": "x"}', b"\xff", b"[" * 10_000])
def test_a_set_whose_description_is_damaged_is_not_listed_and_harms_no_other(tmp_path: Path, damaged: bytes):
    runs = runs_in(tmp_path)
    broken, whole = put(runs, "ann", "Who?"), put(runs, "ann", "Why?")
    (there(runs, "ann", broken).folder / "about.json").write_bytes(damaged)
    assert runs.find("ann", broken) is None
    assert [one.id for one in runs.all("ann")] == [whole]


def test_what_cannot_be_deleted_is_told_of(tmp_path: Path):
    runs = runs_in(tmp_path)
    folder = there(runs, "ann", put(runs, "ann", "Who?")).folder.parent
    runs.forget_all("ann")
    assert not folder.exists()
    runs.forget_all("ann")
    folder.write_bytes(b"in the way")
    with pytest.raises(OSError, match="Not a directory"):
        runs.forget_all("ann")
