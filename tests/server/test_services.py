"""What a process shares, built by a function of the settings."""

from pathlib import Path

import pytest

from chat_ui.profiles.profile import ProfilesError
from chat_ui.server.services import build, cookie_secret
from chat_ui.settings import Settings


def test_the_demo_backend_is_offered_where_nobody_names_another_and_called_where_the_server_reaches_itself(
    tmp_path: Path,
):
    for host, called in (("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1"), ("::1", "[::1]")):
        (profile,) = build(Settings(data_dir=tmp_path), host, 3000).offer.operator_profiles
        assert (profile.name, profile.url) == ("Demo backend", f"http://{called}:3000/demo/chat")
        assert profile.starter_questions
    settings = Settings(data_dir=tmp_path, backend_url="https://handbook.example/chat")
    (profile,) = build(settings, "127.0.0.1", 3000).offer.operator_profiles
    assert (profile.name, profile.url) == ("handbook.example", "https://handbook.example/chat")


def test_nothing_is_written_before_the_server_runs(tmp_path: Path):
    build(Settings(data_dir=tmp_path / "data"), "127.0.0.1", 3000)
    assert list(tmp_path.iterdir()) == []


def test_only_a_server_on_loopback_without_a_proxy_is_ones_own(tmp_path: Path):
    cases = [*((host, [], True) for host in ("127.0.0.1", "localhost", "::1")), ("0.0.0.0", [], False)]
    for host, origins, is_local in (*cases, ("192.0.2.7", [], False), ("127.0.0.1", ["https://chat.example"], False)):
        services = build(Settings(data_dir=tmp_path, origins=origins), host, 3000)
        assert (services.is_local, services.offer.certificates_allowed) == (is_local, is_local), host


def test_two_that_are_built_share_nothing(tmp_path: Path):
    first, second = (build(Settings(data_dir=tmp_path / name), "127.0.0.1", 3000) for name in ("a", "b"))
    assert first.conversations is not second.conversations
    assert first.client is not second.client


def test_a_file_of_backends_that_cannot_be_used_is_said_in_words(tmp_path: Path):
    (tmp_path / "backends.toml").write_text("[[backends]]\nname = 'No address'\n")
    with pytest.raises(ProfilesError, match="url"):
        build(Settings(data_dir=tmp_path, backends=tmp_path / "backends.toml"), "127.0.0.1", 3000)


def test_a_secret_key_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "secret.key").write_text("Schlüssel")
    (tmp_path / "secret.key").chmod(0o600)
    assert len(cookie_secret(Settings(data_dir=tmp_path))) >= 32
    (line,) = caplog.messages
    assert "secret.key is damaged" in line
    assert "Schlüssel" not in line
