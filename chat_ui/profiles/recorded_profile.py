"""A recording as a profile: what people choose as a backend, and is answered from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pydantic import ValidationError

from chat_ui.profiles.profile import AUTOMATIC, Profile
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.registry import DIALECTS, KNOWN_BACKENDS
from chat_ui.recordings.recording import Recording
from chat_ui.recordings.recording_format import RecordingError
from chat_ui.recordings.replaying_door import RECORDED_ORIGIN

_MOST_STARTERS: Final = 4
_LONGEST_STARTER: Final = 300
_LONGEST_NAME: Final = 100
_OK: Final = 200


class RecordedProfile(Profile):
    """A backend that is answered from the `recording` of that name, which was `recorded_at` a moment (ISO 8601)."""

    recording: str
    recorded_at: str = ""

    def backend(self, headers: Mapping[str, str] | None = None) -> Backend:
        """The backend of the profile, which takes no credential."""
        return replace(super().backend(headers), recording=self.recording)


def recorded_profile(recording: Recording, label: str, fallback_name: str) -> RecordedProfile:
    """The profile of a recording that the server calls `label`, with the name of its backend, if it has one.

    Raises:
        RecordingError: no question in it was answered, or what it says of its backend cannot be used.
    """
    answered = (exchange for exchange in recording.exchanges if exchange.question and exchange.status is not None)
    # The header tells of the backend of the first arm.
    asked = sorted(answered, key=lambda exchange: exchange.is_second)
    if not asked:
        raise RecordingError("There is no answered question in this recording, so there is nothing to show.")
    header = recording.header.backend
    place = next((one for one in asked if one.status == _OK), asked[0])
    first = (one.question or "" for one in asked if one.place in (None, 1))
    questions = dict.fromkeys(" ".join(words.split())[:_LONGEST_STARTER] for words in first)
    try:
        return RecordedProfile(
            name=(header.name.strip() or fallback_name)[:_LONGEST_NAME],
            url=f"{RECORDED_ORIGIN}{place.path.partition('?')[0]}",
            kind=header.kind if header.kind in KNOWN_BACKENDS else AUTOMATIC,
            dialect=header.dialect if header.dialect in DIALECTS else AUTOMATIC,
            stream=header.stream,
            model=header.model or None,
            starter_questions=tuple(questions)[:_MOST_STARTERS],
            recording=label,
            recorded_at=asked[0].at,
        )
    except ValidationError as error:
        raise RecordingError("What this recording says of its backend cannot be used.") from error
