"""What an operator set that cannot be: told in words, without a value that may be secret."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx2
import pytest
from redis import Redis

from chat_ui.settings import RETIRED, read_settings, unused_settings
from tests.app import ROOT, App
from tests.patience import PATIENCE
from tests.postgresql import postgresql_for_tests
from tests.redis_server import running_redis
from tests.servers import wait_until

SECRET = "s3cr3t-w0rd"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("CHAT_UI_REDIS_URL", f"http://:{SECRET}@127.0.0.1/0", "no URL of a Redis"),
        ("CHAT_UI_REDIS_URL", f"redis://:{SECRET}/more@127.0.0.1/0", "no URL of a Redis"),
        ("CHAT_UI_DATABASE_URL", f"mysql://chat:{SECRET}@127.0.0.1/chat", "no URL of a PostgreSQL database"),
        ("CHAT_UI_DATABASE_URL", SECRET, "no URL of a PostgreSQL database"),
        ("CHAT_UI_GRACE_SECONDS", SECRET, "valid number"),
        ("CHAT_UI_GRACE_SECONDS", "inf", "finite number"),
        ("CHAT_UI_STARTER_QUESTIONS", f"[{SECRET}", "JSON"),
        ("CHAT_UI_FRAME_ANCESTORS", f"https://www.example.com {SECRET}.example.com", "no origin"),
        ("CHAT_UI_FRAME_ANCESTORS", f"https://{SECRET}.example.com:*", "no origin"),
        ("CHAT_UI_FRAME_ANCESTORS", "https:", "no origin"),
        ("CHAT_UI_STARTER_QUESTIONS", "[" * 100_000, "JSON"),
        ("CHAT_UI_TITLE", " ", "nothing of this would be seen"),
        ("CHAT_UI_TITLE", "\u200b", "nothing of this would be seen"),
        ("CHAT_UI_DEMO_LLM_URL", SECRET, "no address, such as https://"),
        ("CHAT_UI_DEMO_LLM_URL", f"https:///{SECRET}", "no address, such as https://"),
        ("CHAT_UI_DEMO_LLM_URL", f"http://{SECRET}:port/v1", "no address, such as https://"),
        ("CHAT_UI_DEMO_LLM_URL", f"http://[{SECRET}", "no address, such as https://"),
        ("CHAT_UI_IDENTITY_HEADER", f"{SECRET}: b", "no name of a header"),
        ("CHAT_UI_TOKEN_HEADER", f"{SECRET} b", "no name of a header"),
        ("CHAT_UI_DATA_DIR", f"~{SECRET}/data", "no home folder of this name"),
        ("CHAT_UI_TRUSTED_PROXIES", f"10.0.0.1 {SECRET}", "no address or network"),
    ],
)
def test_what_cannot_be_is_refused_by_its_name_and_never_by_its_value(name: str, value: str, words: str):
    command = [sys.executable, "-c", "from chat_ui.settings import settings; settings()"]
    ran = subprocess.run(command, cwd=ROOT, env={name: value}, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert words in ran.stderr
    assert name.removeprefix("CHAT_UI_").lower() in ran.stderr.lower()
    assert "Traceback" not in ran.stderr
    assert SECRET not in ran.stderr + ran.stdout


def test_a_path_in_a_folder_that_is_gone_is_told(tmp_path: Path):
    command = f"rmdir {tmp_path} && exec {sys.executable} -c 'from chat_ui.settings import settings; settings()'"
    here = {"CHAT_UI_DATA_DIR": "data", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env=here, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr == "CHAT_UI_DATA_DIR: the folder that this is in is gone; write the whole path\n"


def test_an_empty_variable_is_none():
    command = [sys.executable, "-c", "from chat_ui.settings import settings; print(settings().redis_url)"]
    ran = subprocess.run(command, cwd=ROOT, env={"CHAT_UI_REDIS_URL": ""}, capture_output=True, text=True, check=True)
    assert ran.stdout == "None\n"


def test_in_a_file_an_empty_text_is_none_and_a_path_has_no_nul(tmp_path: Path):
    file = tmp_path / "chat.toml"
    shown = "from chat_ui.settings import settings as s; print(s().demo_llm_url, s().identity_header, s().logo)"
    command, here = [sys.executable, "-c", shown], {"CHAT_UI_CONFIG": str(file)}
    file.write_text('demo_llm_url = ""\nidentity_header = " X-User "\nlogo = ""\n')
    ran = subprocess.run(command, cwd=ROOT, env=here, capture_output=True, text=True, check=True)
    assert ran.stdout == "None X-User None\n"
    file.write_text('logo = "a\\u0000b"\n')
    ran = subprocess.run(command, cwd=ROOT, env=here, capture_output=True, text=True, check=False)
    assert "no path has a NUL in it" in ran.stderr
    assert "Traceback" not in ran.stderr


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


@contextmanager
def with_wrong_port() -> Iterator[tuple[str, str]]:
    yield f"postgresql://chat:{SECRET}@127.0.0.1:{SECRET}/chat", f"redis://:{SECRET}@127.0.0.1:1/0"


@pytest.mark.parametrize("wrong", [with_wrong_password, with_wrong_host, with_wrong_port])
def test_a_database_and_a_redis_that_cannot_be_used_are_told_of_without_their_passwords(
    built_app: Path, tmp_path: Path, wrong: Callable[[], AbstractContextManager[tuple[str, str]]]
):
    with wrong() as (database_url, redis_url):
        app = App(tmp_path, {"CHAT_UI_DATABASE_URL": database_url, "CHAT_UI_REDIS_URL": redis_url}, built_app)
        app.start()
        try:
            wait_until(lambda: ("Redis is away" in app.log and "are not being kept" in app.log) or None, PATIENCE)
            ready = httpx2.get(f"{app.url}/ready", timeout=PATIENCE)
            page = httpx2.get(app.url, timeout=PATIENCE)
        finally:
            app.end()
    assert ready.status_code == 503
    assert ready.json() == {"store": False, "workers": False}
    assert page.status_code == 200
    assert SECRET not in app.log + ready.text + page.text
    assert "Traceback" not in app.log


@pytest.mark.parametrize("name", RETIRED)
def test_a_setting_of_an_earlier_version_stops_nothing_and_is_taken_for_no_other(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (file := tmp_path / "chat.toml").write_text(f"{name.removeprefix('CHAT_UI_').lower()} = 7\n")
    monkeypatch.setenv("CHAT_UI_CONFIG", str(file))
    monkeypatch.setenv(name, "7")
    assert read_settings().record is None
    assert unused_settings() == [f"{name} is not a setting any more: {RETIRED[name]}."]
