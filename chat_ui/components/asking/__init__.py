"""The box for a question, the questions that wait, and the page before the first question."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script
from chat_ui.state.views import TurnView


class AskButton(rx.Component):
    """A button that asks `question`, as if it had been typed; its children are its label, in a `language` if it is not
    the page's.
    """

    library = script("asking/ask_button.jsx")
    tag = "AskButton"

    question: rx.Var[str]
    language: rx.Var[str]


class Composer(rx.Component):
    """The box for a question; `on_send` gets its text, the ids of the images that go with it, at most `most_images`,
    and the name that its answer is to have in the `conversation`: the page follows it among the `answers` already.
    While two arms are compared it `is_both` that are asked, by `on_send_both`. Children are its buttons; beside them
    stands what it asks: the `backend`, and how many options are `differing` from that backend's own.

    What is sent while there is no connection, or another question is on its way, waits: `WaitingQuestions` shows it,
    and it is handed over in its turn, in the `conversation` that it was asked in.

    `attachments` is where images are sent as they are attached, where the backend `takes_images`. `returned` is a
    question that was not taken, which is put back into the box, once for each `returned_as`. What was sent is put back
    too where it is not among the `turns` when `pongs` changes: `on_ping` asks for that, each time that the page
    is `ready` and the conversation `readable` while something is under way. What is among the turns is held until these
    are `written`; after a server that ended `on_ask_after` asks for what became of it, which `findings` tells. The
    last question that was sent in a conversation may have been asked in this one `instead_of` there.
    """

    library = script("asking/composer.jsx")
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
    pongs: rx.Var[int]
    backend: rx.Var[str]
    differing: rx.Var[int]
    is_both: rx.Var[bool]
    on_send: rx.EventHandler[rx.event.passthrough_event_spec(str, list[str], str, str)]
    on_send_both: rx.EventHandler[rx.event.passthrough_event_spec(str, list[str], str, str)]
    on_ping: rx.EventHandler[rx.event.no_args_event_spec]
    on_ask_after: rx.EventHandler[rx.event.passthrough_event_spec(list[str])]


class WaitingQuestions(rx.Component):
    """The questions that were sent and are not in the conversation yet, each with a way back into the box."""

    library = script("asking/waiting_questions.jsx")
    tag = "WaitingQuestions"
