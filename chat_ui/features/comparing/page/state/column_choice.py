"""The backend and options of the second column, stored in the tab."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import reflex as rx

from chat_ui.backends.offer import Sent, default_options, sent_options
from chat_ui.backends.options import OPTIONS, shown_value
from chat_ui.backends.personal_choices import Choices, read_choices
from chat_ui.backends.profile import Profile
from chat_ui.backends.state.backend_choice import BackendState, offer_of
from chat_ui.backends.state.option_rows import OptionRows, row_value
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.local import TOLD
from chat_ui.languages.translation import gettext
from chat_ui.protocol.events import Json
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
        return offer_of(self).chosen(self._choices())[0]

    @rx.var(deps=["saved", "column"], auto_deps=False)
    def column_label(self) -> str:
        choices = self._choices()
        return offer_of(self).names(choices)[offer_of(self).chosen(choices)[0]]

    @rx.var(deps=["saved", "column"], auto_deps=False)
    def column_takes_options(self) -> bool:
        profile = offer_of(self).chosen(self._choices())[1]
        return services().backends.offer.options_allowed and profile.backend().overrides != "none"

    @rx.var(deps=["saved", "of_conversation", "column"], auto_deps=False)
    def option_differences(self) -> list[list[str]]:
        """The differing options as texts: those of the first column, and those of the second."""
        each = [self._sent(BackendState._choices(self)), self._sent(self._choices())]
        first, second = (sent.options for sent in each)
        keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
        # An option that only one deployment tells is not a choice of the person's.
        chosen = [key for key in keys if not any(key in a.told and key not in b.options for a, b in (each, each[::-1]))]
        return [[_in_words(key, sent.options.get(key)) for key in chosen] for sent in each]

    @rx.event
    async def select_for_column(self, backend_id: str) -> None:
        if backend_id in offer_of(self).profiles(self._choices()):
            self._store_column(replace(read_choices(self.column), selected=backend_id))
            await self._fill()

    @rx.event
    def set_column_option(self, key: str, value: str) -> None:
        """Set an option of the second column; an invalid value is shown and not sent."""
        selected, profile = offer_of(self).chosen(self._choices())
        if not services().backends.offer.options_allowed:
            return
        self._set_row(key, value, profile, self._advice_known(profile))
        row = next((one for one in self.rows if one.key == key), None)
        if row is None or row.problem:
            return
        options = {name: kept for name, kept in self._own_options(selected).items() if name != key}
        if row.changed:
            options[key] = row_value(row)
        self._store_column(read_choices(self.column).with_options(selected, options))

    @property
    def _shown(self) -> str:
        return self.column_backend

    def _choices(self) -> Choices:
        choices, column = read_choices(self.saved), read_choices(self.column)
        return replace(choices, selected=column.selected or choices.selected, options=column.options)

    def _store_column(self, choices: Choices) -> None:
        self.column = choices.to_json()

    async def _fill(self) -> None:
        """Show the options of the column, with the facts that its deployment tells."""
        selected, profile = offer_of(self).chosen(self._choices())
        await self._look(profile, selected)
        self._show_rows(profile, self._own_options(selected), self._advice_known(profile))

    def _sent(self, choices: Choices) -> Sent:
        selected, profile = offer_of(self).chosen(choices)
        own = offer_of(self).own_options(choices, selected)
        return sent_options(profile, own, self._advice_known(profile))


async def use_for_column(state: ColumnChoice, column: str, newest: Generation | None) -> None:
    """Load the choice of the second column with this id. The tab's choice is first, then that of the `newest` answer,
    then the first other backend on offer; the first column's where only that is on offer.
    """
    if state.chosen_for != column:
        choices = BackendState._choices(state)
        selected = offer_of(state).remembered_id(newest.asked_of, choices) if newest is not None else ""
        if newest is not None and selected:
            profile = offer_of(state).profiles(choices)[selected]
            options = _own_options(profile, newest)
        else:
            current = offer_of(state).chosen(choices)[0]
            others = (key for key in offer_of(state).profiles(choices) if key != current)
            selected = next(others, current)
            options = offer_of(state).own_options(choices, selected)
        state.chosen_for = column
        state._store_column(Choices(selected=selected, options={selected: options}))
    await state._fill()


def _own_options(profile: Profile, answer: Generation) -> dict[str, Json]:
    """The options of an answer that differ from the defaults, without those that only the deployment told; null
    removes a default.
    """
    sent, defaults = answer.overrides, default_options(profile)
    told = {key for thought in answer.answer.thoughts if thought.title == TOLD for key in thought.props or ()}
    known = {*defaults, *(key for key in sent if key in OPTIONS)} - told
    return {key: sent.get(key) for key in known if sent.get(key) != defaults.get(key)}


def _in_words(key: str, value: Json) -> str:
    name = OPTIONS[key].label if key in OPTIONS else key
    shown = shown_value(value)[:_LONGEST_VALUE] if value is not None else gettext("default")
    # Translators: an option of a request and its value, such as “Temperature: 0.2”.
    return gettext("{name}: {value}", name=name, value=shown)
