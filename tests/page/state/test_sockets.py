"""The owner of a page's socket, and its accepted messages, mostly with all middleware of a server."""

import asyncio
import hashlib
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from websockets.exceptions import ConnectionClosed, InvalidStatus

from chat_ui.backends.personal_choices import LONGEST_STORED
from chat_ui.conversations.people.person import PERSON
from chat_ui.page.state import sockets
from chat_ui.page.state.chat import NOT_FOUND
from chat_ui.page.state.sockets import EVENTS_A_SECOND, EVENTS_AT_ONCE, Rate
from tests.page.state.pages import Pages, ask, at_conversation, open_pages
from tests.page_socket import CHAT, DIALOG, ROOT, ROUTER, PageSocket, booted, new_cookie, page_socket
from tests.timeouts import TIMEOUT

pytestmark = pytest.mark.asyncio(loop_scope="module")
IDENTITY = "X-Forwarded-User"
PROXY, ELSEWHERE = "127.0.0.1", "127.0.0.2"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """The address of a server that identifies people by its cookies."""
    async with open_pages(tmp_path_factory.mktemp("whole"), is_complete=True) as pages:
        yield pages.url


def digests(cookie: str) -> list[str]:
    """Hashes of a cookie that a stranger could take for the server's name of its person."""
    value = cookie.partition("=")[2]
    return [hashlib.sha256(one.encode()).hexdigest() for one in (value, value.partition(".")[0])]


async def asked(url: str, **opening: Any) -> str:
    """Ask a question, and return the id of the conversation."""
    async with booted(url, **opening) as page:
        return str((await ask(page, "What does the plan cover?"))["conversation_id"])


async def refused(url: str, **opening: Any) -> bool:
    with pytest.raises(InvalidStatus, match="403"):
        async with page_socket(url, **opening):
            pass
    return True


async def test_a_socket_without_a_cookie_has_no_person_for_any_token(url: str):
    cookie = await new_cookie(url)
    await asked(url, cookie=cookie)
    for token in (*digests(cookie), cookie, cookie.partition("=")[2], ""):
        assert await refused(url, token=token)


async def test_a_forged_cookie_has_no_person(url: str):
    first, second = [(await new_cookie(url)).partition("=")[2].split(".") for _ in range(2)]
    others = ["a" * 43, "a" * 43 + "." + "a" * 43, "", "é" * 43, "a.b.c", f"{first[0]}.{second[1]}", first[0]]
    async with httpx2.AsyncClient(base_url=url) as client:
        for value in others:
            headers = {"Cookie": f"chat_ui_person={value}".encode()}
            assert (await client.get("/api/conversations/", headers=headers)).status_code == 403
            assert "set-cookie" in (await client.get("/", headers=headers)).headers


async def test_a_socket_behind_a_proxy_belongs_to_the_proxys_person(tmp_path: Path):
    ann, behind = {IDENTITY: "ann"}, {"trusted_proxies": [PROXY], "identity_header": IDENTITY}
    async with open_pages(tmp_path, is_complete=True, **behind) as proxied:
        conversation = await asked(proxied.url, headers=ann)
        async with booted(proxied.url, headers=ann) as page:
            assert page.state["last"] == [conversation, "What does the plan cover?"]
        for token in (hashlib.sha256(b"proxy:ann").hexdigest(), "ann", "proxy:ann"):
            assert await refused(proxied.url, token=token, source=PROXY)
            assert await refused(proxied.url, token=token, source=ELSEWHERE, headers=ann)


async def test_another_persons_token_leads_to_a_page_of_the_sender(url: str):
    token = secrets.token_hex(16)
    owner, other = await new_cookie(url), await new_cookie(url)
    async with booted(url, owner, token) as page:
        await ask(page, "What does the plan cover?")
        async with booted(url, other, token) as theirs:
            assert theirs.state["conversation_id"] != page.state["conversation_id"]
            assert not theirs.state.get("turns")
    async with booted(url, other, token) as theirs:
        assert not theirs.state.get("turns")


async def test_a_page_gets_little_of_the_request_that_opened_its_socket(url: str):
    cookie = await new_cookie(url)
    headers = {"Authorization": "Bearer of-the-proxy", "User-Agent": "sk-agent", "X-Other": "sk-other"}
    headers["Sec-WebSocket-Protocol"] = "sk-protocol"
    async with booted(url, cookie, headers=headers) as page:
        await page.hear()
        told = str(page.told)
    assert "127.0.0.1" in told
    secrets_of_it = (*digests(cookie), cookie.partition("=")[2], *headers.values())
    assert not [secret for secret in secrets_of_it if secret in told]


async def test_a_duplicated_tab_finds_its_state_again_after_reconnecting(url: str):
    cookie, token = await new_cookie(url), secrets.token_hex(16)
    async with booted(url, cookie, token) as page:
        async with booted(url, cookie, token) as duplicate:
            await duplicate.do(f"{DIALOG}.set_text", {"field": "name", "text": "of the duplicate"})
            (given,) = [frame for frame in duplicate.told if "new_token" in frame]
        own = json.loads(given.partition(",")[2])[1]
        async with booted(url, cookie, own) as again:
            assert again.state["name"] == "of the duplicate"
        await page.hear()
        assert page.state["name"] == ""


async def test_a_page_that_does_not_read_is_closed_and_reconnects(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(sockets, "UNREAD", 4)
    cookie, token = await new_cookie(url), secrets.token_hex(16)
    async with booted(url, cookie, token) as page:
        await page.do(f"{CHAT}.edit", {"turn": "gone", "question": "q" * 300_000})
        with suppress(ConnectionClosed):
            for _ in range(EVENTS_AT_ONCE - 20):
                await page.send(f"{ROOT}.hydrate_and_load", {"vars": {}})
        async with asyncio.timeout(TIMEOUT):
            while "its page does not read" not in caplog.text:  # noqa: ASYNC110 - a log announces nothing
                await asyncio.sleep(0)
        await page.until_closed()
    async with booted(url, cookie, token):
        pass


async def test_a_socket_with_an_invalid_frame_is_closed_silently(url: str, caplog: pytest.LogCaptureFixture):
    cookie = await new_cookie(url)
    for frame in ("sk-no-packet", "2", "", b"sk-binary"):
        async with booted(url, cookie) as page:
            await page.raw(frame)
            await page.until_closed()
    assert not [record for record in caplog.records if "sk-" in record.getMessage() or record.levelname == "ERROR"]


async def test_a_pages_values_are_limited_in_length(url: str, caplog: pytest.LogCaptureFixture):
    async with booted(url, await new_cookie(url)) as page:
        await page.send(f"{DIALOG}.set_more", {"more": "m" * (LONGEST_STORED + 1)})
        await page.send(f"{CHAT}.ping", router={**ROUTER, "query": {"q": ["q" * 1000] * 100}})
        await page.send(f"{CHAT}.ask", {"question": "q" * 1_000_000})
        await page.send(f"{CHAT}.ping", router={**ROUTER, "more": "m" * 100_000})
        await page.until(lambda state: state.get("pongs") == 1)
    assert page.state["more"] == ""
    assert len([one for one in caplog.messages if one.startswith("an event was dropped")]) == 3


async def test_an_event_named_like_the_opening_of_a_socket_opens_none(url: str):
    owner = await new_cookie(url)
    there = at_conversation(await asked(url, cookie=owner))
    async with booted(url, await new_cookie(url)) as page:
        for person in digests(owner):
            scope = {"type": "websocket", PERSON: person, "headers": [["x-chat-ui-person", person]]}
            environ = {"asgi.scope": scope, "QUERY_STRING": "token=another", "HTTP_COOKIE": owner}
            await page.raw(f"42/_event,{json.dumps(['connect', environ])}")
            await page.raw(f"42/_event,{json.dumps(['disconnect'])}")
            await page.raw(f"40/_event,{json.dumps({'event': None})}")
            await page.do(f"{CHAT}.open", router=there)
            assert page.state["missing"] == NOT_FOUND
            assert not page.state.get("turns")


async def is_refused(pages: Pages, person: str = "ann", token: str = "a" * 20) -> bool:
    """Whether a page of this person with this token gets no state."""
    try:
        async with page_socket(pages.url, person, token=token) as page:
            await page.raw(f"40/_event,{json.dumps({})}")
            while not (answer := await page.take()).startswith(("40", "44")):
                pass
            return answer.startswith("44")
    except (ConnectionClosed, InvalidStatus):
        return True


async def test_a_socket_needs_a_person_and_one_short_token(pages: Pages):
    assert not await is_refused(pages)
    assert not await is_refused(pages, token="b" * 100)
    assert await is_refused(pages, token="b" * 101)
    assert await is_refused(pages, person="")


async def test_a_person_who_opens_endless_sockets_is_refused(tmp_path: Path):
    async with open_pages(tmp_path, rate=Rate(clock=lambda: 100.0)) as pages:
        opened = 0
        while not await is_refused(pages, token=f"{opened:020}"):
            opened += 1
        assert opened == EVENTS_AT_ONCE // 5
        assert not await is_refused(pages, person="bea")


async def test_events_beyond_the_burst_wait(page: PageSocket):
    began = asyncio.get_running_loop().time()
    for _ in range(EVENTS_AT_ONCE + 10):
        await page.send(f"{CHAT}.ping")
    await page.until(lambda state: state["pongs"] == EVENTS_AT_ONCE + 10)
    assert asyncio.get_running_loop().time() - began > 5 / EVENTS_A_SECOND


async def test_foreign_events_are_dropped_and_logged_without_their_words(pages: Pages, caplog):
    async with pages.booted() as page:
        await page.send(f"{CHAT}.sk-secret", {"sk-secret": 1})
        for frame in ('["disconnect"]', '["connect",{},{}]', '["sk-secret",1]', '["ping",1,2]', "[7]"):
            await page.raw(f"42/_event,{frame}")
        await page.raw('42/_event,["client_error","sk-secret"]')
        await page.hear()
        await ask(page, "Colour?")
    words = [record.getMessage() for record in caplog.records if record.name == "chat_ui.page.state.sockets"]
    assert len([one for one in words if "an event was dropped" in one]) == 6
    assert len([one for one in words if "could not apply a state update" in one]) == 1
    assert "sk-secret" not in "".join(words)


async def test_signing_out_closes_the_sockets_of_the_session(pages: Pages, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sockets, "session_of", lambda _: "a session")
    async with pages.booted() as page:
        pages.services.conversations.sign_out("another session")
        await page.hear()
        pages.services.conversations.sign_out("a session")
        await page.until_closed()
