"""What is refused over HTTP is refused in words and with the status that says why."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chat_ui.conversations import lists
from chat_ui.conversations.archive.archive import FORMAT, VERSION
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.person import PERSON
from chat_ui.processes.pool import Processes, Uploads
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.transport.client import Client
from chat_ui.routes import exports
from chat_ui.routes.documents import CitedDocuments
from tests.conversations.keeping import nowhere
from tests.routes.listing import API, listed, person, put, talk
from tests.routes.whole import whole


async def the_only_client(_backend: Backend, _person: str) -> Client:
    return Client()


async def on_offer_to_nobody(_asked_of: JsonObject, _person: str) -> Backend | None:
    return None


def test_what_is_not_there_and_a_form_that_nothing_is_exported_in_are_refused(me: httpx2.Client):
    put(me, talk("Buoys", 1))
    refused = me.get(f"{API}{listed(me)[0]['id']}/export", params={"as": "pdf"})
    assert (refused.status_code, refused.text) == (400, "Ask for one of markdown, json, html.")
    for form in ("markdown", "json", "html"):
        assert me.get(f"{API}none-such/export", params={"as": form}).status_code == 404


def test_a_change_of_more_than_a_title_takes_is_refused(me: httpx2.Client):
    put(me, talk("Buoys", 1))
    place = API + listed(me)[0]["id"]
    assert me.patch(place, json={"title": "x" * 11_000}).status_code == 400
    assert me.patch(place, json={"title": "x" * 9_000}).status_code == 204
    assert me.patch(f"{API}none-such", json={"title": "x"}).status_code == 404
    assert me.delete(f"{API}none-such").status_code == 404


def test_an_import_that_there_is_no_room_for_is_refused(tmp_path: Path):
    content = json.dumps({"format": FORMAT, "version": VERSION, "conversations": [talk("Buoys", 1, "x" * 5000)]})
    with whole(tmp_path, person_bytes=4096) as url, person(url) as client:
        refused = client.post(f"{API}import", content=content)
        assert refused.status_code == 507
        assert refused.text
        assert listed(client) == []


def test_a_file_that_does_not_arrive_in_time_is_refused(me: httpx2.Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exports, "UPLOAD_SECONDS", 0.0)
    refused = me.post(f"{API}import", content=b"[]")
    assert refused.status_code == 408
    assert "did not arrive within 0 seconds" in refused.text


def test_a_conversation_that_takes_too_long_to_write_is_refused(me: httpx2.Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exports, "EXPORT_SECONDS", 0.000_1)
    put(me, talk("Buoys", 1))
    place = f"{API}{listed(me)[0]['id']}/export"
    for form in ("markdown", "html"):
        refused = me.get(place, params={"as": form})
        assert refused.status_code == 422
        assert "Export it as JSON" in refused.text
    assert me.get(place, params={"as": "json"}).status_code == 200


def importing(uploads: Uploads) -> ASGIApp:
    """An app of somebody who imports files."""
    documents = CitedDocuments(the_only_client, on_offer_to_nobody)
    lists = Conversations(nowhere).lists
    app = Starlette(routes=exports.ExportRoutes(lists, Processes(), uploads, 1_000, documents).routes())

    async def asked(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, PERSON: "me"}, receive, send)

    return asked


async def imported(uploads: Uploads) -> httpx2.Response:
    transport = httpx2.ASGITransport(importing(uploads))
    async with httpx2.AsyncClient(transport=transport, base_url="http://page") as client:
        return await client.post("/import", content=b"[]")


async def test_a_file_beyond_those_that_may_wait_is_refused():
    uploads = Uploads(places=1)
    async with uploads.place():
        refused = await imported(uploads)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert refused.text == "Many files are being read here at the moment. Try again in a few seconds."


async def test_a_file_that_takes_too_long_to_read_is_refused():
    refused = await imported(Uploads(seconds=0.000_1))
    assert refused.status_code == 422
    assert "needs too much time or memory" in refused.text


async def test_a_file_that_does_not_arrive_whole_is_refused():
    sent: list[Message] = []
    coming: list[Message] = [
        {"type": "http.request", "body": b"[", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return coming.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/import", "headers": [], "query_string": b""}
    await importing(Uploads())(scope, receive, send)
    assert sent[0]["status"] == 400
    assert sent[1]["body"] == b"The file did not arrive whole."


def test_a_server_that_cannot_keep_conversations_says_that_it_is_not_ready(tmp_path: Path):
    (tmp_path / "chat.db").write_bytes(b"This is no database. " * 1000)
    with whole(tmp_path) as url, person(url) as client:
        ready = client.get("/ready")
        assert (ready.status_code, ready.json()) == (503, {"store": False, "workers": True})
        assert client.get("/health").text == "alive\n"
        away = client.get(API)
        assert (away.status_code, away.headers["retry-after"]) == (503, "2")
        unread = client.get("/api/answers/some.answer")
        assert (unread.status_code, unread.headers["retry-after"]) == (503, "2")
        assert unread.text == "Answers cannot be read at the moment."


def test_a_pin_too_many_is_refused_in_words(me: httpx2.Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lists, "MOST_PINNED", 2)
    put(me, *(talk(f"Talk {number}", number) for number in range(3)))
    *pinned, another = [entry["id"] for entry in listed(me)]
    assert {me.patch(API + one, json={"pinned": True}).status_code for one in pinned} == {204}
    refused = me.patch(API + another, json={"pinned": True})
    assert refused.status_code == 507
    assert "You have pinned 2 conversations" in refused.text
