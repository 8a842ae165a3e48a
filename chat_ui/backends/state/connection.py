"""The test of the backend in the dialog: whether it exists, and its kind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import reflex as rx
from reflex.event import EventType

from chat_ui.backends.personal_choices import Outcome
from chat_ui.backends.profile import AUTOMATIC, Profile
from chat_ui.backends.state.backend_dialog import BackendDialog, options_beside_messages, take_found, typed_backend
from chat_ui.errors import LimitReachedError, VaultError
from chat_ui.languages.translation import gettext, translated
from chat_ui.page.state.socket_people import person_at
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import Advice
from chat_ui.protocol.detection.detection import QUESTION, Detection, detect
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.protocol.events import NO_ANSWER, JsonObject
from chat_ui.protocol.translatable import msg, plural_msg
from chat_ui.protocol.transport.certificates import with_colons
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.protocol.transport.http_errors import with_wait
from chat_ui.protocol.transport.recorder import ResponseRecorder
from chat_ui.rendering.panels.durations import duration_words
from chat_ui.server.services import services

TEST_SECONDS: Final = 20
"""Seconds in which an answer has to begin; after them the test fails."""
TEST_BUTTON: Final = "test-connection"
_tests: Final[dict[str, asyncio.Task[tuple[Detection, Advice]]]] = {}
"""The running test of each person."""


# Translators: parts of the list in “The deployment offers: options, your files.”
_SERVICES: Final = {"files": msg("your files"), "sessions": msg("conversations"), "voice": msg("voice")}
_MUST_SIGN_IN: Final = msg("People must sign in at {authority}, with the scope {scope}.")
_CAN_SIGN_IN: Final = msg("People can sign in at {authority}, with the scope {scope}, or ask without signing in.")


class ConnectionState(rx.State):
    """The short verdict on the backend of the dialog, for the address `about`."""

    about: str = ""
    verdict: str = ""
    outcome: str = ""
    """The outcome of the test (`Outcome`); empty if it was stopped."""
    testing: bool = False
    operator_lines: str = ""
    """The settings by which the page signs people in for the deployment; empty if it needs none."""
    tried: list[str] = []
    refused: str = ""
    """The fingerprint of the untrusted certificate, if the person may trust it."""

    @rx.event
    def forget(self) -> None:
        self.about = self.refused = ""

    @rx.event
    async def test_or_stop(self, secret: str) -> EventType[str] | None:
        if not self.testing:
            return ConnectionState.test(secret)
        stop_for(person_at(self), _tests)
        return None

    @rx.event
    async def stop_with_dialog(self, is_open: bool) -> None:
        if not is_open:
            stop_for(person_at(self), _tests)

    @rx.event
    async def trust(self, secret: str) -> list[EventType[Any]] | None:
        """Trust the refused certificate, only at the tested address, and test again."""
        dialog = await self.get_state(BackendDialog)
        typed = await typed_backend(dialog, secret)
        if (
            typed is None
            or dialog.url != self.about
            or not self.refused
            or not services().backends.offer.may_trust_certificate(typed[0])
        ):
            return None
        try:
            await services().backends.vault.trust(person_at(self), origin_of(self.about), self.refused)
        except VaultError as problem:
            self.verdict = translated(str(problem))
            return None
        dialog.certificate = with_colons(self.refused)
        return [rx.set_focus(TEST_BUTTON), ConnectionState.test(secret)]

    @rx.event(background=True)
    async def test(self, secret: str) -> None:
        """Look for the backend, ask it one short question, and give the verdict in plain words.

        A person's own backend that is found elsewhere than at the typed address, or recognised as a known backend, is
        taken into the dialog. `secret` is the key in its field.
        """
        async with self:
            dialog = await self.get_state(BackendDialog)
            person = person_at(self)
            if person in _tests:
                return
            typed = await typed_backend(dialog, secret)
            self.about, self.tried, self.refused, self.operator_lines = dialog.url, [], "", ""
            if typed is None:
                self.verdict, self.outcome = dialog.key_error, Outcome.FAILED
                return
            profile, backend = typed
            try:
                await services().allowance.take(person)
            except LimitReachedError as reached:
                self.verdict, self.outcome = translated(str(reached)), Outcome.FAILED
                return
            self.testing, self.verdict = True, ""
            requests = _TestRequests()
            test = _tested(profile, backend, options_beside_messages(dialog, backend), requests, person)
            task = _tests[person] = asyncio.create_task(test, name="test of a connection")
        task.add_done_callback(lambda _: _tests.pop(person, None))
        try:
            await requests.wait_for(task)
        finally:
            late = not task.done()
            task.cancel()
            async with self:
                self.testing = False
        if late or task.cancelled():
            async with self:
                self.verdict, self.outcome = gettext("The test was stopped."), ""
                if late:
                    self.verdict, self.outcome, self.tried = requests.verdict, Outcome.FAILED, requests.in_words
                    dialog = await self.get_state(BackendDialog)
                    dialog._note_test(self.about, Outcome.FAILED, is_saved=dialog._is_saved(self.about))
            return
        found, told = task.result()
        async with self:
            verdict, outcome = short_verdict(found)
            self.verdict, self.outcome = " ".join([verdict, *_told_words(told)]), outcome
            self.tried, self.operator_lines = [one.in_words for one in found.requests], _operator_lines(profile, told)
            dialog = await self.get_state(BackendDialog)
            if found.error is not None and services().backends.offer.may_trust_certificate(profile):
                self.refused = found.error.fingerprint or ""
            is_saved = dialog._is_saved(self.about)
            unchanged = dialog.url == self.about and profile not in services().backends.offer.operator_profiles
            if outcome is Outcome.ANSWERED and found.backend is not None and unchanged and profile.kind == AUTOMATIC:
                take_found(dialog, found.backend.url, found.known_backend, found.backend.model)
                self.about = dialog.url
            if dialog.url == self.about:
                dialog._show_again()
            dialog._note_test(self.about, outcome, is_saved=is_saved)


def stop_for(person: str, underway: Mapping[str, asyncio.Task[Any]]) -> None:
    """Cancel the person's task, if any."""
    if (task := underway.get(person)) is not None:
        task.cancel()


class _TestRequests:
    """The requests of one test, as they are sent, and the recorder of the newest question."""

    def __init__(self) -> None:
        self._sent: list[tuple[str, str]] = []
        self._recorder: ResponseRecorder | None = None

    def note(self, method: str, url: str) -> None:
        self._sent.append((method, without_query(url)))

    def record(self, _: Backend) -> ResponseRecorder:
        self._recorder = ResponseRecorder()
        return self._recorder

    async def wait_for(self, task: asyncio.Task[Any]) -> None:
        """Wait for the end of `task`, at most `TEST_SECONDS` if an answer has not begun by then."""
        await asyncio.wait([task], timeout=TEST_SECONDS)
        if self._recorder is not None and self._recorder.record().lines:
            await asyncio.wait([task])

    @property
    def verdict(self) -> str:
        """The words for a test that took too long."""
        if self._recorder is not None:
            return gettext(
                "{address} accepted the question but did not answer within {seconds} s. A model may "
                "still be loading: test again, or check the backend's log.",
                address=self._sent[-1][1],
                seconds=TEST_SECONDS,
            )
        return gettext(
            "{address} did not answer within {seconds} s. Check that the backend is running, that "
            "the port is right, and that it is not busy.",
            address=self._sent[-1][1] if self._sent else msg("The server"),
            seconds=TEST_SECONDS,
        )

    @property
    def in_words(self) -> list[str]:
        return [f"{method} {url}" for method, url in self._sent]


async def _tested(
    profile: Profile, backend: Backend, options: JsonObject, sent: _TestRequests, person: str
) -> tuple[Detection, Advice]:
    """The result of a test with the deployment's options, and the advice of the deployment, which is awake by then."""
    advice = await services().backends.advice(person, backend, again=True)
    options = {**advice.options, **options}
    found = await _detected(profile, advice.applied(backend, options), options, sent, person)
    return found, await services().backends.advice(person, found.backend or backend)


async def _detected(
    profile: Profile, backend: Backend, options: JsonObject, sent: _TestRequests, person: str
) -> Detection:
    question = replace(QUESTION, overrides=options, until_text=True)
    client = services().backends.client.for_person(person).pinning_for(backend)
    if profile.kind == AUTOMATIC:
        return await detect(
            client, backend.url, headers=backend.headers, model=backend.model, stream=backend.stream,
            extra_body=backend.extra_body, question=question, record=sent.record, on_request=sent.note,
        )  # fmt: skip
    sent.note("POST", backend.endpoint)
    answer = await client.ask(backend, question, sent.record(backend))
    return Detection(backend, profile.kind, answer, None, answer.error, (), ())


def short_verdict(found: Detection) -> tuple[str, Outcome]:
    """The result in a few sentences, and the outcome; a chat is possible after the first text."""
    if found.error is not None and found.error.code in NO_ANSWER and found.backend is not None and found.answer:
        success = _success(found.answer, found.backend.endpoint)
        has_passages = bool(found.answer.data_points)
        return f"{success} {translated(found.error.message)}" if has_passages else success, Outcome.ANSWERED
    if found.error is not None or found.backend is None or found.answer is None:
        words = with_wait(found.error) if found.error else msg("No chat endpoint was found.")
        return translated(words), Outcome.FAILED
    if not found.answer.complete:
        return gettext(
            "It answered, but the connection ended before the end of the answer. Test "
            "again, or check the backend's log."
        ), Outcome.FLAWED
    return _success(found.answer, found.backend.endpoint), Outcome.ANSWERED


def _told_words(told: Advice) -> list[str]:
    """The sentence about the facts that the deployment told, and the one about facts that were left out, if any."""
    parts = [gettext("options")] if told.options and not told.sample else []
    parts += [gettext(words) for service, words in _SERVICES.items() if service in told.services]
    said = [gettext("The deployment offers: {parts}.", parts=", ".join(parts))] if parts else []
    if (login := told.login) is not None:
        words = _MUST_SIGN_IN if login.is_required else _CAN_SIGN_IN
        said.append(translated(words.filled_with(authority=login.authority, scope=login.scope)))
    return [*said, translated(told.remark)] if told.remark else said


def _operator_lines(profile: Profile, told: Advice) -> str:
    login = told.login
    if login is None or profile.token_scope == login.scope:
        return ""
    issuer = f"{login.authority.removesuffix('/')}/v2.0"
    settings_of_page = f"CHAT_UI_OIDC_ISSUER={issuer}\nCHAT_UI_OIDC_CLIENT_ID={login.client_id}"
    return f'{settings_of_page}\npass_token = true\ntoken_scope = "{login.scope}"'


def _success(answer: Answer, url: str) -> str:
    sources, thoughts = len(answer.data_points), len(answer.thoughts)
    known = {
        "address": without_query(url),
        "duration": duration_words(answer.timing.first_text or answer.timing.total or 0),
        "dialect": label_of(answer.dialect),
    }
    if not (sources or thoughts):
        return gettext(
            "Connected to {address}: first text after {duration}. No sources or thoughts came before it. "
            "Detected: {dialect}.",
            **known,
        )
    return gettext(
        "Connected to {address}: first text after {duration}, with {sources} and {thoughts} before it. "
        "Detected: {dialect}.",
        sources=plural_msg("{count} source", "{count} sources", sources) if sources else msg("no sources"),
        thoughts=plural_msg("{count} thought", "{count} thoughts", thoughts) if thoughts else msg("no thoughts"),
        **known,
    )
