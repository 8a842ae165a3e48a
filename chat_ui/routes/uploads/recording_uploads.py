"""Recordings of one person: `POST /` takes a file as its body, checks it and tells its id, and `GET /ID?name=NAME`
gives a recording of theirs to download.

A file is written to disk as it comes and read in a process of its own before it is taken, as a stranger may have made
it. What is refused answers words for the person.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.processes.uploads import Uploads
from chat_ui.profiles.recorded_profile import check_recording
from chat_ui.profiles.recording_files import RecordingFiles
from chat_ui.protocol.translatable import msg
from chat_ui.recordings.recording_format import RecordingError
from chat_ui.routes.owned import Turns, for_person, said
from chat_ui.routes.request_body import save
from chat_ui.routes.uploads.refusals import REFUSALS, refused

UPLOAD_SECONDS: Final = 300.0
"""Seconds within which a file has to arrive."""
_UNSAFE_IN_A_NAME: Final = re.compile(r"[^\w.,()-]+")


class RecordingRoutes:
    """The recordings in `files`, which are read in `uploads`; none is taken unless `may_drop`."""

    def __init__(self, files: RecordingFiles, uploads: Uploads, *, may_drop: bool) -> None:
        self._files = files
        self._uploads = uploads
        self._may_drop = may_drop
        self._turns = Turns()

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        taken = for_person(self._turns.one_at_a_time(self._take))
        return [
            Route("/", taken, methods=["POST"]),
            Route("/{recording}", for_person(self._give), methods=["GET"]),
        ]

    async def _take(self, request: Request, person: str) -> Response:
        if not self._may_drop:
            return said(msg("This page's backends are chosen by whoever runs it, so no recording is taken."), 403)
        try:
            new_id, path = await asyncio.to_thread(self._files.new, person, is_sent=True)
        except RecordingError as problem:
            return said(str(problem), 507)
        except OSError as error:
            return refused(error, self._files.file_bytes)
        try:
            return await self._taken(request, person, new_id, path)
        except RecordingError as problem:
            return said(str(problem), 415)
        except REFUSALS as error:
            return refused(error, self._files.file_bytes)
        finally:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    async def _taken(self, request: Request, person: str, new_id: str, path: Path) -> Response:
        async with self._uploads.place():
            async with asyncio.timeout(UPLOAD_SECONDS):
                size = await save(request, path, self._files.file_bytes)
            await self._uploads.run(person, check_recording, str(path), weight=size)
        self._files.finish(path)
        return JSONResponse({"id": new_id}, status_code=201)

    async def _give(self, request: Request, person: str) -> Response:
        path = await asyncio.to_thread(self._files.find, person, request.path_params["recording"])
        if path is None:
            return said(msg("There is no such recording, or not any more."), 404)
        name = _UNSAFE_IN_A_NAME.sub(" ", request.query_params.get("name", "")).strip(" .-")[:80] or "recording"
        return FileResponse(
            path,
            media_type="application/jsonl",
            headers={
                "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}.jsonl",
                "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
            },
        )
