"""A question and its answer over HTTP: the response of a backend and errors of the network become events.

A piece of text is passed on as the body's reader gives it. Every other event is noted (`Exchange.answered` is the
answer in short), freed of sent credentials, and split if large.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Final

import httpx2

from chat_ui.protocol.answers.redaction import object_without_secrets, without_query, without_secrets
from chat_ui.protocol.backends.backend import (
    Attempt,
    Backend,
    Bounds,
    ChatRequest,
    RunAct,
    address_of,
    attempts,
    without_stream,
)
from chat_ui.protocol.backends.request import EncodedRequest, check, encode_request, secrets_of
from chat_ui.protocol.clean_text import clean_object_in_turn
from chat_ui.protocol.dialects.family import Answered
from chat_ui.protocol.events import (
    NO_END,
    RECORDED_HEADER,
    AnswerWarning,
    ContextReceived,
    CutOff,
    DialectDetected,
    ErrorInfo,
    Event,
    Failed,
    ObjectReceived,
    Pause,
    PictureReceived,
    ReasoningDelta,
    Recorded,
    SessionState,
    TextDelta,
    TextRevised,
    Timing,
    UsageReceived,
    recorded_date,
)
from chat_ui.protocol.reading.content_coding import ACCEPT_ENCODING, ContentDecoder, coding_not_read
from chat_ui.protocol.reading.whole_events import WholeEvents
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.translatable import english_number, msg
from chat_ui.protocol.transport.answer_body import AnswerBody
from chat_ui.protocol.transport.connection_errors import connection_error
from chat_ui.protocol.transport.http_errors import http_error
from chat_ui.protocol.transport.network_stream import NetworkStream
from chat_ui.protocol.transport.outgoing import KEEP_METHOD, within_origin
from chat_ui.protocol.transport.recorder import ResponseRecorder
from chat_ui.protocol.transport.throttle import AT_ONCE, Throttle, small_parts

ACCEPT: Final = "application/jsonl, application/x-ndjson, application/json-lines, text/event-stream, application/json"
MOST_UNENDED: Final = 3
"""Consecutive answers without the mark that ends a stream, after which their backend is taken not to send it."""
_FAULTS: Final = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError, zlib.error)
_ERROR_BODY_BYTES: Final = 64 * 1024
_AFTER_DONE: Final = 1.0
_CANCELLED_WITHIN: Final = 2.0
"""Seconds for which Stop waits for the backend."""
_EVENTS: Final = "text/event-stream"


class Exchange:
    """A question and its answer; `events` is read once, and `answered` is the answer so far, in short.

    `closing` has the URLs of backends that closed an earlier answer, each with the number of unclosed answers since.
    """

    def __init__(
        self,
        http: httpx2.AsyncClient,
        bounds: Bounds,
        backend: Backend,
        request: ChatRequest,
        *,
        recorder: ResponseRecorder | None = None,
        throttle: Throttle | None = None,
        closing: RecentlyUsed[str, int] | None = None,
    ) -> None:
        check(backend, request)
        self._http = http
        self._bounds = bounds
        self._backend = backend
        self._request = request
        self._recorder = recorder
        self._throttle = throttle
        self._run: Callable[[RunAct], str] = lambda _: ""
        """The addresses of an answer that outlives its connection."""
        self._stream: NetworkStream
        self._decoder: ContentDecoder
        self._closing = closing
        self._place = without_stream(backend.url)
        self._unclosed = closing.get(self._place) if closing is not None else None
        self._body = AnswerBody(backend.dialect, bounds, closes=self._unclosed is not None, resume=request.resume)
        self._secrets = secrets_of(backend, request.overrides)
        self._url = without_query(backend.url)
        self._started = 0.0
        self._until = bounds.total_timeout
        """Seconds after the request until which its answer is waited for."""
        self._first_byte: float | None = None
        self._first_text: float | None = None
        self._context: float | None = None
        self.answered = Answered(backend)

    async def events(self, then: Callable[[Answered], None] = lambda _: None) -> AsyncGenerator[Event, None]:
        """The events as they arrive, `Timing` last; nothing raises. After the last one, `then` gets the answer in
        short.
        """
        self._started = time.perf_counter()
        response: httpx2.Response | None = None
        last: list[Event] = []
        has_ended = False
        try:
            response = await self._open()
            coding = response.headers.get("content-encoding", "")
            unread = coding_not_read(coding)
            if recorded_at := recorded_date(response.headers.get(RECORDED_HEADER, "")):
                yield Recorded(recorded_at)
            if not response.is_success:
                yield self._note(await self._refused(response, None if unread else ContentDecoder(coding)))
            elif unread:
                yield self._note(self._compressed_unasked(unread))
            else:
                self._decoder, is_enough = ContentDecoder(coding), False
                async with aclosing(self._answer(response)) as parts:
                    async for part in parts:
                        for event in self._body.feed(part):
                            if type(event) is TextDelta and self.answered.has_text and len(event.text) <= AT_ONCE:
                                yield event
                                continue
                            async for small in self._in_small_parts(event):
                                yield self._note(small)
                        is_enough = self._request.until_text and self.answered.has_text
                        if self._body.is_over or is_enough:
                            break
                        if self._first_text is not None:
                            self._stream.throttle = self._throttle
                last = self._noted(self._body.break_off() if is_enough else self._body.end())
                is_unclosed = any(isinstance(one, CutOff) and one.code == NO_END for one in last)
                self._note_close(is_unclosed=is_unclosed)
                has_ended = not (self._body.is_over or is_enough)
                if self._decoder.is_unfinished and has_ended:
                    last.append(CutOff("the compressed data ended early"))
                has_ended &= not is_unclosed
        except (TimeoutError, httpx2.ReadTimeout):
            last = self._noted(self._timed_out())
        except _FAULTS as error:
            last = self._noted(self._broken_by(error))
        finally:
            if response is not None:
                self._stream.throttle = self._stream.read_timeout = None
                await response.aclose()
                if self._run("cancel") and not (has_ended or self._body.has_end):
                    await self._cancel_run()
        for event in (*last, *self._noted(self._body.close())):
            yield event
        self.answered = replace(self.answered, first_object=self._body.first_object)
        yield Timing(self._first_byte, self._first_text, self._elapsed(), self._context)
        then(self.answered)

    # --- request ---

    async def _open(self) -> httpx2.Response:
        """The response of the first way to ask that exists, after redirects to the same origin."""
        ways = attempts(self._backend)
        for way in ways[:-1]:
            response = await self._follow(way)
            if response.status_code not in {404, 405}:
                return response
            await response.aclose()
        return await self._follow(ways[-1])

    async def _follow(self, way: Attempt) -> httpx2.Response:
        sent = await encode_request(self._backend, self._request, stream_flag=way.stream_flag)
        return await within_origin(
            lambda url: self._send(url, sent), httpx2.URL(address_of(self._backend, self._request, way)), KEEP_METHOD
        )

    async def _send(self, url: httpx2.URL, sent: EncodedRequest) -> httpx2.Response:
        """Send the question."""
        self._url = without_query(str(url))
        has_options = bool(self._request.overrides) and self._backend.overrides != "none"
        self.answered = Answered(_as_asked(self._backend, url.path), has_options=has_options)
        headers = {
            "Accept": ACCEPT,
            "Accept-Encoding": ACCEPT_ENCODING,
            "Content-Type": sent.content_type,
            "Content-Length": str(sum(map(len, sent.pieces))),
            **self._backend.format_headers,
            **self._backend.headers,
        }
        request = self._http.build_request("POST", url, content=_Pieces(sent.pieces), headers=headers)
        if self._recorder is not None:
            self._recorder.sent(str(url), self._secrets.in_reports)
        async with asyncio.timeout(self._seconds_left(self._bounds.first_byte_timeout - self._elapsed())):
            response = await self._http.send(request, stream=True)
        if self._recorder is not None:
            self._recorder.answered(response.status_code, response.headers)
        form = self._backend.request_format
        if form and form.run and response.is_success and RECORDED_HEADER not in response.headers:
            self._run = partial(form.run, str(url), response.headers)
        self._stream = response.extensions["network_stream"]
        self.answered = replace(self.answered, headers=dict(response.headers))
        return response

    async def _send_of_run(self, act: RunAct, headers: Mapping[str, str]) -> httpx2.Response:
        sent = {"Accept-Encoding": ACCEPT_ENCODING, **headers, **self._backend.format_headers, **self._backend.headers}
        method = "GET" if act == "stream" else "POST"
        return await self._http.send(self._http.build_request(method, self._run(act), headers=sent), stream=True)

    async def _read_on(self, last_id: str, waits: Iterator[float]) -> httpx2.Response | None:
        """The answer behind the event of that id, asked for after each of the `waits`; None if it does not go on."""
        for wait in waits:
            await asyncio.sleep(wait)
            try:
                async with asyncio.timeout(self._bounds.idle_timeout):
                    response = await self._send_of_run("stream", {"Accept": _EVENTS, "Last-Event-ID": last_id})
            except _FAULTS:
                continue
            is_read = coding_not_read(response.headers.get("content-encoding", "")) is None
            if response.is_success and is_read and _has_events(response):
                return response
            await response.aclose()
            if response.status_code < 500 and response.status_code != 429:
                return None
        return None

    async def _cancel_run(self) -> None:
        """Tell the backend that the answer is not read to its end. A backend that cannot be told goes on writing."""
        with suppress(*_FAULTS):
            async with asyncio.timeout(_CANCELLED_WITHIN):
                await (await self._send_of_run("cancel", {})).aclose()

    # --- response ---

    def _compressed_unasked(self, name: str) -> Failed:
        words = msg(
            "The answer from {url} is compressed as {coding}, which was not requested. Check the "
            "settings of the backend, or of a proxy in front of it.",
            url=self._url,
            coding=name,
        )
        return Failed(ErrorInfo(words, code="compression"))

    def _answer(self, response: httpx2.Response) -> AsyncGenerator[bytes, None]:
        goes_on = self._run("stream") and _has_events(response)
        return self._whole(response) if goes_on else self._parts(response, self._decoder)

    async def _whole(self, response: httpx2.Response) -> AsyncGenerator[bytes, None]:
        """The events of an answer over several connections, in parts; raises as `_next`."""
        events, last_id, waits = WholeEvents(self._bounds.value_bytes), "", iter(self._bounds.resume_waits)
        while True:
            broken: Exception | None = None
            try:
                async with aclosing(self._parts(response, self._decoder)) as parts:
                    async for part in parts:
                        yield events.feed(part)
            except (httpx2.NetworkError, httpx2.RemoteProtocolError, httpx2.ReadTimeout) as error:
                broken = error
            if self._body.has_end or not (broken or self._body.lacks_end):
                yield events.rest()
                return
            events.go_on()
            if events.id != last_id:
                last_id, waits = events.id, iter(self._bounds.resume_waits)
            async with asyncio.timeout(None if self._until is None else self._until - self._elapsed()):
                following = await self._read_on(last_id, waits)
            if following is None:
                if broken is not None:
                    raise broken
                return
            response, self._stream = following, following.extensions["network_stream"]
            self._decoder = ContentDecoder(response.headers.get("content-encoding", ""))

    async def _parts(self, response: httpx2.Response, decoder: ContentDecoder) -> AsyncGenerator[bytes, None]:
        """The body of a response in small parts, decompressed, recorded as they come; raises as `_next`."""
        chunks = response.aiter_raw()
        while (chunk := await self._next(chunks)) is not None:
            for number, part in enumerate(small_parts(decoder.pieces(chunk))):
                if number:
                    await asyncio.sleep(0)
                if self._recorder is not None:
                    self._recorder.piece(self._elapsed(), part)
                yield part

    async def _next(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        """The next piece of the body; None at its end.

        Raises:
            httpx2.ReadTimeout: it did not come in time.
        """
        if self._first_byte is None:
            wait = self._bounds.first_byte_timeout - self._elapsed()
        else:
            wait = min(self._bounds.idle_timeout, _AFTER_DONE) if self._body.is_done else self._bounds.idle_timeout
        # The connection applies this time to each reading; a timer for each chunk would cost more than the reading.
        self._stream.read_timeout = self._seconds_left(wait)
        chunk = await anext(chunks, None)
        if chunk and self._first_byte is None:
            self._first_byte = self._elapsed()
        return chunk

    def _seconds_left(self, wait: float) -> float:
        if self._until is not None:
            wait = min(wait, self._until - self._elapsed())
        return max(0.0, wait)

    def _note_close(self, *, is_unclosed: bool) -> None:
        """Note whether the answer was closed; several unclosed ones show that the backend has changed."""
        if self._closing is None:
            return
        if self._body.is_closed:
            self._closing.put(self._place, 0, len(self._place))
        elif is_unclosed and self._unclosed is not None and self._unclosed + 1 < MOST_UNENDED:
            self._closing.put(self._place, self._unclosed + 1, len(self._place))
        elif is_unclosed:
            self._closing.pop(self._place)

    async def _refused(self, response: httpx2.Response, decoder: ContentDecoder | None) -> Failed:
        target = response.headers.get("location", "").strip()
        if target and response.status_code in range(300, 400):
            words = msg(
                "The backend at {url} redirects to {place}, which is not followed. It is often a "
                "sign-in page: check the address and the credentials.",
                url=self._url,
                place=_place(target, self._url),
            )
            return Failed(ErrorInfo(words, code="redirect", status=response.status_code))
        body = b""
        if decoder is not None:
            self._until = self._elapsed() + self._seconds_left(self._bounds.error_body_timeout)
            with suppress(httpx2.HTTPError, httpx2.StreamError, zlib.error):
                async with aclosing(self._parts(response, decoder)) as parts:
                    async for part in parts:
                        body += part
                        if len(body) >= _ERROR_BODY_BYTES:
                            break
        return Failed(http_error(response.status_code, response.headers, body[:_ERROR_BODY_BYTES], self._url))

    # --- network ---

    def _timed_out(self) -> Iterator[Event]:
        if self._body.is_done:
            yield from self._body.end()
            return
        bounds, elapsed = self._bounds, self._elapsed()
        if bounds.total_timeout is not None and elapsed >= bounds.total_timeout:
            reason = f"the answer was not finished within {english_number(bounds.total_timeout)} s"
        elif self._first_byte is None:
            reason = f"nothing came within {english_number(bounds.first_byte_timeout)} s"
        else:
            reason = f"nothing more came for {english_number(bounds.idle_timeout)} s"
        yield from self._body.break_off()
        if self._first_text is not None:
            yield CutOff(reason)
        else:
            words = msg(
                "The backend at {url} did not answer in time: {reason}. Try again, or check that it is running.",
                url=self._url,
                reason=reason,
            )
            yield Failed(ErrorInfo(words, code="timeout"))

    def _broken_by(self, error: Exception) -> Iterator[Event]:
        if self._body.is_done:
            yield from self._body.end()
            return
        is_damaged = isinstance(error, zlib.error)
        if self._first_byte is None or (is_damaged and self._first_text is None):
            yield Failed(connection_error(error, self._url, self._bounds))
            return
        yield from self._body.break_off()
        damaged, broken = "the compressed data is damaged", "the connection to the backend broke"
        yield CutOff(damaged if is_damaged else broken)

    def _noted(self, events: Iterable[Event]) -> list[Event]:
        return [self._note(event) for event in events]

    def _note(self, event: Event) -> Event:
        match event:
            case TextDelta():
                if self._first_text is None:
                    self._first_text = self._elapsed()
                if not self.answered.has_text and event.text.strip():
                    self.answered = replace(self.answered, has_text=True)
            case TextRevised(text):
                self.answered = replace(self.answered, has_text=bool(text.strip()))
            case Pause() | PictureReceived():
                self.answered = replace(self.answered, has_text=True)
            case ContextReceived() if self._context is None:
                self._context = self._elapsed()
                self.answered = replace(self.answered, has_context=True)
            case DialectDetected(name):
                self.answered = replace(self.answered, dialect=name)
            case SessionState():
                self.answered = replace(self.answered, session_state=event)
            case Failed(error):
                code = error.code and self._redacted_prose(error.code)
                error = replace(error, message=self._redacted(error.message), code=code)
                self.answered = replace(self.answered, error=self.answered.error or error)
                return Failed(error)
            case UsageReceived(usage) if self._secrets.in_prose:
                return UsageReceived(object_without_secrets(usage, self._secrets.in_prose))
            case AnswerWarning(code, detail):
                return AnswerWarning(code, self._redacted(detail))
            case ObjectReceived(name):
                return ObjectReceived(self._redacted(name))
            case CutOff(reason, code):
                return CutOff(self._redacted(reason), code)
        return event

    async def _in_small_parts(self, event: Event) -> AsyncIterator[Event]:
        """`event`, or a long text as several events, between which other tasks run; a large context is clean."""
        if isinstance(event, ContextReceived) and size_of((event.context,), AT_ONCE) > AT_ONCE:
            yield ContextReceived(await clean_object_in_turn(event.context, self._redacted_prose), is_clean=True)
        elif not isinstance(event, TextDelta | ReasoningDelta) or len(event.text) <= AT_ONCE:
            yield event
        else:
            for at in range(0, len(event.text), AT_ONCE):
                yield type(event)(event.text[at : at + AT_ONCE])
                await asyncio.sleep(0)

    def _redacted(self, report: str) -> str:
        return without_secrets(report, self._secrets.in_reports)

    def _redacted_prose(self, text: str) -> str:
        return without_secrets(text, self._secrets.in_prose)

    def _elapsed(self) -> float:
        return time.perf_counter() - self._started


class _Pieces:
    """The body of a request, which can be sent again."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


def _has_events(response: httpx2.Response) -> bool:
    return bool(response.headers.get("content-type", "").lower().startswith(_EVENTS))


def _as_asked(backend: Backend, path: str) -> Backend:
    """`backend`, with the streaming of the last way to ask, at this path."""
    if backend.streaming != "auto" or not backend.stream:
        return backend
    return replace(backend, streaming="path" if path.rstrip("/").endswith("/stream") else "body")


def _place(location: str, base: str) -> str:
    """The target of a redirect, without its query, which may carry a secret."""
    target = httpx2.URL(base).join(location)
    return str(target.copy_with(query=None, fragment=None, userinfo=b""))[:200]
