import re
from typing import Any

from chat_ui.protocol.answers.answer import Answer, Thought
from chat_ui.rendering.panels.json_shapes import (
    MAX_ITEMS,
    MAX_TEXT,
    MAX_VALUES,
    bounded,
    is_set,
    name_html,
    properties_html,
    size_of,
    value_html,
    words_of_name,
)
from chat_ui.rendering.panels.steps import usage_html
from chat_ui.rendering.panels.tables import query_plan_html
from chat_ui.rendering.panels.thoughts import thought_html


def nested(levels: int) -> Any:
    value: Any = "inmost"
    for _ in range(levels):
        value = [value]
    return value


def test_a_value_is_shown_by_its_type_and_cut_if_too_long_for_a_line():
    wanted = [
        (None, "<em>none</em>"), (True, "yes"), (False, "no"), (2026, "<code>2026</code>"),
        (12345678901234567890, "<code>12345678901234567890</code>"), (1234567.5, "<code>1234567.5</code>"),
        (0.123456789, "<code>0.123456789</code>"), (5.0, "<code>5.0</code>"), (-1e-7, "<code>-1e-7</code>"),
        (2.5e21, "<code>2.5e21</code>"), (1e-10, "<code>1e-10</code>"), (1e100, "<code>1e100</code>"),
        (16**39 * 10**4300, f"<code>{hex(16**39 * 10**4300)[:40]}…</code>"),
        ("a < b", '<code dir="auto">a &lt; b</code>'), ("a\nb", '<p class="thought-text" dir="auto">a\nb</p>'),
        ({}, "<em>empty</em>"), ([], "<em>empty</em>"),
        ([1, "b"], '<ol class="values"><li><code>1</code></li><li><code dir="auto">b</code></li></ol>'),
        ({"a_b": 1, "c": None}, '<dl class="properties"><div><dt>a b</dt><dd><code>1</code></dd></div></dl>'),
        ("mailto:a@b.example", '<code dir="auto">mailto:a@b.example</code>'),
        ("https://a.example/x",
         '<a href="https://a.example/x" target="_blank" rel="noopener noreferrer nofollow" dir="auto">'
            "https://a.example/x</a>"),
        ("data:image/png;base64,AAAA",
         '<img src="data:image/png;base64,AAAA" alt="image" loading="lazy" decoding="async">'),
    ]  # fmt: skip
    assert [(value, value_html(value)) for value, _ in wanted] == wanted
    for length, is_cut in ((2_000, False), (2_001, True)):
        assert value_html("x" * length) == f'<code dir="auto">{"x" * 2_000}{"…" if is_cut else ""}</code>'
        assert name_html("x" * length) == "x" * 2_000 + ("…" if is_cut else "")


def test_a_value_is_shown_to_a_depth_and_a_long_one_cut():
    for make in (list, lambda count: {str(number): 0 for number in count}):
        assert "not shown" not in value_html(make(range(MAX_ITEMS)))
        html = value_html(make(range(MAX_ITEMS + 1_001)))
        assert len(re.findall("<li>|<dt>", html)) == MAX_ITEMS, make
        assert html.endswith('<p class="cut">1,001 more are not shown.</p>'), make
    for levels, is_shown in ((13, True), (14, False)):
        html = value_html(nested(levels))
        assert ("inmost" in html) is is_shown, levels
        assert ("<em>more, nested deeper</em>" in html) is not is_shown, levels
        in_objects = value_html({"a": {"b": nested(levels - 2)}})
        assert ("inmost" in in_objects) is is_shown, levels


def test_empty_values_are_unset_but_zero_and_false_are_set():
    for value in (None, "", " ", "None", "null", [], {}, [None], {"a": ["", {"b": "None"}]}):
        assert not is_set(value)
        assert properties_html({"name": value}) == ""
    cases = [0, False, "0", [0], {"a": False}, "none of them", nested(100)]
    assert [value for value in cases if not is_set(value)] == []


def test_short_properties_are_chips_and_others_names_with_values():
    html = properties_html({"use_text": True, "off": False, "topK": 3, "<b>": "<i>", "long": "x" * 61, "of": {"a": 1}})
    chips, _, others = html.partition("</dl>")
    assert re.findall("<dt>(.*?)</dt><dd dir=\"auto\">(.*?)</dd>", chips) == [
        ("use text", "yes"), ("off", "no"), ("top k", "3"), ("&lt;b&gt;", "&lt;i&gt;"),
    ]  # fmt: skip
    assert re.findall("<dt>(.*?)</dt>", others) == ["long", "of", "a"]
    link = properties_html({"url": "https://a.example/", "bad": "javascript:alert(1)"})
    assert re.findall('href="(.*?)"', link) == ["https://a.example/"]


def test_a_name_is_written_in_words_without_a_change_of_direction():
    assert [words_of_name(name) for name in ("query_time", "queryTime", "elapsedMs", "ID", "a_b.pdf")] == [
        "query time", "query time", "elapsed ms", "ID", "a_b.pdf",
    ]  # fmt: skip
    same = {"retrieval_ms": {"topK": [1]}}
    assert re.findall("<dt>(.*?)</dt>", properties_html(same)) == [words_of_name("retrieval_ms"), words_of_name("topK")]
    for html in (properties_html({"\u202ea": 1}), name_html("\u202ea"), query_plan_html([{"\u202ea": 1}])):
        assert "a" in html
        assert "\u202e" not in html


def test_token_usage_is_a_line_of_grouped_numbers():
    html = usage_html({"prompt_tokens": 4, "cached": 0, "cost": 0.5, "more": True, "left": -1, "unknown": None})
    assert html.startswith(
        '<p class="token-usage">Tokens: 4 <bdi>prompt</bdi>, 0 <bdi>cached</bdi>, 0.5 <bdi>cost</bdi></p>'
    )
    assert re.findall("<dt>(.*?)</dt>", html) == ["more", "left"]
    assert usage_html({}) == usage_html(None) == ""
    assert "token-usage" not in usage_html({"model": "small"})
    assert "<dt>total</dt>" in usage_html({"total": 10**15})
    assert usage_html({"total_tokens": 0}) == '<p class="token-usage">0 tokens</p>'
    assert "&lt;b&gt;" in usage_html({"<b>": 1})
    usage = {
        "completion_tokens_details": {"audio_tokens": 6}, "prompt_tokens_details": {"audio_tokens": 0},
        "details": {"cached_tokens": 4}, "total": 9, "total_tokens": 10,
    }  # fmt: skip
    assert re.sub("<[^>]*>", "", usage_html(usage)) == (
        "9 tokens: 6 completion audio, 0 prompt audio, 4 cached, 10 total"
    )


def test_a_query_plan_has_columns_and_bars_and_is_cut_if_large():
    steps: list[Any] = [{"id": 0, "elapsed_ms": 2_500}, {"idTimeMs": 500, "timeout_ms": 30_000, "id": [1]}]
    steps.append({"elapsed_ms": 0, "rest_ms": "soon"})
    html = query_plan_html(steps)
    assert re.findall('<th scope="col">(.*?)</th>', html) == ["elapsed", "id time", "timeout", "rest", "id"]
    times = re.findall('<td class="query-time"><span class="count">(.*?)</span>.*?width="(.*?)"', html)
    assert times == [("2.50 s", "100.00"), ("0.50 s", "20.00")]
    assert '<td><ol class="values"><li><code>1</code></li></ol></td>' in html
    assert '<td><code dir="auto">soon</code></td>' in html
    assert query_plan_html(steps[0]).count("<tr>") == 2
    cases = [None, 7, "words", [], ["step"], [{"a": 1}, "step"]]
    assert [plan for plan in cases if query_plan_html(plan) != value_html(plan)] == []
    wide = query_plan_html([{f"key{number}": number for number in range(13)}])
    assert wide.count('<th scope="col">') == wide.count("<td>") == 12
    long = query_plan_html([{"a": 1}] * (MAX_ITEMS + 1))
    assert long.count("<td>") == MAX_ITEMS
    assert long.endswith('<p class="cut">1 more is not shown.</p>')


def test_the_size_of_a_value_is_about_its_characters_up_to_a_limit():
    wanted = [("four", 4), (7, 5), (None, 5), ([], 0), (["ab", 1], 2 + 2 + 5), ({"name": ["x"]}, 1 + 4 + 1 + 1)]
    assert [(value, size_of(value, 1_000)) for value, _ in wanted] == wanted
    assert size_of(["abc"] * 10, 16) == 10 + 3 + 3 + 3
    assert size_of(["abc"] * 10, 40) == 40


def test_a_value_with_too_many_parts_is_shown_as_the_beginning_of_its_json():
    most = [0] * (MAX_VALUES - 1)
    assert bounded(most) is most
    assert bounded([*most, 0]) == ("[" + "0, " * MAX_TEXT)[:MAX_TEXT] + "…"
    assert bounded({str(number): 0 for number in range(MAX_VALUES // 2)}).startswith('{"0": 0, "1": 0')
    assert bounded(["ü" * 10, *most]).startswith('["üüüüüüüüüü", 0, 0')
    assert len(bounded(["x" * MAX_TEXT, *most])) == MAX_TEXT + 1
    html = thought_html(Answer(thoughts=(Thought("Step", [[0] * MAX_VALUES]),)), 0)
    assert "[[0, 0, 0" in html
    assert "<li>" not in html
