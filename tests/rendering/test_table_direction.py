"""A table says the direction of its first letter itself: a browser would look for it with every cell."""

from __future__ import annotations

import re

import pytest

from chat_ui.rendering.answer import render_answer


def direction(text: str) -> str:
    found = re.search(r'<div class="table-scroll"[^>]* dir="(\w+)"', "".join(render_answer(text, ()).html))
    assert found is not None
    return found.group(1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Buoy | Place |\n|---|---|\n| 1 | north |", "ltr"),
        ("| عوامة | مكان |\n|---|---|\n| 1 | شمال |", "rtl"),
        ("| 1 | 2 |\n|---|---|\n| מצוף | north |", "rtl"),
        ("| 1 | 2 |\n|---|---|\n| 3 | 4 |", "ltr"),
        ("| &amp; | **2** |\n|---|---|\n| עברית | 4 |", "rtl"),
        ("<table><tr><td title='Buoy'>שלום</td></tr></table>", "rtl"),
    ],
)
def test_a_table_has_the_direction_of_its_first_letter(text: str, expected: str):
    assert direction(text) == expected
