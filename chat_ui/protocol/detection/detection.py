"""Finding the backend at a URL: from a typed address to a working description.

Detection finds a place and a form. The question is asked there, once, and its reply is shown (`question`); the response
to a probe is never an answer. The order, cheap and harmless first:

1. The possible places of a backend are listed from the URL's path (`places`): the path itself if it is an endpoint of
   one of the families of dialects (`registry.ENDINGS`); otherwise the URL itself and their places below it
   (`registry.PLACES`). The same below the server's root come last.
2. `OPTIONS` at the first two places. An answer that allows POST, or redirects (307, 308) within the origin, settles
   the place. Every other answer leaves it open: Fastify answers 404 where only POST is routed, servers of pages answer
   200 everywhere.
3. `GET` of documents in which a server describes its backend (`registry.CARDS`), at its root, or at the URL if that is
   one: the place in it must be of the same origin.
4. If several places are open, `POST` of `{}` at each; at a path of the URL, before step 3. A backend is there if it
   refuses the body (400, 415, 422; 500 from a backend that checks nothing), asks for a key, or even answers; 404, 405
   and pages rule a place out. The words of a refusal may name the form of the question.
5. `GET` of the list of models beside `…/chat/completions` and `…/responses`, unless a model was named.
6. The question, streamed, at the likeliest place; if it is missing, at the next.

The answer shows the dialect. Place, dialect, refusals and peculiarities of the answer identify a known backend.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import httpx2

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message, configured_like
from chat_ui.protocol.backends.request import secrets_of
from chat_ui.protocol.detection.question import (
    OF_LANGGRAPH,
    OF_OPENAI,
    REFUSALS,
    SAYS_ABSENT,
    Question,
    is_of_json_rpc,
    wanted_by,
)
from chat_ui.protocol.detection.requests import ABSENT, Record, Requests, SentRequest
from chat_ui.protocol.dialects.family import ROOT
from chat_ui.protocol.dialects.objects import read_json
from chat_ui.protocol.dialects.registry import CARDS, PLACES, described, endpoint_below, known_at, template_at
from chat_ui.protocol.dialects.reported_errors import page_title, plain_words
from chat_ui.protocol.events import ErrorInfo, JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.protocol.transport.http_errors import OTHER_FORMAT, http_error
from chat_ui.protocol.transport.learnt import identified
from chat_ui.protocol.transport.outgoing import KEEP_METHOD, target_within_origin
from chat_ui.protocol.transport.probe import Probe
from chat_ui.protocol.transport.recorder import ResponseRecord, ResponseRecorder

QUESTION: Final = ChatRequest((Message("user", "Hello"),))
MAX_REQUESTS: Final = 30
"""Requests of a search that no caller bounds: enough for every place below a path and at the root, and a question."""
SEARCH_SECONDS: Final = 60
"""Seconds that a search waits for all of its requests together, without the questions."""
_MOST_OPTIONS: Final = 2
_PAGE_BEGINS: Final = 512
"""Bytes that are read of an answer to an empty body, without waiting for a model's whole answer."""
_AT_CHATKIT: Final = "/chatkit"
"""The path below a URL where a refusal reveals ChatKit's server."""
_NOT_A_BACKEND: Final = frozenset(
    {"unreachable", "tls", "address_refused", "not_http", "html_page", "redirect", "empty_answer", OTHER_FORMAT}
)


@dataclass(frozen=True, slots=True)
class Detection:
    """The result of a search.

    `backend` is the working description, None if the search failed; `known_backend` its name in `KNOWN_BACKENDS`, else
    None. `answer` is the answer to the question, and `response` its record. `error` explains a failed search, or a
    fault of the found backend (a wrong key, a rate limit). `models` are those that the server lists. `requests` are all
    that were sent, in order.
    """

    backend: Backend | None
    known_backend: str | None
    answer: Answer | None
    response: ResponseRecord | None
    error: ErrorInfo | None
    models: tuple[str, ...]
    requests: tuple[SentRequest, ...]


def places(url: str) -> tuple[str, ...]:
    """The places at which the backend of `url` may answer, likeliest first."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/").removesuffix("/stream").rstrip("/")
    if template_at(path) is not None:
        paths = [path]
    elif (endpoint := endpoint_below(path)) is not None:
        paths = [endpoint]
    elif path.endswith("/v1"):
        paths = [path + "/chat/completions", path + "/responses", path + "/chat", path]
    elif path.endswith("/api"):
        paths = [path + "/chat", path, path + "/responses", path + "/agui"]
    elif path:
        paths = [path, *(path + below for below in PLACES if below != ROOT)]
    else:
        paths = list(PLACES)
    return tuple(urlunsplit(parts._replace(path=place)) for place in paths)


async def detect(
    client: AsyncClient,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    model: str | None = None,
    stream: bool = True,
    extra_body: JsonObject | None = None,
    question: ChatRequest = QUESTION,
    max_requests: int = MAX_REQUESTS,
    record: Record = lambda _: ResponseRecorder(),
    on_request: Callable[[str, str], None] | None = None,
) -> Detection:
    """Find the backend at `url`, as `parse_backend_url` returns it, and ask it `question`.

    `headers` go with every request, `model` is named if one is needed, and `extra_body` is merged into the body of the
    question. `stream` asks for a stream. At most `max_requests` requests are sent. `record` gives the recorder of each
    question, and `on_request` gets method and URL of each request before it is sent. The network raises nothing.
    """
    asked = Backend(url, stream=stream, headers=dict(headers or {}), model=model, extra_body=dict(extra_body or {}))
    requests = Requests(client, asked.headers, most=max_requests, seconds=SEARCH_SECONDS, on_request=on_request)
    builder = AnswerBuilder(secrets_of(asked, question.overrides))
    asking = Question(requests, question, record=record, on_event=builder.add)
    search = Search(requests, asked)
    reply, refusals = await asking.ask_first_present(search.backends(asking))
    told = (refusal for refusal in refusals if refusal.status not in ABSENT and not is_of_json_rpc(refusal))
    shown = reply or next(told, None)
    if shown is None:
        found = Detection(None, None, None, None, search.error, (), ())
    else:
        builder.close()
        answer, refusal = shown.refusal or builder.answer(), shown.refused_with
        is_none = reply is None or (refusal is not None and refusal.code in _NOT_A_BACKEND)
        one = None if is_none else identified(shown.answered)
        backend, name = (one.backend, one.known_backend) if one is not None else (None, None)
        found = Detection(backend, name, answer, shown.recorder.record(), answer.error, (), ())
    return replace(found, models=asking.models, requests=tuple(requests.sent))


class Search:
    """Searches, by `requests`, for the places where the backend that was `asked` for may take a question.

    `error` says why the search failed.
    """

    def __init__(self, requests: Requests, asked: Backend) -> None:
        self._requests = requests
        self._asked = asked
        self._places: list[str] = []
        self._refusals: dict[str, str] = {}
        """Refusals of an empty body, by places."""
        self._carded: dict[str, Backend] = {}
        """Backends that a document of their server describes, by places."""
        nothing = msg("No chat backend was found at {url}.", url=without_query(asked.url))
        self.error = ErrorInfo(nothing, code="not_found")

    async def backends(self, asking: Question) -> AsyncGenerator[Backend, None]:
        """Backends that may be at a place, judged by its path, likeliest first."""
        async with aclosing(self._found()) as found:
            async for place in found:
                wanted = wanted_by(self._refusals.get(place, ""))
                form = self._carded.get(place) or (wanted.at(place) if wanted else described(place))
                backend = configured_like(form, self._asked)
                if self._requests.says_absent(backend.url):
                    backend = replace(backend, streams_only=True)
                path = urlsplit(place).path
                is_of_openai = OF_OPENAI.fullmatch(path) and "/openai/deployments/" not in place
                if is_of_openai or OF_LANGGRAPH.fullmatch(path):
                    backend = await asking.with_model(backend)
                if not self._requests.has_capacity_for(backend):
                    words = msg(
                        "A server answers at {url}, but the limit of requests was reached before it "
                        "could be asked. Enter its complete address.",
                        url=without_query(place),
                    )
                    self.error = ErrorInfo(words, code="not_asked")
                    return
                yield backend
        if self.error.code == "not_found":
            self.error = await self._what_is_there()

    async def _what_is_there(self) -> ErrorInfo:
        """The server found instead of a backend, with advice."""
        url = without_query(self._asked.url)
        parts = urlsplit(self._asked.url)
        if len(places(url)) > 1:
            place = urlunsplit(parts._replace(path=parts.path.rstrip("/") + _AT_CHATKIT))
            probe = await self._requests.probe("POST", place, b"{}", _PAGE_BEGINS)
            if probe is not None:
                self._requests.note(probe, "not there")
                if (error := _of_other_format(probe)) is not None:
                    return error
        posted = dict.fromkeys(urlsplit(one.url).path or "/" for one in self._requests.sent if one.method == "POST")
        words = msg(
            "No chat backend was found at {url}; tried {paths}. Check the host, the port and the path.",
            url=url,
            paths=", ".join(posted),
        )
        nothing = ErrorInfo(words, code="not_found")
        probe = await self._requests.probe("GET", self._asked.url)
        if probe is None:
            return nothing
        if probe.status != 200 or not probe.is_page:
            self._requests.note(probe, "not a web page")
            return nothing
        self._requests.note(probe, "a web page")
        title = page_title(probe.body.decode("utf-8", "replace"))
        page = (
            msg("The address {url} returns a web page titled “{title}”, not a chat answer.", url=url, title=title)
            if title
            else msg("The address {url} returns a web page, not a chat answer.", url=url)
        )
        return ErrorInfo(msg("{problem} {more}", problem=page, more=words), code="html_page")

    def _at_the_root(self) -> Iterator[str]:
        """The places at the root of the server, if the address named a path on it."""
        parts = urlsplit(self._asked.url)
        if parts.path.strip("/") and known_at(parts.path) is None:
            for place in places(urlunsplit(parts._replace(path=""))):
                if place not in self._places and not self._requests.says_absent(place):
                    yield place

    async def _found(self) -> AsyncGenerator[str, None]:
        self._places = [place for place in places(self._asked.url) if not self._requests.says_absent(place)]
        settled: str | None = None
        for place in self._places[:_MOST_OPTIONS]:
            probe = await self._requests.probe("OPTIONS", place)
            if probe is None:
                return
            if probe.error is not None:
                self.error = probe.error
                self._requests.note(probe, probe.error.message)
                return
            moved = _moved(probe)
            if moved is not None or probe.allows_post:
                settled = moved or place
                self._requests.note(probe, f"moved to {without_query(moved)}" if moved else "takes POST")
                yield settled
                break
            self._requests.note(probe, "inconclusive")
        if len(self._places) == 1 and settled is None:
            settled = self._places[0]
            yield settled
        doubtful: list[str] = []
        path = urlsplit(self._asked.url).path.rstrip("/")
        typed = self._places[: 1 if path and not path.endswith(tuple(CARDS)) else 0]
        async with aclosing(self._those_there(typed, settled, doubtful)) as there:
            async for place in there:
                yield place
        await self._read_cards()
        for place in self._carded:
            yield place
        others = (*self._places[len(typed) :], *self._at_the_root())
        async with aclosing(self._those_there(others, settled, doubtful)) as there:
            async for place in there:
                yield place
        for place in doubtful:
            yield place

    async def _those_there(
        self, listed: Iterable[str], settled: str | None, doubtful: list[str]
    ) -> AsyncGenerator[str, None]:
        """The places of a backend by their answer to an empty body; those in doubt are added to `doubtful`."""
        for place in listed:
            is_there = place not in {settled, *self._carded} and await self._is_there(place)
            if is_there:
                yield place
            elif is_there is None:
                doubtful.append(place)

    async def _read_cards(self) -> None:
        """Read the documents in which the server describes a backend; those of another origin are not asked."""
        parts = urlsplit(self._asked.url)
        for path, read in CARDS.items():
            at_root = urlunsplit((*parts[:2], path, "", ""))
            probe = await self._requests.probe("GET", self._asked.url if parts.path.endswith(path) else at_root)
            if probe is None:
                continue
            if probe.status != 200:
                self._requests.note(probe, "not there")
                continue
            card = read_json(probe.body.decode("utf-8", "replace"))
            found: Backend | None = None
            with suppress(ValueError):  # from an invalid address
                found = read(card) if isinstance(card, Mapping) else None
            origin = origin_of(found.url) if found is not None else ""
            self._requests.note(probe, "describes a backend" if origin else "not such a document")
            if found is not None and origin == origin_of(probe.url):
                self._carded[found.url] = found
            elif found is not None and origin:
                words = msg(
                    "{card} names an address on another server: {url}. Enter that address if you trust it.",
                    card=without_query(probe.url),
                    url=plain_words(without_query(found.url)),
                )
                self.error = ErrorInfo(words, code="elsewhere")

    async def _is_there(self, place: str) -> bool | None:
        """Whether a backend is at `place`, by its answer to an empty body; None if in doubt."""
        probe = await self._requests.probe("POST", place, b"{}", _PAGE_BEGINS)
        if probe is None:
            return False
        said = probe.body.decode("utf-8", "replace")
        says_absent = probe.status == 200 and SAYS_ABSENT.search(said)
        status = 404 if says_absent else probe.status or 404
        if status in ABSENT or status in range(300, 400) or (probe.is_page and status < 400):
            self._requests.note(probe, "an HTML page" if probe.is_page else "not there")
            return False
        if status == 403 or (probe.is_page and status != 500):
            # Flask and Express word a refusal as a page, as do servers of pages and proxies.
            self._requests.note(probe, "inconclusive")
            return None
        if status in REFUSALS:
            self._refusals[place] = said
        done = "answered" if status < 300 else "refused"
        self._requests.note(probe, f"{done} the empty body")
        return True


def _of_other_format(probe: Probe) -> ErrorInfo | None:
    """The error of a server whose format is not read; None for any other response."""
    if probe.status is None or probe.status < 400:
        return None
    error = http_error(probe.status, probe.headers, probe.body, without_query(probe.url))
    return error if error.code == OTHER_FORMAT else None


def _moved(probe: Probe) -> str | None:
    """The target of a redirect within the origin that keeps the method; None without one that may be called."""
    target = target_within_origin(httpx2.URL(probe.url), probe.status, probe.headers, KEEP_METHOD)
    # An address with a user name or a password is never called.
    return None if target is None or target.userinfo else str(target)
