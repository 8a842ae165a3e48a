"""The conversations that a deployment of azure-search-openai-demo keeps for a person: its chat_history/cosmosdb.py.

A session is a list of pairs, each a question and a whole response. The deployment keeps it in a batch of Cosmos DB, of
at most 100 operations and 2 MB. An unknown session is an empty one there.
"""

from __future__ import annotations

import json
from typing import Final
from urllib.parse import quote, urlencode

from chat_ui.conversations.records.records import Transcript
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.events import Json
from chat_ui.protocol.reading.json_text import MOST_PARTS, parts_in
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient

PAGE: Final = 20
MOST_PAIRS: Final = 98
MOST_BYTES: Final = 2_000_000
_MOST_IMAGE: Final = 100_000
"""Characters of an address, which may be a data URI."""
_MOST_READ: Final = 8 * 1024 * 1024
_MOST_PARTS: Final = 4 * MOST_PARTS
"""A session of 2 MB has more than `MOST_PARTS` with the commas of its text."""
_SECONDS: Final = 20.0
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
            value: Json = json.loads(probe.body) if parts_in(probe.body) <= _MOST_PARTS else None
        except (ValueError, RecursionError):
            value = None
        if probe.status == expected:
            return value, ""
        if probe.status in (401, 403):
            return None, msg("It did not accept your key. Enter a new one in Backend settings.")
        words = probe.error.message if probe.error else ""
        return None, words or msg("It answered with status {status}.", status=str(probe.status))


def body_of(session: str, transcript: Transcript) -> tuple[bytes, int, str]:
    """A session of the shown pairs without decisions, their number, and the reason if it is too long or too large."""
    ended = {(one.turn, one.number): one.answer for one in transcript.generations if one.ended_at is not None}
    pairs: list[Json] = [
        [turn.question, response_of(answer)]
        for turn in transcript.turns
        if turn.shown and turn.decides is None and (answer := ended.get((turn.id, turn.chosen))) and answer.text.strip()
    ]
    body = json.dumps({"id": session, "answers": pairs}, ensure_ascii=False).encode("utf-8", "replace")
    reason = ""
    if len(pairs) > MOST_PAIRS:
        reason = msg("A conversation there has at most {most} questions. Start a new chat.", most=MOST_PAIRS)
    elif len(body) > MOST_BYTES:
        reason = msg("A conversation there has at most {most} MB. Start a new chat.", most=MOST_BYTES // 1_000_000)
    return body, len(pairs), reason


def response_of(answer: Answer) -> dict[str, Json]:
    """An answer as a response of the deployment, which its own page shows. Large images are left out."""
    points = [(one, _citation(one)) for one in answer.data_points if len(one.image or "") <= _MOST_IMAGE]
    names = {one.id for one, _ in points}
    texts = (
        f"{citation}: {one.text}"
        for one, citation in points
        if one.text and not one.image and (_is_passage(one) or (citation in one.names and citation not in names))
    )
    external: list[Json] = [
        {"id": one.id, "title": one.source, "url": one.url, "snippet": one.text}
        for one, _ in points
        if not one.image and not _is_passage(one)
    ]
    steps = {citation: one.step for one, citation in points if one.step}
    return {
        "output_text": answer.bracketed_text,
        "context": {
            "data_points": {
                "text": [*dict.fromkeys(texts)],
                "images": [one.image for one, _ in points if one.image],
                "citations": [*dict.fromkeys(named for one, named in points if not one.image or one.id == one.source)],
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
