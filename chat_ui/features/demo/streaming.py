"""Streamed HTTP answers that stop when their reader leaves, and that can be cut on purpose."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from typing import Any, TypeVar

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from chat_ui.features.demo.errors import StreamCutError

T = TypeVar("T")

# A space belongs to the next word, long words are split and signs are separate, like tokens.
_PIECE = re.compile(r" ?[^\W_]{1,8}|\s+|[^\w\s]{1,2}|_", re.DOTALL)
_MAY_BEGIN_A_MARK = re.compile(r" ?\[| \Z")


def pieces(text: str) -> Iterator[str]:
    """The text in word-like pieces, without loss."""
    yield from _PIECE.findall(text)


async def with_citations(text: AsyncGenerator[str, None], names: Sequence[str]) -> AsyncGenerator[str | int, None]:
    """The pieces of the text, with the index of a name instead of the name in brackets and the space before."""
    marks = {f"{space}[{name}]": number for space in (" ", "") for number, name in enumerate(names)}
    held = ""
    async for piece in text:
        held += piece
        while held:
            found = next((mark for mark in marks if held.startswith(mark)), None)
            if found is not None:
                yield marks[found]
                held = held[len(found) :]
            elif any(mark.startswith(held) for mark in marks):
                break
            else:
                end = _MAY_BEGIN_A_MARK.search(held, 1)
                at = end.start() if end else len(held)
                yield held[:at]
                held = held[at:]
    if held:
        yield held


class Running:
    """The number of running answers."""

    def __init__(self) -> None:
        self.count = 0

    @contextmanager
    def answer(self) -> Iterator[None]:
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1


class Stream(StreamingResponse):
    """A streamed body. The source is closed at the client's disconnect, also while it waits. If it raises
    `StreamCutError`, the response is left unfinished, which servers turn into a broken connection.
    """

    def __init__(
        self,
        chunks: AsyncGenerator[bytes, None],
        media_type: str,
        running: Running,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        head = {"cache-control": "no-store", "x-accel-buffering": "no", **(headers or {})}
        super().__init__(chunks, media_type=media_type, headers=head)
        self._chunks = chunks
        self._running = running

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        with self._running.answer():
            await unless_disconnected(receive, self.stream_response(send))

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self._chunks):
            with suppress(StreamCutError):
                await super().stream_response(send)


async def unless_disconnected(receive: Receive, work: Coroutine[Any, Any, T]) -> T | None:
    """The result of the work, or None after the client's disconnect, which cancels the work."""
    result: T | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_at_disconnect, receive, tasks.cancel_scope)
        result = await work
        tasks.cancel_scope.cancel()
    return result


async def _cancel_at_disconnect(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
