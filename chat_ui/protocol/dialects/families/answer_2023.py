"""The samples of 2023: a whole answer in `answer`, beside its data points and thoughts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Final

from chat_ui.protocol.dialects.contents import content_text
from chat_ui.protocol.dialects.family import Dialect, Family, FamilyReader, Match
from chat_ui.protocol.events import Event, JsonObject
from chat_ui.protocol.translatable import msg


class AnswerReader(FamilyReader):
    """Reads the whole answer."""

    text_places: ClassVar = "answer"

    def read(self, value: JsonObject) -> Iterable[Event]:
        """The events of an object."""
        return self.text.whole(content_text(value.get("answer")))


def _match(present: JsonObject, value: JsonObject) -> Match | None:  # noqa: ARG001 - its keys say enough
    has_answer = "answer" in present and not isinstance(present["answer"], Mapping)
    return Match("answer", 40) if has_answer else None


FAMILY: Final = Family(
    dialects=(Dialect("answer", msg("Azure sample of 2023")),),
    match=_match,
    reader=AnswerReader,
    position=7,
)
