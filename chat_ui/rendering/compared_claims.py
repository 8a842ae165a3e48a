"""Cited sentences of an answer that a feature has compared with their passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from chat_ui.protocol.events import Json

if TYPE_CHECKING:
    from chat_ui.protocol.answers.answer import Answer

Verdict: TypeAlias = Literal["found", "computed", "elsewhere", "not_found", "differs"]
Kind: TypeAlias = Literal["number", "date", "name", "quote", "negation", "comparison"]


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """A compared part of a sentence, with its place there. `point` is the index of the data point whose passage has its
    counterpart, which is the text at `place` of the passage as plain text.
    """

    text: str
    start: int
    end: int
    kind: Kind
    verdict: Verdict
    point: int | None = None
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A compared sentence: the indices of its `uses` among the answer's, the numbers of its `citations`, its worst
    verdict, and its parts in their order.
    """

    sentence: str
    uses: tuple[int, ...]
    citations: tuple[int, ...]
    verdict: Verdict
    parts: tuple[ClaimPart, ...]


@dataclass(frozen=True, slots=True)
class ClaimChecks:
    """The compared sentences of an answer, and about them, as safe HTML: a `line`, and a note for uses by index."""

    claims: tuple[Claim, ...] = ()
    line: str = ""
    notes: Mapping[int, str] = field(default_factory=dict)

    def note(self, use: int | None) -> str:
        """Safe HTML about the claim of a use; may be empty."""
        return "" if use is None else self.notes.get(use, "")

    def counterparts(self, use: int | None, point: int | None) -> list[tuple[int, int]]:
        """The places in the passage of `point` that parts of the claim of a use were compared with, in their order."""
        parts = (part for claim in self.claims if use in claim.uses for part in claim.parts)
        return sorted(part.place for part in parts if part.place and part.point == point)

    @property
    def verdicts(self) -> Counter[Verdict]:
        """The number of parts by verdict."""
        return Counter(part.verdict for claim in self.claims for part in claim.parts)

    @property
    def differing(self) -> tuple[str, ...]:
        """The texts of the parts that differ."""
        return tuple(part.text for claim in self.claims for part in claim.parts if part.verdict == "differs")

    @property
    def share_found(self) -> float | None:
        """The share of sentences whose parts are all found; None without sentences."""
        found = sum(claim.verdict in {"found", "computed"} for claim in self.claims)
        return found / len(self.claims) if self.claims else None


NO_CHECKS = ClaimChecks()


def claims_json(answer: Answer, checks: ClaimChecks) -> list[Json]:
    """The compared sentences as JSON. A computed part counts as found, and a comparison (`more than`) as a negation."""
    told = {"computed": "found", "comparison": "negation"}

    def part_json(part: ClaimPart) -> Json:
        passage = None if part.point is None else answer.data_points[part.point].id
        kind, verdict = (told.get(word, word) for word in (part.kind, part.verdict))
        return {"text": part.text, "kind": kind, "verdict": verdict, "passage": passage}

    return [
        {
            "sentence": claim.sentence,
            "citations": list(claim.citations),
            "verdict": told.get(claim.verdict, claim.verdict),
            "parts": [part_json(part) for part in claim.parts],
        }
        for claim in checks.claims
    ]
