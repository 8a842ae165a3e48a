"""The answer of a replay to a request that is not in its recording."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from chat_ui.protocol.events import JsonObject
from chat_ui.recordings.matching import NotRecorded
from chat_ui.recordings.recording import RecordedExchange, Recording

_CODE: Final = "not_recorded"
_NOT_THERE: Final = "This question is not in the recording."
_OF_OPENAI: Final = ("/chat/completions", "/completions")


class ReplayedAnswer(NamedTuple):
    """A whole answer of a replay's own."""

    status: int
    headers: dict[str, str]
    body: bytes


def not_recorded(
    recording: Recording, missing: NotRecorded, method: str, path: str, *, strict: bool = False
) -> ReplayedAnswer:
    """The answer to a request with this path that `recording` does not hold.

    A question gets words and the nearest questions as follow-ups, in the form of the recorded answers; `strict` makes
    it an error, and so is any other request. Where questions are answered, one without a question is refused (400),
    which says that a backend is there.
    """
    bare = path.partition("?")[0]
    there = [one for one in recording.exchanges if one.path.partition("?")[0] == bare]
    if missing.question is None:
        if method == "OPTIONS" and there:
            return ReplayedAnswer(204, {"allow": ", ".join(sorted({one.method for one in there} | {"OPTIONS"}))}, b"")
        is_for_questions = any(one.question is not None and one.method == method for one in there)
        return _error(400 if is_for_questions else 404, "This request is not in the recording.")
    if strict:
        return _error(404, _NOT_THERE)
    return _answer(_like(recording, there), bare, missing.nearest)


def _error(status: int, words: str) -> ReplayedAnswer:
    body = {"error": {"message": words, "code": _CODE}}
    return ReplayedAnswer(status, {"content-type": "application/json"}, json.dumps(body).encode())


def _like(recording: Recording, there: Sequence[RecordedExchange]) -> str:
    """The media type of recorded answers, preferably at the path that was asked."""
    answered = (one for one in (*there, *recording.exchanges) if one.question is not None and one.status == 200)
    first = next(answered, None)
    return first.headers.get("content-type", "").partition(";")[0].strip().lower() if first else ""


def _answer(media_type: str, path: str, questions: Sequence[str]) -> ReplayedAnswer:
    words = f"{_NOT_THERE} These are in it:" if questions else _NOT_THERE
    context: JsonObject = {"followup_questions": list(questions)}
    is_whole, is_of_openai = media_type == "application/json", path.rstrip("/").endswith(_OF_OPENAI)
    text = {"role": "assistant", "content": words}
    place = "message" if is_whole else "delta"
    if is_of_openai:
        choice: JsonObject = {"index": 0, place: text, "finish_reason": "stop", "context": context}
        value: JsonObject = {"object": f"chat.completion{'' if is_whole else '.chunk'}", "choices": [choice]}
    else:
        value = {place: text, "context": context}
    line = json.dumps(value, ensure_ascii=False)
    if is_whole:
        return ReplayedAnswer(200, {"content-type": "application/json"}, line.encode())
    if media_type == "text/event-stream":
        body = f"data: {line}\n\n" + ("data: [DONE]\n\n" if is_of_openai else "")
        return ReplayedAnswer(200, {"content-type": media_type}, body.encode())
    return ReplayedAnswer(200, {"content-type": "application/jsonl"}, f"{line}\n".encode())
