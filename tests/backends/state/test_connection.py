import asyncio
import re
import ssl
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from chat_ui.protocol.transport.certificates import with_colons
from tests.certificates import self_signed
from tests.page.state.pages import CONNECTION, REPORT, Pages, ask, focused, open_page, open_pages, saying
from tests.page_socket import DIALOG, PageSocket
from tests.stand_ins.lookalikes import LOOKALIKES
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

pytestmark = pytest.mark.asyncio(loop_scope="module")
WAITING = Reply([float("inf")])


async def with_dialog(page: PageSocket, url: str = "") -> None:
    """Open the dialog, for an own backend at `url` unless that is empty."""
    await page.send(f"{DIALOG}.{'add_backend' if url else 'open_dialog'}")
    if url:
        await page.send(f"{DIALOG}.set_url", {"url": url})
    await page.hear()


async def verdict(page: PageSocket, secret: str = "") -> dict:
    """The result that the dialog shows after a test of the connection."""
    page.state["verdict"] = ""
    await page.send(f"{CONNECTION}.test", {"secret": secret})
    return await page.until(lambda state: state.get("verdict") and not state["testing"])


async def test_an_answering_backend_is_shown_with_place_times_and_kind(pages: Pages, page: PageSocket):
    context = {"data_points": [{"id": "1", "content": "Red."}], "thoughts": [{"title": "Search"}, {"title": "Read"}]}
    pages.backend.reply = saying("Red.", context=context)
    await with_dialog(page)
    state = await verdict(page)
    place = f"{pages.backend.url}/chat"
    told = rf"Connected to {re.escape(place)}: first text after [\d.]+ m?s, with 1 source and 2 thoughts before it\."
    assert re.match(told, state["verdict"])
    assert (state["outcome"], state["about"], state["refused"]) == ("answered", place, "")
    assert state["tried"]
    await page.do(f"{CONNECTION}.forget", until=lambda state: state["about"] == "")


@pytest.mark.parametrize("kind", ["auto", "ai-chat-protocol"])
async def test_a_test_ends_at_the_first_text_of_an_answer_without_an_end(tmp_path: Path, kind: str):
    begun = lines({"delta": {"content": ""}, "context": {"data_points": {"text": ["a.pdf: Red."]}}})
    endless = Reply([begun, lines({"delta": {"content": "Red"}}), float("inf")])

    def reply(received: Received) -> Reply:
        return endless if received.method == "POST" else Reply([b"no"], status=404)

    url = "/" if kind == "auto" else "/chat"
    async with open_page(tmp_path, reply, [{"name": "Here", "url": url, "kind": kind}]) as (pages, page):
        await with_dialog(page)
        state = await verdict(page)
        assert state["outcome"] == "answered"
        assert "with 1 source and no thoughts before it" in state["verdict"]
        await pages.backend.requests[-1].left.wait()


async def test_attempts_are_listed_with_their_results(pages: Pages, page: PageSocket):
    broken = Reply([lines({"delta": {"role": "assistant", "content": "Re"}})], end="abrupt")
    for reply, came in ((Reply([b"no"], status=404), "POST {}: 404, "), (broken, "OPTIONS {}: no answer, ")):
        pages.backend.reply = reply
        await with_dialog(page, f"{pages.backend.url}/chat?key=secret")
        state = await verdict(page)
        assert state["outcome"] != "answered"
        assert came.format(f"{pages.backend.url}/chat") in "\n".join(state["tried"])
        assert "secret" not in "".join(state["tried"])


async def test_a_test_is_noted_at_once_for_a_saved_backend_and_else_when_saved(pages: Pages, page: PageSocket):
    replies = [Reply([b"no"], status=500), saying("Red.")]

    def reply(received: Received) -> Reply:
        return replies[0] if received.method == "POST" else Reply([b"no"], status=404)

    pages.backend.reply = reply
    await with_dialog(page, f"{pages.backend.url}/chat")

    def outcome() -> tuple[str | None, float]:
        known = page.state["last_outcomes"].get(page.state["editing"], {})
        return known.get("outcome"), known.get("at", 0)

    assert (await verdict(page))["outcome"] == "failed"
    assert outcome() == (None, 0)
    ended_by = time.time()
    await page.do(f"{DIALOG}.save", {"form": {}})
    assert outcome()[0] == "failed"
    assert 0 < outcome()[1] <= ended_by, "its time is that of the test"
    replies.pop(0)
    await page.send(f"{DIALOG}.open_dialog")
    assert (await verdict(page))["outcome"] == "answered"
    assert page.state["kind"] != "auto", "what was found is in the dialog"
    assert outcome()[0] == "answered"


@pytest.mark.parametrize("name", ["rag-postgres-openai-python", "ollama", "azure-search-openai-javascript"])
async def test_a_backend_is_asked_in_the_form_that_a_test_found(pages: Pages, page: PageSocket, name: str):
    path, rule = LOOKALIKES[name]
    pages.backend.reply = rule
    await with_dialog(page, pages.backend.url)
    state = await verdict(page)
    assert (state["outcome"], state["url"]) == ("answered", f"{pages.backend.url}{path}")
    assert state["about"] == state["url"]
    await page.do(f"{DIALOG}.save", {"form": {}}, lambda state: not state["is_open"])
    before = len(pages.backend.requests)
    state = await ask(page, "Who pays for glasses?")
    assert (state["latest"]["status"], state["latest"]["characters"] > 0) == ("finished", True)
    assert [request.method for request in pages.backend.requests[before:]].count("POST") == 1


async def test_a_knowledge_base_without_an_answer_counts_as_answering(pages: Pages, page: PageSocket):
    for passages in ("[]", '[{"ref_id": 0, "title": "Glasses", "content": "One pair."}]'):
        said = [{"role": "assistant", "content": [{"type": "text", "text": passages}]}]
        pages.backend.reply = Reply([lines({"response": said, "activity": [], "references": []})])
        await with_dialog(page, f"{pages.backend.url}/knowledgebases/docs")
        state = await verdict(page)
        assert state["outcome"] == "answered"
        assert state["verdict"].startswith("Connected to ")
        assert ("returned passages without an answer" in state["verdict"]) is (passages != "[]")
        assert state["kind"] == "azure-knowledge-base"
        await page.do(f"{DIALOG}.save", {"form": {}}, lambda state: not state["is_open"])
        tested = page.state["last_outcomes"]
        await ask(page, "Who pays for glasses?")
        state = await page.until(lambda state, tested=tested: state["last_outcomes"] != tested)
        assert {one["outcome"] for one in state["last_outcomes"].values()} == {"answered"}


async def test_a_test_is_stopped_by_its_button_or_by_closing_the_dialog(pages: Pages, page: PageSocket):
    pages.backend.reply = WAITING
    await with_dialog(page)
    for event, payload in (("test_or_stop", {"secret": ""}), ("stop_with_dialog", {"is_open": False})):
        await page.do(f"{CONNECTION}.test_or_stop", {"secret": ""}, lambda state: state["testing"])
        await page.do(f"{CONNECTION}.stop_with_dialog", {"is_open": True})
        assert page.state["testing"]
        await page.send(f"{CONNECTION}.{event}", payload)
        state = await page.until(lambda state: not state["testing"] and state["verdict"])
        assert (state["verdict"], state["outcome"], state["tried"]) == ("The test was stopped.", "", [])


@pytest.mark.parametrize(
    ("kind", "words", "sent"),
    [
        ("auto", "{url} did not answer within 0.2 s", "OPTIONS {url}"),
        ("ai-chat-protocol", "{url} accepted the question but did not answer within 0.2 s", "POST {url}"),
    ],
)
async def test_a_silent_backend_ends_with_a_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, words: str, sent: str
):
    offered = [{"name": "Here", "url": "/chat", "kind": kind}]
    async with open_page(tmp_path, WAITING, offered) as (pages, page):

        async def wait_once_asked(tasks, **bounds):
            await pages.backend.arrived.wait()
            return await asyncio.wait(tasks, **bounds)

        known = SimpleNamespace(**{**vars(asyncio), "wait": wait_once_asked})
        monkeypatch.setattr("chat_ui.backends.state.connection.asyncio", known)
        monkeypatch.setattr("chat_ui.backends.state.connection.TEST_SECONDS", 0.2)
        await with_dialog(page)
        state = await verdict(page)
        place = f"{pages.backend.url}/chat"
        assert state["verdict"].startswith(words.format(url=place))
        assert (state["outcome"], state["tried"]) == ("failed", [sent.format(url=place)])


async def test_a_known_kind_is_asked_directly_and_tests_have_a_quota(tmp_path: Path):
    kind = [{"name": "Here", "url": "/chat", "kind": "ai-chat-protocol"}]
    async with open_page(tmp_path, offered=kind, questions_per_minute=1) as (pages, page):
        await with_dialog(page)
        state = await verdict(page, "sk-typed")
        assert "No sources or thoughts came before it." in state["verdict"]
        assert state["outcome"] == "answered"
        [request] = pages.backend.requests
        assert request.headers["authorization"] == "Bearer sk-typed"
        await page.send(f"{CONNECTION}.test", {"secret": ""})
        state = await page.until(lambda state: state["outcome"] == "failed" and state["verdict"])
        assert "1 question" in state["verdict"]
        state = await page.do(f"{REPORT}.run_check", {"secret": ""}, lambda state: "1 question" in state["verdict"])
        assert state["outcome"] == "failed"


async def test_an_invalid_key_is_told_at_its_field_and_nothing_is_asked(pages: Pages, page: PageSocket):
    await with_dialog(page)
    state = await page.do(f"{CONNECTION}.test", {"secret": "two\nlines"}, lambda state: state["key_error"])
    assert state["outcome"] != "answered"
    await page.do(f"{REPORT}.run_check", {"secret": "two\nlines"})
    assert page.state["verdict"] == page.state["key_error"]
    assert pages.backend.requests == []


async def test_an_own_certificate_is_trusted_on_request(tmp_path: Path):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*self_signed(tmp_path, "IP:127.0.0.1"))
    async with (
        StandIn(saying("Red.")).running(context) as secure,
        open_pages(tmp_path, policy="local") as pages,
        pages.booted() as page,
    ):
        await with_dialog(page, f"{secure.url}/chat")
        await page.do(f"{CONNECTION}.trust", {"secret": ""})
        assert page.state["certificate"] == ""
        state = await verdict(page)
        assert state["outcome"] != "answered"
        fingerprint = state["refused"]
        assert len(fingerprint) == 64
        state = await page.do(f"{CONNECTION}.trust", {"secret": ""}, lambda state: state["outcome"] == "answered")
        assert state["certificate"] == with_colons(fingerprint)
        assert focused(page)[-1] == "ref_test_connection"
        secure.requests.clear()
        await page.do(f"{REPORT}.run_check", {"secret": ""}, lambda state: state["html"])
        assert secure.requests, "it is trusted by a check, too"
        async with pages.booted("bob") as other:
            await with_dialog(other, f"{secure.url}/chat")
            assert (await verdict(other))["refused"] == fingerprint, "nobody else trusts it"
        await page.do(f"{DIALOG}.distrust")
        assert focused(page)[-1] == "ref_backend_url"
        await page.until(lambda state: state["certificate"] == "")
        assert (await verdict(page))["outcome"] == "failed"
