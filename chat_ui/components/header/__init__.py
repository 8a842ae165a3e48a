"""The bar on top of the page."""

from __future__ import annotations

from typing import Any, Final

import reflex as rx
from reflex.utils.imports import ImportVar
from reflex.vars import VarData

from chat_ui.components import script

IN_THE_HEADER: Final[dict[str, rx.Var[Any]]] = {
    "container": rx.Var(
        "menuPlace",
        _var_data=VarData(
            imports={script("header/menu_place.js"): [ImportVar(tag="useHeader")]},
            hooks={"const menuPlace = useHeader();": None},
        ),
    )
}
"""Attributes that put the content of a menu into the page's header."""
