"""The dialog in which a person says which backend answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import reflex as rx
from reflex.event import EventSpec

from chat_ui.components.branding import allowed
from chat_ui.components.header.report_dialog import report_dialog
from chat_ui.components.settings.field import changing, field, own_value, switching, text_field
from chat_ui.components.settings.key_field import TYPED_KEY, key_field
from chat_ui.components.shared import OF_A_DIALOG
from chat_ui.components.shared.icon_button import icon_button
from chat_ui.state.backend_dialog import DIALECT_CHOICES, DOCUMENTS_FIELD, FIRST_FIELD, SETTINGS_BUTTON, BackendDialog
from chat_ui.state.connection import TEST_BUTTON, TEST_SECONDS, ConnectionState
from chat_ui.state.option_rows import OptionRow
from chat_ui.state.removal import RemovalState

_OPEN = allowed("settings")
_OWN = allowed("own_backends")
"""Where settings are open as well."""
_LOOKING = f"Looking for the backend, with one short question, for {TEST_SECONDS} s at most…"
_NEW = "One more backend, beside those that you have. You choose between them on top of the page."
EDITING: Final = [ConnectionState.forget, BackendDialog.open_dialog]
"""Opens the dialog with the backend in use."""
ADDING: Final = [ConnectionState.forget, BackendDialog.add_backend]
"""Opens the dialog for one more backend."""
_DESCRIPTION = rx.cond(
    _OPEN,
    "Which backend answers, and how it is asked. Kept in this browser.",
    "How the backend is asked. Whoever runs this page has set it.",
)


def _switch(
    label: str, help_text: str, checked: rx.Var[bool], on_change: Callable[[rx.Var[bool]], EventSpec]
) -> rx.Component:
    return rx.el.label(
        own_value("switch", checked, on_change, aria_label=label),
        rx.el.span(
            rx.el.span(label, class_name="field-label"),
            rx.el.span(help_text, class_name="field-help"),
            class_name="field-text",
        ),
        class_name="field-row",
    )


def _name_field() -> rx.Component:
    return rx.cond(
        BackendDialog.is_own,
        text_field(
            "Name",
            "backend-name",
            BackendDialog.name,
            changing("name"),
            max_length=100,
            placeholder="Its host, where you give it none",
        ),
    )


def _option_input(row: rx.Var[OptionRow]) -> rx.Component:
    name = f"option-{row.key}"
    own = "The backend's own"
    common = {"id": name, "name": name, "aria_describedby": f"{name}-note", "class_name": "input"}

    def change(value: rx.Var[str]) -> EventSpec:
        return BackendDialog.set_option(row.key, value)

    return rx.cond(
        row.choices.length() > 0,
        own_value(
            "select",
            row.value,
            change,
            rx.el.option(own, value=""),
            rx.foreach(row.choices, lambda choice: rx.el.option(choice[1], value=choice[0])),
            **common,
        ),
        own_value(
            "input",
            row.value,
            change,
            placeholder=own,
            auto_complete="off",
            aria_invalid=row.problem != "",
            **common,
        ),
    )


def _option_field(row: rx.Var[OptionRow]) -> rx.Component:
    return field(
        row.label,
        f"option-{row.key}",
        _option_input(row),
        error=row.problem,
        help_text=row.help,
        badge=rx.cond(row.changed, rx.el.span("changed", class_name="badge")),
    )


def _options() -> rx.Component:
    return rx.el.details(
        rx.el.summary(
            "Request settings",
            rx.cond(
                BackendDialog.differing > 0,
                rx.el.span(BackendDialog.differing, " changed", class_name="badge"),
            ),
        ),
        rx.el.div(
            rx.foreach(BackendDialog.rows, _option_field),
            text_field(
                "Other options, as JSON",
                "option-more",
                BackendDialog.more,
                BackendDialog.set_more,
                error=BackendDialog.more_error,
                control="textarea",
                rows=3,
            ),
            rx.el.button("Reset", type="button", class_name="button", on_click=BackendDialog.reset_options),
            class_name="dialog-form",
        ),
        class_name="options",
    )


def _url_field() -> rx.Component:
    return text_field(
        "Backend URL",
        FIRST_FIELD,
        BackendDialog.url,
        BackendDialog.set_url,
        error=BackendDialog.url_error,
        help_text="The chat endpoint, such as https://example.com/chat, or the address of its server, where Test "
        "connection finds it. This server calls it, not your browser, so its CORS settings do not matter.",
        input_mode="url",
    )


def _certificate() -> rx.Component:
    """The certificate that is trusted at the address, and a button to trust it no more."""
    return rx.cond(
        BackendDialog.certificate != "",
        rx.el.div(
            rx.el.p(
                "You trust the certificate with this SHA-256 fingerprint here, and no other: ",
                rx.el.code(BackendDialog.certificate, class_name="fingerprint"),
                class_name="field-help",
            ),
            rx.el.button(
                "Trust it no more",
                type="button",
                class_name="button",
                on_click=[BackendDialog.distrust, ConnectionState.forget],
            ),
            class_name="field",
        ),
    )


def _dialect_field() -> rx.Component:
    return field(
        "Dialect",
        "backend-dialect",
        own_value(
            "select",
            BackendDialog.dialect,
            changing("dialect"),
            *[rx.el.option(label, value=name) for name, label in DIALECT_CHOICES],
            id="backend-dialect",
            name="backend-dialect",
            class_name="input",
        ),
    )


def _model_field() -> rx.Component:
    return text_field(
        "Model",
        "backend-model",
        BackendDialog.model,
        changing("model"),
        placeholder="Only where the backend wants one named",
    )


def _documents_field() -> rx.Component:
    return text_field(
        "Documents",
        DOCUMENTS_FIELD,
        BackendDialog.documents,
        changing("documents"),
        error=BackendDialog.documents_error,
        help_text="Where the documents are that answers cite, if not at content/ beside the chat. Holds for questions "
        "from now on.",
        input_mode="url",
        placeholder="{origin}/content/{source}",
    )


def backend_button() -> rx.Component:
    """The button that opens the dialog, with the number of settings that are not the backend's own; the dialog gives
    the focus back to it.
    """
    changed = BackendDialog.differing
    return icon_button(
        "Backend settings",
        "settings",
        rx.cond(changed > 0, rx.el.span(changed, class_name="badge", aria_hidden="true")),
        class_name="tool backend-settings",
        id=SETTINGS_BUTTON,
        aria_label=rx.cond(changed > 0, f"Backend settings, {changed} changed", "Backend settings"),
        aria_haspopup="dialog",
        on_click=EDITING,
    )


def _fields() -> list[rx.Component]:
    streaming = _switch(
        "Stream answers", "Show the text while it is being written.", BackendDialog.stream, switching("stream")
    )
    own = (_name_field(), _url_field(), _certificate(), _dialect_field(), _model_field(), _documents_field(), streaming)
    fixed = rx.el.p("This page's backends are chosen by whoever runs it.", class_name="field-help")
    return [
        rx.cond(allowed("backends_of_people"), rx.fragment(*own), fixed),
        _switch(
            "Suggest follow-up questions",
            "Ask the backend for questions to go on with.",
            BackendDialog.followups,
            switching("followups"),
        ),
        key_field(),
        _options(),
    ]


def _remove_button() -> rx.Component:
    return rx.cond(
        _OWN & BackendDialog.is_own & ~BackendDialog.is_new,
        rx.el.button("Remove", type="button", class_name="button", on_click=RemovalState.remove),
    )


def _verdict() -> rx.Component:
    """The result of the connection test, and a link to the full report."""
    return rx.fragment(
        rx.el.div(
            rx.cond(
                ConnectionState.testing,
                rx.el.p(_LOOKING),
            ),
            rx.cond(
                (ConnectionState.about == BackendDialog.url) & (ConnectionState.verdict != ""),
                rx.el.p(
                    ConnectionState.verdict,
                    class_name=rx.cond(ConnectionState.is_good, "verdict verdict-ok", "verdict verdict-bad"),
                ),
            ),
            role="status",
        ),
        rx.cond(
            (ConnectionState.about == BackendDialog.url) & (ConnectionState.verdict != ""),
            rx.el.div(
                rx.cond(
                    ConnectionState.tried.length() > 0,
                    rx.el.details(
                        rx.el.summary("What was tried"),
                        rx.el.ol(rx.foreach(ConnectionState.tried, lambda words: rx.el.li(words, dir="auto"))),
                        class_name="tried",
                    ),
                ),
                rx.cond(
                    ConnectionState.refused != "",
                    rx.el.div(
                        rx.el.button(
                            "Trust this certificate",
                            type="button",
                            class_name="button",
                            on_click=ConnectionState.trust(TYPED_KEY),
                        ),
                        rx.el.p(
                            "Compare its fingerprint with the one that the server itself tells. It is trusted for "
                            "this address alone, and for you alone, until you take that back here.",
                            class_name="field-help",
                        ),
                        class_name="field",
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
            rx.dialog.description(rx.cond(BackendDialog.is_new, _NEW, _DESCRIPTION), size="2"),
            rx.el.form(
                rx.el.fieldset(*_fields(), disabled=~_OPEN, class_name="dialog-form"),
                _verdict(),
                rx.el.div(
                    rx.el.button(
                        rx.cond(ConnectionState.testing, "Stop the test", "Test connection"),
                        id=TEST_BUTTON,
                        type="button",
                        class_name="button",
                        on_click=ConnectionState.test_or_stop(TYPED_KEY),
                    ),
                    _remove_button(),
                    rx.el.span(class_name="spacer"),
                    rx.dialog.close(
                        rx.el.button(rx.cond(_OPEN, "Cancel", "Close"), type="button", class_name="button")
                    ),
                    rx.cond(_OPEN, rx.el.button("Save", type="submit", class_name="button button-primary")),
                    class_name="dialog-buttons",
                ),
                on_submit=BackendDialog.save,
                class_name="dialog-form",
                no_validate=True,
            ),
            max_width="34rem",
            aria_describedby=None,
            custom_attrs=OF_A_DIALOG,
        ),
        open=BackendDialog.is_open,
        on_open_change=[BackendDialog.set_open, ConnectionState.stop_with_dialog],
    )
