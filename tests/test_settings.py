"""Invalid settings of an operator are told in words, without values that may be secret."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx2
import pytest
from redis import Redis

from chat_ui.errors import UnusableSettingsError
from chat_ui.settings import RETIRED, read_settings, unused_settings
from tests.app import ROOT, App
from tests.app_settings import AppSettings
from tests.page.state.pages import open_pages
from tests.postgresql import postgresql_for_tests
from tests.redis_server import running_redis
from tests.servers import wait_until
from tests.timeouts import TIMEOUT

SECRET = "s3cr3t-w0rd"
NO_ADDRESS = "must be a URL, such as https://"
UNUSABLE = [
    ("CHAT_UI_REDIS_URL", f"http://:{SECRET}@127.0.0.1/0", "must be a Redis URL"),
    ("CHAT_UI_REDIS_URL", f"redis://:{SECRET}/more@127.0.0.1/0", "must be a Redis URL"),
    ("CHAT_UI_DATABASE_URL", f"mysql://chat:{SECRET}@127.0.0.1/chat", "must be a PostgreSQL URL"),
    ("CHAT_UI_DATABASE_URL", SECRET, "must be a PostgreSQL URL"),
    ("CHAT_UI_GRACE_SECONDS", SECRET, "valid number"),
    ("CHAT_UI_GRACE_SECONDS", "inf", "finite number"),
    ("CHAT_UI_STARTER_QUESTIONS", f"[{SECRET}", "JSON"),
    ("CHAT_UI_STARTER_QUESTIONS", "[" * 100_000, "JSON"),
    ("CHAT_UI_FRAME_ANCESTORS", f"https://www.example.com {SECRET}.example.com", "must be origins"),
    ("CHAT_UI_FRAME_ANCESTORS", f"https://{SECRET}.example.com:*", "must be origins"),
    ("CHAT_UI_FRAME_ANCESTORS", "https:", "must be origins"),
    ("CHAT_UI_TITLE", " ", "must have visible characters"),
    ("CHAT_UI_TITLE", "\u200b", "must have visible characters"),
    ("CHAT_UI_DEMO_LLM_URL", SECRET, NO_ADDRESS),
    ("CHAT_UI_DEMO_LLM_URL", f"https:///{SECRET}", NO_ADDRESS),
    ("CHAT_UI_DEMO_LLM_URL", f"http://{SECRET}:port/v1", NO_ADDRESS),
    ("CHAT_UI_DEMO_LLM_URL", f"http://[{SECRET}", NO_ADDRESS),
    ("CHAT_UI_IDENTITY_HEADER", f"{SECRET}: b", "must be a header name"),
    ("CHAT_UI_TOKEN_HEADER", f"{SECRET} b", "must be a header name"),
    ("CHAT_UI_DATA_DIR", f"~{SECRET}/data", "the home folder does not exist"),
    ("CHAT_UI_TRUSTED_PROXIES", f"10.0.0.1 {SECRET}", "IP addresses or networks"),
]


def test_an_invalid_setting_is_refused_by_its_name_without_its_value(monkeypatch: pytest.MonkeyPatch):
    for name, value, words in UNUSABLE:
        with monkeypatch.context() as one, pytest.raises(UnusableSettingsError) as refused:
            one.setenv(name, value)
            read_settings(AppSettings)
        said = str(refused.value)
        assert said.startswith(f"{name}: "), (name, words)
        assert words in said
        assert SECRET not in said


def started(here: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process that reads its settings as a server does."""
    program = "from chat_ui.settings import settings; settings()"
    line = [*command, f"exec {sys.executable} -c '{program}'"]
    return subprocess.run(
        ["/bin/sh", "-c", " && ".join(line)],
        cwd=here, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_server_with_invalid_settings_prints_only_the_message(tmp_path: Path):
    ran = started(tmp_path, f"rmdir {tmp_path}", CHAT_UI_DATA_DIR="data")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "CHAT_UI_DATA_DIR: the current folder no longer exists; write the full path\n"


def test_an_empty_text_counts_as_unset_and_a_path_with_nul_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (file := tmp_path / "chat.toml").write_text('demo_llm_url = ""\nidentity_header = " X-User "\nlogo = ""\n')
    monkeypatch.setenv("CHAT_UI_CONFIG", str(file))
    monkeypatch.setenv("CHAT_UI_REDIS_URL", "")
    read = read_settings(AppSettings)
    assert (read.redis_url, read.demo_llm_url, read.identity_header, read.logo) == (None, None, "X-User", None)
    file.write_text('logo = "a\\u0000b"\n')
    with pytest.raises(UnusableSettingsError, match="a path cannot contain NUL"):
        read_settings(AppSettings)


def told_without_password(log: str, ready: httpx2.Response, page: httpx2.Response) -> None:
    """Check that an unusable store and Redis are reported while the page is served."""
    assert (ready.status_code, ready.json()) == (503, {"store": False, "workers": False})
    assert page.status_code == 200
    assert SECRET not in log + ready.text + page.text


async def test_an_unusable_database_and_redis_are_reported_without_passwords(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    urls = {"database_url": f"postgresql://chat:{SECRET}@127.0.0.1:{SECRET}/chat"}
    urls["redis_url"] = f"redis://:{SECRET}@127.0.0.1:1/0"
    async with (
        open_pages(tmp_path, is_complete=True, retention_days=None, **urls) as pages,
        httpx2.AsyncClient(base_url=pages.url) as client,
        asyncio.timeout(TIMEOUT),
    ):
        while not ("Redis is not reachable" in caplog.text and "are not stored" in caplog.text):  # noqa: ASYNC110 - a log announces nothing
            await asyncio.sleep(0.01)
        told_without_password(caplog.text, await client.get("/ready"), await client.get("/"))


@contextmanager
def with_wrong_password() -> Iterator[tuple[str, str]]:
    with postgresql_for_tests() as postgresql, running_redis() as redis:
        postgresql.want_passwords()
        Redis(port=redis.port).config_set("requirepass", "another")
        at = f"127.0.0.1:{postgresql.port}"
        yield f"postgresql://postgres:{SECRET}@{at}/postgres", f"redis://:{SECRET}@127.0.0.1:{redis.port}/0"


@contextmanager
def with_wrong_host() -> Iterator[tuple[str, str]]:
    yield f"postgresql://chat:{SECRET}@nowhere.invalid/chat", f"redis://:{SECRET}@nowhere.invalid:6379/0"


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", [with_wrong_password, with_wrong_host])
def test_a_refusing_or_missing_server_is_reported(
    built_app: Path, tmp_path: Path, wrong: Callable[[], AbstractContextManager[tuple[str, str]]]
):
    with wrong() as (database_url, redis_url):
        app = App(tmp_path, {"CHAT_UI_DATABASE_URL": database_url, "CHAT_UI_REDIS_URL": redis_url}, built_app)
        app.start()
        try:
            wait_until(lambda: ("Redis is not reachable" in app.log and "are not stored" in app.log) or None, TIMEOUT)
            told_without_password(app.log, httpx2.get(f"{app.url}/ready", timeout=TIMEOUT), httpx2.get(app.url))
        finally:
            app.end()
    assert "Traceback" not in app.log


def test_a_retired_setting_is_ignored_and_matches_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (file := tmp_path / "chat.toml").write_text(
        "".join(f"{name.removeprefix('CHAT_UI_').lower()} = 7\n" for name in RETIRED)
    )
    monkeypatch.setenv("CHAT_UI_CONFIG", str(file))
    for name in RETIRED:
        monkeypatch.setenv(name, "7")
    assert read_settings(AppSettings).record is None
    assert unused_settings(AppSettings) == [f"{name} is no longer a setting: {why}." for name, why in RETIRED.items()]
