from pathlib import Path

import pytest

from chat_ui.assembly import build_with
from chat_ui.backends.operator_profiles import operator_profiles
from chat_ui.backends.profile import Profile, RecordedProfile
from chat_ui.backends.replaying import label_of_file
from chat_ui.errors import UnusableSettingsError
from chat_ui.features.recordings.page_recorder import recording_of_all
from chat_ui.installed import FEATURES
from chat_ui.server.services import cookie_secret
from tests.app_settings import AppSettings
from tests.backends.recorded import recording_of


def test_the_demo_backend_is_offered_by_default_at_the_servers_address(tmp_path: Path):
    for host, called in (("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1"), ("::1", "[::1]")):
        (profile,) = build_with(FEATURES, AppSettings(data_dir=tmp_path), host, 3000).backends.offer.operator_profiles
        assert (profile.name, profile.url) == ("Demo backend", f"http://{called}:3000/demo/chat")
        assert profile.starter_questions
    settings = AppSettings(data_dir=tmp_path, backend_url="https://handbook.example/chat")
    (profile,) = build_with(FEATURES, settings, "127.0.0.1", 3000).backends.offer.operator_profiles
    assert (profile.name, profile.url) == ("handbook.example", "https://handbook.example/chat")


def test_a_server_without_the_demo_needs_a_backend(tmp_path: Path):
    without = [feature for feature in FEATURES if feature.name != "demo"]
    with pytest.raises(UnusableSettingsError, match="Set CHAT_UI_BACKEND_URL"):
        build_with(without, AppSettings(data_dir=tmp_path), "127.0.0.1", 3000)


def test_building_services_writes_nothing(tmp_path: Path):
    build_with(FEATURES, AppSettings(data_dir=tmp_path / "data"), "127.0.0.1", 3000)
    assert list(tmp_path.iterdir()) == []


def test_only_a_loopback_server_without_a_proxy_is_local(tmp_path: Path):
    cases = [*((host, [], True) for host in ("127.0.0.1", "localhost", "::1")), ("0.0.0.0", [], False)]
    for host, origins, is_local in (*cases, ("192.0.2.7", [], False), ("127.0.0.1", ["https://chat.example"], False)):
        services = build_with(FEATURES, AppSettings(data_dir=tmp_path, origins=origins), host, 3000)
        assert (services.is_local, services.backends.offer.certificates_allowed) == (is_local, is_local), host


def test_two_sets_of_services_share_nothing(tmp_path: Path):
    first, second = (
        build_with(FEATURES, AppSettings(data_dir=tmp_path / name), "127.0.0.1", 3000) for name in ("a", "b")
    )
    assert first.conversations is not second.conversations
    assert first.backends.client is not second.backends.client


def test_an_unusable_file_of_backends_is_told_in_words(tmp_path: Path):
    (tmp_path / "backends.toml").write_text("[[backends]]\nname = 'No address'\n")
    with pytest.raises(UnusableSettingsError, match="url"):
        build_with(FEATURES, AppSettings(data_dir=tmp_path, backends=tmp_path / "backends.toml"), "127.0.0.1", 3000)


def test_an_unusable_secret_key_is_told_in_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "secret.key").write_text("Schlüssel")
    (tmp_path / "secret.key").chmod(0o600)
    assert len(cookie_secret(AppSettings(data_dir=tmp_path))) >= 32
    (line,) = caplog.messages
    assert "secret.key is damaged" in line
    assert "Schlüssel" not in line


DEMO = Profile(name="Demo backend", url="http://127.0.0.1:3000/demo/chat")
LIVE = "http://127.0.0.1:8000/chat"


def file_of(folder: Path, text: str) -> Path:
    path = folder / "backends.toml"
    path.write_text(text)
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return recording_of(tmp_path / "showing.jsonl", "Yes.")


def test_a_replayed_recording_is_the_only_backend_unless_one_is_named(recording: Path):
    alone, _ = operator_profiles(AppSettings(replay=recording), DEMO)
    beside, recordings = operator_profiles(AppSettings(replay=recording, backend_url=LIVE), DEMO)
    assert [profile.name for profile in alone] == ["Plans"]
    assert [profile.name for profile in beside] == ["Plans", "127.0.0.1:8000"]
    assert recordings.files == {label_of_file(recording): recording}
    assert recordings.fallback == {}


def test_the_file_names_recordings_relative_to_itself(tmp_path: Path, recording: Path):
    shown = '[[backends]]\nname = "Shown"\nkind = "recording"\nfile = "showing.jsonl"\n'
    live = f'[[backends]]\nname = "Live"\nurl = "{LIVE}"\nfallback = "showing.jsonl"\n'
    profiles, recordings = operator_profiles(AppSettings(backends=file_of(tmp_path, shown + live)), DEMO)
    assert isinstance(profiles[0], RecordedProfile)
    assert (profiles[0].name, profiles[0].starter_questions) == ("Shown", ("Who pays for glasses?",))
    path, backend = recordings.fallback["given:Live"]
    assert (path, backend.recording) == (recording, label_of_file(recording))


def test_a_fallback_is_for_every_backend_that_names_none(tmp_path: Path, recording: Path):
    text = "".join(f'[[backends]]\nname = "{name}"\nurl = "{LIVE}/{name}"\n' for name in ("A", "B"))
    _, recordings = operator_profiles(AppSettings(backends=file_of(tmp_path, text), fallback=recording), DEMO)
    assert set(recordings.fallback) == {"given:A", "given:B"}


@pytest.mark.usefixtures("recording")
def test_an_unusable_recording_is_told_with_its_place(tmp_path: Path):
    for profile, words in (
        ('kind = "recording"', "needs file"),
        (f'kind = "recording"\nfile = "showing.jsonl"\nurl = "{LIVE}"', "without url"),
        ('file = "showing.jsonl"', 'kind = "recording"'),
        (f'url = "{LIVE}"\nrecording = "abc"', "Extra inputs"),
        ('kind = "recording"\nfile = "gone.jsonl"', "gone.jsonl cannot be read: No such file"),
        ('kind = "recording"\nfile = "backends.toml"', "not a recording"),
    ):
        path = file_of(tmp_path, f'[[backends]]\nname = "A"\n{profile}\n')
        with pytest.raises(UnusableSettingsError, match=words):
            operator_profiles(AppSettings(backends=path), DEMO)


def test_recording_needs_a_backend(tmp_path: Path, recording: Path):
    alone = AppSettings(replay=recording, record=tmp_path / "new.jsonl")
    with pytest.raises(UnusableSettingsError, match="CHAT_UI_RECORD"):
        recording_of_all(alone.record, operator_profiles(alone, DEMO)[0])
    both = AppSettings(replay=recording, record=tmp_path / "new.jsonl", backend_url=LIVE)
    found = recording_of_all(both.record, operator_profiles(both, DEMO)[0])
    assert found is not None
    assert (found[0], found[1].backend.address) == (tmp_path / "new.jsonl", "http://127.0.0.1:8000")
    assert not (tmp_path / "new.jsonl").exists()
