from collections.abc import Sequence

import pytest

from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.streaming.stream import AnswerStream
from tests.made_sets import sampled
from tests.rendering.made_answers import MADE, Made, answered, cited


def test_each_bracket_cites_the_named_source():
    wanted = [(made.text, [(point, made.by) for point in made.cites]) for made in MADE]
    assert [(made.text, [(point, made.by and rule) for point, rule in cited(made)]) for made in MADE] == wanted


# A source's name is shown as a citation once its bracket closes. A link or a footnote is recognised later, by its
# address or its definition.
_BECOMES_ANOTHER = ("[[Tides]](", "\n[^3]: All night.")
FORESEEABLE = [made for made in MADE if not any(words in made.text for words in _BECOMES_ANOTHER)]


@pytest.mark.parametrize("answers", sampled(FORESEEABLE, 3))
def test_numbers_stay_the_same_from_their_first_display(answers: Sequence[Made]):
    for answer in map(answered, answers):
        complete = render_answer(answer.text, answer.data_points)
        stream = AnswerStream(answer.data_points)
        for character in answer.text:
            stream.feed(character)
            stream.flush()
            seen = len(stream.citations)
            assert [one.label for one in stream.citations] == [one.label for one in complete.citations[:seen]]
        stream.flush(final=True)
        assert [use.number for use in stream.uses] == [use.number for use in complete.uses]
