"""The conversation: its scrolling list, and each turn."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, script
from chat_ui.page.state.views import AnswerView, TurnView


class Address(Scripted):
    """Puts the address of `conversation`, `under`/ID, into the address bar once `begun` and `written`."""

    library = script("page/thread/address.js")

    conversation: rx.Var[str]
    begun: rx.Var[bool]
    written: rx.Var[bool]
    under: rx.Var[str]


class AnswerText(Scripted):
    """The text of an `answer`: streamed if live when first shown, and loaded again if its end differs from the status.

    A long finished answer shows only the part near the reader. Children are visible beside it until the text is
    complete.
    """

    library = script("page/thread/answer_text.jsx")

    answer: rx.Var[AnswerView]
    on_citation: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class BesideAnswer(Scripted):
    """The content beside an answer; for many `characters` it loads once the reader is near."""

    library = script("page/thread/answer_parts.jsx")

    characters: rx.Var[int]


class CitationCards(Scripted):
    """The card of the citation under the pointer or the focus, and the keys between citations; once on a page.
    `on_step` gets the address of an answer, and the id of a step; `on_source` the index of a data point instead.
    """

    library = script("page/thread/citation_cards.jsx")

    on_step: rx.EventHandler[rx.event.passthrough_event_spec(str, str)]
    on_source: rx.EventHandler[rx.event.passthrough_event_spec(str, int)]


class CopyAnswer(Scripted):
    """The button that copies the answer at `address`, and a menu with formats, also without citations if it `cites`.
    The command `copy` is for the answer that `is_latest`.
    """

    library = script("page/thread/copy_answer.jsx")

    address: rx.Var[str]
    cites: rx.Var[bool]
    is_latest: rx.Var[bool]


class Outcome(Scripted):
    """The outcome of the `answer`, unless successful: an alert for a tab that saw the answer stream."""

    library = script("page/thread/outcome.jsx")

    answer: rx.Var[AnswerView]


class QuestionText(Scripted):
    """The question of a `turn`. `on_edit` gets its edited text; the edit box is open until another turn replaces it.
    Children are beside its Edit button, which is hidden while the thread is answering.
    """

    library = script("page/thread/question_text.jsx")

    turn: rx.Var[TurnView]
    max_length: rx.Var[int]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class Silence(Scripted):
    """The time since the last event of the answer at `address`, once long."""

    library = script("page/thread/silence.jsx")

    address: rx.Var[str]


class TabSigns(Scripted):
    """The browser tab's sign of an `answer`: streaming while `live`, then that an agent `waits`, or its `status`."""

    library = script("page/thread/tab_signs.js")

    answer: rx.Var[str]
    live: rx.Var[bool]
    status: rx.Var[str]
    waits: rx.Var[bool]


class Thread(Scripted):
    """The conversation's scrolling list, named `label`; it scrolls to the end whenever `latest` changes.

    The list is `busy` until loaded. `answering` is passed once here, as passing it to each turn would render them all
    again. `first` is the first turn on the page; while `earlier` ones exist, `on_earlier` requests them.
    """

    library = script("page/thread/thread.jsx")

    label: rx.Var[str]
    busy: rx.Var[bool]
    answering: rx.Var[bool]
    latest: rx.Var[str]
    first: rx.Var[str]
    earlier: rx.Var[bool]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]
