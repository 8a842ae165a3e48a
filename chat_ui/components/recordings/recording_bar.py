"""The bar below the header: the sign that a recording answers, with its pace, and the sign that one is being made."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.components.commands import Command
from chat_ui.components.languages import t
from chat_ui.components.recordings import DownloadLink
from chat_ui.components.settings.field import own_value
from chat_ui.components.shared.icon_button import icon_button
from chat_ui.state.backend_choice import BackendState
from chat_ui.state.chat import ChatState
from chat_ui.state.recordings.recording_controls import SPEEDS, RecordingState

SPEED_FIELD: Final = "recording-speed"
_LATEST = ChatState.latest
_IS_OF_BACKEND = (_LATEST.replayed_by != "") & (_LATEST.replayed_by == BackendState.selected)
_PLAYS = _LATEST.live & (_LATEST.recorded != "")


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
    is_chosen = BackendState.recorded != ""
    words = rx.cond(is_chosen, BackendState.recorded, rx.cond(_IS_OF_BACKEND, _LATEST.recorded, ""))
    return rx.cond(
        ChatState.is_hydrated & (is_chosen | _IS_OF_BACKEND | _PLAYS),
        rx.el.section(
            rx.cond(
                words != "",
                rx.el.p(rx.icon("film", size=16, aria_hidden="true"), rx.el.span(words), class_name="recorded-sign"),
            ),
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
