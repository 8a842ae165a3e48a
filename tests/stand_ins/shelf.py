"""A backend that cites documents and serves them beside its chat, with failures."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TypeAlias

from fpdf import FPDF
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

MB = 1_000_000


def pdf(*pages: str) -> bytes:
    """A PDF with one line of text on each page."""
    document = FPDF()
    document.set_font("helvetica", size=14)
    for words in pages:
        document.add_page()
        document.cell(text=words)
    return bytes(document.output())


Placed: TypeAlias = tuple[float, float, str]
"""A line of text at its place on a page, in millimetres from the left and from the top."""


def placed_pdf(*pages: Iterable[Placed]) -> bytes:
    """A PDF with these lines of text on each page, in their order."""
    document = FPDF()
    document.set_font("helvetica", size=12)
    for lines in pages:
        document.add_page()
        for across, down, words in lines:
            document.text(across, down, words)
    return bytes(document.output())


class Shelf:
    """Documents by name. A value is a Response, or bytes served in ranges.

    The shelf is the same in every `/ROOM`, so that a client's memory of one room does not affect another.
    """

    def __init__(self) -> None:
        self.documents: dict[str, bytes | Response | AsyncIterator[bytes]] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.sources: Sequence[str] = ()
        self.thoughts: Sequence[object] = ()
        self.text = ""
        self.sent = 0
        self.app = Starlette(
            routes=[
                Route("/{room}/chat", self._chat, methods=["POST"]),
                Route("/{room}/chat/stream", self._chat, methods=["POST"]),
                Route("/{room}/content/{name:path}", self._content),
                Route("/{room}/moved/{name:path}", self._content),
                Route("/{room}/files", self._content),
            ]
        )

    async def _chat(self, _: Request) -> Response:
        context = {"data_points": {"text": list(self.sources)}, "thoughts": list(self.thoughts)}
        lines = [
            {"delta": {"role": "assistant"}, "context": context},
            {"delta": {"content": self.text or "Read them."}},
        ]
        return PlainTextResponse("".join(json.dumps(line) + "\n" for line in lines), media_type="application/jsonl")

    async def _content(self, request: Request) -> Response:
        name = request.path_params.get("name") or request.query_params["name"]
        self.requests.append((request.scope["raw_path"].decode(), dict(request.headers)))
        found = self.documents.get(name)
        if found is None:
            return PlainTextResponse("nothing of this name", status_code=404)
        if isinstance(found, bytes):
            return self._ranged(found, request)
        return found if isinstance(found, Response) else StreamingResponse(found, media_type="application/pdf")

    def _ranged(self, data: bytes, request: Request) -> Response:
        headers = {"ETag": f'"{len(data)}"', "Accept-Ranges": "bytes"}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        asked = request.headers.get("range", "").removeprefix("bytes=").partition("-")
        if not asked[1]:
            return Response(data, headers=headers, media_type="application/octet-stream")
        first, last = int(asked[0]), min(int(asked[2] or len(data)), len(data) - 1)
        if first >= len(data):
            return Response(status_code=416, headers={"Content-Range": f"bytes */{len(data)}"})
        headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
        return Response(data[first : last + 1], 206, headers)

    async def endless(self) -> AsyncIterator[bytes]:
        """A PDF without an end."""
        yield b"%PDF-1.7\n"
        while True:
            self.sent += MB
            yield b"\0" * MB
            await asyncio.sleep(0)

    @staticmethod
    def claims_to_be(size: int) -> Response:
        """The beginning of a document with this claimed size."""

        async def beginning() -> AsyncIterator[bytes]:
            yield b"%PDF-1.7\n"
            await asyncio.Event().wait()

        return StreamingResponse(beginning(), headers={"Content-Length": str(size)}, media_type="application/pdf")

    @staticmethod
    def sign_in_page() -> Response:
        return HTMLResponse("<!doctype html><title>Sign in</title><script>parent.ran = 'page'</script>")
