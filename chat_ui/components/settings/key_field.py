"""The field for a person's key, which is in no state on its way to the server."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.components.languages import t
from chat_ui.components.settings.field import VERBATIM, changing, note, own_value
from chat_ui.state.backend_dialog import KEY_FIELD, BackendDialog

TYPED_KEY: Final[rx.Var[str]] = rx.Var(f"(document.getElementById('{KEY_FIELD}')?.value ?? '')", _var_type=str)
"""The value of the field at the moment of an event."""


def key_field() -> rx.Component:
    """The field for a key. Its text goes to the server with Save or Test connection, and is never sent back."""
    return rx.cond(
        BackendDialog.takes_key,
        rx.el.fieldset(
            rx.el.legend(t("Key"), class_name="field-label"),
            rx.el.div(
                own_value(
                    "select",
                    BackendDialog.key_scheme,
                    changing("key_scheme"),
                    rx.el.option(t("Bearer token"), value="bearer"),
                    rx.el.option(t("api-key header"), value="api-key"),
                    rx.el.option(t("Another header"), value="header"),
                    aria_label=t("How the key is sent"),
                    class_name="input",
                ),
                rx.cond(
                    BackendDialog.key_scheme == "header",
                    own_value(
                        "input",
                        BackendDialog.key_header,
                        changing("key_header"),
                        placeholder="X-Api-Key",
                        aria_label=t("Name of the header"),
                        class_name="input",
                        **VERBATIM,
                    ),
                ),
                rx.el.input(
                    id=KEY_FIELD,
                    name=KEY_FIELD,
                    type="password",
                    auto_complete="new-password",
                    placeholder=rx.cond(
                        BackendDialog.key_is_set, t("A key is set; type to replace it"), t("None is set")
                    ),
                    aria_label=t("Key"),
                    aria_invalid=BackendDialog.key_error != "",
                    class_name="input",
                ),
                rx.cond(
                    BackendDialog.key_is_set,
                    rx.el.button(
                        t("Remove key"), type="button", class_name="button", on_click=BackendDialog.remove_key
                    ),
                ),
                class_name="key-fields",
            ),
            note(
                BackendDialog.key_error,
                t("Kept encrypted on this server, sent to this address alone, and dropped when the address changes."),
            ),
            class_name="field",
        ),
    )
