"""The dialog in which a person says which backend answers."""

from __future__ import annotations

import reflex as rx
from reflex.event import EventType

from chat_ui.state.backend import DIALECT_CHOICES, BackendState


def _switch(label: str, help_text: str, checked: rx.Var[bool], on_change: EventType[bool]) -> rx.Component:
    return rx.el.label(
        rx.switch(checked=checked, on_change=on_change, aria_label=label),
        rx.el.span(
            rx.el.span(label, class_name="field-label"),
            rx.el.span(help_text, class_name="field-help"),
            class_name="field-text",
        ),
        class_name="field-row",
    )


def _url_field() -> rx.Component:
    return rx.el.div(
        rx.el.label("Backend URL", html_for="backend-url", class_name="field-label"),
        rx.el.input(
            id="backend-url",
            value=BackendState.url,
            on_change=BackendState.set_url,
            type="text",
            input_mode="url",
            auto_complete="off",
            spell_check=False,
            class_name="input",
            aria_describedby="backend-url-help",
            aria_invalid=BackendState.url_error != "",
        ),
        rx.cond(
            BackendState.url_error != "",
            rx.el.p(BackendState.url_error, id="backend-url-help", role="alert", class_name="field-error"),
            rx.el.p(
                "The chat endpoint, such as https://example.com/chat. A stream is looked for at …/stream.",
                id="backend-url-help",
                class_name="field-help",
            ),
        ),
        class_name="field",
    )


def _dialect_field() -> rx.Component:
    return rx.el.div(
        rx.el.label("Dialect", html_for="backend-dialect", class_name="field-label"),
        rx.el.select(
            *[rx.el.option(label, value=name) for name, label in DIALECT_CHOICES],
            id="backend-dialect",
            value=BackendState.dialect,
            on_change=BackendState.set_dialect,
            class_name="input",
        ),
        class_name="field",
    )


def backend_button() -> rx.Component:
    """The button that opens the dialog; the dialog gives the focus back to it."""
    return rx.el.button(
        rx.icon("settings", size=18, aria_hidden="true"),
        type="button",
        class_name="tool",
        aria_label="Backend settings",
        aria_haspopup="dialog",
        title="Backend settings",
        on_click=BackendState.open_dialog,
    )


def backend_dialog() -> rx.Component:
    """The dialog Backend settings."""
    return rx.dialog.root(
        rx.dialog.content(
            rx.dialog.title("Backend settings"),
            rx.dialog.description("Which backend answers, and how it is asked. Kept in this browser.", size="2"),
            rx.el.form(
                _url_field(),
                _dialect_field(),
                _switch(
                    "Stream answers",
                    "Show the text while it is being written.",
                    BackendState.stream,
                    BackendState.set_stream,
                ),
                _switch(
                    "Suggest follow-up questions",
                    "Ask the backend for questions to go on with.",
                    BackendState.followups,
                    BackendState.set_followups,
                ),
                rx.el.div(
                    rx.cond(
                        BackendState.verdict != "",
                        rx.el.p(
                            BackendState.verdict,
                            class_name=rx.cond(BackendState.verdict_ok, "verdict verdict-ok", "verdict verdict-bad"),
                        ),
                    ),
                    role="status",
                ),
                rx.el.div(
                    rx.el.button(
                        rx.cond(BackendState.testing, "Testing…", "Test connection"),
                        type="button",
                        class_name="button",
                        aria_label="Test connection",
                        aria_disabled=BackendState.testing,
                        on_click=BackendState.test_connection,
                    ),
                    rx.el.button(
                        "Use the default",
                        type="button",
                        class_name="button",
                        on_click=BackendState.reset_to_default,
                    ),
                    rx.el.span(class_name="spacer"),
                    rx.dialog.close(rx.el.button("Cancel", type="button", class_name="button")),
                    rx.el.button("Save", type="submit", class_name="button button-primary"),
                    class_name="dialog-buttons",
                ),
                on_submit=BackendState.save,
                class_name="dialog-form",
                no_validate=True,
            ),
            max_width="34rem",
            aria_describedby=None,
        ),
        open=BackendState.is_open,
        on_open_change=BackendState.set_open,
    )
