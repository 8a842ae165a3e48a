"""The bar on top of the page."""

from __future__ import annotations

from typing import Any

import reflex as rx

from chat_ui.components import script


class BackendSwitcher(rx.Component):
    """The backend in use, and the menu of all that are `offered`, pairs of id and name, each with its last outcome in
    `outcomes`, or with the words in `recordings` where it is one. `on_report` gets the id of a chosen one and the
    number of that change, as with `OwnValue`; `on_edit` and `on_remove` get the id of the backend that the menu names.
    """

    library = script("header/backend_switcher.jsx")
    tag = "BackendSwitcher"

    label: rx.Var[str]
    selected: rx.Var[str]
    offered: rx.Var[list[list[str]]]
    outcomes: rx.Var[dict[str, dict[str, Any]]]
    recordings: rx.Var[dict[str, str]]
    acknowledged: rx.Var[int]
    is_hydrated: rx.Var[bool]
    on_report: rx.EventHandler[rx.event.passthrough_event_spec(str, int)]
    on_add: rx.EventHandler[rx.event.no_args_event_spec]
    on_edit: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_remove: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class MoreMenu(rx.Component):
    """The button More with a menu of what is seldom needed; `on_compare` opens a second arm, if none is there yet."""

    library = script("header/more_menu.jsx")
    tag = "MoreMenu"

    comparing: rx.Var[bool]
    on_settings: rx.EventHandler[rx.event.no_args_event_spec]
    on_compare: rx.EventHandler[rx.event.no_args_event_spec]
