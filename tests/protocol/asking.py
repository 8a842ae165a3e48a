"""Helpers to ask a stand-in, and to fold values without one."""

from collections.abc import Callable
from typing import Any

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.backends.backend import Backend, Bounds, ChatRequest, Message
from chat_ui.protocol.detection.asking import ask_anywhere
from chat_ui.protocol.detection.detection import Detection
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.events import CutOff, ErrorInfo, Event
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed, FrameItem, StreamDone, Unfinished
from chat_ui.protocol.transport.answer_body import AnswerBody
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.throttle import Throttle
from tests.stand_ins.stand_in import Received, Reply, StandIn
from tests.timeouts import TIMEOUT

QUESTION = ChatRequest((Message("user", "Who pays for glasses?"),))
PATIENT = Bounds(connect_timeout=TIMEOUT, first_byte_timeout=TIMEOUT, idle_timeout=TIMEOUT, error_body_timeout=TIMEOUT)
"""Timeouts for responses that certainly come. A test sets others for missing ones."""


class CountedPace(Throttle):
    waits = 0

    async def wait(self, seconds: float = 1.0, has_end: Callable[[], bool] = lambda: False) -> None:
        self.waits += 1
        await super().wait(seconds, has_end)


async def asked(
    rule: Reply | Callable[[Received], Reply], path: str = "/chat", bounds: Bounds = PATIENT, **backend: Any
) -> tuple[Answer, StandIn]:
    """The answer of a stand-in to the question, and the stand-in with its requests."""
    async with StandIn(rule).running() as stand_in, AsyncClient(bounds) as client:
        return await client.ask(Backend(stand_in.url + path, **backend), QUESTION), stand_in


async def answer_to(reply: Reply, bounds: Bounds = PATIENT, **backend: Any) -> Answer:
    answer, _ = await asked(reply, bounds=bounds, **backend)
    return answer


async def asked_anywhere(
    client: AsyncClient, backend: Backend, request: ChatRequest = QUESTION
) -> tuple[Answer, Backend]:
    """The answer, and the backend as detected."""
    events: list[Event] = []
    found = await ask_anywhere(client, backend, request, events.append)
    return folded(events), found


def framed(body: bytes, size: int | None = None, max_value_bytes: int = 32 * 1024 * 1024) -> list[FrameItem]:
    framer = Framer(max_value_bytes)
    items: list[FrameItem] = []
    for at in range(0, len(body), size or max(1, len(body))):
        items += framer.feed(body[at : at + (size or len(body))])
    return items + framer.close()


def values(body: bytes, size: int | None = None) -> list[object]:
    return [item.value for item in framed(body, size) if isinstance(item, Framed)]


def events(body: bytes, size: int | None = None, dialect: str = "auto") -> list[Event]:
    reader = DialectReader(dialect)
    found: list[Event] = []
    for item in framed(body, size):
        if isinstance(item, Framed):
            found += reader.read(item)
        elif isinstance(item, Unfinished):
            found.append(CutOff(item.detail))
        elif not isinstance(item, StreamDone):
            found.append(item)
    return [*found, *reader.close()]


def folded(found: list[Event]) -> Answer:
    builder = AnswerBuilder()
    for event in found:
        builder.add(event)
    builder.close()
    return builder.answer()


def fold(body: bytes, size: int | None = None, dialect: str = "auto") -> Answer:
    builder = AnswerBuilder()
    released = "".join([builder.add(event) for event in events(body, size, dialect)])
    released += builder.close()
    answer = builder.answer()
    assert builder.revision or released == answer.text
    return answer


def answer_of(body: bytes) -> Answer:
    """The answer of a properly closed body."""
    read = AnswerBody("auto", PATIENT)
    return folded([*read.feed(body), *read.end()])


def error_of(answered: Answer | Detection) -> ErrorInfo:
    """The answer's error, which must exist."""
    assert answered.error is not None
    return answered.error


def backend_of(found: Detection) -> Backend:
    """The detected backend, which must exist."""
    assert found.backend is not None
    return found.backend
