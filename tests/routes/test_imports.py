"""Imports over HTTP: bounded, at a rate, and off the event loop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx2
import pytest

from chat_ui.conversations.archive.archive import FORMAT, VERSION
from chat_ui.conversations.archive.importing import MAX_PARTS
from chat_ui.routes import exports
from tests.patience import PATIENCE
from tests.routes.listing import API, listed, talk


def archive(conversations: bytes) -> bytes:
    head = json.dumps({"format": FORMAT, "version": VERSION})
    return head[:-1].encode() + b', "conversations": [' + conversations + b"]}"


def post(client: httpx2.Client, content: bytes | Iterator[bytes]) -> httpx2.Response:
    return client.post(f"{API}import", content=content)


LONG_READING = archive(b'{"turns": [' + b"[]," * 40_000 + b"[]]}")


def test_the_server_answers_others_while_an_import_arrives(me: httpx2.Client, whole_url: str):
    with httpx2.Client(base_url=whole_url, timeout=60) as other:

        def content() -> Iterator[bytes]:
            yield LONG_READING[:1]
            assert other.get("/health").status_code == 200
            yield LONG_READING[1:]

        assert post(me, content()).json()["refused"] == 1


def test_a_file_of_too_many_parts_is_refused_as_one(me: httpx2.Client):
    for content in (archive(b"{}," * 300_000 + b"{}"), b"[" + b"{}," * 300_000 + b"{}]"):
        answer = post(me, content).json()
        assert (answer["imported"], answer["refused"]) == (0, 1)
        assert f"more than {MAX_PARTS:,}" in answer["refusals"][0]["why"]


def test_refusals_are_counted_and_ten_of_them_told(me: httpx2.Client):
    answer = post(me, archive(b",".join([json.dumps(talk("Buoys", 1)).encode(), *[b"{}"] * 25]))).json()
    assert (answer["imported"], answer["refused"], len(answer["refusals"])) == (1, 25, 10)
    assert [entry["title"] for entry in listed(me)] == ["Buoys"]


def test_a_file_may_be_as_large_as_is_said_and_no_larger(me: httpx2.Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exports, "MAX_IMPORT", 2 * exports.MB)
    for size, status in ((2 * exports.MB, 200), (2 * exports.MB + 1, 413)):
        answer = post(me, archive(b"").ljust(size))
        assert answer.status_code == status
    assert "of at most 2 MB can" in answer.text


def test_a_person_s_imports_take_turns(me: httpx2.Client):
    both = Barrier(2, timeout=PATIENCE)

    def content() -> Iterator[bytes]:
        yield LONG_READING[:1]
        both.wait()
        yield LONG_READING[1:]

    with ThreadPoolExecutor(2) as senders:
        assert [one.status_code for one in senders.map(post, [me, me], [content(), content()])] == [200, 200]


def test_a_conversation_of_very_many_turns_comes_back_whole(me: httpx2.Client):
    turns = [
        {"id": str(number), "parent": str(number - 1) if number else None, "question": f"Q{number}?", "answers": [{}]}
        for number in range(1_500)
    ]
    assert post(me, archive(json.dumps({"title": "Long", "turns": turns}).encode())).json()["imported"] == 1
    exported = me.get(f"{API}{listed(me)[0]['id']}/export", params={"as": "json"}).json()["conversations"][0]
    assert [turn["question"] for turn in exported["turns"]] == [turn["question"] for turn in turns]
    assert all(turn["shown"] for turn in exported["turns"])
