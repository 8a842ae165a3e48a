"""The composer, queued questions, and the page before the first question."""

from __future__ import annotations

from typing import Any

import reflex as rx

from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.page.commands import Command
from chat_ui.page.languages import rich, t
from chat_ui.page.painted import Painted, PaintedPart, most
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.shared import Provided, icon_button, refusal
from chat_ui.page.slots import beside, is_answering, new_chat
from chat_ui.page.state.chat import MOST_IMAGES, NOT_FOUND, NOT_READABLE, ChatState
from chat_ui.page.state.views import TurnView
from chat_ui.server.addresses import ANSWERS, ATTACHMENTS, CONVERSATION


class AskButtons(Scripted):
    """A group of buttons that ask `questions`, in `language` if not the page's; those after the first `most` later."""

    library = script("page/asking/ask_button.jsx")

    questions: rx.Var[list[str]]
    language: rx.Var[str]
    most: rx.Var[int]


class AttachedFiles(Scripted):
    """The images of a question, and a card for each of its other files."""

    library = script("page/asking/attachments.jsx")

    files: rx.Var[list[dict[str, Any]]]


class Composer(Scripted):
    """The text box with its buttons as children, beside the `compared` backends and the number of `differing` options.

    `on_send` gets the text, the ids of at most `most_images` files, a name for the answer, and the `conversation`. The
    page already follows this name among the `answers`.

    Questions without a connection, or during another send, are queued for the current `conversation`.
    `WaitingQuestions` shows them.

    Files are uploaded to `attachments` when attached, if the backend `accepts` any (see `BackendState.accepts`). The
    refused question `returned` is restored in the box, once for each `returned_as`. A sent question is restored too if
    missing in the `turns` when `pongs` changes. While a question is pending, `on_ping` requests this whenever the page
    is `ready` and the conversation `readable`.

    Questions among the turns are kept until these are `written`. After a server's end, `on_ask_after` asks for their
    fate, and `findings` tells it. The conversation's last question may have been asked `instead_of` there.
    """

    library = script("page/asking/composer.jsx")

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
    accepts: rx.Var[list[str]]
    most_images: rx.Var[int]
    pongs: rx.Var[int]
    compared: rx.Var[str]
    differing: rx.Var[int]
    on_send: rx.EventHandler[rx.event.passthrough_event_spec(str, list[str], str, str)]
    on_ping: rx.EventHandler[rx.event.no_args_event_spec]
    on_ask_after: rx.EventHandler[rx.event.passthrough_event_spec(list[str])]


class PageLink(rx.Component):
    """A link `to` a page of this app, which opens without a load."""

    library = "react-router"
    tag = "Link"
    alias = "PageLink"

    to: rx.Var[str]


class WaitingQuestions(Scripted):
    """The sent questions that are not in the conversation yet, each with a button that restores it in the box."""

    library = script("page/asking/waiting_questions.jsx")


def chips(
    questions: rx.Var[list[str]],
    label: rx.Var[str],
    class_name: str = "chips",
    of_backend: str | None = None,
    **props: rx.Var[str] | int,
) -> rx.Component:
    """A group named `label` with the buttons of `AskButtons`; empty without questions."""
    named = {"aria-label": label, "data-of-backend": of_backend}
    return rx.cond(
        questions.length() > 0,
        AskButtons.create(questions=questions, class_name=class_name, custom_attrs=named, **props),
    )


def greeting() -> rx.Component:
    return rx.el.div(PaintedPart.create(part="greeting", own=BackendState.own_parts["greeting"]), class_name="empty")


def starters() -> rx.Component:
    return Painted.create(
        chips(BackendState.starters, t("Starter questions"), "starters", "starters"),
        name="starters",
    )


def last_conversation() -> rx.Component:
    """A line with a link to the last conversation. It has its room before the link is known."""
    link = PageLink.create(
        rich("Continue: {title}", title=rx.el.bdi(ChatState.last[1])), to=f"{CONVERSATION}/{ChatState.last[0]}"
    )
    return rx.el.p(rx.cond(ChatState.last.length() > 0, link), class_name="last-conversation")


def missing() -> rx.Component:
    return rx.el.div(
        rx.el.h2(
            rx.cond(
                ChatState.missing == NOT_FOUND,
                t("Conversation not found"),
                t("This conversation cannot be read at the moment. It appears here as soon as possible."),
            )
        ),
        rx.cond(ChatState.missing == NOT_FOUND, rx.el.p(t("It may have been deleted, or belong to somebody else."))),
        rx.el.button(t("Start a new chat"), type="button", class_name="chip", on_click=new_chat()),
        class_name="empty missing",
    )


def composer() -> rx.Component:
    """The textbox Message with Send, or Stop while an answer streams."""
    other = beside()
    is_busy = is_answering() | other.is_waiting if other else is_answering()
    stop = [ChatState.stop, *(other.stop if other else ())]
    compared: rx.Var[str] | str = ""
    if other:
        pair = t("{left} and {right}", left=BackendState.label, right=other.backend)
        compared = rx.cond(other.is_shown & (other.backend != BackendState.label), pair, "")
    return rx.el.div(
        refusal(ChatState.refusal, ChatState.returned_as, ChatState.sign_in),
        Provided.create(name="above-box"),
        Composer.create(
            rx.cond(
                is_busy,
                rx.fragment(
                    icon_button(t("Stop"), "square", size=14, class_name="send", on_click=stop),
                    Command.create(name="stop", on_run=stop),
                ),
                icon_button(t("Send"), "arrow-up", class_name="send", type="submit"),
            ),
            busy=is_busy,
            ready=ChatState.is_hydrated,
            readable=ChatState.missing != NOT_READABLE,
            conversation=ChatState.conversation_id,
            instead_of=ChatState.instead_of,
            turns=ChatState.turns,
            written=ChatState.written,
            findings=ChatState.findings,
            answers=ANSWERS,
            max_length=most("question"),
            returned=ChatState.returned,
            returned_as=ChatState.returned_as,
            attachments=ATTACHMENTS,
            accepts=BackendState.accepts,
            most_images=MOST_IMAGES,
            pongs=ChatState.pongs,
            compared=compared,
            differing=BackendState.differing,
            on_send=other.ask if other else ChatState.ask,
            on_ping=ChatState.ping,
            on_ask_after=ChatState.find_questions,
        ),
        PaintedPart.create(part="ai_notice"),
        PaintedPart.create(part="footer"),
        class_name="composer-frame",
    )
