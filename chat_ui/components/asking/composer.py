"""The box for a question with its buttons."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.asking import Composer
from chat_ui.components.branding import BrandingPart, most
from chat_ui.components.commands import Command
from chat_ui.components.languages import t
from chat_ui.server.addresses import ANSWERS, ATTACHMENTS
from chat_ui.state.arms.arm_choice import ArmChoice
from chat_ui.state.arms.second_arm import SecondArmState
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.chat import (
    MOST_IMAGES,
    NOT_READABLE,
    ChatState,
)


def composer() -> rx.Component:
    """The textbox Message with Send, or Stop while an answer is being made; it asks and stops both arms."""
    is_answering = ChatState.latest.live | SecondArmState.latest.live | (SecondArmState.waiting != "")
    stop = [ChatState.stop, SecondArmState.stop, SecondArmState.stop_waiting]
    return rx.el.div(
        rx.cond(
            ChatState.refusal != "",
            rx.el.div(
                rx.icon("circle-alert", size=18, aria_hidden="true"),
                rx.el.p(ChatState.refusal),
                role="alert",
                class_name="callout",
            ),
        ),
        Composer.create(
            rx.cond(
                is_answering,
                rx.fragment(
                    rx.el.button(
                        rx.icon("square", size=16, aria_hidden="true"),
                        type="button",
                        class_name="send",
                        aria_label=t("Stop"),
                        title=t("Stop"),
                        on_click=stop,
                    ),
                    Command.create(name="stop", on_run=stop),
                ),
                rx.el.button(
                    rx.icon("arrow-up", size=18, aria_hidden="true"),
                    type="submit",
                    class_name="send",
                    aria_label=t("Send"),
                    title=t("Send"),
                ),
            ),
            busy=is_answering,
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
            takes_images=BackendState.takes_images,
            most_images=MOST_IMAGES,
            pongs=ChatState.pongs,
            backend=rx.cond(
                SecondArmState.comparing & (ArmChoice.arm_label != BackendState.label),
                t("{left} and {right}", left=BackendState.label, right=ArmChoice.arm_label),
                BackendState.label,
            ),
            differing=BackendState.differing,
            is_both=SecondArmState.comparing,
            on_send=ChatState.ask_with,
            on_send_both=SecondArmState.ask_both,
            on_ping=ChatState.ping,
            on_ask_after=ChatState.find_questions,
        ),
        BrandingPart.create(part="footer"),
        class_name="composer-frame",
    )
