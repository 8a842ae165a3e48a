"""`chat-ui evaluate --score`: the figures that ai-rag-chat-evaluator writes of the same results."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from chat_ui.evaluation.published import NoResultsError, citation_match, has_citation, rounded, summary_of
from tests.backends.stand_in import StandIn, lines
from tests.commands import run
from tests.evaluation.made import by_question, evaluating, numbered, question_set, saying


def summed(results: Iterable[object]) -> Any:
    return summary_of(lines(*results).splitlines(keepends=True))


def rated(*ratings: object, name: str = "gpt_groundedness") -> Any:
    return summed({"answer": "x", name: rating} for rating in ratings)[name]


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


def test_lengths_and_citations_are_found_anew_in_each_answer():
    results = [
        {"answer": "It pays [a.pdf].", "truth": "[a.pdf]", "answer_length": 3, "has_citation": False, "latency": 1.25},
        {"answer": "It pays.", "truth": "[a.pdf]", "latency": 0.5},
        {"answer": "", "truth": None, "latency": "2"},
        {"answer": None, "truth": "[a.pdf]", "latency": None},
    ]
    assert summed(results) == {
        "answer_length": {"mean": 8.0, "max": 16, "min": 0},
        "has_citation": {"total": 1, "rate": 0.33},
        "citation_match": {"total": 1, "rate": 0.5},
        "latency": {"mean": 1.25, "max": 2.0, "min": 0.5},
    }


def test_means_and_rates_are_rounded_as_numpy_rounds():
    def rate(cited: int, of: int) -> float:
        found = summed([{"answer": "[1]"}] * cited + [{"answer": "1"}] * (of - cited))["has_citation"]["rate"]
        assert isinstance(found, float)
        return found

    assert [rate(199, 200), rate(197, 200), rate(1, 200), rate(3, 200), rate(2, 3)] == [1.0, 0.98, 0.0, 0.02, 0.67]
    by_numpy = {1 / 40: 0.02, 3 / 40: 0.08, 7 / 40: 0.18, 9 / 40: 0.22, 13 / 40: 0.32, 925 / 1000: 0.92, 0.995: 1.0}
    assert {share: rounded(share) for share in by_numpy} == by_numpy


@pytest.mark.parametrize(("passed", "rate"), [(193, 0.96), (195, 0.97), (199, 0.99), (197, 0.98), (200, 1.0), (0, 0.0)])
def test_the_share_of_ratings_that_pass_is_rounded_as_python_rounds(passed: int, rate: float):
    found = rated(*[4] * passed, *[1] * (200 - passed))
    assert (found["pass_count"], found["pass_rate"]) == (passed, rate)


def test_a_rating_that_failed_is_not_in_the_mean_and_in_what_could_have_passed():
    assert rated(5, "4", 3, "Failed", None, "nan", [4], " 5 ") == {
        "pass_count": 3,
        "pass_rate": 0.38,
        "mean_rating": 4.25,
    }
    assert rated(3.9, 4.0, 4.1, name="mygroundedness") == {"pass_count": 2, "pass_rate": 0.67, "mean_rating": 4.0}


def test_ratings_of_a_few_results_are_shares_of_all_results():
    results: list[object] = [{"answer": "x", "gpt_relevance": 4}, {"answer": "x"}]
    assert summed(results)["gpt_relevance"] == {"pass_count": 1, "pass_rate": 0.5, "mean_rating": 4.0}


def test_ratings_of_which_each_failed_are_left_out():
    assert sorted(summed([{"answer": "x", "gpt_relevance": "Failed"}])) == ["answer_length", "has_citation"]


def test_an_amount_is_rounded_at_its_ends_as_well():
    results: list[object] = [{"answer": "x", "f1_score": 0.123}, {"answer": "x", "f1_score": 0.456}]
    assert summed(results)["f1_score"] == {"mean": 0.29, "max": 0.46, "min": 0.12}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"answer": "x"}\n\n{"answer"', "Line 3 is not JSON."),
        (b'{"answer": "x"}\n\xff\n', "Line 2 is not JSON."),
        (b"[" * 100_000, "Line 1 is not JSON."),
        (b'{"answer": "x"}\n[1]', "Line 2 is not a result: it has no answer."),
        (b'{"question": "x"}', "Line 1 is not a result: it has no answer."),
        (b"\n", "There is no result in it."),
        (b"", "There is no result in it."),
    ],
)
async def test_a_line_that_is_no_result_is_named(tmp_path: Path, data: bytes, words: str):
    with pytest.raises(NoResultsError) as raised:
        summary_of(data.splitlines(keepends=True))
    assert str(raised.value) == words
    (path := tmp_path / "results.jsonl").write_bytes(data)
    ran = await run("evaluate", "--score", str(path))
    assert (ran.status, ran.out, ran.err) == (2, "", f"{path}: {words}\n")


async def test_a_file_of_results_is_scored_with_its_mark_of_encoding_and_windows_line_ends(tmp_path: Path):
    (path := tmp_path / "results.jsonl").write_bytes(b'\xef\xbb\xbf{"answer": "a"}\r\n\r\n{"answer": "abc"}\r\n')
    ran = await run("evaluate", "--score", str(path), "--json")
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["answer_length"] == {"mean": 2.0, "max": 3, "min": 1}
    assert (await run("evaluate", "--score", str(tmp_path))).err == f"{tmp_path} cannot be read: Is a directory.\n"


async def test_results_of_a_run_are_scored_as_its_own_summary_has_it(tmp_path: Path):
    replies = {"Who pays 2?": saying("Nobody."), "Who pays 3?": saying("We [plan.pdf].")}
    path = question_set(tmp_path / "set.jsonl", *numbered(3, "We [plan.pdf]."))
    async with StandIn(by_question(replies)).running() as stand_in:
        await evaluating(stand_in.url, path, out := tmp_path / "out")
    ran = await run("evaluate", "--score", str(out / "results.jsonl"))
    scored = json.loads(ran.out)
    assert scored["citation_match"] == {"total": 1, "rate": 0.33}
    assert scored == json.loads((out / "summary.json").read_bytes())["published"]


@pytest.mark.parametrize("run_name", ["baseline", "baseline_4", "prompt_nomarkdownmention2"])
def test_the_figures_of_a_published_run_are_those_of_its_published_summary(run_name: str):
    """Lengths, times and ratings of each answer are as published; the answers stand for those of the same length."""
    published = json.loads((Path(__file__).parent / "published_runs.json").read_text())[run_name]
    columns = published["columns"]
    names, rows = list(columns), list(zip(*columns.values(), strict=True))
    assert len(rows) == 200
    results = [dict(zip(names, row, strict=True)) for row in rows]
    for result in results:
        cites = result.get("has_citation", result.get("has_bracket"))
        result["answer"] = ("[Plan.pdf#page=4]" if cites else "").ljust(result["answer_length"], ".")
        result["truth"] = "The plan. [Plan-3.pdf]"
    found = summed(results)
    assert {name: found[name] for name in published["summary"]} == published["summary"]


@pytest.mark.parametrize(
    "others",
    [
        ["--fail-if", "failed>0"],
        ["--html", "x.html"],
        ["--out", "x"],
        ["--times", "2"],
        ["--limit", "1"],
        ["a.example"],
    ],
)
async def test_a_score_takes_no_option_that_it_would_pass_over(tmp_path: Path, others: list[str]):
    (path := tmp_path / "results.jsonl").write_bytes(b'{"answer": "a"}\n')
    ran = await run("evaluate", *others, "--score", str(path))
    words = "--score asks nothing and compares nothing: it takes no other option.\n"
    assert (ran.status, ran.out, ran.err) == (2, "", words)
