"""The page before the first question, and instead of a conversation that cannot be shown."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.asking.chips import chips
from chat_ui.components.branding import BrandingPart, Painted
from chat_ui.components.languages import t
from chat_ui.state.arms.second_arm import NEW_CHAT
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.chat import NOT_FOUND, ChatState


def greeting() -> rx.Component:
    return rx.el.div(
        BrandingPart.create(part="greeting", own=BackendState.own_branding["greeting"]), class_name="empty"
    )


def starters() -> rx.Component:
    of_backend = {"data-branding": "starters"}
    return Painted.create(
        chips(BackendState.starters, t("Starter questions"), "starters", custom_attrs=of_backend), name="starters"
    )


def missing() -> rx.Component:
    return rx.el.div(
        rx.el.h2(
            rx.cond(
                ChatState.missing == NOT_FOUND,
                t("There is no such conversation."),
                t("This conversation cannot be read at the moment. It appears here as soon as it can be."),
            )
        ),
        rx.cond(
            ChatState.missing == NOT_FOUND, rx.el.p(t("It may have been deleted, or it belongs to somebody else."))
        ),
        rx.el.button(t("Start a new chat"), type="button", class_name="chip", on_click=NEW_CHAT),
        class_name="empty missing",
    )
