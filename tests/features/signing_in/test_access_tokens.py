"""Sessions in the vault, and their access tokens."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from chat_ui.backends.vault import METADATA, Vault
from chat_ui.conversations.store.database import engine_at
from chat_ui.errors import SignInNeededError, VaultError
from chat_ui.features.signing_in import access_tokens
from chat_ui.features.signing_in.access_tokens import AccessTokens
from chat_ui.features.signing_in.provider import TokenResponse
from chat_ui.features.signing_in.sessions import Sessions
from tests.features.signing_in.trial import Trial, trial
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.stand_ins.provider import StandInProvider

SEARCH = "https://search.azure.com/.default"
DAY = 24 * 3600


class Desk:
    """A process with the vault of `folder`, for people who sign in at `one.at`, by the clock of `one`."""

    def __init__(self, one: Trial, folder: Path, connect: Callable[[], AsyncEngine] | None, **options: Any) -> None:
        self.one, self.at = one, one.at
        self.vault = Vault(folder, "key", connect)
        self.sessions = Sessions(self.vault, "key", one.at.issuer, clock=lambda: one.now)
        self.tokens = AccessTokens(
            self.sessions, one.provider, self.vault, **{"is_required": False, **options}, clock=lambda: one.now
        )
        self.person = self.session = ""

    async def sign_in(self, scope: str = "") -> str:
        """Sign in; returns the cookie."""
        result = await self.one.sign_in()
        assert result.claims is not None
        assert result.tokens is not None
        cookie = await self.sessions.begin(result.claims, result.tokens, scope, "somebody")
        await self.see(cookie)
        return cookie

    async def see(self, cookie: str) -> None:
        found = await self.sessions.signed_in(cookie)
        assert found is not None
        self.person, self.session = found.person, found.session

    async def token(self, scope: str = "") -> str:
        return await self.tokens.token(self.person, scope)

    @property
    def renewals(self) -> int:
        return sum(form.get("grant_type") == "refresh_token" for form in self.at.forms)


@asynccontextmanager
async def desk(
    folder: Path, connect: Callable[[], AsyncEngine] | None = None, one: Trial | None = None, **options: Any
) -> AsyncIterator[Desk]:
    async with trial() as own:
        desk = Desk(one or own, folder, connect, **options)
        yield desk
        await desk.vault.close()


async def test_a_session_lasts_until_it_ends_or_for_30_days(tmp_path: Path):
    async with desk(tmp_path) as here:
        here.at.claims["groups"] = ["staff"]
        assert (await here.tokens.token("anna", ""), here.tokens.groups("anna")) == ("", None)
        cookie, other = await here.sign_in(), await here.sign_in()
        session = await here.sessions.find(here.session)
        assert session is not None
        assert (session.subject, session.name, session.before) == ("anna", "Anna Example", "somebody")
        assert here.tokens.groups(here.person) == frozenset({"staff"})
        assert session.refresh_token not in repr(session)
        await here.sessions.answered(session.id)
        ended = await here.sessions.end(session.id)
        assert ended is not None
        assert (ended.before, ended.refresh_token) == ("", session.refresh_token)
        assert await here.sessions.signed_in(other) is None
        assert await here.sessions.end(session.id) is None
        assert here.tokens.groups(here.person) == frozenset({"staff"})
        for forged in (f"{cookie}x", cookie.partition(".")[0], "", "ä.b"):
            assert await here.sessions.signed_in(forged) is None
        of_another = Sessions(here.vault, "key", "https://other.example")
        assert await of_another.signed_in(cookie) is None
        again = Sessions(Vault(tmp_path, "other key"), "key", here.at.issuer)
        assert await again.signed_in(cookie) is None
        here.one.now += 60 * 365 * DAY
        assert await here.sessions.signed_in(cookie) is None


async def test_twenty_questions_share_a_renewal_and_a_refresh_token_is_used_once(tmp_path: Path):
    async with desk(tmp_path) as here:
        await here.sign_in()
        first = await here.token()
        here.one.now += 3_299
        assert await here.token() == first
        here.one.now += 2
        asked = [here.token(scope) for scope in ("", SEARCH) for _ in range(20)]
        assert len(set(await asyncio.gather(*asked))) == 2
        assert here.renewals == 2
        forms = here.at.forms[-2:]
        assert {form.get("scope") for form in forms} == {None, f"openid {SEARCH}"}
        assert len({form["refresh_token"] for form in forms}) == 2
        assert len(here.at.grants) == 1


async def test_a_short_token_is_used_for_half_of_its_time(tmp_path: Path):
    async with desk(tmp_path) as here:
        here.at.lifetime, here.at.skew = 240, 300
        await here.sign_in()
        for _ in range(3):
            await here.token()
        assert here.renewals == 0
        here.one.now += 121
        await here.token()
        assert here.renewals == 1


async def test_a_provider_that_is_down_or_slow_leaves_the_old_token_while_it_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with desk(tmp_path) as here:
        await here.sign_in()
        first = await here.token()
        here.at.raw = {"/token": (502, b"", {})}
        here.one.now += 3_590
        assert await here.token() == first
        here.one.now += 20
        with pytest.raises(VaultError, match="does not answer"):
            await here.token()
        here.at.raw = {}
        monkeypatch.setattr(access_tokens, "WAIT_SECONDS", 0)
        with pytest.raises(VaultError, match="does not answer"):
            await here.token()
        monkeypatch.setattr(access_tokens, "WAIT_SECONDS", 5)
        # The renewal has gone on.
        assert await here.token() != first
        assert here.renewals == 1


async def test_a_renewal_survives_the_question_that_began_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with desk(tmp_path) as here:
        await here.sign_in()
        here.one.now += 3_500
        has_begun, ask = asyncio.Event(), here.one.provider.token

        async def noted(grant: Mapping[str, str]) -> TokenResponse:
            has_begun.set()
            return await ask(grant)

        monkeypatch.setattr(here.one.provider, "token", noted)
        question = asyncio.create_task(here.token())
        await has_begun.wait()
        question.cancel()
        assert len({await here.token(), await here.token()}) == 1
        assert (here.renewals, len(here.at.grants)) == (1, 1)


@pytest.mark.parametrize(
    ("code", "error"),
    [("invalid_grant", SignInNeededError), ("consent_required", SignInNeededError), ("x", VaultError)],
)
async def test_a_refused_renewal_asks_to_sign_in_again_and_is_not_repeated(
    tmp_path: Path, code: str, error: type[VaultError]
):
    async with desk(tmp_path) as here:
        await here.sign_in()
        here.at.raw = {"/token": (400, f'{{"error": "{code}"}}'.encode(), {})}
        for _ in range(2):
            with pytest.raises(VaultError) as raised:
                await here.token(SEARCH)
            assert type(raised.value) is error
        assert here.at.calls["/token"] == (2 if error is SignInNeededError else 3)
        # The token of the sign-in serves on.
        assert await here.token()


async def test_a_token_that_a_backend_refused_is_renewed_first(tmp_path: Path):
    async with desk(tmp_path) as here:
        await here.sign_in()
        first = await here.token()
        here.tokens.refused(first)
        second = await here.token()
        assert (await here.token(), here.renewals) == (second, 1)
        assert second != first
        here.tokens.refused(second)
        here.at.raw = {"/token": (503, b"", {})}
        with pytest.raises(VaultError, match="does not answer"):
            await here.token()


async def test_a_provider_without_refresh_tokens_asks_again_at_the_end(tmp_path: Path):
    async with desk(tmp_path) as here:
        here.at.response = {"refresh_token": None, "expires_in": "soon"}
        await here.sign_in()
        first = await here.token()
        here.one.now += 599
        assert await here.token() == first
        here.one.now += 2
        with pytest.raises(SignInNeededError):
            await here.token()
        assert here.renewals == 0


async def test_groups_are_those_of_the_newest_id_token(tmp_path: Path):
    async with desk(tmp_path, allowed=["staff"]) as here:
        here.at.claims["groups"] = ["staff", "legal"]
        cookie = await here.sign_in()
        here.at.claims["groups"] = ["staff"]
        here.one.now += 3_500
        await here.token()
        assert here.tokens.groups(here.person) == frozenset({"staff"})
        # An ID token that is not valid changes nothing.
        here.at.issuer, issuer = "https://other.example", here.at.issuer
        here.one.now += 3_500
        await here.token()
        assert here.tokens.groups(here.person) == frozenset({"staff"})
        here.at.issuer = issuer
        for changed in ({"groups": ["guests"]}, {"groups": ["staff"], "sub": "bob"}):
            here.at.claims |= changed
            here.one.now += 3_500
            with pytest.raises(SignInNeededError):
                await here.token()
            assert here.tokens.groups(here.person) is None
            assert await here.sessions.signed_in(cookie) is None
            here.at.claims["groups"] = ["staff"]
            cookie = await here.sign_in()


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    with postgresql_for_tests() as server:
        yield server


async def test_processes_share_a_renewal(tmp_path: Path, postgresql: PostgreSQL):
    url = postgresql.create_database("tokens")
    engine = engine_at(url)
    async with engine.begin() as connection:
        await connection.run_sync(METADATA.create_all)
    await engine.dispose()
    at = StandInProvider()
    async with trial(at) as one, desk(tmp_path, lambda: engine_at(url), one) as here:
        cookie = await here.sign_in()
        async with desk(tmp_path, lambda: engine_at(url), one) as there:
            await there.see(cookie)
            for _ in range(3):
                one.now += 3_500
                before = here.renewals
                asked = [place.token(scope) for _ in range(10) for place in (here, there) for scope in ("", SEARCH)]
                assert len(set(await asyncio.gather(*asked))) == 2
                assert (here.renewals - before, len(at.grants)) == (2, 1)
            used = [form["refresh_token"] for form in at.forms if "refresh_token" in form]
            assert len(used) == len(set(used))
            await here.sessions.end(here.session)
            with pytest.raises(SignInNeededError):
                await there.token()
            assert await there.sessions.find(there.session) is None
