"""What the operator decides of the page, as the document of the server says it."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.page.scripts import imported, script

_OTHER_THAN_PAINTED: Final = """\
try {
  const { selected } = JSON.parse(localStorage["chat-ui-backend"]);
  const { dataset } = document.documentElement;
  if (selected && selected !== dataset.backend) dataset.backend = "another";
} catch {}"""
TITLE: rx.Var[str] = imported("page/painted/options.js", "title").to(str)


class PaintedPart(rx.Component):
    """A `part` of the page that the server writes; `own` is what the backend in use has instead."""

    library = script("page/painted/painted_part.jsx")
    tag = "PaintedPart"

    part: rx.Var[str]
    own: rx.Var[str]


class PaintedStyle(rx.Component):
    """The stylesheet that the backend in use has of its own."""

    library = script("page/painted/painted_part.jsx")
    tag = "PaintedStyle"

    rules: rx.Var[str]


class Painted(rx.Component):
    """Its children; at the first paint, the HTML of the value `name` of `chat_ui/server/document.py`."""

    library = script("page/painted/painted_part.jsx")
    tag = "Painted"

    name: rx.Var[str]


class ThemeColour(rx.Component):
    """Gives what is around the page the colour of the theme that the person has chosen; once on a page."""

    library = script("page/painted/theme_colour.jsx")
    tag = "ThemeColour"


def other_than_painted() -> rx.Component:
    """The script that marks the document where this browser has chosen another backend than its first paint shows,
    whose name, greeting and starter questions are not shown then.
    """
    return rx.el.script(custom_attrs={"dangerouslySetInnerHTML": {"__html": _OTHER_THAN_PAINTED}})


def allowed(what: str) -> rx.Var[bool]:
    """Whether a person may do this, or see it."""
    allows = imported("page/painted/options.js", "allows")
    return rx.Var(f'{allows}("{what}")', _var_data=allows._get_all_var_data()).to(bool)


def most(what: str) -> rx.Var[int]:
    """The most of this that the server takes."""
    limits = imported("page/painted/options.js", "limits")
    return rx.Var(f"{limits}.{what}", _var_data=limits._get_all_var_data()).to(int)
