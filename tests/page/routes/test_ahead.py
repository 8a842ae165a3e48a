"""A page follows the answer to its question before the server has announced it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from tests.page.routes.reading import reading_from
from tests.page.routes.running_app import person, running_app
from tests.stand_ins.stand_in import Reply, StandIn, in_thread, lines
from tests.timeouts import TIMEOUT

NAME = "A-name-of-22_character"
NOT_NAMES = ("", "x", NAME + "x", "../../../../etc/passwd", "a.b-c_d.e-f_g.h-i_j.kl", "\u0661" * 22)


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with StandIn(Reply([lines({"delta": {"content": "All buoys are red."}})])).running() as backend:
        with reading_from(f"{backend.url}/chat", tmp_path) as address:
            yield address


@asynccontextmanager
async def somebody(url: str) -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=TIMEOUT) as person:
        await person.get("/page")
        yield person


async def ask(person: httpx2.AsyncClient, name: str) -> str:
    return (await person.post("/ask", params={"backend": "given:Shelf", "answer": name})).text


async def test_an_answer_is_followed_before_its_question_and_only_by_its_owner(url: str):
    async with somebody(url) as person, somebody(url) as other:
        wanted = f"{(await person.get('/facts')).json()['conversation']}.{NAME}"
        following = asyncio.create_task(person.get(f"/answers/{wanted}/stream"))
        # It waits by the time that others are answered.
        refused = await other.get(f"/answers/{wanted}/stream")
        unknown = await other.get(f"/answers/nothing.{NAME}/stream")
        assert not following.done()
        assert (refused.status_code, refused.text) == (unknown.status_code, unknown.text) == (404, unknown.text)
        # Another person's answer of the same name does not count.
        await ask(other, NAME)
        assert not following.done()
        assert await ask(person, NAME) == wanted
        followed = await following
    assert followed.status_code == 200
    assert "All buoys are red." in followed.text
    assert "event: end" in followed.text


async def test_an_answer_has_a_unique_id_for_any_name_from_a_page(url: str):
    async with somebody(url) as person:
        conversation = (await person.get("/facts")).json()["conversation"]
        for name in (NAME, *NOT_NAMES):
            first, second = await ask(person, name), await ask(person, name)
            assert first != second
            assert (first == f"{conversation}.{name}") == (name == NAME)
            for answer in (first, second):
                assert answer.startswith(f"{conversation}.")
                assert len(answer) == len(conversation) + 1 + len(NAME)
                assert "All buoys are red." in (await person.get(f"/answers/{answer}")).text


DUTCH = r"""
msgid ""
msgstr ""
"Language: nl\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "Answer not found."
msgstr "Dat antwoord is er niet."
"""
IN_DUTCH = {"Accept-Language": "nl"}


@pytest.fixture
def me(tmp_path: Path) -> Iterator[httpx2.Client]:
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations/nl.po").write_text(DUTCH, encoding="utf-8")
    with running_app(tmp_path, translations=tmp_path / "translations") as url, person(url) as client:
        yield client


def rendering(client: httpx2.Client, address: str, headers: dict[str, str]) -> str:
    """The name of a follower's rendering, from its first frame."""
    with client.stream("GET", address, headers=headers) as response:
        line = next(line for line in response.iter_lines() if line.startswith("id: "))
    return line.removeprefix("id: ").partition(".")[0]


def test_a_growing_answer_is_rendered_once_for_each_followers_language(me: httpx2.Client):
    never = Reply([lines({"delta": {"role": "assistant"}}, {"delta": {"content": "Red."}}), float("inf")])
    with in_thread(StandIn(never)) as backend:
        query = {"backend": f"{backend.url}/chat", "running": "1"}
        address = f"/api/answers/{me.post('/ask', params=query, content='short').text}/stream"
        english, again = (rendering(me, address, {}) for _ in range(2))
        dutch, also = (rendering(me, address, IN_DUTCH) for _ in range(2))
    assert english == again != dutch == also


def test_a_refusal_is_in_the_language_of_the_request(me: httpx2.Client):
    assert me.get("/api/answers/none").text == "Answer not found."
    assert me.get("/api/answers/none", headers=IN_DUTCH).text == "Dat antwoord is er niet."
    # A cache must not serve it in another language.
    for path in ("/api/answers/none", "/api/conversations/none/export", "/branding/none.svg"):
        refused = me.get(path, headers=IN_DUTCH)
        assert (refused.status_code, refused.headers.get("cache-control")) == (404, "no-store")
