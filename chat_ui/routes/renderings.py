"""Answers rendered for the routes: what may cost much is rendered in a process beside the server, and once.

A rendered answer is kept as bytes, so that a long one is read in the process alone that makes something of it.
"""

from __future__ import annotations

import asyncio
import hashlib
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeVar

from chat_ui.protocol.answer import Answer
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.rendering.answers import RenderedAnswer, answer_as_text, render_answer
from chat_ui.rendering.work import IN_PLACE, work_of, work_of_points
from chat_ui.routes.owned import Answered
from chat_ui.server.processes import Processes, TooCostlyError

Result = TypeVar("Result")

SETTLED_BYTES: Final = 32 * 1024 * 1024
"""What rendered answers may take that are kept."""


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent, encoded where it was made, and a validator for it."""

    content: bytes
    etag: str

    @classmethod
    def of(cls, text: str) -> Body:
        """The body that says `text`."""
        content = text.encode("utf-8", "replace")
        return cls(content, f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"')


class Renderings:
    """The rendered answers of a server; short ones are rendered in place, the others in `processes`."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._settled: RecentlyUsed[str, bytes] = RecentlyUsed(SETTLED_BYTES)
        self._begun: dict[str, asyncio.Task[bytes]] = {}

    async def body(self, person: str, generation: Answered, function: Callable[[Answer, RenderedAnswer], str]) -> Body:
        """What is sent of that which `make` makes.

        Raises:
            TooCostlyError: it takes too long.
        """
        return await self.make(person, generation, partial(_body, function))

    async def make(
        self, person: str, generation: Answered, function: Callable[[Answer, RenderedAnswer], Result]
    ) -> Result:
        """What `function`, of a module or part of one, makes of an answer's data points and its rendering.

        Raises:
            TooCostlyError: it takes too long.
        """
        whole = generation.answer
        answer = Answer(text=whole.text, data_points=whole.data_points, error=whole.error)
        if work_of(answer.text, IN_PLACE) + work_of_passages(answer) <= IN_PLACE:
            packed = self._settled.get(generation.id) or self._keep(generation, _packed(answer))
            return _made(packed, function, replace(answer, text=""))
        packed = self._settled.get(generation.id) or await self._pack(person, generation, answer)
        # The text may be as long as what was made of it.
        return await self._processes.run(person, _made, packed, function, replace(answer, text=""))

    async def _pack(self, person: str, generation: Answered, answer: Answer) -> bytes:
        """The rendering of a long answer, which is rendered once however many ask for it at the same time."""
        if not generation.ended:
            return await self._packed(person, answer)
        begun = self._begun.get(generation.id)
        if begun is None:
            begun = self._begun[generation.id] = asyncio.create_task(self._packed(person, answer))
            begun.add_done_callback(lambda _: self._begun.pop(generation.id, None))
        return self._keep(generation, await asyncio.shield(begun))

    async def _packed(self, person: str, answer: Answer) -> bytes:
        try:
            return await self._processes.run(person, _packed, answer)
        except TooCostlyError:
            return pickle.dumps(answer_as_text(answer.text))

    def _keep(self, generation: Answered, packed: bytes) -> bytes:
        if generation.ended:
            self._settled.put(generation.id, packed, len(packed))
        return packed


def work_of_passages(answer: Answer) -> int:
    """About the microseconds that it takes to show an answer's sources."""
    return work_of_points(answer.data_points) + sum(len(point.text) for point in answer.data_points) // 10


def _body(function: Callable[[Answer, RenderedAnswer], str], answer: Answer, rendered: RenderedAnswer) -> Body:
    return Body.of(function(answer, rendered))


def _packed(answer: Answer) -> bytes:
    return pickle.dumps(render_answer(answer.text, answer.data_points))


def _made(packed: bytes, function: Callable[[Answer, RenderedAnswer], Result], answer: Answer) -> Result:
    return function(answer, pickle.loads(packed))  # noqa: S301 - made by `_packed`
