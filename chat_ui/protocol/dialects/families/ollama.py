"""Ollama's own lines: as flat, with `done` in each."""

from __future__ import annotations

from typing import Any, Final

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.families.flat import FlatReader
from chat_ui.protocol.dialects.family import Dialect, End, Family, KnownBackend, Match
from chat_ui.protocol.dialects.objects import has_only, text_of
from chat_ui.protocol.events import JsonObject

_OVERRIDES: Final = ("temperature", "top_p", "top_k", "num_predict", "num_ctx", "seed", "repeat_penalty")
_KEYS: Final = frozenset({"model", "created_at", "message", "done"})


class OllamaReader(FlatReader):
    """Reads what the flat dialects have too; plain lines carry a message."""

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of a line with a message and nothing else."""
        if value.get("done") is False and (_KEYS.issuperset(value) or has_only(_KEYS, value)):
            return text_of(value.get("message"))
        return None


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    # The last line of older versions has no message.
    is_last = value.get("done") is True and "model" in present and "delta" not in present
    is_line = is_last or ("done" in value and ("message" in present or "response" in present))
    return Match("ollama", 70, 2) if is_line else None


_END: Final = End("done", lambda value: value.get("done") is True)

FAMILY: Final = Family(
    dialects=(Dialect("ollama", "Ollama", _END),),
    match=_match,
    reader=OllamaReader,
    position=6,
    backends={
        "ollama": KnownBackend(
            "Ollama",
            "/api/chat",
            Backend(
                "",
                streaming="body",
                dialect="ollama",
                overrides="options",
                known_overrides=_OVERRIDES,
                files="images",
            ),
        ),
    },
    known=lambda _: "ollama",
)
