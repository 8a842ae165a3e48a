"""Answers are rendered once, long ones in a worker process, and a timeout is told in words."""

import asyncio
import os
import pickle
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from chat_ui.conversations.generations.remote import RemoteGeneration
from chat_ui.conversations.records.records import Status, StoredAnswer
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.packed import Body
from chat_ui.rendering.resources import document
from chat_ui.server.processes.pool import Processes
from chat_ui.server.renderings import Renderings
from tests.conversations.kept import conversation, generation, turn
from tests.features.demo.serving import serving
from tests.page.routes.reading import Reader, reading_from
from tests.stand_ins.shelf import Shelf
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT


class Watched(Processes):
    """Processes that note their functions. Rendering may take that many seconds."""

    def __init__(self, rendering: float | None = None) -> None:
        super().__init__()
        self.ran: list[str] = []
        self.weights: list[int] = []
        """The size in bytes of each call's arguments."""
        self._rendering = rendering

    async def run(self, person: str, function: Any, *arguments: Any, seconds: float | None = None) -> Any:
        self.ran.append(function.__name__)
        self.weights.append(len(pickle.dumps(arguments)))
        is_rendering = function.__name__ == "packed"
        return await super().run(person, function, *arguments, seconds=self._rendering if is_rendering else seconds)


def where(_answer: Answer, _rendered: RenderedAnswer) -> str:
    return str(os.getpid())


def kept(text: str) -> RemoteGeneration:
    return RemoteGeneration("me", StoredAnswer(generation(turn(conversation()), answer=Answer(text)), "What is it?"))


async def test_a_short_answer_is_rendered_in_place_and_a_long_one_in_a_process():
    renderings = Renderings(Processes())
    assert await renderings.make("me", kept("Buoys are red."), where) == str(os.getpid())
    long = kept("Buoys are red. " * 2_000)
    assert await renderings.make("me", long, where) != str(os.getpid())
    body = await renderings.body("me", long, where)
    assert int(body.content) != os.getpid()
    assert body == Body.of(body.content.decode())


async def test_a_continued_answer_is_rendered_anew():
    renderings, asked = Renderings(Processes()), turn(conversation())
    told = [(Status.RUNNING, "R"), (Status.RUNNING, "Re"), (Status.INTERRUPTED, "Re"), (Status.INTERRUPTED, "Red")]
    for status, text in (*told, (Status.FINISHED, "Red.")):
        made = generation(asked, status=status, answer=Answer(text))
        body = await renderings.body("me", RemoteGeneration("me", StoredAnswer(made, "Colour?")), document)
        assert f'<p dir="auto">{text}</p>' in body.content.decode()


async def test_the_text_of_a_long_answer_is_sent_to_a_process_once():
    processes = Watched()
    text = "Buoys are red. " * 20_000
    body = await Renderings(processes).body("me", kept(text), document)
    assert body.content.count(b"Buoys") == 20_000
    assert sum(processes.weights) < 2.5 * len(text)


@asynccontextmanager
async def asked_for(
    folder: Path, processes: Processes, text: str, *sources: str, **context: object
) -> AsyncIterator[tuple[httpx2.AsyncClient, str]]:
    """A person with this answer, and its address."""
    said = lines({"delta": {"content": text}, "context": {"data_points": {"text": sources}, **context}})
    async with StandIn(Reply([said])).running() as backend:
        with reading_from(f"{backend.url}/chat", folder, processes=processes) as url:
            async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=TIMEOUT) as person:
                await person.get("/page")
                answer = (await person.post("/ask", params={"backend": "given:Shelf"})).text
                yield person, f"/answers/{answer}"


async def test_thoughts_with_many_sources_are_rendered_in_a_process(tmp_path: Path):
    processes, points = Watched(), [f"a{number}.txt: Buoys are red." for number in range(2_000)]
    thoughts = [{"title": "Query", "description": "buoys"}]
    async with asked_for(tmp_path, processes, "Red.", *points, thoughts=thoughts) as (person, answer):
        assert "Query" in (await person.get(f"{answer}/thoughts")).text
    assert "thoughts_html" in processes.ran


async def test_a_long_answer_with_many_readers_is_rendered_once():
    processes = Watched()
    renderings = Renderings(processes)
    answer = kept("[" * 30_000)
    together = [renderings.make("me", answer, document) for _ in range(4)]
    assert len(set(await asyncio.gather(*together))) == 1
    assert processes.ran.count("packed") == 1


def paragraphs(count: int) -> str:
    return "\n\n".join(f"Buoy {number} is **red**, and lies in the north of the harbour." for number in range(count))


async def test_a_part_is_as_large_for_a_long_answer_that_is_rendered_once():
    sizes = []
    for length in (1_000, 2_000, 4_000):
        processes = Watched()
        renderings, answer = Renderings(processes), kept(paragraphs(length))
        parts = [await renderings.part("me", answer, number) for number in range(4)]
        sizes.append(len(parts[0][0].content))
    assert max(sizes) <= 1.1 * min(sizes)
    assert None not in parts
    assert processes.ran == ["packed"]


async def test_an_answer_beyond_the_time_is_shown_as_text_whole_and_in_parts():
    renderings = Renderings(Watched(rendering=0.000_1))
    html = await renderings.make("me", kept("**Buoys** are <red>. " * 2_000), document)
    assert "takes too long to format" in html
    assert html.count("**Buoys** are &lt;red&gt;.") == 2_000
    answer = kept("\n".join(["**Buoys** are red."] * 20_000))
    part = await renderings.part("me", answer, 0)
    assert part[1] > 5
    assert part[0].content.endswith(b"**Buoys** are red.</div></div>")
    assert (await renderings.body("me", answer, document)).content.count(b"**Buoys** are red.") == 20_000


async def test_an_answer_too_slow_even_as_text_is_refused_in_words(tmp_path: Path):
    processes = Processes(seconds=0.000_1)
    async with asked_for(tmp_path, processes, "[" * 9_000, "Buoys.txt: Buoys are red.") as (person, answer):
        refused = await person.get(answer)
    assert (refused.status_code, refused.text) == (503, "This takes too long to show.")
    assert refused.headers["retry-after"] == "3600"


def test_a_document_too_slow_to_show_can_be_downloaded(tmp_path: Path):
    shelf = Shelf()
    shelf.documents["Buoys.txt"] = b"Buoys are red."
    shelf.sources = ["Buoys.txt: Buoys are red."]
    processes = Processes(seconds=0.000_1)
    with serving(shelf.app) as backend, reading_from(f"{backend}/0/chat", tmp_path, processes=processes) as url:
        reader = Reader(url, "given:Shelf")
        reader.ask()
        refused = reader.document(0, "/shown")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "3600")
        assert "Download it instead" in refused.text
        assert reader.document(0).content == b"Buoys are red."
