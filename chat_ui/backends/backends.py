"""The backends of a server: those on offer, people's keys for them, and the recordings among them."""

from __future__ import annotations

from dataclasses import dataclass, field

from chat_ui.backends.credential import Tokens
from chat_ui.backends.offer import Offer, remembered_backend
from chat_ui.backends.replaying import Replaying
from chat_ui.backends.vault import Vault
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import NO_ADVICE, Advice, Adviser, advice_of
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.transport.client import AsyncClient


@dataclass(frozen=True, slots=True)
class Backends:
    """`client` asks them; `tokens` are passed on by a proxy; `advisers` find the facts that deployments tell."""

    offer: Offer
    vault: Vault
    tokens: Tokens
    replaying: Replaying
    client: AsyncClient
    advisers: list[Adviser] = field(default_factory=list)

    def offer_of(self, person: str) -> Offer:
        """The offer without the backends of groups that the person is not in."""
        return self.offer.for_person(self.tokens.groups(person))

    async def client_for(self, backend: Backend) -> AsyncClient:
        """The client for further requests to a backend of a conversation.

        Raises:
            RecordingError: the recording that answers instead is gone.
        """
        return await self.replaying.client_for(self.client, backend)

    async def remembered(self, asked_of: JsonObject, person: str) -> Backend | None:
        """The backend that a conversation remembers, with this person's credential; None if not on offer.

        Raises:
            VaultError, ValueError: its credential is unavailable.
        """
        return await remembered_backend(asked_of, person, self.offer_of(person), self.vault, self.tokens)

    def advice_known(self, person: str, backend: Backend) -> Advice:
        """The facts that the deployment behind a backend told this person before."""
        known = (adviser.known(person, backend) for adviser in self.advisers if not backend.recording)
        return next((advice for advice in known if advice != NO_ADVICE), NO_ADVICE)

    async def advice(self, person: str, backend: Backend, *, again: bool = False) -> Advice:
        """The facts that the deployment behind a backend tells, read within 2 s if they are unknown, or `again`."""
        client = self.client.for_person(person).pinning_for(backend)
        return await advice_of(() if backend.recording else self.advisers, client, person, backend, again=again)
