"""Removal of a person's own backend, and its restoration within a while."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import reflex as rx
from reflex.event import EventType

from chat_ui.backends.credential import Credential
from chat_ui.backends.personal_choices import OwnBackend
from chat_ui.backends.state.backend_dialog import SETTINGS_BUTTON, BackendDialog, drop_credentials
from chat_ui.errors import VaultError
from chat_ui.languages.translation import gettext
from chat_ui.page.state.socket_people import person_at
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.server.services import services

UNDO_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class _Removed:
    """A backend as it was, and its `place` among the person's own."""

    backend: OwnBackend
    place: int
    options: JsonObject
    key: Credential | None
    certificate: str


_removed: Final[dict[str, _Removed]] = {}
"""The last removed backend of each person, only in memory: states must not have its key."""


class RemovalState(rx.State):
    """The name of the last removed backend while it can be restored, and the parts that could not be restored."""

    removed: str = ""
    removal_problem: str = ""

    _times: int = 0

    @rx.event
    async def remove(self, backend_id: str) -> EventType[()] | None:
        """Remove the person's own backend of that id, with its options and its key, and close the dialog."""
        dialog = await self.get_state(BackendDialog)
        dialog.is_open = False
        choices = dialog._choices()
        place = next((place for place, own in enumerate(choices.own) if own.id == backend_id), None)
        if place is None:
            return None
        backend, person = choices.own[place], person_at(self)
        origin = origin_of(backend.url)
        key, certificate = None, ""
        with suppress(VaultError):
            key = await services().backends.vault.find(person, origin, backend.id)
            certificate = await services().backends.vault.trusted(person, origin)
        options = choices.options.get(backend.id, {})
        _removed[person] = _Removed(backend, place, options, key, certificate)
        self.removed = backend.profile().name
        self.removal_problem = ""
        self._times += 1
        dialog._keep(choices.without_own(backend.id))
        await drop_credentials(dialog, backend.url, backend.id)
        return RemovalState.forget

    @rx.event
    async def undo(self) -> EventType[()] | None:
        self.removed = ""
        removed = _removed.pop(person_at(self), None)
        if removed is None:
            return rx.set_focus(SETTINGS_BUTTON)
        dialog = await self.get_state(BackendDialog)
        dialog._keep(dialog._choices().with_restored(removed.backend, removed.place, removed.options))
        person, origin = person_at(self), origin_of(removed.backend.url)
        try:
            if removed.key is not None:
                await services().backends.vault.keep(person, origin, removed.key, removed.backend.id)
            if removed.certificate:
                await services().backends.vault.trust(person, origin, removed.certificate)
        except VaultError as problem:
            self.removal_problem = gettext(
                "“{backend}” was restored without its key: {problem}",
                backend=removed.backend.profile().name,
                problem=str(problem),
            )
        return rx.set_focus(SETTINGS_BUTTON)

    @rx.event(background=True)
    async def forget(self) -> None:
        async with self:
            times, person = self._times, person_at(self)
            removed = _removed.get(person)
        try:
            await asyncio.sleep(UNDO_SECONDS)
        finally:
            if removed is not None and _removed.get(person) is removed:
                _removed.pop(person, None)
        async with self:
            if self._times == times:
                self.removed = ""
