from __future__ import annotations

from typing import Final, get_args

import reflex as rx

from chat_ui.backends.settings import (
    TYPED_KEY,
    VERBATIM,
    RestoredDialog,
    changing,
    key_field,
    note,
    own_value,
    text_field,
)
from chat_ui.backends.settings.tabs import locked, tabs
from chat_ui.backends.state.backend_dialog import FIRST_FIELD, SETTINGS_BUTTON, BackendDialog, Switch, TextField
from chat_ui.backends.state.connection import TEST_BUTTON, TEST_SECONDS, ConnectionState
from chat_ui.backends.state.removal import RemovalState
from chat_ui.page.languages import rich, t, tn
from chat_ui.page.painted import allowed
from chat_ui.page.shared import OF_A_DIALOG, CopyText, button, close_button, icon_button, verdict

_OPEN = allowed("settings")
_OWN = allowed("own_backends")
"""Where settings are open as well."""
_IS_CHANGED_HERE = _OPEN & (BackendDialog.recorded_from == "")
_LOOKING = t("Looking for the backend and asking one short question, for up to {seconds} s…", seconds=TEST_SECONDS)
_NEW = t("Add another backend. Switch between backends at the top of the page.")
EDITING: Final = [ConnectionState.forget, BackendDialog.open_dialog("")]
ADDING: Final = [ConnectionState.forget, BackendDialog.add_backend]
"""Opens the dialog for one more backend."""
_CLOSING: Final = [BackendDialog.set_open(False), ConnectionState.stop_with_dialog(False)]
_IS_ABOUT_THIS = (ConnectionState.about == BackendDialog.url) & (ConnectionState.verdict != "")
_DESCRIPTION = rx.cond(
    _OPEN,
    t("Choose a backend and its options. Saved in this browser."),
    t("Options of questions. The operator of this page chose the backend."),
)


def _name_field() -> rx.Component:
    return rx.cond(
        BackendDialog.is_own,
        text_field(
            t("Name"),
            "backend-name",
            BackendDialog.name,
            changing("name"),
            max_length=100,
            placeholder=t("Default: its host name"),
        ),
    )


def _test_button() -> rx.Component:
    return rx.el.button(
        rx.cond(ConnectionState.testing, t("Stop the test"), t("Test connection")),
        id=TEST_BUTTON,
        type="button",
        class_name="button test-button",
        on_click=ConnectionState.test_or_stop(TYPED_KEY),
    )


def _url_field() -> rx.Component:
    """The address with the button that tests it; only the button if a person may not change it."""
    note_id = f"{FIRST_FIELD}-note"
    typed = own_value(
        "input",
        BackendDialog.url,
        BackendDialog.set_url,
        id=FIRST_FIELD,
        name=FIRST_FIELD,
        input_mode="url",
        placeholder="https://example.com/chat",
        aria_invalid=BackendDialog.url_error != "",
        aria_describedby=note_id,
        class_name="input",
        **VERBATIM,
    )
    help_text = t(
        "A chat endpoint or just its server: Test connection finds the path. Requests come from the "
        "server, not from your browser."
    )
    return rx.cond(
        allowed("backends_of_people"),
        rx.el.div(
            rx.el.label(t("Backend URL"), html_for=FIRST_FIELD, class_name="field-label"),
            rx.el.div(locked(typed), _test_button(), class_name="tested"),
            note(BackendDialog.url_error, help_text, note_id),
            class_name="field",
        ),
        rx.el.div(
            rx.el.p(t("The operator of this page chooses its backends."), class_name="field-help"),
            _test_button(),
            class_name="tested",
        ),
    )


def _certificate() -> rx.Component:
    """The certificate that is trusted at the address, and a button to revoke the trust."""
    return rx.cond(
        BackendDialog.certificate != "",
        rx.el.div(
            rx.el.p(
                rich(
                    "Trusted certificate, by its SHA-256 fingerprint: {fingerprint}",
                    fingerprint=rx.el.code(BackendDialog.certificate, class_name="fingerprint"),
                ),
                class_name="field-help",
            ),
            button(t("Stop trusting"), on_click=[BackendDialog.distrust, ConnectionState.forget]),
            class_name="field",
        ),
    )


def backend_button() -> rx.Component:
    """The button that opens the dialog, with the number of changed settings; the dialog gives the focus back to it."""
    changed = BackendDialog.differing
    return icon_button(
        t("Backend settings"),
        "settings",
        rx.cond(changed > 0, rx.el.span(changed, class_name="badge", aria_hidden="true")),
        class_name="tool backend-settings",
        id=SETTINGS_BUTTON,
        aria_label=rx.cond(
            changed > 0,
            tn("Backend settings, one changed", "Backend settings, {count} changed", changed),
            t("Backend settings"),
        ),
        aria_haspopup="dialog",
        on_click=EDITING,
    )


def _remove_button() -> rx.Component:
    return rx.cond(
        _OWN & BackendDialog.is_own & ~BackendDialog.is_new,
        button(t("Remove"), on_click=RemovalState.remove(BackendDialog.editing)),
    )


def _trust() -> rx.Component:
    return rx.cond(
        ConnectionState.refused != "",
        rx.el.div(
            button(t("Trust this certificate"), on_click=ConnectionState.trust(TYPED_KEY)),
            rx.el.p(
                t(
                    "Compare this fingerprint with the one that the server's operator gives you. "
                    "Only you trust it, only for this address, until you stop trusting it here."
                ),
                class_name="field-help",
            ),
            class_name="field",
        ),
    )


def _operator_lines() -> rx.Component:
    lines = ConnectionState.operator_lines
    return rx.cond(
        lines != "",
        rx.el.div(
            rx.el.label(t("Lines for the operator"), html_for="operator-lines", class_name="field-label"),
            rx.el.textarea(
                id="operator-lines", value=lines, class_name="input", lang="en", dir="ltr", rows=4, read_only=True,
                spell_check=False,
            ),
            CopyText.create(text=lines, words=t("Copy the lines")),
            class_name="field",
        ),
    )  # fmt: skip


def _tried() -> rx.Component:
    return rx.cond(
        ConnectionState.tried.length() > 0,
        rx.el.details(
            rx.el.summary(t("Requests tried")),
            rx.el.ol(
                rx.foreach(ConnectionState.tried, lambda words: rx.el.li(words, dir="auto")), lang="en", dir="ltr"
            ),
            class_name="tried",
        ),
    )


def _verdict() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.cond(ConnectionState.testing, rx.el.p(_LOOKING, class_name="looking")),
            rx.cond(_IS_ABOUT_THIS, verdict(ConnectionState.outcome, ConnectionState.verdict)),
            role="status",
        ),
        rx.cond(_IS_ABOUT_THIS, rx.fragment(_operator_lines(), _tried(), _trust())),
        class_name="tested-verdict",
    )


def _head() -> rx.Component:
    return rx.el.div(
        rx.dialog.title(t("Backend settings")),
        rx.dialog.description(rx.cond(BackendDialog.is_new, _NEW, _DESCRIPTION), size="2"),
        class_name="framed-head",
    )


def _recording() -> rx.Component:
    return rx.el.div(
        rx.el.p(rx.el.strong(BackendDialog.name, dir="auto")),
        rx.el.p(
            BackendDialog.recorded_from,
            ". ",
            t("Answers come from a file, at the recorded speed, without a network."),
        ),
        class_name="framed-body",
    )


def _body() -> rx.Component:
    return rx.el.div(
        rx.cond(allowed("backends_of_people"), locked(_name_field())),
        _url_field(),
        _verdict(),
        locked(_certificate(), key_field()),
        tabs(),
        class_name="framed-body",
    )


def _foot() -> rx.Component:
    return rx.el.div(
        _remove_button(),
        rx.el.span(class_name="spacer"),
        button(t("Cancel"), on_click=_CLOSING),
        rx.el.button(t("Save"), type="submit", class_name="button button-primary"),
        class_name="framed-foot dialog-buttons",
    )


def backend_dialog() -> rx.Component:
    return RestoredDialog.create(
        rx.dialog.content(
            rx.el.form(
                _head(),
                rx.cond(BackendDialog.recorded_from != "", _recording(), _body()),
                rx.cond(_IS_CHANGED_HERE, _foot()),
                on_submit=BackendDialog.save,
                no_validate=True,
                class_name="framed-form",
            ),
            close_button(),
            class_name="settings framed",
            max_width="42rem",
            aria_describedby=None,
            custom_attrs=OF_A_DIALOG,
        ),
        open=BackendDialog.is_open,
        openings=BackendDialog.openings,
        fields={
            "editing": BackendDialog.editing,
            "is_new": BackendDialog.is_new,
            "texts": {name: getattr(BackendDialog, name) for name in (*get_args(TextField), "url", "more")},
            "switches": {name: getattr(BackendDialog, name) for name in get_args(Switch)},
            "rows": BackendDialog.rows,
        },
        on_restore=BackendDialog.restore,
        on_open_change=[BackendDialog.set_open, ConnectionState.stop_with_dialog],
    )
