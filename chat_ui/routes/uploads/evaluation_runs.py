"""Evaluations of one person.

`POST /?name=NAME` takes a file of questions as its body and tells the id of its evaluation. `GET /ID/report` is its
report, compared with the evaluation `against=ID` if there is one, in the `scheme` light or dark if that is given, and
to be downloaded with `as=file`; `GET /ID/results` are its results as JSON Lines. What is refused answers words for the
person.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from chat_ui.conversations.people.person_folders import deleted_if_failing
from chat_ui.evaluation.people.evaluations import DAMAGED, Evaluations
from chat_ui.evaluation.people.person_runs import SENT, SET_BYTES, EvaluationError, KeptRun
from chat_ui.evaluation.people.question_sets import take_file
from chat_ui.evaluation.question_file import QuestionsError
from chat_ui.evaluation.question_set import CSV
from chat_ui.evaluation.report.report import report_policy
from chat_ui.evaluation.run_folder import RunFolderError
from chat_ui.languages.translation import gettext
from chat_ui.processes.pool import TooCostlyError
from chat_ui.processes.uploads import Uploads
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.exported_page.page_document import Look
from chat_ui.routes.owned import Turns, for_person, said
from chat_ui.routes.request_body import save
from chat_ui.routes.uploads.refusals import REFUSALS, refused

logger = logging.getLogger(__name__)

UPLOAD_SECONDS: Final = 120.0
"""Seconds within which a file has to arrive."""
_BOUND: Final = "; sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""Of every report: it has no origin, so not even a script of its own could act as the person."""
_SCHEMES: Final = frozenset({"light", "dark"})
_NONE: Final = msg("There are no such questions, or not any more.")
_UNSAFE_IN_A_NAME: Final = re.compile(r"[^\w.,()-]+")


class EvaluationRoutes:
    """The `evaluations` of people, whose files are read in `uploads`; their reports have this `look`. Pages of
    `frame_ancestors` may have ours in a frame.
    """

    def __init__(
        self, evaluations: Evaluations, uploads: Uploads, look: Look, frame_ancestors: Sequence[str] = ()
    ) -> None:
        self._evaluations = evaluations
        self._uploads = uploads
        self._look = look
        framing = " ".join(["'self'", *frame_ancestors])
        self._bound = f"frame-ancestors {framing}{_BOUND}"
        self._taking, self._reporting = Turns(), Turns()

    def routes(self) -> list[Route]:
        """The routes, to be mounted under one path."""
        return [
            Route("/", for_person(self._taking.one_at_a_time(self._take)), methods=["POST"]),
            Route("/{run}/report", for_person(self._reporting.one_at_a_time(self._report)), methods=["GET"]),
            Route("/{run}/results", for_person(self._results), methods=["GET"]),
        ]

    async def _take(self, request: Request, person: str) -> Response:
        try:
            new_id, folder = await self._evaluations.new(person)
        except EvaluationError as problem:
            return said(str(problem), 507)
        except OSError as error:
            return refused(error, SET_BYTES)
        try:
            with deleted_if_failing(folder):
                await self._taken(request, person, folder)
        except (EvaluationError, QuestionsError) as problem:
            return said(str(problem.args[0]), 415)
        except REFUSALS as error:
            return refused(error, SET_BYTES)
        return JSONResponse({"id": new_id}, status_code=201)

    async def _taken(self, request: Request, person: str, folder: Path) -> None:
        name = PurePath(request.query_params.get("name", "")).name
        sent = folder / SENT
        take = partial(take_file, is_csv=PurePath(name).suffix.lower() in CSV)
        async with self._uploads.place():
            async with asyncio.timeout(UPLOAD_SECONDS):
                size = await save(request, sent, SET_BYTES)
            await self._uploads.run(person, take, folder, name, weight=size)
        sent.unlink(missing_ok=True)

    async def _report(self, request: Request, person: str) -> Response:
        found = await self._evaluations.find(person, request.path_params["run"])
        other = request.query_params.get("against", "")
        against = await self._evaluations.find(person, other)
        if found is None or (other and against is None):
            return said(_NONE, 404)
        if not found.done:
            return said(msg("No question is answered yet."), 404)
        if against is not None and not against.done:
            against = None
        scheme = request.query_params.get("scheme", "")
        look = replace(self._look, scheme=scheme if scheme in _SCHEMES else "")
        try:
            path = await self._evaluations.report(person, found, against, look)
        except RunFolderError:
            return said(DAMAGED, 422)
        except TooCostlyError:
            return said(msg("This report takes too long to write. The file of results has everything."), 422)
        except OSError as error:
            logger.warning("a report cannot be written: %s", error.strerror)
            return said(
                msg(
                    "This report cannot be written: this page's server cannot write to its disk, which may be full. "
                    "The results can be downloaded."
                ),
                507,
            )
        headers = {
            "Cache-Control": "no-store",
            "Content-Security-Policy": f"{report_policy(look)}; {self._bound}",
            # A document without an origin has none to share with others.
            "Cross-Origin-Opener-Policy": "unsafe-none",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }
        if request.query_params.get("as") == "file":
            headers["Content-Disposition"] = _download(found, gettext("Evaluation"), "html")
        return FileResponse(path, media_type="text/html", headers=headers)

    async def _results(self, request: Request, person: str) -> Response:
        found = await self._evaluations.find(person, request.path_params["run"])
        if found is None or not found.done:
            return said(_NONE, 404)
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": _download(found, gettext("Results"), "jsonl"),
            "X-Content-Type-Options": "nosniff",
        }
        return FileResponse(found.results, media_type="application/jsonl", headers=headers)


def _download(kept: KeptRun, what: str, ending: str) -> str:
    about = PurePath(kept.about.name)
    name = about.stem if about.suffix.lower() in (*CSV, ".jsonl", ".json", ".txt") else kept.about.name
    safe = _UNSAFE_IN_A_NAME.sub(" ", f"{name} - {what}").strip(" .-")[:80]
    return f"attachment; filename*=UTF-8''{quote(safe)}.{ending}"
