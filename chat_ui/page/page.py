"""The chat page."""

from __future__ import annotations

import reflex as rx

from chat_ui.backends.settings.backend_dialog import backend_dialog
from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.features.branding.page import TITLE, BrandingPart, BrandingStyle, ThemeColour
from chat_ui.features.commands.page import CommandKeys
from chat_ui.features.comparing.page import arms, begin_asking, comparison
from chat_ui.features.comparing.page.state.second_arm import NEW_CHAT, SecondArmState
from chat_ui.features.embedding.page import Embedding
from chat_ui.features.presenting.page import Presenting
from chat_ui.features.speech.page import Announcer
from chat_ui.page.asking import WaitingQuestions, composer, greeting, missing, starters
from chat_ui.page.connection import notices
from chat_ui.page.conversations import conversation_list
from chat_ui.page.header import header
from chat_ui.page.languages import t
from chat_ui.page.scripts import link_files
from chat_ui.page.shared import FocusKeeper, SkipLink, Typeface, VisiblePart
from chat_ui.page.sources import side_panel
from chat_ui.page.state.chat import NOT_FOUND, ChatState
from chat_ui.page.state.panels import PanelState
from chat_ui.page.thread import Address, CitationCards, TabSigns, Thread
from chat_ui.page.thread.turn import turn
from chat_ui.server.addresses import CONVERSATION, CONVERSATIONS, NOTES, SCRIPTS, SHARED


def is_answering() -> rx.Var[bool]:
    return rx.Var.create(ChatState.latest.live | SecondArmState.latest.live)


def page_title() -> rx.Var[str]:
    title = rx.cond(ChatState.title != "", f"{ChatState.title} – {TITLE}", TITLE)
    return rx.cond(is_answering(), t("Answering… {title}", title=title), title)


def chat(*, begins: bool) -> rx.Component:
    """Header, conversation, composer, and panels beside them; `begins` where the address is that of no conversation."""
    link_files()
    is_empty = (ChatState.turns.length() == 0) & (ChatState.missing == "") & (begins | ChatState.is_hydrated)
    is_alone = is_empty & ~SecondArmState.comparing
    return rx.el.div(
        Typeface.create(),
        SkipLink.create(),
        header(),
        BrandingStyle.create(rules=BackendState.own_branding["style"]),
        BrandingPart.create(part="notice"),
        BrandingPart.create(part="recorded"),
        rx.el.div(
            conversation_list(),
            rx.el.main(
                notices(),
                arms(
                    Thread.create(
                        rx.cond(
                            ChatState.turns.length() > 0,
                            rx.foreach(ChatState.turns, turn),
                            rx.cond(
                                ChatState.missing != "",
                                missing(),
                                rx.cond(SecondArmState.comparing, begin_asking(), rx.cond(is_empty, greeting())),
                            ),
                        ),
                        WaitingQuestions.create(),
                        label=rx.cond(SecondArmState.comparing, t("Conversation on the left"), t("Conversation")),
                        busy=~ChatState.is_hydrated,
                        answering=ChatState.latest.live,
                        latest=ChatState.latest.id,
                        first=ChatState.turns[0].id,
                        earlier=ChatState.has_earlier,
                        on_earlier=ChatState.show_earlier,
                    )
                ),
                comparison(),
                composer(),
                rx.cond(is_alone, rx.el.div(starters(), class_name="starters-frame")),
                CitationCards.create(),
                TabSigns.create(answer=ChatState.latest.id, live=is_answering(), status=ChatState.latest.status),
                class_name=rx.cond(is_alone, "main main-empty", "main"),
            ),
            side_panel(),
            class_name="columns",
        ),
        backend_dialog(),
        CommandKeys.create(
            address=f"{CONVERSATIONS}/",
            pages=CONVERSATION,
            conversation=rx.cond((ChatState.turns.length() > 0) & ChatState.written, ChatState.conversation_id, ""),
            title=ChatState.title,
            links=f"{SHARED}/",
            offered=BackendState.offered,
            selected=BackendState.selected,
        ),
        Address.create(
            # A conversation that cannot be shown keeps its address.
            conversation=rx.cond(ChatState.missing == "", ChatState.conversation_id, ""),
            begun=ChatState.turns.length() > 0,
            written=ChatState.written,
            under=CONVERSATION,
        ),
        Embedding.create(
            conversation=rx.cond(ChatState.missing == "", ChatState.conversation_id, ""),
            gone=ChatState.missing == NOT_FOUND,
            begun=ChatState.turns.length() > 0,
            written=ChatState.written,
            under=CONVERSATION,
            answer=ChatState.latest,
        ),
        Presenting.create(
            turns=ChatState.turns,
            latest=ChatState.latest,
            has_earlier=ChatState.has_earlier,
            missing=rx.cond(ChatState.missing == NOT_FOUND, ChatState.missing_id, ""),
            is_ready=ChatState.is_hydrated,
            is_other_live=SecondArmState.latest.live,
            instead_of=ChatState.instead_of,
            refusal=ChatState.refusal,
            returned_as=ChatState.returned_as,
            title=TITLE,
            pages=CONVERSATION,
            scripts=f"{SCRIPTS}/",
            notes=NOTES,
            on_use=PanelState.show_source,
            on_point=PanelState.show_point,
            on_thoughts=PanelState.show_thoughts,
            on_close=PanelState.close,
            on_new=NEW_CHAT,
            on_earlier=ChatState.show_earlier,
        ),
        Announcer.create(),
        ThemeColour.create(),
        FocusKeeper.create(),
        VisiblePart.create(),
        class_name="page",
    )
