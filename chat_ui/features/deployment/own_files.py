"""A person's own files in a deployment, which only that person can search.

The service is that of azure-search-openai-demo: `POST upload`, `GET list_uploaded` and `POST delete_uploaded`. It
replaces a file of the same name, and indexes a file before it answers.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, Final
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chat_ui.backends.backends import Backends
from chat_ui.backends.offer import backend_name
from chat_ui.backends.profile import Profile
from chat_ui.page.routes.owned import NO_STORE, text_response
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.detection.advice import Advice
from chat_ui.protocol.translatable import Translatable, msg, size_in_words
from chat_ui.protocol.transport.probe import Probe, send_probe
from chat_ui.server.processes.caller import while_served

_AT_ONCE: Final = 2
"""Simultaneous uploads of a person; further ones wait."""
_MOST_NAMES: Final = 1000
_MOST_BYTES: Final = 1024 * 1024
"""Bytes of an answer."""
_SECONDS: Final = 60.0
"""Seconds for an answer, and for each piece of an upload."""
_INDEX_SECONDS: Final = 250.0
"""Seconds for the answer after the whole file; the sample's server gives up after 230."""
_LONGEST_REASON: Final = 300
_REFUSED: Final = 422
"""The status of refusals by the service; a proxy replaces the words of a 5xx."""
_WORDS: Final = {
    401: msg("{backend} did not accept your token. Enter a new token in Backend settings, then try again."),
    408: msg("The file took too long to arrive at {backend}. Try a smaller one."),
    413: msg("{backend} does not take files of this size."),
}
_SIGN_IN: Final = msg("{backend} stores files only for people who signed in. Sign in, or reload this page.")
_NO_TOKEN: Final = msg("{backend} stores files only for people with a token. Enter yours in Backend settings first.")
_SHARED: Final = msg("All people here use {backend} with the same key, so your files there would not be private.")


def clean_name(name: str) -> str:
    """The last part of a path, without control characters; empty if unusable."""
    last = re.sub(r"[\t\n]", "", clean_text(re.split(r"[/\\]", name)[-1])).strip()
    return "" if last in {".", ".."} else last


def has_own_token(profile: Profile | None, backend: Backend) -> bool:
    """Whether the backend of `profile` is asked with a bearer token of the person, not with one of the operator."""
    token = backend.headers.get("Authorization", "")
    is_own = profile is not None and profile.credential is None and token not in profile.headers.values()
    return is_own and token.startswith("Bearer ")


class OwnFiles:
    """The files of people in the deployments behind their `backends`; each has at most `most_bytes`."""

    def __init__(self, backends: Backends, most_bytes: int) -> None:
        self._backends = backends
        self._most = most_bytes
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def names(self, _request: Request, person: str, backend: Backend, advice: Advice) -> Response:
        """The names of the files, at most 1,000, and the bytes that an upload may have."""
        problem, listed = await self._ask(person, backend, advice, "list_uploaded")
        if problem:
            return text_response(problem, _REFUSED)
        if not isinstance(listed, list):
            return Response(status_code=502, headers=NO_STORE)
        names = dict.fromkeys(clean_text(name) for name in listed if isinstance(name, str))
        return JSONResponse({"names": [*names][:_MOST_NAMES], "most": self._most}, headers=NO_STORE)

    async def delete(self, request: Request, person: str, backend: Backend, advice: Advice) -> Response:
        """Delete the file `name`."""
        body = json.dumps({"filename": request.query_params.get("name", "")}).encode()
        headers = {"Content-Type": "application/json"}
        problem, _ = await self._ask(person, backend, advice, "delete_uploaded", headers=headers, body=body)
        return text_response(problem, _REFUSED) if problem else Response(status_code=204)

    async def take(self, request: Request, person: str, backend: Backend, advice: Advice) -> Response:
        """Pass the body on as the file `name`, while it arrives.

        Raises:
            ClientDisconnect: the browser has left, and the connection to the service is closed.
        """
        name, length = clean_name(request.query_params.get("name", "")), request.headers.get("content-length", "")
        # With both headers, a body has any length (RFC 9112, 6.3).
        is_known = length.isdecimal() and "transfer-encoding" not in request.headers
        if not name or not is_known or not int(length):
            return text_response(msg("A file needs a name and content. Choose another one."), 400)
        if int(length) > self._most:
            words = msg("{name} is larger than {most}, the limit here.", name=name, most=size_in_words(self._most))
            return text_response(words, 413)
        mark, named = secrets.token_hex(16), name.replace('"', "%22")
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{named}"\r\n\r\n'.encode()
        tail = f"\r\n--{mark}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={mark}",
            "Content-Length": str(len(head) + int(length) + len(tail)),
        }
        late, now = _WORDS[408], asyncio.get_running_loop().time
        try:
            async with (
                self._turns.setdefault(person, asyncio.Semaphore(_AT_ONCE)),
                asyncio.timeout(_SECONDS) as until,
                AsyncExitStack() as indexing,
            ):

                async def arriving() -> AsyncIterator[bytes]:
                    async for piece in request.stream():
                        until.reschedule(now() + _SECONDS)
                        yield piece

                pieces = arriving()

                async def form() -> AsyncIterator[bytes]:
                    nonlocal late
                    yield head
                    async for piece in pieces:
                        yield piece
                    yield tail
                    late = msg("{backend} is still indexing {name}. Look at the list in a few minutes.")
                    until.reschedule(now() + _INDEX_SECONDS)
                    await indexing.enter_async_context(while_served())

                problem, _ = await self._ask(
                    person, backend, advice, "upload", headers=headers, body=form(), seconds=math.inf
                )
                # A browser reads no response before it has sent everything.
                async for _ in pieces:
                    pass
        except TimeoutError:
            problem = late.filled_with(backend=backend_name(backend.memory), name=name)
        return text_response(problem, _REFUSED) if problem else Response(status_code=204)

    async def _ask(
        self,
        person: str,
        backend: Backend,
        advice: Advice,
        route: str,
        *,
        headers: dict[str, str] | None = None,
        body: bytes | AsyncIterator[bytes] = b"",
        seconds: float = _SECONDS,
    ) -> tuple[str, Any]:
        """The problem in words, empty for a success, and the JSON of the answer."""
        name, profile = backend_name(backend.memory), self._backends.offer.remembered_profile(backend.memory)
        passes_token = profile is not None and profile.pass_token
        if "files" not in advice.services:
            return msg("{backend} does not store files.", backend=name), None
        if not has_own_token(profile, backend):
            is_shared = profile is not None and (profile.credential is not None or "Authorization" in profile.headers)
            words = _SIGN_IN if passes_token else _SHARED if is_shared else _NO_TOKEN
            return words.filled_with(backend=name), None
        probe = await send_probe(
            self._backends.client.for_person(person).pinning_for(backend).http,
            Bounds(first_byte_timeout=seconds),
            "POST" if body else "GET",
            advice.services["files"] + route,
            headers={**backend.headers, **(headers or {})},
            body=body,
            most=_MOST_BYTES,
        )
        return _problem(name, probe, _SIGN_IN if passes_token else _WORDS[401]), _json(probe)


def _problem(backend: str, probe: Probe, not_accepted: Translatable) -> str:
    """The reason of a failure in the words of the service or this page; empty for a success."""
    if probe.error is not None:
        return probe.error.message
    if probe.status in range(200, 300) and not probe.is_page:
        return ""
    if words := not_accepted if probe.status in {401, 403} else _WORDS.get(probe.status or 0):
        return words.filled_with(backend=backend)
    told = _json(probe)
    reason = told.get("message") if isinstance(told, dict) else None
    if isinstance(reason, str) and (reason := clean_text(reason).strip()[:_LONGEST_REASON]):
        return msg("{backend} answered: {reason}", backend=backend, reason=reason)
    status = str(probe.status)
    return msg("{backend} failed with status {status}. Try again later.", backend=backend, status=status)


def _json(probe: Probe) -> Any:
    try:
        return json.loads(probe.body)
    except (ValueError, RecursionError):
        return None
