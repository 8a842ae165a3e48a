"""Answers from a recording, for a client: a transport without a network, which plays each reading at its time.

The times of an answer follow one clock from its beginning, so a late reading does not delay later ones.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final, Self

import httpx2

from chat_ui.protocol.events import RECORDED_EXTENSION, RECORDED_HEADER, Json, JsonObject, recorded_date
from chat_ui.protocol.recordings.recording import RecordedExchange, Recording
from chat_ui.protocol.recordings.recording_format import NO_CONNECTION, NOTHING_CAME, Ending, How, Reading
from chat_ui.protocol.recordings.request_facts import asked_in, body_of
from chat_ui.protocol.transport.throttle import Throttle

RECORDED_ORIGIN: Final = "http://recording.invalid"
"""The origin of backends that are recordings (RFC 6761, 6.4: names below `invalid` never resolve)."""

_RECORDED: Final = RECORDED_HEADER.lower()
_CODE: Final = "not_recorded"
_NOT_THERE: Final = "This question is not in the recording."
_OF_OPENAI: Final = ("/chat/completions", "/completions")
_ERRORS: Final[Mapping[tuple[How, str], tuple[type[httpx2.TransportError], str]]] = {
    ("reset", ""): (httpx2.ReadError, "connection reset by peer"),
    ("stopped", NOTHING_CAME): (httpx2.ReadTimeout, NOTHING_CAME),
    ("cut", NO_CONNECTION): (httpx2.ConnectError, "not reached"),
}
"""The error of httpx2, and its words, by the end of an exchange and its reason."""
_DISCONNECTED: Final = (httpx2.RemoteProtocolError, "disconnected")
"""The same for every other exchange without its whole answer."""


class ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers from `recording` as it is played at `speed`; see `Playback` and `Recording.matching`.

    A repeated question gets its next recording, then the last; with `nth` always that one. `only` selects recordings of
    a request. Every answer has its recording date: in its headers (`Chat-UI-Recorded`), and earlier for the
    `RECORDED_EXTENSION` of its request. Requests without a recorded answer raise httpx2's errors. `in_second_column`
    gives the column of a comparison, as in `Recording.matching`.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        speed: float = 1.0,
        longest_pause: float = math.inf,
        nth: int | None = None,
        strict: bool = False,
        only: Callable[[RecordedExchange], bool] = lambda _: True,
        in_second_column: bool | None = None,
    ) -> None:
        self._recording = recording
        self._speed = speed
        self._longest_pause = longest_pause
        self._asked: Counter[int] = Counter()
        """The number of equal requests, by their first recording."""
        self._nth = nth
        self._strict = strict
        self._only = only
        self._in_second_column = in_second_column

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """As httpx2 has it."""
        path = request.url.raw_path.decode("ascii")
        body = body_of(request.headers.get("content-type", ""), await request.aread())
        matching = self._recording.matching(
            request.method,
            path,
            body,
            headers=request.headers,
            strict=self._strict,
            in_second_column=self._in_second_column,
        )
        found = tuple(filter(self._only, matching))
        if not found:
            return await self._without(request, path.partition("?")[0], body)
        self._asked[found[0].number] += 1
        exchange = found[min(self._nth or self._asked[found[0].number], len(found)) - 1]
        recorded = _told(request, self._recorded_at(exchange))
        playback = Playback(self._recording, exchange, speed=self._speed, longest_pause=self._longest_pause)
        try:
            await playback.answered()
        except BaseException:
            await playback.aclose()
            raise
        stream = _ReplayedStream()
        return httpx2.Response(
            exchange.status or 200,
            headers=_encoded({**exchange.headers, **recorded}),
            stream=_ReplayedBody(playback, stream),
            extensions={"network_stream": stream},
            request=request,
        )

    async def _without(self, request: httpx2.Request, path: str, body: Json) -> httpx2.Response:
        """The answer to a request with this path that is not in the recording.

        A question gets words and the nearest questions as follow-ups, in the form of the recorded answers. With
        `strict` it gets an error, as any other request does. At a path of questions, a request without a question is
        refused (400), to show that a backend is there.
        """
        there = [one for one in self._recording.exchanges if one.path.partition("?")[0] == path]
        headers, content = {}, b""
        if (asked := asked_in(body)) is None:
            if request.method == "OPTIONS" and there:
                status, headers = 204, {"allow": ", ".join(sorted({one.method for one in there} | {"OPTIONS"}))}
            else:
                is_for_questions = any(one.question is not None and one.method == request.method for one in there)
                status = 400 if is_for_questions else 404
                headers, content = _error("This request is not in the recording.")
        elif self._strict:
            status = 404
            headers, content = _error(_NOT_THERE)
        else:
            status = 200
            nearest = await asyncio.to_thread(self._recording.nearest, asked)
            headers, content = _answer(_media_type((*there, *self._recording.exchanges)), path, nearest)
        recorded = _told(request, self._recording.header.created_at)
        return httpx2.Response(
            status,
            headers={**headers, **recorded, "content-length": str(len(content))},
            stream=httpx2.ByteStream(content),
            extensions={"network_stream": _ReplayedStream()},
            request=request,
        )

    def _recorded_at(self, exchange: RecordedExchange) -> str:
        """The date of the answer, also of a recorded replay."""
        earlier = recorded_date(exchange.headers.get(_RECORDED, ""))
        return earlier or exchange.at or self._recording.header.created_at


def _told(request: httpx2.Request, recorded_at: str) -> dict[str, str]:
    """The header of that date, after calling the request's extension."""
    if (tell := request.extensions.get(RECORDED_EXTENSION)) is not None:
        tell(recorded_at)
    return {_RECORDED: recorded_at}


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers for httpx2, which takes only ASCII text."""
    return [(name.encode(), value.encode("utf-8", "replace")) for name, value in headers.items()]


def _error(words: str) -> tuple[dict[str, str], bytes]:
    body = {"error": {"message": words, "code": _CODE}}
    return {"content-type": "application/json"}, json.dumps(body).encode()


def _media_type(exchanges: Sequence[RecordedExchange]) -> str:
    """The media type of the first answer to a question."""
    answered = (one for one in exchanges if one.question is not None and one.status == 200)
    first = next(answered, None)
    return first.headers.get("content-type", "").partition(";")[0].strip().lower() if first else ""


def _answer(media_type: str, path: str, questions: Sequence[str]) -> tuple[dict[str, str], bytes]:
    words = f"{_NOT_THERE} Recorded questions:" if questions else _NOT_THERE
    context: JsonObject = {"followup_questions": list(questions)}
    is_complete, is_of_openai = media_type == "application/json", path.rstrip("/").endswith(_OF_OPENAI)
    place = "message" if is_complete else "delta"
    value: JsonObject = {place: {"role": "assistant", "content": words}, "context": context}
    if is_of_openai:
        choice: JsonObject = {"index": 0, **value, "finish_reason": "stop"}
        value = {"object": f"chat.completion{'' if is_complete else '.chunk'}", "choices": [choice]}
    line = json.dumps(value, ensure_ascii=False)
    if is_complete:
        body = line
    elif media_type == "text/event-stream":
        body = f"data: {line}\n\n" + ("data: [DONE]\n\n" if is_of_openai else "")
    else:
        media_type, body = "application/jsonl", f"{line}\n"
    return {"content-type": media_type}, body.encode()


class Playback:
    """The body of an exchange, played from now on: an iterator over its readings, to be closed after use. It raises an
    error of httpx2 if the answer was not whole.

    `speed` seconds of the recording pass in one; `math.inf` plays without waiting. Pauses are at most `longest_pause`
    seconds of the recording.
    """

    def __init__(
        self, recording: Recording, exchange: RecordedExchange, *, speed: float = 1.0, longest_pause: float = math.inf
    ) -> None:
        self._items = recording.readings(exchange)
        self._exchange = exchange
        self._speed = speed
        self._longest_pause = longest_pause
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._place = 0.0
        """The recorded time that was played last."""
        self._cut_off = 0.0
        """Seconds that were cut from long pauses."""
        self._next: Reading | Ending | None = None

    @property
    def stretch(self) -> float:
        """The factor, at least 1, by which playing is slower than the recording."""
        return max(1.0, 1 / self._speed)

    async def aclose(self) -> None:
        """Close the file."""
        await self._items.aclose()

    async def answered(self) -> None:
        """Return at the time of the status and the headers.

        Raises:
            httpx2.TransportError: they never came.
        """
        if self._exchange.status is None:
            await self._until(self._exchange.seconds)
            _raise_end(self._exchange.how, self._exchange.why)
        await self._until(self._exchange.answered)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        item = await self._peek()
        await self._until(item.seconds)
        self._next = None
        if isinstance(item, Reading):
            return item.data
        await self.aclose()
        _raise_end(item.how, item.why)
        raise StopAsyncIteration

    async def due(self) -> bytes:
        """The due readings, joined; may be empty."""
        found: list[bytes] = []
        while isinstance(item := await self._peek(), Reading) and self._seconds_to(item.seconds) <= 0:
            self._place, self._next = item.seconds, None
            found.append(item.data)
        return b"".join(found)

    async def _peek(self) -> Reading | Ending:
        if self._next is None:
            self._next = await anext(self._items)
        return self._next

    async def _until(self, seconds: float) -> None:
        self._cut_off += max(0.0, seconds - self._place - self._longest_pause)
        self._place = seconds
        if (wait := self._seconds_to(seconds)) > 0:
            await asyncio.sleep(wait)

    def _seconds_to(self, seconds: float) -> float:
        return self._began + (seconds - self._cut_off) / self._speed - self._loop.time()


def _raise_end(how: How, why: str) -> None:
    if how != "end":
        error, words = _ERRORS.get((how, why), _DISCONNECTED)
        raise error(words)


class _ReplayedStream:
    """The equivalent of `transport.throttle.NetworkStream` for a recording."""

    def __init__(self) -> None:
        self.throttle: Throttle | None = None
        self.read_timeout: float | None = None


class _ReplayedBody(httpx2.AsyncByteStream):
    """The body of a replayed answer; with a throttle, all due readings are given out at once."""

    def __init__(self, playback: Playback, stream: _ReplayedStream) -> None:
        self._playback = playback
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            try:
                if self._stream.throttle is not None:
                    await self._stream.throttle.wait()
                    if gathered := await self._playback.due():
                        yield gathered
                        continue
                async with asyncio.timeout(self._timeout):
                    data = await anext(self._playback)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise httpx2.ReadTimeout(str(error)) from error
            yield data

    @property
    def _timeout(self) -> float | None:
        seconds = self._stream.read_timeout
        return None if seconds is None else seconds * self._playback.stretch

    async def aclose(self) -> None:
        """Close the file."""
        await self._playback.aclose()
