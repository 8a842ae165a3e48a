"""Conversations from a file: exports of this app, and histories of others that are known."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from chat_ui.conversations.archive import FORMAT, VERSION, read_conversation
from chat_ui.conversations.foreign_archive import demo_sessions, read_demo_session
from chat_ui.conversations.records import Transcript
from chat_ui.protocol.events import Json


@dataclass(frozen=True, slots=True)
class Refusal:
    """A part of an import that was not taken: where it stands, and why not."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Import:
    """What an import holds for its new owner, and what of it was refused."""

    transcripts: tuple[Transcript, ...]
    refusals: tuple[Refusal, ...]


def read_import(content: bytes, owner: str) -> Import:
    """The conversations in a file, for `owner`.

    What has another shape is refused, conversation by conversation. Never raises.
    """
    try:
        readers = _readers(json.loads(content), owner)
    except (ValueError, RecursionError) as problem:
        why = "it is not JSON" if isinstance(problem, UnicodeError | json.JSONDecodeError) else str(problem)
        return Import((), (Refusal("the file", why),))
    transcripts: list[Transcript] = []
    refusals: list[Refusal] = []
    for number, read in enumerate(readers, start=1):
        try:
            transcripts.append(read())
        except (ValueError, RecursionError, OverflowError) as problem:
            refusals.append(Refusal(f"conversation {number}", str(problem)))
    return Import(tuple(transcripts), tuple(refusals))


def _readers(value: Json, owner: str) -> list[Callable[[], Transcript]]:
    """What reads each conversation of a file.

    Raises:
        ValueError: the file is none that is known.
    """
    if isinstance(value, Mapping) and value.get("format") == FORMAT:
        if value.get("version") != VERSION:
            raise ValueError(f"it has version {value.get('version')!r}, and this app reads version {VERSION}")
        conversations = value.get("conversations")
        if isinstance(conversations, str) or not isinstance(conversations, Sequence):
            raise ValueError("“conversations” is not a list")
        return [partial(read_conversation, one, owner) for one in conversations]
    sessions = demo_sessions(value)
    if sessions is None:
        raise ValueError(f"it is neither an export of this app (“format”: “{FORMAT}”) nor a known history of another")
    return [partial(read_demo_session, one, owner) for one in sessions]
