"""`docs/accessibility.md`, made of the criteria, the tests marked with them, the results of axe, and dated inspections.

A test is marked with the numbers of the criteria that it holds: `@pytest.mark.wcag("2.1.1", "2.4.3")`.
"""

from __future__ import annotations

import ast
import json
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.app import ROOT

_HERE: Final = Path(__file__).parent
_TESTS: Final = ROOT / "tests"
DOCUMENT: Final = ROOT / "docs" / "accessibility.md"
AXE: Final = _HERE / "axe.json"
RESULTS: Final = ("Supports", "Partially supports", "Does not support", "Not applicable", "Not evaluated")
"""The terms of the Voluntary Product Accessibility Template 2.5."""
_LIMITED: Final = RESULTS[1:3]


@dataclass(frozen=True)
class Criterion:
    """A success criterion: its number, level (A or AA), name, and address."""

    number: str
    level: str
    name: str
    address: str


@dataclass(frozen=True)
class Test:
    """A test that holds a criterion: its file, relative to the root of the repository, and its name."""

    file: str
    name: str


@dataclass(frozen=True)
class Look:
    """The result of an inspection by hand, on a date."""

    date: str
    result: str
    remarks: str


def criteria() -> list[Criterion]:
    """All of levels A and AA, in the order of their numbers."""
    read: dict[str, list[str]] = tomllib.loads((_HERE / "criteria.toml").read_text())["criteria"]
    return [
        Criterion(number, level, name, f"https://www.w3.org/TR/WCAG22/#{anchor}")
        for number, (level, name, anchor) in read.items()
    ]


def looks() -> dict[str, Look]:
    """The inspections, by the numbers of criteria."""
    read: dict[str, dict[str, Any]] = tomllib.loads((_HERE / "looks.toml").read_text())
    return {
        number: Look(str(look["date"]), look["result"], " ".join(look["remarks"].split()))
        for number, look in read.items()
    }


def tests() -> dict[str, list[Test]]:
    """The marked tests, by the numbers of criteria."""
    found: dict[str, list[Test]] = {}
    for file in sorted(_TESTS.rglob("test_*.py")):
        for number, name in _marked(file.read_text()):
            found.setdefault(number, []).append(Test(file.relative_to(ROOT).as_posix(), name))
    return found


def _marked(text: str) -> Iterator[tuple[str, str]]:
    for node in ast.parse(text).body if "pytest.mark.wcag" in text else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.wcag":
                    yield from ((ast.literal_eval(number), node.name) for number in decorator.args)


def rules(axe: Mapping[str, Any]) -> dict[str, list[str]]:
    """The rules of axe that passed in a state, by the numbers of the criteria in their tags."""
    found: dict[str, list[str]] = {}
    for rule, tags in sorted(axe["rules"].items()):
        for tag in tags:
            if tag.removeprefix("wcag").isdigit():
                digits = tag.removeprefix("wcag")
                found.setdefault(f"{digits[0]}.{digits[1]}.{digits[2:]}", []).append(rule)
    return found


def result(look: Look | None, of_tests: Sequence[Test]) -> str:
    """The result of a criterion: that of its inspection, else of its tests."""
    if look is not None:
        return look.result
    return "Supports" if of_tests else "Not evaluated"


def document() -> str:
    """The whole text of `docs/accessibility.md`."""
    axe, found, looked = json.loads(AXE.read_text()), tests(), looks()
    rows, absent, results, limits = [], [], Counter[str](), []
    for criterion in criteria():
        look, held = looked.get(criterion.number), found.get(criterion.number, [])
        judged = result(look, held)
        results[judged] += 1
        if judged == "Not applicable":
            absent.append(f"[{criterion.number}]({criterion.address})")
        else:
            name = f"[{criterion.number} {criterion.name}]({criterion.address})"
            rows.append(f"| {name} | {criterion.level} | {judged} | {len(held)} |")
        if look is not None and judged in _LIMITED:
            limits.append(textwrap.fill(f"- {criterion.number}: {look.remarks}", 120, subsequent_indent="  "))
    counted = "\n".join(f"| {name} | {results[name]} |" for name in RESULTS if results[name])
    parts = {"rows": "\n".join(rows), "limits": "\n".join(limits), "axe": _axe_words(axe), "total": results.total()}
    parts["absent"] = ", ".join(absent)
    return (_HERE / "page.md").read_text().format(counted=counted, **parts)


def evidence(number: str) -> Iterator[str]:
    """Each test, axe rule and inspection of a criterion, in a line."""
    yield from (f"test: {test.file}::{test.name}" for test in tests().get(number, []))
    yield from (f"axe: {rule}" for rule in rules(json.loads(AXE.read_text())).get(number, []))
    if look := looks().get(number):
        yield f"inspected on {look.date}: {look.remarks}"


def _axe_words(axe: Mapping[str, Any]) -> str:
    words = (
        f"axe {axe['version']} found {axe['violations']} violations in {axe['states']} states of the page at "
        f"{len(axe['widths'])} widths ({', '.join(map(str, axe['widths']))} px) in both themes. "
        f"The {axe['runs']} runs were on {axe['date']} in Chromium {axe['chromium']}."
    )
    return textwrap.fill(words, 120)
