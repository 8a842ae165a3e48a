"""The conversation: its scrolling list, and each turn of it."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class Address(rx.Component):
    """Keeps the address of `conversation` in the address bar once it has `begun` and is `written`; conversations are
    at `under`/ID.
    """

    library = script("thread/address.js")
    tag = "Address"

    conversation: rx.Var[str]
    begun: rx.Var[bool]
    written: rx.Var[bool]
    under: rx.Var[str]


class AnswerText(rx.Component):
    """The text of the answer at `address`: followed if it is `live` when first shown, and fetched again where its end
    is not
    the `status`. Of an answer with many `characters` that had ended by then, the part near the reader.

    Children show beside it until the text is complete.
    """

    library = script("thread/answer_text.jsx")
    tag = "AnswerText"

    address: rx.Var[str]
    live: rx.Var[bool]
    status: rx.Var[str]
    characters: rx.Var[int]
    on_citation: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class BesideAnswer(rx.Component):
    """The content beside an answer; beside one of many `characters` it loads once the reader is near."""

    library = script("thread/answer_parts.jsx")
    tag = "BesideAnswer"

    characters: rx.Var[int]


class CitationCards(rx.Component):
    """The card of a citation under the pointer or the focus, and the keys between citations; once on a page."""

    library = script("thread/citation_cards.jsx")
    tag = "CitationCards"


class CopyAnswer(rx.Component):
    """The button that copies the answer at `address`, and a menu with other ways; without citations if it `cites`. The
    command `copy` is for the answer that `is_latest`.
    """

    library = script("thread/copy_answer.jsx")
    tag = "CopyAnswer"

    address: rx.Var[str]
    cites: rx.Var[bool]
    is_latest: rx.Var[bool]


class Outcome(rx.Component):
    """The outcome of the `answer` of this id, if it is to be `shown`: an alert for a tab that saw it `live`.

    While the page presents, its words depend on whether the answer is `whole`, has any `text`, and is that of a
    recording `instead` of the backend's.
    """

    library = script("thread/outcome.jsx")
    tag = "Outcome"

    answer: rx.Var[str]
    live: rx.Var[bool]
    shown: rx.Var[bool]
    whole: rx.Var[bool]
    instead: rx.Var[bool]
    text: rx.Var[bool]


class QuestionText(rx.Component):
    """The question of a `turn` of a `conversation` as typed, in a `language` if it is not the page's; when `cut`, the
    whole of it is at `address`. `on_edit` gets what it was edited to; the box for that stays open until another turn
    is there for it.

    Children stand beside its Edit button, which is there unless the thread around it is answering.
    """

    library = script("thread/question_text.jsx")
    tag = "QuestionText"

    conversation: rx.Var[str]
    turn: rx.Var[str]
    text: rx.Var[str]
    language: rx.Var[str]
    cut: rx.Var[bool]
    address: rx.Var[str]
    max_length: rx.Var[int]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class Silence(rx.Component):
    """The time since the last event of the answer at `address`, once that is long."""

    library = script("thread/silence.jsx")
    tag = "Silence"

    address: rx.Var[str]


class TabSigns(rx.Component):
    """The signs on the browser's tab that an `answer` is coming, while `live`, and by its `status` that it has come."""

    library = script("thread/tab_signs.js")
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

    library = script("thread/thread.jsx")
    tag = "Thread"

    label: rx.Var[str]
    busy: rx.Var[bool]
    answering: rx.Var[bool]
    latest: rx.Var[str]
    first: rx.Var[str]
    earlier: rx.Var[bool]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]
