"""The options of a request as the dialog shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import reflex as rx

from chat_ui.backends.offer import default_options
from chat_ui.backends.options import AZURE_SEARCH, OPTIONS, read_more, read_option, shown_value
from chat_ui.backends.profile import Profile
from chat_ui.languages.translation import translated
from chat_ui.protocol.detection.advice import NO_ADVICE, STREAM, Advice
from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import Translatable


@dataclass
class OptionRow:
    """A request option as the dialog shows it; `value` is empty for the backend's or the deployment's default.

    `told` is the default that the deployment told, in words. Each choice is a value, its label, and the reason that
    excludes it, or an empty text; `note` has these reasons.
    """

    key: str = ""
    label: str = ""
    help: str = ""
    shape: str = ""
    value: str = ""
    default: str = ""
    told: str = ""
    choices: list[list[str]] = field(default_factory=list)
    is_of_search: bool = False
    """Whether it is of Azure AI Search."""
    changed: bool = False
    problem: str = ""
    note: str = ""


class OptionRows(rx.State, mixin=True):
    """The options of a backend."""

    rows: list[OptionRow] = []
    has_search: bool = False
    """Whether any of the rows is of Azure AI Search."""
    opens_search: bool = False
    """Whether these are open at first: the backend is known to read them, or one is set."""
    unstreamed: str = ""
    """The reason for whole answers, if the options exclude streams; else empty."""

    def _show_rows(self, profile: Profile, options: Mapping[str, Json], advice: Advice) -> None:
        """Show the options, except those that the deployment does not have and neither person nor operator set."""
        known = dict.fromkeys((*profile.known_options, *advice.options))
        hidden = advice.hidden.difference(options, profile.options)
        keys = [key for key in known if key in OPTIONS and key not in hidden]
        self.rows = [_option_row(key, keys, profile, options, advice) for key in keys]
        of_search = [row for row in self.rows if row.is_of_search]
        self.has_search = bool(of_search)
        is_known = bool(advice.options) or profile.backend().known_overrides is not None
        self.opens_search = is_known or any(row.value for row in of_search)
        self._exclude(profile, advice)

    def _set_row(self, key: str, value: str, profile: Profile, advice: Advice) -> None:
        self.rows = [checked(replace(row, value=value)) if row.key == key else row for row in self.rows]
        self._exclude(profile, advice)

    def _exclude(self, profile: Profile, advice: Advice) -> None:
        """Note the values that the other options exclude."""
        set_here = {row.key: row_value(row) for row in self.rows if row.changed and not row.problem}
        excluded = advice.excluded({**default_options(profile, advice), **set_here})
        shown = {(key, shown_value(value)): reason for (key, value), reason in excluded.items()}
        self.unstreamed = translated(excluded.get((STREAM, True), ""))
        self.rows = [_with_reasons(row, shown) for row in self.rows]


def _option_row(key: str, keys: list[str], profile: Profile, options: Mapping[str, Json], advice: Advice) -> OptionRow:
    option = OPTIONS[key]
    default = default_options(profile, advice).get(key)
    choices = dict(option.choices)
    if key in advice.choices:
        choices = {value: choices.get(value, value) for value in advice.choices[key]}
    is_told = key in advice.options and key not in profile.options
    return checked(
        OptionRow(
            key=key,
            label=option.label,
            help=option.help,
            shape=option.shape,
            value=shown_value(options.get(key, None if is_told else default)),
            default="" if is_told else shown_value(default),
            told=choices.get(shown_value(default), shown_value(default)) if is_told else "",
            choices=[[*choice, ""] for choice in choices.items()],
            is_of_search=key in AZURE_SEARCH and "semantic_ranker" in {*keys, *advice.hidden},
        )
    )


def row_value(row: OptionRow) -> Json:
    """The value in the row; None for a default.

    Raises:
        ValueError: it is invalid; the words are for the person.
    """
    choices = tuple((value, label) for value, label, _ in row.choices)
    return read_option(replace(OPTIONS[row.key], choices=choices), row.value)


def checked(row: OptionRow) -> OptionRow:
    """`row` with the error in its value, and whether the value differs from the default."""
    try:
        row_value(row)
    except ValueError as problem:
        return replace(row, problem=translated(str(problem)), changed=True)
    return replace(row, problem="", changed=row.value.strip() != row.default)


def _with_reasons(row: OptionRow, excluded: Mapping[tuple[str, str], Translatable]) -> OptionRow:
    choices = [[value, label, translated(excluded.get((row.key, value), ""))] for value, label, _ in row.choices]
    reasons = dict.fromkeys(reason for *_, reason in choices if reason)
    return replace(row, choices=choices, note=" ".join(reasons))


def more_problem(typed: str) -> str:
    """The error in options typed as JSON, and its place; else empty."""
    try:
        read_more(typed)
    except ValueError as problem:
        return translated(str(problem))
    return ""


def differing(profile: Profile, options: Mapping[str, Json], advice: Advice = NO_ADVICE) -> int:
    defaults = default_options(profile, advice)
    return sum(1 for key, value in options.items() if value != defaults.get(key))
