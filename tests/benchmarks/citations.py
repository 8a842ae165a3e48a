"""Precision and recall of citations on the made set: `python -m tests.benchmarks.citations`.

A citation is right when it names the right data point, or rightly none, as often as expected. Precision is the
share of the citations found that are right, recall the share of those expected that are found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tests.rendering.matching.answers import cited
from tests.rendering.matching.made import MADE


@dataclass(frozen=True)
class Score:
    answers: int
    expected: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.expected if self.expected else 1.0


def score() -> Score:
    expected = found = right = 0
    for made in MADE:
        points = Counter(point for point, _ in cited(made))
        wanted = Counter(made.cites)
        expected += wanted.total()
        found += points.total()
        right += (points & wanted).total()
    return Score(len(MADE), expected, found, right)


def main() -> None:
    result = score()
    print(f"{result.answers} answers, {result.expected} citations expected, {result.found} found, {result.right} right")
    print(f"precision {result.precision:.3f}  recall {result.recall:.3f}")


if __name__ == "__main__":
    main()
