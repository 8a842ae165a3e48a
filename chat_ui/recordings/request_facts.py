"""What a recording keeps of a request, without its credentials."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.answers.redaction import (
    Secrets,
    object_without_secrets,
    without_named_secrets,
    without_secrets,
)
from chat_ui.protocol.events import Json
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.recordings.questions import asked_in
from chat_ui.recordings.recording_format import LONGEST_PATH, path_of

_MOST: Final = 1024 * 1024
"""Bytes of a body that is kept; of longer ones, which have files in them, the question alone is."""
_BOUNDARY: Final = "boundary="


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """A request as it is recorded: see `recording_format.Exchange`. It went to `origin`, and `secrets` went with it."""

    method: str
    path: str
    question: str | None
    place: int | None
    request: Json
    secrets: Secrets
    origin: str = ""
    is_second: bool = False


def request_facts(method: str, url: str, headers: Mapping[str, str], body: bytes) -> RequestFacts:
    """What is recorded of a request to `url` with these headers."""
    value = body_of(headers.get("content-type", ""), body)
    secrets = Secrets(headers, url, value if isinstance(value, Mapping) else {})
    asked = asked_in(value)
    return RequestFacts(
        method=method,
        path=without_secrets(path_of(url), secrets.in_recordings)[:LONGEST_PATH],
        question=without_secrets(asked.question, secrets.in_recordings) if asked else None,
        place=asked.place if asked else None,
        request=_kept(value, secrets) if len(body) <= _MOST else None,
        secrets=secrets,
        origin=origin_of(url),
    )


def body_of(content_type: str, body: bytes) -> Json:
    """The body of a request: its JSON, also that of the part `json` of a form, else its text; None where it is neither,
    or empty.
    """
    if content_type.lower().startswith("multipart/"):
        body = _json_part(content_type, body)
    try:
        value: Json = json.loads(body)
    except (ValueError, RecursionError):
        try:
            return body.decode() or None
        except UnicodeDecodeError:
            return None
    return value


def _json_part(content_type: str, body: bytes) -> bytes:
    """The content of the part `json` of a form, empty where it has none (RFC 7578)."""
    _, _, named = content_type.partition(_BOUNDARY)
    mark = named.partition(";")[0].strip().strip('"')
    for part in body.split(f"--{mark}".encode()) if mark else []:
        head, _, content = part.partition(b"\r\n\r\n")
        if b'name="json"' in head:
            return content.removesuffix(b"\r\n")
    return b""


def _kept(value: Json, secrets: Secrets) -> Json:
    if isinstance(value, str):
        return without_secrets(value, secrets.in_recordings)
    return object_without_secrets({"request": without_named_secrets(value)}, secrets.in_recordings)["request"]
