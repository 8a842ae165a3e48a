"""Measures of an answer, and their summaries."""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from chat_ui.features.evaluation import run_tables
from chat_ui.features.evaluation.results import Measures, citation_match, has_citation, measure
from chat_ui.features.evaluation.summary import MEASURES, Summary
from chat_ui.protocol.answers.answer import Answer, DataPoint, Timing
from chat_ui.protocol.events import AnswerWarning, ErrorInfo
from tests.features.evaluation.made import PAGES, by_question, numbered, saying, trial

PASSAGE = "The company pays ten euros a day for the bus to the harbour."


def points(*names: str, text: str = PASSAGE) -> tuple[DataPoint, ...]:
    return tuple(DataPoint(name, name, text) for name in names)


def measured(text: str, truth: str = "", *names: str, **answer: Any) -> Measures:
    return measure(Answer(text, data_points=points(*names or PAGES), **answer), truth)


def test_citations_of_an_answer_and_a_truth_are_compared_page_by_page():
    cases = [
        ("We [plan.pdf#page=1].", "They [plan.pdf#page=1].", 1.0, 1.0),
        ("We [plan.pdf#page=1].", "They [plan.pdf#page=2].", 0.0, 0.0),
        ("We [plan.pdf#page=1].", "They [plan.pdf#page=1] [rules.pdf#page=1].", 0.5, 1.0),
        ("We [plan.pdf#page=1] [plan.pdf#page=2].", "They [plan.pdf#page=1].", 1.0, 0.5),
        ("We [plan.pdf#page=1] [plan.pdf#page=1].", "They [plan.pdf#page=1], [plan.pdf#page=1].", 1.0, 1.0),
        ("We [Plan.PDF#page=1].", "They [plan.pdf, page 1].", 1.0, 1.0),
        ("We [plan.pdf#page=2].", "They [plan.pdf].", 1.0, 1.0),
        ("We [plan.pdf#page=1] [plan.pdf#page=2].", "They [plan.pdf].", 1.0, 1.0),
        ("We [plan.pdf#page=2] [rules.pdf#page=1].", "They [plan.pdf].", 1.0, 0.5),
        ("We [gone.pdf#page=4].", "They [gone.pdf#page=4].", 1.0, 1.0),
        ("We [gone.pdf#page=4].", "They [gone.pdf#page=5].", 0.0, 0.0),
        ("We [gone.pdf#page=4].", "They [gone.pdf].", 1.0, 1.0),
        ("We [plan.pdf#page=1] [gone.pdf].", "They [plan.pdf#page=1].", 1.0, 0.5),
        ("We [lost.pdf].", "They [gone.pdf].", 0.0, 0.0), ("We.", "They [plan.pdf#page=1].", 0.0, None),
        ("We [plan.pdf#page=1].", "They.", None, None), ("We [plan.pdf#page=1].", "", None, None),
        ("We [1] and [2].", "They [plan.pdf#page=1].", 0.0, None),
    ]  # fmt: skip
    for text, truth, recall, precision in cases:
        found = measured(text, truth)
        assert (found.citation_recall, found.citation_precision) == (recall, precision), text
    wanted = {
        (("plan.pdf#page=1-2", "plan.pdf#page=9"), "We [plan.pdf#page=9].", "They [plan.pdf#page=1]."): 0.0,
        (("plan.pdf#page=1-2", "plan.pdf#page=9"), "We [plan.pdf#page=2].", "They [plan.pdf#page=1]."): 1.0,
        (("plan.pdf",), "We [plan.pdf].", "They [plan.pdf#page=7]."): 1.0,
        (("a/plan.pdf#page=1", "b/plan.pdf#page=1"), "We [b/plan.pdf#page=1].", "They [a/plan.pdf#page=1]."): 0.0,
        (("https://x.org/a#one", "https://x.org/a#two"), "We [https://x.org/a#two].", "They [https://x.org/a]."): 1.0,
        (("plan.pdf#page=1(f1.png)", "plan.pdf#page=1"), "We [plan.pdf#page=1].", "They [plan.pdf#page=1]."): 1.0,
    }
    assert {
        (names, text, truth): measured(text, truth, *names).citation_recall for names, text, truth in wanted
    } == wanted


def test_numbers_of_a_truth_are_not_compared():
    numbered = tuple(DataPoint(str(number), name, PASSAGE) for number, name in enumerate(PAGES, 1))
    found = measure(Answer("We [2].", data_points=numbered), "They [2].")
    assert (found.truth_citations, found.citation_recall, found.citation_precision) == ((), None, None)
    assert measure(Answer("We [2].", data_points=numbered), "They [plan.pdf#page=1].").citation_recall == 0.0
    assert measure(Answer("We [2].", data_points=numbered), "They [plan.pdf#page=2].").citation_recall == 1.0


def test_sources_citations_and_warnings_are_named_and_sentences_counted():
    found = measured("We [plan.pdf#page=2]. Or [gone.pdf]. Or [plan.pdf#page=2].", "They [plan.pdf] and [x.pdf].")
    assert (found.citations, found.citations_not_found) == (("plan.pdf#page=2", "gone.pdf"), ("gone.pdf",))
    assert (found.sources_retrieved, found.sources) == (3, PAGES)
    assert found.truth_citations is not None
    assert found.truth_citations[1] == "x.pdf"
    twice = measured("We.", "", "plan.pdf", "plan.pdf")
    assert (twice.sources_retrieved, twice.sources, twice.truth_citations) == (2, ("plan.pdf",), None)
    found = measured("We.", warnings=(AnswerWarning("not_json", "line 1"), AnswerWarning("not_json", "line 2")))
    assert found.warnings == ("not_json", "not_json")
    found = measured("# Who pays for the bus?\n\nThe company pays ten euros [plan.pdf#page=1]. That is all of it. Yes.")
    assert (found.sentences, found.sentences_cited) == (2, 1)


def test_a_citation_is_supported_where_a_passage_has_the_sentence():
    wanted = {
        "The company pays ten euros a day [plan.pdf#page=1].": 1.0,
        "Whales sing songs under water [plan.pdf#page=1].": 0.0,
        "The company pays ten euros a day [plan.pdf#page=1]. Whales sing songs under water [plan.pdf#page=1].": 0.5,
        "The company pays ten euros a day [gone.pdf].": None, "The company pays ten euros a day.": None,
    }  # fmt: skip
    assert {text: measured(text).support for text in wanted} == wanted
    both = (*points("plan.pdf"), *points("rules.pdf", text="Whales sing songs under water."))
    answer = Answer("The company pays ten euros a day [rules.pdf] [plan.pdf].", data_points=both)
    assert measure(answer, "").support == 1.0


def test_the_pace_uses_the_backends_token_count():
    cases = [
        ({"completion_tokens": 30}, 0.5, 2.0, 20.0),
        ({"output_tokens": 30, "total_tokens": 90}, 0.5, 2.0, 20.0),
        ({"prompt_tokens": 9, "completionTokens": 30.0}, 0.5, 2.0, 20.0),
        ({"eval_count": 30}, 2.0, 2.0, 15.0), ({"completion_tokens": 30}, None, 2.0, None),
        ({"completion_tokens": 30}, 0.5, None, None),
        ({"completion_tokens": None, "output_tokens": 30}, 0.5, 2.0, 20.0),
        ({"total_tokens": 90}, 0.5, 2.0, None), (None, 0.5, 2.0, None),
        *(({"completion_tokens": count}, 0.2, 1.2, None) for count in (10**400, -5, float("inf"), True, "12")),
        # Without a pause in the text, the whole time counts.
        ({"output_tokens": 300}, 2.0, 2.001, pytest.approx(150, rel=0.01)),
    ]  # fmt: skip
    for usage, first, total, pace in cases:
        found = measured("We.", usage=usage, timing=Timing(0.1, first, total))
        assert (found.first_text_s, found.total_s, found.tokens_per_s) == (first, total, pace), usage


def test_a_failed_answer_has_no_citation_and_matches_no_truth():
    lost = measured("", "They.", error=ErrorInfo("out of order"))
    assert (lost.answer_length, lost.has_citation, lost.citation_match, lost.support) == (0, False, False, None)
    assert measured("", "They [a.pdf].", error=ErrorInfo("out of order")).citation_recall == 0.0
    broken = measured("We [a.pdf]", "They [a.pdf].", error=ErrorInfo("out of order"))
    assert (broken.has_citation, broken.citation_match) == (True, True)
    assert (measured("We.").citation_match, measured("We.", "They.").citation_match) == (None, True)


def test_each_measure_of_an_answer_is_in_the_summary_under_its_name():
    assert set(measured("We.").as_json()) - {"sources"} == set(MEASURES) - {"failed", "denied"}


def measures_of(values: Iterable[Mapping[str, Any]], times: int = 1) -> Any:
    return Summary.of(values, times).as_json()["measures"]


def percentile(numbers: Sequence[float], percent: int) -> float:
    """A percentile by linear interpolation, numpy's default."""
    ordered = sorted(numbers)
    below, rest = divmod((len(ordered) - 1) * percent, 100)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * rest / 100


@given(st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=60))
@settings(deadline=None)
def test_percentiles_are_interpolated_linearly(numbers: list[float]):
    assert measures_of(({"total_s": number} for number in numbers), 1)["total_s"] == {
        "count": len(numbers),
        "mean": pytest.approx(fmean(numbers), rel=1e-12),
        "min": min(numbers),
        "max": max(numbers),
        "p50": pytest.approx(percentile(numbers, 50), rel=1e-12),
        "p95": pytest.approx(percentile(numbers, 95), rel=1e-12),
    }


def test_a_measure_is_summarised_by_share_length_or_finite_figures():
    values = [
        {"failed": False, "has_citation": True, "citation_match": None, "citations": ["a", "b"], "warnings": []},
        {"failed": True, "has_citation": False, "citation_match": None, "citations": [], "warnings": ["x"]},
    ]
    told: Any = Summary.of(values, 1).as_json()
    assert (told["results"], told["failed"]) == (2, {"count": 2, "total": 1, "rate": 0.5})
    measures = told["measures"]
    assert sorted(measures) == ["citations", "has_citation", "warnings"]
    assert measures["has_citation"] == {"count": 2, "total": 1, "rate": 0.5}
    assert measures["citations"] == {"count": 2, "mean": 1.0, "min": 0.0, "max": 2.0, "p50": 1.0, "p95": 1.9}
    assert told["published"] == {"has_citation": {"total": 1, "rate": 0.5}}
    assert measures_of([{"answer_length": size} for size in (1e308, 1e308, 3)])["answer_length"]["mean"] == 3


def asked_twice() -> Summary:
    """Three questions asked twice: equal answers, different answers, and one error.

    The spread covers the questions with two figures.
    """
    found = [(1, 10), (2, 10), (3, None), (1, 10), (2, 16), (3, 12)]
    values = [{"number": number, "failed": size is None, "answer_length": size} for number, size in found]
    return Summary.of(values, 2)


def test_the_spread_of_repeated_answers_is_reported():
    told: Any = asked_twice().as_json()
    assert told["measures"]["answer_length"]["spread"] == 3.0
    assert told["failed"] == {"count": 6, "total": 1, "rate": pytest.approx(1 / 6), "spread": pytest.approx(1 / 3)}
    assert Summary.of([{"number": 1, "answer_length": 3}], 1).spread("answer_length") is None


def test_measures_are_a_table_on_a_terminal_and_lines_elsewhere():
    console = Console(file=(out := io.StringIO()), width=120)
    run_tables._show_tables(asked_twice(), {}, console)
    head, row = (line for line in out.getvalue().splitlines() if "spread" in line or "answer_length" in line)
    assert [cell.strip() for cell in head.strip("┃").split("┃")] == [
        "Measure", "mean", "min", "p50", "p95", "max", "total", "rate", "spread",
    ]  # fmt: skip
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "answer_length", "11.6", "10", "10", "15.2", "16", "", "", "3",
    ]  # fmt: skip
    assert "Changes" not in out.getvalue()
    assert list(run_tables._plain_lines(asked_twice(), {})) == [
        "failed               | total 1, rate 0.167, spread 0.333",
        "answer_length        | mean 11.6, min 10, p50 10, p95 15.2, max 16, spread 3",
    ]


def test_a_cited_truth_counts_as_missed_if_it_was_not_retrieved():
    for name in ("HR-12", "Employee handbook", "doc-17", "plan.pdf"):
        truth = f"It is so [{name}]."
        retrieved, elsewhere = (
            measure(Answer(f"So it is [{name}].", data_points=points(*names)), truth) for names in ([name], PAGES[2:])
        )
        assert (retrieved.truth_citations, retrieved.citation_recall) == ((name,), 1.0)
        assert (elsewhere.truth_citations, measured("We.", truth, *PAGES[2:]).citation_recall) == ((name,), 0.0)


def test_an_answer_has_a_citation_if_brackets_have_content():
    wanted = {
        "It pays [a.pdf].": True, "It pays [1].": True, "It pays [so they say].": True,
        "It pays [over\ntwo lines].": True, "It pays [].": False, "It pays [a.pdf": False, "It pays a.pdf].": False,
        "": False,
    }  # fmt: skip
    assert {answer: has_citation(answer) for answer in wanted} == wanted


def test_an_answer_matches_if_it_names_each_file_of_the_truth():
    wanted = {
        ("We [a.pdf].", "They [a.pdf]."): True, ("We [a.pdf][b.pdf].", "They [b.pdf]."): True,
        ("We [b.pdf].", "They [a.pdf] [b.pdf]."): False, ("We [A.pdf].", "They [a.pdf]."): False,
        ("We [a.txt].", "They [a.pdf]."): True, ("We [a.pdf#page=1].", "They [a.pdf]."): False,
        ("We [a.pdf].", "They [a.pdf#page=1]."): False, ("We [a.pdf#page=1].", "They [a.pdf#page=1]."): True,
        ("We [a.pdf#page=2].", "They [a.pdf#page=1]."): False, ("We.", "They [1]."): True, ("We.", "They."): True,
        ("", "They [a.md]."): True, ("", "They [a.html]."): False,
    }  # fmt: skip
    assert {(answer, truth): citation_match(answer, truth) for answer, truth in wanted} == wanted


def test_means_and_rates_are_rounded_like_numpys():
    by_numpy = {(1, 40): 0.02, (3, 40): 0.08, (7, 40): 0.18, (9, 40): 0.22, (13, 40): 0.32, (925, 1000): 0.92}
    by_numpy |= {(199, 200): 1.0, (197, 200): 0.98, (1, 200): 0.0, (3, 200): 0.02, (2, 3): 0.67}
    for (true, of), rate in by_numpy.items():
        published = Summary.of(({"has_citation": number < true} for number in range(of)), 1).as_json()["published"]
        assert published == {"has_citation": {"total": true, "rate": rate}}


async def test_the_summary_of_a_run_equals_the_tools(tmp_path: Path):
    replies = {"Who pays 2?": saying("Nobody."), "Who pays 3?": saying("We [plan.pdf].")}
    async with trial(tmp_path, by_question(replies), numbered(3, "We [plan.pdf].")) as one:
        await one.run()
    assert json.loads((one.out / "summary.json").read_bytes())["published"] == {
        "answer_length": {"mean": 28.0, "max": 63, "min": 7},
        "has_citation": {"total": 2, "rate": 0.67},
        "citation_match": {"total": 1, "rate": 0.33},
    }
