"""Generated sets of hundreds of cases. Every run takes a sample of each set, a thorough run all of it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def thinned(cases: Iterable[Any] | Mapping[str, Any], one_in: int) -> list[ParameterSet]:
    """A sample of one in `one_in` cases, and the others as thorough cases. The keys of a mapping name its cases."""
    named = cases.items() if isinstance(cases, Mapping) else ((None, case) for case in cases)
    return [
        pytest.param(case, id=name, marks=() if number % one_in == 0 else pytest.mark.thorough)
        for number, (name, case) in enumerate(named)
    ]


def sampled(cases: Sequence[Any], one_in: int) -> list[ParameterSet]:
    """A sample of the cases together, or all of them in a thorough run. For tests that start nothing."""
    return [pytest.param(cases[::one_in], id="some"), pytest.param(cases, id="all", marks=pytest.mark.thorough)]


def combined(one_in: int, *choices: Iterable[Any]) -> list[ParameterSet]:
    """A sample of all combinations of the choices."""
    return [pytest.param(*case.values[0], marks=case.marks) for case in thinned(product(*choices), one_in)]
