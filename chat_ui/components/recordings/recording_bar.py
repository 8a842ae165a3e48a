"""The bar below the header: the sign that a recording answers, with its pace, and the sign that one is being made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import reflex as rx

from chat_ui.components.commands import Command
from chat_ui.components.languages import t
from chat_ui.components.recordings import DownloadLink
from chat_ui.components.settings.field import own_value
from chat_ui.components.shared.icon_button import icon_button
from chat_ui.state.arms.arm_choice import ArmChoice
from chat_ui.state.arms.second_arm import SecondArmState
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.chat import ChatState
from chat_ui.state.recordings.recording_controls import SPEEDS, RecordingState
from chat_ui.state.views import AnswerView

SPEED_FIELD: Final = "recording-speed"
_COMPARING = SecondArmState.comparing


@dataclass(frozen=True)
class _Arm:
    """An arm of a comparison, or the conversation alone: its `name`, its last answer, and its backend, with the words
    that this is a recording.
    """

    name: rx.Var[str]
    latest: AnswerView
    backend: rx.Var[str]
    recorded: rx.Var[str]

    @property
    def plays(self) -> rx.Var[bool]:
        """Whether a recording answers at the moment."""
        return rx.Var.create(self.latest.live & (self.latest.recorded != ""))

    @property
    def words(self) -> rx.Var[str]:
        """What the sign says; empty where there is nothing to say."""
        is_of_backend = (self.latest.replayed_by != "") & (self.latest.replayed_by == self.backend)
        return rx.cond(self.recorded != "", self.recorded, rx.cond(is_of_backend, self.latest.recorded, ""))

    def sign(self) -> rx.Component:
        """The sign that a recording answers here."""
        return rx.cond(
            self.words != "",
            rx.el.p(
                rx.icon("film", size=16, aria_hidden="true"),
                rx.cond(_COMPARING, rx.el.span(self.name)),
                rx.el.span(self.words),
                class_name="recorded-sign",
            ),
        )


_LEFT = _Arm(t("Left:"), ChatState.latest, BackendState.selected, BackendState.recorded)
_RIGHT = _Arm(
    t("Right:"),
    SecondArmState.latest,
    ArmChoice.arm_backend,
    rx.cond(_COMPARING, ArmChoice.arm_recorded, ""),
)
_PLAYS = _LEFT.plays | _RIGHT.plays


def _pace() -> rx.Component:
    """The speed at which recordings play, and the button that ends the waiting for the rest of an answer."""
    speeds = [rx.el.option(f"{speed}×", value=speed) for speed in SPEEDS]
    return rx.el.div(
        rx.el.label(t("Speed"), html_for=SPEED_FIELD),
        own_value(
            "select",
            BackendState.speed,
            RecordingState.set_speed,
            *speeds,
            id=SPEED_FIELD,
            class_name="input speed",
        ),
        rx.cond(
            _PLAYS,
            rx.fragment(
                rx.el.button(
                    rx.icon("skip-forward", size=16, aria_hidden="true"),
                    rx.el.span(t("Skip to the end")),
                    type="button",
                    class_name="button",
                    on_click=RecordingState.skip,
                ),
                Command.create(name="skip", on_run=RecordingState.skip),
            ),
        ),
        Command.create(name="faster", on_run=RecordingState.step_speed(1)),
        Command.create(name="slower", on_run=RecordingState.step_speed(-1)),
        class_name="pace",
    )


def _replayed() -> rx.Component:
    is_chosen = (_LEFT.recorded != "") | (_RIGHT.recorded != "")
    return rx.cond(
        ChatState.is_hydrated & ((_LEFT.words != "") | (_RIGHT.words != "") | _PLAYS),
        rx.el.section(
            _LEFT.sign(),
            _RIGHT.sign(),
            rx.cond(is_chosen | _PLAYS, _pace()),
            aria_label=t("Recording that answers"),
            class_name="recording-bar",
        ),
    )


def _made() -> rx.Component:
    recording = ChatState.recording
    problem = rx.cond(RecordingState.problem != "", RecordingState.problem, recording.problem)
    words = rx.cond(problem != "", problem, rx.cond(recording.made != "", t("What you asked was recorded."), ""))
    return rx.cond(
        words != "",
        rx.el.div(
            rx.el.p(words),
            rx.cond(
                recording.made != "",
                rx.fragment(
                    DownloadLink.create(t("Download"), href=recording.address),
                    rx.cond(
                        recording.is_on,
                        rx.fragment(),
                        rx.el.button(
                            t("Show it here"),
                            type="button",
                            class_name="button",
                            on_click=RecordingState.use(recording.made),
                        ),
                    ),
                ),
            ),
            icon_button(t("Close"), "x", size=16, on_click=RecordingState.dismiss),
            class_name="recording-bar",
        ),
    )


def _being_made() -> rx.Component:
    recording = ChatState.recording
    dot = rx.el.span(class_name="recording-dot", aria_hidden="true")
    return rx.fragment(
        rx.cond(
            recording.is_on,
            rx.el.div(
                dot,
                rx.el.p(t("Recording what you ask")),
                rx.el.button(t("Stop recording"), type="button", class_name="button", on_click=RecordingState.stop),
                Command.create(name="stop-recording", on_run=RecordingState.stop),
                class_name="recording-bar",
            ),
        ),
        rx.cond(
            recording.is_of_all,
            rx.el.div(dot, rx.el.p(t("What is asked on this page is recorded")), class_name="recording-bar"),
        ),
    )


def recording_bar() -> rx.Component:
    """What there is to tell of recordings, below the header."""
    return rx.fragment(
        _replayed(),
        rx.el.div(_being_made(), _made(), role="status"),
    )
