"""The agreement of a value of the sentence with one of a passage: equal, rounded, converted, computed, or another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from chat_ui.features.claims.reading import Reading, Value
from chat_ui.features.claims.vocabulary import Unit

_MOST: Final = 40
"""Values of a passage that a value is computed from."""
_LEAST_SUM: Final = 13
"""The least sum or difference; smaller numbers come out by chance."""


def lies_in(value: Value, other: Value) -> bool:
    """Whether a value lies between the ends of a range, or is one below or above a limit: 6 kg for `up to 8 kg`."""
    if value.kind != "number" or value.dimension != other.dimension or not value.base or not other.base:
        return False
    if other.top and other.unit:
        return other.base < value.base < other.top * other.unit.factor
    if value.direction or not other.direction or value.unit != other.unit:
        return False
    return (value.base < other.base) == (other.direction == "down") and 0.5 < value.base / other.base < 2


def are_equal(one: float, two: float) -> bool:
    return abs(one - two) <= 1e-6 * max(abs(one), abs(two), 1e-9)


def likeness(value: Value, other: Value) -> float:
    """The weight of the noun after a number, of its unit and of its limit."""
    same_unit = bool(value.unit and other.unit and value.unit.name == other.unit.name)
    is_converted = value.dimension == other.dimension == "time" and not same_unit
    same_limit = bool(value.direction and value.direction == other.direction)
    return 1.0 * have_one_noun(value, other) + 0.3 * (same_unit - is_converted) + 0.3 * same_limit


def have_one_noun(value: Value, other: Value) -> bool:
    """Whether the values are of the same noun or counter."""
    if value.unit and other.unit:
        return value.soft and value.unit.name == other.unit.name and value.unit.name.startswith("x-")
    return bool(value.noun.strip("#") and value.noun == other.noun)


def same(value: Value, other: Value) -> bool:
    """Whether a value of the sentence agrees with one of a passage."""
    if value.key or other.key:
        return value.key == other.key and value.kind == other.kind
    if value.kind == other.kind == "date":
        return _same_date(value, other)
    if value.kind != other.kind:
        number, date = (value, other) if value.kind == "number" else (other, value)
        return date.raw != 0 and date.raw == number.number
    return _same_number(value, other)


def _same_date(value: Value, other: Value) -> bool:
    if value.minutes or other.minutes:
        return not value.minutes.isdisjoint(other.minutes)
    if value.last or other.last:
        is_within = value.year <= (other.last or other.year) and other.year <= (value.last or value.year)
        return is_within and bool(value.year and other.year)
    if value.weekday or other.weekday:
        return value.weekday == other.weekday
    for one, two in ((value.year, other.year), (value.month, other.month), (value.date, other.date)):
        if one and two and one != two:
            return False
    if value.date and not other.date and other.month != value.month and not other.soft:
        return False
    return bool((value.year and other.year) or (value.month and other.month))


def _same_number(value: Value, other: Value) -> bool:
    mine, its = value.dimension, other.dimension
    if value.unit and other.unit and mine != its:
        names = {value.unit.name, other.unit.name}
        if names == {"money"}:
            return not set(mine.split(",")).isdisjoint(its.split(",")) and agree(value.base, other.base, value, other)
        if names == {"money", "x-cent"}:
            return are_equal(*(one.base * (0.01 if one.dimension == "x-cent" else 1) for one in (value, other)))
        if "x-kilo" in names:
            scale = 1000 if "length" in {mine, its} else 1
            one, two = (each.number * scale if each.dimension == "x-kilo" else each.base for each in (value, other))
            return {mine, its} <= {"x-kilo", "length", "mass"} and agree(one, two, value, other)
        return {mine, its} <= {"degrees", "heat", "times"} and value.number == other.number
    if (value.unit is None) != (other.unit is None):
        unit = value.unit or other.unit
        bare = other if value.unit else value
        if unit and unit.dimension == "ratio":
            return bare.number < 1 and agree(value.base, other.base, value, other)
        return agree(value.number, other.number, value, other)
    return agree(value.base, other.base, value, other)


def agree(mine: float, its: float, value: Value, other: Value) -> bool:
    """Whether two numbers are equal, or the sentence's is the other one rounded."""
    if are_equal(mine, its):
        return True
    if not mine * its > 0 or float("inf") in {mine, its}:
        return False
    ratio = its / mine
    step = 0.51 * _last_digit(value) * (mine / value.raw if value.raw else 1)
    units = {one.unit.name for one in (value, other) if one.unit}
    is_converted = (
        len(units) > 1 and value.dimension not in {"time", "months", "ratio"} and not _is_decimal(value, other)
    )
    if value.direction and not other.direction and not is_converted and _digits(value.raw) < _digits(other.raw):
        return 1 <= ratio <= 1.25 if value.direction == "up" else 0.8 <= ratio <= 1
    if value.about:
        return (0.8 < ratio < 1.25 and abs(its - mine) <= max(0.05 * mine, step)) or (
            value.raw <= 2 and 0.75 < ratio < 1
        )
    if is_converted:
        return abs(ratio - 1) < 0.015
    digits = _digits(value.raw)
    return digits <= 3 and _digits(other.raw) > digits and abs(ratio - 1) < 0.01 and abs(its - mine) <= step


def _is_decimal(value: Value, other: Value) -> bool:
    """Whether the units are ten, a hundred or more of each other."""
    factors = [one.unit.factor for one in (value, other) if one.unit]
    return len(factors) == 2 and math.log10(factors[0] / factors[1]).is_integer()


def _digits(number: float) -> int:
    return len(f"{abs(number):.10g}".replace(".", "").strip("0"))


def _last_digit(value: Value) -> float:
    """The value of the last significant digit."""
    text = f"{abs(value.raw or value.number):.10g}"
    if "e" in text:
        return abs(value.raw) * 0.01
    if "." in text:
        return float(10.0 ** -len(text.partition(".")[2]))
    return float(10 ** (len(text) - len(text.rstrip("0"))))


def comparable(value: Value, other: Value) -> bool:
    """Whether the values are of one kind, so that one may be in the other's place."""
    if value.key or other.key:
        return value.kind == other.kind and bool(value.key and other.key) and ("@" in value.key) == ("@" in other.key)
    if value.kind != other.kind:
        return False
    if value.kind == "date":
        kinds = ((one.minutes and 1) or (one.weekday and 2) or (one.last and 3) or 4 for one in (value, other))
        if len(set(kinds)) > 1:
            return False
        if value.date and value.month:
            return bool(other.date or (other.month and other.year))
        return bool(value.minutes or value.weekday or (value.year and other.year) or (value.month and other.month))
    if other.soft and not value.soft and not have_one_noun(value, other) and value.dimension != "ratio":
        return False
    is_money = value.unit and other.unit and value.unit.name == other.unit.name == "money"
    is_unit = value.raw == other.raw and value.unit and other.unit
    return bool(value.dimension == other.dimension or is_money or is_unit)


def computed(
    value: Value, reading: Reading, near: Sequence[Value], own: Sequence[Value], *, is_sum: bool, is_difference: bool
) -> Value | None:
    """The value of a passage from which a missing one is computed: a sum, a difference, a product, a share.

    `near` are the numbers of the passage near the sentence's words, and `own` the sentence's other values. A small
    number is a sum or difference only if the sentence says so (`is_difference`).
    """
    if value.kind == "date" and value.year and not value.month:
        dates = [one for one in reading.values if one.kind == "date"][:_MOST]
        spans = [one for one in reading.values if one.kind == "number" and (one.unit or value.about)][:_MOST]
        months = {span.base if span.unit else 12 * span.number for span in spans}
        return next((one for one in dates if one.year and 12 * abs(value.year - one.year) in months), None)
    if value.kind != "number" or value.key:
        return None
    columns: dict[int, float] = {}
    for one in reading.values:
        if (header := reading.headers.get(one.clause)) is not None and one.kind == "number":
            columns[header] = columns.get(header, 0) + one.base
            if are_equal(columns[header], value.base) and columns[header] != one.base:
                return one
    return None if value.soft else _combined(value, reading, near, own, is_sum=is_sum, is_difference=is_difference)


def _combined(
    value: Value, reading: Reading, near: Sequence[Value], own: Sequence[Value], *, is_sum: bool, is_difference: bool
) -> Value | None:
    wanted = value.base
    alike = [
        one for one in near
        if (not one.soft and _may_add(value, one.unit) if one.unit else one.noun or reading.headers or not value.unit)
    ][:_MOST]  # fmt: skip
    parts_of = [one.base for one in near if one.dimension == "ratio" and one.base and value.dimension != "ratio"]
    shares = {ratio for share in parts_of for ratio in (share, 1 - share, 1 / share) if ratio > 0}
    counts = {one.number for one in near if (one.noun or reading.headers) and one.number > 1}
    counts |= {1 / count for count in counts} | {one.number for one in own if one.kind == "number"}
    counts |= {1 / 12} if _is_money(value.unit) else set()
    for one in alike:
        if any(are_equal(one.base * factor, wanted) for factor in (shares | counts if one.unit else shares) - {1}):
            return one
    is_small = abs(value.raw) < _LEAST_SUM and float(value.raw).is_integer()
    if not is_sum or (is_small and not is_difference):
        return None
    scale = value.unit.factor if value.unit else 1
    parts = [(one, one.number * scale if value.unit and not one.unit else one.base) for one in alike]
    for size in (2, 3) if len(parts) <= 8 else (2,):
        for group in combinations(parts, size):
            places = [reading.sentences[one.clause] for one, _ in group]
            first, *others = sorted((base for _, base in group), reverse=True)
            is_equal = are_equal(first + sum(others), wanted) or are_equal(first - sum(others), wanted)
            if is_equal and (size == 3 or reading.headers or max(places) - min(places) <= 1):
                return group[0][0]
    return None


def _is_money(unit: Unit | None) -> bool:
    return unit is not None and unit.name == "money"


def _may_add(value: Value, unit: Unit) -> bool:
    return unit.dimension == value.dimension or (not value.unit and _is_money(unit))
