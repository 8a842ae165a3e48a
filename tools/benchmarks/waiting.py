"""The longest wait of other requests while a costly answer is streamed, displayed and copied."""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from urllib.parse import quote

import httpx2
from pygments.lexers import get_all_lexers
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from chat_ui.backends.offer import Offer
from chat_ui.backends.profile import Profile
from chat_ui.backends.vault import Vault
from chat_ui.rendering.markdown.code_blocks import SLOW_TO_LOAD, lexer_for
from tests.features.demo.serving import serving
from tests.page.routes.reading import reading
from tests.rendering.costly import COSTLY
from tools.benchmarks.bench import Bench
from tools.benchmarks.figures import Figure

LENGTHS = (8_000, 16_000, 32_000)
MOST = 0.05
RESOURCES = ("/stream", "", "/sources", "/cards", "/grounding", "/thoughts", "/markdown", "/rich", "/image?url=x")


def waiting(bench: Bench) -> Iterator[Figure]:
    """The longest `GET /health`, for each family of texts at n, 2n and 4n."""
    _collect_seldom()
    with _server() as url:
        for family in COSTLY:
            for length in LENGTHS:
                longest = bench.run(_longest_wait(url, f"{family} {length}"))
                what = f"{family}, {length} characters: longest wait of others"
                yield Figure("waiting", what, 1000 * longest, "ms", goal=1000 * MOST)
    seconds, language = _slowest_language()
    yield Figure("waiting", f"{language}, slowest of all languages to load", 1000 * seconds, "ms", goal=1000 * MOST)


def _slowest_language() -> tuple[float, str]:
    """The code language with the longest loading time, and its seconds. Each is loaded in a new process, beside only
    those that a server loads at its start.
    """
    for language in SLOW_TO_LOAD:
        lexer_for(language)
    fork = multiprocessing.get_context("fork")
    languages = [aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases]
    slowest = (0.0, "")
    for language in languages:
        ours, theirs = fork.Pipe()
        process = fork.Process(target=_load, args=(theirs, language))
        process.start()
        slowest = max(slowest, (ours.recv(), language))
        process.join()
    return slowest


def _load(pipe: Connection, language: str) -> None:
    began = time.process_time()
    lexer_for(language)
    pipe.send(time.process_time() - began)


async def _longest_wait(url: str, backend: str) -> float:
    async with httpx2.AsyncClient(base_url=url, trust_env=False, timeout=120) as person:
        await person.get("/page")
        asking = asyncio.create_task(_use(person, backend))
        longest = 0.0
        while not asking.done():
            began = time.monotonic()
            await person.get("/health")
            longest = max(longest, time.monotonic() - began)
            await asyncio.sleep(0.002)
        await asking
    return longest


async def _use(person: httpx2.AsyncClient, backend: str) -> None:
    answer = (await person.post("/ask", params={"backend": f"given:{backend}", "wait": "no"})).text
    for resource in RESOURCES:
        await person.get(f"/answers/{answer}{resource}")


@contextmanager
def _server() -> Iterator[str]:
    """The address of the routes, in another process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    process.start()
    # If the process ends early, reading fails instead of waiting.
    theirs.close()
    try:
        yield ours.recv()
    finally:
        ours.send("end")
        process.join()


def _serve(pipe: Connection) -> None:
    with serving(Starlette(routes=[Route("/{family}/{length:int}/chat", _answer, methods=["POST"])])) as backend:
        profiles = tuple(
            Profile(name=f"{family} {length}", url=f"{backend}/{quote(family)}/{length}/chat")
            for family in COSTLY
            for length in LENGTHS
        )
        for language in SLOW_TO_LOAD:
            lexer_for(language)
        _collect_seldom()
        with tempfile.TemporaryDirectory() as folder, reading(Offer(profiles), Vault(Path(folder))) as url:
            pipe.send(url)
            pipe.recv()


def _collect_seldom() -> None:
    """Configure garbage collection like the app: a full collection is not part of an answer's cost."""
    gc.freeze()
    gc.set_threshold(700, 10, 1_000_000)


async def _answer(request: Request) -> Response:
    text = COSTLY[request.path_params["family"]](request.path_params["length"])
    deltas = (text[start : start + 1_000] for start in range(0, len(text), 1_000))
    lines = "".join(json.dumps({"delta": {"content": delta}}) + "\n" for delta in deltas)
    return PlainTextResponse(lines, media_type="application/jsonl")
