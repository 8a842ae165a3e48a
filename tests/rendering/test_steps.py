import pytest

from chat_ui.languages.catalogues import offered
from chat_ui.languages.translation import speaking
from chat_ui.protocol.answers.answer import Thought
from chat_ui.protocol.events import Json
from chat_ui.rendering.panels.durations import bar_html, duration_words
from chat_ui.rendering.panels.steps import is_search, parts_html, reported_html, seconds_of, title_of

RESULT = {"sourcepage": "a.pdf", "content": "Red."}
QUERY = Thought("Search", "parental leave", {"use_text_search": True})


def test_a_search_is_told_in_words_with_localised_quotation_marks():
    wanted = [
        ([RESULT] * 3, {"passages_searched": 77}, QUERY,
         "Searched 77 passages for “<bdi>parental leave</bdi>”, kept 3"),
        ([], {"searched_documents": 1_200}, None, "Searched 1,200 documents, kept none"),
        ([RESULT], None, QUERY, "Searched for “<bdi>parental leave</bdi>”, found 1"),
        ({"results": [RESULT]}, {"query": "rain"}, None, "Searched for “<bdi>rain</bdi>”, found 1"),
        ([RESULT], {"search_query": "<b>"}, QUERY, "Searched for “<bdi>&lt;b&gt;</bdi>”, found 1"),
        ([RESULT], {"query_plan": [{"search": {"search": "a"}}, {"searchIndexArguments": {"search": "b"}}, {"x": 1}]},
         None, "Searched for “<bdi>a</bdi>”, “<bdi>b</bdi>”, found 1"),
        ([RESULT], {"query_plan": [{"query": str(number)} for number in range(5)]}, None,
         "Searched for “<bdi>0</bdi>”, “<bdi>1</bdi>”, “<bdi>2</bdi>” and 2 more, found 1"),
        ([RESULT], {"searched": 1}, None, "Searched 1 passage, kept 1"),
        ([RESULT], {"searched_chunks": 1}, None, "Searched 1 chunk, kept 1"),
        ([RESULT], {"web_searched": 5}, None, None), ([], None, QUERY, None),
        ([], {"search_query": "rain"}, None, "Searched for “<bdi>rain</bdi>”, found none"),
        ([RESULT], None, Thought("Question", "What?"), None), ([RESULT], {"passages_searched": "77"}, None, None),
        ([RESULT, "words"], {"passages_searched": 77}, QUERY, None),
        ("words", {"passages_searched": 77}, QUERY, None), (None, None, None, None),
    ]  # fmt: skip
    assert [
        (description, props, before, reported_html(Thought("Results", description, props), before))
        for description, props, before, _ in wanted
    ] == wanted
    cases = [
        ("de", "„<bdi>a</bdi>“, „<bdi>b</bdi>“"), ("fr", "«\xa0<bdi>a</bdi>\xa0», «\xa0<bdi>b</bdi>\xa0»"),
        ("ja", "「<bdi>a</bdi>」、「<bdi>b</bdi>」"), ("ar", "«<bdi>a</bdi>»، «<bdi>b</bdi>»"),
    ]  # fmt: skip
    for language, listed in cases:
        plan: Json = {"query_plan": [{"query": "a"}, {"query": "b"}]}
        with speaking(offered()[language]):
            assert listed in (reported_html(Thought("Results", [RESULT], plan), None) or ""), language


def test_the_time_of_a_step_comes_from_its_properties_or_its_plan():
    cases = [
        ({"elapsed_ms": 420}, 0.42), ({"elapsedMs": 420}, 0.42), ({"duration_seconds": 2}, 2),
        ({"latency_s": 1.5}, 1.5),
        ({"query_plan": [{"elapsed_ms": 100}, {"elapsedMs": 200}, {"count": 3}]}, 0.3),
        ({"query_plan": [{"elapsed_ms": 50, "timeout_ms": 30_000}, {"timeout_ms": 30_000}]}, 0.05),
        ({"query_plan": [{"query_time_ms": 50, "latency_ms": 60}]}, 0.05),
        ({"elapsed_ms": True}, None), ({"elapsed_ms": -1}, None), ({"elapsed": 3}, None),
        ({"top": 3, "query_plan": "no plan"}, None), (None, None),
    ]  # fmt: skip
    for props, seconds in cases:
        assert seconds_of(Thought("Step", None, props)) == (None if seconds is None else pytest.approx(seconds))


def test_properties_shown_elsewhere_are_not_repeated():
    props = {"passages_searched": 77, "elapsed_ms": 5, "engine": "fts"}
    assert "77" not in parts_html(props, is_told=True)
    assert "77" in parts_html(props, is_told=False)
    assert "engine" in parts_html(props, is_told=True)
    assert "elapsed" not in parts_html(props, is_told=False)
    props = {"elapsed_ms": 5, "latency_ms": 900}
    assert seconds_of(Thought("Step", None, props)) == pytest.approx(0.005)
    assert "<dt>latency ms</dt>" in parts_html(props, is_told=False)


def test_a_title_has_no_direction_marks():
    assert title_of(Thought(" \u202eSearch\u202c\n results ")) == "Search results"


def test_a_search_is_a_line_with_its_options():
    wanted = [
        (QUERY, True), (Thought("Search query", "rain"), True), (Thought("Step", "rain", {"has_vector": False}), True),
        (Thought("Step", "rain", {"model": "small"}), False),
        (Thought("Step", "two\nlines", {"text_search": True}), False),
        (Thought("Search query", [RESULT]), False),
    ]  # fmt: skip
    assert [(thought, is_search(thought)) for thought, _ in wanted] == wanted


def test_a_duration_is_in_human_units_or_a_bar():
    wanted = {
        0: "under 1 ms", 0.0004: "under 1 ms", 0.04: "40 ms", 0.0999: "0.10 s", 0.42: "0.42 s", 9.999: "10.0 s",
        59.9: "59.9 s", 59.96: "1 min 0 s", 72: "1 min 12 s", 3_725: "1 h 2 min",
    }  # fmt: skip
    assert {seconds: duration_words(seconds) for seconds in wanted} == wanted
    assert '<rect x="25.00" width="50.00" height="1">' in bar_html(0.25, 0.75)
