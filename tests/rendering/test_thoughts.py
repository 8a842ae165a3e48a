import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought, Timing
from chat_ui.protocol.events import AnswerWarning
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.panels.thoughts import (
    LAZY_FROM,
    is_large,
    raw_html,
    thought_html,
    thought_images,
    thoughts_html,
    work_of_thoughts,
)
from tests.rendering.harmless import judged


def shown(description=None, props=None):
    return thoughts_html(Answer(thoughts=(Thought("Step", description, props),)))


def test_markup_of_a_description_is_lines_and_cells():
    table = "<table><tr><th>Name</th> <th>Price</th></tr>\n<tr><td>Hat</td><td>&euro;3</td></tr></table>"
    assert "Name | Price\nHat | €3" in shown(table)
    assert "first\nsecond\nthird" in shown("first<br>second<BR />third")


def test_a_step_without_a_description_shows_its_title():
    for unset in (None, "", "None", [], {}, [None, {"a": "None"}]):
        head = '<div class="thought-head"><h3><bdi>Step</bdi></h3></div>'
        assert shown(unset, {"filter": unset}).startswith(f'<ol class="thoughts"><li class="thought">{head}</li></ol>')


def test_a_long_text_is_its_beginning_until_it_is_unfolded():
    html = shown("long " * 500)
    assert '<span class="thought-start">long long' in html
    assert "Show all 2,499 characters" in html
    assert "<details" not in shown("short")
    html = thoughts_html(Answer(reasoning="Twos, or threes? " * 100))
    assert '<h3>Reasoning</h3><details class="thought-long"><summary dir="auto">' in html
    assert "Show all 1,699 characters" in html
    assert "not shown" not in thoughts_html(Answer(reasoning="x" * 50_000))
    assert "1 more character is not shown" in thoughts_html(Answer(reasoning="x" * 50_001))


def bars_of(html: str) -> list[tuple[float, float]]:
    return [(float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" width="([\d.]+)"', html)]


def test_each_stage_of_the_time_line_is_a_bar_from_its_start_to_its_end():
    html = thoughts_html(Answer(timing=Timing(first_byte=1.0, context=2.0, first_text=4.0, total=80.0)))
    assert bars_of(html) == [(0, 1.25), (1.25, 1.25), (2.5, 2.5), (5, 95)]
    names = re.findall('<th scope="row" title=".*?"><bdi>(.*?)</bdi></th>', html)
    assert names == ["First byte", "Context", "First text", "Text"]
    assert "1 min 20 s total" in html
    assert '<span class="count">1 min 16 s</span><span class="count-span">, from 4.00 s to 1 min 20 s</span>' in html


def test_the_time_line_ends_at_the_present_and_omits_instant_stages():
    html = thoughts_html(Answer(timing=Timing(first_byte=0.5, context=0.5001)))
    assert bars_of(html) == [(0, 100)]
    assert "s total" not in html
    without_text = thoughts_html(Answer(timing=Timing(first_byte=0.5, total=1.0)))
    assert bars_of(without_text) == [(0, 50), (50, 50)]
    assert "Rest" in without_text


def test_steps_with_the_backends_times_have_the_same_scale():
    thoughts = (Thought("Plan", "words", {"elapsed_ms": 500}), Thought("<b>", "words", {"duration_seconds": 1.5}))
    html = thoughts_html(Answer(thoughts=thoughts, timing=Timing(first_byte=1.0, total=4.0)))
    assert bars_of(html) == [(0, 25), (25, 75), (0, 12.5), (12.5, 37.5)]
    assert '<span class="thought-took">1.50 s</span>' in html
    assert "&lt;b&gt;" in html


def test_the_extras_of_an_answer_are_shown_or_told_to_be_missing():
    assert "no thoughts with this answer so far" in thoughts_html(Answer())
    assert "no thoughts with this answer." in thoughts_html(Answer(timing=Timing(total=1.0)))
    answer = Answer(
        reasoning="Thinking aloud",
        warnings=(AnswerWarning("bad_json", "line 3"),),
        timing=Timing(0.1, 0.25, 1.5),
        dialect="responses",
        usage={"total_tokens": 12},
    )
    html = thoughts_html(answer)
    for words in ("Thinking aloud", "bad_json", "line 3", "0.25 s", "1.50 s total", "OpenAI Responses", "12 tokens"):
        assert words in html


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=15,
)


@given(JSON, st.none() | st.dictionaries(st.sampled_from(["token_usage", "query_plan", "k"]), JSON))
def test_any_json_is_shown_harmless(description, props):
    assert judged(shown(description, props)).faults == []


@given(
    st.recursive(
        JSON | st.complex_numbers() | st.just(...) | st.binary(max_size=4) | st.sets(st.integers(), max_size=2),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.integers() | st.text(max_size=9), inner),
        max_leaves=9,
    )
)
def test_any_python_value_in_a_text_is_shown_harmless(value):
    assert judged(shown(repr(value))).faults == []


def large(characters: int, count: int = 1, props: dict[str, str] | None = None) -> str:
    return thoughts_html(Answer(thoughts=(Thought("Step", "x" * characters, props),) * count))


def test_a_description_is_sent_with_the_others_up_to_a_size():
    assert '<details class="thought-details" data-thought="0"><summary>Show 20,001 characters' in large(LAZY_FROM + 1)
    assert "q" * 20_001 in thought_html(Answer(thoughts=(Thought("Step", "q" * 20_001),)), 0)
    for size, is_alone in ((LAZY_FROM, False), (LAZY_FROM + 1, True)):
        assert ("data-thought" in large(size), is_large(Thought("Step", "x" * size))) == (is_alone, is_alone), size


def test_descriptions_after_many_bytes_are_loaded_on_opening():
    html = large(8_000, 5, {"query": "y" * 8_000})
    assert html.count("<dt>query</dt>") == 3
    waiting = {html: ["3", "4"], large(LAZY_FROM - 4, 4): ["2", "3"], large(LAZY_FROM - 5, 4): ["3"], large(1, 3): []}
    assert [re.findall('data-thought="([^"]+)"', html) for html in waiting] == [*waiting.values()]


def test_unfoldable_parts_are_named_in_words():
    cases = [
        ("x" * 500_000, "Show 500,000 characters"), ({"a": "x" * 1000}, "Show 1,0"),
        ({str(number): "x" * 100 for number in range(2_000)}, "Show more than 100,000 characters"),
        ([{"role": "user", "content": "x" * 30_000}], "Show the message"),
        ([{"role": "user", "content": "x" * 700}] * 1200, "Show 1,200 messages"),
    ]  # fmt: skip
    for description, words in cases:
        assert f"<summary>{words}" in shown(description)


def test_steps_and_entries_beyond_the_limit_are_counted():
    assert "more steps" not in large(1, 200)
    html = large(1, 202)
    assert '<p class="cut">2 more steps are not shown.</p>' in html
    assert html.count("<h3") == 200
    assert "not shown" not in shown(["x"] * 200)
    assert "1 more is not shown" in shown(props={"values": ["x"] * 201})


def test_each_step_can_be_read_as_json():
    html = raw_html(Answer(thoughts=(Thought("<b>", None), Thought("Read", "words"))))
    steps = re.findall('data-json="(.*?)"><summary dir="auto">(.*?)</summary>', html)
    assert steps == [("0", "&lt;b&gt;"), ("1", "Read")]
    assert raw_html(Answer()) == ""
    assert raw_html(Answer(thoughts=(Thought("x"),) * 201)).count("data-json") == 200


def test_oversized_properties_are_only_in_the_json():
    html = shown("words", {"a": "x" * 30_000, "token_usage": {"total_tokens": 3}})
    assert "<dt>a</dt>" not in html
    assert "3 tokens" in html
    assert '<dt>tokens</dt><dd dir="auto">7</dd>' in shown(props={"token_usage": 7})
    assert "no plan" in shown(props={"query_plan": "no plan"})


def test_the_citations_are_a_table_with_the_rule_of_each_match():
    points = (DataPoint("a.pdf#page=1", "a.pdf", "Red."),)
    text = "Red [a.pdf#page=1]. Green [A.PDF]. Blue [ghost.pdf]."
    rendered = render_answer(text, points)
    html = thoughts_html(Answer(text=text, data_points=points), rendered.citations)
    assert "<td>1</td>" in html
    assert "<td>by its exact name</td>" in html
    assert "<td>not found among the sources</td>" in html
    assert "more are not shown" not in html
    assert "5 more are not shown" in thoughts_html(Answer(), rendered.citations, 205)


def test_the_work_of_thoughts_grows_with_the_shown_part_up_to_a_limit():
    little, more = (work_of_thoughts(Answer(thoughts=(Thought("Step", "x" * size),))) for size in (10, 10_000))
    assert 0 < little < more
    sources = tuple(DataPoint(str(number), "x" * 1000) for number in range(100))
    assert work_of_thoughts(Answer(data_points=sources)) > work_of_thoughts(Answer())


def test_images_of_a_thought_are_those_of_its_description():
    answer = Answer(
        thoughts=(Thought("Step", {"role": "user", "content": [{"image_url": "https://i.example/a.png"}]}),)
    )
    assert thought_images(answer, 0) == ["https://i.example/a.png"]
    with pytest.raises(IndexError):
        thought_images(answer, 1)


def test_an_untitled_step_is_a_step_and_code_and_images_are_unfolded():
    html = thoughts_html(Answer(thoughts=(Thought(" ", None), Thought("Search query", "a < b"))))
    assert html.count("<h3><bdi>Step</bdi></h3>") == 1
    assert '<pre class="thought-code" tabindex="0"><code dir="auto">a &lt; b</code></pre>' in html
    image = f"data:image/png;base64,{'A' * 800}"
    assert "<details" not in shown(image)
