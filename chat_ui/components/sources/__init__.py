"""The panels beside the conversation: sources, documents and thoughts."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class HtmlFragment(rx.Component):
    """Safe HTML of ours, fetched from `address` when it is shown; `on_source` gets the number of a source asked for."""

    library = script("sources/fragment.jsx")
    tag = "Fragment"
    alias = "HtmlFragment"

    address: rx.Var[str]
    on_source: rx.EventHandler[rx.event.passthrough_event_spec(int)]


class SourcesPanel(rx.Component):
    """The region named Sources, filled from `address`; documents open in it. It names the question of an `earlier`
    answer.

    pdf.js comes with it as a part of its own that a browser loads with the first PDF.
    """

    library = script("sources/sources_panel.jsx")
    lib_dependencies: list[str] = ["pdfjs-dist@6.5.438"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "SourcesPanel"

    address: rx.Var[str]
    earlier: rx.Var[bool]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
