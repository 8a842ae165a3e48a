"""The button that shows an icon."""

from __future__ import annotations

from typing import Any

import reflex as rx


def icon_button(
    label: str | rx.Var[str], icon: str, *beside: rx.Component, size: int = 18, **props: Any
) -> rx.Component:
    """A button named `label` with an icon of `size` pixels and the components `beside` it."""
    named = {"aria_label": label, "title": label, "class_name": "tool"}
    return rx.el.button(rx.icon(icon, size=size, aria_hidden="true"), *beside, type="button", **named | props)
