"""The made set: every bracket of every answer, in every dialect."""

from __future__ import annotations

import pytest

from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.growing.stream import AnswerStream
from tests.rendering.matching.answers import Made, answered, cited
from tests.rendering.matching.made import MADE


def test_the_set_is_large_and_covers_every_dialect():
    assert len(MADE) >= 200
    assert {made.dialect for made in MADE} == set("abcdef")
    assert len({made.name for made in MADE}) == len(MADE)


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.name)
def test_brackets_cite(made: Made):
    found = cited(made)
    assert tuple(point for point, _ in found) == made.cites
    if made.rules is not None:
        assert tuple(rule for _, rule in found) == made.rules


# What names a source is shown as a citation as soon as its bracket closes. That it is a link or a footnote is known
# later: by the address that follows, or by a definition further down.
BECOME_OTHERS = (
    *("a link and an image", "a link by reference", "link around a word"),
    *("a footnote", "one footnote with a definition and one without"),
)
FORESEEABLE = [made for made in MADE if made.name not in BECOME_OTHERS]


@pytest.mark.parametrize("made", FORESEEABLE, ids=lambda made: made.name)
def test_numbers_are_the_same_from_the_moment_they_are_seen(made: Made):
    answer = answered(made)
    whole = render_answer(answer.text, answer.data_points)
    stream = AnswerStream(answer.data_points)
    for character in answer.text:
        stream.feed(character)
        stream.flush()
        seen = len(stream.citations)
        assert [one.label for one in stream.citations] == [one.label for one in whole.citations[:seen]]
    stream.flush(final=True)
    assert [use.number for use in stream.uses] == [use.number for use in whole.uses]
