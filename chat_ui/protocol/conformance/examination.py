"""An examination of a backend by a handful of requests: how well it keeps to the protocol.

An absent place gets no further request: if only streams are answered, streams are judged. A rule without a request left
is “not seen”. A backend of another dialect (`dialects/standards.py`) is judged by fewer requests.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from chat_ui.protocol.answers.answer import Answer, Timing, folded
from chat_ui.protocol.answers.redaction import without_secrets
from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Files, Message, attempts
from chat_ui.protocol.backends.request import request_body, secrets_of
from chat_ui.protocol.conformance.report import (
    VERSION,
    Behaviour,
    Finding,
    Part,
    Report,
    Specification,
    broken_rules,
    followed,
    verdict_in_words,
)
from chat_ui.protocol.conformance.rules import (
    SAMPLE_SPECIFICATION,
    Observations,
    Sent,
    excerpt,
    judge,
    judge_sample,
    standard_findings,
)
from chat_ui.protocol.detection.detection import MAX_REQUESTS as FOR_DETECTION
from chat_ui.protocol.detection.detection import Detection, detect
from chat_ui.protocol.detection.requests import ABSENT, Requests
from chat_ui.protocol.dialects.registry import FAMILY_OF
from chat_ui.protocol.dialects.standards import Standard
from chat_ui.protocol.events import NO_ANSWER, Event, JsonObject
from chat_ui.protocol.recordings.recording_format import path_of
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import UNREACHABLE
from chat_ui.protocol.transport.probe import Probe
from chat_ui.protocol.transport.recorder import ResponseRecord, ResponseRecorder

_FOR_THE_REPORT: Final = 12
MAX_REQUESTS: Final = FOR_DETECTION + _FOR_THE_REPORT
MAX_QUESTIONS: Final = 4
"""Questions, of those requests, that a model may answer."""

_RECORDED_BYTES: Final = 4 * 1024 * 1024
_SHAPE_OF_2026: Final = "responses"
"""The dialect of the AI Chat Protocol's shape of 2026, where the question was not in the form of OpenAI's Responses."""
_UNKNOWN_FIELD: Final = "chat_ui_check"
_PICTURE: Final = Attachment(
    "dot.png",
    "image/png",
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    ),
)
_FOLLOWUPS: Final = "suggest_followup_questions"
_FORMS: Final[Mapping[Files, str]] = {"multipart": "multipart", "multipart-file": "multipart with JSON as a file"}
"""The ways of sending files as parts of a form, in words."""
_FILES: Final = "files"


def is_unreachable(report: Report) -> bool:
    """Whether nothing could be judged because no backend answered."""
    return report.conforms is None and report.error is not None and report.error.code in UNREACHABLE


async def check(
    client: AsyncClient,
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

    `headers` go with every request, and `model` is named if one is needed. `question` is asked with `overrides` as
    options and `extra_body` beside the messages; a question on the backend's sources shows more. `on_request` gets
    method and URL of each request before it is sent. The network raises nothing.
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
        record=lambda _: ResponseRecorder(_RECORDED_BYTES),
        on_request=announce,
    )
    if found.backend is None or found.answer is None or found.response is None:
        return _not_judged(url, found)
    streamed = Sent(found.answer, found.response)
    standard = _standard_of(found.answer, found.known_backend, found.response)
    # Some knowledge bases give passages without an answer.
    is_without = found.error is not None and found.error.code in NO_ANSWER
    if not (streamed.answered or (standard is not None and (is_without or found.answer.data_points))):
        return _not_judged(url, found)
    return await _Check(client, found, found.backend, asked, announce).run(url, streamed, standard)


def _standard_of(found: Answer, known_backend: str | None, record: ResponseRecord) -> Standard | None:
    dialect = found.dialect or ""
    if dialect not in FAMILY_OF:
        return None
    return FAMILY_OF[dialect].standard(dialect, known_backend, [line.text for line in record.lines])


def _not_judged(url: str, found: Detection) -> Report:
    words = found.error.message if found.error else "No chat endpoint was found."
    return Report(url, None, words, known_backend=found.known_backend, error=found.error, requests=found.requests)


class _Judged(NamedTuple):
    findings: tuple[Finding, ...]
    complete: Sent | None
    parts: tuple[Part, ...]


class _Check:
    def __init__(
        self,
        client: AsyncClient,
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
        self._requests = Requests(
            client,
            {**backend.format_headers, **backend.headers},
            most=_FOR_THE_REPORT,
            on_request=announce,
            sent=found.requests,
        )
        self._behaviours: list[Behaviour] = []
        self._example: Sent | None = None

    async def run(self, url: str, streamed: Sent, standard: Standard | None) -> Report:
        found, dialect, flaw = self._found, streamed.answer.dialect, streamed.answer.incomplete_details
        if flaw is not None:
            self._behaviours.append(Behaviour("end of the answer", flaw.detail))
        if streamed.answer.pause is not None:
            self._behaviours.append(Behaviour("pause", "the agent waits for a decision, which was not sent"))
        if standard is not None:
            judged = await self._by(standard, streamed)
            specification = Specification(standard.name, standard.version)
        else:
            judged = await self._by_the_protocol(streamed)
            by_2024 = Specification(followed(judged.findings), VERSION)
            specification = SAMPLE_SPECIFICATION if dialect == _SHAPE_OF_2026 else by_2024
        verdict = verdict_in_words(judged.findings, specification, dialect)
        if standard is not None:
            verdict += " It does not speak the AI Chat Protocol."
        secrets = secrets_of(self._backend, self._question.overrides).in_reports
        return Report(
            url=url,
            conforms=not broken_rules(judged.findings),
            verdict=verdict,
            specification=specification,
            dialect=dialect,
            known_backend=found.known_backend,
            error=None,
            findings=judged.findings,
            parts=tuple(replace(part, detail=without_secrets(part.detail, secrets)) for part in judged.parts),
            behaviours=tuple(self._behaviours),
            streamed=streamed.answer.timing,
            complete=judged.complete.answer.timing if judged.complete else Timing(),
            requests=tuple(self._requests.sent),
        )

    async def _by_the_protocol(self, streamed: Sent) -> _Judged:
        self._behaviours.append(Behaviour("no context", self._without_context()))
        second = await self._second_turn(streamed)
        complete = None if self._backend.streams_only else second
        nothing = json.dumps(request_body(self._backend, replace(self._question, messages=()), stream_flag=None))
        refusals = [
            await self._post(b"{}", "body without messages"),
            await self._post(nothing.encode(), "empty list of messages"),
        ]
        await self._post(b"messages: none", "body that is not JSON")
        files = await self._with_a_picture()
        optional = await self._with_followups(streamed, second)
        absent = self._requests.refusal_at(self._backend.url) if self._backend.streams_only else None
        only_streams = f"POST {path_of(absent.url)}: {absent.status}" if absent else ""
        observed = Observations(
            self._backend.messages_key, self._backend.requires_context, streamed, optional, complete,
            only_streams, self._example, tuple(refusal for refusal in refusals if refusal is not None),
        )  # fmt: skip
        answers = [sent.answer for sent in (streamed, optional, second) if sent is not None]
        by = judge_sample if streamed.answer.dialect == _SHAPE_OF_2026 else judge
        return _Judged(by(observed), complete, (*_parts(answers), files))

    async def _by(self, standard: Standard, streamed: Sent) -> _Judged:
        complete = None
        if standard.answers_at_once and streamed.answer.pause is None:
            said = Message("assistant", streamed.answer.text)
            messages = (*self._question.messages, said, *self._question.messages)
            second = replace(self._question, messages=messages, session_state=streamed.answer.session_state)
            complete = await self._ask(replace(self._backend, stream=False), second)
        refused = await self._post(b"{}", "body without messages")
        await self._post(b"messages: none", "body that is not JSON")
        files = await self._with_a_picture()
        answers = [sent.answer for sent in (streamed, complete) if sent is not None]
        present = (part for part in _parts(answers) if part.present)
        return _Judged(standard_findings(standard, streamed, complete, refused), complete, (*present, files))

    def _without_context(self) -> str:
        if self._backend.requires_context:
            return "refused"
        with_options = self._question.overrides and self._backend.overrides in {"nested", "flat"}
        return "not seen: the context has the given options" if with_options else "answered"

    async def _second_turn(self, streamed: Sent) -> Sent | None:
        """The whole answer, or its refusal; notes the fate of a context, the state and unknown fields."""
        state = streamed.answer.session_state
        messages = (*self._question.messages, Message("assistant", streamed.answer.text), *self._question.messages)
        plain = replace(self._question, messages=messages, session_state=state)
        followups: JsonObject = {_FOLLOWUPS: True} if self._reads_followups else {}
        optional = replace(plain, overrides={**followups, **plain.overrides})
        example: JsonObject = {}
        if "context" not in request_body(self._backend, optional, stream_flag=None):
            example = {"context": {}}
        if state is None or state.value is None:
            example = {**example, self._backend.session_state_key or "session_state": None}
        first = await self._ask_complete(optional, {**example, _UNKNOWN_FIELD: True})
        if first is None or first.answered:
            self._behaviours.append(Behaviour("unknown fields", "accepted" if first else "not seen"))
            self._example = first
            return first
        case = "unknown fields, context, null session state"
        self._behaviours.append(Behaviour(case, _refused(first)))
        second = await self._ask_complete(optional, example)
        if second is None or second.answered:
            self._example = second
            return second or first
        third = await self._ask_complete(plain, {})
        if third is None or not third.answered:
            return third or second
        self._example = second
        self._behaviours.append(Behaviour("context, null session state", _refused(second)))
        return third

    async def _ask_complete(self, request: ChatRequest, extra: JsonObject) -> Sent | None:
        """The answer to `request` without a stream; streamed if the backend only streams."""
        backend = replace(self._backend, stream=False)
        sent = await self._ask(replace(backend, extra_body={**backend.extra_body, **extra}), request)
        if sent is None or sent.response.status not in ABSENT or sent.answered or self._backend.streams_only:
            return sent
        self._backend = replace(self._backend, streams_only=True)
        return await self._ask_complete(request, extra)

    @property
    def _reads_followups(self) -> bool:
        known = self._backend.known_overrides
        return known is None or _FOLLOWUPS in known

    async def _with_followups(self, streamed: Sent, complete: Sent | None) -> Sent | None:
        """The stream with follow-up questions, if only the other answer had some unasked."""
        is_heeded = (
            complete is not None and complete.answer.followup_questions and not streamed.answer.followup_questions
        )
        if not (is_heeded and self._reads_followups):
            return None
        overrides = {_FOLLOWUPS: True, **self._question.overrides}
        return await self._ask(self._backend, replace(self._question, overrides=overrides))

    async def _with_a_picture(self) -> Part:
        backend = replace(self._backend, stream=False)
        ways: list[Files] = [] if backend.files == "none" else [backend.files]
        if backend.takes_forms or (not ways and backend.overrides in {"nested", "flat"}):
            ways = [*ways, *(way for way in _FORMS if way not in ways)]
        if not ways:
            return Part(_FILES, None, "not known to accept files")
        request = replace(self._question, messages=(replace(self._question.messages[0], files=(_PICTURE,)),))
        refused: list[str] = []
        for way in ways:
            sent = await self._ask(replace(backend, files=way), request)
            if sent is None:
                break
            words, said = _FORMS.get(way, way), _said(sent)
            if sent.answered:
                return Part(_FILES, True, f"image accepted as {words}")
            refused.append(f"{words} was refused: {excerpt(said)}")
            if (sent.response.status or 0) < 500 and "json" not in said.lower():
                # It was not the part with the JSON that was looked for elsewhere.
                break
        return Part(_FILES, False if refused else None, refused[0] if refused else "request limit reached")

    async def _ask(self, backend: Backend, request: ChatRequest) -> Sent | None:
        """The answer to one question; None without a request left."""
        if not self._requests.has_capacity_for(backend) or self._answered >= MAX_QUESTIONS:
            return None
        events: list[Event] = []
        reply = await self._requests.ask(backend, request, ResponseRecorder(_RECORDED_BYTES), events.append)
        answer = reply.refusal or folded(events, secrets_of(backend, request.overrides))
        sent = Sent(answer, reply.recorder.record())
        self._answered += sent.answered
        return sent

    async def _post(self, body: bytes, case: str) -> Probe | None:
        """Send an invalid body, and note the response as a behaviour."""
        probe = await self._requests.probe("POST", attempts(replace(self._backend, stream=False))[0].url, body)
        if probe is None:
            self._behaviours.append(Behaviour(case, "not seen: request limit reached"))
            return None
        shown = excerpt(probe.body.decode("utf-8", "replace")) if probe.status else "no answer"
        self._requests.note(probe, shown)
        answer = f"status {probe.status}: {shown}" if probe.status else shown
        self._behaviours.append(Behaviour(case, answer))
        return probe


def _said(sent: Sent) -> str:
    error = sent.answer.error
    return error.message if error else "no text"


def _refused(sent: Sent) -> str:
    return f"refused: {_said(sent)}"


def _such_as(count: int, example: str) -> str:
    return f"{count}, such as {excerpt(example)}"


def _parts(answers: list[Answer]) -> tuple[Part, ...]:
    points = max((answer.data_points for answer in answers), key=len)
    thoughts = max((answer.thoughts for answer in answers), key=len)
    questions = max((answer.followup_questions for answer in answers), key=len)
    states = [state for one in answers if (state := one.session_state) is not None and state.value not in (None, {})]
    return (
        Part("context", bool(points or thoughts or questions)),
        Part("data points", bool(points), _such_as(len(points), points[0].source) if points else ""),
        Part("thoughts", bool(thoughts), _such_as(len(thoughts), thoughts[0].title) if thoughts else ""),
        Part("follow-up questions", bool(questions), excerpt(questions[0]) if questions else ""),
        Part("session state", bool(states), states[0].key if states else ""),
    )
