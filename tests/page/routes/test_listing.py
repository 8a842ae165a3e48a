"""The list of conversations, exports and imports over HTTP, with the statuses of refusals."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from threading import Barrier
from urllib.parse import unquote

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.types import Message

from chat_ui.conversations import lists
from chat_ui.conversations.archive.archive import FORMAT, VERSION
from chat_ui.conversations.archive.importing import MAX_PARTS
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.people.person import PERSON
from chat_ui.features.exporting import exports
from chat_ui.page.routes.conversation_list import PAGE
from chat_ui.page.routes.documents import CitedDocuments
from chat_ui.server.processes.pool import Processes, Uploads
from tests.conversations.repository import nowhere
from tests.page.routes.running_app import API, listed, person, put, running_app, talk
from tests.stand_ins.pictures import PNG
from tests.timeouts import TIMEOUT


def titles(client: httpx2.Client, **query: str) -> list[str]:
    return [str(entry["title"]) for entry in listed(client, **query)]


def test_pages_reach_the_oldest_and_pinned_ones_come_first_once(me: httpx2.Client):
    put(me, *(talk(f"Talk {number}", 1000 + number) for number in range(2 * PAGE + 1)))
    pages = [me.get(API).json()]
    while pages[-1]["next"] is not None:
        pages.append(me.get(API, params={"after": pages[-1]["next"]}).json())
    entries = [entry for page in pages for entry in page["conversations"]]
    assert [entry["title"] for entry in entries] == [f"Talk {number}" for number in reversed(range(2 * PAGE + 1))]
    assert [len(page["conversations"]) for page in pages] == [PAGE, PAGE, 1]
    for query in ({"after": "nonsense"}, {"after": "x,y"}, {"after": ""}, {"q": " "}):
        assert listed(me, **query) == pages[0]["conversations"]
    for entry in entries[PAGE:]:
        assert me.patch(API + entry["id"], json={"pinned": True}).status_code == 204
    led = me.get(API).json()
    assert [entry["title"] for entry in led["conversations"]][:: PAGE + 1] == [f"Talk {PAGE}", f"Talk {2 * PAGE}"]
    rest = me.get(API, params={"after": led["next"]}).json()
    assert (rest["conversations"], rest["next"]) == ([], None)


def test_a_conversation_is_renamed_pinned_found_deleted_and_restored(me: httpx2.Client):
    put(me, talk("Buoys", 1, "They drift northwards."), talk("Lights", 2))
    [found] = listed(me, q="northw")
    assert found["title"] == "Buoys"
    assert "northwards" in found["excerpt"]
    buoys = f"{API}{found['id']}"
    assert me.patch(buoys, json={"title": " Floats "}).status_code == 204
    assert me.patch(buoys, json={"pinned": True}).status_code == 204
    assert [(entry["title"], entry["pinned"]) for entry in listed(me)] == [("Floats", True), ("Lights", False)]
    assert me.delete(buoys).status_code == 204
    assert titles(me) == ["Lights"]
    assert me.post(f"{buoys}/restore").status_code == 204
    assert titles(me) == ["Floats", "Lights"]
    assert me.delete(API).json() == {"deleted": 2}
    assert listed(me) == []


def test_a_stranger_finds_nothing_and_a_nameless_request_is_refused(me: httpx2.Client, whole_url: str):
    put(me, talk("Buoys", 1))
    mine = API + str(listed(me)[0]["id"])
    with person(whole_url) as stranger:
        assert listed(stranger) == listed(stranger, q="buoys") == []
        assert stranger.patch(mine, json={"title": "Ours"}).status_code == 404
        assert stranger.delete(mine).status_code == 404
        assert stranger.get(f"{mine}/export").status_code == 404
        assert stranger.get(f"{API}export").json()["conversations"] == []
        me.delete(mine)
        assert stranger.post(f"{mine}/restore").status_code == 404
    assert httpx2.get(whole_url + API).status_code == 403
    assert httpx2.post(f"{whole_url}{API}import", content=b"{}").status_code == 403


def test_a_person_has_one_export_at_a_time_without_delay_for_others(me: httpx2.Client, whole_url: str):
    for number in range(3):
        put(me, talk("Buoys", number, "Red. " * 1_200_000))
    with ThreadPoolExecutor(1) as beside, person(whole_url) as other:
        with me.stream("GET", f"{API}export"):
            further = beside.submit(me.get, f"{API}export")
            for _ in range(20):
                assert other.get(f"{API}export").status_code == 200
            assert not further.done()
        assert len(further.result().json()["conversations"]) == 3


KINDS = {
    "markdown": ("md", "text/markdown", "> What about Buoys &/?"),
    "html": ("html", "text/html", "What about Buoys &amp;/?"),
    "json": ("json", "application/json", '"question": "What about Buoys &/?"'),
}


def test_a_conversation_is_exported_in_each_form_under_its_title(me: httpx2.Client, whole_url: str):
    names = {
        "Buoys &/": "Buoys",
        "All Buoys, 2 (red).": "All Buoys, 2 (red)",
        '.. - "a" / b: *': "a b",
        "Bjørn": "Bjørn",
        "x" * 79 + "yz": "x" * 79 + "y",
        "?!": "Conversation",
    }
    put(me, *(talk(title, moment) for moment, title in enumerate(names)))
    for form, entry in product(KINDS, listed(me)):
        extension, kind, words = KINDS[form]
        exported = me.get(f"{API}{entry['id']}/export", params={"as": form})
        told = unquote(exported.headers["content-disposition"])
        assert told == f"attachment; filename*=UTF-8''{names[entry['title']]}.{extension}"
        assert exported.headers["content-type"].startswith(kind)
        assert (words in exported.text) is (entry["title"] == "Buoys &/")
    everything = me.get(f"{API}export")
    assert everything.headers["content-disposition"].startswith("attachment")
    with person(whole_url) as elsewhere:
        assert elsewhere.post(f"{API}import", content=everything.content).json()["imported"] == len(names)
        assert titles(elsewhere) == [*names][::-1]


def archive(conversations: bytes) -> bytes:
    head = json.dumps({"format": FORMAT, "version": VERSION})
    return head[:-1].encode() + b', "conversations": [' + conversations + b"]}"


def post(client: httpx2.Client, content: bytes | Iterator[bytes]) -> httpx2.Response:
    return client.post(f"{API}import", content=content)


def arriving(meanwhile: Callable[[], object]) -> Iterator[bytes]:
    """A slow upload, in the middle of which `then` is called."""
    content = archive(b'{"turns": [' + b"[]," * 40_000 + b"[]]}")
    yield content[:1]
    meanwhile()
    yield content[1:]


def test_an_arriving_import_blocks_nobody(me: httpx2.Client, whole_url: str):
    def others() -> None:
        assert httpx2.get(f"{whole_url}/health").status_code == 200

    assert post(me, arriving(others)).json()["refused"] == 1
    both = Barrier(2, timeout=TIMEOUT)
    with ThreadPoolExecutor(2) as senders:
        sent = senders.map(post, [me, me], [arriving(both.wait), arriving(both.wait)])
        assert [one.status_code for one in sent] == [200, 200]


def test_refused_conversations_are_counted_and_ten_are_told(me: httpx2.Client):
    answer = post(me, archive(b",".join([json.dumps(talk("Buoys", 1)).encode(), *[b"{}"] * 25]))).json()
    assert (answer["imported"], answer["refused"], len(answer["refusals"])) == (1, 25, 10)
    assert [entry["title"] for entry in listed(me)] == ["Buoys"]
    for content in (archive(b"{}," * 300_000 + b"{}"), b"[" + b"{}," * 300_000 + b"{}]"):
        answer = post(me, content).json()
        assert (answer["imported"], answer["refused"]) == (0, 1)
        assert f"more than {MAX_PARTS:,}" in answer["refusals"][0]["why"]


def test_a_too_large_or_slow_file_is_refused(me: httpx2.Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exports, "MAX_IMPORT", 2 * exports.MB)
    for size, status in ((2 * exports.MB, 200), (2 * exports.MB + 1, 413)):
        answer = post(me, archive(b"").ljust(size))
        assert answer.status_code == status
    assert "limit of 2 MB" in answer.text
    monkeypatch.setattr(exports, "UPLOAD_SECONDS", 0.0)
    refused = me.post(f"{API}import", content=b"[]")
    assert refused.status_code == 408
    assert "did not arrive within 0 seconds" in refused.text


def test_a_conversation_of_very_many_turns_is_imported_whole(me: httpx2.Client):
    turns = [
        {"id": str(number), "parent": str(number - 1) if number else None, "question": f"Q{number}?", "answers": [{}]}
        for number in range(1_500)
    ]
    assert post(me, archive(json.dumps({"title": "Long", "turns": turns}).encode())).json()["imported"] == 1
    exported = me.get(f"{API}{listed(me)[0]['id']}/export", params={"as": "json"}).json()["conversations"][0]
    assert [turn["question"] for turn in exported["turns"]] == [turn["question"] for turn in turns]
    assert all(turn["shown"] for turn in exported["turns"])


def test_empty_invalid_or_impossible_changes_are_refused(me: httpx2.Client, monkeypatch):
    monkeypatch.setattr(lists, "MOST_PINNED", 2)
    put(me, *(talk(f"Talk {number}", number) for number in range(3)))
    *pinned, another = [f"{API}{entry['id']}" for entry in listed(me)]
    for body in (b"", b"{}", b"[]", b"nonsense", b'{"title": " "}', b'{"title": 3}', b'{"pinned": 1}', b"[" * 9_000):
        assert me.patch(another, content=body).status_code == 400, body[:20]
    assert me.patch(another, json={"title": "x" * 11_000}).status_code == 400
    assert me.patch(another, json={"title": "x" * 9_000}).status_code == 204
    none_such = f"{API}none-such"
    assert me.patch(none_such, json={"title": "x"}).status_code == 404
    assert me.delete(none_such).status_code == 404
    assert {me.patch(one, json={"pinned": True}).status_code for one in pinned} == {204}
    refused = me.patch(another, json={"pinned": True})
    assert refused.status_code == 507
    assert "You have pinned 2 conversations" in refused.text
    assert "Unpin one" in refused.text
    assert me.patch(pinned[0], json={"pinned": False}).status_code == 204
    assert me.patch(another, json={"pinned": True}).status_code == 204
    refused = me.get(f"{another}/export", params={"as": "pdf"})
    assert (refused.status_code, refused.text) == (400, "Choose one of these formats: markdown, json, html.")
    for form in ("markdown", "json", "html"):
        assert me.get(f"{none_such}/export", params={"as": form}).status_code == 404


def test_an_import_beyond_the_quota_is_refused(tmp_path: Path):
    content = json.dumps({"format": FORMAT, "version": VERSION, "conversations": [talk("Buoys", 1, "x" * 5000)]})
    with running_app(tmp_path, person_bytes=4096) as url, person(url) as client:
        refused = client.post(f"{API}import", content=content)
        assert refused.status_code == 507
        assert refused.text
        assert listed(client) == []


def test_a_conversation_that_is_too_slow_to_export_is_refused(me: httpx2.Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exports, "EXPORT_SECONDS", 0.000_1)
    put(me, talk("Buoys", 1, "Red. " * 20_000))
    place = f"{API}{listed(me)[0]['id']}/export"
    for form in ("markdown", "html"):
        refused = me.get(place, params={"as": form})
        assert refused.status_code == 422
        assert "Export it as JSON" in refused.text
    assert me.get(place, params={"as": "json"}).status_code == 200


WHOLE = {"type": "http.request", "body": b"[]"}


def exporting(uploads: Uploads, attachments: Attachments) -> exports.ExportRoutes:
    lists, documents = Conversations(nowhere).lists, CitedDocuments(None, None)  # type: ignore[arg-type]
    return exports.ExportRoutes(lists, Processes(), uploads, 1_000, documents, attachments=attachments)


async def test_an_exported_page_has_the_pictures_that_are_kept_for_its_person() -> None:
    attachments = Attachments()
    kept = await attachments.keep("Ada", "picture.png", PNG)
    pictures = f'{{"pictures": [{{}}, {{"id": "1", "key": "{kept.id}"}}, {{"id": "2", "key": "gone"}}]}}'
    turns = [("", answer, "") for answer in ('{"thoughts": [{"props": {"pictures": [7]}}]}', pictures, None)]
    routes = exporting(Uploads(), attachments)
    for owner, found in (("Ada", {kept.id: kept.file.data_uri}), ("Grace", {})):
        chosen = await routes.chosen(owner, turns, [{}] * 3, thoughts=False, documents=False, backend=False)
        assert chosen.pictures == found


async def imported(uploads: Uploads, *coming: Message) -> tuple[int, str, dict[bytes, bytes]]:
    """The status, the text and the headers of an import whose file arrives like this."""
    routes = exporting(uploads, Attachments()).routes()
    to_come, sent = list(coming), list[Message]()

    async def receive() -> Message:
        return to_come.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/import", "headers": [], "query_string": b"", PERSON: "me"}
    await Starlette(routes=routes)(scope, receive, send)
    return sent[0]["status"], sent[1]["body"].decode(), dict(sent[0]["headers"])


async def test_a_late_slow_or_broken_upload_is_refused_in_words():
    uploads = Uploads(places=1)
    async with uploads.place():
        status, words, headers = await imported(uploads, WHOLE)
    assert (status, headers[b"retry-after"]) == (503, b"5")
    assert words == "Too many files are being read at the moment. Try again in a few seconds."
    status, words, _ = await imported(Uploads(seconds=0.000_1), WHOLE)
    assert status == 422
    assert "takes too much time or memory" in words
    begun = {"type": "http.request", "body": b"[", "more_body": True}
    status, words, _ = await imported(Uploads(), begun, {"type": "http.disconnect"})
    assert (status, words) == (400, "The upload was interrupted. Import the file again.")


def test_a_server_without_its_store_is_not_ready(whole_url: str, tmp_path: Path):
    ready = httpx2.get(f"{whole_url}/ready")
    assert (ready.status_code, ready.json()) == (200, {"store": True, "workers": True})
    (tmp_path / "chat.db").write_bytes(b"This is no database. " * 1000)
    with running_app(tmp_path) as url, person(url) as client:
        ready = client.get("/ready")
        assert (ready.status_code, ready.json()) == (503, {"store": False, "workers": True})
        assert client.get("/health").text == "alive\n"
        for path, words in (
            (API, ""),
            (
                "/api/answers/some.answer",
                "Answers cannot be read at the moment. Try again in a moment.",
            ),
        ):
            unavailable = client.get(path)
            assert (unavailable.status_code, unavailable.headers["retry-after"]) == (503, "2")
            assert words in unavailable.text
