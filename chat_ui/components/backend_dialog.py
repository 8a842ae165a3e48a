"""The dialog in which a person says which backend answers."""

from __future__ import annotations

import reflex as rx
from reflex.event import EventType

from chat_ui.components.key_field import TYPED_KEY, key_field
from chat_ui.components.report_dialog import report_dialog
from chat_ui.settings import settings
from chat_ui.state.backend import DIALECT_CHOICES, BackendState
from chat_ui.state.connection import ConnectionState
from chat_ui.state.option_rows import OptionRow

_OPEN = settings().settings_access == "open"
_DESCRIPTION = (
    "Which backend answers, and how it is asked. Kept in this browser."
    if _OPEN
    else "How the backend is asked. Whoever runs this page has set it."
)


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


def _name_field() -> rx.Component:
    return rx.cond(
        BackendState.is_own,
        rx.el.div(
            rx.el.label("Name", html_for="backend-name", class_name="field-label"),
            rx.el.input(
                id="backend-name",
                name="backend-name",
                value=BackendState.name,
                on_change=BackendState.set_name,
                type="text",
                auto_complete="off",
                max_length=100,
                class_name="input",
            ),
            class_name="field",
        ),
    )


def _option_input(row: rx.Var[OptionRow]) -> rx.Component:
    return rx.cond(
        row.choices.length() > 0,
        rx.el.select(
            rx.el.option("The backend's own", value=""),
            rx.foreach(row.choices, lambda choice: rx.el.option(choice[1], value=choice[0])),
            id=f"option-{row.key}",
            name=f"option-{row.key}",
            value=row.value,
            on_change=lambda value: BackendState.set_option(row.key, value),
            class_name="input",
        ),
        rx.el.input(
            id=f"option-{row.key}",
            name=f"option-{row.key}",
            value=row.value,
            on_change=lambda value: BackendState.set_option(row.key, value),
            type="text",
            auto_complete="off",
            placeholder="The backend's own",
            aria_invalid=row.problem != "",
            class_name="input",
        ),
    )


def _option_field(row: rx.Var[OptionRow]) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.label(row.label, html_for=f"option-{row.key}", class_name="field-label"),
            rx.cond(row.changed, rx.el.span("changed", class_name="badge")),
            class_name="option-head",
        ),
        _option_input(row),
        rx.cond(
            row.problem != "",
            rx.el.p(row.problem, role="alert", class_name="field-error"),
            rx.el.p(row.help, class_name="field-help"),
        ),
        class_name="field",
    )


def _options() -> rx.Component:
    return rx.el.details(
        rx.el.summary(
            "Request settings",
            rx.cond(
                BackendState.differing > 0,
                rx.el.span(BackendState.differing, " changed", class_name="badge"),
            ),
        ),
        rx.el.div(
            rx.foreach(BackendState.rows, _option_field),
            rx.el.div(
                rx.el.label("Other options, as JSON", html_for="option-more", class_name="field-label"),
                rx.el.textarea(
                    id="option-more",
                    name="option-more",
                    value=BackendState.more,
                    on_change=BackendState.set_more,
                    rows=3,
                    spell_check=False,
                    aria_invalid=BackendState.more_error != "",
                    class_name="input",
                ),
                rx.cond(
                    BackendState.more_error != "",
                    rx.el.p(BackendState.more_error, role="alert", class_name="field-error"),
                ),
                class_name="field",
            ),
            rx.el.button("Reset", type="button", class_name="button", on_click=BackendState.reset_options),
            class_name="dialog-form",
        ),
        class_name="options",
    )


def _url_field() -> rx.Component:
    if not settings().allow_custom_backends:
        return rx.el.p("This page's backends are chosen by whoever runs it.", class_name="field-help")
    return rx.el.div(
        rx.el.label("Backend URL", html_for="backend-url", class_name="field-label"),
        rx.el.input(
            id="backend-url",
            name="backend-url",
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
                "The chat endpoint, such as https://example.com/chat, or the address of its server, where Test "
                "connection finds it. This server calls it, not your browser, so its CORS settings do not matter.",
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
            name="backend-dialect",
            value=BackendState.dialect,
            on_change=BackendState.set_dialect,
            class_name="input",
        ),
        class_name="field",
    )


def _model_field() -> rx.Component:
    return rx.el.div(
        rx.el.label("Model", html_for="backend-model", class_name="field-label"),
        rx.el.input(
            id="backend-model",
            name="backend-model",
            value=BackendState.model,
            on_change=BackendState.set_model,
            type="text",
            auto_complete="off",
            spell_check=False,
            placeholder="Only where the backend wants one named",
            class_name="input",
        ),
        class_name="field",
    )


def _documents_field() -> rx.Component:
    return rx.el.div(
        rx.el.label("Documents", html_for="backend-documents", class_name="field-label"),
        rx.el.input(
            id="backend-documents",
            name="backend-documents",
            value=BackendState.documents,
            on_change=BackendState.set_documents,
            type="text",
            input_mode="url",
            auto_complete="off",
            spell_check=False,
            placeholder="{origin}/content/{source}",
            class_name="input",
            aria_describedby="backend-documents-help",
            aria_invalid=BackendState.documents_error != "",
        ),
        rx.cond(
            BackendState.documents_error != "",
            rx.el.p(BackendState.documents_error, id="backend-documents-help", role="alert", class_name="field-error"),
            rx.el.p(
                "Where the documents are that answers cite, if not at content/ beside the chat. Holds for questions "
                "from now on.",
                id="backend-documents-help",
                class_name="field-help",
            ),
        ),
        class_name="field",
    )


def backend_button() -> rx.Component:
    """The button that opens the dialog; the dialog gives the focus back to it."""
    if settings().settings_access == "hidden":
        return rx.fragment()
    return rx.el.button(
        rx.icon("settings", size=18, aria_hidden="true"),
        type="button",
        class_name="tool",
        aria_label="Backend settings",
        aria_haspopup="dialog",
        title="Backend settings",
        on_click=[ConnectionState.forget, BackendState.open_dialog],
    )


def _fields() -> list[rx.Component]:
    streaming = _switch(
        "Stream answers", "Show the text while it is being written.", BackendState.stream, BackendState.set_stream
    )
    own = (
        [_name_field(), _url_field(), _dialect_field(), _model_field(), _documents_field(), streaming]
        if settings().allow_custom_backends
        else [_url_field()]
    )
    return [
        *own,
        _switch(
            "Suggest follow-up questions",
            "Ask the backend for questions to go on with.",
            BackendState.followups,
            BackendState.set_followups,
        ),
        key_field(),
        _options(),
    ]


def _changing_buttons() -> list[rx.Component]:
    if not _OPEN or not settings().allow_custom_backends:
        return []
    return [
        rx.el.button("Use the default", type="button", class_name="button", on_click=BackendState.reset_to_default),
        rx.cond(
            BackendState.is_own,
            rx.el.button("Remove", type="button", class_name="button", on_click=BackendState.remove_backend),
        ),
    ]


def _verdict() -> rx.Component:
    """What the test of the connection found, and the way to the full report."""
    return rx.fragment(
        rx.el.div(
            rx.cond(
                (ConnectionState.about == BackendState.url) & (ConnectionState.verdict != ""),
                rx.el.p(
                    ConnectionState.verdict,
                    class_name=rx.cond(ConnectionState.is_good, "verdict verdict-ok", "verdict verdict-bad"),
                ),
            ),
            role="status",
        ),
        rx.cond(
            (ConnectionState.about == BackendState.url) & (ConnectionState.verdict != ""),
            rx.el.div(
                rx.cond(
                    ConnectionState.tried.length() > 0,
                    rx.el.details(
                        rx.el.summary("What was tried"),
                        rx.el.ol(rx.foreach(ConnectionState.tried, lambda words: rx.el.li(words, dir="auto"))),
                        class_name="tried",
                    ),
                ),
                report_dialog(),
                class_name="field",
            ),
        ),
    )


def backend_dialog() -> rx.Component:
    """The dialog Backend settings."""
    return rx.dialog.root(
        rx.dialog.content(
            rx.dialog.title("Backend settings"),
            rx.dialog.description(_DESCRIPTION, size="2"),
            rx.el.form(
                rx.el.fieldset(*_fields(), disabled=not _OPEN, class_name="dialog-form"),
                _verdict(),
                rx.el.div(
                    rx.el.button(
                        rx.cond(ConnectionState.testing, "Testing…", "Test connection"),
                        type="button",
                        class_name="button",
                        aria_label="Test connection",
                        aria_disabled=ConnectionState.testing,
                        on_click=ConnectionState.test(TYPED_KEY),
                    ),
                    *_changing_buttons(),
                    rx.el.span(class_name="spacer"),
                    rx.dialog.close(rx.el.button("Cancel" if _OPEN else "Close", type="button", class_name="button")),
                    *([rx.el.button("Save", type="submit", class_name="button button-primary")] if _OPEN else []),
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
