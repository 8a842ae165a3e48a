"""Sets of hundreds of cases that were made, not written. Every run meets some of each set, a thorough run all."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet


def thinned(cases: Iterable[Any] | Mapping[str, Any], one_in: int) -> list[ParameterSet]:
    """The cases, of which only one in so many is met by a run that is not thorough; a mapping has their names."""
    named = cases.items() if isinstance(cases, Mapping) else ((None, case) for case in cases)
    return [
        pytest.param(case, id=name, marks=() if number % one_in == 0 else pytest.mark.thorough)
        for number, (name, case) in enumerate(named)
    ]


def sampled(cases: Sequence[Any], one_in: int) -> list[ParameterSet]:
    """Some of the cases together, one in so many, and for a thorough run all of them: for what starts nothing."""
    return [pytest.param(cases[::one_in], id="some"), pytest.param(cases, id="all", marks=pytest.mark.thorough)]


def combined(one_in: int, *choices: Iterable[Any]) -> list[ParameterSet]:
    """Each combination of one of each of the choices, thinned likewise."""
    return [pytest.param(*case.values[0], marks=case.marks) for case in thinned(product(*choices), one_in)]
