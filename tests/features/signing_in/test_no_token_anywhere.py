"""A walk through the app with a session, after which its tokens are searched for everywhere."""

import base64
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

from chat_ui.server.addresses import ANSWERS, CONVERSATIONS, SHARED, SIGN_IN
from tests.features.demo.serving import serving
from tests.features.evaluation.made import evaluating, question_set
from tests.page.state.pages import ask, open_pages
from tests.page_socket import BACKEND, CHAT, PageSocket, page_socket
from tests.stand_ins.provider import StandInProvider
from tests.stand_ins.stand_in import Received, Reply, lines

HEADER = "x-ms-query-source-authorization"
SEARCH = "https://search.azure.com/.default"
OFFERED = (
    {"name": "Chat", "url": "/chat", "pass_token": True, "documents": "{origin}/content/{source}"},
    {
        "name": "Search",
        "url": "/knowledgebases/plans/retrieve?api-version=1",
        "credential": {"kind": "api-key", "env": "SEARCH_KEY"},
        "pass_token": True,
        "token_scope": SEARCH,
        "documents": "{origin}/content/{source}",
    },
)


class Echo:
    """A backend that sends a token back wherever it can, and does not accept those of `refused`."""

    def __init__(self) -> None:
        self.refused: set[str] = set()
        self.tokens: list[str] = []
        self.paths: list[tuple[str, str]] = []

    def __call__(self, received: Received) -> Reply:
        token = received.headers.get(HEADER) or received.headers.get("authorization", "").removeprefix("Bearer ")
        self.tokens.append(token)
        self.paths.append((received.path.partition("?")[0], "beside" if HEADER in received.headers else "alone"))
        if received.method == "GET":
            return Reply([b"The plan covers glasses."], headers={"Content-Type": "text/plain"})
        words = f"Your token is {token} [Plan.txt]."
        if token in self.refused:
            body = json.dumps({"error": {"message": words, "token": token}}).encode()
            return Reply([body], 401, {"Content-Type": "application/json"})
        if "/retrieve" in received.path:
            reference = {"type": "searchIndex", "id": "0", "docKey": "Plan.txt", "sourceData": {"token": token}}
            content = {"role": "assistant", "content": [{"type": "text", "text": f"{token} [ref_id:0]"}]}
            return Reply([json.dumps({"response": [content], "references": [reference], "activity": []}).encode()])
        context = {"data_points": [f"Plan.txt: {words}"], "thoughts": [{"title": "T", "description": {"token": token}}]}
        return Reply([lines({"delta": {"role": "assistant", "content": words}, "context": context})])


def forms_of(secret: str) -> Iterator[bytes]:
    """The secret raw, percent-encoded, and at each place of a text in Base64."""
    yield secret.encode()
    yield quote(secret, safe="").encode()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + secret.encode())
        # The first and the last group depend on the text around.
        yield encoded[4:-4]
        yield encoded[4:-4].translate(bytes.maketrans(b"+/", b"-_"))


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_no_token_anywhere(tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SEARCH_KEY", "key-of-the-operator")
    echo, at, seen = Echo(), StandInProvider("http://127.0.0.1"), dict[str, bytes]()
    chosen: Any = {
        "oidc_client_id": "chat",
        "retention_days": 30,
        "record": tmp_path / "recording.jsonl",
        "shared_links": "anyone",
    }

    async def keep(response: httpx2.Response) -> None:
        body = await response.aread()
        told = str([pair for pair in response.headers.multi_items() if pair[0] != "set-cookie"])
        seen[f"{response.request.method} {response.url} {len(seen)}"] = told.encode() + body

    with serving(at.app) as at.issuer:
        async with (
            open_pages(tmp_path, echo, OFFERED, is_complete=True, oidc_issuer=at.issuer, **chosen) as pages,
            httpx2.AsyncClient(base_url=pages.url, timeout=60, event_hooks={"response": [keep]}) as browser,
        ):
            await browser.get("/")
            query = at.answer_to((await browser.get(SIGN_IN)).headers["location"])
            assert (await browser.get(f"{SIGN_IN}/callback", params=query)).headers["location"] == "/"
            cookie = f"chat_ui_session={browser.cookies['chat_ui_session']}"
            async with page_socket(pages.url, cookie) as page:
                await page.boot()
                answers = await _asked(page, echo)
                conversation = page.state["conversation_id"]
            for answer in answers:
                await _read(browser, f"{ANSWERS}/{answer}")
            for form in ("markdown", "html", "json"):
                await browser.get(f"{CONVERSATIONS}/{conversation}/export?as={form}&documents=0")
            await browser.get(f"{CONVERSATIONS}/export")
            link = await browser.post(f"{SHARED}/", json={"conversation": conversation, "days": 7})
            await browser.get(link.json()["path"])
            await browser.get("/api/feedback/mine")
            out = tmp_path / "out"
            key = {"CHAT_UI_KEY_OF_TEST": echo.tokens[-1]}
            questions, chat = question_set(tmp_path / "set.jsonl", "Who pays?"), f"{pages.backend.url}/chat"
            report = "--html", str(tmp_path / "report.html"), "--key-env", "CHAT_UI_KEY_OF_TEST"
            await evaluating(chat, questions, out, *report, **key)
            frames = "\n".join(page.told).encode()
            refreshing = {*at.grants, *(form["refresh_token"] for form in at.forms if "refresh_token" in form)}
            await browser.get(f"{SIGN_IN}/me")
    secrets = {token for token in echo.tokens if token} | refreshing
    assert len(secrets) >= 5
    places = {**seen, "socket": frames, "log": caplog.text.encode()}
    places |= files_below(tmp_path)
    assert {"recording.jsonl", "credentials.db", "report.html"} <= {Path(place).name for place in places}
    found = {place for place, text in places.items() for one in secrets for form in forms_of(one) if form in text}
    assert found == set()
    assert sum(b"Your token is" in text for text in places.values()) > 20
    assert {("/content/Plan.txt", "alone"), ("/content/Plan.txt", "beside")} <= set(echo.paths)


async def _asked(page: PageSocket, echo: Echo) -> list[str]:
    """The ids of the answers to a question that is refused, asked again with a new token, and asked elsewhere."""
    answers = []
    state = await ask(page, "First?")
    answers.append(state["latest"]["id"])
    echo.refused.add(echo.tokens[-1])
    state = await ask(page, "Refused?")
    answers.append(state["latest"]["id"])
    assert state["latest"]["error"]
    await page.hear()
    await page.send(f"{CHAT}.answer_again")
    await page.until(lambda state: state["latest"]["id"] not in answers and not state["latest"]["live"])
    answers.append(page.state["latest"]["id"])
    assert page.state["latest"]["status"] == "finished"
    await page.do(f"{BACKEND}.select", {"backend_id": "given:Search"})
    state = await ask(page, "And there?")
    assert state["latest"]["status"] == "finished"
    return [*answers, state["latest"]["id"]]


async def _read(browser: httpx2.AsyncClient, answer: str) -> None:
    for part in ("markdown", "rich", "sources", "thoughts", "raw", "wire", "curl", "documents/0", "documents/0/shown"):
        await browser.get(f"{answer}/{part}")
    await browser.patch(f"{answer}/feedback", json={"rating": "bad", "comment": "No."})
    await browser.get(f"{answer}/feedback")
