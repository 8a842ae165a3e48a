"""The requests on the way to an answer: each is announced, counted and told afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.redaction import url_without_secrets, without_query
from chat_ui.protocol.backends.backend import Backend, attempts
from chat_ui.protocol.backends.request import ChatRequest, secrets_of
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.protocol.events import DialectSeen, Event, Failed, ObjectSeen, Timing, Warning  # noqa: A004
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.probe import MAX_PROBE_BYTES, Probe
from chat_ui.protocol.transport.recorder import WireRecorder

Record: TypeAlias = Callable[[Backend], WireRecorder]
"""Gives the recorder of a question that is about to be sent to a backend."""
ABSENT: Final = frozenset({404, 405, 410, 501})
"""Statuses at a path that takes no question."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One request and what it `told`; `dialect` is our own name of what was answered in, and `status` None where no
    answer came. No credential that stands in the `url` is kept.
    """

    method: str
    url: str
    status: int | None
    told: str
    dialect: str = ""

    def __post_init__(self) -> None:
        """Take credentials out of the address."""
        object.__setattr__(self, "url", url_without_secrets(self.url))

    @property
    def in_words(self) -> str:
        """The response in words, for a person."""
        return f"answered as: {label_of(self.dialect)}" if self.dialect else self.told


@dataclass(frozen=True, slots=True)
class Heard:
    """The response of `backend` to a question. `kept_back` are the events of an answer that is nothing but a refusal;
    the events of any other answer were taken as they arrived.
    """

    backend: Backend
    answer: Answer
    recorder: WireRecorder
    kept_back: tuple[Event, ...]

    @property
    def as_it_went(self) -> Backend:
        """The backend, with the way of asking for a stream that was there."""
        if self.backend.streaming != "auto" or not self.backend.stream:
            return self.backend
        by_path = urlsplit(self.recorder.requests[-1][0]).path.rstrip("/").endswith("/stream")
        return replace(self.backend, streaming="path" if by_path else "body")


class Requests:
    """At most `most` requests over `client`, each told to `on_request` before it goes, with `headers` where it is no
    question; `tried` is what they told, in order, after those that went before.
    """

    def __init__(
        self,
        client: Client,
        headers: Mapping[str, str],
        *,
        most: int,
        on_request: Callable[[str, str], None] | None = None,
        tried: Iterable[Tried] = (),
    ) -> None:
        self._client = client
        self._headers = headers
        self._on_request = on_request or (lambda *_: None)
        self.tried = list(tried)
        self.left = most - len(self.tried)

    def has_room_for(self, backend: Backend) -> bool:
        """Whether a question to `backend` may be sent, by all the ways that it may take."""
        return self.left >= len(attempts(backend))

    def refusal_at(self, url: str) -> Tried | None:
        """The first request, a question or an empty body, that was told at `url` that nothing is there."""
        posted = (tried for tried in self.tried if tried.method == "POST" and tried.status in ABSENT)
        return next((tried for tried in posted if _place(tried.url) == _place(url)), None)

    def says_absent(self, url: str) -> bool:
        """Whether a question or an empty body was told at `url` that nothing is there."""
        return self.refusal_at(url) is not None

    def spend(self, method: str, url: str) -> None:
        """Announce a request that goes now, and count it."""
        self.left -= 1
        self._on_request(method, url)

    async def probe(self, method: str, url: str, body: bytes = b"", most: int = MAX_PROBE_BYTES) -> Probe | None:
        """The response to a bare request, read up to `most` bytes; None where no more requests may be sent."""
        if self.left <= 0:
            return None
        self.spend(method, url)
        headers = {"Accept": "application/json, text/plain", **self._headers}
        if body:
            headers["Content-Type"] = "application/json"
        return await self._client.probe(method, url, headers, body, most)

    def note(self, probe: Probe, told: str) -> None:
        """Keep what `probe` told."""
        self.tried.append(Tried(probe.method, probe.url, probe.status, told))

    async def ask(
        self,
        backend: Backend,
        question: ChatRequest,
        recorder: WireRecorder,
        take: Callable[[Event], None] = lambda _: None,
    ) -> Heard:
        """The response to `question`; `take` gets its events as they arrive, but for those that are kept back."""
        self.spend("POST", attempts(backend)[0].url)
        builder = AnswerBuilder(secrets_of(backend, question.overrides))
        held: list[Event] = []
        refused = True
        async with aclosing(self._client.stream(backend, question, recorder)) as events:
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
        answer = builder.answer()
        *before, (url, status) = recorder.requests
        told = answer.error.message if answer.error else f"answered in the dialect {answer.dialect or 'unknown'}"
        for place, said in before:
            self.tried.append(Tried("POST", place, said, "moved" if said in {307, 308} else "not there"))
        self.tried.append(Tried("POST", url, status, told, "" if answer.error else answer.dialect or ""))
        self.left -= len(before)
        return Heard(backend, answer, recorder, tuple(held))


def _place(url: str) -> str:
    bare = without_query(url)
    return bare if urlsplit(bare).path else f"{bare}/"
