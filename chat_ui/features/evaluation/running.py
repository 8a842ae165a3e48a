"""A run: every question that has no answer yet is asked, several at once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final, TypeAlias

from chat_ui.features.evaluation.errors import BackendUnavailableError
from chat_ui.features.evaluation.question_set import Question
from chat_ui.features.evaluation.results import CUT_OFF, Result, result_of
from chat_ui.features.presenting.rehearsal import Conversation
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.detection.asking import answer_anywhere
from chat_ui.protocol.errors import UnsendableError
from chat_ui.protocol.events import NO_END, ErrorInfo, JsonObject, Timing
from chat_ui.protocol.transport.client import Client
from chat_ui.protocol.transport.connection_errors import NOBODY_THERE

PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds before each further try to reach a backend that was there before."""
LONGEST_WAIT: Final = 600.0
"""Seconds that one question waits, all told, because the backend said to come back later."""
_SHORTEST_WAIT: Final = 1.0
"""Seconds that are waited where a backend says fewer."""
_BUSY: Final = frozenset({429, 503})
Ask: TypeAlias = Callable[[ChatRequest], Awaitable[Answer]]
"""Asks a backend; an answer that failed is an answer."""


@dataclass(slots=True)
class FoundBackend:
    """Asks at the address first, and from then on where the backend was found."""

    client: Client
    backend: Backend
    found: Backend | None = None

    async def __call__(self, request: ChatRequest) -> Answer:
        """The answer to `request`, with its error where there was one."""
        try:
            answer = await self._answer(request)
        except UnsendableError as problem:
            return Answer(error=ErrorInfo(str(problem)))
        asked = self.found or self.backend
        is_complete = self.client.learnt.sends_no_end(asked) and answer.flaw is not None and answer.flaw.code == NO_END
        self.client.learnt.note_end(asked, answer)
        return replace(answer, complete=True) if is_complete else answer

    async def _answer(self, request: ChatRequest) -> Answer:
        if self.found is not None:
            return await self.client.ask(self.found, request)
        answer, found = await answer_anywhere(self.client, self.backend, request)
        if answer.error is None or answer.error.status is not None:
            self.found = found
        return answer


@dataclass(slots=True)
class Progress:
    """How far a run is: how many answers are `done`, how many of these `failed`, and for how many seconds the backend
    asks to be left alone, where it does so now.
    """

    done: int = 0
    failed: int = 0
    waiting: float | None = None


@dataclass(slots=True)
class Run:
    """Asks `questions` by `ask`, each `times`, at most `concurrency` at once, with `options` of the backend.

    The first is asked alone, so that a backend is found once. A status of 429 or 503 with Retry-After holds up every
    question for that long, then it is asked again, up to `longest_wait`; a single wait beyond that ends the run.
    Nothing else is sent twice. Where a connection is refused, nothing was sent: after the first answer it is tried
    again after each of `pauses`. A backend that is not `live`, a recording, is asked again without waiting, is never
    away, and its answers have no times: they came at full speed.
    """

    ask: Ask
    options: JsonObject
    concurrency: int = 4
    is_live: bool = True
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
        """Ask what is `wanted`, give `take` each result as it comes, and tell `on_progress` of each step.

        Raises:
            BackendUnavailableError: nobody is there, or the backend wants to be asked much later.
            Exception: what `take` raises.
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
        for message, following in pairwise(question.messages):
            said.append(message)
            if message.role != "user" or following.role != "user":
                conversation.tell(message)
                continue
            answer = await self._with_retries(conversation.asking(message.content), tell)
            if answer.error is not None or not answer.complete:
                return result_of(question, time, said, _not_asked(answer))
            conversation.take(message.content, answer)
            said.append(Message("assistant", answer.text))
        answer = await self._with_retries(conversation.asking(question.text), tell)
        return result_of(question, time, said, answer)

    async def _with_retries(self, request: ChatRequest, tell: Callable[[], None]) -> Answer:
        """The answer, once the backend is there and takes the question."""
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
                raise BackendUnavailableError(replace(error, message=_asks_later(error, wait)))
            if waited + wait > self.longest_wait:
                break
            waited += wait
            if self.is_live:
                self._free_at = max(self._free_at, _now() + wait)
        self._has_answered = True
        return answer if self.is_live else replace(answer, timing=Timing())

    def _is_unavailable(self, error: ErrorInfo, answer: Answer) -> bool:
        """Whether nobody is there, and so nothing was sent. What speaks no HTTP has taken the question all the same.

        A code may be the backend's own word, but then it came with an answer.
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


def _asks_later(error: ErrorInfo, wait: float) -> str:
    return f"{error.message} The backend asks for a pause of {math.ceil(wait / 60)} minutes."


def _not_asked(answer: Answer) -> Answer:
    error = answer.error or ErrorInfo(CUT_OFF)
    return Answer(error=replace(error, message=f"The question was not asked, as one before it failed: {error.message}"))


def _now() -> float:
    return asyncio.get_running_loop().time()
