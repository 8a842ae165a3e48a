"""The AI Chat Protocol of 2026, in the shape of OpenAI's Responses: events with a `type`, or a whole response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.contents import content_text, output_text
from chat_ui.protocol.dialects.family import Answered, Dialect, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import is_of_type
from chat_ui.protocol.dialects.plain import has_only
from chat_ui.protocol.events import Event, JsonObject, ReasoningDelta, UsageReceived
from chat_ui.protocol.translatable import msg

_OVERRIDES_OF_POSTGRES: Final = ("temperature", "top", "retrieval_mode", "use_advanced_flow", "prompt_template", "seed")
_TOOL_ITEMS: Final = frozenset(
    {
        "function_call", "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call",
        "mcp_approval_request",
    }
)  # fmt: skip
"""The items in which a model asks for something to be done."""
_TEXT_DELTAS: Final = frozenset({"response.output_text.delta", "response.refusal.delta"})
_WHOLE_TEXTS: Final = frozenset({"response.output_text.done", "response.refusal.done"})
_KEYS: Final = frozenset(
    {
        "type", "delta", "snapshot", "item_id", "output_index", "content_index", "logprobs", "sequence_number",
        "obfuscation",
    }
)  # fmt: skip


class ResponsesReader(FamilyReader):
    """Reads an event of a stream, or a whole response."""

    text_places: ClassVar = "responses"

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an object."""
        name = value.get("type")
        if isinstance(name, str):
            yield from self._event(name, value)
        elif value.get("output_text"):
            yield from self.text.whole(content_text(value["output_text"]))
        elif value.get("output"):
            yield from self.text.whole(output_text(value["output"]))
        elif isinstance(delta := value.get("delta"), str):
            yield from self.text.piece(delta)
        response = value.get("response")
        whole = response if isinstance(response, Mapping) else value
        items = [value.get("item"), *(output if isinstance(output := whole.get("output"), list) else ())]
        self.text.asks_for_tool |= any(isinstance(item, Mapping) and is_of_type(item, _TOOL_ITEMS) for item in items)
        if isinstance(response, Mapping):
            if not self.text.has_begun:
                text = content_text(response.get("output_text")) or output_text(response.get("output"))
                yield from self.text.whole(text)
            usage = response.get("usage")
            if isinstance(usage, Mapping) and usage:
                yield UsageReceived(usage)

    def _event(self, name: str, value: JsonObject) -> Iterator[Event]:
        if name in _TEXT_DELTAS:
            yield from self.text.piece(content_text(value.get("delta")))
        elif name.endswith(".delta"):
            if "reasoning" in name and (text := content_text(value.get("delta"))):
                yield ReasoningDelta(text)
        elif name in _WHOLE_TEXTS and not self.text.has_begun:
            yield from self.text.piece(content_text(value.get("text") or value.get("refusal")))

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of an event that is a piece of text and nothing else."""
        if value.get("type") != "response.output_text.delta":
            return None
        text = value.get("delta")
        return text if type(text) is str and (_KEYS.issuperset(value) or has_only(_KEYS, value)) else None


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    name = value.get("type")
    is_named = isinstance(name, str) and name.startswith("response.")
    is_whole = value.get("object") == "response" and isinstance(present.get("output"), list)
    if is_named or is_whole or present.get("output_text") is not None:
        return Match("responses", 90)
    return Match("responses", 60) if isinstance(present.get("delta"), str) else None


def _known(answered: Answered) -> str | None:
    if answered.backend.messages_key == "messages":
        return "azure-search-openai-demo"
    if answered.backend.requires_context:
        return "rag-postgres-openai-python"
    return "openai-chat-app-quickstart" if answered.path.endswith("/chat") else None


FAMILY: Final = Family(
    dialects=(
        Dialect(
            "responses",
            msg("AI Chat Protocol of 2026, as OpenAI’s Responses"),
            "the Responses shape of 2026: `response.output_text.delta`",
            "azure-search-openai-demo 2026, OpenAI quickstarts",
        ),
    ),
    match=_match,
    reader=ResponsesReader,
    position=4,
    places={"/chat/stream": 5},
    endings={"/responses": Backend("", streaming="body", messages_key="input", overrides="body")},
    backends={
        "rag-postgres-openai-python": KnownBackend(
            msg("rag-postgres-openai-python (since April 2026)"),
            "/chat",
            Backend(
                "",
                streaming="path",
                messages_key="input",
                requires_context=True,
                known_overrides=_OVERRIDES_OF_POSTGRES,
            ),
        ),
        "openai-chat-app-quickstart": KnownBackend(
            msg("openai-chat-app-quickstart (since April 2026)"),
            "/chat",
            Backend("", streaming="path", streams_only=True, messages_key="input", known_overrides=()),
        ),
    },
    known=_known,
)
