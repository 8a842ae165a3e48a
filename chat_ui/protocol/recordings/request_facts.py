"""The recorded facts of a request, without its credentials, and the question in its body, of any dialect."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from chat_ui.protocol.answers.redaction import Secrets, object_without_secrets, without_named_secrets, without_secrets
from chat_ui.protocol.dialects.objects import content_text, object_in, objects_in
from chat_ui.protocol.events import CHECKPOINT, STATES_OF_FORMS, Json, JsonObject
from chat_ui.protocol.recordings.recording_format import LONGEST_PATH, Exchange, now, path_of
from chat_ui.protocol.transport.guard import origin_of

_MOST: Final = 1024 * 1024
"""Bytes of a kept body; of longer ones, which have files in them, only the question is kept."""
_BOUNDARY: Final = "boundary="
_BARE: Final = ("question", "query", "prompt", "message", "input")
"""Keys of the question for backends of one question each."""
_LONGEST: Final = 100_000
_PEOPLE: Final = frozenset({"user", "human"})


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """A recorded request: its `exchange`, still without a number and an answer, its `origin`, and its `secrets`."""

    exchange: Exchange
    secrets: Secrets
    origin: str = ""


def request_facts(
    method: str, url: str, headers: Mapping[str, str], body: bytes, *, is_second: bool = False
) -> RequestFacts:
    """The recorded facts of a request to `url` with these headers, made now."""
    value = body_of(headers.get("content-type", ""), body)
    secrets = Secrets(headers, url, value if isinstance(value, Mapping) else {})
    asked = asked_in(value)
    exchange = Exchange(
        number=0,
        at=now(),
        method=method,
        path=without_secrets(path_of(url), secrets.in_recordings)[:LONGEST_PATH],
        question=without_secrets(asked.question, secrets.in_recordings) if asked else None,
        place=asked.place if asked else None,
        request=_kept(value, secrets) if len(body) <= _MOST else None,
        is_second=is_second,
    )
    return RequestFacts(exchange, secrets, origin_of(url))


def body_of(content_type: str, body: bytes) -> Json:
    """The body of a request: its JSON, also a form's part `json`, else its text; else None."""
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
    """The content of the part `json` of a form, else empty (RFC 7578)."""
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


class Asked(NamedTuple):
    """The words of a question, at most its first hundred thousand characters. `place` counts the questions of its
    conversation up to it; None if the server keeps the earlier ones.
    """

    question: str
    place: int | None


def asked_in(body: Json) -> Asked | None:
    """The question in the JSON body of a request, else None; also for a body with decisions on a pause."""
    if not isinstance(body, Mapping) or _decides(body):
        return None
    for messages in (body.get("messages"), body.get("input"), object_in(body, "input").get("messages")):
        if (listed := _messages(messages)) is not None:
            questions = [words for role, words in listed if role in _PEOPLE]
            is_kept_there = any(body.get(state) for state in (*STATES_OF_FORMS, CHECKPOINT)) and len(questions) == 1
            place = None if is_kept_there else len(questions)
            return Asked(questions[-1][:_LONGEST], place) if questions else None
    of_a2a = content_text(object_in(object_in(body, "params"), "message").get("parts"))
    for words in (_intents(body), of_a2a, *(body.get(name) for name in _BARE)):
        if isinstance(words, str) and words.strip():
            return Asked(words[:_LONGEST], None)
    return None


def _decides(body: JsonObject) -> bool:
    """Whether a body has decisions on a pause, by its keys or its last message (AG-UI, AI SDK, Responses)."""
    last = [*objects_in(body, "messages"), *objects_in(body, "input")][-1:]
    marks = [one.get("toolCallId") or one.get("approval_request_id") for one in last]
    marks += [one.get("parts") for one in last if one.get("role") == "assistant"]
    return any([body.get("resume"), object_in(body, "forwardedProps").get("command"), *marks])


def normalised(words: str) -> str:
    """`words` for comparison, without case and white space."""
    return " ".join(words.casefold().split())


def _messages(value: Json) -> list[tuple[str, str]] | None:
    """Role and words of each message with words; None if `value` is not a list of messages."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        return None
    found = [(str(one.get("role", "")), _words(one)) for one in value if isinstance(one, Mapping)]
    return [(role, words) for role, words in found if words.strip()]


def _words(message: JsonObject) -> str:
    """The words of a message: its content, as text or in parts, or its parts (AI SDK 5)."""
    content = message.get("content")
    parts = content if content else message.get("parts")
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, Sequence):
        return ""
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _intents(body: JsonObject) -> Json:
    """The intents of a search without a conversation (Azure AI Search)."""
    listed = body.get("intents")
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        return None
    return next((one.get("search") for one in listed if isinstance(one, Mapping)), None)
