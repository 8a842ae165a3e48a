"""The operator's choices, as the server writes them into the document."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.page.scripts import Scripted, imported, script

_OTHER_THAN_PAINTED: Final = """\
try {
  const { selected } = JSON.parse(localStorage["chat-ui-backend"]);
  const { dataset } = document.documentElement;
  if (selected && selected !== dataset.backend) dataset.backend = "another";
} catch {}"""
TITLE: rx.Var[str] = imported("page/painted/options.js", "title").to(str)


class PaintedPart(Scripted):
    """A `part` of the page that the server writes; `own` is the current backend's replacement."""

    library = script("page/painted/painted_part.jsx")

    part: rx.Var[str]
    own: rx.Var[str]


class PaintedStyle(Scripted):
    """The stylesheet of the current backend's branding."""

    library = script("page/painted/painted_part.jsx")

    rules: rx.Var[str]


class Painted(Scripted):
    """Children, or at the first paint the HTML of the value `name` of `chat_ui/server/document.py`."""

    library = script("page/painted/painted_part.jsx")

    name: rx.Var[str]


class ThemeColour(Scripted):
    """Sets the browser's theme colour to the person's theme; once on a page."""

    library = script("page/painted/theme_colour.jsx")


def other_than_painted() -> rx.Component:
    """The script that marks a document whose first paint is of another backend than this browser's. Its name, greeting
    and starter questions are then hidden.
    """
    return rx.el.script(custom_attrs={"dangerouslySetInnerHTML": {"__html": _OTHER_THAN_PAINTED}})


def allowed(what: str) -> rx.Var[bool]:
    """Whether the operator allows a feature."""
    allows = imported("page/painted/options.js", "allows")
    return rx.Var(f'{allows}("{what}")', _var_data=allows._get_all_var_data()).to(bool)


def most(what: str) -> rx.Var[int]:
    """The server's maximum of `what`."""
    limits = imported("page/painted/options.js", "limits")
    return rx.Var(f"{limits}.{what}", _var_data=limits._get_all_var_data()).to(int)
