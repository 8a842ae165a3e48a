"""The description of a thought by its kind: messages, search results, images, queries or prose."""

import re

from chat_ui.languages.catalogues import offered
from chat_ui.languages.language import ENGLISH
from chat_ui.languages.translation import speaking
from chat_ui.protocol.answers.answer import DataPoint, Thought
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.html.image_html import image_html
from chat_ui.rendering.panels.descriptions import counted, description_html, description_images, is_query
from chat_ui.rendering.panels.json_shapes import MAX_ITEMS

SOURCES = SourceIndex((DataPoint("a.pdf#page=1", "a.pdf"), DataPoint("7", "Tent")))
IMAGE = "data:image/png;base64,AAAA"
REMOTE = "https://i.example/map.png"
USER = '<ol class="messages"><li class="message message-user"><span class="message-role">user</span>{}</li></ol>'
TEXT = '<p class="thought-text" dir="auto">{}</p>'
WHY = USER.format(TEXT.format("Why?"))


def shown(description: Json) -> str:
    return description_html(description, SOURCES)


def test_a_description_is_shown_by_its_kind_or_as_names_and_values():
    wanted = [
        (None, ""), (2.5, '<p class="thought-text"><code>2.5</code></p>'), ("Why?", TEXT.format("Why?")),
        (["Why?", 1], TEXT.format("Why?") + "<code>1</code>"), (IMAGE, image_html(IMAGE, "image of a thought")),
        ({"role": "user", "content": "Why?"}, WHY),
        ([{"role": "user", "content": "Why?"}, "So."], WHY + TEXT.format("So.")),
        ('{"role": "user", "content": "Why?"}', WHY),
        (" [{'role': 'user', 'content': 'Why?'}, 'So.'] ", WHY + TEXT.format("So.")),
        ({"role": "user", "content": ["Why?"]}, USER.format('<code dir="auto">Why?</code>')),
        ({"role": "user", "content": [{"text": "Why?"}]}, WHY), ({"role": "user", "content": None}, USER.format("")),
        ({"role": "user", "content": 7}, USER.format("<code>7</code>")),
        ({"role": "user", "content": [{"image_url": {"url": IMAGE}}]},
         USER.format(image_html(IMAGE, "image of the message"))),
        ({"role": "user", "content": [{"image_url": IMAGE}]}, USER.format(image_html(IMAGE, "image of the message"))),
        ({"role": "user", "content": [{"image_url": 7}]},
         USER.format('<dl class="properties"><div><dt>image url</dt><dd><code>7</code></dd></div></dl>')),
        ({"role": "user", "content": "Why?", "name": "Ada", "refusal": None}, USER.format(TEXT.format("Why?")
                     + '<dl class="properties-short"><div><dt>name</dt><dd dir="auto">Ada</dd></div></dl>')),
        ({"role": "user", "tool_calls": []}, USER.format("")),
    ]  # fmt: skip
    assert [(description, shown(description)) for description, _ in wanted] == wanted
    cases = [
        {"role": "user"}, {"role": 1, "content": "x"}, {"content": "x"}, {"sourcepage": "a"}, {"score": 1, "x": 2},
        {"a": ["b"]},
    ]  # fmt: skip
    for value in cases:
        html = shown(value)
        assert html.startswith('<dl class="properties"><div><dt>'), value
        assert html.count("<dt>") == len(value)


def test_a_repr_is_shown_like_equal_json_and_else_as_prose():
    cases = [
        "[{'a': {1, 2}}]", "{'a': {1, 2}}", "[{'a': b'xx'}]", "[{'a': 1j}]", "[{'a': ...}]", "[{(1, 2): 3}]",
        "{'role': 'user', 'content': {1, 2}}", "[{'score': 1, 'content': {1}}]", "{a", "a}", "[1, 2", "{1: 2}, x",
        "[f()]", "['a'] ['b']", "{1, 2}", "(1, 2)", "[" * 500 + "]",
    ]  # fmt: skip
    assert [text for text in cases if shown(text) != TEXT.format(text.replace("'", "&#x27;"))] == []
    assert shown("[{1: 'a', 'b': (1, None)}]") == shown([{"1": "a", "b": [1, None]}])


def test_a_very_long_text_is_not_parsed_and_a_long_list_is_cut():
    entry = '"x", ' * 19_998
    assert shown(f"[{entry}     1]").count(TEXT.format("x")) == MAX_ITEMS
    assert shown(f"[{entry}           1]").startswith('<details class="thought-long">')
    for description in (["x"] * (MAX_ITEMS + 1), repr(["x"] * (MAX_ITEMS + 1))):
        html = shown(description)
        assert html.count(TEXT.format("x")) == MAX_ITEMS, description
        assert html.endswith('<p class="cut">1 more is not shown.</p>'), description
    parts = shown({"role": "user", "content": [{"text": "x"}] * (MAX_ITEMS + 1)})
    assert parts.count(TEXT.format("x")) == MAX_ITEMS
    assert "1 more is not shown" in parts


def test_a_search_result_has_its_name_scores_text_and_other_keys():
    result = {
        "id": "4", "sourcepage": "b.pdf", "score": 0.25, "reranker_score": 2, "score_note": "good", "content": "a<br>b",
        "category": "hr", "empty": "", "none": None, "nothing": [], "nought": 0, "sourcefile": "b.pdf",
    }  # fmt: skip
    rest = "".join(
        f'<div><dt>{name}</dt><dd dir="auto">{value}</dd></div>'
        for name, value in [("id", "4"), ("score note", "good"), ("category", "hr"), ("nought", "0")]
    )
    bar = (
        '<svg class="usage-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">'
        '<rect x="0.00" width="100.00" height="1"></rect></svg>'
    )
    assert shown(result) == (
        '<table class="results"><thead><tr><th scope="col"><bdi>1 result</bdi></th><th scope="col">score</th>'
        '<th scope="col">reranker score</th></tr></thead><tbody><tr><td><bdi class="result-name">b.pdf</bdi>'
        '<details class="result-more"><summary dir="auto"><span class="thought-start">a b</span> '
        '<bdi class="thought-more">Show more</bdi><bdi class="thought-less">Show less</bdi></summary>'
        f'{TEXT.format("a" + chr(10) + "b")}<dl class="properties-short">{rest}</dl></details></td>'
        f'<td class="result-score"><span class="count">0.25</span>{bar}</td>'
        f'<td class="result-score"><span class="count">2</span>{bar}</td></tr></tbody></table>'
    )


def test_a_score_has_four_digits_in_its_languages_notation():
    cases = [
        (6.6194, "6.619", "6,619"), (1 / 61, "0.01639", "0,01639"), (1234.5, "1,234", "1.234"), (-3, "-3", "-3"),
        (2e-7, "2e-07", "2e-07"),
    ]  # fmt: skip
    for score, english, german in cases:
        for language, words in ((ENGLISH, english), (offered()["de"], german)):
            with speaking(language):
                assert f'<span class="count">{words}</span>' in shown({"sourcefile": "a.pdf", "score": score})


def test_results_are_a_table_with_one_scale_for_each_score():
    names = ["a.pdf", "b.pdf", "c.pdf"]
    results = [{"sourcefile": name, "score": score} for name, score in zip(names, (4, 1.0, -2), strict=True)]
    html = shown([*results, {"sourcefile": "d.pdf", "score": None, "content": "x"}])
    assert re.findall('<rect x="0.00" width="(.*?)"', html) == ["100.00", "25.00", "0.00"]
    assert html.count("<tr>") == 5
    assert "<td></td>" in html
    assert "1 more is not shown" in shown([{"name": "a", "text": "b"}] * (MAX_ITEMS + 1))
    results = [{"id": "4", "content": "a"}, {"filename": "b.pdf", "text": "b"}]
    assert shown({"results": results}) == shown(results)
    assert '<table class="results">' in shown(results)
    for other in ({"results": []}, {"results": [*results, 4]}, {"results": results, "count": 2}, {"results": "b"}):
        assert '<table class="results">' not in shown(other)


def test_a_search_result_is_its_text_folded_if_long():
    assert f"<tbody><tr><td>{TEXT.format('a')}</td></tr></tbody>" in shown({"content": "a", "captions": []})
    assert "<dt>" not in shown({"title": "A", "content": "a"})
    assert "<details" not in shown({"score": 1, "sourcefile": "b"})
    html = shown({"title": "A", "content": "word " * 100})
    assert f'<span class="thought-start">{("word " * 23).strip()}…</span>' in html
    assert "word " * 50 in html


def test_messages_are_a_conversation_and_equal_objects_a_table():
    html = shown(
        [{"content": "Be kind."}, {"role": "\u202e<b>", "content": "Why?"}, {"role": "tool", "content": "x" * 700}]
    )
    assert re.findall('<span class="message-role">(.*?)</span>', html) == ["no role", "&lt;b&gt;", "tool"]
    assert re.findall('<li class="(.*?)"', html) == ["message", "message", "message message-tool"]
    assert html.count("<details") == 1
    assert "Show all 700 characters" in html
    html = shown([{"n": 1, "city": "Ulm", "none": None}, {"n": 2, "city": "<b>"}])
    assert re.findall('<th scope="col">(.*?)</th>', html) == ["city", "n"]
    assert "&lt;b&gt;" in html
    assert "<table" not in shown([{"n": 1, "of": {"a": 1}}, {"n": 2}])


def test_a_search_result_links_to_its_source_with_its_title():
    cases = [
        ({"sourcepage": "a.pdf#page=1", "content": "x"}, "0"),
        ({"sourcepage": "b.pdf", "sourcefile": "a.pdf", "content": "x"}, "0"),
        ({"title": 7, "id": "7", "content": "x"}, "1"), ({"sourcepage": "b.pdf", "content": "x"}, None),
        ({"category": "7", "sourcepage": "b", "content": "x"}, None),
    ]  # fmt: skip
    for result, source in cases:
        found = re.findall(r'class="result-source" data-point="(\d)" aria-label="Show the source (.*?)"', shown(result))
        assert [point for point, _ in found] == ([source] if source else []), result
        assert all(SOURCES.label(int(point)) == label for point, label in found), result
    cases = [
        ({"sourcepage": "a.pdf#page=1", "content": "x"}, "A, page 1"),
        ({"title": "Camping", "id": "7", "content": "x"}, "Camping"),
        ({"id": "7", "content": "x"}, "Tent"),
        ({"sourcepage": "b\u202e_c.pdf", "content": "x"}, "b_c.pdf"),
    ]
    for result, name in cases:
        html = shown(result)
        assert re.findall('<bdi class="result-name">(.*?)</bdi>', html) == [name], result
        assert ('title="a.pdf#page=1"' in html) is ("sourcepage" in result and name == "A, page 1")


def test_the_images_of_a_description_are_those_it_offers():
    message = {
        "role": "user",
        "content": [{"image_url": REMOTE}, {"image_url": {"url": IMAGE}}, {"text": "https://x/y.png"}],
    }
    assert description_images([message, message, "words"], SOURCES) == [REMOTE, REMOTE]
    assert description_images(REMOTE, SOURCES) == []
    assert "Show image from i.example" in shown(message)


def test_a_query_is_recognised_by_its_title_and_form():
    wanted = {
        ("Search query", "rain AND tents"): True, ("Generated SQL", "SELECT 1"): True, ("Prompt", "SELECT 1"): False,
        ("Query", "[{'role': 'user'}]"): False, ("Query", ' {"a": 1}'): False, ("Query", "one<br>two"): False,
    }  # fmt: skip
    assert {(title, description): is_query(Thought(title, description)) for title, description in wanted} == wanted


def test_entries_of_one_kind_are_counted():
    wanted = [
        (IMAGE, (1, "image")), ([IMAGE, IMAGE], (2, "image")), ({"role": "user", "content": ""}, (1, "message")),
        ([{"title": "a", "content": ""}] * 3, (3, "result")), ([{"score": 1, "sourcefile": "a"}], (1, "result")),
        ([IMAGE, "words"], None), ([], None), ("words", None), ([{"content": "a"}], None), (None, None),
    ]  # fmt: skip
    assert [(description, counted(description)) for description, _ in wanted] == wanted
