"""What holds of every recorded answer of a real implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import AnswerBuilder
from chat_ui.protocol.events import Failed, TextRevised
from tests.protocol.asking import events
from tests.protocol.damage import damaged, read
from tests.protocol.recorded import RECORDED


def text_of(body: bytes, size: int | None = None) -> tuple[str, bool]:
    """The text of an answer, and whether it was revised."""
    builder = AnswerBuilder()
    for event in events(body, size):
        builder.add(event)
    builder.close()
    return builder.text, bool(builder.revision)


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_answer_is_recognised(name: str) -> None:
    builder = AnswerBuilder()
    for event in events(RECORDED[name]):
        builder.add(event)
    builder.close()
    answer = builder.answer()
    assert answer.dialect == name.partition("/")[0]
    assert answer.text or answer.error or answer.warnings


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
@pytest.mark.parametrize("name", RECORDED)
def test_any_split_of_a_recorded_answer_gives_the_same_events(name: str, size: int) -> None:
    assert events(RECORDED[name], size) == events(RECORDED[name])


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_answer_that_breaks_off_is_a_beginning_of_it(name: str) -> None:
    body = RECORDED[name]
    whole, is_revised = text_of(body)
    for end in range(0, len(body), max(1, len(body) // 40)):
        found = events(body[:end])
        if not (is_revised or any(isinstance(event, TextRevised | Failed) for event in found)):
            text, _ = text_of(body[:end])
            assert whole.startswith(text.rstrip())


@pytest.mark.parametrize("dialect", sorted({name.partition("/")[0] for name in RECORDED}))
@given(st.data())
def test_nothing_that_is_missing_or_of_another_type_raises(dialect: str, data: st.DataObject) -> None:
    assert isinstance(read(*data.draw(damaged(dialect))).text, str)
