"""The React components of our own: what only a browser can do, one small script each."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import reflex as rx
from reflex.constants import Dirs
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

from chat_ui.state.views import TurnView


def link_scripts() -> None:
    """Have Reflex build the page with these scripts; a server that builds none need not: it is most of a second."""
    for script in sorted(Path(__file__).parent.glob("*.js")):
        rx.asset(script.name, shared=True)


def _script(name: str) -> str:
    """The path that the page imports a script by, as `rx.asset` gives it."""
    return f"$/public/{Dirs.EXTERNAL_APP_ASSETS}/{__name__.replace('.', '/')}/{name}.js"


def _function(script: str, name: str) -> rx.Var:
    imports = {_script(script): [ImportVar(tag=name)]}
    return rx.Var(name, _var_data=VarData(imports=imports))


OF_A_DIALOG: Final = {
    "onOpenAutoFocus": _function("focus", "rememberDialogOpener"),
    "onCloseAutoFocus": _function("focus", "giveDialogFocusBack"),
    "onEscapeKeyDown": _function("pressed", "leaveToInputMethod"),
}
"""Props of the content of a dialog without a trigger of its own: it gives the focus back to the element that opened it,
and leaves the Escape of an input method to that.
"""


IN_THE_HEADER: Final[dict[str, rx.Var[Any]]] = {
    "container": rx.Var(
        "menuPlace",
        _var_data=VarData(
            imports={_script("menu_place"): [ImportVar(tag="useHeader")]},
            hooks={"const menuPlace = useHeader();": None},
        ),
    )
}
"""Props of the content of a menu: it stands in the page's header."""


class Address(rx.Component):
    """Keeps the address of `conversation` in the address bar once it has `begun`; conversations are at `under`/ID."""

    library = _script("address")
    tag = "Address"

    conversation: rx.Var[str]
    begun: rx.Var[bool]
    under: rx.Var[str]


class Announcer(rx.Component):
    """The page's live region."""

    library = _script("announcer")
    tag = "Announcer"


class AnswerText(rx.Component):
    """The text of the answer at `address`, followed while `live` when it is first shown, and fetched again where it is
    not that of the `status`; of one that had ended by then with many `characters`, the part that the reader is at.

    Children show beside it for as long as there is more to come.
    """

    library = _script("answer_text")
    tag = "AnswerText"

    address: rx.Var[str]
    live: rx.Var[bool]
    status: rx.Var[str]
    characters: rx.Var[int]
    on_citation: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class AskButton(rx.Component):
    """A button that asks `question`, as if it had been typed; its children are what stands on it."""

    library = _script("ask_button")
    tag = "AskButton"

    question: rx.Var[str]


class BesideAnswer(rx.Component):
    """What stands beside an answer of so many `characters`, once the reader is near where they are many."""

    library = _script("answer_parts")
    tag = "BesideAnswer"

    characters: rx.Var[int]


class CitationCards(rx.Component):
    """The card of the citation that is pointed at, and the keys that go from citation to citation; once on a page."""

    library = _script("citation_cards")
    tag = "CitationCards"


class Composer(rx.Component):
    """The box for a question; `on_send` gets its text, the ids of the images that go with it, at most `most_images`,
    and the name that its answer is to have in the `conversation`: the page follows it among the `answers` already.
    Children are its buttons.

    What is sent while there is no connection, or another question is on its way, waits: `WaitingQuestions` shows it,
    and it is handed over in its turn, in the `conversation` that it was asked in.

    `attachments` is where images are sent as they are attached, where the backend `takes_images`. `returned` is a
    question that was not taken, which is put back into the box, once for each `returned_as`. What was sent is put back
    too where it is not among the `turns` when `times_heard` changes: `on_call` asks for that, each time that the page
    is `ready` and the conversation `readable` while something is under way. What is among the turns is held until these
    are `written`; after a server that ended `on_ask_after` asks for what became of it, which `findings` tells. The
    last question that was sent in a conversation may have been asked in this one `instead_of` there.
    """

    library = _script("composer")
    tag = "Composer"

    busy: rx.Var[bool]
    ready: rx.Var[bool]
    readable: rx.Var[bool]
    conversation: rx.Var[str]
    instead_of: rx.Var[str]
    turns: rx.Var[list[TurnView]]
    written: rx.Var[bool]
    findings: rx.Var[dict[str, bool]]
    answers: rx.Var[str]
    max_length: rx.Var[int]
    returned: rx.Var[str]
    returned_as: rx.Var[str]
    attachments: rx.Var[str]
    takes_images: rx.Var[bool]
    most_images: rx.Var[int]
    times_heard: rx.Var[int]
    on_send: rx.EventHandler[rx.event.passthrough_event_spec(str, list[str], str, str)]
    on_call: rx.EventHandler[rx.event.no_args_event_spec]
    on_ask_after: rx.EventHandler[rx.event.passthrough_event_spec(list[str])]


class ConnectionStatus(rx.Component):
    """Says in words that there is no connection, or that the server cannot know this browser."""

    library = _script("connection_status")
    tag = "ConnectionStatus"


class ConversationList(rx.Component):
    """The navigation named Conversations; it is loaded again whenever `revision` changes.

    `current` is the id of the open conversation; `on_gone` gets the id of one that was deleted.
    """

    library = _script("conversation_list")
    tag = "ConversationList"

    revision: rx.Var[int]
    current: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_gone: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class CopyButton(rx.Component):
    """A button that copies the text served at `address`, and the rich text at `rich` with it; it is named `label`."""

    library = _script("copy_button")
    tag = "CopyButton"

    address: rx.Var[str]
    rich: rx.Var[str]
    label: rx.Var[str]


class FocusKeeper(rx.Component):
    """Has nothing that the page does leave the focus on its body; once on a page."""

    library = _script("focus")
    tag = "FocusKeeper"


class HtmlFragment(rx.Component):
    """Safe HTML of ours, fetched from `address` when it is shown; `on_source` gets the number of a source asked for."""

    library = _script("fragment")
    tag = "Fragment"
    alias = "HtmlFragment"

    address: rx.Var[str]
    on_source: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class Outcome(rx.Component):
    """How the `answer` of this id ended, where that has to be `told`: an alert for a tab that saw it `live`."""

    library = _script("outcome")
    tag = "Outcome"

    answer: rx.Var[str]
    live: rx.Var[bool]
    told: rx.Var[bool]


class OwnValue(rx.Component):
    """A `control` of a form ("input", "textarea", "select" or "switch"): it shows what the person made of it until the
    server has `heard` that, then the server's `value`. `on_tell` gets the value and the number that is heard then.
    """

    library = _script("own_value")
    tag = "OwnValue"

    control: rx.Var[str]
    value: rx.Var[Any]
    heard: rx.Var[int]
    name: rx.Var[str]
    placeholder: rx.Var[str]
    rows: rx.Var[int]
    max_length: rx.Var[int]
    input_mode: rx.Var[str]
    auto_complete: rx.Var[str]
    spell_check: rx.Var[bool]
    on_tell: rx.EventHandler[rx.event.passthrough_event_spec(Any, int)]


class QuestionText(rx.Component):
    """The question of a `turn` of a `conversation` as typed; when `cut`, the whole of it is at `address`. `on_edit`
    gets what it was edited to; the box for that stays open until another turn is there for it.

    Children stand beside its Edit button, which is there unless the thread around it is answering.

    The language detector comes with it as a part of its own that a browser loads with the first text that is not
    plainly English.
    """

    library = _script("question_text")
    lib_dependencies: list[str] = ["eld@2.1.0"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "QuestionText"

    conversation: rx.Var[str]
    turn: rx.Var[str]
    text: rx.Var[str]
    cut: rx.Var[bool]
    address: rx.Var[str]
    max_length: rx.Var[int]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class Silence(rx.Component):
    """For how long nothing has come of the answer at `address`, once that is long."""

    library = _script("silence")
    tag = "Silence"

    address: rx.Var[str]


class SourcesPanel(rx.Component):
    """The region named Sources, filled from `address`; documents open in it.

    pdf.js comes with it as a part of its own that a browser loads with the first PDF.
    """

    library = _script("sources_panel")
    lib_dependencies: list[str] = ["pdfjs-dist@6.5.438"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "SourcesPanel"

    address: rx.Var[str]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]


class Thread(rx.Component):
    """The conversation's scrolling list; it goes to its end whenever `latest` changes, and is `busy` until it is known.

    That it is `answering` is told here once, not to each turn: each would be rendered again for it.
    `first` is the first turn that is there; while there are `earlier` ones, `on_earlier` asks for more of them.
    """

    library = _script("thread")
    tag = "Thread"

    busy: rx.Var[bool]
    answering: rx.Var[bool]
    latest: rx.Var[str]
    first: rx.Var[str]
    earlier: rx.Var[bool]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]


class WaitingQuestions(rx.Component):
    """The questions that were sent and are not in the conversation yet, each with a way back into the box."""

    library = _script("waiting_questions")
    tag = "WaitingQuestions"
