"""The reader of a text: numbers with units, dates, times and codes, in linear time."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from chat_ui.features.claims.numerals import ERAS, evaluated, kanji_number, parsed, roman
from chat_ui.features.claims.reading import Reading, Value, stem
from chat_ui.features.claims.vocabulary import TAGS, Unit, folded, likeliest, sign_pattern, signs, vocabulary
from chat_ui.languages.foreign_text import certain_language

_FOREIGN: Final = "".join(map(chr, (*range(0xFF01, 0xFF5F), *range(0x660, 0x66A), *range(0x6F0, 0x6FA))))
_ASCII: Final = "".join(map(chr, (*range(0x21, 0x7F), *range(0x30, 0x3A), *range(0x30, 0x3A))))
_PLAIN: Final = str.maketrans(_FOREIGN + "\u3000\u00a0\u202f\u2009’\u2011−٫٬٪〜℃", _ASCII + "    '--.,%–°")
_UNREAD: Final = re.compile("[\u064b-\u0652\u0640\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Vowel signs of Arabic, and characters without width."""
_SPACED_THOUSANDS: Final = frozenset({"fr", "pl", "es", "de", "da", "it", "pt"})
_POINT: Final = frozenset({"en", "ja", "zh", "ar", ""})
"""Languages that write decimals with a point."""
_LONGEST: Final = 30
"""Characters of a number from which on it is a code."""
_L: Final = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]"
_EDGE: Final = r"[^\W_\u3040-\u30ff\u3400-\u9fff]"
_FIXED: Final = re.compile(
    r"(?P<address>https?://[^\s<>\"»”」)،]+[\w/]|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"
    r"|(?<![\w.])(?:[a-z][\w-]{0,40}\.){1,5}(?:example|com|org|net|eu)(?:/[\w/.-]*)?"
    r"|(?<![\d.,:])\d{1,2}:\d\d:\d\d|(?<![\d.,])(?:\+\d|0)\d{1,4}(?:[ -]\d{2,4})+(?![\d:]))"
    r"|(?P<day>(?<![\d./-])(?:(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)|(?P<d1>\d{1,2})(?P<sep>[./])(?P<m1>\d{1,2})(?P=sep)"
    r"(?P<y1>\d{4}|\d\d)|(?P<d2>\d\d)/(?P<m2>\d\d)|(?P<d3>\d{1,2})\.(?P<m3>\d{1,2})\.)(?![\d/]))"
    r"|(?P<clock>(?<![\d:.,])(?P<h>[0-2]?\d)(?:(?::|\.(?=\d\d\s?(?:Uhr|bis|und|–))|\s?[hH]\s?)(?P<i>[0-5]\d)(?![\d:])"
    r"|\s?h(?!\w)|\s?(?=[aApP]\.?[mM](?!\w))|時(?:(?P<j>\d{1,2})分|(?P<k>半))?(?!間)|[点點](?:(?P<l>\d{1,2})分)?))"
    rf"|(?P<code>(?<!{_EDGE})(?<!-){_L}{{1,12}}(?:-{_EDGE}{{1,12}}){{0,4}}-\d{_EDGE}{{0,20}}(?:[.-]{_EDGE}{{1,20}}){{0,6}}(?![-])"
    rf"|(?<!{_EDGE})(?<![.-])[a-zA-Z]{{1,6}}\d{_EDGE}{{0,20}}(?:[.-]{_EDGE}{{1,20}}){{0,6}}(?!{_EDGE})"
    rf"|(?<!{_EDGE})(?<![.,-])\d{{1,20}}(?:\.\d{{1,20}}){{0,6}}-?[a-z]{{1,20}}\d{{1,20}}{_EDGE}{{0,20}}(?!{_EDGE}))"
)
_LITERAL: Final = re.compile(r"(?<![\d.,])\d+(?:[.,']\d+)*")
_SPACED: Final = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?:,\d+)?(?![\d.])")
_KANJI: Final = re.compile(
    r"\d[\d,.]{0,30}(?:[百千]?[百千万億兆][\d,.]{0,30})+|[〇一二三四五六七八九十百千](?:[〇一二三四五六七八九十百千万億兆])*"
)
_SHARE: Final = re.compile(r"(?<![\d/.])([1-9])/([2-9]|10)(?![\d/])|[½¼¾]|(\d)分の(\d)")
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th|er|ère|re|e|ème|º|ª)(?!\w)")
_MINUS: Final = re.compile(r"(?:(?<!\w)(?:minus|moins|menos|meno)\s|マイナス|氷点下|零下)$")
_JOINED_TIME: Final = re.compile(r"\s*(?:,|and|et|und|y|e|و|en|og|i)?\s*")
_RANGE: Final = re.compile(
    r"\s?(?:(?P<to>–|-|—|to|bis|à|a|au|till|tot|til|do|up to|から|～|الي)|et|and|und|y|و|e|of|von|out of|sur|de)"
    r"\s?(?:zu\s)?(?:[€$£])?"
)
_AFTERWARDS: Final = re.compile("[以未超後前之を]|から|まで|過ぎ")
"""Words of comparison that follow their number."""
_OR_MORE: Final = re.compile(r"or|oder|o|ou|au|tout|como|علي|او|كحد|of|lub|al|[ぁ-ん以未超後前過]")
_GAP: Final = re.compile(r"[\d.;、。，,()]")
_US: Final = re.compile(r"\d,\d{3}(?:,\d{3})+(?!\d)|\d,\d{3}\.\d")
_EU: Final = re.compile(r"\d\.\d{3}(?:\.\d{3})+(?!\d)|\d\.\d{3},\d")
_NOUN: Final = re.compile(r"[\s-]?([^\W\d_]{2,})")


def read(text: str, language: str = "", known: str = "") -> Reading:
    """Read `text` in a `language`; without it, in the detected one, and `known` if that is uncertain."""
    original, offsets = text, None
    if _UNREAD.search(text):
        offsets = [at for at, char in enumerate(text) if not _UNREAD.match(char)]
        text = _UNREAD.sub("", text)
    plain = text.translate(_PLAIN)
    reading = Reading(original, plain, folded(plain), vocabulary(language or _language(plain, known)), offsets=offsets)
    _Reader(reading).read()
    return reading


def _language(text: str, known: str) -> str:
    if re.search("[\u3040-\u30ff]", text):
        return "ja"
    found = certain_language(text).partition("-")[0]
    return found if found in TAGS else likeliest(folded(text)) or known


class _Reader:
    def __init__(self, reading: Reading) -> None:
        self.it = reading
        self.low = reading.low
        self.words = reading.words
        self.taken = bytearray(len(self.low) + 1)
        self.found: list[Value] = []
        is_point = reading.words.tag in _POINT
        order = re.search(r"(mm/dd|us format|month/day)|dd/mm|day/month", self.low)
        self.order = order and ("m" if order[1] else "d")
        self.comma = not _US.search(self.low) and (not is_point or _EU.search(self.low) is not None)

    def read(self) -> None:
        self.it.split()
        self._fixed()
        self._dates()
        self._times()
        self._ratios()
        self._numbers()
        self.found.sort(key=lambda value: value.start)
        self._join()
        self.it.split_lists()
        self._describe()
        self.it.find_words(self.taken)

    def _take(self, value: Value) -> None:
        self.taken[value.start : value.end] = b"\1" * (value.end - value.start)
        self.found.append(value)

    def _free(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """The matches of a pattern that are not in values that were found before."""
        return [one for one in pattern.finditer(self.low) if not (self.taken[one.start()] or self.taken[one.end() - 1])]

    def _fixed(self) -> None:
        for match in _FIXED.finditer(self.it.plain):
            start, end = match.span()
            if match["address"]:
                self._take(Value(start, end, "name", key=re.sub(r"[\s-]", "", match.group().lower())))
            elif match["day"]:
                self._numeric_date(match)
            elif match["clock"]:
                hour, minute = int(match["h"]), int(match["i"] or match["j"] or match["l"] or 30 * bool(match["k"]))
                if hour <= 24 and not (match.group()[-1] in "hH" and self.words.tag in {"en", "de"}):
                    self._time(start, end, hour, minute, is_certain=match.group()[0] == "0")
            elif quarter := re.fullmatch(r"[QTqt]([1-4])", match.group()):
                year = re.compile(r"\s?/?(\d{4})").match(self.low, end)
                end, at = (year.end(), int(year[1])) if year else (end, 0)
                self._take(Value(start, end, "date", year=at, month=20 + int(quarter[1])))
            elif not re.fullmatch(r"\d+(?:\.\d+)?-?[a-zA-Zµ]+[²³23]?", match.group()):
                self._take(Value(start, end, "name", key=match.group().lower()))

    def _numeric_date(self, match: re.Match[str]) -> None:
        if match["d3"] and self.words.tag not in {"de", "da", "pl", "tr"}:
            return
        day, month, year = (
            int(next((match[name] for name in names.split() if match[name]), 0))
            for names in ("d d1 d2 d3", "m m1 m2 m3", "y y1")
        )
        if (match["sep"] == "/" or match["d2"]) and day != month:
            if self.order == "m" or month > 12 >= day:
                day, month = month, day
            elif day <= 12 and self.words.tag in {"en", ""} and not self.order:
                self._take(Value(*match.span(), "date", year=year, soft=True))  # Both orders are usual.
                return
        if day <= 31 and month <= 12:
            self._take(Value(*match.span(), "date", year=year + 2000 * (0 < year < 100), month=month, date=day))

    def _time(self, start: int, end: int, hour: int, minute: int, *, is_certain: bool = False) -> None:
        before = self.low[max(0, start - 4) : start]
        offset = 0
        if match := self.words.pm.match(self.low, end) or self.words.pm.search(before):
            offset = 720 if hour < 12 else 0
        elif match := self.words.am.match(self.low, end) or self.words.am.search(before):
            is_certain = True
        end = match.end() if match and match.string is self.low else end
        at = hour % 24 * 60 + minute + offset
        options = {at} if offset or is_certain or hour > 12 else {at, at + 720}
        self._take(Value(start, end, "date", minutes=frozenset(option % 1440 for option in options)))

    def _times(self) -> None:
        for pattern, offset in self.words.times:
            for match in self._free(pattern):
                groups = match.groupdict()
                if "h" not in groups:
                    self._take(Value(*match.span(), "date", minutes=frozenset({int(offset)}), soft=True))
                    continue
                hour, minute = self._small(match["h"]), self._small(match["m"]) if "m" in offset else float(offset)
                if hour is not None and minute is not None and hour <= 24:
                    at = int(hour * 60 + (-minute if offset == "-m" else minute))
                    self._time(*match.span(), at // 60, at % 60)
        for match in self._free(self.words.day):
            self._take(Value(*match.span(), "date", weekday=self.words.days[match[1].replace("s-", "-")] + 1))

    def _small(self, text: str) -> float | None:
        """The value of a number or ordinal in digits or words."""
        text = re.sub(r"(?<=\d)\D+$", "", text)
        if text.isdecimal():
            return int(text[:_LONGEST])
        if re.fullmatch("an?|eine?[rmns]?|une?", text):
            return 1
        word = text if self.words.atom.fullmatch(text) else re.sub(r"(?:ste[nrms]?|te[nrms]?|th)$", "", text)
        return self.words.ordinals.get(text) or evaluated(word, self.words)

    def _dates(self) -> None:
        for match in self._free(self.words.date):
            groups = {name: value for name, value in match.groupdict().items() if value}
            if century := groups.get("c") or groups.get("o") or groups.get("r"):
                if at := int((roman(century) if "r" in groups else self._small(century)) or 0):
                    self._take(Value(*match.span(), "date", year=at * 100 - 99, last=at * 100))
                continue
            if quarter := groups.get("q"):
                at = int(self._small(quarter) or 0) + (30 if "half" in groups else 20)
                self._take(Value(*match.span(), "date", year=int(groups["y4"]), month=at))
                continue
            month, day, year = (
                next((groups[name] for name in (key, f"{key}2", f"{key}3") if name in groups), "") for key in "mdy"
            )
            if "era" in groups:
                year = str(ERAS[groups["era"]] + (1 if groups["ey"] == "元" else int(groups["ey"])))
            number = int(month) if month.isdigit() else self.words.months.get(re.sub(r"\s+", " ", month.rstrip(".")), 0)
            is_verb = self.words.tag == "en" and month.isalpha() and month in self.it.plain[slice(*match.span())]
            if (date := int(day or 0)) <= 31 and (year or day) and not is_verb:
                self._take(Value(*match.span(), "date", year=int(year or 0), month=number, date=date))

    def _ratios(self) -> None:
        for match in self._free(self.words.every):
            groups = [self._small(group) for group in match.groups() if group]
            unit, end = self._unit(match.end())
            if len(groups) == 1 and groups[0] and unit:
                self._take(Value(match.start(), end, "number", groups[0], unit, raw=groups[0], soft=True))
            elif groups and all(groups) and not (len(groups) == 1 and match.group()[-1].isdigit()):
                one, two = sorted(filter(None, groups)) if len(groups) > 1 else (1, groups[0] or 1)
                if two <= 20 or one == 1:
                    self._take(Value(*match.span(), "number", one / two, Unit("ratio", 1, "part"), soft=True))
        for match in self._free(self.words.fraction):
            start, end = match.span()
            number = self.words.fractions[match[1]]
            before = re.search(r"(\d+|[^\W\d_]+)\s$", self.low[max(0, start - 15) : start])
            times = self._small(before[1]) if before and number < 1 else None
            if before and times and float(times).is_integer() and 1 <= times <= 20:
                start, number = start - len(before[0]), number * times
            self._quantity(start, end, number, is_fraction=True)
        for match in self._free(_SHARE):
            part = {"½": 0.5, "¼": 0.25, "¾": 0.75}.get(match.group())
            above, below = (match[4], match[3]) if match[3] else (match[1], match[2])
            if part or int(below):
                self._quantity(*match.span(), part or int(above) / int(below), is_fraction=True)

    def _numbers(self) -> None:
        for match in self._free(_KANJI) if self.words.is_dense else ():
            text, number = match.group(), kanji_number(match.group())
            has_unit = self.words.unit.match(self.low, match.end())
            if number is not None and (text[0].isdigit() or has_unit or (len(text) > 1 and text[-1] in "百千万億")):
                self._quantity(*match.span(), number, is_word=not text[0].isdigit())
        for match in self._free(_SPACED):
            is_plain = " " in self.it.text[match.start() : match.end()]
            if (self.words.tag in _SPACED_THOUSANDS or not is_plain) and len(match.group()) <= _LONGEST:
                self._quantity(*match.span(), float(match.group().replace(" ", "").replace(",", ".")))
        for match in self._free(_LITERAL):
            self._literal(*match.span())
        for match in self._free(self.words.number):
            number = evaluated(match.group(), self.words)
            if number is not None:
                self._quantity(*match.span(), number, is_word=True)
        for match in self._free(self.words.nth):
            at, noun = self.words.ordinals[match[1]], self._noun(match.end())
            self._take(Value(*match.span(), "number", at, soft=True, raw=at, noun=f"#{noun}"))
        for match in self._free(self.words.exact):
            self._quantity(*match.span(), 1)

    def _literal(self, start: int, end: int) -> None:
        text = self.low[start:end]
        number = parsed(text, has_decimal_comma=self.comma) if len(text) <= _LONGEST else None
        if number is None:
            self._take(Value(start, end, "number", key=text))
        elif self._is_year(text, start, end):
            self._take(Value(start, end, "date", year=int(number), raw=number))
        elif ordinal := _ORDINAL.match(self.low, end):
            self._take(Value(start, ordinal.end(), "number", number, soft=True, raw=number, noun="#"))
        else:
            is_negative = re.search(r"(?<!\w)-$", self.it.plain[max(0, start - 2) : start]) is not None
            self._quantity(start - is_negative, end, -number if is_negative else number)

    def _is_year(self, text: str, start: int, end: int) -> bool:
        if not (text.isdigit() and len(text) == 4 and 1000 <= int(text) <= 2199):
            return False
        if self._unit(end)[0] is not None or self._prefix(start):
            return self.low.startswith("年", end) and not self.low.startswith("年間", end)
        return not self.words.scale.match(self.low, end)

    def _prefix(self, start: int) -> tuple[Unit, int] | None:
        """The sign or code of a currency before a number."""
        match = re.search(r"(€|£|¥|₺|\$|[A-Z]{3})\s?$", self.it.plain[max(0, start - 4) : start])
        unit = signs().get(match[1]) if match else None
        return (unit, start - len(match[0])) if match and unit and unit.name == "money" else None

    def _unit(self, end: int) -> tuple[Unit | None, int]:
        symbol = sign_pattern().match(self.it.plain, end)
        word = self.words.unit.match(self.low, end)
        if word and (not symbol or word.end() >= symbol.end()):
            name = re.sub(r"\s", " ", word[1])
            forms = (name, name.replace("ا ", " "), name.replace(" ", "-"), name.replace("-", " "))
            return next((self.words.units[form] for form in forms if form in self.words.units), None), word.end()
        return (signs()[symbol[1]], symbol.end()) if symbol else (None, end)

    def _part(self, end: int) -> tuple[float, int]:
        """The fraction after a number or unit, and its end: and a half."""
        match = self.words.half.match(self.low, end)
        part = self.words.fractions[match[1]] if match else 1
        return (part, match.end()) if match and part < 1 else (0.0, end)

    def _quantity(
        self, start: int, end: int, number: float, *, is_word: bool = False, is_fraction: bool = False
    ) -> None:
        """Take a number with its scale and unit."""
        raw, exact = number, self.words.units.get(self.low[start:end].lstrip("وفب"))
        while (scale := self.words.scale.match(self.low, end)) and not is_word:
            number, end, is_fraction = number * self.words.scales[scale[1]], scale.end(), False
        part, end = self._part(end) if not is_fraction else (0.0, end)
        unit, end = self._unit(end) if not exact else (exact, end)
        prefix = self._prefix(start) if unit is None or unit.name != "money" else None
        if prefix:
            unit, start = prefix
            if short := re.compile(r"(k|m|mn|bn)(?!\w)").match(self.low, end):
                number, end = number * {"k": 1e3, "bn": 1e9}.get(short[1], 1e6), short.end()
        if unit and unit.name != "money" and not part:
            part, end = self._part(end)
        number += part * (1e6 if number >= 1e6 else 1e3 if number >= 1e3 else 1)
        if is_word and unit is None and (number == 1 or self.words.fraction.match(self.low, end)):
            return
        if unit and unit.name == "x-dozen":
            number, unit, is_fraction = number * 12, None, False
        if is_fraction and unit is None:
            if self.low[start:end] != "半":
                self._take(Value(start, end, "number", number, Unit("ratio", 1, "part"), soft=True, raw=round(raw, 1)))
            return
        if unit and unit.name == "temperature-fahrenheit":
            number, unit = (number - 32) / 1.8, Unit("heat", 1, "converted")
        minus = _MINUS.search(self.low[max(0, start - 8) : start])
        if minus and unit and unit.dimension in {"heat", "degrees"}:
            start, number = start - len(minus[0]), -number
        is_count = unit is None or unit.name[:2] == "x-" == unit.dimension[:2]
        is_small = 0 <= number <= 12 and float(number).is_integer()
        is_one = number == 1 and (is_word or (unit is not None and unit.name[:2] == "x-"))
        noun = "" if unit else self._noun(end)
        self._take(Value(start, end, "number", number, unit, noun, soft=is_one or (is_count and is_small), raw=raw))

    def _noun(self, end: int) -> str:
        after = _NOUN.match(self.low, end)
        if not after or after[1] in self.words.stop or self.words.direction.match(self.low, after.start(1)):
            return ""
        if self.words.tag == "de" and self.it.plain[after.start(1)].islower():
            return ""
        return after[1][:1] if self.words.is_dense else stem(after[1], self.words)

    def _join(self) -> None:
        """Join `1 hour 15 minutes`, and give the first number of a range the unit of the second."""
        joined: list[Value] = []
        for value in self.found:
            last = joined[-1] if joined else None
            gap = self.low[last.end : value.start] if last and value.start - last.end <= 8 else "?"
            if last and last.kind == value.kind == "number":
                one, two = last.unit, value.unit
                is_time = one and two and one.dimension == two.dimension == "time" and two.factor < one.factor
                if one and two and is_time and _JOINED_TIME.fullmatch(gap):
                    last.number, last.end, last.soft = last.number + value.base / one.factor, value.end, False
                    continue
                is_cents = one and one.name == "money" and not two and value.end - value.start == 2
                if is_cents and gap.strip() in {"", "con"}:
                    last.number, last.end = last.number + value.raw / 100, value.end
                    continue
                if match := _RANGE.fullmatch(gap):
                    if one is None and two and two.dimension != "times" and last.noun[:1] != "#":
                        last.unit, last.soft = two, False
                    elif one is None and not last.noun:
                        last.noun = value.noun
                    if last.unit and two and last.unit.name == two.name and match["to"]:
                        last.top = value.number
            joined.append(value)
        self.it.values = joined

    def _describe(self) -> None:
        """Give each value its direction, more or less, whether it is rounded, and the unit of its column."""
        directions = [(*match.span(), match.lastgroup or "") for match in self.words.direction.finditer(self.low)]
        abouts = [match.span() for match in self.words.about.finditer(self.low)]
        for value in self.it.values:
            value.direction = self._direction(directions, value)
            at = max(0, bisect_right(abouts, (value.start, 0)) - 1)
            near = (0 <= value.start - end <= 3 or 0 <= start - value.end <= 2 for start, end in abouts[at : at + 3])
            value.about = any(near)
            header = self.it.headers.get(self.it.clause_at(value.start))
            if header is not None and value.kind == "number" and not value.unit:
                match = re.search(r"\(\s*([^()]+)\)", self.it.plain[slice(*self.it.ends(header))] + ")")
                unit = match[1].strip() if match else ""
                value.unit = signs().get(unit) or self.words.units.get(unit.lower())

    def _direction(self, directions: list[tuple[int, int, str]], value: Value) -> str:
        """The direction right before a value, or else right after it."""
        at = bisect_right(directions, (value.start, 0, ""))
        if at and not _AFTERWARDS.match(self.low, directions[at - 1][0]) and value.start - directions[at - 1][1] <= 12:
            gap = self.low[directions[at - 1][1] : value.start]
            if not _GAP.search(gap) and len(gap.split()) <= 1:
                return directions[at - 1][2]
        after = bisect_right(directions, (value.end - 1, 10**9, ""))
        if after < len(directions) and directions[after][0] - value.end <= 20:
            gap = self.low[value.end : directions[after][0]]
            if len(gap.split()) <= 1 and not _GAP.search(gap) and _OR_MORE.match(self.low, directions[after][0]):
                return directions[after][2]
        return ""
