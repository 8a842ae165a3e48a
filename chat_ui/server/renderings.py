"""Answers rendered for the routes: costly ones in a process beside the server, and once.

A rendered answer is kept as compressed bytes. So only the process that uses it reads a long one. Pages ask for its
document in parts, each of which is read separately.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from chat_ui.conversations.generations.generation import Generation
from chat_ui.errors import TooCostlyError
from chat_ui.languages.foreign_text import BEGINNING
from chat_ui.languages.translation import current_language
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.rendering import claim_check
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.packed import Body, Packed, body, made_of, packed, packed_as_text, packed_with_checks
from chat_ui.rendering.streaming.work import IN_PLACE, work_of, work_of_points
from chat_ui.server.processes.pool import Processes

Result = TypeVar("Result")

SETTLED_BYTES: Final = 32 * 1024 * 1024
"""Bytes of the rendered answers that are kept."""


class Renderings:
    """The rendered answers of a server; short ones are rendered in place, the others in `processes`."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._settled: RecentlyUsed[str, Packed] = RecentlyUsed(SETTLED_BYTES)
        """By the id, status, size and language of an ended answer."""
        self._begun: dict[str, asyncio.Task[Packed]] = {}

    async def body(
        self,
        person: str,
        generation: Generation,
        function: Callable[[Answer, RenderedAnswer], str],
        *,
        with_checks: bool = False,
    ) -> Body:
        """The body of the result of `make`.

        Raises:
            TooCostlyError: it takes too long.
        """
        return await self.make(person, generation, partial(body, function), with_checks=with_checks)

    async def part(self, person: str, generation: Generation, number: int) -> tuple[Body, int] | None:
        """A part of an answer's document, counted from 0 at its end, and the number of parts; None if missing."""
        kept = await self._pack(person, generation, _what_is_rendered(generation))
        return (kept.part(number), len(kept.parts)) if number < len(kept.parts) else None

    async def make(
        self,
        person: str,
        generation: Generation,
        function: Callable[[Answer, RenderedAnswer], Result],
        *,
        with_checks: bool = False,
    ) -> Result:
        """The result of `function`, of a module or a partial, for an answer's data points and its rendering. If
        `with_checks`, it waits until the claims of an ended answer are checked.

        Raises:
            TooCostlyError: it takes too long.
        """
        answer = _what_is_rendered(generation)
        kept = await self._pack(person, generation, answer, with_checks=with_checks)
        # The text may be as long as its rendering.
        arguments = kept.rendered, function, replace(answer, text="")
        return made_of(*arguments) if _is_short(answer) else await self._processes.run(person, made_of, *arguments)

    async def _pack(self, person: str, generation: Generation, answer: Answer, *, with_checks: bool = False) -> Packed:
        """The rendering of an answer, which is made once for all simultaneous requests."""
        # An answer that was taken for interrupted may have gone on.
        size = len(answer.text), len(answer.citations)
        told = f"{generation.id} {generation.status} {size} {current_language().tag}"
        name = told if generation.ended else ""
        if (kept := self._settled.get(name)) is None:
            if _is_short(answer):
                kept = self._keep(name, packed(answer))
            elif not name:
                return await self._pack_long(person, answer)
            else:
                kept = await self._once(name, self._pack_long, person, answer)
        if not (with_checks and name and answer.data_points and claim_check.current()):
            return kept
        checks = f"{name} checked"
        return self._settled.get(checks) or await self._once(checks, self._check, person, answer, kept)

    async def _once(self, name: str, make: Callable[..., Coroutine[None, None, Packed]], *arguments: object) -> Packed:
        begun = self._begun.get(name)
        if begun is None:
            begun = self._begun[name] = asyncio.create_task(make(*arguments))
            begun.add_done_callback(lambda _: self._begun.pop(name, None))
        return self._keep(name, await asyncio.shield(begun))

    async def _check(self, person: str, answer: Answer, kept: Packed) -> Packed:
        """Comparing an answer with its passages takes longer than rendering a short one."""
        beginning = replace(answer, text=answer.text[:BEGINNING])
        try:
            return await self._processes.run(person, packed_with_checks, kept.rendered, beginning)
        except TooCostlyError:
            return kept

    async def _pack_long(self, person: str, answer: Answer) -> Packed:
        try:
            return await self._processes.run(person, packed, answer)
        except TooCostlyError:
            return await self._processes.run(person, packed_as_text, answer.bracketed_text)

    def _keep(self, name: str, made: Packed) -> Packed:
        if name:
            self._settled.put(name, made, made.size)
        return made


def work_of_passages(answer: Answer) -> int:
    """About the microseconds of showing an answer's sources."""
    return (
        work_of_points(answer.data_points, answer.citations)
        + sum(len(point.text) for point in answer.data_points) // 10
    )


def _what_is_rendered(generation: Generation) -> Answer:
    complete = generation.answer
    return Answer(
        text=complete.text,
        citations=complete.citations,
        pictures=complete.pictures,
        data_points=complete.data_points,
        error=complete.error,
        recorded_at=complete.recorded_at,
    )


def _is_short(answer: Answer) -> bool:
    return work_of(answer.text, IN_PLACE) + work_of_passages(answer) <= IN_PLACE
