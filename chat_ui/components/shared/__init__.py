"""What components of several rooms use."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.components import imported, script

OF_A_DIALOG: Final = {
    "onOpenAutoFocus": imported("shared/focus.js", "rememberDialogOpener"),
    "onCloseAutoFocus": imported("shared/focus.js", "giveDialogFocusBack"),
    "onEscapeKeyDown": imported("shared/pressed.js", "leaveToInputMethod"),
}
"""What makes the content of a dialog without a trigger of its own give the focus back to whatever opened it, and leave
to an input method the Escape that is meant for it.
"""


class CopyButton(rx.Component):
    """A button that copies the text served at `address`, and the rich text at `rich` with it; it is named `label`."""

    library = script("shared/copy_button.jsx")
    tag = "CopyButton"

    address: rx.Var[str]
    rich: rx.Var[str]
    label: rx.Var[str]


class FocusKeeper(rx.Component):
    """Has nothing that the page does leave the focus on its body; once on a page."""

    library = script("shared/focus.js")
    tag = "FocusKeeper"
