"""A generation that runs in this process, as a task of the server.

It belongs to the server and not to a tab: it runs until the backend ends, a person stops it or the server ends, watched
or not. Tabs follow its text through `Generation.text_since` and its end through `Generation.ended`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.recent_exchanges import inspections
from chat_ui.conversations.generations.targets import Asked, FindTargets, ask_with_fallback, only_target
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import AnswerHead, GenerationRecord, Status, remark_on
from chat_ui.errors import StoreUnavailableError
from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.pictures import versions
from chat_ui.protocol.answers.redaction import Secrets, object_without_secrets
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.backends.backend import Backend, ChatRequest
from chat_ui.protocol.backends.request import secrets_of
from chat_ui.protocol.detection.asking import ask_there
from chat_ui.protocol.detection.requests import Record
from chat_ui.protocol.errors import InvalidRequestError, RecordingError
from chat_ui.protocol.events import (
    NO_END,
    AnswerWarning,
    CitationReceived,
    ContextReceived,
    CutOff,
    DialectDetected,
    ErrorInfo,
    Event,
    Failed,
    JsonObject,
    PictureReceived,
    Recorded,
    TextDelta,
    TextRevised,
)
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.connection_errors import UNREACHABLE
from chat_ui.protocol.transport.recorder import ResponseRecorder

logger = logging.getLogger(__name__)

TEXT_FIRST: Final = 0.02
"""Seconds by which the last text is sent before the structure with the end: they travel separately."""
_LARGEST_EVENT: Final = 2**26


class LocalGeneration(Generation):
    """A generation of this process, from the moment it is asked for.

    `on_structure` is called at its context and its end. `prepare` makes the request, perhaps after reading the store.
    `prepared` is set after that, also after a failure: `question` is then whole. Pictures are kept in `attachments`.
    """

    def __init__(
        self,
        generation_id: str,
        asked: Asked,
        backend: Backend,
        prepare: Callable[[], Awaitable[ChatRequest]],
        on_structure: Callable[[], None],
        *,
        attachments: Attachments,
    ) -> None:
        super().__init__(generation_id, asked.owner, asked.question, Status.RUNNING)
        self.asked = asked
        self.backend = backend
        self.started_at = time.time()
        self.ended_at: float | None = None
        self.prepared = asyncio.Event()
        self._prepare = prepare
        self._on_structure = on_structure
        self._attachments = attachments
        self._builder = AnswerBuilder(secrets_of(backend, asked.overrides))
        self._text = self._builder.streamed
        self._task: asyncio.Task[None] | None = None
        self._when_cancelled = Status.STOPPED
        self._why: ErrorInfo | None = None
        self._characters = self._beside_text = 0
        self._sends_no_end: Callable[[], bool] = lambda: False
        self._replaced: Backend | None = None
        """The backend that a recording replaces."""
        self._fallback = ""
        """The name of that recording."""

    @property
    def received(self) -> int:
        """Bytes of the answer: text as characters, the rest as it is in memory."""
        return self._characters + self._beside_text

    @property
    def number(self) -> int:
        """The number of the answer to its question, from 1."""
        return self.asked.number

    @property
    def answer(self) -> Answer:
        """The answer so far."""
        return self._builder.answer()

    @property
    def asked_of(self) -> JsonObject:
        """The backend's memory, without credentials; for a fallback the replaced one's, with the recording's name."""
        if self._replaced is not None:
            return {**self._replaced.memory, "recording": self._fallback}
        return self.backend.memory

    @property
    def overrides(self) -> JsonObject:
        """The options that were sent, without credentials."""
        return object_without_secrets(self.asked.overrides, Secrets({}, body=self.asked.overrides).in_request)

    @property
    def head(self) -> AnswerHead:
        """Its head, for the page's structure."""
        answer = self.answer
        return AnswerHead(
            id=self.id,
            number=self.number,
            status=self.status,
            error=answer.error,
            sources=len(answer.data_points),
            pictures=versions(answer.pictures),
            followups=answer.followup_questions if self.ended else (),
            revision=self.context_revision,
            remark=remark_on(answer),
            asked_of=self.asked_of,
            characters=len(answer.text) if self.ended else 0,
            recorded_at=answer.recorded_at,
        )

    @property
    def record(self) -> GenerationRecord:
        """Its record for the store, without the backend's headers, which may be credentials."""
        return GenerationRecord(
            id=self.id,
            conversation=self.asked.conversation,
            turn=self.asked.turn,
            number=self.number,
            status=self.status,
            answer=self.answer,
            started_at=self.started_at,
            ended_at=self.ended_at,
            backend=self.asked_of,
            overrides=self.overrides,
        )

    def size(self, most: int) -> int:
        """Bytes of memory, counted up to `most`."""
        texts = (self._builder.text, self.question, self.asked.overrides)
        # Events other than text were counted as they came.
        return self._beside_text + size_of(texts, most)

    def start(self, client: AsyncClient, find_targets: FindTargets = only_target) -> asyncio.Task[None]:
        """Run as a task of this process, which is returned, by the targets that `find_targets` finds for `client`.

        Raises:
            RuntimeError: it was started before.
        """
        if self._task is not None:
            raise RuntimeError("a generation starts once")
        self._task = asyncio.create_task(self._run(client, find_targets), name=f"generation {self.id}")
        return self._task

    async def stop(self) -> None:
        """End it and close the connection to the backend; its text stays. Does nothing after its end."""
        await self._cancel(Status.STOPPED)

    async def interrupt(self) -> None:
        """End it because this server ends."""
        await self._cancel(Status.INTERRUPTED)

    async def break_off(self, why: ErrorInfo) -> None:
        """End it in the middle, with the reason."""
        self._why = why
        await self._cancel(Status.CUT_OFF)

    async def _cancel(self, status: Status) -> None:
        if self._task is None or self.ended:
            return
        self._when_cancelled = status
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self.ended:
            # It was cancelled before its first step.
            self._finish(status)

    async def _run(self, client: AsyncClient, find_targets: FindTargets) -> None:
        status = Status.FAILED
        try:
            request = await self._prepare()
            if request.resume is None:
                self.question = request.messages[-1].content
            self.prepared.set()
            self._sends_no_end = lambda: client.learnt.sends_no_end(self.backend)
            if self.asked.told:
                self._add(ContextReceived({STEPS: {"told": {"title": TOLD, "props": self._told}}}))
            self.backend = await self._asked(client.for_person(self.owner), request, find_targets)
            self._close()
            answer = self._builder.answer()
            status = _outcome(answer)
            client.learnt.note_end(self.backend, answer)
        except asyncio.CancelledError:
            self._close(self._why)
            status = self._when_cancelled
        except StoreUnavailableError:
            self._close(_HISTORY_UNREADABLE)
        except InvalidRequestError as problem:
            self._close(ErrorInfo(str(problem)))
        except RecordingError as problem:
            self._close(ErrorInfo(str(problem), code="recording"))
        except Exception:
            # An internal error must not leave a page waiting for an answer that never ends.
            logger.exception("generation %s failed", self.id)
            self._close(_OUR_FAULT)
        finally:
            self._finish(status)

    async def _asked(self, client: AsyncClient, request: ChatRequest, find_targets: FindTargets) -> Backend:
        record = self._recorder(request)
        targets = await find_targets(client, self.backend, self.asked)
        if request.resume is not None:
            return await ask_there(targets.first.client, self.backend, request, self._add, record=record)
        self._fallback = targets.fallback.backend.recording if targets.fallback is not None else ""
        return await ask_with_fallback(targets, request, self._add, self._begin_anew, record=record)

    @property
    def _told(self) -> JsonObject:
        return {name: self.asked.overrides[name] for name in self.asked.told}

    def _recorder(self, request: ChatRequest) -> Record:
        def record(asked: Backend) -> ResponseRecorder:
            # The answer keeps the found backend, which also has the documents.
            self.backend = asked
            return inspections.begin(self.id, asked, request)

        return record

    def _add(self, event: Event) -> None:
        self.last_event_at = time.monotonic()
        if type(event) is TextDelta:
            self._characters += len(event.text)
            self._builder.add(event)
        else:
            self._add_beside_text(event)
        self.signal.bump()

    def _add_beside_text(self, event: Event) -> None:
        if isinstance(event, Failed) and self.backend.recording and event.error.code in UNREACHABLE:
            # The backend's address leads nowhere, and the backend may be reachable by now.
            event = Failed(replace(event.error, message=_NOT_IN_RECORDING))
        if isinstance(event, CutOff) and event.code == NO_END and self._sends_no_end():
            event = AnswerWarning(event.code, event.reason)
        if isinstance(event, PictureReceived):
            key = f"{self.id}.{event.id}"
            is_kept = self._attachments.keep_picture(self.owner, key, event.data)
            event = replace(event, data=b"", key=key if is_kept else "")
        self._builder.add(event)
        self._beside_text += size_of((event,), _LARGEST_EVENT)
        self.text_revision += isinstance(event, TextRevised)
        if isinstance(event, ContextReceived | DialectDetected | PictureReceived | Recorded):
            self._context_changed()
        elif isinstance(event, CitationReceived):
            self.context_revision += 1

    def _begin_anew(self, replaced: Backend) -> None:
        """Begin the answer again: a recording replaces that backend, which brought no text."""
        self._replaced = replaced
        self._builder = AnswerBuilder(secrets_of(self.backend, self.asked.overrides))
        self._text = self._builder.streamed
        self._context_changed()

    def _close(self, why: ErrorInfo | None = None) -> None:
        if why is not None:
            self._builder.add(Failed(why))
        self._builder.close()

    def _finish(self, status: Status) -> None:
        self.ended_at = time.time()
        self.status = status
        self.prepared.set()
        self._end.set()
        self.context_revision += 1
        self.signal.bump()
        asyncio.get_running_loop().call_later(TEXT_FIRST, self._on_structure)

    def _context_changed(self) -> None:
        self.context_revision += 1
        self._on_structure()


TOLD: Final = msg("Options of the deployment")
"""The title of the thought with the options that only the deployment told."""
_OUR_FAULT = ErrorInfo(
    message=msg(
        "Reading the answer failed on this page's server. Try again; if it fails again, the server's "
        "log has the reason."
    ),
    code="internal",
)
_NOT_IN_RECORDING = msg("In the recording, the backend could not be reached.")
_HISTORY_UNREADABLE = ErrorInfo(
    message=msg(
        "The earlier part of this conversation cannot be read at the moment, so the question was not "
        "sent. Try again in a moment."
    ),
    code="store_unavailable",
)


def _outcome(answer: Answer) -> Status:
    if answer.error is not None:
        return Status.FAILED
    if answer.pause is not None:
        return Status.WAITING
    return Status.FINISHED if answer.complete else Status.CUT_OFF
