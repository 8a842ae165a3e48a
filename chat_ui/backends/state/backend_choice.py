"""A person's choice of backend, which their browser keeps."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, Final

import reflex as rx

from chat_ui.backends.offer import Offer, Sent, backend_for, backend_name, sent_options, with_trusted_certificate
from chat_ui.backends.personal_choices import (
    Choices,
    LastOutcomes,
    Outcome,
    operator_profile_id,
    outcomes_to_json,
    own_id_of,
    read_choices,
    read_outcomes,
    with_outcome,
    with_use,
    without_outcome,
)
from chat_ui.backends.profile import AUTOMATIC, Profile, RecordedProfile
from chat_ui.backends.state.option_rows import differing
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.records.records import Status
from chat_ui.errors import NotAllowedError, SignInNeededError, SocketUnknownError, VaultError
from chat_ui.languages.translation import gettext, recorded_on
from chat_ui.page.state.socket_people import person_at
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import NO_ADVICE, Advice
from chat_ui.protocol.events import NO_ANSWER, Json, JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.server.services import services
from chat_ui.settings import settings


class BackendState(rx.State):
    """The person's choice of backend, never with a key."""

    saved: str = rx.LocalStorage("", name="chat-ui-backend", sync=True)
    keys: str = rx.LocalStorage("", name="chat-ui-keys", sync=True)
    """Not empty once the person kept any key."""
    outcomes: str = rx.LocalStorage("", name="chat-ui-outcomes", sync=True)
    of_conversation: str = ""
    """The id of the open conversation's backend, until the person chooses one."""

    acknowledged: int = 0
    """The number of the page's newest change, of a field or of the chosen backend, that has reached the server."""

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def selected(self) -> str:
        return offer_of(self).chosen(self._choices())[0]

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def label(self) -> str:
        choices = self._choices()
        return offer_of(self).names(choices)[offer_of(self).chosen(choices)[0]]

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def offered(self) -> list[list[str]]:
        return [[key, name] for key, name in offer_of(self).names(self._choices()).items()]

    @rx.var(deps=["saved", "of_conversation", "outcomes"], auto_deps=False)
    def last_outcomes(self) -> dict[str, dict[str, Any]]:
        """The last outcome at each asked or chosen backend on offer, by its id."""
        known, offered = read_outcomes(self.outcomes), offer_of(self).profiles(self._choices())
        return {key: asdict(last) for key, last in known.items() if key in offered}

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def memory(self) -> str:
        """`Backend.memory` of the backend in use, as JSON."""
        selected, profile = offer_of(self).chosen(self._choices())
        name = offer_of(self).names(self._choices())[selected]
        return json.dumps(replace(profile.backend(), profile=selected, name=name).memory)

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def accepts(self) -> list[str]:
        """The beginnings of the media types of files that the backend in use takes with a question."""
        backend = offer_of(self).chosen(self._choices())[1].backend()
        return list(backend.file_types) if backend.files != "none" else []

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def starters(self) -> list[str]:
        """Questions to begin with: the profile's, or those of the operator's profile at the same origin."""
        offer = offer_of(self)
        profile = offer.chosen(self._choices())[1]
        near = next((one for one in offer.operator_profiles if origin_of(one.url) == origin_of(profile.url)), None)
        questions = profile.starter_questions or (near.starter_questions if near else ())
        return list(questions or settings().starter_questions)

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def own_parts(self) -> dict[str, str]:
        """HTML of the page's parts with the branding of the backend in use, by their names, and the `style`."""
        profile = offer_of(self).chosen(self._choices())[1]
        parts = services().own_parts(profile) if profile in services().backends.offer.operator_profiles else {}
        return {name: parts.get(name, "") for name in ("brand", "greeting", "style")}

    @rx.var(deps=["saved", "of_conversation"], auto_deps=False)
    def differing(self) -> int:
        """The number of options that differ from the defaults of the backend in use."""
        selected, profile = offer_of(self).chosen(self._choices())
        return differing(profile, self._own_options(selected), self._advice_known(profile))

    @rx.var(cache=False)
    def recordings(self) -> dict[str, str]:
        """The words for recordings on offer, with their time, by id."""
        offered = offer_of(self).profiles(self._choices())
        return {key: words for key, profile in offered.items() if (words := recorded_words(profile))}

    @rx.event
    def acknowledge(self, number: int) -> None:
        self.acknowledged = max(self.acknowledged, number)

    @rx.event
    def follow_link(self) -> None:
        """Select the operator's backend that the page's address names; links cannot give other addresses."""
        named = self.router.url.query_parameters.get("backend")
        for profile in offer_of(self).operator_profiles:
            if profile.name == named:
                self._keep(replace(self._choices(), selected=operator_profile_id(profile)))

    @rx.event
    def select(self, backend_id: str) -> None:
        choices = self._choices()
        if backend_id in offer_of(self).profiles(choices):
            self._keep(replace(choices, selected=backend_id))

    @property
    def _shown(self) -> str:
        """The id of the backend in use, as the page shows it."""
        return self.selected

    def _choices(self) -> Choices:
        choices = read_choices(self.saved)
        return replace(choices, selected=self.of_conversation) if self.of_conversation else choices

    def _own_options(self, backend_id: str) -> dict[str, Json]:
        return offer_of(self).own_options(self._choices(), backend_id)

    def _advice_known(self, profile: Profile) -> Advice:
        """The facts that the deployment of a profile told this person before; none before the page has a person."""
        with suppress(SocketUnknownError):
            return services().backends.advice_known(person_at(self), profile.backend())
        return NO_ADVICE

    async def _look(self, profile: Profile, backend_id: str) -> None:
        """Read what the deployment tells, unless it is known."""
        with suppress(VaultError, ValueError):
            await services().backends.advice(person_at(self), await backend_of(self, profile, backend_id))

    def _keep(self, choices: Choices) -> None:
        self.saved = choices.to_json()
        self.of_conversation = ""
        if choices.selected:
            self._keep_outcomes(with_use(read_outcomes(self.outcomes), choices.selected, time.time()))

    def _note_outcome(self, backend_id: str, outcome: Outcome | None, at: float | None = None) -> None:
        """Keep the outcome of a question or a test that ended `at` that time, or now; None forgets the earlier one."""
        known = read_outcomes(self.outcomes)
        if outcome is None:
            self._keep_outcomes(without_outcome(known, backend_id))
        else:
            self._keep_outcomes(with_outcome(known, backend_id, outcome, at or time.time()))

    def _keep_outcomes(self, known: LastOutcomes) -> None:
        self.outcomes = outcomes_to_json(known, offer_of(self).profiles(self._choices()))


def offer_of(state: rx.State) -> Offer:
    """The offer for the person of the state's page; without a person yet, the backends for everyone."""
    backends, person = services().backends, ""
    with suppress(SocketUnknownError):
        person = person_at(state)
    return backends.offer_of(person)


def recorded_words(profile: Profile) -> str:
    """The words for a recording, with its time; empty for other backends."""
    if not isinstance(profile, RecordedProfile):
        return ""
    return recorded_on(profile.recorded_at) or gettext("A recording")


_OUTCOMES: Final = {
    Status.FINISHED: Outcome.ANSWERED,
    Status.WAITING: Outcome.ANSWERED,
    Status.CUT_OFF: Outcome.FLAWED,
    Status.FAILED: Outcome.FAILED,
}
"""The outcome for a backend by the end of its answer, without stopped and interrupted ones."""


def note_answer(state: BackendState, answer: Generation) -> None:
    """Keep the outcome of a newly ended answer for its backend."""
    outcome = _OUTCOMES.get(answer.status)
    if outcome is not None:
        error = answer.answer.error
        if error is not None and error.status in {401, 403} and isinstance(answer, LocalGeneration):
            services().backends.tokens.refused(answer.backend.headers)
        if error is not None and error.code in NO_ANSWER:
            outcome = Outcome.ANSWERED
        began = outcome is Outcome.FAILED and answer.answer.text != ""
        state._note_outcome(str(answer.asked_of.get("profile") or ""), Outcome.FLAWED if began else outcome)


def keep_found(state: BackendState, person: str) -> None:
    """Replace the address of the person's own backend in use by the found one; and its kind, after an answer."""
    selected, profile = offer_of(state).chosen(state._choices())
    backend = replace(profile.backend(), profile=selected)
    found = services().backends.client.learnt.for_person(person).found_for(backend, with_any_key=True)
    is_given = profile in services().backends.offer.operator_profiles or isinstance(profile, RecordedProfile)
    if found is None or is_given or profile.kind != AUTOMATIC or not found.is_tried:
        return
    url, model = found.backend.url, found.backend.model
    kept = read_choices(state.saved).with_found(selected, url, found.known_backend, model).to_json()
    if kept != state.saved:
        state.saved = kept


async def asked(state: BackendState) -> tuple[Backend, Sent]:
    """The backend to ask, with its credential, and the options of the question.

    Raises:
        VaultError: the person's keys cannot be read.
        ValueError: the operator's key is missing.
        NotAllowedError: the person's groups have changed.
        SignInNeededError: the deployment answers only people who sign in.
    """
    choices = state._choices()
    selected, profile = offer_of(state).chosen(choices)
    if selected != state._shown:
        raise NotAllowedError(msg("This backend is not on offer any more. Choose another one."))
    name = offer_of(state).names(choices)[selected]
    backend = replace(await backend_of(state, profile, selected), profile=selected, name=name)
    advice = await services().backends.advice(person_at(state), backend)
    needs_sign_in = advice.login is not None and advice.login.is_required and profile.pass_token
    if needs_sign_in and services().backends.tokens.accounts is not None and "Authorization" not in backend.headers:
        raise SignInNeededError(msg("Sign in to ask {backend}.", backend=name))
    sent = sent_options(profile, state._own_options(selected), advice)
    return advice.applied(backend, sent.options), sent


async def asked_there(state: BackendState, asked_of: JsonObject) -> Backend:
    """The backend that a conversation remembers (`Backend.memory`), at the address where it was asked.

    Raises:
        NotAllowedError: it is not on offer any more.
        VaultError, ValueError: as `asked`.
    """
    profile = offer_of(state).remembered_profile(asked_of)
    if profile is None:
        raise NotAllowedError(msg("The backend of this request is no longer on offer."))
    key, url = str(asked_of["profile"]), str(asked_of["url"])
    return replace(await backend_of(state, profile, key), profile=key, url=url, name=backend_name(asked_of))


async def backend_of(state: BackendState, profile: Profile, backend_id: str) -> Backend:
    """The backend of a profile on offer, with its credential and certificate.

    Raises:
        VaultError: the person's keys cannot be read.
        ValueError: the operator's key is missing.
    """
    person, own_id = person_at(state), own_id_of(backend_id)
    offer, vault, tokens = services().backends.offer, services().backends.vault, services().backends.tokens
    backend = await backend_for(profile, person, vault, tokens, own_id=own_id, may_have_key=bool(state.keys))
    return await with_trusted_certificate(backend, profile, person, offer, vault)


def use_remembered(state: BackendState, asked_of: JsonObject) -> None:
    """Use a conversation's backend for this conversation; the person's choice if it is not on offer."""
    state.of_conversation = offer_of(state).remembered_id(asked_of, state._choices())
