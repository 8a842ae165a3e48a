import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_ui.server import lifetime
from chat_ui.server.lifetime import lock_database
from tests.app import free_port
from tests.commands import run


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port of 127.0.0.1 that this process listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def expect_refused(*arguments: str, data: Path, **environment: str) -> str:
    """The one line of a refusal by `chat-ui serve`, before it makes its data folder."""
    ran = await run("serve", "--port", str(free_port()), *arguments, CHAT_UI_DATA_DIR=str(data), **environment)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert not (data / "chat.db").exists()
    return ran.err


async def test_a_port_in_use_is_told_with_its_process_and_a_free_port(tmp_path: Path, taken_port: int):
    words = await expect_refused("--port", str(taken_port), data=tmp_path / "data")
    assert words.startswith(f"Port {taken_port} is in use by ")
    assert f"process {os.getpid()}. Try --port " in words
    free = int(words.rsplit("--port ", 1)[1].rstrip(".\n"))
    with socket.create_server(("127.0.0.1", free)):
        pass
    assert not (tmp_path / "data").exists()


async def test_a_foreign_address_or_an_unwritable_folder_is_refused(tmp_path: Path):
    for host in ("fe80::1%nowhere", "[::1]", "a" * 64):
        assert f"{host} is not an address" in await expect_refused("--host", host, data=tmp_path / "data")
    words = await expect_refused("--host", "192.0.2.1", data=tmp_path / "data")
    assert "Cannot listen on 192.0.2.1" in words
    (tmp_path / "file").touch()
    said = await expect_refused(data=tmp_path / "file" / "data")
    assert said.startswith(f"Conversations cannot be stored in {tmp_path / 'file' / 'data'}: Not a directory.")
    assert "CHAT_UI_DATA_DIR" in said


async def test_an_unusable_settings_file_is_refused_with_its_place(tmp_path: Path):
    settings = tmp_path / "chat.toml"

    async def told() -> str:
        return await expect_refused("--config", str(settings), data=tmp_path / "data")

    assert "chat.toml cannot be read: No such file" in await told()
    os.mkfifo(settings)
    assert "it is not a regular file" in await told()
    settings.unlink()
    for file, words in (
        ('titel = "Ask"', "sets titel, which is not a setting. Did you mean title?"),
        ("zzzzz = 1", "sets zzzzz, which is not a setting.\n"),
        ("title = ", "is not TOML"),
        ("title = " + "[" * 3000 + "]" * 3000, "nested too deeply"),
        ('logo = "~/nothing-there.svg"', f"{Path.home()}/nothing-there.svg cannot be read"),
        ('grace_seconds = "long"', "grace_seconds"),
        ("starter_questions = 3", "starter_questions (CHAT_UI_STARTER_QUESTIONS): must be a list"),
        ('logo = "none.svg"', "logo (CHAT_UI_LOGO): "),
        ('accent = "blurple"', "accent (CHAT_UI_ACCENT): 'blurple' is not a colour"),
        ("logo = 5", "logo (CHAT_UI_LOGO): must be a path"),
    ):
        settings.write_text(file)
        assert words.lower() in (await told()).lower()


async def test_a_data_folder_in_use_by_another_server_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lifetime, "_WAIT_SECONDS", 0)
    lock = await lock_database(tmp_path / "chat.db")
    try:
        assert "Another server uses the database" in await expect_refused(data=tmp_path)
    finally:
        await lock.release()


async def test_an_unusable_setting_or_a_conflict_of_options_is_refused(tmp_path: Path):
    for name, value, words in (
        ("CHAT_UI_BACKEND_URL", "http://me:s3cret@127.0.0.1:9/chat", "CHAT_UI_BACKEND_URL: Remove the user name"),
        ("CHAT_UI_ACCENT", "blurple", "CHAT_UI_ACCENT: 'blurple' is not a colour"),
        ("CHAT_UI_LOGO", __file__, f"CHAT_UI_LOGO: {__file__} is not an SVG, PNG, JPEG or WebP image"),
        ("CHAT_UI_RADIUS", "round", "CHAT_UI_RADIUS: Input should be 'none', 'small'"),
        ("CHAT_UI_STARTER_QUESTIONS", "Who?", 'CHAT_UI_STARTER_QUESTIONS: must be JSON, such as ["Who pays?"]'),
        ("CHAT_UI_BACKENDS", "/nowhere.toml", "/nowhere.toml"),
        ("CHAT_UI_SCRIPT", "/nowhere.toml", "/nowhere.toml cannot be read: No such file"),
        ("CHAT_UI_FRAME_ANCESTORS", "https://a.example; script-src *", "CHAT_UI_FRAME_ANCESTORS: must be origins"),
        ("CHAT_UI_ORIGINS", "chat.example.com", "CHAT_UI_ORIGINS: must be origins, such as https://"),
    ):
        said = await expect_refused(data=tmp_path / "data", **{name: value})
        assert words in said
        assert "s3cret" not in said
    assert not (tmp_path / "data").exists()
    (file := tmp_path / "backends.toml").write_text('[[backends]]\nname = "A"\nurl = "http://127.0.0.1:9/chat"\n')
    backends = {"CHAT_UI_BACKENDS": str(file)}
    assert "CHAT_UI_REDIS_URL" in await expect_refused("--workers", "2", data=tmp_path / "data")
    said = await expect_refused("--backend", "http://127.0.0.1:9/chat", data=tmp_path / "data", **backends)
    assert "cannot be combined" in said


async def test_an_invalid_option_is_refused_with_its_usage():
    ports = [["--port", port] for port in ("0", "65536", "x")]
    for arguments in (*ports, ["--workers", "0"], ["--backend", "nothing"]):
        ran = await run("serve", *arguments)
        assert ran.status == 2
        assert f"argument {arguments[0]}: " in ran.err
        assert "Traceback" not in ran.err


async def test_a_user_without_a_home_is_told_to_name_a_folder(monkeypatch: pytest.MonkeyPatch):
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    ran = await run("serve", "--port", str(free_port()), CHAT_UI_DATA_DIR="")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith("Set CHAT_UI_DATA_DIR to a folder.\n")


async def test_serving_is_the_default_and_a_misspelt_setting_is_told(tmp_path: Path, taken_port: int):
    ran = await run("--port", str(taken_port), CHAT_UI_DATA_DIR=str(tmp_path / "data"), CHAT_UI_TITEL="Ask")
    assert ran.err.startswith("CHAT_UI_TITEL is not a setting and has no effect. Did you mean CHAT_UI_TITLE?\n")
    assert (ran.status, f"\nPort {taken_port} is" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("variables", "file"), [({"CHAT_UI_EVALUATION": "true"}, ""), ({}, "evaluation = false")], ids=["variable", "file"]
)
async def test_a_retired_setting_is_told_and_has_no_effect(
    tmp_path: Path, taken_port: int, variables: dict[str, str], file: str
):
    (tmp_path / "chat.toml").write_text(file)
    ran = await run(
        "serve", "--port", str(taken_port), "--config", str(tmp_path / "chat.toml"),
        CHAT_UI_DATA_DIR=str(tmp_path / "data"), **variables,
    )  # fmt: skip
    told, *others = ran.err.splitlines()
    assert told.startswith("CHAT_UI_EVALUATION is no longer a setting: ")
    assert (ran.status, [line.split(" is")[0] for line in others[:1]]) == (2, [f"Port {taken_port}"])
