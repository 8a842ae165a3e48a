"""A costly answer delays nobody else, and the browser gets no more bytes than the server."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

import httpx2
import pytest

from chat_ui.conversations.archive.archive import FORMAT, VERSION
from chat_ui.server.processes import worker
from tests.features.demo.serving import serving
from tests.page.routes.reading import reading_from
from tests.page.routes.running_app import API, talk
from tests.rendering.costly import COSTLY
from tests.servers import Backend, Server, paced_backend, server_at
from tests.stand_ins.shelf import Shelf
from tools.benchmarks.people import Person, Reading, check

pytestmark = pytest.mark.thorough
LENGTH = 12_000
RESOURCES = ("", "/sources", "/cards", "/grounding", "/thoughts", "/markdown", "/rich", "/words", "/image?url=x")


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture(scope="module")
def url(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(shelf.app) as backend, reading_from(f"{backend}/0/chat", tmp_path_factory.mktemp("vault")) as address:
        yield address


Spent: TypeAlias = Callable[[], Awaitable[float]]
"""The server's processor seconds, without its worker processes."""


async def beside(person: httpx2.AsyncClient, path: str, spent: Spent) -> httpx2.Response:
    """The response, with health checks meanwhile: at least four for each second of the server's processor time."""
    before = await spent()
    asking = asyncio.create_task(person.get(path))
    alive = 0
    while not asking.done():
        assert (await person.get("/health")).status_code == 200
        alive += 1
    assert alive >= 4 * (await spent() - before) - 1, path
    return await asking


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
async def test_others_are_answered_while_a_costly_answer_is_shown(shelf: Shelf, url: str, text):
    shelf.text = text(LENGTH)
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=120) as person:
        await person.get("/page")

        async def spent() -> float:
            return (await person.get("/facts")).json()["spent"]

        answer = (await person.post("/ask", params={"backend": "given:Shelf", "wait": "no"})).text
        assert (await beside(person, f"/answers/{answer}/stream", spent)).status_code in (200, 204)
        paths = [f"/answers/{answer}{resource}" for resource in RESOURCES]
        for path in paths:
            assert (await beside(person, path, spent)).status_code == (404 if "image" in path else 200), path


@pytest.mark.parametrize("form", ["markdown", "html", "json"])
async def test_others_are_answered_while_costly_answers_are_exported(app_url: str, form: str):
    its_own = [one for one in server_at(app_url).processes() if worker.__name__ not in one.cmdline()]

    async def spent() -> float:
        return sum(sum(one.cpu_times()[:2]) for one in its_own)

    async with httpx2.AsyncClient(base_url=app_url, trust_env=False, timeout=120) as person:
        await person.get("/")
        turns = [{**talk(name, 1, text(LENGTH))["turns"][0], "id": name} for name, text in COSTLY.items()]
        sent = {"format": FORMAT, "version": VERSION, "conversations": [{**talk("Costly", 1), "turns": turns}]}
        assert (await person.post(f"{API}import", json=sent)).json()["imported"] == 1
        listed = (await person.get(API)).json()["conversations"]
        response = await beside(person, f"{API}{listed[0]['id']}/export?as={form}", spent)
        assert response.status_code == 200
        await person.delete(API)


LOADED = """
import sys
import chat_ui.rendering.packed, chat_ui.rendering.streaming.stream, chat_ui.rendering.panels.thoughts
import chat_ui.features.exporting.exported, chat_ui.features.feedback.citations_of_answer
print(*(name for name in sys.modules if "." not in name))
"""


async def test_rendering_elsewhere_needs_nothing_of_the_server():
    command = [sys.executable, "-c", LOADED]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    modules, _ = await process.communicate()
    assert not {"reflex", "starlette", "sqlalchemy", "redis"} & set(modules.decode().split())


TOKENS = 3_000
RATE = 3_000


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with paced_backend() as running:
        yield running


def _ask(server: Server, backend: Backend, kind: str, tokens: int) -> tuple[Reading, str]:
    """The reading of an answer, and its name in the log of the backend."""
    name = f"{kind}{tokens}"

    async def talk() -> Reading:
        person = Person(server.url)
        await person.arrive()
        await person.use(backend)
        reading = await person.ask(f"kind={kind} tokens={tokens} rate={RATE} id={name}")
        await person.leave()
        return reading

    return asyncio.run(talk()), name


@pytest.mark.parametrize("kind", ["prose", "table", "code", "list"])
def test_the_browser_gets_at_most_the_backends_bytes(app_url: str, backend: Backend, kind: str):
    reading, name = _ask(server_at(app_url), backend, kind, TOKENS // 2)
    sent = backend.sent(name)
    assert sent is not None
    assert reading.received <= sent.bytes


def test_every_character_arrives_in_order(app_url: str, backend: Backend):
    reading, name = _ask(server_at(app_url), backend, "stamped", TOKENS)
    check(reading, backend, name)
    assert reading.delays
