"""A run: asks all unanswered questions concurrently."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, TypeAlias

from chat_ui.command_line.approvals import MOST_PAUSES
from chat_ui.features.evaluation.errors import BackendUnavailableError
from chat_ui.features.evaluation.question_set import Question
from chat_ui.features.evaluation.results import CUT_OFF, Result, result_of
from chat_ui.features.presenting.rehearsal import Conversation
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import MOST_REPEATS, Decision, Resume, denied
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.detection.asking import answer_anywhere
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import NO_END, ErrorInfo, JsonObject, Pause, Timing
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import NOBODY_THERE

PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds before each retry of a backend that was available before."""
LONGEST_WAIT: Final = 600.0
"""Maximum total seconds of a question's Retry-After waits."""
_SHORTEST_WAIT: Final = 1.0
"""Minimum seconds of a Retry-After wait."""
_WAITING: Final = "The agent waits for a decision."
_BUSY: Final = frozenset({429, 503})
Ask: TypeAlias = Callable[[ChatRequest], Awaitable[Answer]]
"""Asks a backend; failed answers are returned too."""


@dataclass(slots=True)
class FoundBackend:
    """Asks at the given address first, and afterwards at the backend's detected address."""

    client: AsyncClient
    backend: Backend
    found: Backend | None = None

    async def __call__(self, request: ChatRequest) -> Answer:
        """The answer to `request`, possibly with an error."""
        try:
            answer = await self._answer(request)
        except InvalidRequestError as problem:
            return Answer(error=ErrorInfo(str(problem)))
        asked = self.found or self.backend
        is_complete = (
            self.client.learnt.sends_no_end(asked)
            and answer.incomplete_details is not None
            and answer.incomplete_details.code == NO_END
        )
        self.client.learnt.note_end(asked, answer)
        return replace(answer, complete=True) if is_complete else answer

    async def _answer(self, request: ChatRequest) -> Answer:
        if self.found is not None and request.resume is None:
            return await self.client.ask(self.found, request)
        answer, found = await answer_anywhere(self.client, self.found or self.backend, request)
        if self.found is None and (answer.error is None or answer.error.status is not None):
            self.found = found
        return answer


@dataclass(slots=True)
class Progress:
    """The progress of a run: `done` answers, `failed` ones among them, and the seconds of the backend's current
    throttling.
    """

    done: int = 0
    failed: int = 0
    waiting: float | None = None


@dataclass(slots=True)
class Run:
    """Asks each question by `ask`, at most `concurrency` at once, with `options` of the backend.

    The first is asked before all others, to detect the backend once. A status of 429 or 503 with Retry-After delays
    every question. The refused one is then retried for up to `longest_wait`; a single longer wait ends the run. Other
    questions are not sent twice. After the first answer, a refused connection is retried after each of `pauses`.
    `decide` gives the decisions on the requests of a paused agent, which are sent once.
    Recordings, not `is_live`, are retried without waiting and are always available; their answers lack times.
    """

    ask: Ask
    options: JsonObject
    concurrency: int = 4
    is_live: bool = True
    decide: Callable[[Pause], tuple[Decision, ...]] = denied
    pauses: Sequence[float] = PAUSES
    longest_wait: float = LONGEST_WAIT
    progress: Progress = field(default_factory=Progress)
    _free_at: float = 0.0
    _has_answered: bool = False

    async def __call__(
        self,
        wanted: Iterable[tuple[Question, int]],
        take: Callable[[Result], None],
        on_progress: Callable[[Progress], None],
    ) -> None:
        """Ask the `wanted` questions, pass each result to `take`, and report each step to `on_progress`.

        Raises:
            BackendUnavailableError: the backend is unreachable, or asks for a long pause.
            Exception: an error of `take`.
        """
        places = iter(wanted)

        def tell() -> None:
            on_progress(self.progress)

        async def one(question: Question, time: int) -> None:
            result = await self._result(question, time, tell)
            take(result)
            self.progress.done += 1
            self.progress.failed += bool(result.values["failed"])
            tell()

        async def worker() -> None:
            for question, time in places:
                await one(question, time)

        tell()
        if (first := next(places, None)) is None:
            return
        await one(*first)
        try:
            async with asyncio.TaskGroup() as workers:
                for _ in range(self.concurrency):
                    workers.create_task(worker())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None

    async def _result(self, question: Question, time: int, tell: Callable[[], None]) -> Result:
        conversation = Conversation(self.options)
        said: list[Message] = []
        decided: list[Decision] = []
        for message, following in pairwise(question.messages):
            said.append(message)
            if message.role != "user" or following.role != "user":
                conversation.tell(message)
                continue
            answer = await self._answered(conversation.asking(message.content), decided, tell)
            if answer.error is not None or not answer.complete:
                return result_of(question, time, said, _not_asked(answer), decided)
            conversation.take(message.content, answer)
            said.append(Message("assistant", answer.text))
        answer = await self._answered(conversation.asking(question.text), decided, tell)
        return result_of(question, time, said, answer, decided)

    async def _answered(self, request: ChatRequest, decided: list[Decision], tell: Callable[[], None]) -> Answer:
        """The answer after the decisions on each pause, which are added to `decided`."""
        answer, resume = await self._with_retries(request, tell), Resume(())
        while (pause := answer.pause) is not None and answer.error is None:
            is_repeated = resume.repeats(pause) >= MOST_REPEATS
            if is_repeated or answer.recorded_at is not None or len(resume.steps) == MOST_PAUSES:
                return replace(answer, error=ErrorInfo(_WAITING))
            decisions = self.decide(pause)
            decided += decisions
            resume = Resume((*resume.steps, (pause, decisions)))
            request = replace(request, session_state=answer.session_state or request.session_state, resume=resume)
            answer = await self.ask(request)
        return answer

    async def _with_retries(self, request: ChatRequest, tell: Callable[[], None]) -> Answer:
        """The answer, after waits for an available backend."""
        pauses = iter(self.pauses if self._has_answered else ())
        waited = 0.0
        while True:
            await self._wait_for_the_backend(tell)
            answer = await self.ask(request)
            error = answer.error
            if error is None or answer.text:
                break
            if self._is_unavailable(error, answer):
                pause = next(pauses, None)
                if pause is None:
                    raise BackendUnavailableError(error)
                await asyncio.sleep(pause)
                continue
            if error.status not in _BUSY or error.retry_after is None:
                break
            wait = max(error.retry_after, _SHORTEST_WAIT)
            if wait > self.longest_wait:
                words = f"{error.message} The backend asks to wait {math.ceil(wait / 60)} minutes."
                raise BackendUnavailableError(replace(error, message=words))
            if waited + wait > self.longest_wait:
                break
            waited += wait
            if self.is_live:
                self._free_at = max(self._free_at, _now() + wait)
        self._has_answered = True
        return answer if self.is_live else replace(answer, timing=Timing())

    def _is_unavailable(self, error: ErrorInfo, answer: Answer) -> bool:
        """Whether the backend is unreachable, so the question was not sent. Other servers than HTTP count as reached. A
        code may be from the backend itself, but only with a response.
        """
        is_ours = error.status is None and answer.timing.first_byte is None
        is_not_sent = error.code in NOBODY_THERE and (error.code != "not_http" or not self._has_answered)
        return self.is_live and is_ours and is_not_sent

    async def _wait_for_the_backend(self, tell: Callable[[], None]) -> None:
        while (seconds := self._free_at - _now()) > 0:
            self.progress.waiting = seconds
            tell()
            await asyncio.sleep(seconds)
        if self.progress.waiting is not None:
            self.progress.waiting = None
            tell()


def _not_asked(answer: Answer) -> Answer:
    error = answer.error or ErrorInfo(CUT_OFF)
    return Answer(error=replace(error, message=f"Not asked because an earlier question failed: {error.message}"))


def _now() -> float:
    return asyncio.get_running_loop().time()
