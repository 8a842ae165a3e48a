"""Answers from a recording, for a client: a transport without a network."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final, NamedTuple

import httpx2

from chat_ui.protocol.answers.recorded_date import RECORDED_EXTENSION, RECORDED_HEADER, recorded_date
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.transport.pace import Pace
from chat_ui.recordings.matching import NotRecorded
from chat_ui.recordings.player import (
    CutShortError,
    NothingCameError,
    NotReachedError,
    Playback,
    ResetByPeerError,
)
from chat_ui.recordings.recording import RecordedExchange, Recording
from chat_ui.recordings.request_facts import body_of

RECORDED_ORIGIN: Final = "http://recording.invalid"
"""The origin of backends that are recordings (RFC 6761, 6.4: no name below `invalid` leads anywhere)."""

_RECORDED: Final = RECORDED_HEADER.lower()
_CODE: Final = "not_recorded"
_NOT_THERE: Final = "This question is not in the recording."
_OF_OPENAI: Final = ("/chat/completions", "/completions")


class ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers from `recording` as it is played at `speed`; see `Playback` and `Recording.matching`.

    A question that was asked before gets its next recording, then the last; with `nth` always that one. Of the
    recordings of a request, `only` those answer of which that is true. Every answer says when it was recorded: in its
    headers (`Chat-UI-Recorded`), and before it comes to the `RECORDED_EXTENSION` of its request. Requests raise
    httpx2's errors where no answer came in the recording. `in_second_arm` says in which arm of a comparison a question
    is asked, as in `Recording.matching`.
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
        in_second_arm: bool | None = None,
    ) -> None:
        self._recording = recording
        self._speed = speed
        self._longest_pause = longest_pause
        self._asked: Counter[int] = Counter()
        """How often a request was made, by the number of its first recording."""
        self._nth = nth
        self._strict = strict
        self._only = only
        self._in_second_arm = in_second_arm

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.raw_path.decode("ascii")
        body = body_of(request.headers.get("content-type", ""), await request.aread())
        asked = request.method, path, body
        matching = self._recording.matching(
            *asked, headers=request.headers, strict=self._strict, in_second_arm=self._in_second_arm
        )
        found = tuple(filter(self._only, matching))
        if not found:
            return await self._without(request, path, body)
        self._asked[found[0].number] += 1
        exchange = found[min(self._nth or self._asked[found[0].number], len(found)) - 1]
        recorded = _told(request, self._recorded_at(exchange))
        playback = Playback(self._recording, exchange, speed=self._speed, longest_pause=self._longest_pause)
        try:
            await playback.answered()
        except CutShortError as error:
            await playback.aclose()
            raise _as_httpx2(error) from error
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
        missing = await asyncio.to_thread(self._recording.without, body)
        status, headers, content = not_recorded(self._recording, missing, request.method, path, strict=self._strict)
        recorded = _told(request, self._recording.header.created_at)
        return httpx2.Response(
            status,
            headers={**headers, **recorded, "content-length": str(len(content))},
            stream=httpx2.ByteStream(content),
            extensions={"network_stream": _ReplayedStream()},
            request=request,
        )

    def _recorded_at(self, exchange: RecordedExchange) -> str:
        """When the answer was recorded: where it came from a replay, when that was."""
        earlier = recorded_date(exchange.headers.get(_RECORDED, ""))
        return earlier or exchange.at or self._recording.header.created_at


def _told(request: httpx2.Request, recorded_at: str) -> dict[str, str]:
    """The header of that date, once the request's extension has it."""
    if (tell := request.extensions.get(RECORDED_EXTENSION)) is not None:
        tell(recorded_at)
    return {_RECORDED: recorded_at}


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers for httpx2, which takes no text but ASCII."""
    return [(name.encode(), value.encode("utf-8", "replace")) for name, value in headers.items()]


class _ReplayedStream:
    """What `transport.network_stream.NetworkStream` is for a connection."""

    def __init__(self) -> None:
        self.pace: Pace | None = None
        self.read_timeout: float | None = None


class _ReplayedBody(httpx2.AsyncByteStream):
    """The body of a replayed answer; with a pace, all that has come in the meantime is given out at once."""

    def __init__(self, playback: Playback, stream: _ReplayedStream) -> None:
        self._playback = playback
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            try:
                if self._stream.pace is not None:
                    await self._stream.pace.wait()
                    if gathered := await self._playback.due():
                        yield gathered
                        continue
                async with asyncio.timeout(self._patience):
                    data = await anext(self._playback)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise httpx2.ReadTimeout(str(error)) from error
            except CutShortError as error:
                raise _as_httpx2(error) from error
            yield data

    @property
    def _patience(self) -> float | None:
        seconds = self._stream.read_timeout
        return None if seconds is None else seconds * self._playback.stretch

    async def aclose(self) -> None:
        await self._playback.aclose()


def _as_httpx2(error: CutShortError) -> httpx2.TransportError:
    """The error that httpx2 raises where a connection ends like that."""
    if isinstance(error, NothingCameError):
        return httpx2.ReadTimeout("nothing came")
    if isinstance(error, ResetByPeerError):
        return httpx2.ReadError("connection reset by peer")
    if isinstance(error, NotReachedError):
        return httpx2.ConnectError("not reached")
    return httpx2.RemoteProtocolError("disconnected")


class ReplayedAnswer(NamedTuple):
    """A whole answer of a replay's own."""

    status: int
    headers: dict[str, str]
    body: bytes


def not_recorded(
    recording: Recording, missing: NotRecorded, method: str, path: str, *, strict: bool = False
) -> ReplayedAnswer:
    """The answer to a request with this path that `recording` does not hold.

    A question gets words and the nearest questions as follow-ups, in the form of the recorded answers; `strict` makes
    it an error, and so is any other request. Where questions are answered, one without a question is refused (400),
    which says that a backend is there.
    """
    bare = path.partition("?")[0]
    there = [one for one in recording.exchanges if one.path.partition("?")[0] == bare]
    if missing.question is None:
        if method == "OPTIONS" and there:
            return ReplayedAnswer(204, {"allow": ", ".join(sorted({one.method for one in there} | {"OPTIONS"}))}, b"")
        is_for_questions = any(one.question is not None and one.method == method for one in there)
        return _error(400 if is_for_questions else 404, "This request is not in the recording.")
    if strict:
        return _error(404, _NOT_THERE)
    return _answer(_like(recording, there), bare, missing.nearest)


def _error(status: int, words: str) -> ReplayedAnswer:
    body = {"error": {"message": words, "code": _CODE}}
    return ReplayedAnswer(status, {"content-type": "application/json"}, json.dumps(body).encode())


def _like(recording: Recording, there: Sequence[RecordedExchange]) -> str:
    """The media type of recorded answers, preferably at the path that was asked."""
    answered = (one for one in (*there, *recording.exchanges) if one.question is not None and one.status == 200)
    first = next(answered, None)
    return first.headers.get("content-type", "").partition(";")[0].strip().lower() if first else ""


def _answer(media_type: str, path: str, questions: Sequence[str]) -> ReplayedAnswer:
    words = f"{_NOT_THERE} These are in it:" if questions else _NOT_THERE
    context: JsonObject = {"followup_questions": list(questions)}
    is_whole, is_of_openai = media_type == "application/json", path.rstrip("/").endswith(_OF_OPENAI)
    text = {"role": "assistant", "content": words}
    place = "message" if is_whole else "delta"
    if is_of_openai:
        choice: JsonObject = {"index": 0, place: text, "finish_reason": "stop", "context": context}
        value: JsonObject = {"object": f"chat.completion{'' if is_whole else '.chunk'}", "choices": [choice]}
    else:
        value = {place: text, "context": context}
    line = json.dumps(value, ensure_ascii=False)
    if is_whole:
        return ReplayedAnswer(200, {"content-type": "application/json"}, line.encode())
    if media_type == "text/event-stream":
        body = f"data: {line}\n\n" + ("data: [DONE]\n\n" if is_of_openai else "")
        return ReplayedAnswer(200, {"content-type": media_type}, body.encode())
    return ReplayedAnswer(200, {"content-type": "application/jsonl"}, f"{line}\n".encode())
