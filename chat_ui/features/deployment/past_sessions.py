"""The conversations that a deployment of azure-search-openai-demo keeps for a person: its chat_history/cosmosdb.py.

A session is a list of pairs, each a question and a whole response. The deployment keeps it in a batch of Cosmos DB, of
at most 100 operations and 2 MB. An unknown session is an empty one there.
"""

from __future__ import annotations

import json
from operator import itemgetter
from typing import Final
from urllib.parse import quote, urlencode

from chat_ui.conversations.records.records import Transcript
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.json_text import MOST_PARTS, parts_in
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient

PAGE: Final = 20
MOST_PAIRS: Final = 98
MOST_BYTES: Final = 2_000_000
_MOST_IMAGE: Final = 100_000
"""Characters of a data URI."""
_MOST_READ: Final = 8 * 1024 * 1024
_SECONDS: Final = 20.0
_LONGEST_REASON: Final = 300
UNREADABLE: Final = msg("Its answer cannot be read.")


class Sessions:
    """The sessions of `backend`'s deployment at the address `service`. The second result is a problem in words."""

    def __init__(self, client: AsyncClient, backend: Backend, service: str) -> None:
        self._client = client.pinning_for(backend)
        self._headers = backend.headers
        self._service = service

    async def page(self, after: str) -> tuple[Json, str]:
        """A page of the list, newest first, after a token of the page before it; the first if that is empty."""
        # The server reads one of the names, and its own page sends the other.
        tokens = {"continuation_token": after, "continuationToken": after} if after else {}
        return await self._send("GET", f"/sessions?{urlencode({'count': PAGE, **tokens})}", 200)

    async def pairs(self, session: str) -> tuple[list[Json], str]:
        """The pairs of a session; none of an unknown session."""
        value, problem = await self._send("GET", f"/sessions/{quote(session, safe='')}", 200)
        match value:
            case {"answers": [*pairs]}:
                return pairs, ""
        return [], problem or UNREADABLE

    async def delete(self, session: str) -> str:
        """Delete a session; the problem, unless it is gone already."""
        _, problem = await self._send("DELETE", f"/sessions/{quote(session, safe='')}", 204)
        # The server fails to delete an unknown session.
        return problem and (problem if await self.pairs(session) != ([], "") else "")

    async def write(self, body: bytes) -> str:
        """Replace the first pairs of a session by those in the JSON `body`; further ones stay."""
        return (await self._send("POST", "", 201, body))[1]

    async def _send(self, method: str, path: str, expected: int, body: bytes = b"") -> tuple[Json, str]:
        headers = {**self._headers, **({"Content-Type": "application/json"} if body else {})}
        url = f"{self._service}{path}"
        probe = await self._client.probe(method, url, headers, body, _MOST_READ, seconds=_SECONDS)
        try:
            value: Json = json.loads(probe.body) if parts_in(probe.body) <= MOST_PARTS else None
        except (ValueError, RecursionError):
            value = None
        if probe.status == expected:
            return value, ""
        if probe.status in (401, 403):
            return None, msg("It did not accept your key. Enter a new one in Backend settings.")
        match value:
            case {"error": str(error)} if probe.status == 400 and error.strip():
                return None, f"{clean_text(error).strip()[:_LONGEST_REASON].rstrip('.')}."
        words = probe.error.message if probe.error else ""
        return None, words or msg("It answered with status {status}.", status=str(probe.status))


def body_of(session: str, transcript: Transcript) -> tuple[bytes, int, str]:
    """A session of the shown pairs, the number of pairs, and the reason if they are too many or too large."""
    shown = {(turn.id, turn.chosen): turn for turn in transcript.turns if turn.shown}
    pairs = [
        (turn.place, turn.question, one.answer)
        for one in transcript.generations
        if (turn := shown.get((one.turn, one.number))) and one.ended_at is not None and one.answer.text.strip()
    ]
    pairs.sort(key=itemgetter(0))
    answers: list[Json] = [[question, response_of(answer)] for _, question, answer in pairs]
    body = json.dumps({"id": session, "answers": answers}, ensure_ascii=False).encode("utf-8", "replace")
    reason = ""
    if len(pairs) > MOST_PAIRS:
        reason = msg("A conversation there has at most {most} questions. Start a new chat.", most=MOST_PAIRS)
    elif len(body) > MOST_BYTES:
        reason = msg("A conversation there has at most {most} MB. Start a new chat.", most=MOST_BYTES // 1_000_000)
    return body, len(pairs), reason


def response_of(answer: Answer) -> dict[str, Json]:
    """An answer as a response of the deployment, which its own page shows. Large images are left out."""
    texts: dict[str, None] = {}
    images: list[Json] = []
    external: list[Json] = []
    cited: dict[str, None] = {}
    names = {point.id for point in answer.data_points}
    steps = {_citation(point): point.step for point in answer.data_points if point.step}
    for point in answer.data_points:
        citation, is_passage = _citation(point), _is_passage(point)
        if point.image:
            if point.image.startswith("data:") and len(point.image) > _MOST_IMAGE:
                continue
            images.append(point.image)
            if point.id != point.source:
                continue
        elif point.text and (is_passage or (citation in point.names and citation not in names)):
            texts[f"{citation}: {point.text}"] = None
        if not (point.image or is_passage):
            told = {"id": point.id, "title": point.source, "url": point.url, "snippet": point.text}
            external.append({key: value for key, value in told.items() if value})
        cited[citation] = None
    return {
        "output_text": answer.bracketed_text,
        "context": {
            "data_points": {
                "text": [*texts],
                "images": images,
                "citations": [*cited],
                "external_results_metadata": external,
                **({"citation_activity_details": steps} if steps else {}),
            },
            "thoughts": [
                {"title": one.title, "description": one.description, "props": one.props} for one in answer.thoughts
            ],
            "followup_questions": [*answer.followup_questions] or None,
        },
        "session_state": answer.session_state.value if answer.session_state else None,
    }


def _is_passage(point: DataPoint) -> bool:
    """Whether it is a passage of a document: a further one has a number after the name."""
    is_named = point.id == point.source or point.id.startswith(f"{point.source} (")
    return is_named and not point.url and ": " not in point.source and "\n" not in point.source


def _citation(point: DataPoint) -> str:
    if point.url:
        file = point.url.rpartition("/")[2]
        return file if file in point.names else point.url
    return point.source if _is_passage(point) else point.id
