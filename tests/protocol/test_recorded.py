import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.events import Failed, TextRevised
from tests.made_sets import thinned
from tests.protocol.asking import events
from tests.protocol.damage import damaged, folded, read, recorded
from tests.protocol.recorded import RECORDED

OF_DIALECT: dict[str, list[str]] = {}
for _name in RECORDED:
    OF_DIALECT.setdefault(_name.partition("/")[0], []).append(_name)
EACH_DIALECT = pytest.mark.parametrize("dialect", OF_DIALECT)


@EACH_DIALECT
def test_a_recorded_answer_is_recognised(dialect: str) -> None:
    for name in OF_DIALECT[dialect]:
        answer = recorded(name)
        assert answer.dialect == dialect, name
        assert answer.text or answer.error or answer.warnings or answer.pause, name


@pytest.mark.parametrize("size", thinned([7, 1, 2, 3, 64, 1000], one_in=6))
@EACH_DIALECT
def test_any_split_of_a_recorded_answer_gives_the_same_events(dialect: str, size: int) -> None:
    for name in OF_DIALECT[dialect]:
        assert events(RECORDED[name], size) == events(RECORDED[name]), name


@pytest.mark.parametrize("parts", thinned([4, 40], one_in=2))
@EACH_DIALECT
def test_a_prefix_of_a_recorded_answer_gives_a_prefix_of_its_text(dialect: str, parts: int) -> None:
    for name in OF_DIALECT[dialect]:
        body, complete = RECORDED[name], events(RECORDED[name])
        text = folded(complete).text
        for end in range(0, len(body), max(1, len(body) // parts)):
            found = events(body[:end])
            is_revised = any(isinstance(event, TextRevised) for event in [*complete, *found])
            if not is_revised and not any(isinstance(event, Failed) for event in found):
                assert text.startswith(folded(found).text.rstrip()), (name, end)


@EACH_DIALECT
@given(st.data())
def test_missing_and_mistyped_values_raise_nothing(dialect: str, data: st.DataObject) -> None:
    assert isinstance(read(*data.draw(damaged(dialect))).text, str)
