"""The conversation: its scrolling list, and each turn of it."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script
from chat_ui.page.state.views import AnswerView, TurnView


class Address(rx.Component):
    """Keeps the address of `conversation` in the address bar once it has `begun` and is `written`; conversations are
    at `under`/ID.
    """

    library = script("page/thread/address.js")
    tag = "Address"

    conversation: rx.Var[str]
    begun: rx.Var[bool]
    written: rx.Var[bool]
    under: rx.Var[str]


class AnswerText(rx.Component):
    """The text of an `answer`: followed if it is live when first shown, and fetched again where its end is not the
    status. Of an answer with many characters that had ended by then, the part near the reader.

    Children show beside it until the text is complete.
    """

    library = script("page/thread/answer_text.jsx")
    tag = "AnswerText"

    answer: rx.Var[AnswerView]
    on_citation: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class BesideAnswer(rx.Component):
    """The content beside an answer; beside one of many `characters` it loads once the reader is near."""

    library = script("page/thread/answer_parts.jsx")
    tag = "BesideAnswer"

    characters: rx.Var[int]


class CitationCards(rx.Component):
    """The card of a citation under the pointer or the focus, and the keys between citations; once on a page."""

    library = script("page/thread/citation_cards.jsx")
    tag = "CitationCards"


class CopyAnswer(rx.Component):
    """The button that copies the answer at `address`, and a menu with other ways; without citations if it `cites`. The
    command `copy` is for the answer that `is_latest`.
    """

    library = script("page/thread/copy_answer.jsx")
    tag = "CopyAnswer"

    address: rx.Var[str]
    cites: rx.Var[bool]
    is_latest: rx.Var[bool]


class Outcome(rx.Component):
    """The outcome of the `answer`, where it needs words: an alert for a tab that saw it being made."""

    library = script("page/thread/outcome.jsx")
    tag = "Outcome"

    answer: rx.Var[AnswerView]


class QuestionText(rx.Component):
    """The question of a `turn` as typed. `on_edit` gets what it was edited to; the box for that stays open until
    another turn is there for it.

    Children stand beside its Edit button, which is there unless the thread around it is answering.
    """

    library = script("page/thread/question_text.jsx")
    tag = "QuestionText"

    turn: rx.Var[TurnView]
    max_length: rx.Var[int]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class Silence(rx.Component):
    """The time since the last event of the answer at `address`, once that is long."""

    library = script("page/thread/silence.jsx")
    tag = "Silence"

    address: rx.Var[str]


class TabSigns(rx.Component):
    """The signs on the browser's tab that an `answer` is coming, while `live`, and by its `status` that it has come."""

    library = script("page/thread/tab_signs.js")
    tag = "TabSigns"

    answer: rx.Var[str]
    live: rx.Var[bool]
    status: rx.Var[str]


class Thread(rx.Component):
    """The conversation's scrolling list; it goes to its end whenever `latest` changes, and is `busy` until it is known.

    A screen reader hears its `label`. `answering` is passed here once and not to each turn, which would be rendered
    again for it.
    `first` is the first turn on the page; while there are `earlier` ones, `on_earlier` asks for more of them.
    """

    library = script("page/thread/thread.jsx")
    tag = "Thread"

    label: rx.Var[str]
    busy: rx.Var[bool]
    answering: rx.Var[bool]
    latest: rx.Var[str]
    first: rx.Var[str]
    earlier: rx.Var[bool]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]
