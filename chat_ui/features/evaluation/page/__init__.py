from __future__ import annotations

import shlex

import reflex as rx

from chat_ui.backends.profile import AUTOMATIC, Profile, RecordedProfile
from chat_ui.backends.state.backend_choice import BackendState, offer_of
from chat_ui.page.painted import allowed
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts
from chat_ui.protocol.answers.redaction import url_without_secrets
from chat_ui.server.services import services


class EvaluationState(rx.State):
    """The command that evaluates the backend in use; empty before it is asked for."""

    command: str = ""

    @rx.event
    async def make_command(self) -> None:
        backends = await self.get_state(BackendState)
        if services().backends.offer.options_allowed:
            self.command = evaluate_command(offer_of(self).chosen(backends._choices())[1])


def evaluate_command(profile: Profile) -> str:
    """The command that evaluates the backend of `profile`, without credentials, for a POSIX shell."""
    place = "recording.jsonl" if isinstance(profile, RecordedProfile) else url_without_secrets(profile.url)
    words = ["python", "-m", "chat_ui", "evaluate", place, "questions.jsonl", "--out", "run", "--html", "report.html"]
    if profile.dialect != AUTOMATIC:
        words += ["--dialect", profile.dialect]
    if profile.model:
        words += ["--model", profile.model]
    return shlex.join(words)


class EvaluateCommand(Scripted):
    """The palette's command Evaluate…, with a dialog that shows the `command` to copy; `on_ask` has it made."""

    library = script("features/evaluation/page/evaluate_command.jsx")

    command: rx.Var[str]
    on_ask: rx.EventHandler[rx.event.no_args_event_spec]


def _page() -> tuple[rx.Component, ...]:
    command = EvaluateCommand.create(command=EvaluationState.command, on_ask=EvaluationState.make_command)
    return (rx.cond(allowed("settings"), command),)


PARTS = Parts(page=_page)
