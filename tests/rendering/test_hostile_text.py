"""Whatever a backend sends, what is shown is harmless."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.languages.translation import speaking
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought, Timing
from chat_ui.protocol.events import Warning as AnswerWarning
from chat_ui.protocol.transport.recorder import WireRecord
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.panels.document_text import document_html
from chat_ui.rendering.panels.inspector import inspector_html
from chat_ui.rendering.panels.passages import passage_html
from chat_ui.rendering.panels.sources import sources_html
from chat_ui.rendering.panels.thoughts import thought_html, thoughts_html
from tests.languages.marked import AS_MARKUP
from tests.made_sets import thinned
from tests.rendering.growing import Page
from tests.rendering.harmless import judged
from tests.rendering.hostile import HOSTILE

REAL = DataPoint("real.pdf", "real.pdf", "A passage.")
EACH = pytest.mark.parametrize("text", thinned(HOSTILE, 7))


def faults_in_answer(text, points=(REAL,)):
    faults = []
    for block in render_answer(text, points).html:
        faults += judged(block).faults
        if re.search("[\ufdd0-\ufdef]", block):
            faults.append(f"a placeholder was left in {block}")
    return faults


def test_there_are_enough_hostile_strings():
    assert len(set(HOSTILE)) >= 150


@EACH
def test_a_hostile_answer_is_harmless(text):
    assert faults_in_answer(text) == []
    assert (
        faults_in_answer(f"Before [real.pdf] **{text}** after\n\n- {text}\n\n| a |\n|---|\n| {text} |\n\n> {text}")
        == []
    )


@EACH
def test_a_hostile_answer_is_harmless_while_it_is_typed(text):
    page = Page((REAL,))
    for start in range(0, len(text), 3):
        page.type(text[start : start + 3])
        for block in page.blocks:
            assert judged(block).faults == []


def test_words_of_a_translation_are_no_markup():
    answer = Answer(
        text="Twenty weeks [real.pdf], and more [gone.pdf].\n\n| a |\n|---|\n| b |\n\n```python\nx\n```",
        data_points=(REAL, DataPoint("b.png", "b.png", "x" * 100_000, image="https://a.example/b.png")),
        thoughts=(
            Thought("", {"a": True, "b": None, "c": [{"d": False}], "e": "x" * 10_000}, {"query_plan": [{"a": 1}]}),
            Thought("Search", [{"role": "system", "content": "x" * 3000}, {"role": 1}], {"is_on": True, "n": 0.3}),
            Thought("Many", list(range(5000))),
        ),
        usage={"total_tokens": 5, "is_free": True},
        warnings=(AnswerWarning("x", "y"),),
        timing=Timing(first_byte=0.1, context=0.2, first_text=0.5, total=100.0),
    )
    with speaking(AS_MARKUP):
        rendered = render_answer(answer.text, answer.data_points)
        panels = [
            sources_html(answer, rendered),
            thoughts_html(answer),
            *(thought_html(answer, number) for number in range(len(answer.thoughts))),
            inspector_html(WireRecord("https://a.example"), answer),
        ]
    assert [html for html in panels if "&lt;q x=" not in html] == []
    assert "<q" not in "".join([*rendered.html, *panels])


@EACH
def test_hostile_sources_are_harmless(text):
    point = DataPoint(id=text, source=text, text=text, url=text, image=text)
    answer = Answer(text=f"Claim [{text}] [real.pdf].", data_points=(point, REAL))
    rendered = render_answer(answer.text, answer.data_points)
    html = sources_html(answer, rendered, 0) + "".join(rendered.html)
    assert judged(html).faults == []


@EACH
def test_hostile_thoughts_are_harmless(text):
    descriptions = (
        text,
        [text],
        [{"role": text, "content": text}],
        [{"role": "user", "content": [{"text": text}, {"image_url": {"url": text}}]}],
        {text: text},
        [{"content": text, "sourcepage": text, "score": 1}],
        repr({"role": "user", "content": text}),
        [[text]],
        None,
    )
    props = {text: text, "token_usage": {text: 1, "x": text}, "query_plan": [{text: text}]}
    answer = Answer(
        thoughts=tuple(Thought(text, description, props) for description in descriptions),
        reasoning=text,
        dialect=text,
        usage={text: text, "total": 3},
        warnings=(AnswerWarning(text, text),),
    )
    assert judged(thoughts_html(answer)).faults == []


@given(st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=5), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_hostile_strings_together_are_harmless(texts, between):
    assert faults_in_answer(between.join(texts)) == []


@pytest.mark.parametrize("wrapper", ["{}", "<div>{}</div>", "**{}**", "<p title='{}'>x</p>", "| h |\n|---|\n| {} |"])
def test_raw_html_cannot_forge_a_control(wrapper):
    forged = (
        '<button type="button" class="citation" data-citation="1" data-use="0">1</button>'
        '<button class="copy-code" data-copy>Copy</button><input type="checkbox" class="task">'
        "&#xFDD0;0&#xFDD1;&#64976;0&#64977;\ufdd00\ufdd1"
    )
    rendered = render_answer(wrapper.format(forged) + "\n\n`x`", (REAL,))
    assert rendered.uses == ()
    for block in rendered.html:
        assert {button["class"] for button in judged(block).buttons} <= {"copy-table"}


@pytest.mark.parametrize("within", ["&#xFDD0;", "&#x0000FDD4;", "&#64976;", "&#xfdef"])
@pytest.mark.parametrize(
    "forged", ["&#x{}FDD0;0&#x{}FDD1;", "&#{}64976;9&#{}64977;", "&#x{}FDD2;&#x{}FDD5;7&#x{}FDD3;"]
)
def test_a_reference_in_a_reference_cannot_forge_a_placeholder(forged: str, within: str):
    html = f"<div>{forged.replace('{}', within)}</div>"
    assert render_answer(f"{html}\n\n[real.pdf]", (REAL,)).uses[1:] == ()
    for shown in (passage_html(html), document_html(html, "html"), document_html(html, "markdown")):
        assert judged(shown).buttons == []


def test_a_real_citation_next_to_a_forged_one_is_the_only_button():
    forged = '<button class="citation" data-citation="9">9</button> [real.pdf]'
    buttons = [button for block in render_answer(forged, (REAL,)).html for button in judged(block).buttons]
    assert [button["data-citation"] for button in buttons] == ["1"]


def test_a_remote_image_is_a_placeholder_with_its_host():
    html = render_answer("![a chart](https://images.example/c.png)", ()).html[0]
    assert "<img" not in html
    assert "a chart" in html
    assert "images.example" in html


def test_an_image_in_its_own_url_is_shown():
    html = render_answer("![dot](data:image/png;base64,AAAA)", ()).html[0]
    assert '<img src="data:image/png;base64,AAAA" alt="dot"' in html


def test_a_tag_with_a_long_attribute_is_a_tag_and_one_of_very_many_words_is_text():
    assert (
        f'<a href="https://a.example/{"x" * 500}"'
        in render_answer(f"<a href='https://a.example/{'x' * 500}'>b</a>", ()).html[0]
    )
    assert "&lt;b lang" in render_answer(f"<p><b lang='{'x ' * 200}'>a</b></p>", ()).html[0]
    assert "<b lang" in render_answer(f"<p><b lang='{'x ' * 198}'>a</b></p>", ()).html[0]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<b>" * 99 + "</b>" * 99, 99),
        ("<b>" * 150 + "</b>" * 150, 99),
        ("<b></b>" * 101, 101),
        ("<ul>" + "<li>a" * 150 + "</ul>", 151),
        ("<br>" * 150, 150),
    ],
    ids=["deep", "too deep", "side by side", "items", "breaks"],
)
def test_elements_that_nest_too_deep_are_text(html: str, kept: int):
    [shown] = render_answer(f"<div>{html}</div>", ()).html
    assert len(re.findall("<(?:b|ul|li|br)[ >]", shown)) == kept
