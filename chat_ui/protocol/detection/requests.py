"""The requests of a search: each is announced, counted, and listed with its outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from chat_ui.protocol.answers.answer import Answer, folded
from chat_ui.protocol.answers.redaction import url_without_secrets, without_query
from chat_ui.protocol.backends.backend import Backend, ChatRequest, attempts
from chat_ui.protocol.backends.request import secrets_of
from chat_ui.protocol.dialects.family import Answered
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.protocol.events import (
    AnswerWarning,
    DialectDetected,
    ErrorInfo,
    Event,
    Failed,
    ObjectReceived,
    Recorded,
    Timing,
)
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.outgoing import KEEP_METHOD
from chat_ui.protocol.transport.probe import MAX_PROBE_BYTES, Probe
from chat_ui.protocol.transport.recorder import ResponseRecorder

Record: TypeAlias = Callable[[Backend], ResponseRecorder]
"""Gives the recorder of a question to a backend, before it is sent."""
ABSENT: Final = frozenset({404, 405, 410, 501})
"""Statuses of a path that takes no question."""

_SAY_NO_ANSWER: Final = (Failed, AnswerWarning, DialectDetected, ObjectReceived, Recorded, Timing)
"""Events that a mere refusal has too."""
_BEGUN: Final = frozenset({"response.output_item.added", "start-step", "f:"})
"""Objects that say that a model is at work, without text of its answer: it may think, or act."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request and its `outcome` in English words. `status` is None without an answer. `dialect` is the name of the
    answer's dialect, empty for other requests than questions. The `url` is kept without credentials.
    """

    method: str
    url: str
    status: int | None
    outcome: str
    dialect: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", url_without_secrets(self.url))

    @property
    def outcome_for_people(self) -> str:
        """The outcome with the label of a dialect in place of its name."""
        return f"answered as: {label_of(self.dialect)}" if self.dialect else self.outcome

    @property
    def in_words(self) -> str:
        """The request and its outcome on one line."""
        status = self.status or "no answer"
        return f"{self.method} {without_query(self.url)}: {status}, {self.outcome_for_people}"


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of `backend` to a question, in short.

    `refusal_events` are the events of a mere refusal, and `refusal` is their answer. The events of any other reply were
    taken as they arrived.
    """

    backend: Backend
    answered: Answered
    recorder: ResponseRecorder
    refusal_events: tuple[Event, ...] = ()
    refusal: Answer | None = None

    @property
    def refused_with(self) -> ErrorInfo | None:
        """The error of a mere refusal, else None."""
        return self.refusal.error if self.refusal is not None else None

    @property
    def status(self) -> int | None:
        """The status of the response; None without one."""
        return self.recorder.requests[-1][1]


class Requests:
    """At most `most` requests over `client`; `sent` lists them in order, after the uncounted ones of an earlier search.

    `on_request` gets method and URL of each request before it is sent. Requests other than questions carry `headers`,
    and take `seconds` together at most.
    """

    def __init__(
        self,
        client: AsyncClient,
        headers: Mapping[str, str],
        *,
        most: int,
        seconds: float = math.inf,
        on_request: Callable[[str, str], None] | None = None,
        sent: Iterable[SentRequest] = (),
    ) -> None:
        self._client = client
        self._headers = headers
        self._on_request = on_request or (lambda *_: None)
        self.sent = list(sent)
        self.left = most
        self._seconds = seconds

    def has_capacity_for(self, backend: Backend) -> bool:
        """Whether a question to `backend` may be sent, in all of its ways."""
        return self.left >= len(attempts(backend))

    def refusal_at(self, url: str) -> SentRequest | None:
        """The first POST to `url`, of a question or an empty body, whose status says that the place is missing."""
        refused = (one for one in self.sent if one.method == "POST" and one.status in ABSENT)
        return next((one for one in refused if _place(one.url) == _place(url)), None)

    def says_absent(self, url: str) -> bool:
        """Whether a POST to `url`, of a question or an empty body, showed that the place is missing."""
        return self.refusal_at(url) is not None

    def spend(self, method: str, url: str) -> None:
        """Announce a request, and count it."""
        self.left -= 1
        self._on_request(method, url)

    async def probe(self, method: str, url: str, body: bytes = b"", most: int = MAX_PROBE_BYTES) -> Probe | None:
        """The response to a bare request, read up to `most` bytes; None if no more requests may be sent."""
        if self.left <= 0 or self._seconds <= 0:
            return None
        self.spend(method, url)
        headers = {"Accept": "application/json, text/plain", **self._headers}
        if body:
            headers["Content-Type"] = "application/json"
        probe = await self._client.probe(method, url, headers, body, most, seconds=self._seconds)
        self._seconds -= probe.seconds
        return probe

    def note(self, probe: Probe, outcome: str) -> None:
        """List `probe` with its outcome."""
        self.sent.append(SentRequest(probe.method, probe.url, probe.status, outcome))

    async def ask(
        self, backend: Backend, question: ChatRequest, recorder: ResponseRecorder, on_event: Callable[[Event], object]
    ) -> Reply:
        """The reply to `question`; `on_event` gets its events as they arrive, except those of a refusal.

        The first event that refusals lack begins the answer, and later events are not looked at.
        """
        self.spend("POST", attempts(backend)[0].url)
        exchange = self._client.exchange(backend, question, recorder)
        held: list[Event] = []
        async with aclosing(exchange.events()) as events:
            async for event in events:
                held.append(event)
                if not isinstance(event, _SAY_NO_ANSWER) or (
                    isinstance(event, ObjectReceived) and event.name in _BEGUN
                ):
                    for one in held:
                        on_event(one)
                    held.clear()
                    break
            async for event in events:
                on_event(event)
        refusal = folded(held, secrets_of(backend, question.overrides)) if held else None
        reply = Reply(backend, exchange.answered, recorder, tuple(held), refusal)
        *before, (url, status) = recorder.requests
        for place, refused_with in before:
            told = "moved" if refused_with in KEEP_METHOD else "not there"
            self.sent.append(SentRequest("POST", place, refused_with, told))
        error, dialect = reply.refused_with or reply.answered.error, reply.answered.dialect
        outcome = error.message if error else f"answered in the dialect {dialect or 'unknown'}"
        self.sent.append(SentRequest("POST", url, status, outcome, "" if error else dialect or ""))
        self.left -= len(before)
        return reply


def _place(url: str) -> str:
    bare = without_query(url)
    return bare if urlsplit(bare).path else f"{bare}/"
