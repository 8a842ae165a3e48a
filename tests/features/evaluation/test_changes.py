"""Gains and losses between two runs, and the bounds of a run."""

import io
import json
from collections.abc import Sequence
from itertools import product
from operator import mul
from pathlib import Path
from statistics import fmean
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from chat_ui.features.evaluation import run_tables
from chat_ui.features.evaluation.bounds import parse_bound
from chat_ui.features.evaluation.changes import Changes, chance, interval
from chat_ui.features.evaluation.summary import Summary
from tests.commands import Ran
from tests.features.evaluation.made import CUT, REFUSED, SOUND, by_question, files, numbered, saying, trial
from tests.stand_ins.stand_in import Reply, lines

LOST = saying("The company pays ten euros a day for the bus.")
OTHER = saying("A taxi is paid at night [plan.pdf#page=2].")


def worse_for(count: int, reply: Reply = LOST) -> dict[str, Reply]:
    return {f"Who pays {number}?": reply for number in range(1, count + 1)}


async def compared(
    tmp_path: Path,
    before: dict[str, Reply],
    now: dict[str, Reply],
    *options: str,
    questions: Sequence[object] = (),
    again: Sequence[object] = (),
) -> Ran:
    """A run over 30 questions, and another compared with it, in the folders `before` and `now`."""
    async with trial(tmp_path, by_question(before), questions or 30) as one:
        assert (await one.run("--concurrency", "16", out=tmp_path / "before")).status == 0
    async with trial(tmp_path, by_question(now), again or questions or 30) as one:
        against = "--against", str(tmp_path / "before"), "--concurrency", "16"
        return await one.run(*against, *options, out=tmp_path / "now")


def changes(tmp_path: Path) -> list[Any]:
    return [json.loads(line) for line in (tmp_path / "now" / "changes.jsonl").read_bytes().splitlines()]


def verdicts(told: Any) -> dict[str, str]:
    return {change["measure"]: change["verdict"] for change in told["changes"]}


async def test_a_regression_fails_the_run(tmp_path: Path):
    ran = await compared(tmp_path, {}, worse_for(10), "--fail-if-worse", "citation_recall", "--json")
    told = json.loads(ran.out)
    assert ran.status == 1
    assert told["questions"] == {"compared": 30, "better": [], "worse": list(range(1, 11))}
    assert verdicts(told)["citation_recall"] == "worse"
    (change,) = (one for one in told["changes"] if one["measure"] == "citation_recall")
    low, high = change["interval"]
    assert -1 < low < change["difference"] < high < 0
    assert (change["before"], change["questions"], change["differing"]) == (1.0, 30, 10)
    assert change["now"] == pytest.approx(20 / 30)
    (check,) = told["checks"]
    assert (check["bound"], check["failed"]) == ("citation_recall is not worse", True)
    assert json.loads((tmp_path / "now" / "summary.json").read_bytes())["checks"] == [check]


async def test_an_improvement_does_not_fail_the_run(tmp_path: Path):
    bound = "--fail-if-worse", "citation_recall"
    ran = await compared(tmp_path, worse_for(8), {}, *bound, "--json", questions=numbered(8))
    told = json.loads(ran.out)
    assert ran.status == 0
    assert (told["questions"]["better"], told["questions"]["worse"]) == (list(range(1, 9)), [])
    assert verdicts(told)["citation_recall"] == "better"


async def test_a_change_in_few_questions_is_unclear(tmp_path: Path):
    ran = await compared(tmp_path, {}, worse_for(2), "--fail-if-worse", "citation_recall")
    assert ran.status == 0
    assert "change | citation_recall | no clear change | 1 to 0.933 | " in ran.out
    assert "\n30 questions are in both runs.\n2 questions got worse:\n  1. Who pays 1?\n  2. Who pays 2?\n" in ran.out
    assert ran.out.splitlines()[-1] == "0 questions got better."


async def test_questions_are_matched_by_their_words_and_not_their_numbers(tmp_path: Path):
    more = [{"question": "New?"}, *reversed(numbered(8))]
    ran = await compared(tmp_path, {}, worse_for(1), "--json", questions=numbered(9), again=more)
    told = json.loads(ran.out)
    assert told["questions"] == {"compared": 8, "better": [], "worse": [9]}
    assert [(one["number"], one["question"]) for one in changes(tmp_path)] == [(9, "Who pays 1?")]


async def test_each_changed_question_is_listed_with_both_answers(tmp_path: Path):
    narrow = {"data_points": {"text": ["plan.pdf#page=2: A taxi is paid.", "new.pdf: New."]}}
    now = Reply([lines({"context": narrow}, {"delta": {"content": "A taxi is paid [plan.pdf#page=2]."}})])
    await compared(tmp_path, {}, {"Who pays 2?": now}, questions=numbered(3))
    (change,) = changes(tmp_path)
    assert (change["number"], change["question"]) == (2, "Who pays 2?")
    assert change["before"] == "The company pays ten euros a day for the bus [plan.pdf#page=1]."
    assert change["now"] == "A taxi is paid [plan.pdf#page=2]."
    assert (change["sources_gained"], change["sources_lost"]) == (["new.pdf"], ["plan.pdf#page=1", "rules.pdf#page=1"])
    assert (change["citations_gained"], change["citations_lost"]) == (["plan.pdf#page=2"], ["plan.pdf#page=1"])
    assert (change["better"], {*change["worse"]}) == ([], {"citation_recall", "citation_precision", "citation_match"})


def conversations(count: int) -> list[dict[str, Any]]:
    return [
        {"messages": [{"role": "user", "content": words} for words in (f"Who pays {number}?", f"And {number}?")]}
        for number in range(1, count + 1)
    ]


ON_THE_WAY: dict[str, dict[str, Reply]] = {
    "answers otherwise": worse_for(8, OTHER) | {f"And {number}?": REFUSED for number in range(1, 8)},
    "breaks": worse_for(7, REFUSED) | {"Who pays 7?": CUT},
}


@pytest.mark.parametrize("now", ON_THE_WAY.values(), ids=ON_THE_WAY.keys())
async def test_conversations_are_matched_regardless_of_the_backends_answers(tmp_path: Path, now: dict[str, Reply]):
    ran = await compared(tmp_path, {}, now, "--fail-if-worse", "failed", "--json", questions=conversations(8))
    told = json.loads(ran.out)
    assert (ran.status, told["questions"]["compared"], told["questions"]["worse"]) == (1, 8, [1, 2, 3, 4, 5, 6, 7])
    assert verdicts(told)["failed"] == "worse"


async def test_conversations_with_different_assistant_turns_are_two(tmp_path: Path):
    def following(said: str) -> dict[str, Any]:
        roles = ("user", "Who pays?"), ("assistant", said), ("user", "Why?")
        messages = [{"role": role, "content": content} for role, content in roles]
        return {"messages": messages, "truth": "[plan.pdf#page=1]"}

    questions = [following("We."), following("They.")]

    def reply(request: Any) -> Reply:
        return SOUND if request.json["messages"][1]["content"] == "We." else LOST

    async with trial(tmp_path, reply, questions) as one:
        await one.run(out=tmp_path / "before")
        ran = await one.run("--against", str(tmp_path / "before"), "--json", out=tmp_path / "now")
    assert json.loads(ran.out)["questions"] == {"compared": 2, "better": [], "worse": []}
    assert changes(tmp_path) == []


async def test_a_repeated_question_is_unchanged_in_an_equal_run(tmp_path: Path):
    given = iter([SOUND, LOST, SOUND, LOST])
    twice = [{"question": "Who pays?", "truth": "[plan.pdf#page=1]"}] * 2
    async with trial(tmp_path, lambda _: next(given), twice) as one:
        await one.run(out=tmp_path / "before")
        ran = await one.run("--against", str(tmp_path / "before"), "--json", out=tmp_path / "now")
    told = json.loads(ran.out)
    assert (told["questions"]["better"], told["questions"]["worse"], changes(tmp_path)) == ([], [], [])
    assert {verdict for name, verdict in verdicts(told).items() if not name.endswith("_s")} == {"same"}


async def test_repeated_questions_count_by_the_mean_of_their_answers(tmp_path: Path):
    given = iter([SOUND, LOST, SOUND, LOST, LOST, LOST])
    async with trial(tmp_path, lambda _: next(given)) as one:
        await one.run("--times", "2", out=tmp_path / "before")
        ran = await one.run("--times", "4", "--against", str(tmp_path / "before"), "--json")
    (change,) = (change for change in json.loads(ran.out)["changes"] if change["measure"] == "citation_recall")
    assert (change["before"], change["now"], change["questions"]) == (0.5, 0.25, 1)


async def test_a_missing_baseline_is_refused_before_any_question(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    names = "gone", "empty", "set.jsonl", "out", "x/../out"
    async with trial(tmp_path, SOUND) as one:
        rans = {name: await one.run("--against", str(tmp_path / name)) for name in names}
        alone = await one.run("--fail-if-worse", "citation_recall")
        neither = await one.run("--fail-if-worse", "answer_length")
    assert ({ran.status for ran in (*rans.values(), alone, neither)}, one.asked) == ({2}, [])
    assert "answer_length has neither better nor worse values" in neither.err
    for name in ("gone", "empty", "set.jsonl"):
        assert rans[name].err.startswith(f"{tmp_path / name} is not the folder of a run: run.json is missing. Name ")
    assert "the folder of this run" in rans["out"].err
    assert "--against" in alone.err


async def test_runs_without_common_answers_cannot_hold_a_regression_bound(tmp_path: Path):
    ran = await compared(tmp_path, {}, {}, "--fail-if-worse", "citation_recall", questions=["Who?"], again=["Why?"])
    assert ran.status == 1
    assert "failed | citation_recall is not worse: the two runs have no answers with it in common" in ran.out
    assert "\n0 questions are in both runs.\n" in ran.out


SIZES = Summary.of(({"failed": size > 30, "answer_length": size, "total_s": size / 10} for size in range(1, 41)), 1)


def test_a_bound_is_compared_with_the_exact_number():
    cases = [
        ("answer_length<20.5", False), ("answer_length<=20.5", True), ("answer_length>20.5", False),
        ("answer_length>=20.5", True), (" mean ( answer_length ) >= 2.05e1 ", True), ("min(answer_length)<1", False),
        ("min(answer_length)<=1", True), ("max(answer_length)>39.9", True), ("P50(answer_length)>=20.5", True),
        ("p95(answer_length)>38.05", False), ("p95(answer_length)>38.04", True), ("count(answer_length)<40", False),
        ("total(failed)>=10", True), ("failed>25%", False), ("failed>=25 %", True), ("rate(failed)>.24", True),
        ("total_s>-1", True), ("support<0", True), ("p95(support)>0", True),
    ]  # fmt: skip
    for bound, has_failed in cases:
        check = parse_bound(bound).check(SIZES)
        assert (check.words, check.has_failed) == (bound.strip(), has_failed)
        assert check.found == "no answer has this measure" or check.found.startswith("it is "), bound


async def test_an_invalid_bound_is_refused_before_any_question(tmp_path: Path):
    words = {
        "citation<0.9": "“citation” is not a measure. Use one of: failed, denied, first_text_s",
        "p95(speed)<1": "“speed” is not a measure", "p99(total_s)<1": "“p99” is not a statistic. Use one of: count, ",
    }  # fmt: skip
    words |= dict.fromkeys(
        [
            "citation_match", "citation_match=0.9", "citation_match==0.9", "citation_match<", "<0.9",
            "citation_match<0.9 and failed>0", "p95(citation_match<0.9", "citation_match<nan", "",
        ],
        "is not a bound",
    )  # fmt: skip
    async with trial(tmp_path, SOUND) as one:
        for text, said in words.items():
            ran = await one.run("--fail-if", text)
            assert (ran.status, said in ran.err) == (2, True), text
    assert one.asked == []


async def test_kept_and_broken_bounds_are_listed_and_set_the_status(tmp_path: Path):
    async with trial(tmp_path, by_question({"Who pays 1?": LOST}), 4) as one:
        held = await one.run("--fail-if", "citation_recall<75%")
        broken = await one.run("--fail-if", "failed>0", "--fail-if", "citation_recall<=0.75")
        without = await one.run("--fail-if", "tokens_per_s<1")
    assert [held.status, broken.status, without.status] == [0, 1, 1]
    assert held.out.endswith("passed | citation_recall<75%: it is 0.75\n")
    assert broken.out.endswith(
        "check  | passed | failed>0: it is 0\ncheck  | failed | citation_recall<=0.75: it is 0.75\n"
    )
    assert without.out.endswith("failed | tokens_per_s<1: no answer has this measure\n")
    assert len(one.asked) == 4


ODD = 'Who <b> & "pays" \u0001\u001b[31m\ufffe 😀?'


async def test_results_and_bounds_are_written_as_junit_xml(tmp_path: Path):
    broken = Reply([lines({"error": {"message": "out <of> & \u0002 \ufffforder"}})], 500)
    questions = [ODD, "Bad\n\tone \ud83d?", "Cut?", "Long " * 100 + "?"]
    bounds = "--fail-if", "failed>50%", "--fail-if", "p95(answer_length)<1000"
    async with trial(tmp_path, by_question({"Bad\n\tone \ufffd?": broken, "Cut?": CUT}), questions) as one:
        ran = await one.run("--times", "2", "--junit", str(tmp_path / "junit.xml"), *bounds)
    assert ran.status == 1
    root = ElementTree.fromstring((tmp_path / "junit.xml").read_bytes())
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    counts = {"tests": "10", "errors": "4", "failures": "1"}
    assert [{name: one.attrib[name] for name in counts} for one in (root, suite)] == [counts, counts]
    assert [len(suite.findall(f"testcase{inner}")) for inner in ("", "/error", "/failure")] == [10, 4, 1]
    names = [case.attrib["name"] for case in suite.findall("testcase")]
    assert names[0] == '1. Who <b> & "pays" [31m\ufffd 😀?'
    assert names[1] == f"{names[0]} (2)"
    assert (names[2], names[4], names[8]) == ("2. Bad one \ufffd?", "3. Cut?", "failed>50%")
    assert all(len(name) < 220 for name in names)
    assert all(float(case.attrib["time"]) >= 0 for case in suite.findall("testcase[@classname='answers']"))
    assert [one.attrib["message"][:42] for one in suite.findall("testcase/error")[:1]] == [
        "The backend answered with status 500: out "
    ]
    assert all(one.attrib["message"] for one in suite.iter("error"))


async def test_an_unwritable_file_is_refused_before_any_question(tmp_path: Path):
    async with trial(tmp_path, SOUND) as one:
        for file in (tmp_path / "no" / "junit.xml", tmp_path):
            assert (await one.run("--junit", str(file))).status == 2
        assert (one.asked, list(files(tmp_path))) == ([], ["set.jsonl"])
        within = await one.run("--junit", str(one.out / "junit.xml"))
    assert (within.status, len(one.rows), (one.out / "junit.xml").is_file()) == (0, 1, True)


def test_changes_are_a_table_on_a_terminal_and_lines_elsewhere():
    between = Changes()
    for number in range(30):
        between.add([{"citation_recall": 1.0, "failed": False}], [{"citation_recall": number % 3 / 2, "failed": False}])
    found = between.of_measures()
    console = Console(file=(out := io.StringIO()), width=120)
    run_tables._show_tables(Summary.of([{"citation_recall": 0.5}], 1), found, console)
    (row,) = (line for line in out.getvalue().split("Changes")[1].splitlines() if "citation_recall" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert (cells[0], cells[1], cells[2], cells[4]) == ("citation_recall", "worse", "1 to 0.5", "20 of 30 differ")
    told = list(run_tables._plain_lines(Summary(), found))
    assert told[0].startswith("change | failed | unchanged | 0 to 0 | ")
    assert told[1].startswith("change | citation_recall | worse | 1 to 0.5 | -0.")


SHARES = [((7919 * number) % 7 - 3.2) / 6 for number in range(60)]
YES_OR_NO = [-1.0] * 14 + [1.0] * 4 + [0.0] * 182
COUNTS = [float(number * number % 5 - 1) * (number * 31 % 11 > 6) for number in range(200)]
SKEWED = [(1.12 ** (37 * number % 40) - 20) / 10 for number in range(40)]
LENGTHS = [float(7919 * number % 613 - 285) for number in range(200)]
FEW = [0.4, -0.1, 0.3, 0.7, 0.2, -0.3, 0.6, 0.5, -0.2, 0.1]


def all_that_can_come(differences: Sequence[float]) -> float:
    all_signs = product((1.0, -1.0), repeat=len(differences))
    means = (abs(fmean(map(mul, differences, signs))) for signs in all_signs)
    return fmean(mean >= abs(fmean(differences)) - 1e-9 for mean in means)


def test_the_statistics_equal_scipys():
    """SciPy 1.17.1: `bootstrap(method="percentile")` and `permutation_test` ("samples"), 99,999 resamples each.

    With 9,999 resamples, one end of an interval is off by 1 % of its width on average, and rarely by 4 %.
    """
    for differences, low, high, p in (
        (SHARES, -0.1167, 0.0528, 0.4542),
        (YES_OR_NO, -0.09, -0.01, 0.0315),
        (COUNTS, 0.265, 0.585, 0.0000),
        (SKEWED, -0.7233, 0.632, 0.8197),
        (LENGTHS, -3.46, 45.5802, 0.096),
        (FEW, 0.02, 0.42, 0.0918),
    ):
        assert interval(differences) == pytest.approx((low, high), abs=0.04 * (high - low))
        assert chance(differences) == pytest.approx(p, abs=0.01)


@given(st.lists(st.integers(-1000, 1000).map(lambda thousandths: thousandths / 1000), min_size=1, max_size=7))
def test_the_p_value_is_the_share_of_sign_flips_that_reach_the_mean(differences: list[float]):
    assert chance(differences) == all_that_can_come(differences)


def test_interval_and_p_value_depend_only_on_the_differences():
    wanted = {1: 1.0, 5: 0.0625, 6: 0.03125, 13: 2**-12}
    assert {worse: chance([-0.1] * worse + [0.0] * 500) for worse in wanted} == wanted
    assert interval([0.1] * 30) == (0.1, 0.1)
    assert (interval([0.0] * 30), chance([0.0] * 30)) == ((0.0, 0.0), 1.0)
    assert (interval(LENGTHS), chance(LENGTHS)) == (interval(LENGTHS), chance(LENGTHS))
    assert chance([-one for one in LENGTHS]) == chance(LENGTHS)
    for shift in (-0.3, 0.05, 0.3, 0.55):
        differences = [(7919 * number % 15 - 7) / 10 + shift for number in range(14)]
        assert chance(differences) == pytest.approx(all_that_can_come(differences), abs=0.015)
