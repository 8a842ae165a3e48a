import re
from collections.abc import Iterator
from html import unescape

import pytest

from chat_ui.features.claims.answers import cited_sentences
from chat_ui.features.claims.answers.checking import checked
from chat_ui.features.claims.answers.cited_sentences import Passages, claims_of
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.rendering.answer import RenderedAnswer, render_answer
from chat_ui.rendering.claim_check import checked as checked_in_process
from chat_ui.rendering.claim_check import use
from chat_ui.rendering.comparison import comparison_html, facts
from chat_ui.rendering.copies import copy_html
from chat_ui.rendering.exported_page.page_document import ExportedTurn, exported_page
from chat_ui.rendering.grounding import grounds
from chat_ui.rendering.panels.sources import sources_html
from chat_ui.rendering.resources import cards

LEAVE = DataPoint("a.pdf", "a.pdf", text="Parents get 12 weeks of paid leave.\nThey may tell the office by mail.")
TABLE = DataPoint(
    "b.pdf", "b.pdf",
    text="<table><tr><th>Role</th><th>Days</th></tr><tr><td>Cook</td><td>25</td></tr>"
    "<tr><td>Maid</td><td>27</td></tr></table>",
)  # fmt: skip
FEES = DataPoint("c.pdf", "c.pdf", text="The fee for members is $40 a month.")
WRONG = "Parents get 20 weeks of paid leave [a.pdf]."
MARKED = re.compile(r'<span class="claim-differs" role="mark" data-said="differs from the passage">(.*?)</span>')


def answered(text: str, *points: DataPoint) -> Answer:
    return Answer(text=text, data_points=points or (LEAVE, TABLE, FEES))


def check(text: str, *points: DataPoint) -> RenderedAnswer:
    answer = answered(text, *points)
    return checked(answer, render_answer(answer.text, answer.data_points))


def verdicts(text: str, *points: DataPoint) -> dict[str, str]:
    return {part.text: part.verdict for claim in check(text, *points).checks.claims for part in claim.parts}


def sentences(text: str, *points: DataPoint) -> list[tuple[str, tuple[int, ...]]]:
    return [(claim.sentence, claim.citations) for claim in check(text, *points).checks.claims]


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


@pytest.fixture
def in_use() -> Iterator[None]:
    use(checked)
    yield
    use(None)


def test_a_sentence_is_compared_with_the_passages_of_its_citations():
    assert verdicts("Parents get 12 weeks of paid leave [a.pdf].") == {"12 weeks": "found"}
    assert verdicts(WRONG) == {"20 weeks": "differs"}
    assert verdicts("The fee for members is $40 [a.pdf].") == {"$40": "elsewhere"}
    assert sentences("The office is nice [a.pdf].") == []


def test_citations_of_one_sentence_are_compared_together():
    both = "Parents get 12 weeks of leave [a.pdf], and members pay $40 [c.pdf]."
    assert sentences(both) == [("Parents get 12 weeks of leave, and members pay $40", (1, 2))]
    assert set(verdicts(both).values()) == {"found"}
    assert set(verdicts("Parents get 12 weeks of leave for $40 [a.pdf][c.pdf].").values()) == {"found"}


def test_a_row_of_a_table_is_compared_with_rows():
    table = "| Role | Days |\n|---|---|\n| Cook | {} [b.pdf] |\n"
    assert verdicts(table.format(25))["25"] == "found"
    assert verdicts(table.format(28))["28"] == "differs"
    assert MARKED.findall(check(table.format(28)).html[0]) == ["28"]


@pytest.mark.parametrize(
    "text",
    [
        "Rules [a.pdf]:\n\n- 20 weeks of paid leave\n- 30 weeks of paid leave",
        "```\nParents get 20 weeks of paid leave [a.pdf]\n```",
        "Parents get 20 weeks of paid leave [missing.pdf].",
        "Parents get 20 weeks of paid leave.",
    ],
)
def test_lists_after_a_lead_in_code_and_missing_sources_have_no_verdict(text: str):
    rendered = check(text)
    assert rendered.checks.claims == ()
    assert MARKED.search("".join(rendered.html)) is None


def test_the_differing_words_are_marked_through_formatting_before_their_citation():
    text = f"20 weeks are long. Parents get **20** *weeks* of `paid` leave [a.pdf]. {WRONG.replace('20', '30')}"
    assert MARKED.findall("".join(check(text).html)) == ["20", "weeks", "30 weeks"]
    assert MARKED.findall("".join(check("Parents &amp; co get 20 weeks of paid &lt;leave [a.pdf].").html)) == [
        "20 weeks"
    ]
    for text in (WRONG, "They must tell the office [a.pdf]."):
        plain = render_answer(text, (LEAVE, TABLE, FEES)).html
        assert tuple(MARKED.sub(r"\1", html) for html in check(text).html) == plain


def test_the_line_counts_and_leads_to_the_first_difference():
    line = check(f"The fee is $40 [c.pdf]. {WRONG} Members pay $55 in Rome [c.pdf].").checks.line
    counts = "1 figure or name agrees with the cited passages, 1 is not in the cited passages, "
    assert words(line) == f"{counts}1 differs: “20 weeks”"
    assert 'data-first-use="1"' in line
    assert words(check("The fee is $40 [c.pdf].").checks.line) == "1 figure or name agrees with the cited passages"
    assert words(check("The fee is $40 [a.pdf].").checks.line) == "1 is not in the cited passages"
    assert "true" not in words(line)


def test_too_many_claims_or_passages_have_no_verdict_and_the_line_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cited_sentences, "MOST_CLAIMS", 1)
    assert words(check(f"{WRONG} The fee is $40 [c.pdf].").checks.line).startswith("1 of 2 cited sentences compared, ")
    monkeypatch.undo()
    monkeypatch.setattr(cited_sentences, "MOST_COMPARED", 50)
    assert words(check(f"{WRONG} The fee is $40 [c.pdf].").checks.line).startswith("1 of 2 cited sentences compared, ")
    monkeypatch.setattr(cited_sentences, "MOST_CHARACTERS", 50)
    assert words(check(WRONG).checks.line) == "0 of 1 cited sentences compared"


def test_cards_and_sources_have_both_texts_and_mark_the_part_of_the_passage():
    answer, rendered = answered(WRONG), check(WRONG)
    (card,) = cards(answer, rendered, None)["cards"]
    note = "The answer says 20 weeks. The passage says 12 weeks."
    assert note in words(str(card))
    listed = sources_html(answer, rendered, 0)
    assert note in words(listed)
    for html in (str(card), listed):
        assert '<mark>Parents get </mark><mark class="claim-part">12 weeks</mark><mark> of paid leave.</mark>' in html
    assert note not in words(sources_html(answer, rendered))


def test_a_part_of_another_passage_leads_there():
    html = check("The fee for members is $40 [a.pdf]. Rome is nice [c.pdf].").checks.note(0)
    assert words(html) == "$40 is in 2 · C."
    assert 'data-point="2"' in html


def test_words_that_change_a_sentence_are_shown_with_their_neighbours():
    assert words(check("They must tell the office [a.pdf].").checks.note(0)) == (
        "The answer says They must tell the office. The passage says They may tell the office by…."
    )


def test_a_page_gets_the_marked_blocks_after_its_text():
    answer, rendered = answered(f"Hello.\n\n{WRONG}\n\nBye."), check(f"Hello.\n\n{WRONG}\n\nBye.")
    html = grounds(answer, rendered, with_marked_blocks=True)
    assert f'<template data-block="-2">{rendered.html[1]}</template>' in html
    assert "<template" not in grounds(answer, rendered)


@pytest.mark.usefixtures("in_use")
def test_exported_pages_have_marks_and_notes_and_copies_do_not():
    answer = answered(WRONG)
    page = exported_page("Leave", [ExportedTurn("How long?", answer)])
    assert MARKED.findall(page) == ["20 weeks"]
    assert "The passage says 12 weeks." in words(page)
    rendered = checked_in_process(answer, render_answer(answer.text, answer.data_points))
    assert "claim-differs" not in copy_html(rendered, answer.data_points)


def test_a_comparison_counts_the_differing_parts():
    from chat_ui.rendering.comparison import Column

    columns = [Column(facts(answered(text), check(text)), None, None) for text in (WRONG, "The fee is $40 [c.pdf].")]
    html = comparison_html(*columns)
    assert "Different from the cited passages</th><td>1: “<bdi>20 weeks</bdi>”</td><td>0</td>" in html


def test_the_language_of_the_passages_is_the_answers():
    text = "Eltern bekommen 1.000,50 € im Jahr von der Firma, und zwar immer im Januar [a.pdf]."
    point = DataPoint("a.pdf", "a.pdf", text="Eltern bekommen 1000,50 Euro im Jahr von der Firma.")
    assert verdicts(text, point)["1.000,50 €"] == "found"
    assert Passages(answered(text)).language == "de"
    assert claims_of(render_answer("", ()), Passages(answered(""))) == ((), 0)
