"""Which backend is at a URL: from what a person typed to the description that works.

The order, cheap and harmless first:

1. The places where a backend may answer are listed from the URL's path (`places`): the path itself where it names an
   endpoint (`…/chat`, `…/chat/stream`, `…/conversation`, `…/chat/completions`); otherwise the URL itself and `/chat`,
   `/api/chat`, `/v1/chat/completions`, `/conversation` and `/chat/stream` below it.
2. `OPTIONS` at the first two. An answer that allows POST, or redirects (307, 308) within the origin, settles it.
   Everything else leaves the place open: Fastify answers 404 where only POST is routed, servers of pages answer 200
   everywhere. Who says nothing at two places is not asked in this way about the others.
3. Where more than one place is open, `POST` of `{}` at each: a backend that checks its input refuses it (400, 415,
   422, or 500 where it does not check) and is there, and so is one that asks for a key; 404, 405 and pages rule a place
   out. One that answers even that has answered the one question.
4. `GET` of the list of models beside `…/chat/completions`, where none was named.
5. One question, streamed, at the surest place. What its refusal names as missing (`context`, `input`, `model`: from
   `GET /api/tags` for Ollama) is put in and the question sent again, since no model has answered it. After an answer,
   and after a refusal that has nothing to do with the request's form, no other question is sent.

The answer tells the dialect; place, dialect, refusals and what only one backend sends tell which known one it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from urllib.parse import urljoin, urlsplit, urlunsplit

from chat_ui.protocol.answer import Answer, AnswerBuilder
from chat_ui.protocol.backend import Backend, attempts
from chat_ui.protocol.backend_traits import kind_of
from chat_ui.protocol.client import Client
from chat_ui.protocol.credentials import url_without_secrets
from chat_ui.protocol.events import DialectSeen, ErrorInfo, Event, Failed, JsonObject, ObjectSeen, Timing, Warning  # noqa: A004
from chat_ui.protocol.known_backends import KNOWN_BACKENDS, described
from chat_ui.protocol.probe import Probe, answer_in
from chat_ui.protocol.request import ChatRequest, Message
from chat_ui.protocol.wire import WireRecord, WireRecorder

Record: TypeAlias = Callable[[Backend], WireRecorder]
"""Gives the recorder of a question that is about to be sent to a backend."""
QUESTION: Final = ChatRequest((Message("user", "Hello"),))
MAX_QUESTIONS: Final = 3
"""Questions that are sent at most; at most one of them is answered, the others were refused."""

_MOST_OPTIONS: Final = 2
_BELOW: Final = ("/chat", "/api/chat", "/v1/chat/completions", "/conversation", "/chat/stream")
_NAMES_ENDPOINT: Final = ("/chat", "/completions", "/conversation", "/responses")
_AZURE_DEPLOYMENT = re.compile(r"/openai/deployments/[^/]+\Z")
_ABSENT: Final = frozenset({404, 405, 410, 501})
_REFUSALS: Final = frozenset({400, 404, 415, 422, 500})
_MISSES_CONTEXT = re.compile(r"\b(?:context|overrides)\b(?!.{0,20}length)")
_MISSES_INPUT = re.compile(r"\binput\b(?! should)")
_NOT_A_BACKEND: Final = frozenset(
    {"unreachable", "tls", "address_refused", "not_http", "html_page", "redirect", "empty_answer"}
)


@dataclass(frozen=True, slots=True)
class Tried:
    """One request of a detection and what it `told`, in words; `status` is None where no answer came. No credential
    that stands in the `url` is kept.
    """

    method: str
    url: str
    status: int | None
    told: str

    def __post_init__(self) -> None:
        """Take credentials out of the address."""
        object.__setattr__(self, "url", url_without_secrets(self.url))


@dataclass(frozen=True, slots=True)
class Detection:
    """What was found.

    `backend` is the description that works, None where no backend was found; `kind` its name in `KNOWN_BACKENDS`, None
    where it is none of them. `answer` is what the question got, `wire` how that came. `error` says why there is no
    backend, or what is wrong with the one that is there (a wrong key, a rate limit). `models` are those that the server
    lists. `tried` is every request, in order.
    """

    backend: Backend | None
    kind: str | None
    answer: Answer | None
    wire: WireRecord | None
    error: ErrorInfo | None
    models: tuple[str, ...]
    tried: tuple[Tried, ...]


def places(url: str) -> tuple[str, ...]:
    """Where a backend may answer whose URL was given as `url`, likeliest first."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/").removesuffix("/stream").rstrip("/")
    if path.endswith(_NAMES_ENDPOINT):
        paths = [path]
    elif _AZURE_DEPLOYMENT.search(path):
        paths = [path + "/chat/completions"]
    elif path.endswith("/v1"):
        paths = [path + "/chat/completions", path + "/chat", path]
    elif path.endswith("/api"):
        paths = [path + "/chat", path]
    elif path:
        paths = [path, *(path + below for below in _BELOW)]
    else:
        paths = [*_BELOW, "/"]
    return tuple(urlunsplit(parts._replace(path=place)) for place in paths)


async def detect(
    client: Client,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    model: str | None = None,
    extra_body: JsonObject | None = None,
    question: ChatRequest = QUESTION,
    max_requests: int = 16,
    record: Record = lambda _: WireRecorder(),
    on_request: Callable[[str, str], None] | None = None,
    take: Callable[[Event], None] = lambda _: None,
) -> Detection:
    """Find the backend at `url`, as `parse_backend_url` returns it.

    `headers` go with every request, `model` is named where one has to be, `extra_body` is merged into the body of the
    question, `question` is the one that is asked, at most `max_requests` requests are sent, `record` gives the recorder
    of each question, `on_request` is told method and URL of each request before it goes, and `take` gets the events of
    the question that is answered. Nothing that the network does raises.
    """
    announce = on_request or (lambda *_: None)
    asked = Backend(url, headers=dict(headers or {}), model=model, extra_body=dict(extra_body or {}))
    search = _Search(client, asked, max_requests, on_request=announce, record=record, take=take)
    return await search.run(question)


def may_be_elsewhere(answer: Answer) -> bool:
    """Whether a question that got `answer` was refused for its place or its form, so that `detect` may find better."""
    error = answer.error
    if error is None or answer.text.strip():
        return False
    said = error.message.lower()
    names_missing = _MISSES_CONTEXT.search(said) or _MISSES_INPUT.search(said) or "model" in said
    return error.status in {404, 405} or (error.status in {400, 422} and bool(names_missing))


async def hear(
    client: Client, backend: Backend, question: ChatRequest, recorder: WireRecorder, take: Callable[[Event], None]
) -> tuple[Answer, list[Event]]:
    """The answer to `question`, whose events `take` gets as they arrive; where it is nothing but a refusal, they are
    kept back and returned with it.
    """
    builder = AnswerBuilder(backend.headers)
    held: list[Event] = []
    refused = True
    async with aclosing(client.stream(backend, question, recorder)) as events:
        async for event in events:
            builder.add(event)
            if refused and isinstance(event, Failed | Warning | DialectSeen | ObjectSeen | Timing):
                held.append(event)
                continue
            refused = False
            for one in (*held, event):
                take(one)
            held.clear()
    builder.close()
    return builder.answer(), held


class _Search:
    def __init__(
        self,
        client: Client,
        asked: Backend,
        max_requests: int,
        *,
        on_request: Callable[[str, str], None],
        record: Record,
        take: Callable[[Event], None],
    ) -> None:
        self._client = client
        self._asked = asked
        self._left = max_requests
        self._on_request = on_request
        self._record = record
        self._take = take
        self._models: tuple[str, ...] = ()
        self._tried: list[Tried] = []
        self._unreachable: ErrorInfo | None = None

    async def run(self, question: ChatRequest) -> Detection:
        url = self._asked.url
        open_places = places(url)
        settled = await self._settled(open_places)
        if self._unreachable is not None:
            return self._nothing(self._unreachable)
        if settled is None and len(open_places) > 1:
            for place in open_places:
                probe = await self._post_nothing(place)
                if probe is None:
                    continue
                answer = await answer_in(probe.body) if probe.status == 200 else None
                if answer is not None:
                    return self._found(self._described(place), answer, None)
                settled = place
                break
            else:
                words = f"No chat backend answers at {url}. Check the path of the address, such as {open_places[0]}."
                return self._nothing(ErrorInfo(words, code="not_found"))
        return await self._ask(settled or open_places[0], question)

    async def _settled(self, open_places: tuple[str, ...]) -> str | None:
        """The place whose methods say that it takes POST."""
        for place in open_places[:_MOST_OPTIONS]:
            probe = await self._probe("OPTIONS", place)
            if probe is None:
                return None
            if probe.status is None:
                self._unreachable = probe.error
                self._note(probe, probe.error.message if probe.error else "no answer")
                return None
            moved = _moved(probe)
            if moved is not None:
                self._note(probe, f"moved to {moved}")
                return moved
            if probe.allows_post:
                self._note(probe, "takes POST")
                return place
            self._note(probe, "leaves it open")
        return None

    async def _post_nothing(self, place: str) -> Probe | None:
        """The answer to an empty body of a backend that is at `place`; None where none is."""
        probe = await self._probe("POST", place, b"{}")
        if probe is None:
            return None
        # Flask and Express word even a 500 as a page, so only other pages say that no backend is there.
        is_page = probe.is_page and probe.status != 500
        if probe.status is None or probe.status in _ABSENT or probe.status in range(300, 400) or is_page:
            self._note(probe, "an HTML page" if is_page else "not there")
            return None
        self._note(probe, "answered" if probe.status == 200 else "refused the empty body, so it is there")
        return probe

    async def _ask(self, place: str, question: ChatRequest) -> Detection:
        backend = self._described(place)
        if urlsplit(place).path.endswith("/chat/completions") and "/openai/deployments/" not in place:
            await self._list_models(place.replace("/chat/completions", "/models"))
            backend = self._with_model(backend)
        answer, wire = Answer(), None
        for _ in range(MAX_QUESTIONS):
            if self._left < len(attempts(backend)):
                break
            recorder = self._record(backend)
            self._on_request("POST", attempts(backend)[0].url)
            answer, _ = await hear(self._client, backend, question, recorder, self._take)
            wire = recorder.record()
            self._left -= len(wire.tried) + 1
            self._note_question(answer, wire)
            backend = _as_it_went(backend, wire)
            changed = await self._changed(backend, answer)
            if changed is None:
                break
            backend = changed
        if wire is None:
            words = f"Something answers at {place}, but no request was left to ask it. Enter its whole address."
            return self._nothing(ErrorInfo(words, code="not_asked"))
        return self._found(backend, answer, wire)

    def _described(self, place: str) -> Backend:
        asked = self._asked
        return replace(described(place), headers=asked.headers, model=asked.model, extra_body=asked.extra_body)

    async def _changed(self, backend: Backend, answer: Answer) -> Backend | None:
        """`backend` as the refusal in `answer` asks for it; None where it asks for nothing that can be done."""
        error = answer.error
        if error is None or answer.text.strip() or error.status not in _REFUSALS:
            return None
        said, asked = error.message.lower(), backend
        if "model" in said and not backend.model and not self._models:
            parts = urlsplit(backend.url)
            await self._list_models(urlunsplit(parts._replace(path="/api/tags", query="")))
            named = self._with_model(backend)
            return named if named.model else None
        if _MISSES_CONTEXT.search(said):
            backend = replace(backend, requires_context=True)
        if _MISSES_INPUT.search(said) or (error.status == 500 and backend.messages_key == "messages"):
            backend = replace(backend, messages_key="input")
        return backend if backend != asked else None

    async def _list_models(self, url: str) -> None:
        probe = await self._probe("GET", url)
        if probe is None:
            return
        self._models = _models_in(probe)
        count = len(self._models)
        self._note(probe, f"lists {count} model{'' if count == 1 else 's'}" if count else "lists no models")

    def _with_model(self, backend: Backend) -> Backend:
        return replace(backend, model=backend.model or (self._models[0] if self._models else None))

    async def _probe(self, method: str, url: str, body: bytes = b"") -> Probe | None:
        """What the request gets; None where no more requests may be sent."""
        if self._left <= 0:
            return None
        self._left -= 1
        self._on_request(method, url)
        headers = {"Accept": "application/json", **self._asked.headers}
        if body:
            headers["Content-Type"] = "application/json"
        return await self._client.probe(method, url, headers, body)

    def _note(self, probe: Probe, told: str) -> None:
        self._tried.append(Tried(probe.method, probe.url, probe.status, told))

    def _note_question(self, answer: Answer, wire: WireRecord) -> None:
        self._tried += [Tried("POST", url, status, "not there") for url, status in wire.tried]
        told = answer.error.message if answer.error else f"answered in the dialect {answer.dialect or 'unknown'}"
        self._tried.append(Tried("POST", wire.url, wire.status, told))

    def _found(self, backend: Backend, answer: Answer, wire: WireRecord | None) -> Detection:
        error = answer.error
        if error is not None and not answer.text and (error.code in _NOT_A_BACKEND or error.status in {404, 405}):
            return replace(self._nothing(error), answer=answer, wire=wire)
        kind = kind_of(backend, answer, wire)
        if kind is not None:
            template = KNOWN_BACKENDS[kind].template
            backend = replace(
                template,
                url=backend.url,
                headers=backend.headers,
                model=backend.model,
                extra_body=backend.extra_body,
                streaming=backend.streaming if template.streaming == "auto" else template.streaming,
            )
        return Detection(backend, kind, answer, wire, error, self._models, tuple(self._tried))

    def _nothing(self, error: ErrorInfo) -> Detection:
        return Detection(None, None, None, None, error, self._models, tuple(self._tried))


def _as_it_went(backend: Backend, wire: WireRecord | None) -> Backend:
    """`backend` with the way of asking for a stream that worked."""
    if wire is None or backend.streaming != "auto":
        return backend
    by_path = urlsplit(wire.url).path.rstrip("/").endswith("/stream")
    return replace(backend, streaming="path" if by_path else "body")


def _moved(probe: Probe) -> str | None:
    """Where a redirect within the origin leads."""
    location = probe.headers.get("location", "")
    if probe.status not in {307, 308} or not location:
        return None
    target = urljoin(probe.url, location)
    return target if urlsplit(target)[:2] == urlsplit(probe.url)[:2] else None


def _models_in(probe: Probe) -> tuple[str, ...]:
    try:
        value = json.loads(probe.body)
    except (ValueError, RecursionError):
        return ()
    listed = (value.get("data") or value.get("models")) if isinstance(value, Mapping) else None
    if probe.status != 200 or not isinstance(listed, list):
        return ()
    named = [entry.get("id") or entry.get("name") for entry in listed if isinstance(entry, Mapping)]
    return tuple(name for name in named if isinstance(name, str) and name)
