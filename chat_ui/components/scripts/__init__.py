"""The React components of our own: what only a browser can do, one small script each."""

from __future__ import annotations

from typing import Final

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

from chat_ui.state.views import TurnView

_SCRIPTS = {
    name: rx.asset(f"{name}.js", shared=True)
    for name in (
        "address",
        "announcer",
        "answer_text",
        "attachments",
        "citation_cards",
        "claims",
        "composer",
        "conversation_list",
        "copy_button",
        "dialog_focus",
        "document_view",
        "fragment",
        "json_tree",
        "passage_marks",
        "pdf_view",
        "question_text",
        "remote_image",
        "sources_panel",
        "thread",
        "underway",
    )
}


def _function(script: str, name: str) -> rx.Var:
    imports = {_SCRIPTS[script].importable_path: [ImportVar(tag=name)]}
    return rx.Var(name, _var_data=VarData(imports=imports))


GIVES_FOCUS_BACK: Final = {
    "onOpenAutoFocus": _function("dialog_focus", "rememberOpener"),
    "onCloseAutoFocus": _function("dialog_focus", "giveFocusBack"),
}
"""What makes the content of a dialog without a trigger of its own give the focus back to whatever opened it."""


class Address(rx.Component):
    """Keeps the address of `conversation` in the address bar once it has `begun`; conversations are at `under`/ID."""

    library = _SCRIPTS["address"].importable_path
    tag = "Address"

    conversation: rx.Var[str]
    begun: rx.Var[bool]
    under: rx.Var[str]


class Announcer(rx.Component):
    """The page's live region."""

    library = _SCRIPTS["announcer"].importable_path
    tag = "Announcer"


class AnswerText(rx.Component):
    """The text of the answer at `address`, followed while `live` when it is first shown.

    Children show beside it for as long as there is more to come.
    """

    library = _SCRIPTS["answer_text"].importable_path
    tag = "AnswerText"

    address: rx.Var[str]
    live: rx.Var[bool]
    on_citation: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class CitationCards(rx.Component):
    """The card of the citation that is pointed at, and the keys that go from citation to citation; once on a page."""

    library = _SCRIPTS["citation_cards"].importable_path
    tag = "CitationCards"


class Composer(rx.Component):
    """The box for a question; `on_send` gets its text and the ids of the images that go with it, at most `most_images`.
    Children are its buttons.

    `attachments` is where images are sent as they are attached, where the backend `takes_images`. `returned` is a
    question that was not taken, which is put back into the box, once for each `returned_as`. What was sent is put back
    too where it is not among the `turns` when `times_heard` changes: `on_call` asks for that, each time that the page
    is `ready` while something is under way.
    """

    library = _SCRIPTS["composer"].importable_path
    tag = "Composer"

    busy: rx.Var[bool]
    ready: rx.Var[bool]
    turns: rx.Var[list[TurnView]]
    max_length: rx.Var[int]
    returned: rx.Var[str]
    returned_as: rx.Var[str]
    attachments: rx.Var[str]
    takes_images: rx.Var[bool]
    most_images: rx.Var[int]
    times_heard: rx.Var[int]
    on_send: rx.EventHandler[rx.event.passthrough_event_spec(str, list[str])]
    on_call: rx.EventHandler[rx.event.no_args_event_spec]


class ConversationList(rx.Component):
    """The navigation named Conversations; it is loaded again whenever `revision` changes.

    `current` is the id of the open conversation; `on_gone` gets the id of one that was deleted.
    """

    library = _SCRIPTS["conversation_list"].importable_path
    tag = "ConversationList"

    revision: rx.Var[int]
    current: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_gone: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class CopyButton(rx.Component):
    """A button that copies the text served at `address`, and the rich text at `rich` with it; it is named `label`."""

    library = _SCRIPTS["copy_button"].importable_path
    tag = "CopyButton"

    address: rx.Var[str]
    rich: rx.Var[str]
    label: rx.Var[str]


class HtmlFragment(rx.Component):
    """Safe HTML of ours, fetched from `address` when it is shown; `on_source` gets the number of a source asked for."""

    library = _SCRIPTS["fragment"].importable_path
    tag = "Fragment"
    alias = "HtmlFragment"

    address: rx.Var[str]
    on_source: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class QuestionText(rx.Component):
    """The question of a `turn` as typed; when `cut`, the whole of it is at `address`. `on_edit` gets what it was edited
    to; the box for that stays open until another turn is there for it.

    Children stand beside its Edit button, which is there unless the thread around it is answering.
    """

    library = _SCRIPTS["question_text"].importable_path
    tag = "QuestionText"

    turn: rx.Var[str]
    text: rx.Var[str]
    cut: rx.Var[bool]
    address: rx.Var[str]
    max_length: rx.Var[int]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class SourcesPanel(rx.Component):
    """The region named Sources, filled from `address`; documents open in it.

    pdf.js comes with it as a part of its own that a browser loads with the first PDF.
    """

    library = _SCRIPTS["sources_panel"].importable_path
    lib_dependencies: list[str] = ["pdfjs-dist@6.5.438"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "SourcesPanel"

    address: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]


class Thread(rx.Component):
    """The conversation's scrolling list; it goes to its end whenever `latest` changes, and is `busy` until it is known.

    That it is `answering` is told here once, not to each turn: each would be rendered again for it.
    `first` is the first turn that is there; while there are `earlier` ones, `on_earlier` asks for more of them.
    """

    library = _SCRIPTS["thread"].importable_path
    tag = "Thread"

    busy: rx.Var[bool]
    answering: rx.Var[bool]
    latest: rx.Var[str]
    first: rx.Var[str]
    earlier: rx.Var[bool]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]
