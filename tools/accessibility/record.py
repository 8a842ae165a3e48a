"""`docs/accessibility.md`, made of the criteria, the tests that are marked with them, axe's results, and dated looks.

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


@dataclass(frozen=True)
class Criterion:
    """A success criterion: its number, level (A or AA), name, and address."""

    number: str
    level: str
    name: str
    address: str


@dataclass(frozen=True)
class Test:
    """A test that holds a criterion, by its file, relative to the folder of the tests, and its name."""

    file: str
    name: str

    @property
    def words(self) -> str:
        """Its name as a sentence."""
        return self.name.removeprefix("test_").replace("_", " ")


@dataclass(frozen=True)
class Look:
    """What was found by looking, on a date."""

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
    """The looks, by the numbers of criteria."""
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
            found.setdefault(number, []).append(Test(file.relative_to(_TESTS).as_posix(), name))
    return found


def _marked(text: str) -> Iterator[tuple[str, str]]:
    for node in ast.parse(text).body if "pytest.mark.wcag" in text else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.wcag":
                    yield from ((ast.literal_eval(number), node.name) for number in decorator.args)


def rules(axe: Mapping[str, Any]) -> dict[str, list[str]]:
    """The rules of axe that passed somewhere, by the numbers of the criteria that axe itself names for them."""
    found: dict[str, list[str]] = {}
    for rule, tags in sorted(axe["rules"].items()):
        for tag in tags:
            if tag.removeprefix("wcag").isdigit():
                digits = tag.removeprefix("wcag")
                found.setdefault(f"{digits[0]}.{digits[1]}.{digits[2:]}", []).append(rule)
    return found


def result(look: Look | None, of_tests: Sequence[Test]) -> str:
    """The result of a criterion: what a look found, else what its tests hold."""
    if look is not None:
        return look.result
    return "Supports" if of_tests else "Not evaluated"


def document() -> str:
    """The whole text of `docs/accessibility.md`."""
    axe = json.loads(AXE.read_text())
    found, looked, by_axe = tests(), looks(), rules(axe)
    rows, results = [], Counter[str]()
    for criterion in criteria():
        look, held = looked.get(criterion.number), found.get(criterion.number, [])
        results[result(look, held)] += 1
        evidence = "<br>".join(_evidence(look, held, by_axe.get(criterion.number, [])))
        name = f"[{criterion.number} {criterion.name}]({criterion.address})"
        rows.append(f"| {name} | {criterion.level} | {result(look, held)} | {evidence} |")
    counted = "\n".join(f"| {name} | {results[name]} |" for name in RESULTS)
    head = (_HERE / "head.md").read_text().format(counted=counted, axe=_axe_words(axe), total=results.total())
    return head + "\n".join(["| criterion | level | result | evidence |", "|---|---|---|---|", *rows, ""])


def _evidence(look: Look | None, held: Sequence[Test], by_axe: Sequence[str]) -> Iterator[str]:
    if look is not None:
        yield f"Looked at on {look.date}: {look.remarks}"
    for test in held:
        yield f"Test: [{test.words}](../tests/{test.file})"
    if by_axe:
        yield f"axe: {', '.join(by_axe)}"


def _axe_words(axe: Mapping[str, Any]) -> str:
    words = (
        f"axe {axe['version']} found {axe['violations']} violations in {axe['states']} states of the page at "
        f"{len(axe['widths'])} widths ({', '.join(map(str, axe['widths']))} px) in both themes, "
        f"{axe['runs']} runs, on {axe['date']} in Chromium {axe['chromium']}."
    )
    return textwrap.fill(words, 120)
