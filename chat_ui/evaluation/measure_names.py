"""The measures by their names, and which way each gets better. `measures` says how they are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from chat_ui.protocol.events import JsonObject

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
    label: str
    better: Better = "neither"
    is_rate: bool = False

    def of(self, result: JsonObject) -> float | None:
        value = result.get(self.name)
        if isinstance(value, bool | int | float):
            return float(value) if abs(value) <= _LARGEST else None
        return float(len(value)) if isinstance(value, Sequence) and not isinstance(value, str) else None


MEASURES: Final[Mapping[str, Measure]] = {
    measure.name: measure
    for measure in (
        Measure("failed", "Failed answers", "less", is_rate=True),
        Measure("first_text_s", "First text", "less"),
        Measure("total_s", "Whole answer", "less"),
        Measure("tokens_per_s", "Tokens per second", "more"),
        Measure("answer_length", "Characters"),
        Measure("sentences", "Sentences"),
        Measure("sentences_cited", "Sentences with a citation", "more"),
        Measure("citations", "Cited sources"),
        Measure("citations_not_found", "Citations not found", "less"),
        Measure("sources_retrieved", "Sources retrieved"),
        Measure("truth_citations", "Sources that the truth cites"),
        Measure("citation_recall", "Citation recall", "more"),
        Measure("citation_precision", "Citation precision", "more"),
        Measure("has_citation", "With a citation", "more", is_rate=True),
        Measure("citation_match", "All citations of the truth", "more", is_rate=True),
        Measure("support", "Citations carried by their passages", "more"),
        Measure("warnings", "Warnings", "less"),
    )
}
"""Every measure of a summary, by its name, in the order in which they are shown."""
TIMES: Final = frozenset({"first_text_s", "total_s", "tokens_per_s"})
"""Measures that differ from run to run of the same backend."""
