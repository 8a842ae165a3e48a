"""Resampling of differences: the interval of their mean, and how often chance alone brings a mean of that size."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import product
from operator import getitem, mul
from random import Random
from statistics import fmean, quantiles
from typing import Final

_MOST_RESAMPLES: Final = 9_999
_FEWEST_RESAMPLES: Final = 999
_DRAWN: Final = 1_000_000
"""Numbers that are drawn for one figure, about."""
_MOST_ENUMERATED: Final = 13
"""Differences whose signs are all tried."""
_AT_ONCE: Final = 8
"""Differences whose signs one random byte says."""
_EQUAL: Final = 1 - 1e-9
"""The share of a sum that a sum in another order may fall short of it."""
_SEED: Final = 20_240_529


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """The ends between which the mean of the differences lies with 95 % confidence: a percentile bootstrap."""
    if len(set(differences)) == 1:
        return differences[0], differences[0]
    count, draw = len(differences), Random(_SEED)  # noqa: S311 - no secret
    drawn = (sum(draw.choices(differences, k=count)) / count for _ in range(_resamples(count)))
    ends = quantiles(drawn, n=40, method="inclusive")
    return ends[0], ends[-1]


def chance(differences: Sequence[float]) -> float:
    """How often a mean of this size or a greater one comes where each difference has either sign by chance: a paired
    permutation test, two-sided. Exact up to 13 differences that are not 0; beyond, the signs are drawn, and those that
    are there count as one draw.
    """
    differing = [one for one in differences if one]
    size = abs(sum(differing)) * _EQUAL
    if len(differing) <= _MOST_ENUMERATED:
        signs = product((1, -1), repeat=len(differing))
        return fmean(abs(sum(map(mul, differing, some))) >= size for some in signs)
    sums = [_signed_sums(differing[at : at + _AT_ONCE]) for at in range(0, len(differing), _AT_ONCE)]
    count, draw = _resamples(len(sums)), Random(_SEED)  # noqa: S311 - no secret
    reached = sum(abs(sum(map(getitem, sums, draw.randbytes(len(sums))))) >= size for _ in range(count))
    return (reached + 1) / (count + 1)


def _signed_sums(differences: Sequence[float]) -> array[float]:
    """The 256 sums of up to eight differences with their signs as the bits of a byte."""
    sums = [0.0]
    for one in differences:
        sums = [some + signed for some in sums for signed in (one, -one)]
    return array("d", sums * (256 // len(sums)))


def _resamples(drawn: int) -> int:
    """How often so many numbers are drawn."""
    return min(max(_DRAWN // drawn, _FEWEST_RESAMPLES), _MOST_RESAMPLES)
