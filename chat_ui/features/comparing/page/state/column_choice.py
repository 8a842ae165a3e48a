"""The backend and options of the second column, stored in the tab."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import reflex as rx

from chat_ui.backends.offer import default_options
from chat_ui.backends.options import OPTIONS, read_option, shown_value
from chat_ui.backends.personal_choices import Choices, read_choices
from chat_ui.backends.profile import Profile
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.backends.state.option_rows import OptionRows, checked
from chat_ui.conversations.generations.generation import Generation
from chat_ui.languages.translation import gettext
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.server.services import services

_LONGEST_VALUE: Final = 60
"""Characters of a value in the head of a column."""


class ColumnChoice(OptionRows, BackendState):
    """The second column's choice, which shares backends and keys with the person's own, but not options."""

    column: str = rx.SessionStorage("", name="chat-ui-arm")
    """The selected backend and the options of each, in the format of `Choices`."""
    chosen_for: str = rx.SessionStorage("", name="chat-ui-arm-of")
    """The id of the second column with this choice."""

    @rx.var(deps=["saved", "column"], auto_deps=False)
    def column_backend(self) -> str:
        return services().backends.offer.chosen(self._choices())[0]

    @rx.var(deps=["saved", "column"], auto_deps=False)
    def column_label(self) -> str:
        choices = self._choices()
        return services().backends.offer.names(choices)[services().backends.offer.chosen(choices)[0]]

    @rx.var(deps=["saved", "column"], auto_deps=False)
    def column_takes_options(self) -> bool:
        profile = services().backends.offer.chosen(self._choices())[1]
        return services().backends.offer.options_allowed and profile.backend().overrides != "none"

    @rx.var(deps=["saved", "of_conversation", "column"], auto_deps=False)
    def option_differences(self) -> list[list[str]]:
        """The differing options as texts: those of the first column, and those of the second."""
        each = [self._sent(BackendState._choices(self)), self._sent(self._choices())]
        keys = [key for key in {**each[0], **each[1]} if each[0].get(key) != each[1].get(key)]
        return [[_in_words(key, options.get(key)) for key in keys] for options in each]

    @rx.event
    def select_for_column(self, backend_id: str) -> None:
        if backend_id in services().backends.offer.profiles(self._choices()):
            self._store_column(replace(read_choices(self.column), selected=backend_id))

    @rx.event
    def set_column_option(self, key: str, value: str) -> None:
        """Set an option of the second column; an invalid value is shown and not sent."""
        selected, profile = services().backends.offer.chosen(self._choices())
        rows = {row.key: row for row in self.rows}
        if key not in rows or not services().backends.offer.options_allowed:
            return
        row = checked(replace(rows[key], value=value))
        self.rows = [row if one.key == key else one for one in self.rows]
        if row.problem:
            return
        typed = read_option(OPTIONS[key], value)
        options = {name: kept for name, kept in self._own_options(selected).items() if name != key}
        if typed != default_options(profile).get(key):
            options[key] = typed
        self._store_column(read_choices(self.column).with_options(selected, options), keep_rows=True)

    def _choices(self) -> Choices:
        choices, column = read_choices(self.saved), read_choices(self.column)
        return replace(choices, selected=column.selected or choices.selected, options=column.options)

    def _store_column(self, choices: Choices, *, keep_rows: bool = False) -> None:
        self.column = choices.to_json()
        if not keep_rows:
            self._fill()

    def _fill(self) -> None:
        selected, profile = services().backends.offer.chosen(self._choices())
        self._show_rows(profile, self._own_options(selected))

    def _sent(self, choices: Choices) -> dict[str, Json]:
        selected, profile = services().backends.offer.chosen(choices)
        return {**default_options(profile), **services().backends.offer.own_options(choices, selected)}


def use_for_column(state: ColumnChoice, column: str, newest: Generation | None) -> None:
    """Load the choice of the second column with this id. The tab's choice is first, then that of the `newest` answer,
    then the first other backend on offer; the first column's where only that is on offer.
    """
    if state.chosen_for != column:
        choices = BackendState._choices(state)
        selected = services().backends.offer.remembered_id(newest.asked_of, choices) if newest is not None else ""
        if newest is not None and selected:
            profile = services().backends.offer.profiles(choices)[selected]
            options = _own_options(profile, newest.overrides)
        else:
            current = services().backends.offer.chosen(choices)[0]
            others = (key for key in services().backends.offer.profiles(choices) if key != current)
            selected = next(others, current)
            options = services().backends.offer.own_options(choices, selected)
        state.chosen_for = column
        state._store_column(Choices(selected=selected, options={selected: options}))
    state._fill()


def _own_options(profile: Profile, sent: JsonObject) -> dict[str, Json]:
    """The `sent` options that differ from the defaults; null removes a default."""
    defaults = default_options(profile)
    known = {*defaults, *(key for key in sent if key in OPTIONS)}
    return {key: sent.get(key) for key in known if sent.get(key) != defaults.get(key)}


def _in_words(key: str, value: Json) -> str:
    name = OPTIONS[key].label if key in OPTIONS else key
    shown = shown_value(value)[:_LONGEST_VALUE] if value is not None else gettext("default")
    # Translators: an option of a request and its value, such as “Temperature: 0.2”.
    return gettext("{name}: {value}", name=name, value=shown)
