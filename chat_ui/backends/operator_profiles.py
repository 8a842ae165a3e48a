"""The operator's backends, as the settings name them, and the recordings among them and beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from chat_ui.backends.personal_choices import operator_profile_id
from chat_ui.backends.profile import RECORDING, Profile, ProfilesError, RecordedProfile, read_profiles, recorded_profile
from chat_ui.features.demo.answering import STARTER_QUESTIONS
from chat_ui.features.recordings.replaying import OperatorRecordings, label_of_file
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.urls import parse_backend_url
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import Header, RecordingError, header_for
from chat_ui.settings import Settings, UnusableSettingsError


def operator_profiles(chosen: Settings, demo: str) -> tuple[tuple[Profile, ...], OperatorRecordings]:
    """The profiles on offer, and the recordings that are backends among them or answer instead of them; the demo
    backend is at `demo`. A recording to replay stands first, and alone where no backend is named.

    Raises:
        ProfilesError: one cannot be used.
        ValueError: the key of one of them is not in the environment.
    """
    profiles: list[Profile] = []
    files: dict[str, Path] = {}
    instead: dict[str, tuple[Path, Backend]] = {}
    given = _given(chosen, demo)
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
            instead[operator_profile_id(profile)] = path, _recorded(path).backend()
    return tuple(profiles), OperatorRecordings(files, instead)


def recording_of_all(chosen: Settings, profiles: Sequence[Profile]) -> tuple[Path, Header] | None:
    """The file that everything is recorded to, with its header, which describes the first backend that is asked; None
    where nothing is recorded.

    Raises:
        UnusableSettingsError: recordings answer everything.
    """
    if chosen.record is None:
        return None
    live = next((one for one in profiles if not isinstance(one, RecordedProfile)), None)
    if live is None:
        raise UnusableSettingsError("CHAT_UI_RECORD: there is no backend to record, since a recording answers.")
    return chosen.record, header_for(replace(live.backend(), name=live.name), live.kind)


def _given(chosen: Settings, demo: str) -> tuple[Profile, ...]:
    """The profiles as they are named, or the one default backend; none where a recording is replayed alone."""
    if chosen.backends is not None:
        profiles = read_profiles(chosen.backends)
        for profile in profiles:
            if profile.credential is not None:
                profile.credential.read()
        return profiles
    if chosen.backend_url and chosen.backend_url != demo:
        try:
            url = parse_backend_url(chosen.backend_url)
        except ValueError as problem:
            raise ProfilesError(f"CHAT_UI_BACKEND_URL: {problem}") from None
        return (Profile(name=urlsplit(url).netloc, url=url),)
    if chosen.replay is not None:
        return ()
    starters = chosen.starter_questions or STARTER_QUESTIONS
    return (Profile(name="Demo backend", url=demo, kind="ai-chat-protocol", starter_questions=starters),)


def _recorded(path: Path) -> RecordedProfile:
    try:
        return recorded_profile(Recording.open(path), label_of_file(path), fallback_name=path.stem)
    except RecordingError as problem:
        names_it = str(path) in str(problem)
        raise ProfilesError(str(problem) if names_it else f"The recording {path} cannot be used: {problem}") from None
    except OSError as error:
        raise ProfilesError(f"The recording {path} cannot be read: {error.strerror}.") from None
