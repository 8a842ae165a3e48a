"""The measures of ai-rag-chat-evaluator, and how it rounds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chat_ui.evaluation.results import citation_match, has_citation
from chat_ui.evaluation.summary import Summary
from tests.backends.stand_in import StandIn
from tests.evaluation.made import by_question, evaluating, numbered, question_set, saying


@pytest.mark.parametrize(
    ("answer", "is_cited"),
    [
        ("It pays [a.pdf].", True),
        ("It pays [1].", True),
        ("It pays [so they say].", True),
        ("It pays [over\ntwo lines].", True),
        ("It pays [].", False),
        ("It pays [a.pdf", False),
        ("It pays a.pdf].", False),
        ("", False),
    ],
)
def test_an_answer_has_a_citation_where_anything_stands_between_brackets(answer: str, *, is_cited: bool):
    assert has_citation(answer) is is_cited


@pytest.mark.parametrize(
    ("answer", "truth", "matches"),
    [
        ("We [a.pdf].", "They [a.pdf].", True),
        ("We [a.pdf][b.pdf].", "They [b.pdf].", True),
        ("We [b.pdf].", "They [a.pdf] [b.pdf].", False),
        ("We [A.pdf].", "They [a.pdf].", False),
        ("We [a.txt].", "They [a.pdf].", True),
        ("We [a.pdf#page=1].", "They [a.pdf].", False),
        ("We [a.pdf].", "They [a.pdf#page=1].", False),
        ("We [a.pdf#page=1].", "They [a.pdf#page=1].", True),
        ("We [a.pdf#page=2].", "They [a.pdf#page=1].", False),
        ("We.", "They [1].", True),
        ("We.", "They.", True),
        ("", "They [a.md].", True),
        ("", "They [a.html].", False),
    ],
)
def test_an_answer_matches_where_it_names_each_file_that_the_truth_names(answer: str, truth: str, *, matches: bool):
    assert citation_match(answer, truth) is matches


def test_means_and_rates_are_rounded_as_numpy_rounds():
    by_numpy = {(1, 40): 0.02, (3, 40): 0.08, (7, 40): 0.18, (9, 40): 0.22, (13, 40): 0.32, (925, 1000): 0.92}
    by_numpy |= {(199, 200): 1.0, (197, 200): 0.98, (1, 200): 0.0, (3, 200): 0.02, (2, 3): 0.67}
    for (true, of), rate in by_numpy.items():
        published = Summary.of(({"has_citation": number < true} for number in range(of)), 1).as_json()["published"]
        assert published == {"has_citation": {"total": true, "rate": rate}}


async def test_the_summary_of_a_run_has_them_as_the_tool_has_them(tmp_path: Path):
    replies = {"Who pays 2?": saying("Nobody."), "Who pays 3?": saying("We [plan.pdf].")}
    path = question_set(tmp_path / "set.jsonl", *numbered(3, "We [plan.pdf]."))
    async with StandIn(by_question(replies)).running() as stand_in:
        await evaluating(stand_in.url, path, out := tmp_path / "out")
    assert json.loads((out / "summary.json").read_bytes())["published"] == {
        "answer_length": {"mean": 28.0, "max": 63, "min": 7},
        "has_citation": {"total": 2, "rate": 0.67},
        "citation_match": {"total": 1, "rate": 0.33},
    }
