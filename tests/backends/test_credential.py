import asyncio
import base64
import math
import shutil
import socket
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chat_ui.backends import vault as vault_module
from chat_ui.backends.credential import Credential, Seal, Tokens, credential_of, end_of, seal_key
from chat_ui.backends.offer import backend_for
from chat_ui.backends.profile import Profile
from chat_ui.backends.vault import METADATA, Vault
from chat_ui.conversations.store.database import engine_at
from chat_ui.errors import SignInNeededError, VaultError, VaultUnavailableError
from tests.clock_loop import on_a_clock
from tests.made_sets import thinned

SECRET = "kept-between-us-0123456789"
ORIGIN, OTHER = "https://backend.example:443", "https://other.example:443"


KEPT = Credential("bearer", SECRET)


def test_a_key_is_sent_in_its_header_and_never_printed():
    assert credential_of("bearer", f" {SECRET}\n").headers() == {"Authorization": f"Bearer {SECRET}"}
    assert credential_of("api-key", f" {SECRET}\n").headers() == {"api-key": SECRET}
    assert credential_of("header", f" {SECRET}\n", "X-Api-Key").headers() == {"X-Api-Key": SECRET}
    # A token that was pasted with its scheme has it once.
    assert credential_of("bearer", f"Bearer {SECRET}") == KEPT
    assert SECRET not in repr(KEPT)


def test_an_invalid_key_is_refused_without_repeating_it():
    secrets = ("", "Bearer ", f"{SECRET}\r\nX-Other: 1", f"{SECRET}\x00", "schlüssel", "x" * 20_000)
    names = (
        *("", "a b", "X:Y", "Host", "cookie", "X-Forwarded-For", "Content-Length"),
        *("x-ms-client-principal-id", "Transfer-Encoding", "x-chat-ui-person"),
    )
    for kind, secret, header in (
        *(("bearer", secret, "") for secret in secrets),
        ("cookie", SECRET, ""),
        *(("header", SECRET, name) for name in names),
    ):
        with pytest.raises(ValueError, match=r"[A-Z].*\.") as refused:
            credential_of(kind, secret, header)
        assert SECRET not in str(refused.value)
    # The proxy's header cannot have a key.
    for header in ("X-Who", "x-who", " X-TOKEN "):
        with pytest.raises(ValueError, match="is not meant for keys"):
            credential_of("header", SECRET, header, reserved=["X-Who", "X-Token"])


def test_a_sealed_key_opens_only_for_the_same_person_and_origin():
    seal = Seal("a key")
    value = Credential("header", SECRET, "X-Api-Key")
    sealed = seal.encrypt(value, "ann", ORIGIN)
    assert SECRET not in sealed
    assert seal.decrypt(sealed, "ann", ORIGIN) == value
    for other, text, person, origin in (
        (seal, sealed, "bob", ORIGIN),
        (seal, sealed, "ann", OTHER),
        (Seal("another key"), sealed, "ann", ORIGIN),
        (seal, "nonsense", "ann", ORIGIN),
    ):
        assert other.decrypt(text, person, origin) is None


def test_the_sealing_key_is_made_once_and_a_file_without_one_is_reported(tmp_path: Path):
    made = seal_key(tmp_path / "data")
    assert made == seal_key(tmp_path / "data")
    path = tmp_path / "data" / "secret.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret.key"]
    path.chmod(0o644)
    with pytest.raises(PermissionError, match="chmod 600"):
        seal_key(tmp_path / "data")
    path = tmp_path / "secret.key"
    path.touch(0o600)
    for content, problem in (
        (b"", "is empty; restore a backup"),
        (b" \n", "is empty"),
        ("Schlüssel".encode(), "is damaged; restore a backup"),
        (b"\xff\x00", "is damaged"),
        (None, "is not a file"),
    ):
        if content is None:
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(content)
        with pytest.raises(OSError, match=problem) as refused:
            seal_key(tmp_path)
        assert str(path) in str(refused.value)
        assert "\n" not in str(refused.value)


async def test_a_lost_sealing_key_is_told_to_the_operator_and_to_each_person(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    async with opened(tmp_path) as before:
        for person in ("ann", "bob"):
            await before.keep(person, ORIGIN, KEPT)
    assert caplog.messages == []
    (tmp_path / "secret.key").unlink()
    async with opened(tmp_path) as vault:
        for person in ("ann", "bob", "ann"):
            with pytest.raises(VaultError, match="Enter it again"):
                await vault.find(person, ORIGIN)
        assert await vault.find("cid", ORIGIN) is None
        made, read = caplog.messages
        assert f"{tmp_path / 'secret.key'} was missing" in made
        assert "the secret key has changed" in read
        assert SECRET not in caplog.text
        await vault.keep("ann", ORIGIN, KEPT)
        assert await vault.find("ann", ORIGIN) == KEPT
        await vault.drop("bob", ORIGIN)
        assert await vault.find("bob", ORIGIN) is None


@asynccontextmanager
async def opened(folder: Path, *arguments: Any, **options: Any) -> AsyncIterator[Vault]:
    vault = Vault(folder, *arguments, **options)
    yield vault
    await vault.close()


def assert_nobody_can_read(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"credentials.db", "secret.key"}
    for path in folder.iterdir():
        assert SECRET.encode() not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.fixture
async def vault(tmp_path: Path) -> AsyncIterator[Vault]:
    async with opened(tmp_path) as vault:
        yield vault


async def test_the_vault_keeps_an_encrypted_key_per_person_and_origin(tmp_path: Path):
    async with opened(tmp_path) as vault:
        await vault.keep("ann", ORIGIN, Credential("bearer", "first"))
        await vault.keep("ann", ORIGIN, KEPT)
        assert await vault.find("ann", ORIGIN) == KEPT
        assert await vault.find("bob", ORIGIN) is None
        assert await vault.find("ann", "http://backend.example:80") is None
    assert_nobody_can_read(tmp_path)
    async with opened(tmp_path) as again:
        assert await again.find("ann", ORIGIN) == KEPT
        await again.drop("ann", ORIGIN)
        assert await again.find("ann", ORIGIN) is None


async def test_a_trusted_certificate_belongs_to_its_origin_and_keys_to_backends(vault: Vault):
    await vault.trust("ann", ORIGIN, "ab" * 32)
    assert await vault.trusted("ann", ORIGIN) == "ab" * 32
    assert await vault.trusted("ann", OTHER) == await vault.trusted("bob", ORIGIN) == ""
    assert await vault.find("ann", ORIGIN) is None
    await vault.distrust("ann", ORIGIN)
    assert await vault.trusted("ann", ORIGIN) == ""
    of_origin, of_second = Credential("bearer", "of-the-origin"), Credential("api-key", "of-the-second")
    await vault.keep("ann", ORIGIN, of_origin)
    await vault.keep("ann", ORIGIN, of_second, "own:2")
    assert await vault.find("ann", ORIGIN, "own:1") == of_origin
    assert await vault.find("ann", ORIGIN, "own:2") == of_second
    assert await vault.find("ann", OTHER, "own:2") is None
    assert await vault.find("bob", ORIGIN, "own:2") is None
    await vault.drop("ann", ORIGIN, "own:2")
    assert await vault.find("ann", ORIGIN, "own:2") == of_origin


async def test_keys_are_handed_over_except_where_the_other_person_has_one(vault: Vault):
    await vault.hand_over("ann", "bob")
    await vault.keep("ann", ORIGIN, KEPT)
    await vault.keep("ann", ORIGIN, KEPT, "own:2")
    await vault.trust("ann", OTHER, "ab" * 32)
    await vault.keep("bob", ORIGIN, of_bob := Credential("bearer", "of-bob"))
    await vault.hand_over("ann", "bob")
    assert await vault.find("bob", ORIGIN) == of_bob
    assert await vault.find("bob", ORIGIN, "own:2") == KEPT
    assert await vault.trusted("bob", OTHER) == "ab" * 32
    assert await vault.find("ann", ORIGIN, "own:2") is None


async def test_a_person_over_the_limit_of_keys_is_told_how_to_go_on(vault: Vault, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vault_module, "MOST_OF_A_PERSON", 3)
    for number in range(3):
        await vault.keep("ann", f"https://{number}.example:443", KEPT)
    with pytest.raises(VaultError, match="Remove one that you do not use"):
        await vault.keep("ann", ORIGIN, KEPT)
    await vault.keep("ann", "https://2.example:443", Credential("bearer", "another"))
    await vault.keep("bob", ORIGIN, KEPT)
    await vault.drop("ann", "https://2.example:443")
    await vault.keep("ann", ORIGIN, KEPT)


async def test_a_key_for_a_header_of_the_proxy_is_not_given_out(tmp_path: Path):
    async with opened(tmp_path) as before:
        await before.keep("ann", ORIGIN, Credential("header", SECRET, "X-Who"))
    words = r"header X-Who, which is not allowed any more\. Enter it again"
    async with opened(tmp_path, reserved=["x-who"]) as vault:
        with pytest.raises(VaultError, match=words) as refused:
            await vault.find("ann", ORIGIN)
        assert SECRET not in str(refused.value)
        await vault.keep("ann", ORIGIN, KEPT)
        assert await vault.find("ann", ORIGIN) == KEPT


async def test_a_lookup_makes_no_file_and_an_unusable_folder_is_told(tmp_path: Path):
    vault = Vault(tmp_path / "data")
    assert await vault.find("ann", ORIGIN) is None
    assert not (tmp_path / "data").exists()
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(VaultError, match="cannot be saved"):
        await vault.keep("ann", ORIGIN, KEPT)


async def test_a_copied_file_has_the_keys_and_a_deleted_one_is_made_anew(vault: Vault, tmp_path: Path):
    await vault.keep("ann", ORIGIN, KEPT)
    (copy := tmp_path / "copy").mkdir()
    for name in ("credentials.db", "secret.key"):
        shutil.copy2(tmp_path / name, copy)
    async with opened(copy) as copied:
        assert await copied.find("ann", ORIGIN) == KEPT
    (tmp_path / "credentials.db").unlink()
    assert await vault.find("ann", ORIGIN) is None
    await vault.keep("ann", ORIGIN, KEPT)
    async with opened(tmp_path) as again:
        assert await again.find("ann", ORIGIN) == KEPT


@pytest.fixture
def silent() -> Iterator[str]:
    """The URL of a PostgreSQL that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        yield f"postgresql://me:pass@127.0.0.1:{listening.getsockname()[1]}/none"


@pytest.mark.parametrize("is_silent", thinned([False, True], one_in=2))
async def test_a_vault_without_its_database_reports_it(tmp_path: Path, silent: str, is_silent: bool):
    url = silent if is_silent else "postgresql://nobody@127.0.0.1:1/none"
    async with opened(tmp_path, "secret", lambda: engine_at(url)) as vault:
        for asked in (vault.find("ann", ORIGIN), vault.keep("ann", ORIGIN, KEPT)):
            with pytest.raises(VaultUnavailableError, match=r"^Your keys cannot be saved or read at the moment\. Try"):
                await asked


async def test_a_vault_without_its_database_uses_the_last_result(tmp_path: Path):
    shared = engine_at(f"sqlite:///{tmp_path / 'shared.db'}")
    async with shared.begin() as connection:
        await connection.run_sync(METADATA.create_all)
    unavailable = False
    async with opened(tmp_path, "secret", lambda: shared, is_unavailable=lambda: unavailable) as vault:
        for person in ("ann", "cid"):
            await vault.keep(person, ORIGIN, KEPT)
        await vault.drop("cid", ORIGIN)
        assert await vault.find("bob", ORIGIN) is None
        unavailable = True
        assert await vault.find("ann", ORIGIN) == KEPT
        for person in ("bob", "cid"):
            assert await vault.find(person, ORIGIN) is None
        with pytest.raises(VaultUnavailableError):
            await vault.find("eve", ORIGIN)


async def test_a_person_without_keys_needs_no_vault(tmp_path: Path):
    profile = Profile(name="Own", url="https://backend.example/chat")
    async with opened(tmp_path, "secret", lambda: engine_at("postgresql://nobody@127.0.0.1:1/none")) as vault:
        assert (await backend_for(profile, "ann", vault, Tokens(), may_have_key=False)).headers == {}
        with pytest.raises(VaultUnavailableError):
            await backend_for(profile, "ann", vault, Tokens(), may_have_key=True)


def test_the_end_of_a_token_is_told_by_its_header_or_by_itself():
    def jwt(payload: str) -> str:
        return f"e30.{base64.urlsafe_b64encode(payload.encode()).decode().rstrip('=')}.e30"

    for told in ("2026-11-30T08:00:00Z", "2026-11-30T08:00:00.1234567Z"):
        assert int(end_of(jwt('{"exp": 1}'), told)) == 1_796_025_600
    assert end_of(jwt('{"exp": 1796025600.5}')) == 1_796_025_600.5
    for token in ("opaque", "a.b.c", "ä.ä.ä", jwt("[]"), jwt('{"exp": "soon"}'), jwt('{"exp": null}'), jwt("{}")):
        assert end_of(token, "soon") == math.inf


def test_a_question_of_an_idle_tab_waits_for_the_new_token_of_the_proxy():
    now = 1_000.0
    tokens = Tokens(clock=lambda: now)

    async def ask(*brought: tuple[str, float], person: str = "ann") -> tuple[str, float]:
        """The token and the seconds until it is there; each second, another request brings a token and its end."""
        loop = asyncio.get_running_loop()
        for second, (token, ends_at) in enumerate(brought):
            loop.call_later(second, tokens.keep, person, token, ends_at)
        await asyncio.sleep(0)
        try:
            found = await asyncio.gather(*(tokens.of(person) for _ in range(20)))
        except SignInNeededError:
            return "sign in", round(loop.time(), 1)
        return found[0], round(loop.time(), 1)

    first, second = ("first", 1_100), ("second", 2_000)
    assert on_a_clock(lambda: ask(first)) == ("first", 0)
    now = 1_100
    assert on_a_clock(lambda: ask(first, first, second)) == ("second", 2)
    assert on_a_clock(ask) == ("second", 0)
    now = 2_000
    assert on_a_clock(lambda: ask(second)) == ("sign in", 3)
    assert on_a_clock(lambda: ask(person="bob")) == ("", 0)
