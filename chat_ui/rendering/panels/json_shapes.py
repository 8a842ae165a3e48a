"""Any JSON as safe HTML for reading: names with values, short ones as chips, long texts folded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Final

from chat_ui.languages.translation import gettext, ngettext
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.html.image_html import image_html, image_src
from chat_ui.rendering.html.links import DIRECTION_MARKS, beside_label, link_href

MAX_TEXT: Final = 50_000
"""Characters of one text that are shown; a note counts the others."""

MAX_ITEMS: Final = 200
"""Entries of one list or object that are shown; a note counts the others."""

MAX_VALUES: Final = 20_000
"""Values in a value that is shown in its shape."""

FOLDED_FROM: Final = 600

_MAX_DEPTH: Final = 12
_EXCERPT: Final = 180
_LONGEST_CHIP: Final = 60
_HUMP: Final = re.compile(r"([a-z])([A-Z])(?![A-Z])")
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
_PADDED_EXPONENT: Final = re.compile(r"(?<=e)(?:\+|(-))0*")
_UNSET: Final = frozenset({"", "None", "null"})


def summary_html(start: str, more: str) -> str:
    """The summary of folded content: while closed `start` and `more`, else words to fold it again."""
    less = escape(gettext("Show less"))
    ends = f'<bdi class="thought-more">{escape(more)}</bdi><bdi class="thought-less">{less}</bdi>'
    if not start:
        return f"<summary>{ends}</summary>"
    return f'<summary dir="auto"><span class="thought-start">{escape(start)}</span> {ends}</summary>'


def definitions_html(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, both safe HTML, side by side."""
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs[:MAX_ITEMS])
    return f'<dl class="properties">{rows}</dl>{more_html(len(pairs))}'


def object_html(value: Mapping[str, Json], depth: int) -> str:
    """An object as names and values, without those that are unset."""
    return definitions_html(
        [(name_html(name), value_html(item, depth + 1)) for name, item in value.items() if is_set(item)]
    )


def name_html(name: str) -> str:
    """The words in the name of a value."""
    return escape(cut(words_of_name(name)))


def value_html(value: Json, depth: int = 0) -> str:
    """Any JSON, for reading."""
    if value is None:
        return f"<em>{escape(gettext('none'))}</em>"
    if isinstance(value, bool):
        return escape(gettext("yes") if value else gettext("no"))
    if isinstance(value, (int, float)):
        return f"<code>{escape(number_of(value))}</code>"
    if isinstance(value, str):
        return _string_value(value)
    if depth > _MAX_DEPTH:
        return f"<em>{escape(gettext('more, nested deeper'))}</em>"
    if isinstance(value, Mapping):
        return object_html(value, depth) if value else _nothing()
    items = "".join(f"<li>{value_html(item, depth + 1)}</li>" for item in value[:MAX_ITEMS])
    return f'<ol class="values">{items}</ol>{more_html(len(value))}' if items else _nothing()


def _nothing() -> str:
    return f"<em>{escape(gettext('empty'))}</em>"


def is_set(value: Json, depth: int = 0) -> bool:
    """Whether a value is not empty: null, "None", empty values and nested empty values are."""
    if isinstance(value, str):
        return value.strip() not in _UNSET
    if depth > _MAX_DEPTH or not isinstance(value, Mapping | Sequence):
        return value is not None
    return any(is_set(one, depth + 1) for one in (value.values() if isinstance(value, Mapping) else value))


def properties_html(properties: Mapping[str, Json]) -> str:
    """Names and values, without those that are unset: short values as chips in a row, then the others."""
    told = [(name, value) for name, value in properties.items() if is_set(value)]
    chips = "".join(_chip(name, value) for name, value in told[:MAX_ITEMS] if _is_short(value))
    others = [(name_html(name), value_html(value)) for name, value in told if not _is_short(value)]
    more = more_html(len(told) - len(others))
    return (f'<dl class="properties-short">{chips}</dl>{more}' if chips else "") + (
        definitions_html(others) if others else ""
    )


def _is_short(value: Json) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_CHIP and "\n" not in value and not (image_src(value) or link_href(value))
    return isinstance(value, int | float)


def _chip(name: str, value: Json) -> str:
    words = value if isinstance(value, str) else _scalar(value)
    kind = ' class="properties-off"' if value is False else ""
    return f'<div{kind}><dt>{escape(cut(words_of_name(name), 100))}</dt><dd dir="auto">{escape(words)}</dd></div>'


def _scalar(value: Json) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return number_of(value) if isinstance(value, int | float) else ""


def words_of_name(name: str) -> str:
    """The words in the name of a value: `query time` of `query_time` and of `queryTime`.

    Names that are not identifiers, such as names of files, are left as sent.
    """
    words = str(name)[:MAX_TEXT]
    if _IDENTIFIER.fullmatch(words):
        words = _HUMP.sub(lambda hump: f"{hump[1]} {hump[2].lower()}", words).replace("_", " ")
    return clean_label(words)


def _string_value(value: str) -> str:
    if image_src(value):
        return image_html(value, gettext("image"))
    href = link_href(value)
    if href and href.lower().startswith("http"):
        rel = "noopener noreferrer nofollow"
        label = escape(cut(value).translate(DIRECTION_MARKS)) + beside_label(value, href)
        return f'<a href="{escape(href)}" target="_blank" rel="{rel}" dir="auto">{label}</a>'
    return text_html(value) if "\n" in value else f'<code dir="auto">{escape(cut(value))}</code>'


def number_of(value: float) -> str:
    """A number as JSON writes it, in full: it may be a year or an id."""
    try:
        return _PADDED_EXPONENT.sub(r"\1", json.dumps(value))
    except ValueError:
        # An integer with more digits than Python turns to text.
        return hex(int(value))[:40] + "…"


def text_html(text: str) -> str:
    """Text with its line breaks."""
    beyond = len(text) - MAX_TEXT
    words = ngettext("{count} more character is not shown.", "{count} more characters are not shown.", beyond)
    note = f'<p class="cut">{escape(words)}</p>' if beyond > 0 else ""
    return f'<p class="thought-text" dir="auto">{escape(text[:MAX_TEXT].strip())}</p>{note}'


def foldable_html(text: str) -> str:
    """Text with its line breaks; a long one shows its beginning until it is unfolded."""
    words = text.strip()
    if len(words) < FOLDED_FROM:
        return text_html(text)
    summary = summary_html(beginning(words, _EXCERPT), gettext("Show all {length} characters", length=len(words)))
    return f'<details class="thought-long">{summary}{text_html(text)}</details>'


def beginning(text: str, length: int) -> str:
    """The first words of a text in one line, with an ellipsis for the rest."""
    if len(text) <= length:
        return " ".join(text.split())
    return f"{' '.join(text[:length].split()).rpartition(' ')[0] or text[:length]}…"


def cut(text: str, limit: int = 2_000) -> str:
    """The text, short enough for a line."""
    return text if len(text) <= limit else text[:limit] + "…"


def more_html(count: int) -> str:
    """A note of how many of `count` entries are not shown."""
    words = ngettext("{count} more is not shown.", "{count} more are not shown.", count - MAX_ITEMS)
    return f'<p class="cut">{escape(words)}</p>' if count > MAX_ITEMS else ""


def size_of(value: Json, limit: int) -> int:
    """About how many characters a value has; counting stops beyond `limit`."""
    size = 0
    for one in _values(value):
        size += len(one) if isinstance(one, str | Mapping | Sequence) else 5
        if size > limit:
            break
    return size


def bounded(value: Json) -> Json:
    """The value, or the beginning of its JSON if it has more than `MAX_VALUES`."""
    if sum(1 for _ in islice(_values(value), MAX_VALUES + 1)) <= MAX_VALUES:
        return value
    # In a list and an object each name and value is a piece.
    pieces = islice(json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value), MAX_VALUES)
    return "".join(pieces)[:MAX_TEXT] + "…"


def _values(value: Json) -> Iterator[Json]:
    """A value, its nested values and the names in objects."""
    waiting: list[Iterator[Json]] = [iter((value,))]
    while waiting:
        for current in waiting[-1]:
            yield current
            if isinstance(current, Mapping):
                waiting += [iter(current.values()), iter(current.keys())]
                break
            if isinstance(current, Sequence) and not isinstance(current, str):
                waiting.append(iter(current))
                break
        else:
            waiting.pop()
