"""The options of a request as the dialog shows them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import reflex as rx

from chat_ui.backends.offer import default_options
from chat_ui.backends.options import AZURE_SEARCH, OPTIONS, read_more, read_option, shown_value
from chat_ui.backends.profile import Profile
from chat_ui.languages.translation import translated
from chat_ui.protocol.events import Json


@dataclass
class OptionRow:
    """A request option as the dialog shows it; `value` is empty if the backend decides."""

    key: str = ""
    label: str = ""
    help: str = ""
    shape: str = ""
    value: str = ""
    default: str = ""
    choices: list[list[str]] = field(default_factory=list)
    is_of_search: bool = False
    """Whether it is of Azure AI Search."""
    changed: bool = False
    problem: str = ""


class OptionRows(rx.State, mixin=True):
    """The options of a backend."""

    rows: list[OptionRow] = []
    has_search: bool = False
    """Whether any of the rows is of Azure AI Search."""
    opens_search: bool = False
    """Whether these are open at first: the backend is known to read them, or one is set."""

    def _show_rows(self, profile: Profile, options: dict[str, Json]) -> None:
        current = {**default_options(profile), **options}
        self.rows = [_option_row(key, profile, current.get(key)) for key in profile.known_options if key in OPTIONS]
        of_search = [row for row in self.rows if row.is_of_search]
        self.has_search = bool(of_search)
        self.opens_search = any(row.value for row in of_search) or profile.backend().known_overrides is not None


def _option_row(key: str, profile: Profile, value: Json) -> OptionRow:
    option = OPTIONS[key]
    return checked(
        OptionRow(
            key=key,
            label=option.label,
            help=option.help,
            shape=option.shape,
            value=shown_value(value),
            default=shown_value(default_options(profile).get(key)),
            choices=[list(choice) for choice in option.choices],
            is_of_search=key in AZURE_SEARCH and "semantic_ranker" in profile.known_options,
        )
    )


def checked(row: OptionRow) -> OptionRow:
    """`row` with the error in its value, and whether the value differs from the backend's own."""
    try:
        read_option(OPTIONS[row.key], row.value)
    except ValueError as problem:
        return replace(row, problem=translated(str(problem)), changed=True)
    return replace(row, problem="", changed=row.value.strip() != row.default)


def more_problem(typed: str) -> str:
    """The error in options typed as JSON, and its place; else empty."""
    try:
        read_more(typed)
    except ValueError as problem:
        return translated(str(problem))
    return ""


def differing(profile: Profile, options: dict[str, Json]) -> int:
    defaults = default_options(profile)
    return sum(1 for key, value in options.items() if value != defaults.get(key))
