"""Whose a page's socket is, and which events are heard, over the real socket of the running app."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import inspect
import json
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from reflex_base.registry import RegistrationContext
from websockets.exceptions import ConnectionClosed, InvalidStatus

from chat_ui.conversations.people.person import PERSON
from chat_ui.profiles.personal_choices import LONGEST_STORED
from chat_ui.state.chat import NOT_FOUND
from chat_ui.state.page_events import allowed_events
from chat_ui.state.sockets import EVENTS_AT_ONCE
from tests.app import App
from tests.page_socket import BACKEND, CHAT, DIALOG, ROOT, ROUTER, booted, new_cookie, page_socket
from tests.patience import PATIENCE
from tests.servers import wait_until

IDENTITY = "X-Forwarded-User"
PROXY, ELSEWHERE = "127.0.0.1", "127.0.0.2"


@pytest.fixture(scope="module")
def app(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    app = App(tmp_path_factory.mktemp("sockets"), {"CHAT_UI_LOG_LEVEL": "debug"}, built_app)
    app.start()
    yield app
    app.end()


@pytest.fixture(scope="module")
def proxied(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    settings = {
        "CHAT_UI_TRUSTED_PROXIES": PROXY,
        "CHAT_UI_IDENTITY_HEADER": IDENTITY,
        "CHAT_UI_POLICY": "local",
        "CHAT_UI_LOG_LEVEL": "info",
        "CHAT_UI_LOG_JSON": "true",
    }
    app = App(tmp_path_factory.mktemp("proxied"), settings, built_app)
    app.start()
    yield app
    app.end()


def digests(cookie: str) -> list[str]:
    """What somebody could take a person's name within the server for, who knows their cookie."""
    value = cookie.partition("=")[2]
    return [hashlib.sha256(one.encode()).hexdigest() for one in (value, value.partition(".")[0])]


async def asked(app: App, question: str, **opening: Any) -> str:
    """Ask a question; the id of the conversation."""
    async with booted(app.url, **opening) as page:
        await page.send(f"{CHAT}.ask", {"question": question})
        state = await page.until(lambda state: state.get("turns") and not state["latest"]["live"])
        return state["conversation_id"]


@pytest.mark.parametrize("guess", [0, 1])
async def test_a_socket_without_a_cookie_is_nobodys_whatever_its_token_names(app: App, guess: int):
    cookie = await new_cookie(app.url)
    await asked(app, "What does the plan cover?", cookie=cookie)
    for token in (digests(cookie)[guess], cookie, cookie.partition("=")[2], ""):
        with pytest.raises(InvalidStatus, match="403"):
            async with page_socket(app.url, token=token):
                pass


@pytest.mark.parametrize("token", [hashlib.sha256(b"proxy:ann").hexdigest(), "ann", "proxy:ann"])
@pytest.mark.parametrize("source", [PROXY, ELSEWHERE])
async def test_a_socket_behind_a_proxy_is_nobodys_unless_the_proxy_names_them(proxied: App, source: str, token: str):
    await asked(proxied, "What does the plan cover?", headers={IDENTITY: "ann"})
    forged = {IDENTITY: "ann"} if source == ELSEWHERE else {}
    with pytest.raises(InvalidStatus, match="403"):
        async with page_socket(proxied.url, token=token, headers=forged, source=source):
            pass


async def test_a_person_behind_a_proxy_has_what_they_asked(proxied: App):
    conversation = await asked(proxied, "Is dental care covered?", headers={IDENTITY: "bea"})
    async with booted(proxied.url, headers={IDENTITY: "bea"}) as page:
        assert page.state["conversation_id"] == conversation


async def test_an_answer_is_logged_under_the_request_that_opened_the_socket(proxied: App):
    await asked(proxied, "What is logged?", headers={IDENTITY: "cleo"})

    def answers() -> set[str] | None:
        """The requests of the answers that were logged, once each of them was logged as well."""
        lines = [json.loads(one) for one in proxied.log.splitlines() if one.startswith("{")]
        asking = {one["request_id"] for one in lines if "generation" in one}
        sockets = {one["request_id"] for one in lines if "_event" in one.get("path", "")}
        return asking if asking and asking <= sockets else None

    assert "" not in await asyncio.to_thread(wait_until, answers, PATIENCE)


async def test_the_token_of_another_persons_page_leads_to_a_page_of_ones_own(app: App):
    token = secrets.token_hex(16)
    owner, other = await new_cookie(app.url), await new_cookie(app.url)
    async with booted(app.url, owner, token) as page:
        await page.send(f"{CHAT}.ask", {"question": "What does the plan cover?"})
        await page.until(lambda state: state.get("turns") and not state["latest"]["live"])
        async with booted(app.url, other, token) as theirs:
            assert theirs.state["conversation_id"] != page.state["conversation_id"]
            assert not theirs.state.get("turns")
    async with booted(app.url, other, token) as theirs:
        assert not theirs.state.get("turns")


@pytest.mark.parametrize("value", ["a" * 43, "a" * 43 + "." + "a" * 43, "", "é" * 43, "a.b.c"])
async def test_a_cookie_that_the_server_did_not_make_is_nobodys(app: App, value: str):
    async with httpx2.AsyncClient(base_url=app.url) as client:
        headers = {"Cookie": f"chat_ui_person={value}".encode()}
        assert (await client.get("/api/conversations/", headers=headers)).status_code == 403
        assert "set-cookie" in (await client.get("/", headers=headers)).headers


async def test_a_cookie_with_another_signature_is_nobodys(app: App):
    first, second = [(await new_cookie(app.url)).partition("=")[2].split(".") for _ in range(2)]
    async with httpx2.AsyncClient(base_url=app.url) as client:
        for value in (f"{first[0]}.{second[1]}", first[0]):
            answer = await client.get("/api/conversations/", headers={"Cookie": f"chat_ui_person={value}"})
            assert answer.status_code == 403


async def test_what_names_a_person_is_not_in_what_a_page_is_told(app: App):
    cookie = await new_cookie(app.url)
    async with booted(app.url, cookie, headers={"Authorization": "Bearer of-the-proxy"}) as page:
        await page.hear()
        told = str(page.told)
    assert not [secret for secret in (*digests(cookie), cookie.partition("=")[2], "of-the-proxy") if secret in told]


MALFORMED: list[Any] = [
    None,
    [],
    "text",
    '{"name": "sk-in-a-text"}',
    7,
    {},
    {"name": None},
    {"name": ["sk-in-a-name"]},
    {"name": "sk-in-a-name", "payload": {"form": {"backend-key": "sk-in-a-payload"}}},
    {"name": f"{BACKEND}.saved", "payload": {"form": {"backend-key": "sk-in-a-payload"}}},
    {"name": f"{DIALOG}.save", "payload": {"form": "sk-in-a-payload"}},
    {"name": f"{DIALOG}.save", "payload": {"form": {}, "sk-in-an-argument": 1}},
    {"name": f"{DIALOG}.save", "payload": "sk-in-a-payload"},
    {"name": f"{DIALOG}.save", "payload": {"form": {}}, "router_data": "sk-in-router-data"},
    {"name": f"{DIALOG}.save", "payload": {"form": {}}, "router_data": {"query": "sk-in-router-data"}},
    {"name": f"{DIALOG}.save", "payload": {"form": {}}, "router_data": {"pathname": {"sk-in-router-data": 1}}},
    {"name": f"{DIALOG}.set_url", "payload": {"url": {"sk-in-a-payload": []}}},
    {"name": f"{DIALOG}.set_text", "payload": {"field": "saved", "text": "sk-in-a-payload"}},
    {"name": f"{DIALOG}.set_switch", "payload": {"field": "is_own", "is_on": True}},
    {"name": f"{DIALOG}.setvar", "payload": {"var_name": "url", "value": "sk-in-a-payload"}},
    {"name": f"{DIALOG}.setvar", "payload": {"var_name": "sk-in-a-name", "value": 1}},
    {"name": f"{DIALOG}.typed", "payload": {"secret": "sk-in-a-payload"}},
    {"name": f"{BACKEND}.backend", "payload": {}},
    {"name": f"{DIALOG}.take_found", "payload": {"url": "sk-in-a-payload", "kind": None, "model": None}},
    {"name": f"{CHAT}.ask", "payload": {"question": ["sk-in-a-question"]}},
    {"name": f"{CHAT}.ask", "payload": {"question": None}},
    {"name": f"{CHAT}.show_version", "payload": {"turn": "sk-in-a-turn", "number": "sk-in-a-number"}},
    {"name": f"{ROOT}.set_is_hydrated", "payload": {"value": "sk-in-a-value"}},
    {"name": f"{ROOT}.hydrate_and_load", "payload": {"vars": ["sk-in-vars"]}},
    {"name": f"{ROOT}.hydrate_and_load", "payload": {"vars": {f"{DIALOG}.url": "sk-in-vars"}}},
    {"name": f"{ROOT}.hydrate_and_load", "payload": {"vars": {f"{BACKEND}.saved_rx_state_": {"sk-in-vars": 1}}}},
    {
        "name": f"{ROOT}.reflex___state____update_vars_internal_state.update_vars_internal",
        "payload": {"vars": {"sk.in.vars": "sk-in-vars"}},
    },
    {
        "name": f"{ROOT}.reflex___state____frontend_event_exception_state.handle_frontend_exception",
        "payload": {"info": "Error: sk-in-an-error", "component_stack": "sk-in-a-stack"},
    },
]


async def test_an_event_that_no_page_sends_is_one_line_in_the_log_without_a_word_of_it(app: App):
    cookie = await new_cookie(app.url)
    before = len(app.log)
    async with booted(app.url, cookie, token="sk-in-a-token") as page:
        for event in MALFORMED:
            await page.raw(f"42/_event,{json.dumps(['event', event])}")
        await page.raw(f"42/_event,{json.dumps(['client_error', {'message': 'sk-in-an-error'}])}")
        await page.raw(f"42/_event,{json.dumps(['sk-in-an-event', 1, 2, 3])}")
        await page.raw(f"42/_event,{json.dumps(['event'])}")
        await page.raw(f"42/_event,{json.dumps(['event', *['sk-in-another'] * 3])}")
        await page.hear()
    log = app.log[before:]
    assert "sk-" not in log
    assert "Traceback" not in log
    assert "an event was dropped" in log
    assert len(log) < 300 * (len(MALFORMED) + 20)


def test_a_page_may_send_nothing_but_what_is_marked_as_an_event():
    from chat_ui.pages import chat  # noqa: F401 - registers the states

    for name in allowed_events():
        if not name.startswith(f"{ROOT}.chat_ui"):
            continue
        function = RegistrationContext.get().event_handlers[name].handler.fn
        (definition,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function))).body
        assert isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef)
        assert any("rx.event" in ast.unparse(one) for one in definition.decorator_list), name


async def test_a_duplicated_tab_finds_its_own_state_again_when_it_reconnects(app: App):
    cookie, token = await new_cookie(app.url), secrets.token_hex(16)
    async with booted(app.url, cookie, token) as page:
        async with booted(app.url, cookie, token) as duplicate:
            await duplicate.do(f"{DIALOG}.set_text", {"field": "name", "text": "of the duplicate"})
            (given,) = [frame for frame in duplicate.told if "new_token" in frame]
        own = json.loads(given.partition(",")[2])[1]
        async with booted(app.url, cookie, own) as again:
            assert again.state["name"] == "of the duplicate"
        await page.hear()
        assert page.state["name"] == ""


async def test_a_page_that_does_not_read_what_it_is_told_is_closed_and_comes_again(app: App):
    cookie, token = await new_cookie(app.url), secrets.token_hex(16)
    async with booted(app.url, cookie, token) as page:
        await page.do(f"{CHAT}.edit", {"turn": "gone", "question": "q" * 300_000})
        with suppress(ConnectionClosed):
            for _ in range(EVENTS_AT_ONCE - 20):
                await page.send(f"{ROOT}.hydrate_and_load", {"vars": {}})
        await asyncio.to_thread(wait_until, lambda: "its page does not read" in app.log or None, PATIENCE)
        await page.until_closed()
    async with booted(app.url, cookie, token):
        pass


@pytest.mark.parametrize("frame", ["sk-no-packet", "2", "", b"sk-binary"])
async def test_a_socket_over_which_no_packet_of_a_page_comes_is_closed_without_a_word(app: App, frame: str | bytes):
    before = len(app.log)
    async with booted(app.url, await new_cookie(app.url)) as page:
        await page.raw(frame)
        await page.until_closed()
    log = app.log[before:]
    assert "sk-" not in log
    assert "ERROR" not in log


async def test_what_a_page_says_of_itself_is_no_longer_than_pages_need_it(app: App):
    async with booted(app.url, await new_cookie(app.url)) as page:
        before = len(app.log)
        await page.send(f"{DIALOG}.set_more", {"more": "m" * (LONGEST_STORED + 1)})
        await page.send(f"{CHAT}.ping", router={**ROUTER, "query": {"q": ["q" * 1000] * 100}})
        await page.send(f"{CHAT}.ask", {"question": "q" * 1_000_000})
        await page.send(f"{CHAT}.ping", router={**ROUTER, "more": "m" * 100_000})
        await page.until(lambda state: state.get("pongs") == 1)
    assert page.state["more"] == ""
    assert app.log[before:].count("an event was dropped") == 3


async def test_a_page_opens_whatever_its_browser_stores(app: App):
    choices = f'{{"options": {{"given:x": {{"long": "{"x" * LONGEST_STORED}"}}}}}}'
    async with page_socket(app.url, await new_cookie(app.url)) as page:
        await page.boot(storage={f"{BACKEND}.saved": choices})
        assert page.state["saved"] == ""


async def test_options_that_are_too_long_to_be_kept_are_told_in_words(app: App):
    async with booted(app.url, await new_cookie(app.url)) as page:
        await page.send(f"{DIALOG}.open_dialog")
        await page.send(f"{DIALOG}.set_more", {"more": f'{{"long": "{"é" * (LONGEST_STORED // 2)}"}}'})
        await page.send(f"{DIALOG}.save", {"form": {}})
        await page.until(lambda state: "too long for this browser" in state.get("more_error", ""))
        assert page.state["is_open"]


async def test_an_event_that_is_named_like_the_opening_of_a_socket_opens_none(app: App):
    owner, other = await new_cookie(app.url), await new_cookie(app.url)
    conversation = await asked(app, "What does the plan cover?", cookie=owner)
    async with booted(app.url, other) as page:
        for person in digests(owner):
            scope = {"type": "websocket", PERSON: person, "headers": [["x-chat-ui-person", person]]}
            environ = {"asgi.scope": scope, "QUERY_STRING": "token=another", "HTTP_COOKIE": owner}
            await page.raw(f"42/_event,{json.dumps(['connect', environ])}")
            await page.raw(f"42/_event,{json.dumps(['disconnect'])}")
            await page.raw(f"40/_event,{json.dumps({'event': None})}")
            await page.do(f"{CHAT}.open", router={"pathname": f"/c/{conversation}", "asPath": f"/c/{conversation}"})
            assert page.state["missing"] == NOT_FOUND
            assert not page.state.get("turns")


async def test_packets_that_cannot_be_read_are_few_lines_in_the_log(app: App):
    before = len(app.log)
    async with booted(app.url, await new_cookie(app.url)) as page:
        for _ in range(200):
            await page.raw('42/_event,{"sk-in-a-packet": 1}')
            await page.raw('42/_event,["event"')
    async with booted(app.url, await new_cookie(app.url)):
        pass
    log = app.log[before:]
    assert "sk-" not in log
    assert len(log) < 20_000
