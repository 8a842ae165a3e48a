"""What the page can do, found by typing or called by keys."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script


class Command(rx.Component):
    """Makes an act of the page one of its commands under `name`, for as long as this is on the page."""

    library = script("features/commands/page/commands.js")
    tag = "Command"

    name: rx.Var[str]
    on_run: rx.EventHandler[rx.event.no_args_event_spec]


class CommandKeys(rx.Component):
    """The page's shortcuts, with the dialog Search and commands and the list Keyboard shortcuts; once on a page.

    The dialog finds conversations at the `address` of the list, whose pages are at `pages`/ID, backends among those
    `offered`, pairs of id and name, but for the `selected` one, and commands. It exports the open `conversation`
    of this `title`, and shares it by links, which are at `links`. Dialogs load when they are first opened.
    """

    library = script("features/commands/page/command_keys.jsx")
    lib_dependencies: list[str] = ["match-sorter@8.3.0"]  # noqa: RUF012 - Reflex's own way to name them
    tag = "CommandKeys"

    address: rx.Var[str]
    pages: rx.Var[str]
    conversation: rx.Var[str]
    title: rx.Var[str]
    links: rx.Var[str]
    offered: rx.Var[list[list[str]]]
    selected: rx.Var[str]
