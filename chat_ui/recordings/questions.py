"""The question in the body of a request of any dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chat_ui.protocol.events import STATES_OF_FORMS, Json, JsonObject

_BARE: Final = ("question", "query", "prompt", "message", "input")
"""Keys under which backends of one question each want its words."""
_LONGEST: Final = 100_000
_PEOPLE: Final = frozenset({"user", "human"})


class Asked(NamedTuple):
    """The words of a question, of a very long one the first hundred thousand characters; `place` counts the questions
    of its conversation up to it, None where the request does not tell: the server keeps what came before.
    """

    question: str
    place: int | None


def asked_in(body: Json) -> Asked | None:
    """The question that the JSON body of a request asks; None where it asks none."""
    if not isinstance(body, Mapping):
        return None
    for name in ("messages", "input"):
        if (listed := _messages(body.get(name))) is not None:
            questions = [words for role, words in listed if role in _PEOPLE]
            is_kept_there = any(body.get(state) for state in STATES_OF_FORMS) and len(questions) == 1
            place = None if is_kept_there else len(questions)
            return Asked(questions[-1][:_LONGEST], place) if questions else None
    for words in (_intents(body), *(body.get(name) for name in _BARE)):
        if isinstance(words, str) and words.strip():
            return Asked(words[:_LONGEST], None)
    return None


def normalised(words: str) -> str:
    """`words` without what does not count when questions are compared: case and white space."""
    return " ".join(words.casefold().split())


def _messages(value: Json) -> list[tuple[str, str]] | None:
    """Role and words of each message with words; None where `value` is no list of messages."""
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
    """What is searched for without a conversation (Azure AI Search)."""
    listed = body.get("intents")
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        return None
    return next((one.get("search") for one in listed if isinstance(one, Mapping)), None)
