"""The cards of the first sources under an answer."""

from __future__ import annotations

import re

from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.panels.strip import MOST_CARDS, strip_html
from tests.rendering.harmless import judged

IMAGE = "data:image/png;base64,"


def strip(text: str, *points: DataPoint) -> str:
    html = strip_html(Answer(text=text, data_points=points), render_answer(text, points))
    assert judged(html).faults == []
    return html


def named(*names: str) -> list[DataPoint]:
    return [DataPoint(name, name, f"Passage of {name}.") for name in names]


def test_cited_sources_come_first_by_their_numbers_and_then_the_others():
    html = strip("Red [c.pdf]. Dry [a.pdf].", *named("a.pdf", "b.pdf", "c.pdf"))
    assert re.findall('data-point="(.*?)"', html) == ["2", "0", "1"]
    assert re.findall('class="source-number">(.)', html) == ["1", "2"]
    assert re.findall('aria-label="(.*?)"', html) == ["Source 1: C", "Source 2: A", "Source that is not cited: B"]


def test_a_button_says_how_many_sources_have_no_card():
    for count, more in ((1, []), (MOST_CARDS, []), (MOST_CARDS + 1, ["1"]), (1_200, ["1,197"])):
        html = strip("", *named(*(f"a{number}.pdf" for number in range(count))))
        assert re.findall(r'data-point="-1"><bdi>\+(.*?) more<', html) == more, count
        assert html.count("strip-card") == min(count, MOST_CARDS)


def test_a_card_has_title_place_and_the_first_words_and_its_id_as_the_tooltip():
    html = strip("x", DataPoint("Leave_Policy.pdf#page=2", "", f"<p>Parental <b>leave</b>.</p> {'word ' * 100}"))
    assert 'title="Leave_Policy.pdf#page=2" aria-label="Source that is not cited: Leave Policy, page 2"' in html
    assert ">Leave Policy<" in html
    assert "<bdi>p. 2</bdi></span> Parental leave. word word" in html
    assert html.count("word") < 30


def test_a_source_without_a_name_is_called_by_its_first_words_and_not_by_a_number():
    for text, title in (("", "Unnamed source"), ("<p>Parental leave.</p>", "Parental leave.")):
        for point in (DataPoint("", "\u202e", text), DataPoint("1", "Source 1", text)):
            html = strip("x", point)
            assert f'aria-label="Source that is not cited: {title}"' in html, text
            assert "Source 1" not in html, text
        assert "not cited: Tents," in strip("x", DataPoint("", "", text, url="https://shop.example/tents"))


def test_an_image_that_the_page_has_already_is_shown_small():
    cases = [
        (IMAGE + "AAAA", True), (IMAGE + "A" * 300_000, False), ("https://i.example/a.png", False),
        ("data:image/svg+xml;base64,AAAA", False),
    ]  # fmt: skip
    for image, is_shown in cases:
        html = strip("x", DataPoint("a.png", "a.png", image=image))
        assert ("<img" in html) is is_shown, image
        assert "i.example" not in html, image


def test_what_a_backend_writes_is_text():
    hostile = '"><script>alert(1)</script>'
    html = strip(f"x [{hostile}.pdf]", DataPoint(f"{hostile}.pdf", hostile, hostile))
    assert "<script" not in html


def test_there_is_no_strip_without_sources():
    assert strip("Red [c.pdf].") == ""
