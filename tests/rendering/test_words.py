"""Every word of a backend is shown in order, regardless of the text between words."""

import re
from collections.abc import Callable, Mapping
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer, DataPoint, Thought
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.copies import copy_html, copy_markdown
from chat_ui.rendering.exported_page.page_document import ExportedTurn, exported_page
from chat_ui.rendering.panels.document_text import document_html
from chat_ui.rendering.panels.passages import carries, passage_html, passage_with_uses
from chat_ui.rendering.panels.thoughts import thought_html
from tests.made_sets import sampled
from tests.rendering.harmless import judged
from tests.rendering.hostile import HOSTILE
from tests.rendering.streaming import Page, typed

POINT = DataPoint("ops.pdf#page=2", "ops.pdf", "The service listens on port 8080.")


def text_of(html: str) -> str:
    """The text of safe HTML without controls."""
    html = html.replace("<br>", "\n")
    html = re.sub(r"<(button|style|script|title)\b.*?</\1>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", html))


def streaming(text: str) -> str:
    page = Page((POINT,))
    page.type(f"{text}\n\nThe end.\n\nMore.\n\n")
    return page.html


def copied(text: str) -> str:
    return copy_markdown(text, render_answer(text, (POINT,)), (POINT,))


ANSWERS: Mapping[str, Callable[[str], str]] = {
    "answer": lambda text: "".join(render_answer(text, (POINT,)).html),
    "typed answer": lambda text: typed([text[start : start + 3] for start in range(0, len(text), 3)], (POINT,)).html,
    "growing answer": streaming,
    "rich copy": lambda text: copy_html(render_answer(text, (POINT,)), (POINT,)),
    "exported page": lambda text: exported_page("Chat", [ExportedTurn("Why?", Answer(text, data_points=(POINT,)))]),
    "document in Markdown": lambda text: document_html(text, "markdown"),
}
PANELS: Mapping[str, Callable[[str], str]] = {
    "passage": passage_html,
    "passage with uses": lambda text: passage_with_uses(text, {0: "The service listens on port 8080"}),
    "thought": lambda text: thought_html(Answer(thoughts=(Thought("Search", text),)), 0),
}


def all_shown(text: str) -> dict[str, str]:
    """A text as shown and copied in each place."""
    shown = {place: text_of(render(text)) for place, render in {**ANSWERS, **PANELS}.items()}
    return {**shown, "copy in Markdown": copied(text)}


def in_page_of_html(text: str) -> str:
    """The text without the parts that a page of HTML does not show."""
    return text_of(document_html(text, "html"))


PLACEHOLDERS = str.split(
    "path file filter mode name tenant-id NAME int string list map min max sum view text title script style select svg "
    "math mi g use image desc symbol switch mask filter template textarea iframe object noscript plaintext xmp option "
    "table td tr li p a b i code kbd var time caption summary details div label input button form body html head meta "
    "link base frameset col audio video canvas embed applet marquee font center T Result K,V your_key"
)
PLACEHOLDERS_TOGETHER = pytest.mark.parametrize("names", sampled(PLACEHOLDERS, 8))
_NOT_FOR_READERS = re.compile(
    r"<!--.*?-->|<(script|style|title)\b.*?</\1[^>]*>|<(?:\?|!doctype\b).*?>", re.DOTALL | re.IGNORECASE
)
MARKS = (
    "<{}>", "</{}>", "<{} and more>", "<{}/>", "<{} x='a > b'>", "List<{}>", "Map<String, List<{}>>", "<{0}></{0}>",
    "<{}\nx>", "<!-- {} -->", "<!-- {}", "<!{} html>", "<?{} version='1'?>", "<![CDATA[{}]]>", "a<{} then c>d",
    "<<{}>>", "**<{}>**", "`<{}>`", "<b><{}></b>", "<table><tr><td><{}></td></tr></table>", "&lt;{}&gt;", "\\<{}>",
)  # fmt: skip
BETWEEN = (
    " ", " ", "\n", "\n\n", "\n- ", "\n\n- ", "\n1. ", "\n> ", "\n\n# ", "\n• ", " | ", "\n\n| a | b |\n|---|---|\n| ",
    "\n\n<div>\n\n", "\n\n</div>\n\n", "\n<table>\n<tr><td>", "</td></tr>\n</table>\n", "<details><summary>",
    "</summary>\n\n", "</details>", " *", "* ", " **", "** ", "<br>", "<b>", "</b>", " [ops.pdf#page=2] ",
)  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    marks = st.tuples(st.sampled_from(MARKS), st.sampled_from(PLACEHOLDERS)).map(lambda one: one[0].format(one[1]))
    pieces = draw(st.lists(marks | st.sampled_from(BETWEEN) | st.sampled_from(HOSTILE), min_size=1, max_size=8))
    return "word0 " + " ".join(f"{piece} word{number}" for number, piece in enumerate(pieces, 1))


@given(text=texts())
@example(text="word0\n\n| a | b |\n|---|---|\n| word1 | word2 | word3 | word4 \\| word5 |\n| word6 |\n")
@example(text="<table>\n<tr><td>word0</td></tr>\nword1\n<tr><td>word2</td><td>word3</td></tr></table> word4")
@example(text="<b><i>word0</b> word1</i> <p>word2<p>word3 <ul><li>word4<li>word5</ul> word6 </li> </td> word7")
@example(text="![word0 <b> `word1` $word2$ <path>](https://a.example/i.png) word3")
@example(text="<pre>word0\n\nword1 <svg><path> word2\n\n- word3")
def test_every_word_is_shown(text: str):
    found = {place: re.findall(r"word\d", shown) for place, shown in all_shown(text).items()}
    assert found == dict.fromkeys(found, re.findall(r"word\d", text))
    kept = re.findall(r"word\d", _NOT_FOR_READERS.sub("", text))
    assert re.findall(r"word\d", in_page_of_html(text)) == kept


@PLACEHOLDERS_TOGETHER
def test_a_placeholder_is_shown_as_written(names: list[str]):
    for name in names:
        text = f"Run <sub>it</sub> with <{name}> and wait, or <{name}>.\n\nSet **<{name}>** to List<{name}>.\nRestart"
        kept = " ".join(re.sub(r"</?sub>", "", text).split())
        for place, shown in all_shown(text).items():
            words = " ".join(re.sub(r"</?sub>", "", shown).split())
            assert (kept.replace("**", "") if place in ANSWERS else kept) in words, (place, name)


@PLACEHOLDERS_TOGETHER
def test_a_citation_after_a_placeholder_is_found(names: list[str]):
    for name in names:
        text = f"Run <{name}>. The service listens on port 8080 [ops.pdf#page=2].\n\n<{name}> is.\nSo [ops.pdf#page=2]."
        rendered = render_answer(text, (POINT,))
        assert [use.number for use in rendered.uses] == [1, 1], name
        assert rendered.uses[0].claim == "The service listens on port 8080"
        assert typed(text, (POINT,)).stream.uses == rendered.uses


def test_a_supporting_sentence_after_a_placeholder_is_marked():
    for name in ("path", "script", "title", "table", "p"):
        passage = f"<b>Start</b> the tool with run <{name}> and wait. Then the service listens on port 8080."
        assert carries(passage, "The service listens on port 8080"), name
        html = passage_html(passage, "The service listens on port 8080")
        assert "and wait. <mark>Then the service listens on port 8080.</mark>" in html, name


@given(texts())
def test_text_between_words_is_harmless(text: str):
    blocks = [*render_answer(text, (POINT,)).html, *typed([text], (POINT,)).blocks]
    documents = [document_html(text, kind).replace(' class="answer-text"', "") for kind in ("html", "markdown")]
    for html in (*blocks, passage_html(text), *documents):
        assert judged(html).faults == []
