"""Sessions in the vault, and their access tokens."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from chat_ui.backends.vault import METADATA, Vault
from chat_ui.conversations.store.database import engine_at
from chat_ui.errors import SignInNeededError, VaultError
from chat_ui.features.signing_in import access_tokens
from chat_ui.features.signing_in.access_tokens import AccessTokens
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
        self.sessions = self.process()
        self.tokens = AccessTokens(
            self.sessions, one.provider, self.vault, **{"is_required": False, **options}, clock=lambda: one.now
        )
        self.person = self.session = ""

    def process(self, issuer: str = "", vault: Vault | None = None) -> Sessions:
        """Sessions without what other ones have read."""
        return Sessions(vault or self.vault, "key", issuer or self.at.issuer, clock=lambda: self.one.now)

    async def sign_in(self) -> str:
        """Sign in; returns the cookie."""
        result = await self.one.sign_in()
        assert result.claims is not None
        assert result.tokens is not None
        cookie = await self.sessions.begin(result.claims, result.tokens, "", "somebody")
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
        assert (await here.tokens.token("anna", ""), here.tokens.groups("anna")) == ("", None)
        cookie = await here.sign_in()
        session = await here.sessions.find(here.session)
        assert session is not None
        assert (session.subject, session.name, session.before) == ("anna", "Anna Example", "somebody")
        assert session.refresh_token not in repr(session)
        await here.sessions.answered(session.id)
        for forged in (f"{cookie}x", cookie.partition(".")[0], "", "ä.b"):
            assert await here.sessions.signed_in(forged) is None
        for other in (here.process("https://other.example"), here.process(vault=Vault(tmp_path, "other key"))):
            assert await other.signed_in(cookie) is None
        ended = await here.sessions.end(session.id)
        assert ended is not None
        assert (ended.before, ended.refresh_token) == ("", session.refresh_token)
        assert (await here.sessions.end(session.id), await here.sessions.signed_in(cookie)) == (None, None)
        cookie = await here.sign_in()
        here.one.now += 60 * 365 * DAY
        assert await here.sessions.signed_in(cookie) is None


async def test_a_person_in_two_browsers_goes_on_in_the_other_one(tmp_path: Path):
    async with desk(tmp_path) as here:
        here.at.claims["groups"] = ["staff"]
        await here.sign_in()
        await here.sign_in()
        await here.sessions.end(here.session)
        assert here.tokens.groups(here.person) == await here.tokens.current_groups(here.person) == {"staff"}
        assert await here.token()
        here.at.response = {"refresh_token": None}
        await here.sign_in()
        here.one.now += 3_601
        assert await here.token()


async def test_a_change_by_another_process_counts_after_ten_seconds(tmp_path: Path):
    async with desk(tmp_path) as here:
        cookie = await here.sign_in()
        process = here.process()
        await process.signed_in(cookie)
        await here.sessions.end(here.session)
        assert await process.current(here.person)
        here.one.now += 11
        assert process.groups(here.person) is not None
        assert await process.current(here.person) is None


async def test_a_question_without_a_token_renews_the_groups_for_the_next_one(tmp_path: Path):
    async with desk(tmp_path) as here:
        here.at.claims["groups"] = ["staff", "legal"]
        await here.sign_in()
        here.at.claims["groups"] = ["staff"]
        here.one.now += 3_500
        for groups in ({"staff", "legal"}, {"staff"}):
            assert await here.tokens.current_groups(here.person) == groups
            await here.tokens.end()
        assert here.renewals == 1


async def test_twenty_questions_share_a_renewal_and_a_refresh_token_is_used_once(tmp_path: Path):
    async with desk(tmp_path) as here:
        await here.sign_in()
        first = await here.token()
        here.one.now += 3_299
        assert await here.token() == first
        here.one.now += 2
        asked = [here.token(scope) for scope in ("", SEARCH) for _ in range(20)]
        assert len(set(await asyncio.gather(*asked))) == 2
        forms = here.at.forms[-2:]
        assert {form.get("scope") for form in forms} == {None, f"openid {SEARCH}"}
        assert len({form["refresh_token"] for form in forms}) == here.renewals == 2


@pytest.mark.parametrize(
    ("lifetime", "response", "seconds", "renewals"),
    [(240, {}, (119, 121), 1), (3_600, {"refresh_token": None, "expires_in": "soon"}, (599, 601), 0)],
)
async def test_a_short_token_is_used_for_half_of_its_time_and_one_without_renewal_to_its_end(
    tmp_path: Path, lifetime: int, response: dict[str, Any], seconds: tuple[int, int], renewals: int
):
    async with desk(tmp_path) as here:
        here.at.lifetime, here.at.skew, here.at.response = lifetime, 300, response
        await here.sign_in()
        first, began = await here.token(), here.one.now
        here.one.now = began + seconds[0]
        assert await here.token() == first
        here.one.now = began + seconds[1]
        with nullcontext() if renewals else pytest.raises(SignInNeededError):
            assert await here.token() != first
        assert here.renewals == renewals


async def test_a_provider_that_is_down_or_slow_leaves_the_old_token_while_it_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with desk(tmp_path) as here:
        await here.sign_in()
        first = await here.token()
        here.at.raw = {"/token": (502, b"", {})}
        here.one.now += 3_590
        assert await here.token() == first
        here.tokens.refused(first)
        with pytest.raises(VaultError, match="does not answer"):
            await here.token()
        here.at.raw = {}
        monkeypatch.setattr(access_tokens, "WAIT_SECONDS", 0)
        with pytest.raises(VaultError, match="does not answer"):
            await here.token()
        monkeypatch.undo()
        # The renewal has gone on, and the end of the server waits for it.
        await here.tokens.end()
        second = await here.token()
        assert second != first
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


async def test_groups_are_those_of_the_newest_id_token(tmp_path: Path):
    async with desk(tmp_path, allowed=["staff"]) as here:
        for claims, groups in (
            ({"groups": ["staff", "legal"]}, {"staff", "legal"}),
            ({"groups": ["staff"]}, {"staff"}),
            # An ID token that is not valid changes nothing.
            ({"groups": ["guests"], "iss": "https://other.example"}, {"staff"}),
            ({"groups": ["guests"], "iss": here.at.issuer}, None),
            ({"groups": ["staff"], "sub": "bob"}, None),
        ):
            if here.tokens.groups(here.person) is None:
                cookie = await here.sign_in()
            here.at.claims |= claims
            here.one.now += 3_500
            with pytest.raises(SignInNeededError) if groups is None else nullcontext():
                await here.token()
            assert here.tokens.groups(here.person) == groups
            assert (await here.sessions.signed_in(cookie) is None) is (groups is None)


async def test_a_renewal_keeps_groups_without_an_answer_about_them(tmp_path: Path):
    async with desk(tmp_path, allowed=["staff"]) as here:
        here.at.claims, here.at.userinfo = {}, {"groups": ["staff"], "name": "Anna"}
        await here.sign_in()
        here.at.raw = {"/userinfo": (503, b"", {})}
        here.one.now += 3_500
        assert await here.token()
        session = await here.sessions.find(here.session)
        assert session is not None
        assert (session.name, session.groups, here.renewals) == ("Anna", {"staff"}, 1)
        # With the scope of an API only, providers leave claims out.
        here.at.raw, here.at.userinfo = {}, {}
        assert await here.token(SEARCH)
        assert here.tokens.groups(here.person) == {"staff"}


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
