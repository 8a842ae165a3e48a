"""The operator's backends from the settings, and the recordings among and beside them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from chat_ui.backends.personal_choices import operator_profile_id
from chat_ui.backends.profile import RECORDING, Profile, RecordedProfile, read_profiles, recorded_profile
from chat_ui.backends.replaying import OperatorRecordings, label_of_file
from chat_ui.errors import UnusableSettingsError
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.errors import RecordingError
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.settings import Settings


def operator_profiles(chosen: Settings, default: Profile | None) -> tuple[tuple[Profile, ...], OperatorRecordings]:
    """The profiles on offer, and the recordings among them or for their fallback. Without a backend in the settings,
    the `default` is used. A recording to replay is first, and the only one if the settings name no backend.

    Raises:
        UnusableSettingsError: one cannot be used, or all are missing.
        ValueError: the key of one of them is missing from the environment.
    """
    profiles: list[Profile] = []
    files: dict[str, Path] = {}
    fallback: dict[str, tuple[Path, Backend]] = {}
    given = _given(chosen, default)
    if chosen.replay is not None:
        recorded = _recorded(chosen.replay)
        taken = {profile.name for profile in given}
        name = recorded.name if recorded.name not in taken else f"{recorded.name} (recording)"
        profiles.append(recorded.model_copy(update={"name": name}))
        files[recorded.recording] = chosen.replay
    for profile in given:
        if profile.kind == RECORDING and profile.file is not None:
            recorded = _recorded(profile.file)
            starters = profile.starter_questions or recorded.starter_questions
            own = {"name": profile.name, "branding": profile.branding, "starter_questions": starters}
            profiles.append(recorded.model_copy(update=own))
            files[recorded.recording] = profile.file
            continue
        profiles.append(profile)
        if (path := profile.fallback or chosen.fallback) is not None:
            fallback[operator_profile_id(profile)] = path, _recorded(path).backend()
    return tuple(profiles), OperatorRecordings(files, fallback)


def _given(chosen: Settings, default: Profile | None) -> tuple[Profile, ...]:
    """The named profiles, or the `default`; empty if only a recording is replayed."""
    if chosen.backends is not None:
        profiles = read_profiles(chosen.backends)
        for profile in profiles:
            if profile.credential is not None:
                profile.credential.read()
        return profiles
    if chosen.backend_url and (default is None or chosen.backend_url != default.url):
        try:
            url = parse_backend_url(chosen.backend_url)
        except ValueError as problem:
            raise UnusableSettingsError(f"CHAT_UI_BACKEND_URL: {problem}") from None
        return (Profile(name=urlsplit(url).netloc, url=url),)
    if chosen.replay is not None:
        return ()
    if default is None:
        raise UnusableSettingsError("No backend is set. Set CHAT_UI_BACKEND_URL.")
    return (default,)


def _recorded(path: Path) -> RecordedProfile:
    try:
        return recorded_profile(Recording.open(path), label_of_file(path), fallback_name=path.stem)
    except RecordingError as problem:
        names_it = str(path) in str(problem)
        raise UnusableSettingsError(
            str(problem) if names_it else f"The recording {path} cannot be used: {problem}"
        ) from None
    except OSError as error:
        raise UnusableSettingsError(f"The recording {path} cannot be read: {error.strerror}.") from None
