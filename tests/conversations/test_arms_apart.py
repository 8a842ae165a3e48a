"""Neither arm of a comparison is ever told what the other said.

The backends make up a number with the first question of a conversation and know it from what that conversation brings
along: its history, its session state, the id of its last response, or its thread. The page is loaded again and the
server is killed in between. An arm that was ever told of the other's number says both, or the wrong one.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.app import App
from tests.demo.serving import serving
from tests.page_socket import ARM_CHOICE, BACKEND, CHAT, SECOND_ARM, PageSocket, new_cookie, page_socket

pytestmark = pytest.mark.timeout(400)

TURNS, RELOAD_EACH, KILL_EACH = 5, 2, 3
Object = dict[str, Any]
_NUMBER = re.compile(r"#(\d+)")
_ARM_CHOICE_KEPT = (ARM_CHOICE, ("arm", "arm_of"))


def _sse(*events: Object) -> Response:
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Response(body, media_type="text/event-stream")


def _jsonl(*values: Object) -> Response:
    return Response("".join(json.dumps(value) + "\n" for value in values), media_type="application/jsonl")


@dataclass
class Numbers:
    """A backend of every wire that keeps something of a conversation; `begun` counts the numbers that it made up."""

    begun: int = 0
    known: dict[str, str] = field(default_factory=dict)

    @property
    def app(self) -> Starlette:
        """The backend, at the paths of `WIRES`."""
        routes: Mapping[str, Callable[[Object], Response]] = {
            "/history/chat/stream": self._by_history,
            "/state/chat/stream": self._by_state,
            "/v1/responses": self._by_response,
            "/agui/agent": self._by_thread,
        }

        def endpoint(answer: Callable[[Object], Response]) -> Callable[[Request], Any]:
            async def respond(request: Request) -> Response:
                return answer(await request.json())

            return respond

        return Starlette(routes=[Route(path, endpoint(answer), methods=["POST"]) for path, answer in routes.items()])

    def _new(self) -> str:
        self.begun += 1
        return f"#{secrets.randbelow(10**9)}"

    def _by_history(self, body: Object) -> Response:
        said = [str(one["content"]) for one in body["messages"] if one["role"] == "assistant"]
        numbers = sorted({f"#{number}" for text in said for number in _NUMBER.findall(text)}) or [self._new()]
        return _jsonl({"delta": {"role": "assistant", "content": f"It is {' and '.join(numbers)}."}})

    def _by_state(self, body: Object) -> Response:
        number = (body.get("session_state") or {}).get("number") or self._new()
        message = {"role": "assistant", "content": f"It is {number}."}
        return _jsonl({"delta": message, "session_state": {"number": number}})

    def _by_response(self, body: Object) -> Response:
        number = self.known.get(body.get("previous_response_id") or "") or self._new()
        response = f"resp_{secrets.token_hex(8)}"
        self.known[response] = number
        content = [{"type": "output_text", "text": f"It is {number}.", "annotations": []}]
        whole = {
            "id": response,
            "object": "response",
            "status": "completed",
            "store": True,
            "output": [{"type": "message", "id": "m", "role": "assistant", "content": content}],
        }
        delta = {"type": "response.output_text.delta", "delta": content[0]["text"], "output_index": 0}
        return _sse({**delta, "content_index": 0}, {"type": "response.completed", "response": whole})

    def _by_thread(self, body: Object) -> Response:
        number = self.known.setdefault(body["threadId"], "") or self._new()
        self.known[body["threadId"]] = number
        run = {"threadId": body["threadId"], "runId": body["runId"]}
        return _sse(
            {"type": "RUN_STARTED", **run},
            {"type": "TEXT_MESSAGE_START", "messageId": body["runId"], "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": body["runId"], "delta": f"It is {number}."},
            {"type": "TEXT_MESSAGE_END", "messageId": body["runId"]},
            {"type": "RUN_FINISHED", **run},
        )


WIRES = {
    "history": "/history/chat/stream",
    "session_state": "/state/chat/stream",
    "previous_response_id": "/v1/responses",
    "threads": "/agui/agent",
}


@dataclass(frozen=True)
class Seen:
    """What came of a run: the number that each arm said first, the answers of each that said anything else, and how
    often the server was killed.
    """

    left: str
    right: str
    others: tuple[str, ...]
    kills: int


class _Tab:
    """A tab whose page is loaded again and again; `storage` is what its browser keeps."""

    def __init__(self, app: App, cookie: str, choices: Object) -> None:
        self._app = app
        self.cookie = cookie
        self._storage = {f"{BACKEND}.saved": json.dumps(choices)}
        self._open: Any = None

    async def load(self) -> PageSocket:
        await self.close()
        self._open = page_socket(self._app.url, self.cookie)
        page: PageSocket = await self._open.__aenter__()
        await page.boot(self._storage)
        await page.hear()
        return page

    def keep(self, page: PageSocket) -> None:
        """Store what a browser would."""
        self._storage[f"{CHAT}.remembered"] = page.states[CHAT]["conversation_id"]
        state, names = _ARM_CHOICE_KEPT
        for name in names:
            self._storage[f"{state}.{name}"] = page.states[state][name]

    async def close(self) -> None:
        if self._open is not None:
            await self._open.__aexit__(None, None, None)
            self._open = None


async def _texts(app: App, cookie: str, page: PageSocket) -> tuple[str, str]:
    async with httpx2.AsyncClient(base_url=app.url, headers={"Cookie": cookie}) as client:
        found = [await client.get(page.states[state]["latest"]["address"] + "/words") for state in (CHAT, SECOND_ARM)]
    return found[0].raise_for_status().text, found[1].raise_for_status().text


async def run(app: App, left: str, right: str) -> Seen:
    """Compare the backends at two addresses over some turns, and in between load the page again, or kill the server and
    start it again.
    """
    own = [{"id": "own:left", "url": left}, {"id": "own:right", "url": right}]
    cookie = await new_cookie(app.url)
    tab = _Tab(app, cookie, {"selected": "own:left", "own": own})
    page = await tab.load()
    await page.send(f"{SECOND_ARM}.compare")
    await page.until(partial(_compares, page))
    await page.send(f"{ARM_CHOICE}.select_for_arm", {"backend_id": "own:right"})
    await page.hear()
    first: tuple[str, str] | None = None
    others: list[str] = []
    kills = 0
    for turn in range(1, TURNS + 1):
        asked = {"question": f"What is your number, for the {turn}th time?", "attached": []}
        before = [page.states[state]["latest"]["id"] for state in (CHAT, SECOND_ARM)]
        await page.send(f"{SECOND_ARM}.ask_both", asked)
        await page.until(partial(_both_answered, page, before))
        said = await _texts(app, cookie, page)
        first = first or said
        others += [one for one, expected in zip(said, first, strict=True) if one != expected]
        tab.keep(page)
        if turn % KILL_EACH == 0:
            await page.until(partial(_both_written, page))
            await tab.close()
            await asyncio.to_thread(app.end, signal.SIGKILL)
            await asyncio.to_thread(app.start)
            kills += 1
        if turn % KILL_EACH == 0 or turn % RELOAD_EACH == 0:
            page = await tab.load()
            await page.until(partial(_compares, page))
    await tab.close()
    assert first is not None
    return Seen(first[0], first[1], tuple(others), kills)


def _compares(page: PageSocket, _: Object) -> bool:
    return bool(page.states[SECOND_ARM].get("comparing"))


def _both_written(page: PageSocket, _: Object) -> bool:
    return all(page.states[state]["written"] for state in (CHAT, SECOND_ARM))


def _both_answered(page: PageSocket, before: list[str], _: Object) -> bool:
    latest = [page.states[state]["latest"] for state in (CHAT, SECOND_ARM)]
    return all(one["id"] != former and not one["live"] for one, former in zip(latest, before, strict=True))


def pairs(url: str) -> dict[str, tuple[str, str]]:
    """What is compared, by its name: each wire with itself at one backend, and two wires with each other."""
    same = {name: (url + path, url + path) for name, path in WIRES.items()}
    return {**same, "two wires": (url + WIRES["session_state"], url + WIRES["previous_response_id"])}


@pytest.fixture(scope="module")
def app(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    made = App(tmp_path_factory.mktemp("arms"), built=built_app)
    made.start()
    yield made
    made.end()


@pytest.mark.parametrize("wire", list(pairs("")))
async def test_each_arm_keeps_its_own_number_over_reloads_and_a_killed_server(app: App, wire: str):
    numbers = Numbers()
    with serving(numbers.app) as url:
        left, right = pairs(url)[wire]
        seen = await run(app, left, right)
    assert seen.others == ()
    assert seen.left != seen.right
    assert (numbers.begun, seen.kills) == (2, 1)
