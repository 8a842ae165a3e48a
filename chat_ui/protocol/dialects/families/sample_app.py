"""The Azure sample app (sample-app-aoai-chatGPT): `choices[].messages[]`, with the context in the tool message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from chat_ui.protocol.answers.streaming_text import TextSoFar
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.answer_text import AnswerText, reasoning
from chat_ui.protocol.dialects.contexts import tool_context_events
from chat_ui.protocol.dialects.family import Dialect, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import content_text, first_choice, has_only, objects_in, only_choice, text_of
from chat_ui.protocol.dialects.reported_errors import error_of
from chat_ui.protocol.events import Event, Failed, Json, JsonObject
from chat_ui.protocol.translatable import msg

_KEYS: Final = frozenset({"id", "model", "created", "object", "choices", "history_metadata", "apim-request-id"})
_CHOICE_KEYS: Final = frozenset({"messages", "delta"})


class SampleAppReader(FamilyReader):
    """Reads the messages of the first choice; each may repeat the text so far."""

    text_places: ClassVar = "sample-app"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._history_metadata: Json = None
        self._so_far = TextSoFar()

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an object."""
        self._history_metadata = value.get("history_metadata")
        choice = first_choice(value) or {}
        for message in objects_in(choice, "messages"):
            yield from self._message(message)
        yield from self.text.finish(choice.get("finish_reason"))

    def _message(self, message: JsonObject) -> Iterator[Event]:
        # Azure OpenAI On Your Data streamed pieces of messages in 2023, and `[DONE]` as the last piece of a turn.
        piece = message.get("delta")
        body = piece if isinstance(piece, Mapping) else message
        role, text = body.get("role"), content_text(body.get("content"))
        if role == "tool":
            yield from tool_context_events(body.get("content"))
        elif role == "error":
            yield Failed(error_of(text))
        elif body is piece:
            yield from self.text.piece("" if message.get("end_turn") is True and text == "[DONE]" else text)
        elif role is None or role == "assistant":
            yield from reasoning(message)
            yield from self.text.piece(self._so_far.increment(text))

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an object with one message and the previous object's `history_metadata`."""
        if value.get("history_metadata") != self._history_metadata or not has_only(_KEYS, value):
            return None
        choice = only_choice(value, _CHOICE_KEYS)
        messages = choice.get("messages") if choice is not None and not choice.get("delta") else None
        text = text_of(messages[0]) if type(messages) is list and len(messages) == 1 else None
        return self._so_far.increment(text) if text else text


def _match(_present: JsonObject, value: JsonObject) -> Match | None:
    return Match("sample-app", 84) if "messages" in (first_choice(value) or {}) else None


_BACKEND: Final = KnownBackend(
    "/conversation",
    Backend("", streaming="server", overrides="none", known_overrides=(), session_state_key="history_metadata"),
)

FAMILY: Final = Family(
    dialects=(Dialect("sample-app", msg("Azure sample app")),),
    match=_match,
    reader=SampleAppReader,
    position=5,
    places={"/conversation": 4},
    endings={"/conversation": _BACKEND.template},
    backends={"azure-sample-app": _BACKEND},
    known=lambda _: "azure-sample-app",
)
