"""The words of a language that numbers, dates, names and negations are read by.

Units, currencies, months and days are from CLDR by Babel. `words.toml` has the words of numbers, of the time of day,
of limits, permission and negation.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from babel import Locale
from babel.numbers import get_currency_name
from babel.units import format_unit

NEVER: Final = "(?!)"
_COUNTS: Final = (1, 2, 3, 5, 11, 100)
_SHORT: Final = {"min": "minute", "h": "hour", "d": "day", "w": "week", "M": "month", "y": "year"}
_FOLDED: Final = str.maketrans("أإآٱىةؤئ", "ااااي" + "هوي")
_END: Final = r"(?=n['’]t\b|not\b|\b)"
"""The end of a word, also before a `not` that is written with it: can't, cannot."""
_STOPS: Final = r"(?P<end>[.!?](?!\S)|[。！？؟\n|•])|(?P<cut>[,;:()،؛、；：，—])"
_BARE: Final = str.maketrans(
    "áàâãåāăąçćčďđéèêëēęěğíìîïīıłñńňóòôõøōőŕřśšşșťţțúùûūůűýÿźżžßæœ",
    "aaaaaaaacccddeeeeeeegiiiiiilnnnoooooo" + "orrssssttt" + "uuuuuuyyzzzsao",
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its dimension, and the factor to its base. Money has the codes that a word may mean as its dimension."""

    dimension: str
    factor: float
    name: str


class Vocabulary:
    """The words of a language, as patterns over its lower-case text; empty for an unknown language."""

    def __init__(self, tag: str) -> None:
        words = _words()[tag] if tag in TAGS else {}
        self.tag = tag if words else ""
        self.is_dense = tag in {"ja", "zh"}
        self._before = "" if self.is_dense else r"(?<!\w)[وف]?" if tag == "ar" else r"(?<!\w)"
        self._after = "" if self.is_dense else r"(?!\w)"
        self._end = "" if self.is_dense else _END
        self.stop = frozenset(words.get("stop", "").split())
        self.relative = frozenset(words.get("relative", "").split())
        self.endings = tuple(bare(words.get("endings", "")).split())
        self.atoms = _pairs(words.get("numbers", ""))
        self.scales = {word: value for word, value in self.atoms.items() if value >= 1000 or value == 12}
        self.fractions = _pairs(words.get("fractions", ""))
        self.ordinals = _pairs(words.get("ordinals", ""))
        self.units = _units(self.tag, words.get("units", ""))
        names = Locale.parse(tag) if words else None
        self.months = {
            folded(name).rstrip("."): month
            for context in ("format", "stand-alone") for width in ("wide", "abbreviated")
            for month, name in (names.months[context][width].items() if names and not self.is_dense else ())
            if len(name) > 2
        } | {word: int(value) for word, value in _pairs(words.get("months", "")).items()}  # fmt: skip
        self.days = {
            folded(name).removesuffix("日"): day for context in ("format", "stand-alone")
            for day, name in (names.days[context]["wide"].items() if names else ())
        } | {word: int(value) for word, value in _pairs(words.get("days", "")).items()}  # fmt: skip
        self.atom = re.compile(_any(self.atoms))
        self._patterns(words)

    def _patterns(self, words: dict[str, Any]) -> None:
        joined = rf"[\s-]*(?:(?:{words.get('links', NEVER)})[\s-]*)?"
        self.number = re.compile(rf"(?<!\w)(?:{self.atom.pattern})(?:{joined}(?:{self.atom.pattern}))*(?!\w)")
        self.scale = re.compile(rf"[\s-]?({_any(self.scales)})(?!\w)")
        gap = "ا?" if self.tag == "ar" else ""
        self.unit = re.compile(
            rf"[\s-]*(?:(?:de |d')(?=\D))?({_any(self.units, gap=gap)})" + ("" if self.is_dense else _tail(self.tag))
        )
        self.exact = self._pattern(_any(word for word, unit in self.units.items() if unit.name == "exact"))
        self.link = re.compile(rf"(?<!\w)(?:{words.get('links', NEVER)}){'' if self.tag == 'ar' else self._after}")
        self.fraction = self._pattern(f"({_any(self.fractions)})")
        a_half = rf"(?:{words.get('links', NEVER)})\s?(?:\w{{1,3}} )?"
        self.half = re.compile(rf"\s?{'' if self.is_dense else a_half}({_any(self.fractions)}){self._after}")
        self.nth = self._pattern(f"({_any(self.ordinals)})")
        self.day = self._pattern("(" + _any(self.days).replace("[ -]", "s?-") + ")s?")
        self.pm, self.am = (re.compile(rf"\s?(?:{words.get(name, NEVER)})") for name in ("pm", "am"))
        self.about = self._pattern(words.get("about", NEVER))
        self.direction = self._groups(words, "up", "down")
        (may, forbid), (must, free) = (words.get(kind, (NEVER, NEVER)) for kind in ("may", "must"))
        kinds = {"free": free, "forbid": forbid, "must": must, "may": may}
        kinds |= {kind: words.get(kind, NEVER) for kind in ("neg", "skip")}
        word = r"[^\W_]" if self.is_dense else rf"\d[\d.,:]*\d\b|[^\W_]+?{_END}"
        self.compared = re.compile(
            "".join(f"(?P<{kind}>(?:{one}){self._end})|" for kind, one in kinds.items()) + f"(?P<word>{word})|{_STOPS}"
        )
        self.surname = _any(words.get("surnames", "").split())
        small = {word for word, value in self.atoms.items() if value < 60}
        values = {
            "{h}": rf"(?P<h>\d{{1,2}}|{_any(word for word in small if self.atoms[word] <= 24)})",
            "{m}": rf"(?P<m>\d{{1,2}}|{_any(small)})",
            "{o}": rf"(?P<h>\d{{1,2}}(?![.,:]\d)\.?|{_any(self.ordinals)})",
            "{w}": rf"(?P<h>{_any(self.ordinals)})",
            "{c}": rf"(\d+|{self.atom.pattern}|an?|eine[rmns]?|une?)",
            "{n}": rf"((?:\d+|{_any(self.ordinals, self.atoms)})(?:ste[nrms]?|te[nrms]?|th|rd|nd|st|\.)?)",
        }

        def filled(template: str) -> str:
            for mark, value in values.items():
                template = template.replace(mark, value)
            return template

        self.every = self._pattern(filled(words.get("every", NEVER)))
        times = [template.rpartition("=") for template in words.get("times", ())]
        self.times = [(re.compile(rf"{self._before}{filled(one)}(?![\w%])"), offset) for one, _, offset in times]
        century = words.get("century", NEVER).replace("{r}", "(?P<r>[ivxlc]+)", 1).replace("{r}", "[ivxlc]+")
        century = century.replace("{o}", rf"(?P<o>\d+(?:\.|st|nd|rd|th)|{_any(self.ordinals)})")
        self.date = re.compile(
            _date_pattern(self.months, _any(self.ordinals), century.replace("{d}", r"(?P<c>\d+)"), dense=self.is_dense)
        )

    def _pattern(self, words: str) -> re.Pattern[str]:
        return re.compile(rf"{self._before}(?:{words}){self._after}")

    def _groups(self, words: dict[str, Any], *names: str) -> re.Pattern[str]:
        groups = (rf"(?P<{name}>{self._before}(?:{words.get(name, NEVER)}){self._after})" for name in names)
        return re.compile("|".join(groups))


def vocabulary(language: str) -> Vocabulary:
    """The vocabulary of a tag (BCP 47, or with an underscore), by its language."""
    tag = re.split("[-_]", language)[0].lower()
    return _vocabulary({"nb": "da", "no": "da", "yue": "zh"}.get(tag, tag))


_vocabulary: Final = cache(Vocabulary)


def _date_pattern(months: Iterable[str], nth: str, century: str, *, dense: bool) -> str:
    """Dates with a month's name, and centuries."""
    if dense:
        return (
            r"(?:(?P<era>明治|大正|昭和|平成|令和)\s?(?P<ey>元|\d{1,2})年|(?<!\d)(?P<y>\d{3,4})年)(?!間)"
            r"(?:\s?(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})日)?)?|(?<!\d)(?P<m2>\d{1,2})月(?P<d2>\d{1,2})日"
            r"|(?P<c>\d{1,2})世[紀纪]"
        )
    month = rf"(?:{_any(months)})\.?(?!\w)"
    link = r"(?:\s|,|de |del |of |d'|di |من )*"
    return (
        rf"(?<![\w.])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|re|\.|º|ª|°)?{link}(?P<m>{month})(?:{link}(?P<y>\d{{3,4}})(?![\d:]))?"
        rf"|(?<!\w)(?P<m2>{month})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[.:]\d)(?:,?\s*(?P<y2>\d{{4}})(?!\d))?"
        rf"|(?<!\w)(?P<q>{nth})\s(?:(?P<half>half|halbjahr|semestre)|quarter|quartal|trimestre|الربع)"
        r"\s(?:of |de |del )?(?P<y4>\d{4})"
        rf"|(?<!\w)(?P<m3>{month}){link}(?P<y3>\d{{3,4}})(?!\d)|(?<!\w)(?:{century})(?!\w)"
    )


def bare(word: str) -> str:
    """A lower-case word without diacritics; ä, ö and ü are ae, oe and ue."""
    if word.isascii():
        return word
    return word.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue").replace("ß", "ss").translate(_BARE)


def folded(text: str) -> str:
    """Lower-case text of the same length, with one form of each Arabic letter."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lower.translate(_FOLDED)


@cache
def _table() -> dict[str, tuple[Unit, list[str]]]:
    """The units by CLDR's name, each with its symbols."""
    found = {}
    for line in _words()["symbols"]["units"].strip().splitlines():
        dimension, *units = line.split()
        for unit in units:
            name, factor, *marks = re.split("[=,]", unit)
            found[name] = Unit(name if dimension == "-" else dimension, float(factor), name), marks
    return found


@cache
def signs() -> dict[str, Unit]:
    """Signs and codes of currencies, and symbols of units in all languages."""
    symbols = _words()["symbols"]
    codes = dict(pair.split("=") for pair in symbols["signs"].split())
    found = {mark: unit for unit, marks in _table().values() for mark in marks}
    codes |= {code: code for code in symbols["currencies"].split()}
    return found | {sign: Unit(code, 1, "money") for sign, code in codes.items()}


@cache
def sign_pattern() -> re.Pattern[str]:
    """A symbol or sign after a number."""
    return re.compile(rf"[\s-]?({_any(signs())})(?![^\W_\u3040-\u9fff])(?!/[a-z])")


def likeliest(text: str) -> str:
    """The language with the most of its commonest words in a lower-case text, or empty."""
    words = set(re.findall(r"[^\W\d_]+", text[:2_000]))
    counts = sorted((len(words.intersection(_words()[tag].get("stop", "").split())), tag) for tag in TAGS)
    return counts[-1][1] if counts[-1][0] > max(1, counts[-2][0]) else ""


@cache
def symbols(name: str) -> frozenset[str]:
    """Words of names: `particles`, `titles` and `articles`."""
    return frozenset(_words()["symbols"][name].split())


@cache
def _words() -> dict[str, Any]:
    found = tomllib.loads(files("chat_ui.features.claims").joinpath("words.toml").read_text("utf-8"))
    found["ar"] = {
        name: text.translate(_FOLDED) if isinstance(text, str) else [one.translate(_FOLDED) for one in text]
        for name, text in found["ar"].items()
    }
    return found


def _any(*words: Iterable[str], gap: str = "") -> str:
    found = sorted({word for group in words for word in group}, key=lambda word: (-len(word), word))
    return "|".join(map(re.escape, found)).replace(r"\ ", gap + r"\s").replace(r"\-", "[ -]") or NEVER


def _tail(tag: str) -> str:
    """Endings of a unit in a case that CLDR lacks: `Metern`."""
    tails = {"de": "n?", "pl": "(?:em|ami|ach|u|om)?", "tr": r"\w{0,4}", "ar": "ا?"}
    return tails.get(tag, "") + r"(?!\w)"


def _pairs(text: str) -> dict[str, float]:
    """The words and values of `word=value`; a word may have spaces."""
    found = re.findall(r"(\S[^=]*?)=([^\s/]+)(?:/(\d+))?", text)
    return {word: float(above) / float(below or 1) for word, above, below in found}


def _units(tag: str, more: str) -> dict[str, Unit]:
    """The words of units and currencies: CLDR's, then those of `words.toml`."""
    found: dict[str, Unit] = {}
    table = {name: unit for name, (unit, _) in _table().items()}
    for name, unit in table.items() if tag not in {"", "ar", "ja", "zh"} else ():
        locales = () if name.startswith("x-") else ("en", "en_GB") if tag == "en" else (tag,)
        for locale in locales:
            for count in _COUNTS:
                word = re.sub(r"[\d\s.,]*\d[\s]*", "", format_unit(count, name, "long", locale=locale)).strip()
                if word and not word.startswith(("-", "/")):
                    found[folded(word)] = unit
    for code in _words()["symbols"]["currencies"].split() if tag else ():
        for count in (1, 2, 5):
            word = folded(get_currency_name(code, count, locale=tag))
            found[word] = Unit(code, 1, "money")
            parts = re.split("[ -]", word)
            if len(parts) > 1:
                head = parts[0] if tag in {"fr", "es", "it", "pt", "ar", "pl"} else parts[-1]
                known = found.get(head)
                codes = {*known.dimension.split(","), code} if known and known.name == "money" else {code}
                found[head] = Unit(",".join(sorted(codes)), 1, "money")
    return found | {word: table.get(value) or _made(value) for word, value in re.findall(r"(\S[^=]*?)=(\S+)", more)}


def _made(value: str) -> Unit:
    """A unit of `words.toml`: `45min`, `2w`, codes of currencies, or a counter."""
    if match := re.fullmatch(r"(\d+)(min|h|d|w|M|y|times)", value):
        unit = _table()[f"duration-{_SHORT[match[2]]}" if match[2] in _SHORT else "x-times"][0]
        return Unit(unit.dimension, int(match[1]) * unit.factor, "exact")
    if value.isupper() or "," in value:
        return Unit(value, 1, "money")
    return Unit("ratio", 0.1, value) if value == "x-tenth" else Unit(value, 1, value)


TAGS: Final = frozenset(_words()) - {"symbols"}
