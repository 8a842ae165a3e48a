"""Secrets in every input, well-formed and not, are searched for in all outputs."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from redis import Redis
from websockets.exceptions import InvalidStatus

from tests.app import App
from tests.page.state.pages import CONNECTION, REPORT
from tests.page_socket import BACKEND, CHAT, DIALOG, SECOND_ARM, PageSocket, booted, page_socket
from tests.redis_server import RedisServer, running_redis
from tests.stand_ins.stand_in import Reply, StandIn, lines

IDENTITY, TOKEN = "X-Forwarded-User", "X-Forwarded-Access-Token"
KEY, QUESTION, NAME = "sk-marker0key1of2somebody3", "marker question of somebody", "marker.name@example.org"
PROXY_TOKEN = "eyJmarker0token1of2the3proxy"
SECRETS = (KEY, PROXY_TOKEN)
NAMES = (NAME, hashlib.sha256(f"proxy:{NAME}".encode()).hexdigest())


@pytest.fixture(scope="module")
def server(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, RedisServer]]:
    with running_redis() as redis:
        settings = {
            "CHAT_UI_LOG_LEVEL": "debug",
            "CHAT_UI_LOG_JSON": "true",
            "REFLEX_LOGLEVEL": "debug",
            "CHAT_UI_REDIS_URL": redis.url,
            "CHAT_UI_TRUSTED_PROXIES": "127.0.0.1",
            "CHAT_UI_IDENTITY_HEADER": IDENTITY,
            "CHAT_UI_TOKEN_HEADER": TOKEN,
            "CHAT_UI_POLICY": "local",
        }
        app = App(tmp_path_factory.mktemp("silence"), settings, built_app)
        app.start()
        yield app, redis
        app.end()


def echo(_request: Any) -> Reply:
    """An answer and an error that echo the request's key."""
    words = f"Your key is {KEY}."
    return Reply([lines({"delta": {"role": "assistant", "content": words}}, {"error": words, "code": KEY})])


async def over_the_socket(page: PageSocket, url: str) -> None:
    await page.send(f"{DIALOG}.open_dialog")
    await page.send(f"{DIALOG}.set_url", {"url": url})
    for secret in (KEY, KEY + "\n"):
        await page.send(f"{CONNECTION}.test", {"secret": secret})
        await page.send(f"{REPORT}.run_check", {"secret": secret})
    await page.do(f"{DIALOG}.save", {"form": {"backend-key": KEY}}, lambda state: state.get("is_open") is False)
    await page.send(f"{CHAT}.ask", {"question": QUESTION})
    await page.until(lambda state: state.get("turns") and not state["latest"]["live"])
    for payload in (
        {"form": KEY},
        {"form": {"backend-key": [KEY]}},
        {"form": {"backend-key": {KEY: QUESTION}}, NAME: 1},
        KEY,
        [QUESTION],
    ):
        for name in (f"{DIALOG}.save", f"{DIALOG}.keep", f"{CONNECTION}.test", f"{CHAT}.ask", KEY):
            await page.send(name, payload)
    await page.send(f"{CHAT}.edit", {"turn": KEY, "question": QUESTION})
    await page.send(f"{CHAT}.show_version", {"turn": KEY, "number": 2**80})
    await page.send(f"{SECOND_ARM}.ask_both", {"question": QUESTION, "attached": [KEY]})
    for frame in (f'42/_event,["event",{{"name":"{KEY}"', f'42/_event,["{KEY}"]', f'42/{KEY},["event"]'):
        await page.raw(frame)


async def unreadable(url: str) -> None:
    """Send many unreadable packets as another person."""
    async with booted(url, headers={IDENTITY: "another", TOKEN: PROXY_TOKEN}) as page:
        for _ in range(100):
            await page.raw(f'42/_event,{{"{KEY}": 1}}')
            await page.raw('42/_event,["event"')
        await page.hear()


async def over_http(url: str, conversation: str) -> list[str]:
    """The responses to requests with a secret at every place."""
    headers = {IDENTITY: NAME, TOKEN: f"Bearer {PROXY_TOKEN}", "User-Agent": KEY}
    headers |= {"Authorization": f"Bearer {KEY}", "Cookie": f"chat_ui_person={KEY}", "Referer": f"{url}/?q={QUESTION}"}
    path = f"/api/conversations/{conversation}"
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
        answers = [
            await client.get(f"/{KEY}"),
            await client.get("/", params={"q": QUESTION, "key": KEY}),
            await client.get("/health", params={"key": KEY}),
            await client.get(f"/api/answers/{KEY}"),
            await client.get("/api/conversations/", params={"q": QUESTION, "after": KEY}),
            await client.patch(path, content=f'{{"title": "{KEY}'),
            await client.patch(path, json={KEY: QUESTION}),
            await client.patch(f"/api/conversations/{KEY}", json={"title": NAME}),
            await client.post("/api/conversations/import", content=KEY.encode()),
            await client.post("/api/conversations/import", json={"format": KEY, KEY: NAME}),
            await client.post("/api/attachments/", params={"name": "picture.png", "key": KEY}, content=b"no image"),
            await client.request(KEY[:20], "/"),
        ]
        exports = [await client.get(f"{path}/export", params={"as": form}) for form in ("json", "markdown", "html")]
    refusals = [f"{answer.headers}{answer.text}" for answer in answers if answer.status_code != 200]
    return [*refusals, *(export.text for export in exports)]


async def test_keys_questions_and_names_are_in_no_wrong_place(server: tuple[App, RedisServer]):
    app, its_redis = server
    url = app.url
    async with StandIn(echo).running() as backend:
        headers = {IDENTITY: NAME, TOKEN: PROXY_TOKEN, "User-Agent": KEY}
        async with page_socket(url, f"chat_ui_person={KEY}", KEY, headers) as page:
            await page.boot(storage={f"{BACKEND}.saved": f'{{"{QUESTION}'})
            await over_the_socket(page, backend.url)
            await page.hear()
            conversation = page.state["conversation_id"]
            await page.raw(f"9{KEY}")
            await page.until_closed()
        with suppress(InvalidStatus):
            async with page_socket(
                url, f"chat_ui_person={KEY}", KEY, {"Sec-WebSocket-Protocol": KEY}, source="127.0.0.2"
            ):
                pass
        over = await over_http(url, conversation)
        before = app.log.count("\n")
        await unreadable(url)
        assert app.log.count("\n") - before < 100, "a packet that cannot be read is not a line"

    for words in (*SECRETS, *NAMES):
        assert not [frame for frame in page.told if words in frame]
    for secret in SECRETS:
        assert not [text[max(0, text.index(secret) - 200) :][:400] for text in over if secret in text]
    with Redis(port=urlsplit(its_redis.url).port or 0) as redis:
        kept = b"".join(key + (redis.dump(key) or b"") for key in redis.scan_iter())
    assert kept
    for words in (*SECRETS, NAME):
        assert words.encode() not in kept
    log = app.log
    assert "a request has ended" in log
    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    answered = {line["request_id"] for line in told if "generation" in line}
    assert answered - {""} == answered <= {line["request_id"] for line in told if "_event" in line.get("path", "")}
    for words in (*SECRETS, *NAMES, QUESTION, json.dumps(QUESTION)):
        assert words not in log
    assert "Traceback" not in log
