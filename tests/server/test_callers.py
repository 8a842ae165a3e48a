import asyncio
import os
import time
from typing import Any

import httpx2
import psutil
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from chat_ui.conversations.people.person import NAMED, PERSON
from chat_ui.server.middleware.callers import Callers
from chat_ui.server.middleware.identity import networks_of
from chat_ui.server.processes.caller import address_of_caller
from chat_ui.server.processes.pool import Processes
from tests.page.routes.serving import served
from tests.timeouts import TIMEOUT

PROXIES = networks_of(["10.0.0.0/8", "fd00::/8"])


async def address(client: str, forwarded: str | None = None, named: str = "") -> str:
    found: list[str] = []

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        found.append(address_of_caller())

    async def receive() -> Message:
        raise AssertionError

    async def send(_: Message) -> None:
        raise AssertionError

    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "client": (client, 1), "headers": headers, PERSON: named or "x", NAMED: bool(named)}
    await Callers(app, PROXIES)(scope, receive, send)
    return found[0]


async def test_the_last_trusted_proxy_gives_the_clients_address():
    wanted = {
        ("192.0.2.1", None): "192.0.2.1",
        ("192.0.2.1", "198.51.100.7"): "192.0.2.1",
        ("10.0.0.1", None): "10.0.0.1",
        ("10.0.0.1", "198.51.100.7"): "198.51.100.7",
        ("10.0.0.1", "198.51.100.7:4711"): "198.51.100.7",
        ("10.0.0.1", "made up, 203.0.113.9, 198.51.100.7, 10.0.0.2"): "198.51.100.7",
        ("10.0.0.1", "made up"): "10.0.0.1",
        ("10.0.0.1", ""): "10.0.0.1",
        ("::ffff:10.0.0.1", "[2001:db8:1:2:3::4]:4711"): "2001:db8:1:2::/64",
        ("fd00::1", "2001:db8:1:2::5"): "2001:db8:1:2::/64",
        ("::ffff:192.0.2.1", None): "192.0.2.1",
        ("", None): "",
    }
    assert {asked: await address(*asked) for asked in wanted} == wanted
    named = await address("10.0.0.1", "198.51.100.7", named="ann")
    assert named == "ann", "a person whom the proxy names has an address of their own"


def spin() -> None:
    while True:
        time.sleep(0.001)


async def test_a_process_ends_when_its_client_leaves():
    processes, begun, ended = Processes(at_once=1, seconds=600), asyncio.Event(), asyncio.Event()

    async def work(request: Request) -> Response:
        await request.body()
        begun.set()
        try:
            await processes.run("ann", spin)
        finally:
            ended.set()
        return Response()

    async def quick(_: Request) -> Response:
        pid = await processes.run("ann", os.getpid)
        again = await processes.run("ann", os.getpid)
        return PlainTextResponse(f"{pid} {again}")

    routes = [Route("/work", work, methods=["GET", "POST"]), Route("/quick", quick)]
    app: Any = Callers(Starlette(routes=routes))
    async with served(app) as url, httpx2.AsyncClient(base_url=url, timeout=TIMEOUT) as client:
        first = int((await client.get("/quick")).text.split()[0])
        for method in ("GET", "POST"):
            leaving = asyncio.create_task(client.request(method, "/work", content=b"x" * 100_000))
            await begun.wait()
            leaving.cancel()
            await asyncio.wait_for(ended.wait(), TIMEOUT)
            begun.clear()
            ended.clear()
        before, after = (await client.get("/quick")).text.split()
        assert before == after
        assert not psutil.pid_exists(first)
    await processes.end()
