"""A backend for browser tests, with answers that each test prepares."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from itertools import count
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

SOURCES = {"context": {"data_points": {"text": ["Plans.pdf: The plan covers glasses.", "Costs.pdf: It costs 12."]}}}


def delta(text: str, *sources: str, **context: object) -> dict[str, object]:
    """A delta with its sources, each `NAME: passage`, and further keys."""
    beside = {"data_points": {"text": sources}, **context} if sources else context
    return {"delta": {"content": text}, **({"context": beside} if beside else {})}


def deltas(text: str) -> list[dict[str, object]]:
    """Text in pieces of a model's size."""
    return [delta(piece) for piece in re.findall(r"\s*\S+|\s+$", text)]


class StandIn:
    """Gives each prepared answer an address."""

    WAIT_FOR_EVER: Final = "wait for ever"
    WAIT_UNTIL_TOLD: Final = "wait until told"

    def __init__(self) -> None:
        self.url = ""
        self.app = Starlette(
            routes=[
                Route("/{number:int}/chat/stream", self._answer, methods=["POST", "GET"]),
                Route("/{number:int}/content/{name}", self._document),
            ]
        )
        self._documents: dict[tuple[int, str], str] = {}
        self._numbers = count()
        self._answers: dict[int, list[Sequence[object] | str]] = {}
        self.requests: dict[int, list[dict[str, object]]] = {}
        self._headers: dict[int, dict[str, str]] = {}
        self._told: dict[int, asyncio.Event] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def streaming(self, *values: object) -> str:
        """The address of a backend that streams these values as JSON lines."""
        return self.one_after_the_other(values)

    def held(self, first: object, *others: object) -> str:
        """The address of a backend that streams `first` and, after `go_on()`, the others."""
        return self.streaming(first, self.WAIT_UNTIL_TOLD, *others)

    def go_on(self) -> None:
        """Release the held streams at all current addresses."""
        for told in self._told.values():
            if self._loop is None:
                told.set()
            else:
                self._loop.call_soon_threadsafe(told.set)

    def one_after_the_other(self, *answers: Sequence[object]) -> str:
        """The address of a backend with these answers in turn, the last one repeated."""
        return self._add(list(answers))

    def saying(self, *texts: str) -> str:
        """The address of a backend with these texts in turn."""
        return self.one_after_the_other(*([delta(text)] for text in texts))

    def page(self, html: str) -> str:
        """The address of a web page."""
        return self._add([html])

    def shelve(self, address: str, name: str, text: str) -> None:
        """Have the backend at this address serve a document."""
        self._documents[_number(address), name] = text

    def asked(self, address: str) -> list[dict[str, object]]:
        """The bodies of the requests to this address."""
        return self.requests[_number(address)]

    def header(self, address: str, name: str) -> str | None:
        """A header of the last request to this address."""
        return self._headers[_number(address)].get(name)

    def _add(self, answers: list[Sequence[object] | str]) -> str:
        number = next(self._numbers)
        self._answers[number] = answers
        self.requests[number] = []
        self._told[number] = asyncio.Event()
        return f"{self.url}/{number}/chat"

    async def _answer(self, request: Request) -> Response:
        number = request.path_params["number"]
        if number not in self._answers:
            return PlainTextResponse("no such answer", status_code=404)
        if request.method == "POST":
            self.requests[number].append(await request.json())
            self._headers[number] = dict(request.headers)
        waiting = self._answers[number]
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(answer, str):
            return HTMLResponse(answer)
        return StreamingResponse(self._lines(answer, self._told[number]), media_type="application/jsonl")

    async def _document(self, request: Request) -> Response:
        text = self._documents.get((request.path_params["number"], request.path_params["name"]))
        return PlainTextResponse("no such document", status_code=404) if text is None else PlainTextResponse(text)

    async def _lines(self, values: Sequence[object], told: asyncio.Event) -> AsyncIterator[bytes]:
        self._loop = asyncio.get_running_loop()
        for value in values:
            if value == self.WAIT_FOR_EVER:
                await asyncio.Event().wait()
            if value == self.WAIT_UNTIL_TOLD:
                await told.wait()
                continue
            yield json.dumps(value).encode() + b"\n"


def _number(address: str) -> int:
    return int(address.rsplit("/", 2)[-2])
