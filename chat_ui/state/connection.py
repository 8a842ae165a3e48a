"""What a test of the connection found: whether a backend is there, which one, and what was tried."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

import reflex as rx
from reflex.event import EventType

from chat_ui.conversations.limits import LimitReachedError
from chat_ui.profiles.profile import AUTOMATIC, Profile
from chat_ui.protocol.answer import Answer
from chat_ui.protocol.backend import Backend
from chat_ui.protocol.detection import QUESTION, Detection, Tried, detect
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.known_backends import KNOWN_BACKENDS
from chat_ui.state.backend import BackendState, options_beside_messages, take_found, typed_backend
from chat_ui.state.service import allowance, client, offer
from chat_ui.state.sockets import person_at

_tests: Final[dict[str, asyncio.Task[Detection]]] = {}
"""The test that each person has under way."""


class ConnectionState(rx.State):
    """The short verdict on the backend of the dialog, for the address `about`."""

    about: str = ""
    verdict: str = ""
    is_good: bool = False
    testing: bool = False
    tried: list[str] = []

    @rx.event
    def forget(self) -> None:
        """Begin without a verdict."""
        self.about = ""

    @rx.event
    async def test_or_stop(self, secret: str) -> EventType[str] | None:
        """Begin a test, or end the one that is under way."""
        if not self.testing:
            return ConnectionState.test(secret)
        self._stop()
        return None

    @rx.event
    async def stop_with_dialog(self, is_open: bool) -> None:
        """Where the dialog was closed, end the test that is under way."""
        if not is_open:
            self._stop()

    def _stop(self) -> None:
        if (task := _tests.get(person_at(self))) is not None:
            task.cancel()

    @rx.event(background=True)
    async def test(self, secret: str) -> None:
        """Look for the backend, ask it one short question, and say in plain words what is there.

        A person's own backend that is found elsewhere than at the typed address, or known as one of a kind, is taken
        into the dialog. `secret` is the key as it stands in its field.
        """
        async with self:
            dialog = await self.get_state(BackendState)
            person = person_at(self)
            if person in _tests:
                return
            typed = await typed_backend(dialog, secret)
            self.about, self.tried = dialog.url, []
            if typed is None:
                self.verdict, self.is_good = dialog.key_error, False
                return
            profile, backend = typed
            try:
                await allowance.take(person)
            except LimitReachedError as reached:
                self.verdict, self.is_good = str(reached), False
                return
            self.testing, self.verdict = True, ""
            test = _found(profile, backend, options_beside_messages(dialog, backend))
            task = _tests[person] = asyncio.create_task(test, name="test of a connection")
        task.add_done_callback(lambda _: _tests.pop(person, None))
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            async with self:
                self.testing = False
        if task.cancelled():
            async with self:
                self.verdict, self.is_good = "The test was stopped.", False
            return
        found = task.result()
        async with self:
            self.verdict, self.is_good = short_verdict(found)
            self.tried = [_in_words(tried) for tried in found.tried]
            dialog = await self.get_state(BackendState)
            unchanged = dialog.url == self.about and profile not in offer.given
            if self.is_good and found.backend is not None and unchanged and profile.kind == AUTOMATIC:
                take_found(dialog, found.backend.url, found.kind, found.backend.model)
                self.about = dialog.url


async def _found(profile: Profile, backend: Backend, options: JsonObject) -> Detection:
    question = replace(QUESTION, overrides=options)
    if profile.kind == AUTOMATIC:
        return await detect(
            client, backend.url, headers=backend.headers, model=backend.model, extra_body=backend.extra_body,
            question=question,
        )  # fmt: skip
    answer = await client.ask(backend, question)
    return Detection(backend, profile.kind, answer, None, answer.error, (), ())


def short_verdict(found: Detection) -> tuple[str, bool]:
    """What was found, in one or two sentences, and whether one can chat with it."""
    if found.error is not None or found.backend is None or found.answer is None:
        return (found.error.message if found.error else "Nothing that answers chat questions was found."), False
    if not found.answer.complete:
        return "It answered, but the connection ended before the answer did.", False
    return _praise(found.answer, KNOWN_BACKENDS[found.kind].label if found.kind else "", found.backend.url), True


def _praise(answer: Answer, label: str, url: str) -> str:
    timing = answer.timing
    parts = [
        f"{len(answer.data_points)} sources" if answer.data_points else "no sources",
        f"{len(answer.thoughts)} thoughts" if answer.thoughts else "no thoughts",
    ]
    kind = f" It is of the kind “{label}”." if label else ""
    return (
        f"A chat backend answered at {url.partition('?')[0]} in {timing.total or 0:.1f} s, the first byte after "
        f"{timing.first_byte or 0:.2f} s, in dialect “{answer.dialect}”, with {' and '.join(parts)}.{kind}"
    )


def _in_words(tried: Tried) -> str:
    return f"{tried.method} {tried.url.partition('?')[0]}: {tried.status or 'no answer'}, {tried.told}"
