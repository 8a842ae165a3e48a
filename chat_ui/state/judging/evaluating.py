"""Evaluating the backend of the dialog: the person's sets of questions, and how far each is answered."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import reflex as rx
from reflex.event import EventType

from chat_ui.conversations.store.unavailable import NOT_READABLE_NOW, StoreUnavailableError
from chat_ui.evaluation.found_backend import FoundBackend
from chat_ui.evaluation.people.evaluations import Asked, Evaluations, UnderWay
from chat_ui.evaluation.people.person_runs import EvaluationError, KeptRun
from chat_ui.languages.translation import gettext, translated
from chat_ui.processes.pool import TooCostlyError
from chat_ui.profiles.offer import sent_options
from chat_ui.profiles.profile import Profile
from chat_ui.profiles.recorded_profile import RecordedProfile
from chat_ui.profiles.vault import VaultError
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Backend
from chat_ui.recordings.recording_format import RecordingError
from chat_ui.server.current import services
from chat_ui.state.backend_choice import backend_of
from chat_ui.state.backend_dialog import BackendDialog, typed_backend
from chat_ui.state.chat import ChatState
from chat_ui.state.socket_people import person_at

logger = logging.getLogger(__name__)

_BREATH: Final = 0.25
"""Seconds between two looks at how far an evaluation is."""
_KEEP_ALIVE: Final = 30.0
"""Seconds after which the state is used again, as Reflex forgets one that is not."""
_LONGEST_ID: Final = 40


@dataclass
class RunView:
    """A set of questions, and how far it is answered; `url` and `model` are of the backend that was asked, `at` is when
    it was taken in, in seconds of the epoch. While it `is_running`, the next question may wait until a moment that the
    backend named (`free_at`, else 0), or for the person's share of a minute (`is_paced`).
    """

    id: str = ""
    name: str = ""
    at: float = 0.0
    url: str = ""
    model: str = ""
    count: int = 0
    with_truth: int = 0
    done: int = 0
    failed: int = 0
    is_running: bool = False
    free_at: float = 0.0
    is_paced: bool = False
    problem: str = ""


class EvaluatingState(rx.State):
    """The dialog Evaluate; nothing is sent before the person says so."""

    is_open: bool = False
    about: str = ""
    """The address of the backend in the dialog."""
    runs: list[RunView] = []
    share: int = 0
    """Questions that are asked within a minute at most."""
    problem: str = ""
    is_taking: bool = False
    """Whether the questions of a conversation are being taken."""
    _follower: int = 0
    _changes: int = 0
    """How often there may have been other sets from then on."""

    @rx.event
    async def set_open(self, is_open: bool) -> EventType[()] | None:
        """Show the sets of the person, or close the dialog; what is under way goes on."""
        self.is_open, self.problem = is_open, ""
        if not is_open or not services().may_evaluate:
            return None
        dialog = await self.get_state(BackendDialog)
        self.about, self.share = without_query(dialog.url), _evaluations().share
        return EvaluatingState.follow

    @rx.event(background=True)
    async def follow(self) -> None:
        """Show the sets, and how far the one is that is under way, until it ends or the dialog is closed."""
        if not services().may_evaluate:
            return
        async with self:
            self._follower += 1
            follower, person = self._follower, person_at(self)
        evaluations, listed = _evaluations(), (-1, "")
        while True:
            async with self:
                if self._follower != follower or not self.is_open:
                    return
                changes = self._changes
            under_way = evaluations.under_way(person)
            seen = under_way.signal.revision if under_way is not None else 0
            now = changes, under_way.before.id if under_way is not None else ""
            kept, problem = None, ""
            if now != listed or under_way is None:
                try:
                    kept, listed = await evaluations.all(person), now
                except OSError as error:
                    problem = _in_words(error)
            async with self:
                if self._follower != follower:
                    return
                self.problem = problem or self.problem
                if kept is not None:
                    self.runs = [_view(one, evaluations, person) for one in kept]
                elif under_way is not None:
                    self._show(under_way)
            if under_way is None or problem:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(_KEEP_ALIVE):
                    await under_way.signal.wait(seen)
            await asyncio.sleep(_BREATH)

    @rx.event(background=True)
    async def take_conversation(self) -> EventType[()] | None:
        """Take what was asked in the open conversation for a set of questions."""
        async with self:
            if self.is_taking or not services().may_evaluate:
                return None
            self.problem, self.is_taking = "", True
            person, chat = person_at(self), await self.get_state(ChatState)
            conversation = chat.conversation_id
        problem = ""
        try:
            found = await services().conversations.lists.shown(person, conversation)
            title, turns = found if found is not None else ("", [])
            await _evaluations().take_turns(person, title or gettext("Conversation"), turns)
        except StoreUnavailableError:
            problem = gettext(NOT_READABLE_NOW)
        except TooCostlyError:
            problem = gettext("This conversation takes too long to read.")
        except (EvaluationError, OSError) as error:
            problem = _in_words(error)
        async with self:
            self.problem, self.is_taking = problem, False
            return self._listed()

    @rx.event
    async def taken(self) -> EventType[()] | None:
        """Show the set that was sent."""
        self.problem = ""
        return self._listed()

    @rx.event
    async def begin(self, run_id: str, secret: str, anew: bool) -> EventType[()] | None:
        """Ask what is not answered yet, or all of it `anew` in an evaluation of its own. `secret` is the key as it
        stands in its field.
        """
        self.problem = ""
        asked = await self._asked(secret) if services().may_evaluate else None
        if asked is None:
            return None
        person, run_id = person_at(self), run_id[:_LONGEST_ID]
        begin = _evaluations().begin_anew if anew else _evaluations().begin
        try:
            await begin(person, run_id, asked)
        except (EvaluationError, OSError) as error:
            self.problem = _in_words(error)
        return self._listed()

    @rx.event
    async def stop(self) -> None:
        """Ask no more; what was answered stays."""
        await _evaluations().stop(person_at(self))

    @rx.event
    async def remove(self, run_id: str) -> EventType[()] | None:
        """Delete a set of questions, with its answers."""
        self.problem = ""
        try:
            await _evaluations().remove(person_at(self), run_id[:_LONGEST_ID])
        except OSError as error:
            logger.warning("an evaluation cannot be deleted: %s", error.strerror)
            self.problem = gettext("It could not be deleted: this page's server cannot write to its disk.")
        return self._listed()

    def _listed(self) -> EventType[()]:
        self._changes += 1
        return EvaluatingState.follow

    def _show(self, under_way: UnderWay) -> None:
        now = _view(under_way.kept, _evaluations(), person_at(self))
        self.runs = [now if one.id == now.id else one for one in self.runs]

    async def _asked(self, secret: str) -> Asked | None:
        """How the backend of the dialog is asked; None where a field is wrong, which `problem` tells of."""
        dialog = await self.get_state(BackendDialog)
        options = dialog._typed_options()
        if options is None:
            self.problem = gettext("One of the options of this backend is wrong. Mend it first, in the tab Request.")
            return None
        try:
            found = await _backend(dialog, secret)
            if found is None:
                self.problem = dialog.url_error or dialog.key_error
                return None
            profile, backend = found
            person = person_at(self)
            client = await services().replaying.client_for(services().client.of(person), backend, strict=True)
        except (RecordingError, VaultError, ValueError) as error:
            self.problem = translated(str(error))
            return None
        ask = FoundBackend(client.pinning_for(backend), backend)
        return Asked(ask, backend, sent_options(profile, options), is_live=not backend.recording)


async def _backend(dialog: BackendDialog, secret: str) -> tuple[Profile, Backend] | None:
    profile = dialog._edited
    if isinstance(profile, RecordedProfile):
        return profile, await backend_of(dialog, profile, dialog.editing)
    return await typed_backend(dialog, secret)


def _evaluations() -> Evaluations:
    return services().evaluations


def _view(kept: KeptRun, evaluations: Evaluations, person: str) -> RunView:
    under_way = evaluations.under_way(person)
    is_running = under_way is not None and under_way.before.id == kept.id
    return RunView(
        id=kept.id,
        name=kept.about.name,
        at=kept.about.at,
        url=kept.asked.url if kept.asked is not None else "",
        model=(kept.asked.model if kept.asked is not None else None) or "",
        count=kept.about.count,
        with_truth=kept.about.with_truth,
        done=kept.done,
        failed=kept.failed,
        is_running=is_running,
        free_at=(under_way.free_at if under_way is not None and is_running else None) or 0.0,
        is_paced=under_way is not None and is_running and under_way.paced > 0,
        problem=translated(evaluations.problem(person, kept.id)),
    )


def _in_words(error: EvaluationError | OSError) -> str:
    if isinstance(error, EvaluationError):
        return translated(str(error.args[0]))
    logger.warning("an evaluation cannot be kept: %s", error.strerror)
    return gettext("This page's server cannot write to its disk, which may be full.")
