from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from chat_ui.features.signing_in.provider import Provider
from chat_ui.features.signing_in.sign_in_flow import SignInFlow, SignInResult
from chat_ui.protocol.transport.client import AsyncClient
from tests.stand_ins.provider import StandInProvider

REDIRECT = "https://chat.example/api/sign-in/callback"


class Trial:
    """A browser with the cookie `sealed`, before the provider `at`, by a clock that the test sets."""

    def __init__(self, client: AsyncClient, at: StandInProvider, client_id: str, **options: Any) -> None:
        self.at, self.now, self.sealed = at, 1_000.0, ""
        self.provider = Provider(client, at.issuer, client_id, at.clients[client_id], clock=lambda: self.now)
        self.flow = SignInFlow(self.provider, "key of the server", clock=lambda: self.now, **options)

    def change(self, query: dict[str, str | None] | None = None, **changed: Any) -> dict[str, str | None]:
        """Change attributes of the provider, and members of those that are dictionaries; returns `query`."""
        for name, value in changed.items():
            known = getattr(self.at, name)
            setattr(self.at, name, {**known, **value} if isinstance(value, dict) else value)
        return query or {}

    async def begin(self, to: str = "/", scope: str = "") -> str:
        url, self.sealed = await self.flow.begin(to, REDIRECT, scope, self.sealed)
        return url

    async def finish(self, query: dict[str, str]) -> SignInResult:
        result = await self.flow.finish(query, self.sealed)
        self.sealed = result.sealed
        return result

    async def sign_in(self, to: str = "/", **changed: str | None) -> SignInResult:
        """Sign in, with these changes of the callback's query; None takes a parameter out."""
        query = {**self.at.answer_to(await self.begin(to)), **changed}
        return await self.finish({name: value for name, value in query.items() if value is not None})

    async def outcome(self, **changed: str | None) -> str:
        return (await self.sign_in(**changed)).outcome


@asynccontextmanager
async def trial(at: StandInProvider | None = None, client_id: str = "chat", **options: Any) -> AsyncIterator[Trial]:
    at = at or StandInProvider()
    async with AsyncClient() as client:
        yield Trial(client.with_transport(lambda _: httpx2.ASGITransport(at.app)), at, client_id, **options)
