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
from chat_ui.rendering.panels.steps import Searches, results_by_step
from chat_ui.rendering.panels.thoughts import thoughts_html
from chat_ui.rendering.resources import cards_json
from tests.rendering.harmless import judged
from tests.stand_ins.agentic import CONTEXT, DOCUMENT, INDEX, PLAN, POINTS, RESULTS, SITE, TEXT, WEB


def answer_of(text=TEXT, **context) -> Answer:
    return Answer(text=text, data_points=read_data_points(context), thoughts=read_thoughts(context))


ANSWER = answer_of(**CONTEXT)
BADGES = ["Query 1: whistleblower query", "Searched the web", "Searched SharePoint"]


def planned(plan, results=()) -> str:
    return thoughts_html(
        answer_of(thoughts=[{"title": "Plan", "description": [*results], "props": {"query_plan": plan}}])
    )


def words_of(html: str) -> list[str]:
    return re.findall(r'class="step-badge"[^>]*><bdi[^>]*>(.*?)</bdi>', html)


def listed(answer: Answer, **options) -> str:
    return sources_html(answer, render_answer(answer.text, answer.data_points), **options)


def test_a_badge_names_the_step_of_a_source_and_leads_to_it_in_thoughts():
    searches = Searches.of(ANSWER, shows_thoughts=True)
    html = listed(ANSWER, searches=searches)
    assert words_of(html) == BADGES
    assert re.findall('<button type="button" class="step-badge" data-step="(.)" aria-label="(.*?)">', html) == [
        (str(number), f"Show in Thoughts: {words}") for number, words in enumerate(BADGES, 1)
    ]
    cards = json.loads(cards_json(ANSWER, render_answer(TEXT, ANSWER.data_points), searches))["cards"]
    assert [words_of(card) for card in cards] == [[words] for words in BADGES]
    assert judged(html + cards[0]).faults == []
    for address in (SITE, DOCUMENT):
        assert f'<a class="source-link" href="{address}' in html


def test_a_badge_is_text_where_thoughts_are_not_shown():
    without_plan = replace(ANSWER, thoughts=())
    for html in (listed(ANSWER), listed(without_plan, searches=Searches.of(without_plan, shows_thoughts=True))):
        assert (words_of(html), "data-step" in html) == (BADGES, False)
    file = exported_page("Chat", [ExportedTurn("Policy?", ANSWER)])
    assert (words_of(file), "data-step" in file) == (BADGES, False)


def test_a_query_is_numbered_among_the_searches_of_the_plan():
    cases = [
        (PLAN, {"1": 1, "2": 2, "3": 3, "5": 4}),
        # Without a plan, by the backend's numbers.
        ([], {"1": 1, "2": 2, "3": 3}),
        ([{"type": "rank", "id": 1}], {"1": 1, "2": 2, "3": 3}),
        ([*PLAN[:1], {"type": "azureBlob", "id": "b"}, *PLAN[1:2]], {"b": 1, "1": 2}),
    ]
    for plan, numbers in cases:
        answer = answer_of(data_points=POINTS, thoughts=[{"title": "", "props": {"query_plan": plan}}])
        assert Searches.of(answer).numbers == numbers
    late = answer_of(
        data_points={**POINTS, "citation_activity_details": {"Benefit_Options-2.pdf": {**INDEX, "number": 9}}}
    )
    assert words_of(listed(late)) == ["Query 3: whistleblower query", "Searched the web", "Searched SharePoint"]
    words = [({"type": "azureBlob", "query": "q"}, "azure blob"), ({"type": "modelQueryPlanning"}, "Query planning"),
             ({"type": "azureBlob", "id": 1, "query": "q"}, "Query 1: q")]  # fmt: skip
    assert [(step, Searches({"1": 1}).words(step)) for step, _ in words] == words


def test_a_step_belongs_to_the_source_that_its_key_names():
    for name, step in [("a.pdf#page=2", INDEX), ("a.pdf", INDEX), ("b.pdf", None), ("", None), ("a", None)]:
        found = {"text": ["a.pdf#page=2: b"], "citation_activity_details": {name: INDEX}}
        assert [point.step for point in read_data_points({"data_points": found})] == [step], name
    [page] = read_data_points({"data_points": {"citations": [SITE], "citation_activity_details": {SITE: WEB},
                                               "external_results_metadata": [{"id": 1, "url": SITE}]}})  # fmt: skip
    assert page.step == WEB


MALFORMED = [
    7, [], None, {"id": 1}, {"type": "web"}, {"id": [1], "type": "web"}, {"id": True, "type": "web"},
    {"id": 1, "type": {"a": 1}}, {"id": " ", "type": "web"},
]  # fmt: skip


def test_a_malformed_map_is_harmless():
    many = {str(number): INDEX for number in range(10_000)}
    for details in (7, "web", [INDEX], many, *({"a.pdf": one} for one in MALFORMED)):
        answer = answer_of("So [a.pdf].", data_points={"text": ["a.pdf: b"], "citation_activity_details": details})
        assert answer.data_points == (DataPoint("a.pdf", "a.pdf", "b"),)
        assert "step-badge" not in listed(answer)


def test_a_step_has_short_known_values_and_is_kept_with_the_answer():
    odd = {**INDEX, "id": "<b>", "query": "x" * 10_000, "more": {"deep": 1}, "source": ["s"]}
    answer = answer_of("So [a.pdf].", data_points={"text": ["a.pdf: b"], "citation_activity_details": {"a.pdf": odd}})
    kept = {"id": "<b>", "number": 2, "type": "searchIndex", "query": "x" * 300}
    assert answer.data_points[0].step == kept
    assert judged(listed(answer)).faults == []
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer
    for foreign in ("web", [1], {"type": "web"}):
        value = {"data_points": [{"id": "a.pdf", "step": foreign}]}
        assert answer_from_json(value).data_points[0].step is None


def test_the_plan_is_grouped_by_iteration_with_the_results_of_each_step_below_it():
    html = thoughts_html(ANSWER, step="3")
    first, second = html.split("<h4>Iteration 2</h4>")
    assert "<h4>Iteration 1</h4>" in first
    heads = '<div class="thought-head"><bdi>(.*?)</bdi>'
    assert re.findall(heads, first) == ["Query planning", *BADGES[:2]]
    assert re.findall(heads, second) == ["Query planning", BADGES[2], "Query 4: policy hotline", "Answer synthesis"]
    steps = re.findall('<li(?: data-active aria-current="true")?><div.*?(?=<li|</ol>)', html)
    assert [re.findall('data-point="(.)"', step) for step in steps] == [[], ["0"], ["2"], [], ["1"], [], []]
    assert ["data-active" in step for step in steps] == [False, False, False, False, True, False, False]
    assert '<dt>filter</dt><dd><code dir="auto">public</code>' in steps[1]
    assert "50 ms" in steps[1]
    assert html.count("whistleblower query") == 2
    assert '<dt>query</dt><dd dir="auto">contoso policy</dd>' in steps[2]
    assert judged(html).faults == []
    assert "<h4>Query plan</h4>" in planned(PLAN[:3])
    assert "1 more is not shown." in planned([PLAN[1]] * (MAX_ITEMS + 1))


def test_results_are_matched_by_id_or_by_type_and_query_and_others_come_last():
    by_query = {"type": "web", "query": "contoso policy"}
    lost = [{"title": "Lost", "content": "x", "activity": odd} for odd in ({"id": 99}, {"id": {"a": 1}}, 7, None)]
    [thought] = answer_of(
        thoughts=[
            {
                "title": "",
                "props": {"query_plan": PLAN},
                "description": [{**RESULTS[1], "activity": by_query}, *lost, "words"],
            }
        ]
    ).thoughts
    found = results_by_step(thought)
    assert {name: len(results) for name, results in found.items()} == {"2": 1, "": 5}
    html = planned([*PLAN, {"id": {"a": [1]}, "type": 7, "query": [2]}, {"id": True}, "words"], lost)
    assert judged(html).faults == []
    assert html.index("Answer synthesis") < html.index("Lost")
    assert results_by_step(replace(thought, description="words")) == {"": "words"}
