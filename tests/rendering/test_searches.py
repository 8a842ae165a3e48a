"""The searches behind the sources of an answer: their badges, and their results in the query plan."""

import json
import re
from dataclasses import replace

from chat_ui.conversations.records.answer_json import answer_from_json, answer_to_json
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.data_points import DataPoint, read_data_points
from chat_ui.protocol.answers.thoughts import read_thoughts
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.exported_page.page_document import ExportedTurn, exported_page
from chat_ui.rendering.panels.json_shapes import MAX_ITEMS
from chat_ui.rendering.panels.sources import sources_html
from chat_ui.rendering.panels.steps import Searches
from chat_ui.rendering.panels.thoughts import thoughts_html
from chat_ui.rendering.resources import cards_json
from tests.rendering.harmless import judged
from tests.stand_ins.retrieval import AGENTIC, WEB


def answer_of(text=AGENTIC.text, **context) -> Answer:
    return Answer(text=text, data_points=read_data_points(context), thoughts=read_thoughts(context))


def found_by(details) -> Answer:
    return answer_of("So [a.pdf].", data_points={"text": ["a.pdf: b"], "citation_activity_details": details})


def planned(plan, results=()) -> str:
    thought = {"title": "Plan", "description": [*results], "props": {"query_plan": plan}}
    return thoughts_html(answer_of(thoughts=[thought]))


def words_of(html: str) -> list[str]:
    return re.findall(r'class="step-badge"[^>]*><bdi[^>]*>(.*?)</bdi>', html)


def listed(answer: Answer, **options) -> str:
    return sources_html(answer, render_answer(answer.text, answer.data_points), **options)


ANSWER = answer_of(**AGENTIC.context("", {}))
PLAN = AGENTIC.thoughts[0]["props"]["query_plan"]
RESULTS = AGENTIC.thoughts[0]["description"]
INDEX = RESULTS[0]["activity"]
BADGES = [
    "Query 1: eye exam coverage", "Query 2: Northwind Standard exclusions", "Searched the web", "Searched SharePoint"
]  # fmt: skip


def test_a_badge_names_the_step_of_a_source_and_leads_to_it_in_thoughts():
    searches = Searches.of(ANSWER, shows_thoughts=True)
    html = listed(ANSWER, searches=searches)
    assert words_of(html) == BADGES
    assert re.findall('<button type="button" class="step-badge" data-step="(.)" aria-label="(.*?)">', html) == [
        (step, f"Show in Thoughts: {words}") for step, words in zip("1345", BADGES, strict=True)
    ]
    cards = json.loads(cards_json(ANSWER, render_answer(ANSWER.text, ANSWER.data_points), searches))["cards"]
    assert [words_of(card) for card in cards] == [[words] for words in BADGES]
    assert judged(html + cards[0]).faults == []
    for address in (WEB["url"], "https://contoso.sharepoint.com/sites/hr/Vision-FAQ.docx"):
        assert f'<a class="source-link" href="{address}' in html


def test_a_badge_is_text_where_thoughts_are_not_shown():
    without_plan = replace(ANSWER, thoughts=())
    for html in (
        listed(ANSWER),
        listed(without_plan, searches=Searches.of(without_plan, shows_thoughts=True)),
        exported_page("Chat", [ExportedTurn("Glasses?", ANSWER)]),
    ):
        assert (words_of(html), "data-step" in html) == (BADGES, False)


def test_a_query_is_numbered_among_the_searches_of_the_plan():
    blob = {"type": "azureBlob", "id": "b"}
    numbers = {"1": 1, "3": 2, "4": 3, "5": 4}
    # Without a plan, the order is that of the backend's numbers.
    for plan, expected in ((PLAN, numbers), ([], numbers), ([{"type": "rank", "id": 1}], numbers),
                           ([PLAN[0], blob, PLAN[1]], {"b": 1, "1": 2})):  # fmt: skip
        thoughts = read_thoughts({"thoughts": [{"title": "", "props": {"query_plan": plan}}]})
        assert Searches.of(replace(ANSWER, thoughts=thoughts)).numbers == expected
    for step, words in (({**blob, "query": "q"}, "azure blob"), (PLAN[0], "Query planning"),
                        ({**blob, "id": 1, "query": "q"}, "Query 1: q")):  # fmt: skip
        assert Searches({"1": 1}).words(step) == words
    beyond = [{"type": "searchIndex", "id": number} for number in range(MAX_ITEMS + 1)]
    thoughts = read_thoughts({"thoughts": [{"title": "", "props": {"query_plan": beyond}}]})
    assert len(Searches.of(Answer(thoughts=thoughts), shows_thoughts=True).linked) == MAX_ITEMS


def test_a_step_belongs_to_the_source_that_its_key_names():
    for name, step in [("a.pdf#page=2", INDEX), ("a.pdf", INDEX), ("b.pdf", None), ("", None), ("a", None)]:
        found = {"text": ["a.pdf#page=2: b"], "citation_activity_details": {name: INDEX}}
        assert [point.step for point in read_data_points({"data_points": found})] == [step], name


def test_a_malformed_map_is_harmless():
    for odd in (7, [], None, {"id": 1}, {"type": "web"}, {"id": [1], "type": "web"}, {"id": True, "type": "web"},
                {"id": 1, "type": {"a": 1}}, {"id": " ", "type": "web"}):  # fmt: skip
        for details in (odd, [odd], {"a.pdf": odd}):
            answer = found_by(details)
            assert answer.data_points == (DataPoint("a.pdf", "a.pdf", "b"),)
            assert "step-badge" not in listed(answer)


def test_a_step_has_short_known_values_and_is_kept_with_the_answer():
    answer = found_by({"a.pdf": {**INDEX, "id": "<b>", "query": "x" * 10_000, "more": {"deep": 1}, "source": ["s"]}})
    kept = {"id": "<b>", "number": 2, "type": "searchIndex", "query": "x" * 300}
    assert answer.data_points[0].step == kept
    assert judged(listed(answer)).faults == []
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer
    for foreign in ("web", [1], {"type": "web"}):
        value = {"data_points": [{"id": "a.pdf", "step": foreign}]}
        assert answer_from_json(value).data_points[0].step is None


def test_the_plan_is_grouped_by_iteration_with_the_results_of_each_step_below_it():
    html = thoughts_html(ANSWER, step="4")
    first, second = html.split("<h4>Iteration 2</h4>")
    assert "<h4>Iteration 1</h4>" in first
    heads = '<div class="thought-head"><bdi>(.*?)</bdi>'
    assert re.findall(heads, first) == ["Query planning", BADGES[0]]
    assert re.findall(heads, second) == ["Query planning", *BADGES[1:], "Reasoning", "Answer synthesis"]
    steps = re.findall('<li(?: data-active aria-current="true")?><div.*?(?=<li|</ol>)', html)
    assert [re.findall('data-point="(.)"', step) for step in steps] == [[], ["0"], [], ["1"], ["3"], ["2"], [], []]
    assert [number for number, step in enumerate(steps) if "data-active" in step] == [4]
    assert "0.13 s" in steps[1]
    assert html.count("eye exam coverage") == 2
    assert '<dt>query</dt><dd dir="auto">Contoso vision benefits</dd>' in steps[4]
    assert judged(html).faults == []
    html = planned([{**PLAN[1], "query": "q", "search_index_arguments": {"search": "q", "filter": "public"}}])
    assert "<h4>Query plan</h4>" in html
    assert '<dt>filter</dt><dd><code dir="auto">public</code>' in html
    assert "<dt>query</dt>" not in html


def test_results_are_shown_once_and_those_without_a_step_last():
    lost = [{"title": "Lost", "content": "x", "activity": odd} for odd in ({"id": 99}, {"id": {"a": 1}}, "Kayak", None)]
    odd = [{"id": {"a": [1]}, "type": 7, "query": [2]}, {"id": True}, "words", {"id": "\ud800", "type": "web"}]
    html = planned([*[PLAN[1]] * (MAX_ITEMS - 3), *odd, PLAN[-1], PLAN[4]],
                   [*lost, {"title": "Other", "activity": {"id": "\ud800"}}, RESULTS[0], RESULTS[2]])  # fmt: skip
    assert judged(html).faults == []
    assert html.count('<table class="results">') == 3
    assert "2 more are not shown." in html
    assert html.index("Searched the web") < html.index("Vision benefits") < html.index("Lost") < html.index("Kayak")
