"""The thread of a conversation with an AG-UI agent, and the question in it: `RunAgentInput`.

Some agents keep no thread and need the whole history with each question. Others keep the thread, and take a message
with an unknown id for a new one. So each message is sent back under the id in the agent's last `MESSAGES_SNAPSHOT`. The
state is sent back as it came last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final
from uuid import uuid4

from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.dialects.families.ag_ui.interrupts import question_id, resumed
from chat_ui.protocol.dialects.objects import content_text, list_in, object_in, objects_in, present, string_in
from chat_ui.protocol.events import THREAD, Json, JsonObject, SessionState

_TURNS: Final = "turns"
_STATE: Final = "state"
_MEDIA: Final = frozenset({"image", "audio", "video"})
_MOST_TURNS: Final = 200


def thread_state(thread: str, turns: Sequence[Json] = (), state: Json = None) -> SessionState:
    """The thread, its turns and the agent's state, which many agents do not keep."""
    return SessionState(THREAD, {THREAD: thread, **present({_TURNS: turns, _STATE: state})})


def turns_of(messages: Sequence[Json]) -> list[Json]:
    """The ids of each question and its answer, by the messages of a thread."""
    turns: list[dict[str, Json]] = []
    for message in messages:
        named = string_in(message, "id")
        if not named or not isinstance(message, Mapping):
            continue
        if message.get("role") == "user":
            turns.append({"question": _digest(content_text(message.get("content"))), "user": named})
        elif message.get("role") == "assistant" and turns:
            # An answer in several messages has several ids.
            turns[-1]["assistant"] = named
    return list[Json](turns[-_MOST_TURNS:])


def _digest(text: str) -> str:
    return sha256(text.strip().encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sent_message(message: Message, place: int) -> JsonObject:
    """A message of the history, with its files as parts (AG-UI SDK 0.1.20)."""
    sent: dict[str, Json] = {"id": f"message-{place + 1}", "role": message.role, "content": message.content}
    if message.files:
        parts: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
        for file in message.files:
            _, _, data = file.data_uri.partition(",")
            kind = file.media_type.partition("/")[0]
            parts.append(
                {
                    "type": kind if kind in _MEDIA else "document",
                    "source": {"type": "data", "value": data, "mimeType": file.media_type},
                    "metadata": {"filename": file.name},
                }
            )
        sent["content"] = parts
    return sent


def run_input(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    """The body of a question, or of the decisions on its pause.

    The question has a new id each time: an agent that keeps the thread does not answer a message twice, and a person
    may ask again.
    """
    state = request.session_state
    known = state.value if state is not None and state.key == THREAD else None
    # A state without a thread is of one that takes no more questions.
    thread = request.conversation if known is None else string_in(known, THREAD)
    ids = _ids(request.messages[:-1], objects_in(known, _TURNS))
    run = str(uuid4())
    ids[len(messages) - 1] = question_id(run)
    model: JsonObject = {"model": backend.model} if backend.model else {}
    body: dict[str, Json] = {
        THREAD: thread or str(uuid4()),
        "runId": run,
        "state": known.get(_STATE, {}) if isinstance(known, Mapping) else {},
        "messages": [
            {**message, "id": ids[place]} if place in ids and isinstance(message, Mapping) else message
            for place, message in enumerate(messages)
        ],
        "tools": [],
        "context": [],
        "forwardedProps": {**model, **request.overrides},
    }
    return resumed(body, request.resume) if request.resume is not None else body


def _ids(messages: Sequence[Message], turns: Sequence[JsonObject]) -> dict[int, str]:
    by_question: dict[str, list[JsonObject]] = {}
    for turn in turns:
        by_question.setdefault(string_in(turn, "question"), []).append(turn)
    ids: dict[int, str] = {}
    answer: int | None = None
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "assistant":
            answer = place
        elif messages[place].role == "user":
            found = by_question.get(_digest(messages[place].content))
            turn = found.pop() if found else {}
            for at, key in ((place, "user"), (answer, "assistant")):
                if at is not None and isinstance(named := turn.get(key), str):
                    ids[at] = named
            answer = None
    return ids


def cited_source(citation: JsonObject) -> JsonObject:
    """The source of a citation, named by its address, or else by its title."""
    url, title = string_in(object_in(citation, "location"), "url"), string_in(citation, "title", "source")
    content = content_text(list_in(citation, "sourceContent"))
    return {"id": url or title, "title": title, "content": content, "url": url or None}
