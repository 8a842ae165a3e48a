"""Recordings as the page handles them: making one, taking one for a backend, and the pace at which one plays."""

from __future__ import annotations

from typing import Final

import reflex as rx
from reflex.event import EventType

from chat_ui.languages.translation import gettext, translated
from chat_ui.profiles.personal_choices import LONGEST_STORED, MOST_OWN, OwnBackend, new_own_id
from chat_ui.profiles.recorded_profile import RecordedProfile, recorded_profile
from chat_ui.profiles.vault import VaultError
from chat_ui.recordings.recording_format import RecordingError, header_for
from chat_ui.server.current import services
from chat_ui.state.arms.second_arm import SecondArmState
from chat_ui.state.backend_choice import BackendState, chosen_backend
from chat_ui.state.backend_dialog import TOO_LONG, TOO_MANY, BackendDialog
from chat_ui.state.chat import ChatState
from chat_ui.state.socket_people import person_at

SPEEDS: Final = ("0.25", "0.5", "1", "2", "4", "8")
"""The multiples of the recorded pace that a person can choose."""
_LONGEST_ID: Final = 40


class RecordingState(rx.State):
    """What a person does with recordings; `problem` says why something could not be done."""

    problem: str = ""

    @rx.event
    async def look(self) -> None:
        """Find a recording that a server left when it ended."""
        if services().may_record:
            await services().recorders.look(person_at(self))
            await self._show()

    @rx.event
    async def start(self) -> None:
        """Record what this person asks from now on."""
        self.problem = ""
        if not services().may_record:
            return
        chosen = await self.get_state(BackendState)
        _, profile = services().offer.chosen(chosen._choices())
        if isinstance(profile, RecordedProfile):
            self.problem = gettext("A recording answers at the moment. Choose another backend to record it.")
            return
        try:
            backend = await chosen_backend(chosen)
            await services().recorders.start(person_at(self), header_for(backend, profile.kind))
        except (RecordingError, VaultError, ValueError) as problem:
            self.problem = translated(str(problem))
        await self._show()

    @rx.event
    async def stop(self) -> None:
        """Record no more of what this person asks."""
        await services().recorders.stop(person_at(self))
        await self._show()

    @rx.event
    async def dismiss(self) -> None:
        """Tell no more of the recording that was made, and of what went wrong."""
        self.problem = ""
        services().recorders.dismiss(person_at(self))
        await self._show()

    @rx.event
    async def use(self, recording_id: str) -> None:
        """Choose the person's recording of that id as a backend."""
        self.problem = ""
        dialog = await self.get_state(BackendDialog)
        choices = dialog._choices()
        known = next((own for own in choices.own if own.recording == recording_id), None)
        if known is None and len(choices.own) >= MOST_OWN:
            self.problem = translated(TOO_MANY)
            return
        try:
            recording = await services().replaying.open_own(recording_id[:_LONGEST_ID], person_at(self))
            profile = recorded_profile(recording, recording_id, gettext("Recording"))
        except RecordingError as problem:
            self.problem = translated(str(problem))
            return
        own = OwnBackend(
            id=known.id if known is not None else new_own_id(),
            url=profile.url,
            name=profile.name,
            dialect=profile.dialect,
            stream=profile.stream,
            kind=profile.kind,
            model=profile.model or "",
            recording=recording_id,
            recorded_at=profile.recorded_at,
            starter_questions=profile.starter_questions,
        )
        taken = choices.with_own(own)
        if len(taken.to_json()) > LONGEST_STORED:
            self.problem = translated(TOO_LONG)
            return
        dialog.is_open = False
        dialog._keep(taken)
        services().recorders.dismiss(person_at(self))
        await self._show()

    @rx.event
    async def set_speed(self, speed: str) -> None:
        """Play recordings at that multiple of their pace, from now on."""
        if speed in SPEEDS:
            chosen = await self.get_state(BackendState)
            chosen.speed = speed
            services().replaying.set_speed(person_at(self), chosen._speed)

    @rx.event
    async def step_speed(self, steps: int) -> EventType[str] | None:
        """Play recordings faster, or slower where the number of steps is negative."""
        chosen = await self.get_state(BackendState)
        place = SPEEDS.index(chosen.speed) if chosen.speed in SPEEDS else SPEEDS.index("1")
        return RecordingState.set_speed(SPEEDS[min(max(place + steps, 0), len(SPEEDS) - 1)])

    @rx.event
    async def skip(self) -> None:
        """Play the rest of the answer in the open conversation at once, and of that in its second arm."""
        for arm in (await self.get_state(ChatState), await self.get_state(SecondArmState)):
            services().replaying.skip(person_at(self), arm.conversation_id)

    async def _show(self) -> None:
        chat = await self.get_state(ChatState)
        chat._show_recording()
        if (conversation := await services().conversations.get(person_at(self), chat.conversation_id)) is not None:
            # Other tabs look then.
            conversation.signal.bump()
