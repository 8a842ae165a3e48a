import re
from html import unescape

from chat_ui.languages.catalogues import offered
from chat_ui.languages.translation import speaking
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.comparison import Column, Facts, comparison_html, facts, words

_TAG = re.compile(r"<[^>]*>")


def column(text: str, *sources: str, first_text: float | None = 0.25, total: float | None = 2.0) -> Column:
    points = tuple(DataPoint(name, name) for name in sources)
    return Column(facts(Answer(data_points=points), render_answer(text, points)), first_text, total)


def shown(html: str, opening: str) -> list[str]:
    """The words of each element with this start tag."""
    parts = [part.partition(f"</{opening}>")[0] for part in html.split(f"<{opening}>")[1:]]
    return [" ".join(unescape(_TAG.sub(" ", part)).split()) for part in parts]


def test_sources_are_grouped_by_arm_in_order_and_listed_once():
    left = column("It is so [b.txt].", "a.txt", "b.txt", "c.txt")
    right = column("It is so [c.txt]. It is [b.txt] so.", "c.txt", "d.txt", "b.txt", "c.txt")
    only_left, both, only_right = comparison_html(left, right).split("<section>")[1:]
    assert shown(only_left, "li") == ["A, Text number 1, not cited"]
    both_cite, one_cites = shown(both, "li")
    assert both_cite == "B, Text left number 2, right number 3, cited by both"
    assert one_cites == "C, Text left number 3, right number 1, cited by one"
    assert shown(only_right, "li") == ["D, Text number 2, not cited"]
    left = column("It is so [b.txt].", "a.txt", "a.txt", "a.txt", "b.txt")
    right = column("It.", "b.txt", *(f"s{number}.txt" for number in range(150)), "a.txt")
    html = comparison_html(left, right)
    assert shown(html, "td")[-2:] == ["4", "152"]
    only_left, both, only_right = html.split("<section>")[1:]
    assert shown(only_left, "p") == ["None"]
    assert shown(both, "li") == [
        "A, Text left number 1, right number 152, not cited",
        "B, Text left number 4, right number 1, cited by one",
    ]
    assert len(shown(only_right, "li")) == 100
    assert shown(only_right, "p") == ["And 50 more."]


def test_each_arm_has_its_times_and_its_citations():
    html = comparison_html(
        column("It is so [a.txt]. It is not [x.pdf].", "a.txt"), column("It.", first_text=None, total=None)
    )
    assert shown(html, "td") == ["", "0.25 s", "–", "2.00 s", "–", "1 of 2", "0 of 0", "1: “ x.pdf ”", "0", "1", "0"]
    assert html.count("<p>None</p>") == 2


def test_the_left_column_is_on_the_left_in_every_language():
    with speaking(offered()["ar"]):
        html = comparison_html(column("It.", first_text=1.0), column("It.", first_text=2.0))
    assert html.index("2") < html.index("1")


def test_source_names_are_escaped():
    name = "<img src=x onerror=alert(1)>.pdf"
    html = comparison_html(column(f"It is so [{name}].", name), column("It is so [<b>.pdf]."))
    assert "<img" not in html
    assert "<b>" not in html


def test_the_words_are_those_of_the_blocks_without_citations():
    assert column("").facts == Facts(0, 0, (), 0, {})
    rendered = render_answer("# Leave\n\nIt is **so** [a.txt].\n\n- One\n- Two", (DataPoint("a.txt", "a.txt"),))
    assert words(Answer(), rendered) == "Leave\n\nIt is so.\n\nOne\nTwo"
