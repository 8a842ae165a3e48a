"""Scripts of a showing: `GET /` gives the operator's, `POST /` reads a file and gives its steps. Nothing is kept."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.presenting.script import MOST_BYTES, Script, ScriptError, parse_script
from chat_ui.processes.pool import TooCostlyError
from chat_ui.processes.uploads import Uploads
from chat_ui.protocol.translatable import msg
from chat_ui.routes.owned import for_person, said
from chat_ui.routes.request_body import bytes_of

_HEADERS: Final = {"Cache-Control": "no-store"}


class ScriptRoutes:
    """The HTTP resources of scripts; `given` is the operator's, if there is one."""

    def __init__(self, given: Script | None, uploads: Uploads) -> None:
        self._given = given
        self._uploads = uploads

    def routes(self) -> list[Route]:
        return [
            Route("/", for_person(self._give), methods=["GET"]),
            Route("/", for_person(self._read), methods=["POST"]),
        ]

    async def _give(self, request: Request, person: str) -> Response:
        del request, person
        if self._given is None:
            return Response(status_code=204, headers=_HEADERS)
        return JSONResponse(self._given.as_json(), headers=_HEADERS)

    async def _read(self, request: Request, person: str) -> Response:
        try:
            async with self._uploads.place():
                data = await bytes_of(request, MOST_BYTES)
                # TOML can be written so that reading it takes long.
                script = await self._uploads.run(person, parse_script, data, weight=len(data))
        except ScriptError as problem:
            return said(problem.args[0], 422)
        except TooCostlyError:
            return said(msg("This file takes too long to read, so it is no script."), 422)
        return JSONResponse(script.as_json(), headers=_HEADERS)
