import json
from collections import Counter

from tools.accessibility import record


def test_the_document_is_the_output_of_its_command():
    assert record.DOCUMENT.read_text() == record.document(), "run `python -m tools.accessibility`"


def test_each_criterion_has_a_row_and_each_mark_has_a_criterion():
    numbers = [criterion.number for criterion in record.criteria()]
    assert Counter(criterion.level for criterion in record.criteria()) == {"A": 31, "AA": 24}
    assert len(set(numbers)) == len(numbers)
    assert {*record.tests(), *record.looks()} <= {*numbers}
    assert {look.result for look in record.looks().values()} <= {*record.RESULTS}


def test_axe_found_no_violation_in_any_state_width_and_theme():
    axe = json.loads(record.AXE.read_text())
    assert axe["violations"] == 0
    assert axe["states"] >= 40
    assert axe["runs"] == axe["states"] * len(axe["widths"]) * 2
    assert len(axe["widths"]) == 3
