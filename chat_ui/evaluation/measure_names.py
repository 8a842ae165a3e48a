"""The measures by their names, and which way each gets better. `measures` says how they are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import Translatable, msg

Better: TypeAlias = Literal["more", "less", "neither"]
"""Whether more of a measure is better, or less."""


_LARGEST: Final = 10**15
"""Figures beyond are none: a sum of them would be no number."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure in a summary: its `name`, its `label` for a person, and whether it `is_rate`, of what is true or false.

    A list counts by its length. `better` says which way an answer gets better.
    """

    name: str
    label: Translatable
    better: Better = "neither"
    is_rate: bool = False

    def of(self, result: JsonObject) -> float | None:
        """The measure of one result, None where it has none."""
        value = result.get(self.name)
        if isinstance(value, bool | int | float):
            return float(value) if abs(value) <= _LARGEST else None
        return float(len(value)) if isinstance(value, Sequence) and not isinstance(value, str) else None


MEASURES: Final[Mapping[str, Measure]] = {
    measure.name: measure
    for measure in (
        Measure("failed", msg("Failed answers"), "less", is_rate=True),
        Measure("first_text_s", msg("First text"), "less"),
        Measure("total_s", msg("Whole answer"), "less"),
        Measure("tokens_per_s", msg("Tokens per second"), "more"),
        Measure("answer_length", msg("Characters")),
        Measure("sentences", msg("Sentences")),
        Measure("sentences_cited", msg("Sentences with a citation"), "more"),
        Measure("citations", msg("Cited sources")),
        Measure("citations_not_found", msg("Citations not found"), "less"),
        Measure("sources_retrieved", msg("Sources retrieved")),
        Measure("truth_citations", msg("Sources that the truth cites")),
        Measure("citation_recall", msg("Citation recall"), "more"),
        Measure("citation_precision", msg("Citation precision"), "more"),
        Measure("has_citation", msg("With a citation"), "more", is_rate=True),
        Measure("citation_match", msg("All citations of the truth"), "more", is_rate=True),
        Measure("support", msg("Citations carried by their passages"), "more"),
        Measure("warnings", msg("Warnings"), "less"),
    )
}
"""Every measure of a summary, by its name, in the order in which they are shown."""
TIMES: Final = frozenset({"first_text_s", "total_s", "tokens_per_s"})
"""Measures that differ from run to run of the same backend."""
