"""The field for a person's key, which is in no state on its way to the server."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.components.field import note, own_value
from chat_ui.state.backend_settings import KEY_FIELD, KEY_KINDS, BackendState

TYPED_KEY: Final[rx.Var[str]] = rx.Var(f"(document.getElementById('{KEY_FIELD}')?.value ?? '')", _var_type=str)
"""What stands in the field at the moment of an event."""


def key_field() -> rx.Component:
    """The field for a key. Its text goes to the server with Save or Test connection, and is never sent back."""
    return rx.cond(
        BackendState.takes_key,
        rx.el.fieldset(
            rx.el.legend("Key", class_name="field-label"),
            rx.el.div(
                own_value(
                    "select",
                    BackendState.key_kind,
                    BackendState.set_key_kind,
                    *[rx.el.option(label, value=kind) for kind, label in KEY_KINDS],
                    aria_label="How the key is sent",
                    class_name="input",
                ),
                rx.cond(
                    BackendState.key_kind == "header",
                    own_value(
                        "input",
                        BackendState.key_header,
                        BackendState.set_key_header,
                        auto_complete="off",
                        spell_check=False,
                        placeholder="X-Api-Key",
                        aria_label="Name of the header",
                        class_name="input",
                    ),
                ),
                rx.el.input(
                    id=KEY_FIELD,
                    name=KEY_FIELD,
                    type="password",
                    auto_complete="new-password",
                    placeholder=rx.cond(BackendState.key_is_set, "A key is set; type to replace it", "None is set"),
                    aria_label="Key",
                    aria_invalid=BackendState.key_error != "",
                    class_name="input",
                ),
                rx.cond(
                    BackendState.key_is_set,
                    rx.el.button("Remove key", type="button", class_name="button", on_click=BackendState.remove_key),
                ),
                class_name="key-fields",
            ),
            note(
                BackendState.key_error,
                "Kept encrypted on this server, sent to this address alone, and dropped when the address changes.",
            ),
            class_name="field",
        ),
    )
