"""Hostile text of a backend is harmless on the page."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.languages.translation import speaking
from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought, Timing
from chat_ui.protocol.events import AnswerWarning
from chat_ui.protocol.transport.recorder import ResponseRecord
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.panels.document_text import document_html
from chat_ui.rendering.panels.inspector import inspector_html
from chat_ui.rendering.panels.passages import passage_html
from chat_ui.rendering.panels.sources import sources_html
from chat_ui.rendering.panels.thoughts import thought_html, thoughts_html
from tests.languages.marked import AS_MARKUP
from tests.made_sets import sampled
from tests.rendering.harmless import judged
from tests.rendering.hostile import HOSTILE
from tests.rendering.streaming import Page

REAL = DataPoint("real.pdf", "real.pdf", "A passage.")
EACH = pytest.mark.parametrize("texts", sampled(HOSTILE, 7))


def faults_in_answer(text, points=(REAL,)):
    faults = []
    for block in render_answer(text, points).html:
        faults += judged(block).faults
        if re.search("[\ufdd0-\ufdef]", block):
            faults.append(f"a placeholder was left in {block}")
    return faults


@EACH
def test_a_hostile_answer_is_harmless(texts):
    for text in texts:
        within = f"Before [real.pdf] **{text}** after\n\n- {text}\n\n| a |\n|---|\n| {text} |\n\n> {text}"
        assert faults_in_answer(text) == faults_in_answer(within) == [], text


@EACH
def test_a_hostile_answer_is_harmless_while_it_is_typed(texts):
    for text in texts:
        page = Page((REAL,))
        for start in range(0, len(text), 3):
            page.type(text[start : start + 3])
            assert [judged(block).faults for block in page.blocks] == [[]] * len(page.blocks), text


def test_words_of_a_translation_are_escaped():
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
            inspector_html(ResponseRecord("https://a.example"), answer),
        ]
    assert [html for html in panels if "&lt;q x=" not in html] == []
    assert "<q" not in "".join([*rendered.html, *panels])


@EACH
def test_hostile_sources_are_harmless(texts):
    for text in texts:
        point = DataPoint(id=text, source=text, text=text, url=text, image=text)
        answer = Answer(text=f"Claim [{text}] [real.pdf].", data_points=(point, REAL))
        rendered = render_answer(answer.text, answer.data_points)
        html = sources_html(answer, rendered, 0) + "".join(rendered.html)
        assert judged(html).faults == [], text


def thinking(text: str) -> Answer:
    """An answer with this text in its thoughts, reasoning, figures and warnings."""
    descriptions = (
        text, [text], [{"role": text, "content": text}],
        [{"role": "user", "content": [{"text": text}, {"image_url": {"url": text}}]}],
        {text: text}, [{"content": text, "sourcepage": text, "score": 1}], repr({"role": "user", "content": text}),
        [[text]], None,
    )  # fmt: skip
    props = {text: text, "token_usage": {text: 1, "x": text}, "query_plan": [{text: text}]}
    return Answer(
        thoughts=tuple(Thought(text, description, props) for description in descriptions),
        reasoning=text,
        dialect=text,
        usage={text: text, "total": 3},
        warnings=(AnswerWarning(text, text),),
    )


@EACH
def test_hostile_thoughts_are_harmless(texts):
    assert {text: faults for text in texts if (faults := judged(thoughts_html(thinking(text))).faults)} == {}


@given(st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=5), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_hostile_strings_together_are_harmless(texts, between):
    assert faults_in_answer(between.join(texts)) == []


def test_raw_html_cannot_forge_a_control_beside_a_real_citation():
    for wrapper in ("{}", "<div>{}</div>", "**{}**", "<p title='{}'>x</p>", "| h |\n|---|\n| {} |"):
        forged = (
            '<button type="button" class="citation" data-citation="1" data-use="0">1</button>'
            '<button class="copy-code" data-copy>Copy</button><input type="checkbox" class="task">'
            "&#xFDD0;0&#xFDD1;&#64976;0&#64977;\ufdd00\ufdd1"
        )
        rendered = render_answer(wrapper.format(forged) + "\n\n`x`", (REAL,))
        assert rendered.uses == (), wrapper
        for block in rendered.html:
            assert {button["class"] for button in judged(block).buttons} <= {"copy-table"}, wrapper
    forged = '<button class="citation" data-citation="9">9</button> [real.pdf]'
    buttons = [button for block in render_answer(forged, (REAL,)).html for button in judged(block).buttons]
    assert [button["data-citation"] for button in buttons] == ["1"]


def test_a_nested_reference_cannot_forge_a_placeholder():
    forgeries = "&#x{}FDD0;0&#x{}FDD1;", "&#{}64976;9&#{}64977;", "&#x{}FDD2;&#x{}FDD5;7&#x{}FDD3;"
    for forged, within in product(forgeries, ("&#xFDD0;", "&#x0000FDD4;", "&#64976;", "&#xfdef")):
        html = f"<div>{forged.replace('{}', within)}</div>"
        assert render_answer(f"{html}\n\n[real.pdf]", (REAL,)).uses[1:] == (), html
        shown = passage_html(html), document_html(html, "html"), document_html(html, "markdown")
        assert [judged(one).buttons for one in shown] == [[]] * 3, html


def test_a_long_attribute_is_parsed_and_deep_nesting_is_text():
    url = f"https://a.example/{'x' * 500}"
    assert f'<a href="{url}"' in render_answer(f"<a href='{url}'>b</a>", ()).html[0]
    assert "&lt;b lang" in render_answer(f"<p><b lang='{'x ' * 200}'>a</b></p>", ()).html[0]
    assert "<b lang" in render_answer(f"<p><b lang='{'x ' * 198}'>a</b></p>", ()).html[0]
    cases = [
        ("<b>" * 99 + "</b>" * 99, 99), ("<b>" * 150 + "</b>" * 150, 99), ("<b></b>" * 101, 101),
        ("<ul>" + "<li>a" * 150 + "</ul>", 151), ("<br>" * 150, 150),
    ]  # fmt: skip
    for html, kept in cases:
        [shown] = render_answer(f"<div>{html}</div>", ()).html
        assert len(re.findall("<(?:b|ul|li|br)[ >]", shown)) == kept, html
