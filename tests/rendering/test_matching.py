"""The made set: every bracket of every answer, in every dialect."""

from __future__ import annotations

import pytest

from tests.rendering.matching.answers import Made, cited
from tests.rendering.matching.made import MADE


def test_the_set_is_large_and_covers_every_dialect():
    assert len(MADE) >= 60
    assert {made.dialect for made in MADE} == set("abcdef")
    assert len({made.name for made in MADE}) == len(MADE)


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
def test_brackets_cite(made: Made):
    found = cited(made)
    assert tuple(point for point, _ in found) == made.cites
    if made.rules is not None:
        assert tuple(rule for _, rule in found) == made.rules
