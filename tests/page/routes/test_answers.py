"""The resources of an answer over HTTP, for its owner."""

import asyncio
import base64
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest

from chat_ui.conversations.generations.recent_exchanges import inspections
from chat_ui.conversations.people.attached_images import MOST_BYTES
from chat_ui.page.routes.answers import FOLLOWED_AT_ONCE
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from tests.features.demo.serving import wait_for
from tests.page.routes.running_app import person, running_app
from tests.stand_ins.retrieval import AGENTIC
from tests.stand_ins.stand_in import Received, Reply, StandIn, in_thread, lines

LONG = "\n\n".join(f"Paragraph {number} says that buoys are *red* [Buoys.pdf]." for number in range(2000))
PICTURED = "http://127.0.0.1:1/dot.png"
PICTURE = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": PICTURED}}]}
CONTEXT = {
    "data_points": {"text": ["Buoys.pdf: Buoys are red.", "Lights.pdf: Lights are green."]},
    "thoughts": [
        {"title": "Search", "description": "buoys", "props": {"k": 3}},
        {"title": "Read", "description": "x" * 30_000},
        {"title": "Look", "description": [PICTURE]},
    ],
}
SHORT = "Buoys are red [Buoys.pdf]."
[PLANNED] = AGENTIC.thoughts
LARGE = [{**PLANNED["description"][0], "content": "x" * 30_000}, *PLANNED["description"][1:]]
SEARCHED = AGENTIC.context("", {}) | {"thoughts": [{**PLANNED, "description": LARGE}]}
HELD: list[asyncio.Event] = []
"""Holds the ends of answers to `held` until `go on` is asked."""


def reply(received: Received) -> Reply:
    """An answer. `running` never ends."""
    question = received.json["messages"][-1]["content"]
    text = {"short": SHORT, "long": LONG, "running": SHORT, "held": SHORT}.get(question, question)
    if question == "drawn":
        drawn = [(PNG, "A red <buoy>"), (b"<svg/>", "A drawing"), (PNG.ljust(MOST_BYTES + 1), "A flood")]
        output = [
            {
                "type": "image_generation_call",
                "id": said,
                "result": base64.b64encode(data).decode(),
                "revised_prompt": said,
            }
            for data, said in drawn
        ]
        return Reply([lines({"object": "response", "status": "completed", "output": output})])
    context = {"pictured": {"thoughts": CONTEXT["thoughts"][-1:]}, AGENTIC.text: SEARCHED}.get(question, CONTEXT)
    answer = lines({"delta": {"role": "assistant"}, "context": context}, {"delta": {"content": text}})
    if question == "held":
        HELD.append(asyncio.Event())
    elif question == "go on":
        for gate in HELD:
            gate.set()
    pause = {"running": [float("inf")], "held": HELD[-1:]}.get(question, [])
    return Reply([answer, *pause])


@pytest.fixture(scope="module")
def backend() -> Iterator[str]:
    with in_thread(StandIn(reply)) as stand_in:
        yield f"{stand_in.url}/chat"


def asked(client: httpx2.Client, backend: str, question: str = "short") -> str:
    """The address of an answer to a question."""
    running = {"running": "1"} if question in ("running", "held") else {}
    return f"/api/answers/{client.post('/ask', params={'backend': backend, **running}, content=question).text}"


def test_an_answer_is_a_document_with_its_status_and_an_etag(me: httpx2.Client, backend: str):
    answer = asked(me, backend)
    got = me.get(answer)
    assert got.text.startswith('<div class="block" dir="auto"><p dir="auto">Buoys are red')
    assert (got.status_code, got.headers["x-status"]) == (200, "finished")
    assert got.headers["content-type"].startswith("text/html")
    again = me.get(answer, headers={"If-None-Match": got.headers["etag"]})
    assert (again.status_code, again.text) == (304, "")
    assert me.get(answer, headers={"If-None-Match": '"other"'}).status_code == 200
    assert me.get(f"{answer}/stream").status_code == 204
    assert me.get(f"{answer}/silence").json() == {"seconds": None}


def test_the_document_of_an_answer_has_its_language_whole_and_in_parts(me: httpx2.Client, backend: str):
    answer = asked(me, backend, "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet.")
    for address in (answer, f"{answer}?part=0"):
        for page in ("en", "de"):
            assert me.get(address, headers={"Accept-Language": page}).headers["content-language"] == "de"


@pytest.mark.parametrize("question", ["short", "long"])
def test_an_answer_comes_in_parts_from_its_end(me: httpx2.Client, backend: str, question: str):
    answer = asked(me, backend, question)
    first = me.get(answer, params={"part": "0"})
    count = int(first.headers["x-parts"])
    parts = [me.get(answer, params={"part": str(number)}).text for number in reversed(range(count))]
    assert (count > 1) is (question == "long")
    assert "".join(parts) == me.get(answer).text
    assert me.get(answer, params={"part": str(count)}).status_code == 404
    assert me.get(answer, params={"part": "0" * 9}).text == first.text
    for nonsense in ("-1", "x", "1" * 10):
        assert me.get(answer, params={"part": nonsense}).text == "".join(parts)


def test_sources_show_the_active_one_with_marked_passages(me: httpx2.Client, backend: str):
    answer = asked(me, backend)
    assert "data-active" not in me.get(f"{answer}/sources").text
    assert 'data-source="0" data-active' in me.get(f"{answer}/sources", params={"use": "0"}).text
    assert 'data-source="1" data-active' in me.get(f"{answer}/sources", params={"point": "1"}).text
    assert "Buoys are red." in me.get(f"{answer}/passages/0").text
    assert "<mark>Buoys are red.</mark>" in me.get(f"{answer}/passages/0", params={"use": "0"}).text
    assert me.get(f"{answer}/passages/1", params={"plain": ""}).text == "Lights are green."
    for form in ({}, {"plain": ""}):
        gone = me.get(f"{answer}/passages/2", params=form)
        assert (gone.status_code, gone.text) == (404, "Source not found.")


@pytest.mark.parametrize("question", ["short", "long"])
def test_an_answer_has_cards_grounding_and_copies(me: httpx2.Client, backend: str, question: str):
    answer = asked(me, backend, question)
    cards = me.get(f"{answer}/cards")
    assert cards.headers["content-type"] == "application/json"
    assert len(cards.json()["uses"]) == (1 if question == "short" else 2000)
    assert "claim" in me.get(f"{answer}/grounding").text
    assert "[1]" in me.get(f"{answer}/markdown").text
    assert "[1]" not in me.get(f"{answer}/markdown", params={"plain": ""}).text
    rich = me.get(f"{answer}/rich")
    assert "red" in rich.text
    assert rich.headers["content-type"].startswith("text/html")
    assert me.get(f"{answer}/question").text == question


def test_the_thoughts_of_an_answer_are_shown_and_each_as_json(me: httpx2.Client, backend: str):
    answer = asked(me, backend)
    thoughts = me.get(f"{answer}/thoughts").text
    assert "Search" in thoughts
    assert 'data-thought="1"' in thoughts
    assert "Citations" in thoughts
    assert "buoys" in me.get(f"{answer}/thoughts/0").text
    assert "x" * 30_000 in me.get(f"{answer}/thoughts/1").text
    as_json = me.get(f"{answer}/thoughts/0/json").json()
    assert (as_json["title"], as_json["description"], as_json["props"]) == ("Search", "buoys", {"k": 3})
    raw = me.get(f"{answer}/raw").text
    assert [f'data-json="{number}"' in raw for number in range(4)] == [True, True, True, False]
    for beyond in ("3", "3/json"):
        assert me.get(f"{answer}/thoughts/{beyond}").status_code == 404
    # Images of thoughts are loaded on request.
    assert me.get(f"{answer}/image", params={"url": PICTURED}).status_code == 502
    assert me.get(f"{answer}/image", params={"url": f"{PICTURED}x"}).status_code == 404
    # Few thoughts are shown in place.
    assert "Look" in me.get(f"{asked(me, backend, 'pictured')}/thoughts").text


def test_sources_and_cards_lead_to_the_step_that_found_them(me: httpx2.Client, backend: str):
    answer = asked(me, backend, AGENTIC.text)
    for shown in (me.get(f"{answer}/sources").text, me.get(f"{answer}/cards").json()["cards"][2]):
        assert 'data-step="4"' in shown
    assert "data-active" not in me.get(f"{answer}/thoughts").text
    assert "<li data-active" in me.get(f"{answer}/thoughts", params={"step": "4"}).text
    site = me.get(f"{answer}/thoughts/0", params={"step": "4"}).text
    assert ("Vision benefits" in site, "Northwind" in site) == (True, False)


def test_hidden_thoughts_are_missing_everywhere(backend: str, tmp_path: Path):
    with running_app(tmp_path, show_thoughts=False) as url, person(url) as client:
        answer = asked(client, backend)
        assert client.get(f"{answer}/sources").status_code == 200
        found = client.get(f"{asked(client, backend, AGENTIC.text)}/sources").text
        assert ("Searched the web" in found, "data-step" in found) == (True, False)
        for resource in ("thoughts", "thoughts/0", "thoughts/0/json", "raw"):
            assert client.get(f"{answer}/{resource}").status_code == 404
        for hidden in (answer, asked(client, backend, "pictured")):
            assert client.get(f"{hidden}/image", params={"url": PICTURED}).status_code == 404


def test_the_wire_record_is_shown_with_a_curl_command(me: httpx2.Client, backend: str, whole_url: str):
    answer = asked(me, backend)
    assert "Buoys are red [Buoys.pdf]." in me.get(f"{answer}/wire").text
    command = me.get(f"{answer}/curl").text
    assert command.startswith("curl ")
    assert backend in command
    assert "Kept only for the newest answers" in me.get("/api/answers/none-such/wire").text
    assert me.get("/api/answers/none-such/curl").status_code == 404
    with person(whole_url) as stranger:
        assert "Buoys" not in stranger.get(f"{answer}/wire").text
        assert stranger.get(f"{answer}/curl").status_code == 404
    request = ChatRequest((Message("user", "What is it?", (Attachment("buoy.png", "image/png", b"red"),)),))
    inspections.begin(answer.rpartition("/")[2], Backend(backend, files="none"), request)
    refused = me.get(f"{answer}/curl")
    assert refused.status_code == 422
    assert "buoy.png cannot be sent, because this backend does not take files" in refused.text


RESOURCES = ("", "/stream", "/silence", "/sources", "/passages/0", "/cards", "/grounding", "/thoughts", "/thoughts/0",
             "/thoughts/0/json", "/raw", "/markdown", "/rich", "/question", "/words", "/beside/x", "/image",
             "/documents/0")  # fmt: skip


def test_an_answer_is_only_for_its_owner_and_unknown_parts_are_missing(me: httpx2.Client, backend: str, whole_url: str):
    answer = asked(me, backend)
    with person(whole_url) as stranger, httpx2.Client(base_url=whole_url) as nobody:
        for resource in RESOURCES:
            for client in (stranger, nobody):
                assert client.get(answer + resource).status_code == 404
    parts = ("passages/{}", "documents/{}", "documents/{}/shown", "thoughts/{}", "thoughts/{}/json")
    for number in ("9" * 9, "9" * 10, "9" * 5000, "-1", "١"):
        assert {me.get(f"{answer}/{part.format(number)}").status_code for part in parts} == {404}


@pytest.mark.parametrize("question", ["short", "long"])
def test_two_answers_are_compared_for_the_owner_of_both(me: httpx2.Client, backend: str, whole_url: str, question: str):
    answer, other = asked(me, backend, question), asked(me, backend, "Lights are green [Lights.pdf].")
    assert me.get(f"{other}/words").text == "Lights are green."
    id_of_other = other.rpartition("/")[2]
    compared = me.get(f"{answer}/beside/{id_of_other}")
    assert compared.headers["content-type"].startswith("text/html")
    assert "Buoys, PDF" in compared.text
    with person(whole_url) as stranger:
        theirs = asked(stranger, backend)
        assert stranger.get(f"{theirs}/beside/{id_of_other}").status_code == 404
        assert me.get(f"{answer}/beside/{theirs.rpartition('/')[2]}").status_code == 404


def test_a_running_answer_is_followed_and_not_cached(me: httpx2.Client, backend: str):
    answer = asked(me, backend, "running")
    with me.stream("GET", f"{answer}/stream") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["x-accel-buffering"] == "no"
        received = stream.iter_lines()
        assert 1000 <= int(next(received).removeprefix("retry: ")) < 2000
        while "Buoys are red" not in next(received):
            pass
        assert 0 <= me.get(f"{answer}/silence").json()["seconds"] < 60
        got = me.get(answer)
        assert (got.headers["x-status"], got.headers["cache-control"]) == ("running", "no-store")
        assert "etag" not in got.headers
        assert "Buoys are red" in got.text
        for part in ("sources", "grounding", "thoughts", "wire"):
            assert me.get(f"{answer}/{part}").headers["x-status"] == "running"
        assert me.get("/streams").text == "1"
    wait_for(lambda: me.get("/streams").text == "0")
    held = asked(me, backend, "held")
    with me.stream("GET", f"{held}/stream") as stream:
        received = stream.iter_lines()
        next(received)
        asked(me, backend, "go on")
        assert "event: end" in list(received)
    wait_for(lambda: me.get(f"{held}/stream").status_code == 204)


def test_a_person_has_a_limited_number_of_following_pages(me: httpx2.Client, backend: str, whole_url: str):
    answer = asked(me, backend, "running")
    limits = httpx2.Limits(max_connections=None)
    with httpx2.Client(base_url=whole_url, cookies=me.cookies, limits=limits) as pages, ExitStack() as followed:
        for _ in range(FOLLOWED_AT_ONCE):
            assert followed.enter_context(pages.stream("GET", f"{answer}/stream")).status_code == 200
        refused = pages.get(f"{answer}/stream")
        assert refused.status_code == 429
        assert "Close some of them" in refused.text
        with person(whole_url) as other:
            theirs = asked(other, backend, "running")
            with other.stream("GET", f"{theirs}/stream") as stream:
                assert stream.status_code == 200
    wait_for(lambda: me.get("/streams").text == "0")
    with me.stream("GET", f"{answer}/stream") as stream:
        assert stream.status_code == 200


PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
IMAGES = "/api/attachments/"


def test_an_image_is_kept_for_its_person_unless_invalid_or_too_large(me: httpx2.Client, whole_url: str):
    kept = me.post(IMAGES, params={"name": "buoy.png"}, content=PNG)
    assert kept.status_code == 201
    got = me.get(IMAGES + kept.json()["id"])
    assert (got.content, got.headers["content-type"]) == (PNG, "image/png")
    with person(whole_url) as stranger:
        assert stranger.get(IMAGES + kept.json()["id"]).status_code == 404
    assert me.get(f"{IMAGES}none-such").status_code == 404
    refused = me.post(IMAGES, params={"name": "buoy.png"}, content=b"")
    assert (refused.status_code, bool(refused.text)) == (415, True)
    for size, status in ((MOST_BYTES, 201), (MOST_BYTES + 1, 413), (3 * MOST_BYTES, 413)):
        assert me.post(IMAGES, params={"name": "buoy.png"}, content=PNG.ljust(size)).status_code == status


def test_pictures_of_an_answer_are_for_its_person_until_it_is_deleted(me: httpx2.Client, whole_url: str, backend: str):
    answer = asked(me, backend, "drawn")
    listed = me.get(f"{answer}/pictures")
    address = f"{answer}/pictures/1"
    assert f'<a href="{address}?1" target="_blank"><img src="{address}?1" alt="A red &lt;buoy&gt;"' in listed.text
    assert '<span dir="auto">A red &lt;buoy&gt;</span>' in listed.text
    assert "not a PNG, JPEG, GIF or WebP image" in listed.text
    assert "larger than the limit of 4 MB" in listed.text
    assert (me.get(address).content, me.get(address).headers["content-type"]) == (PNG, "image/png")
    assert [me.get(f"{answer}/pictures/{one}").status_code for one in (2, 3, 4, "x")] == [404] * 4
    with person(whole_url) as stranger:
        assert [stranger.get(one).status_code for one in (address, address[:-2])] == [404, 404]
    copied = me.get(f"{answer}/markdown").text
    assert copied.startswith("![A red <buoy>]\n\n![A drawing]\n\n![A flood]")
    conversation = answer.rpartition("/")[2].partition(".")[0]
    for form, has_bytes in (("html", True), ("markdown", False), ("json", False)):
        exported = me.get(f"/api/conversations/{conversation}/export", params={"as": form}).text
        assert (base64.b64encode(PNG).decode() in exported, "A drawing" in exported) == (has_bytes, True)
    assert me.delete(f"/api/conversations/{conversation}").status_code < 300
    assert me.get(address).status_code == 404


def test_an_attached_page_or_drawing_is_only_downloaded(me: httpx2.Client):
    for name, data in (("Plän.html", b"<script>x()</script>"), ("a.svg", b"<svg onload='x()'/>"), ("a.pdf", b"%PDF-1")):
        kept = me.post(IMAGES, params={"name": name}, content=data, headers={"Content-Type": "text/html"}).json()
        got = me.get(IMAGES + kept["id"])
        assert (got.content, got.headers["x-content-type-options"]) == (data, "nosniff")
        assert got.headers["content-type"].partition(";")[0] == kept["media_type"]
        assert kept["media_type"] in {"text/plain", "application/pdf"}
        assert got.headers["content-disposition"] == f"attachment; filename*=UTF-8''{quote(name)}"
