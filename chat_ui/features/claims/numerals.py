"""Numbers in digits and in words."""

from __future__ import annotations

import re
from typing import Final

from chat_ui.features.claims.vocabulary import Vocabulary

_KANJI_DIGITS: Final = {char: at for at, char in enumerate("〇一二三四五六七八九")}
_KANJI_SCALES: Final = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "億": 10**8, "兆": 10**12}
ERAS: Final = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
"""The years before the eras of Japan."""
_ROMANS: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def parsed(text: str, *, has_decimal_comma: bool) -> float | None:
    """The value of digits with marks; None if they are not one number, as of a version `2.3.1`."""
    text = text.replace("'", "").replace("’", "")
    points, commas = text.count("."), text.count(",")
    if points and commas:
        thousands, decimal = (".", ",") if text.rfind(",") > text.rfind(".") else (",", ".")
        whole = text.replace(thousands, "").replace(decimal, ".")
        return float(whole) if whole.count(".") == 1 and text.count(decimal) == 1 else None
    if not points and not commas:
        return float(text)
    mark = "." if points else ","
    is_grouped = re.fullmatch(rf"[1-9]\d{{0,2}}(?:\{mark}\d{{3}})+", text) is not None
    if points + commas > 1:
        return float(text.replace(mark, "")) if is_grouped else None
    is_decimal = (mark == ",") == has_decimal_comma
    if is_grouped and not is_decimal:
        return float(text.replace(mark, ""))
    return float(text.replace(mark, "."))


def evaluated(text: str, words: Vocabulary) -> float | None:
    """The value of a number in words; None if they are not one number."""
    total = current = 0.0
    for match in words.atom.finditer(text):
        value = words.atoms[match.group()]
        if value >= 1000:
            total += (current or 1) * value
            current = 0
        elif value == 100:
            current = (current or 1) * 100
        elif current and not _fits(current, value):
            return None
        else:
            current += value
    return total + current


def _fits(current: float, value: float) -> bool:
    rest = current % 100
    return (
        rest == 0
        or (value < 10 and rest % 10 == 0)
        or (value < 20 and rest % 20 == 0)
        or (value % 10 == 0 and rest < 10)
    )


def roman(text: str) -> int:
    """The value of a Roman numeral in lower case, or 0."""
    if not re.fullmatch(r"(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", text):
        return 0
    values = [_ROMANS[char] for char in text]
    return sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))


def kanji_number(text: str) -> float | None:
    total = section = 0.0
    digits = ""
    for char in [*text, ""]:
        if char.isdigit() or (char and char in ".,"):
            digits += char
        elif char in _KANJI_DIGITS:
            digits += str(_KANJI_DIGITS[char])
        else:
            try:
                number = float(digits.replace(",", "")) if digits else None
            except ValueError:
                return None
            scale = _KANJI_SCALES.get(char, 1)
            if scale >= 10**4:
                total += (section + (number or 0) or 1) * scale
                section = 0
            else:
                section += (1 if number is None and char else number or 0) * scale
            digits = ""
    return total + section
