"""A host of images for answers, with failures."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\x06\0\0\0\x1f\x15\xc4\x89"
    b"\0\0\0\rIDATx\xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82"
)


class Pictures:
    """Notes every request in `requests`, by path, with its headers."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[tuple[str, Mapping[str, str]]] = []
        self.app = Starlette(routes=[Route("/{name:path}", self._give)])

    async def _give(self, request: Request) -> Response:
        name = request.path_params["name"]
        self.requests.append((name, dict(request.headers)))
        match name:
            case "page":
                return PlainTextResponse("<script>alert(1)</script>", media_type="image/png")
            case "drawing.svg":
                return Response(b"<svg xmlns='http://www.w3.org/2000/svg'/>", media_type="image/svg+xml")
            case "endless":
                return StreamingResponse(self._endless(), media_type="image/png")
            case "elsewhere":
                return RedirectResponse(f"http://localhost:{request.url.port}/dot.png")
            case "moved":
                return RedirectResponse("/dot.png")
            case "gone":
                return PlainTextResponse("<b>a stack trace</b>", status_code=404)
            case "damaged":
                return Response(PNG[:40], media_type="image/png")
            case _:
                return Response(PNG, media_type="text/html", headers={"Set-Cookie": "seen=you; Path=/"})

    @staticmethod
    async def _endless() -> AsyncIterator[bytes]:
        yield PNG
        while True:
            yield bytes(1_000_000)
            await asyncio.sleep(0)
