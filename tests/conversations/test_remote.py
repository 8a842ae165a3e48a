"""What is known of an answer that another process makes, by the entries of its log in whatever order they come."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import replace

import pytest

from chat_ui.conversations.generations.remote import (
    LogEntry,
    RemoteGeneration,
    UnreadableEntryError,
    read_log,
    without_text,
)
from chat_ui.conversations.records.records import KeptAnswer, Status
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from tests.conversations.kept import ANSWER, conversation, generation, turn
from tests.patience import PATIENCE

ASKED = turn(conversation())
RUNNING = generation(ASKED, status=Status.RUNNING, answer=Answer("Half"))


def half() -> RemoteGeneration:
    return RemoteGeneration("me", KeptAnswer(RUNNING, ASKED.question))


def test_an_entry_adds_what_is_not_known_yet_at_its_place():
    for start, text, whole in (
        (4, " an answer", "Half an answer"),
        (0, "Half an answer", "Half an answer"),
        (2, "lf an", "Half an"),
        (0, "Half", "Half"),
        (4, "", "Half"),
        (5, "later", "Half"),
    ):
        remote = half()
        for _ in range(2):
            remote.apply(LogEntry(start, text))
            assert remote.answer == Answer(whole)
        assert remote.text_since(4) == (whole[4:], len(whole))


def test_what_is_no_entry_of_this_version_is_unreadable():
    for entry in ("", "[7]", '[0,"a","{}",null,null,0]', '[0,"a","7",null,null,0]'):
        with pytest.raises(UnreadableEntryError):
            LogEntry.of(entry)


def test_who_follows_hears_of_what_is_new_alone():
    remote = half()
    remote.last_event_at = -math.inf
    heard, context = remote.signal.revision, remote.context_revision
    for entry in (LogEntry(0, "Half"), LogEntry(0, "Ha", RUNNING)):
        remote.apply(entry)
        assert (remote.signal.revision, remote.context_revision) == (heard, context)
        assert remote.last_event_at == -math.inf
    remote.apply(LogEntry(4, " an"))
    assert (remote.signal.revision, remote.context_revision) == (heard + 1, context)
    assert remote.last_event_at <= time.monotonic()
    assert remote.last_event_at > -math.inf
    told = replace(RUNNING, answer=Answer("not this", usage={"tokens": 3}))
    remote.apply(LogEntry(7, "", told))
    assert (remote.signal.revision, remote.context_revision) == (heard + 2, context + 1)
    assert remote.answer == Answer("Half an", usage={"tokens": 3})
    assert remote.record == without_text(told)


def test_a_citation_that_comes_beside_the_text_is_a_change_of_its_own():
    remote = half()
    cited = Answer(citations=(PlacedCitation("plan.pdf", 4, 4),))
    entry = LogEntry(4, " an", replace(RUNNING, answer=cited))
    remote.apply(LogEntry.of(entry.to_json().decode()))
    assert (remote.answer, remote.context_revision) == (replace(cited, text="Half an"), 2)


async def test_nothing_comes_after_the_end():
    remote = half()
    remote.interrupt()
    assert (remote.ended, remote.status, remote.answer.text) == (True, Status.INTERRUPTED, "Half")
    async with asyncio.timeout(PATIENCE):
        await remote.wait_for_end()
    remote.apply(LogEntry(4, " more", RUNNING))
    assert (remote.status, remote.answer.text) == (Status.INTERRUPTED, "Half")


@pytest.mark.parametrize("status", [Status.RUNNING, Status.FINISHED])
async def test_one_that_is_read_from_the_store_has_ended_if_it_says_so(status: Status):
    remote = RemoteGeneration("me", KeptAnswer(generation(ASKED, status=status), ASKED.question), is_followed=False)
    assert remote.ended is (status is Status.FINISHED)
    assert (remote.answer, remote.question, remote.owner) == (ANSWER, ASKED.question, "me")
    assert (remote.asked_of, remote.context_revision, remote.is_followed) == (RUNNING.backend, 1, False)
    waiting = asyncio.create_task(remote.wait_for_end())
    await asyncio.sleep(0)
    assert waiting.done() is remote.ended
    remote.interrupt()
    await waiting


def test_an_entry_is_read_as_it_was_written():
    entries = [
        LogEntry(3, "ünï"),
        LogEntry(0, "Half", without_text(RUNNING), "me", "Who?"),
        LogEntry(7, "", without_text(generation(ASKED))),
    ]
    assert [LogEntry.of(entry.to_json().decode()) for entry in entries] == entries


def test_a_text_that_comes_anew_takes_the_place_of_the_one_before_and_no_older_one_comes_back():
    remote = RemoteGeneration("me", KeptAnswer(RUNNING, "Who?"))
    remote.apply(LogEntry(0, "Twos?", RUNNING))
    anew = LogEntry(0, "One", RUNNING, text_revision=1)
    for entry in (anew, LogEntry(0, "Twos? Thr", RUNNING), LogEntry(3, " pair", text_revision=1), anew):
        remote.apply(entry)
    assert (remote.answer.text, remote.text_revision) == ("One pair", 1)
    assert LogEntry.of(anew.to_json().decode()).text_revision == 1
    ended = replace(RUNNING, status=Status.FINISHED)
    remote.apply(LogEntry(0, "One pair.", ended))
    assert (remote.answer.text, remote.ended) == ("One pair.", True)


def test_an_answer_is_read_from_the_first_entry_that_has_everything():
    ended = replace(RUNNING, status=Status.FINISHED)
    whole = LogEntry(0, "Half", RUNNING, "me", "Who?")
    for lacking in (replace(whole, owner=None), replace(whole, question=None), replace(whole, record=None)):
        assert read_log([lacking, LogEntry(4, " an")]) is None
    assert read_log([]) is None
    read = read_log([LogEntry(2, "lf"), whole, LogEntry(4, " an"), LogEntry(7, "", ended)])
    assert read is not None
    assert (read.owner, read.question, read.answer.text, read.status) == ("me", "Who?", "Half an", Status.FINISHED)
