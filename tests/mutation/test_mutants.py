"""Which faults a mutation run makes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutation.mutants import Mutant, mutants_of


def mutants(folder: Path, source: str) -> list[Mutant]:
    path = folder / "module.py"
    path.write_text(source)
    return list(mutants_of(path))


@pytest.mark.parametrize(
    ("statement", "faults"),
    [
        ("if a < b: c", ["a < b → a >= b", "a < b → a <= b"]),
        ("if a: c", ["a → not a"]),
        ("if a and b: c", ["a and b → a or b", "a and b → not (a and b)"]),
        ("if not a: c", ["not a → a"]),
        ("a = b + c", ["b + c → b - c"]),
        ("a += b", ["a += b → a -= b"]),
        ("a = 3", ["3 → 4"]),
        ("a = True", ["True → False"]),
        ("a = b[c:]", ["c: → c + 1:", "c: → c:-1"]),
        ("f(a)", ["f(a) → pass"]),
        ("return a", ["return a → return None"]),
        ("return", []),
        ("logger.warning('%d of %d', 1, a + b)", []),
    ],
)
def test_a_statement_has_faults_of_each_kind(tmp_path: Path, statement: str, faults: list[str]):
    found = mutants(tmp_path, f"def function():\n    {statement}\n")
    assert [str(one).partition(": ")[2] for one in found] == faults


@pytest.mark.parametrize(
    "source",
    [
        "MOST = 3",
        "def function(a: Literal[1] = b) -> Literal[2]:\n    '''Says 3.'''",
        "def __repr__(self):\n    return 'a' + 'b'",
        "def function():\n    if TYPE_CHECKING:\n        a = 1",
        "@decorated(1)\ndef function():\n    pass",
    ],
)
def test_what_nobody_can_notice_has_none(tmp_path: Path, source: str):
    assert mutants(tmp_path, source) == []


def test_a_mutant_differs_from_its_module_in_one_fault(tmp_path: Path):
    source = "def function(a=1):\n    return a == 2"
    first, *others = mutants(tmp_path, source)
    assert first.source == "def function(a=2):\n    return a == 2"
    assert [one.source for one in others] == [
        "def function(a=1):\n    return None",
        "def function(a=1):\n    return a != 2",
        "def function(a=1):\n    return a == 3",
    ]
    assert ast.unparse(first.tree) == ast.unparse(ast.parse(source))


def test_a_default_is_reached_where_the_function_runs_and_a_condition_at_its_own_lines(tmp_path: Path):
    source = "def function(a=1):\n    if (a or\n            b):\n        c\n    d"
    default, *condition = mutants(tmp_path, source)
    assert default.lines == range(2, 6)
    assert {one.lines for one in condition} == {range(2, 4)}


def test_a_fault_in_a_coroutine_is_reached_by_what_reaches_the_coroutine(tmp_path: Path):
    source = "async def function():\n    await a()\n    return b\ndef other():\n    return c"
    assert {one.coroutine for one in mutants(tmp_path, source)} == {range(2, 4), range(0)}
