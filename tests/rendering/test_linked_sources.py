import re

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.html.parts import html_without_buttons
from chat_ui.rendering.markdown.linked_sources import MAX_NESTED_BRACKETS, closing_brackets
from tests.rendering.streaming import typed

PIXEL = "data:image/png;base64,iVBORw0KGgo="
POINTS = (
    DataPoint("a.pdf#page=3", "a.pdf", "Paid leave is 30 days."),
    DataPoint("w1", "Tides", url="https://sea.example/tides"),
    DataPoint("figure1.png", "figure1.png", image=PIXEL),
    DataPoint("chart", "chart", image="https://i.example/chart.png"),
)
TIDES = '<a href="https://sea.example/tides" target="_blank" rel="noopener noreferrer nofollow" dir="auto">{}</a>[1]'


def test_a_link_to_a_source_is_its_words_and_a_citation():
    cases = [
        ("See [the *book*](a.pdf#page=3).", "See the <em>book</em>[1]."),
        ("See [the a.pdf](a.pdf#page=3).", "See the a.pdf[1]."),
        ("See [a.pdf](a.pdf#page=3) and [**1**](a.pdf), [Source: 2](a.pdf).", "See [1] and [1], [1]."),
        ("See [](a.pdf).", "See [1]."), ("**See [b](a.pdf)**", "<strong>See b[1]</strong>"),
        ("[The *tides*](https://sea.example/tides) turn", TIDES.format("The <em>tides</em>") + " turn"),
        ("[Tides](https://sea.example/tides 'A') [w1].", TIDES.format("Tides").removesuffix("[1]") + " [1]."),
        ("[https://sea.example/tides](https://sea.example/tides)", "[1]"),
        ("![fig](figure1.png).", f'<img src="{PIXEL}" alt="fig" loading="lazy" decoding="async">[1].'),
        ("![the book](a.pdf)", "the book[1]"),
        ("[the `b`](a.pdf) `[c](a.pdf)`", "the <code>b</code>[1] <code>[c](a.pdf)</code>"),
        ("[b](javascript:alert(1)/a.pdf)", "b[1]"),
        ("[<img src=x onerror=alert(1)>](a.pdf)", '<span class="remote-image">Image</span>[1]'),
    ]  # fmt: skip
    for text, shown in cases:
        rendered = render_answer(text, POINTS)
        html = html_without_buttons(rendered.parts, lambda citation, _: f"[{citation.number}]")
        assert re.sub('</?p.*?>|<span class="cited">(.*?)</span>', r"\1", html).strip() == shown, text
        assert typed(text, POINTS).blocks == rendered.html
    assert [use.claim for use in render_answer("Leave is [30 days](a.pdf).", POINTS).uses] == ["Leave is 30 days"]


def test_a_remote_image_is_shown_on_request():
    rendered = render_answer("See ![the chart](chart) and ![b](https://i.example/chart.png).", POINTS)
    assert [url for block in rendered.blocks for url in block.images] == ["https://i.example/chart.png"] * 2
    assert [use.number for use in rendered.uses] == [1, 1]
    rendered = render_answer("![a [b](https://a.example/c) d](https://a.example/i.png)", POINTS)
    assert [url for block in rendered.blocks for url in block.images] == ["https://a.example/i.png"]
    dot = '<img src="data:image/png;base64,AAAA" alt="dot"'
    assert dot in render_answer("![dot](data:image/png;base64,AAAA)", ()).html[0]


def test_a_bracket_with_too_many_others_closes_nowhere():
    depth = MAX_NESTED_BRACKETS + 2
    assert sorted(closing_brackets("[" * depth + "]" * depth)) == [*range(1, depth)]
