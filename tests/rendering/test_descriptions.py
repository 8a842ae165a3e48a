"""The description of a thought as what it is: messages, search results, images, queries or prose."""

from __future__ import annotations

import re
from typing import Any

import pytest

from chat_ui.protocol.answers.answer import DataPoint, Thought
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.html.image_html import image_html
from chat_ui.rendering.panels.descriptions import counted, description_html, description_images, is_query
from chat_ui.rendering.panels.json_shapes import MAX_ITEMS

SOURCES = SourceIndex((DataPoint("a.pdf#page=1", "a.pdf"), DataPoint("7", "Tent")))
IMAGE = "data:image/png;base64,AAAA"
REMOTE = "https://i.example/map.png"
USER = '<div class="message"><span class="message-role">user</span>{}</div>'
TEXT = '<p class="thought-text" dir="auto">{}</p>'
WHY = USER.format(TEXT.format("Why?"))


def shown(description: Json) -> str:
    return description_html(description, SOURCES)


@pytest.mark.parametrize(
    ("description", "html"),
    [
        (None, ""),
        (2.5, '<p class="thought-text"><code>2.5</code></p>'),
        ("Why?", TEXT.format("Why?")),
        (["Why?", 1], TEXT.format("Why?") + "<code>1</code>"),
        (IMAGE, image_html(IMAGE, "image of a thought")),
        ({"role": "user", "content": "Why?"}, WHY),
        ([{"role": "user", "content": "Why?"}, "So."], WHY + TEXT.format("So.")),
        ('{"role": "user", "content": "Why?"}', WHY),
        (" [{'role': 'user', 'content': 'Why?'}, 'So.'] ", WHY + TEXT.format("So.")),
        ({"role": "user", "content": ["Why?"]}, USER.format('<code dir="auto">Why?</code>')),
        ({"role": "user", "content": [{"text": "Why?"}]}, WHY),
        ({"role": "user", "content": None}, USER.format("")),
        ({"role": "user", "content": 7}, USER.format("<code>7</code>")),
        ({"role": "user", "content": [{"image_url": {"url": IMAGE}}]},
         USER.format(image_html(IMAGE, "image of the message"))),
        ({"role": "user", "content": [{"image_url": IMAGE}]}, USER.format(image_html(IMAGE, "image of the message"))),
        ({"role": "user", "content": [{"image_url": 7}]},
         USER.format('<dl class="properties"><div><dt>image_<wbr>url</dt><dd><code>7</code></dd></div></dl>')),
        ({"role": "user", "content": "Why?", "name": "Ada", "refusal": None},
         USER.format(TEXT.format("Why?")
                     + '<dl class="properties"><div><dt>name</dt><dd><code dir="auto">Ada</code></dd></div></dl>')),
        ({"role": "user", "tool_calls": []},
         USER.format('<dl class="properties"><div><dt>tool_<wbr>calls</dt><dd><em>empty</em></dd></div></dl>')),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_description_is_shown_as_what_it_is(description: Any, html: str):
    assert shown(description) == html


@pytest.mark.parametrize(
    "value",
    [
        {"role": "user"}, {"role": 1, "content": "x"}, {"content": "x"}, {"sourcepage": "a"}, {"score": 1, "x": 2},
        {"a": ["b"]},
    ],
)  # fmt: skip
def test_an_object_that_is_neither_message_nor_result_is_its_names_and_values(value: dict[str, Json]):
    html = shown(value)
    assert html.startswith('<dl class="properties"><div><dt>')
    assert html.count("<dt>") == len(value)


@pytest.mark.parametrize(
    "text", ["{a", "a}", "[1, 2", "{1: 2}, x", "[f()]", "['a'] ['b']", "{1, 2}", "(1, 2)", "[" * 500 + "]"]
)
def test_what_only_looks_like_json_is_prose(text: str):
    assert shown(text) == TEXT.format(text.replace("'", "&#x27;"))


def test_a_very_long_text_is_not_looked_into():
    entry = '"x", ' * 19_998
    assert shown(f"[{entry}     1]").count(TEXT.format("x")) == MAX_ITEMS
    assert shown(f"[{entry}           1]").startswith('<p class="thought-text" dir="auto">[&quot;x&quot;')


@pytest.mark.parametrize("description", [["x"] * (MAX_ITEMS + 1), repr(["x"] * (MAX_ITEMS + 1))])
def test_of_many_entries_the_beginning_is_shown_and_the_rest_counted(description: Json):
    html = shown(description)
    assert html.count(TEXT.format("x")) == MAX_ITEMS
    assert html.endswith('<p class="cut">1 more are not shown.</p>')
    parts = shown({"role": "user", "content": [{"text": "x"}] * (MAX_ITEMS + 1)})
    assert parts.count(TEXT.format("x")) == MAX_ITEMS
    assert "1 more are not shown" in parts


def test_a_search_result_is_its_name_its_scores_its_text_and_what_else_is_there():
    result = {
        "id": "4", "sourcepage": "b.pdf", "score": 0.25, "reranker_score": 2, "score_note": "good", "content": "a<br>b",
        "category": "hr", "empty": "", "none": None, "nothing": [], "nought": 0,
    }  # fmt: skip
    rest = "".join(
        f"<div><dt>{name}</dt><dd>{value}</dd></div>"
        for name, value in [
            ("id", '<code dir="auto">4</code>'), ("score_<wbr>note", '<code dir="auto">good</code>'),
            ("category", '<code dir="auto">hr</code>'), ("nought", "<code>0</code>"),
        ]
    )  # fmt: skip
    assert shown(result) == (
        '<div class="result"><div class="result-head"><span class="result-name" dir="auto">b.pdf</span>'
        '<span class="result-score">score <code>0.25</code></span>'
        '<span class="result-score">reranker score <code>2</code></span></div>'
        f'<dl class="properties">{rest}</dl>{TEXT.format("a" + chr(10) + "b")}</div>'
    )


def test_a_search_result_without_more_is_its_text():
    assert shown({"content": "a", "captions": []}) == (
        f'<div class="result"><div class="result-head"></div>{TEXT.format("a")}</div>'
    )
    assert "<dt>" not in shown({"title": "A", "content": "a"})
    assert shown({"score": 1, "sourcefile": "b"}).endswith("</div></div>")


@pytest.mark.parametrize(
    ("result", "source"),
    [
        ({"sourcepage": "a.pdf#page=1", "content": "x"}, "0"),
        ({"sourcepage": "b.pdf", "sourcefile": "a.pdf", "content": "x"}, "0"),
        ({"title": 7, "id": "7", "content": "x"}, "1"),
        ({"sourcepage": "b.pdf", "content": "x"}, None),
        ({"category": "7", "sourcepage": "b", "content": "x"}, None),
    ],
)
def test_a_search_result_leads_to_the_source_that_it_became(result: dict[str, Json], source: str | None):
    found = re.findall(r'class="result-source" data-point="(\d)" aria-label="Show the source (.*?)"', shown(result))
    assert [point for point, _ in found] == ([source] if source else [])
    assert all(SOURCES.label(int(point)) == label for point, label in found)


def test_the_images_of_a_description_are_those_that_it_offers_to_show():
    message = {
        "role": "user",
        "content": [{"image_url": REMOTE}, {"image_url": {"url": IMAGE}}, {"text": "https://x/y.png"}],
    }
    assert description_images([message, message, "words"], SOURCES) == [REMOTE, REMOTE]
    assert description_images(REMOTE, SOURCES) == []
    assert "Show image from i.example" in shown(message)


@pytest.mark.parametrize(
    ("title", "description", "is_one"),
    [
        ("Search query", "rain AND tents", True),
        ("Generated SQL", "SELECT 1", True),
        ("Prompt", "SELECT 1", False),
        ("Query", "[{'role': 'user'}]", False),
        ("Query", ' {"a": 1}', False),
        ("Query", "one<br>two", False),
    ],
)
def test_a_query_is_told_by_the_title_and_by_what_it_is_not(title: str, description: str, is_one: bool):
    assert is_query(Thought(title, description)) is is_one


@pytest.mark.parametrize(
    ("description", "count"),
    [
        (IMAGE, (1, "image")),
        ([IMAGE, IMAGE], (2, "image")),
        ({"role": "user", "content": ""}, (1, "message")),
        ([{"title": "a", "content": ""}] * 3, (3, "result")),
        ([{"score": 1, "sourcefile": "a"}], (1, "result")),
        ([IMAGE, "words"], None),
        ([], None),
        ("words", None),
        ([{"content": "a"}], None),
        (None, None),
    ],
)
def test_entries_of_one_kind_are_counted(description: Json, count: tuple[int, str] | None):
    assert counted(description) == count
