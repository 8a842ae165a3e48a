"""Presentation mode: a question and its answer for an audience, optionally after a script."""

from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.page.painted import TITLE
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts, beside, new_chat
from chat_ui.page.state.chat import NOT_FOUND, ChatState
from chat_ui.page.state.panels import PanelState
from chat_ui.page.state.views import AnswerView, TurnView
from chat_ui.server.addresses import CONVERSATION, NOTES, SCRIPTS

_FROM_THE_FIRST_PAINT: Final = f"""\
try {{
  const {{ isOn, isBlank }} = JSON.parse(sessionStorage["chat-ui-presenting"]);
  const has = isOn && (location.pathname === "/" || location.pathname.startsWith("{CONVERSATION}/"));
  document.documentElement.toggleAttribute("data-presenting", has);
  document.documentElement.toggleAttribute("data-blank", has && isBlank);
}} catch {{}}"""


class Presenting(Scripted):
    """The commands `present` and `script`, and presentation mode; once on a page.

    It shows one of the `turns`, whose newest answer is the `latest`; while it `has_earlier` ones, `on_earlier` requests
    them. The page of a conversation is at `pages`/ID; `missing` is the id of an open conversation that does not exist.
    While `is_other_live`, the compared answer still streams. The last question started a new conversation if the one
    with the id `instead_of` was deleted. `refusal` is the reason why the question `returned_as` was refused. `title` is
    the page's name.

    The operator's script is at `scripts`, which also parses other scripts; the presenter's window is at `notes`.
    `on_use`, `on_point` and `on_thoughts` get the answer's address, the first two also a number; they open the panel,
    and `on_close` closes it. `on_new` starts a conversation for a script's first question.
    """

    library = script("features/presenting/page/presenting.jsx")

    turns: rx.Var[list[TurnView]]
    latest: rx.Var[AnswerView]
    has_earlier: rx.Var[bool]
    missing: rx.Var[str]
    is_ready: rx.Var[bool]
    is_other_live: rx.Var[bool]
    instead_of: rx.Var[str]
    refusal: rx.Var[str]
    returned_as: rx.Var[str]
    title: rx.Var[str]
    pages: rx.Var[str]
    scripts: rx.Var[str]
    notes: rx.Var[str]
    on_use: rx.EventHandler[rx.event.passthrough_event_spec(str, int)]
    on_point: rx.EventHandler[rx.event.passthrough_event_spec(str, int)]
    on_thoughts: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_close: rx.EventHandler[rx.event.no_args_event_spec]
    on_new: rx.EventHandler[rx.event.no_args_event_spec]
    on_earlier: rx.EventHandler[rx.event.no_args_event_spec]


def _head() -> tuple[rx.Component, ...]:
    """The script that hides all other content while a presenting page is reloaded."""
    return (rx.el.script(custom_attrs={"dangerouslySetInnerHTML": {"__html": _FROM_THE_FIRST_PAINT}}),)


def _page() -> tuple[rx.Component, ...]:
    other = beside()
    return (
        Presenting.create(
            turns=ChatState.turns,
            latest=ChatState.latest,
            has_earlier=ChatState.has_earlier,
            missing=rx.cond(ChatState.missing == NOT_FOUND, ChatState.missing_id, ""),
            is_ready=ChatState.is_hydrated,
            is_other_live=other.latest.live if other else False,
            instead_of=ChatState.instead_of,
            refusal=ChatState.refusal,
            returned_as=ChatState.returned_as,
            title=TITLE,
            pages=CONVERSATION,
            scripts=f"{SCRIPTS}/",
            notes=NOTES,
            on_use=PanelState.show_source,
            on_point=PanelState.show_point,
            on_thoughts=PanelState.show_thoughts,
            on_close=PanelState.close,
            on_new=new_chat(),
            on_earlier=ChatState.show_earlier,
        ),
    )


PARTS = Parts(head=_head, page=_page)
