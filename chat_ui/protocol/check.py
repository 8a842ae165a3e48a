"""How well a backend keeps to the protocol: a handful of requests, and what they showed.

The requests, in order: those of `detect`, whose question is the streamed one; the same question not streamed, as a
second turn, with a context, the session state (null where there is none, as in the README's example) and a field that
nobody knows; the same without those where it was refused; a body without messages; a body that is no JSON; a question
with an image; and where the backend shows how many answers it is making (a number such as `running` in JSON, or a gauge
of Prometheus), a question whose connection is closed in the middle. Never more than `MAX_REQUESTS`: what is left when
they are used up was not seen.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urljoin

from chat_ui.protocol.answer import Answer, Timing
from chat_ui.protocol.backend import Backend, attempts
from chat_ui.protocol.client import Client
from chat_ui.protocol.credentials import secrets_in, secrets_in_body, secrets_in_url, without_secrets
from chat_ui.protocol.detection import Detection, Tried, detect
from chat_ui.protocol.events import JsonObject, SessionState, TextDelta
from chat_ui.protocol.known_backends import KNOWN_BACKENDS
from chat_ui.protocol.probe import Probe
from chat_ui.protocol.report import Behaviour, Part, Report, broken_rules, verdict_in_words
from chat_ui.protocol.request import Attachment, ChatRequest, Message
from chat_ui.protocol.rules import Seen, Sent, excerpt, judge
from chat_ui.protocol.wire import WireRecorder

MAX_REQUESTS: Final = 12
MAX_QUESTIONS: Final = 4
"""Questions, of those requests, that a model may answer."""

_FOR_DETECTION: Final = 10
_RECORDED_BYTES: Final = 4 * 1024 * 1024
_UNREACHABLE: Final = frozenset({"unreachable", "tls", "address_refused", "connection_closed", "not_http", "timeout"})
_UNKNOWN_FIELD: Final = "chat_ui_check"
_PICTURE: Final = Attachment(
    "dot.png",
    "image/png",
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    ),
)
_COUNTER = re.compile(r"running|in_?flight|in_?progress|active", re.IGNORECASE)
_GAUGE = re.compile(
    r"^(\w*(?:running|in_?flight|in_?progress|active)\w*(?:\{[^}]*\})?) (\d+)(?:\.0+)?\s*$", re.M | re.I
)
_SETTLES: Final = (0.1, 0.5)
"""Seconds to wait before each look at whether a closed connection has stopped the work."""


def is_unreachable(report: Report) -> bool:
    """Whether nothing could be judged because nothing answered."""
    return report.conforms is None and report.error is not None and report.error.code in _UNREACHABLE


async def check(
    client: Client,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    model: str | None = None,
    question: str = "Hello",
    overrides: JsonObject | None = None,
    extra_body: JsonObject | None = None,
    on_request: Callable[[str, str], None] | None = None,
) -> Report:
    """The verdict on the backend at `url`, as `parse_backend_url` returns it.

    `headers` go with every request, `model` is named where one has to be, `question` is asked (one that the backend has
    sources on shows more) with `overrides` where options go and `extra_body` beside the messages, and `on_request` is
    told method and URL of each request before it goes. Nothing that the network does raises.
    """
    announce = on_request or (lambda *_: None)
    asked = ChatRequest((Message("user", question),), overrides or {})
    found = await detect(
        client,
        url,
        headers=headers,
        model=model,
        extra_body=extra_body,
        question=asked,
        max_requests=_FOR_DETECTION,
        record=lambda _: WireRecorder(_RECORDED_BYTES),
        on_request=announce,
    )
    if found.backend is None or found.answer is None or not found.answer.text.strip():
        return _not_judged(url, found)
    return await _Check(client, found, found.backend, asked, announce).run(url)


def _not_judged(url: str, found: Detection) -> Report:
    words = found.error.message if found.error else "Nothing that answers chat questions was found."
    return Report(url, None, words, kind=found.kind, error=found.error, tried=found.tried)


@dataclass(frozen=True, slots=True)
class _Counter:
    """Where a backend shows how many answers it is making."""

    url: str
    name: str
    value: int


class _Check:
    def __init__(
        self,
        client: Client,
        found: Detection,
        backend: Backend,
        question: ChatRequest,
        announce: Callable[[str, str], None],
    ) -> None:
        self._question = question
        self._client = client
        self._found = found
        self._backend = backend
        self._answered = 1
        self._announce = announce
        self._tried = list(found.tried)
        self._behaviours: list[Behaviour] = []

    @property
    def _left(self) -> int:
        return MAX_REQUESTS - len(self._tried)

    async def run(self, url: str) -> Report:
        found, backend = self._found, self._backend
        answer, wire = found.answer, found.wire
        streamed = Sent(answer or Answer(), wire) if wire else await self._ask(backend, self._question)
        if streamed is None:
            return _not_judged(url, found)
        self._behaviours.append(Behaviour("no context", self._without_context()))
        whole = await self._second_turn(streamed)
        refusal = await self._post(b"{}", "a body without messages")
        await self._post(b"messages: none", "a body that is no JSON")
        files = await self._with_a_picture()
        await self._closed_connection()
        seen = Seen(backend.messages_key, backend.requires_context, streamed, whole, refusal)
        findings = judge(seen)
        answers = [sent.answer for sent in (streamed, whole) if sent is not None]
        secrets = (
            *secrets_in(backend.headers),
            *secrets_in_url(backend.url),
            *secrets_in_body({**self._question.overrides, **backend.extra_body}),
        )
        label = KNOWN_BACKENDS[found.kind].label if found.kind else None
        return Report(
            url=url,
            conforms=not broken_rules(findings),
            verdict=verdict_in_words(findings, streamed.answer.dialect, label),
            dialect=streamed.answer.dialect,
            kind=found.kind,
            error=None,
            findings=findings,
            parts=tuple(
                replace(part, detail=without_secrets(part.detail, secrets)) for part in (*_parts(answers), files)
            ),
            behaviours=tuple(self._behaviours),
            streamed=streamed.answer.timing,
            whole=whole.answer.timing if whole else Timing(),
            tried=tuple(self._tried),
        )

    def _without_context(self) -> str:
        if self._backend.requires_context:
            return "refused"
        with_options = self._question.overrides and self._backend.overrides in {"nested", "flat"}
        return "not seen: the options that were given go there" if with_options else "answered"

    async def _second_turn(self, streamed: Sent) -> Sent | None:
        """The answer that is not streamed; how unknown fields are answered is noted."""
        state = streamed.answer.session_state
        messages = (*self._question.messages, Message("assistant", streamed.answer.text), *self._question.messages)
        asked = replace(self._question, messages=messages, session_state=state)
        followups: JsonObject = {"suggest_followup_questions": True} if self._reads_followups else {}
        request = replace(asked, overrides={**followups, **asked.overrides})
        plain = replace(self._backend, stream=False)
        extra: JsonObject = {_UNKNOWN_FIELD: True}
        if state is None or state.value is None:
            extra = {**extra, plain.session_state_key or "session_state": None}
        full = await self._ask(replace(plain, extra_body={**plain.extra_body, **extra}), request)
        if full is None or full.answered:
            self._behaviours.append(Behaviour("unknown fields", "accepted" if full else "not seen"))
            return full
        error = full.answer.error
        self._behaviours.append(
            Behaviour("unknown fields, a context, a null session state", f"refused: {error.message if error else ''}")
        )
        return await self._ask(plain, asked) or full

    @property
    def _reads_followups(self) -> bool:
        known = self._backend.known_overrides
        return known is None or "suggest_followup_questions" in known

    async def _with_a_picture(self) -> Part:
        backend = replace(self._backend, stream=False)
        if backend.files == "none" and backend.overrides in {"nested", "flat"}:
            backend = replace(backend, files="multipart")
        if backend.files == "none":
            return Part("files", None, "this backend is not known to take any")
        request = replace(self._question, messages=(replace(self._question.messages[0], files=(_PICTURE,)),))
        sent = await self._ask(backend, request)
        if sent is None:
            return Part("files", None, "no request was left")
        error = sent.answer.error
        refused = f"{backend.files} was refused: {excerpt(error.message) if error else 'no text came'}"
        return Part("files", sent.answered, f"an image as {backend.files} was answered" if sent.answered else refused)

    async def _closed_connection(self) -> None:
        """Whether the backend goes on when its reader has left, where it shows that."""
        counter = await self._find_counter()
        case = "a connection closed in the middle"
        if counter is None or self._answered >= MAX_QUESTIONS:
            self._behaviours.append(
                Behaviour(case, "not seen: the backend does not show how many answers it is making")
            )
            return
        way = attempts(self._backend)[0]
        self._announce("POST", way.url)
        during: int | None = None
        async with aclosing(self._client.stream(self._backend, self._question)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    during = await self._count(counter)
                    break
        self._tried.append(Tried("POST", way.url, 200, "closed after the first text"))
        if during is None or during <= counter.value:
            self._behaviours.append(Behaviour(case, "not seen: the answer was over too soon"))
            return
        for pause in _SETTLES:
            await asyncio.sleep(pause)
            after = await self._count(counter) if self._left else None
            if after is not None and after < during:
                self._behaviours.append(Behaviour(case, f"stops the work: {counter.name} {during}, then {after}"))
                return
        self._behaviours.append(Behaviour(case, f"does not stop the work: {counter.name} stays at {during}"))

    async def _find_counter(self) -> _Counter | None:
        for url in (urljoin(self._backend.url, "."), urljoin(self._backend.url, "/metrics")):
            # After this one: the question, the number while it is answered, the number afterwards.
            if self._left < 1 + 3:
                return None
            probe = await self._probe("GET", url)
            counted = _counted(probe)
            if counted is not None:
                self._note(probe, f"{counted[0]}: {counted[1]}")
                return _Counter(url, *counted)
            self._note(probe, "shows no number of answers in the making")
        return None

    async def _count(self, counter: _Counter) -> int | None:
        probe = await self._probe("GET", counter.url)
        counted = _counted(probe)
        self._note(probe, f"{counted[0]}: {counted[1]}" if counted else "no number")
        return counted[1] if counted else None

    async def _ask(self, backend: Backend, request: ChatRequest) -> Sent | None:
        """What one question got; None where no request is left for it."""
        way = attempts(backend)[0]
        if self._left < len(attempts(backend)) or self._answered >= MAX_QUESTIONS:
            return None
        recorder = WireRecorder(_RECORDED_BYTES)
        self._announce("POST", way.url)
        answer = await self._client.ask(backend, request, recorder)
        wire = recorder.record()
        error = answer.error
        told = excerpt(error.message) if error else f"answered in the dialect {answer.dialect}"
        self._tried += [Tried("POST", url, status, "not there") for url, status in wire.tried]
        self._tried.append(Tried("POST", wire.url, wire.status, told))
        sent = Sent(answer, wire)
        self._answered += sent.answered
        return sent

    async def _post(self, body: bytes, case: str) -> Probe | None:
        """What a bad body gets; noted as a behaviour."""
        if not self._left:
            self._behaviours.append(Behaviour(case, "not seen: no request was left"))
            return None
        probe = await self._probe("POST", attempts(replace(self._backend, stream=False))[0].url, body)
        shown = excerpt(probe.body.decode("utf-8", "replace")) if probe.status else "no answer"
        self._note(probe, shown)
        self._behaviours.append(Behaviour(case, f"status {probe.status}: {shown}" if probe.status else shown))
        return probe

    async def _probe(self, method: str, url: str, body: bytes = b"") -> Probe:
        self._announce(method, url)
        headers = {"Accept": "application/json, text/plain", **self._backend.headers}
        if body:
            headers["Content-Type"] = "application/json"
        return await self._client.probe(method, url, headers, body)

    def _note(self, probe: Probe, told: str) -> None:
        self._tried.append(Tried(probe.method, probe.url, probe.status, told))


def _counted(probe: Probe) -> tuple[str, int] | None:
    """A number of answers in the making that `probe` shows, with its name."""
    text = probe.body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        gauge = _GAUGE.search(text)
        return (gauge.group(1), int(gauge.group(2))) if gauge and not probe.is_page else None
    if isinstance(value, Mapping):
        for name, number in value.items():
            if _COUNTER.search(name) and type(number) is int:
                return name, number
    return None


def _parts(answers: list[Answer]) -> tuple[Part, ...]:
    """The optional parts of the protocol that came in any of `answers`."""
    points = max((answer.data_points for answer in answers), key=len)
    thoughts = max((answer.thoughts for answer in answers), key=len)
    questions = max((answer.followup_questions for answer in answers), key=len)
    states = [answer.session_state for answer in answers if _says_something(answer.session_state)]
    return (
        Part("context", bool(points or thoughts or questions)),
        Part("data points", bool(points), f"{len(points)}, such as {excerpt(points[0].source)}" if points else ""),
        Part("thoughts", bool(thoughts), f"{len(thoughts)}, such as {excerpt(thoughts[0].title)}" if thoughts else ""),
        Part("follow-up questions", bool(questions), excerpt(questions[0]) if questions else ""),
        Part("session state", bool(states), states[0].key if states and states[0] else ""),
    )


def _says_something(state: SessionState | None) -> bool:
    return state is not None and state.value not in (None, {})
