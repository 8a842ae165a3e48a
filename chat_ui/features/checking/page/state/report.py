from __future__ import annotations

import asyncio
from typing import Final

import reflex as rx
from reflex.event import EventType

from chat_ui.backends.personal_choices import Outcome
from chat_ui.backends.state.backend_dialog import BackendDialog, options_beside_messages, typed_backend
from chat_ui.backends.state.connection import stop_for
from chat_ui.errors import LimitReachedError
from chat_ui.features.checking.report import report_html
from chat_ui.languages.translation import gettext, translated
from chat_ui.page.state.socket_people import person_at
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.conformance.examination import MAX_QUESTIONS, MAX_REQUESTS, check
from chat_ui.protocol.conformance.report import VERSION, Report, outcome_and_rest
from chat_ui.protocol.events import JsonObject
from chat_ui.server.services import services

_REPORTED: Final = {True: Outcome.ANSWERED, False: Outcome.FLAWED, None: Outcome.FAILED}
_checks: Final[dict[str, asyncio.Task[Report]]] = {}
"""The running check of each person."""


class ReportState(rx.State):
    """The dialog with the report; requests are sent only after the person's consent."""

    is_open: bool = False
    about: str = ""
    step: str = ""
    verdict: str = ""
    summary: str = ""
    """The number of rules that passed or failed, in words; empty if unknown."""
    outcome: str = ""
    """A value of `Outcome`: flawed for broken rules, failed for an unjudged backend; or empty."""
    html: str = ""

    @rx.event
    async def open_for_current(self) -> None:
        """Open the dialog for the backend in use, without the dialog of its settings."""
        dialog = await self.get_state(BackendDialog)
        await dialog.open_dialog()
        if dialog.is_open:
            dialog.is_open = False
            await self.set_open(True)

    @rx.event
    async def set_open(self, is_open: bool) -> None:
        """Show the requests and their target; or close the dialog, which ends a running check."""
        dialog = await self.get_state(BackendDialog)
        self.is_open = is_open
        if is_open:
            self.about = without_query(dialog.url)
            self.step = self.verdict = self.summary = self.html = ""
        else:
            stop_for(person_at(self), _checks)

    @rx.event
    async def check_or_stop(self, secret: str) -> EventType[str] | None:
        if not self.step:
            return ReportState.run_check(secret)
        stop_for(person_at(self), _checks)
        return None

    @rx.event(background=True)
    async def run_check(self, secret: str) -> None:
        """Send the requests, in a single check per person; `secret` is the key in the field."""
        steps: asyncio.Queue[str] = asyncio.Queue()
        async with self:
            dialog = await self.get_state(BackendDialog)
            person = person_at(self)
            if person in _checks:
                self.verdict, self.outcome = gettext("A check is already running. Wait until it ends, or stop it."), ""
                return
            typed = await typed_backend(dialog, secret)
            if typed is None:
                self.verdict, self.outcome = dialog.url_error or dialog.key_error, Outcome.FAILED
                return
            try:
                await services().allowance.take(
                    person, questions=min(MAX_QUESTIONS, services().allowance.limits.questions_per_minute)
                )
            except LimitReachedError as reached:
                self.verdict, self.outcome = translated(str(reached)), Outcome.FAILED
                return
            checking = _checked(typed[1], options_beside_messages(dialog, typed[1]), steps)
            task = _checks[person] = asyncio.create_task(checking, name="check of a backend")
            self.verdict = self.summary = self.html = ""
            self.step = gettext("Starting…")
        task.add_done_callback(lambda _: _checks.pop(person, None))
        task.add_done_callback(lambda _: steps.put_nowait(""))
        while step := await steps.get():
            async with self:
                self.step = step
        async with self:
            self.step = ""
            if task.cancelled():
                self.verdict, self.outcome = gettext("The check was stopped."), ""
                return
            report = task.result()
            self.outcome, self.html = _REPORTED[report.conforms], report_html(report)
            self.summary, verdict = outcome_and_rest(report)
            # A date is not broken after a hyphen.
            self.verdict = translated(verdict).replace(VERSION, VERSION.replace("-", "-\N{WORD JOINER}"))


async def _checked(backend: Backend, options: JsonObject, steps: asyncio.Queue[str]) -> Report:
    count = 0

    def note(method: str, url: str) -> None:
        nonlocal count
        count += 1
        request = f"{method} {without_query(url)}"
        steps.put_nowait(
            gettext("{count} of at most {most}: {request}", count=count, most=MAX_REQUESTS, request=request)
        )

    client = services().backends.client.pinning_for(backend)
    return await check(
        client, backend.url, headers=backend.headers, model=backend.model, extra_body=backend.extra_body,
        overrides=options, on_request=note,
    )  # fmt: skip
