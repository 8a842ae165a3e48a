"""Print how the rule does on a folder of cases: `python -m tests.features.claims.measure [folder] [--aside]`."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chat_ui.features.claims.judging import Judgement, judge

MADE = Path(__file__).parent / "made"
NATURAL = Path(__file__).parent / "natural"
"""Sentences as models write them, most of them true in other words than their passage's."""
FLAGS = ("differs", "not_found")


def cases(folder: Path = MADE, *, aside: bool = False) -> Iterator[dict[str, Any]]:
    """The cases of a folder; of the made set those for developing, or those set `aside`, every third one."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            case = json.loads(line)
            if folder != MADE or (int(case["id"].rpartition("-")[2]) % 3 == 0) == aside:
                yield case


def judged(case: dict[str, Any]) -> Judgement | None:
    cited = {name: case["passages"][name] for name in case["cited"]}
    others = {name: text for name, text in case["passages"].items() if name not in cited}
    return judge(case["sentence"], cited, lambda: others, case["language"])


def changed(case: dict[str, Any], judgement: Judgement | None) -> list[tuple[dict[str, Any], bool]]:
    """The parts that differ, each with whether one of the rule's flags is at its place."""
    found = []
    for part in case["parts"]:
        if part["verdict"] not in FLAGS:
            continue
        spans, at = [], case["sentence"].find(part["text"])
        while at >= 0:
            spans.append((at, at + len(part["text"])))
            at = case["sentence"].find(part["text"], at + 1)
        flagged = judgement is not None and any(
            mine.verdict in FLAGS and any(mine.start < end and start < mine.end for start, end in spans)
            for mine in judgement.parts
        )
        found.append((part, flagged))
    return found


def misplaced(case: dict[str, Any], judgement: Judgement | None) -> list[str]:
    """The flagged parts at whose place nothing differs."""
    spans = []
    for part in case["parts"]:
        at = case["sentence"].find(part["text"]) if part["verdict"] in FLAGS else -1
        while at >= 0:
            spans.append((at, at + len(part["text"])))
            at = case["sentence"].find(part["text"], at + 1)
    return [
        mine.text for mine in (judgement.parts if judgement else ())
        if mine.verdict in FLAGS and not any(mine.start < end and start < mine.end for start, end in spans)
    ]  # fmt: skip


def main(arguments: list[str]) -> None:
    folder = next((Path(argument) for argument in arguments if not argument.startswith("-")), MADE)
    table: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for case in cases(folder, aside="--aside" in arguments):
        judgement = judged(case)
        verdict = judgement.verdict if judgement else None
        parts = changed(case, judgement)
        if parts:
            cells = [(flagged, part["kind"]) for part, flagged in parts]
            wrong = not all(flagged for flagged, _ in cells)
            for flagged, kind in cells:
                for language in (case["language"], "all"):
                    for row in (f"changed: {kind}", "changed: all", "changed, by change: " + case["change"]):
                        table[row][language][0] += flagged
                        table[row][language][1] += 1
            sentence = verdict in FLAGS
            for language in (case["language"], "all"):
                table["changed sentences flagged"][language][0] += sentence
                table["changed sentences flagged"][language][1] += 1
        elif case["change"] == "wrong_passage":
            wrong = verdict != "elsewhere"
            for language in (case["language"], "all"):
                table["wrong passage: elsewhere"][language][0] += not wrong
                table["wrong passage: elsewhere"][language][1] += 1
        else:
            wrong = verdict not in {"found", "computed", None}
            for language in (case["language"], "all"):
                for row in (f"flagged though true: {case['change']}", "flagged though true: all"):
                    table[row][language][0] += wrong
                    table[row][language][1] += 1
        wrong = wrong or bool(misplaced(case, judgement))
        for language in (case["language"], "all"):
            table["flagged parts that do not differ"][language][0] += len(misplaced(case, judgement))
            table["flagged parts that do not differ"][language][1] += len(judgement.parts) if judgement else 0
        if wrong and "--cases" in arguments:
            print(f"{case['id']} {case['change']} {verdict}: {case['sentence']}")
            for name, text in case["passages"].items():
                if len(text) < 500:
                    print(f"    {'*' if name in case['cited'] else ' '} {text}")
            for part in case["parts"]:
                print(f"    expected {part['verdict']:10}{part['kind']:10}{part['text']}")
            for mine in judgement.parts if judgement else ():
                passage = case["passages"].get(mine.passage, "")
                other = passage[slice(*mine.counterpart)] if mine.counterpart else ""
                print(f"    got      {mine.verdict:10}{mine.kind:10}{mine.text}  <- {other}")
    languages = sorted({language for row in table.values() for language in row if language != "all"})
    print(f"{'':36}" + "".join(f"{language:>10}" for language in [*languages, "all"]))
    for row, cells in sorted(table.items()):
        figures = (f"{cells[at][0]}/{cells[at][1]}" if at in cells else "" for at in [*languages, "all"])
        share = 100 * cells["all"][0] / max(1, cells["all"][1])
        print(f"{row:36}" + "".join(f"{figure:>10}" for figure in figures) + f"{share:8.1f} %")


if __name__ == "__main__":
    main(sys.argv[1:])
