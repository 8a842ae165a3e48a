from __future__ import annotations

from functools import partial

import reflex as rx

from chat_ui.backends.settings.backend_dialog import backend_dialog
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.page.announcing import Announcer
from chat_ui.page.asking import WaitingQuestions, composer, greeting, last_conversation, missing, starters
from chat_ui.page.connection import notices
from chat_ui.page.conversations import conversation_list
from chat_ui.page.header import header
from chat_ui.page.languages import t
from chat_ui.page.painted import TITLE, PaintedPart, PaintedStyle, ThemeColour, other_than_painted
from chat_ui.page.scripts import link_files
from chat_ui.page.shared import FocusRestorer, SkipLink, Typeface, VisiblePart
from chat_ui.page.slots import beside, filled, is_answering
from chat_ui.page.sources import side_panel
from chat_ui.page.state.chat import ChatState
from chat_ui.page.state.panels import PanelState
from chat_ui.page.thread import Address, CitationCards, TabSigns, Thread
from chat_ui.page.thread.turn import turn
from chat_ui.server.addresses import CONVERSATION
from chat_ui.server.brand import DESCRIPTION


def page_title() -> rx.Var[str]:
    title = rx.cond(ChatState.title != "", f"{ChatState.title} – {TITLE}", TITLE)
    return rx.cond(is_answering(), t("Answering… {title}", title=title), title)


def chat(*, begins: bool) -> rx.Component:
    """The header, conversation, composer, and panels; `begins` on the address of a new conversation."""
    link_files()
    is_empty = (ChatState.turns.length() == 0) & (ChatState.missing == "") & (begins | ChatState.is_hydrated)
    other = beside()
    is_compared = other.is_shown if other else rx.Var.create(False)
    is_alone = is_empty & ~is_compared
    thread = Thread.create(
        rx.cond(
            ChatState.turns.length() > 0,
            rx.foreach(ChatState.turns, turn),
            rx.cond(
                ChatState.missing != "",
                missing(),
                rx.cond(is_compared, other.greeting() if other else rx.fragment(), rx.cond(is_empty, greeting())),
            ),
        ),
        WaitingQuestions.create(),
        label=rx.cond(is_compared, t("Conversation on the left"), t("Conversation")),
        busy=~ChatState.is_hydrated,
        answering=ChatState.latest.live,
        latest=ChatState.latest.id,
        first=ChatState.turns[0].id,
        earlier=ChatState.has_earlier,
        on_earlier=ChatState.show_earlier,
    )
    return rx.el.div(
        SkipLink.create(),
        header(),
        PaintedStyle.create(rules=BackendState.own_parts["style"]),
        PaintedPart.create(part="notice"),
        PaintedPart.create(part="recorded"),
        rx.el.div(
            conversation_list(),
            rx.el.main(
                notices(),
                *((other.frame(thread), other.above_box()) if other else (thread,)),
                composer(),
                rx.cond(is_alone, rx.el.div(starters(), last_conversation(), class_name="starters-frame")),
                CitationCards.create(on_step=PanelState.show_step, on_source=PanelState.show_point),
                TabSigns.create(
                    answer=ChatState.latest.id,
                    live=is_answering(),
                    status=ChatState.latest.status,
                    waits=ChatState.latest.waits | (other.latest.waits if other else False),
                ),
                class_name=rx.cond(is_alone, "main main-empty", "main"),
            ),
            side_panel(),
            class_name="columns",
        ),
        backend_dialog(),
        Address.create(
            # An unavailable conversation keeps its address.
            conversation=rx.cond(ChatState.missing == "", ChatState.conversation_id, ""),
            begun=ChatState.turns.length() > 0,
            written=ChatState.written,
            under=CONVERSATION,
        ),
        *(part for parts in filled() for part in parts.page()),
        Announcer.create(),
        ThemeColour.create(),
        FocusRestorer.create(),
        VisiblePart.create(),
        class_name="page",
    )


def head() -> list[rx.Component]:
    viewport = "width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content"
    return [
        rx.el.meta(name="viewport", content=viewport),
        Typeface.create(),
        other_than_painted(),
        *(part for parts in filled() for part in parts.head()),
    ]


def add_pages(app: rx.App) -> None:
    """Add the page of a new conversation, and of an existing one."""
    other = beside()
    # In production mode, `@rx.page` would add the page twice and warn about it.
    for route, begins in (("/", True), (f"{CONVERSATION}/[conversation]", False)):
        app.add_page(
            partial(chat, begins=begins),
            route=route,
            title=page_title(),
            description=DESCRIPTION,
            image="/favicon.svg",
            on_load=[BackendState.follow_link, ChatState.open, *([other.open] if other else [])],
        )
