"""The record of accessibility is complete, and made of what there is."""

import json
from collections import Counter

from tools.accessibility import record


def test_the_document_is_what_its_command_writes():
    assert record.DOCUMENT.read_text() == record.document(), "run `python -m tools.accessibility`"


def test_each_criterion_of_levels_a_and_aa_has_a_row_and_each_mark_and_look_is_of_such_a_criterion():
    numbers = [criterion.number for criterion in record.criteria()]
    assert Counter(criterion.level for criterion in record.criteria()) == {"A": 31, "AA": 24}
    assert len(set(numbers)) == len(numbers)
    assert {*record.tests(), *record.looks()} <= {*numbers}
    assert {look.result for look in record.looks().values()} <= {*record.RESULTS}


def test_axe_found_nothing_in_at_least_forty_states_at_three_widths_in_both_themes():
    axe = json.loads(record.AXE.read_text())
    assert axe["violations"] == 0
    assert axe["states"] >= 40
    assert axe["runs"] == axe["states"] * len(axe["widths"]) * 2
    assert len(axe["widths"]) == 3
