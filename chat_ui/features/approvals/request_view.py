"""The requests of a waiting answer over HTTP, for the card of the page: `GET /ANSWER/request`."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chat_ui.backends.offer import backend_name
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.records.records import Status
from chat_ui.languages.translation import gettext
from chat_ui.page.routes.owned import NO_STORE, owned, text_response
from chat_ui.protocol.answers.pause import asked_for, has_lapsed, verdicts_on
from chat_ui.protocol.answers.secret_scan import scan, veiled
from chat_ui.protocol.events import Interrupt, Json, JsonObject, Pause
from chat_ui.protocol.translatable import msg
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.html.links import OVERRIDES
from chat_ui.rendering.panels.json_shapes import (
    MAX_ITEMS,
    cut,
    definitions_html,
    foldable_html,
    more_html,
    name_html,
    value_html,
    words_of_name,
)

_SECRET_NAME: Final = re.compile(
    r"passw|passphrase|pwd|secret|token|credential|(?:api|access|private).?key|(?:^|[_-])(?:key|pin)$", re.IGNORECASE
)
_MOST_COUNTED: Final = 10
_MASK: Final = "••••••"
_LONG: Final = 300
_LONGEST_NAME: Final = 200
_MAX_DEPTH: Final = 12
_MOST_EXACT: Final = 2**53 - 1


def routes_of(conversations: Conversations) -> list[Route]:
    async def resource(_request: Request, person: str, answer: Generation) -> Response:
        if answer.status is not Status.WAITING:
            return text_response(msg("The agent does not wait here."), 404)
        # An imported answer may lack it.
        pause = answer.answer.pause or Pause("", ())
        card = {
            "backend": backend_name(answer.asked_of),
            "refusal": refusal_of(answer, pause),
            "joint": pause.is_joint,
            "times": await _times(conversations, person, answer.id, pause),
            "requests": [shown(one, time.time()) for one in pause.interrupts],
        }
        return JSONResponse(card, headers=NO_STORE)

    return [Route("/{answer}/request", owned(conversations, resource))]


async def _times(conversations: Conversations, person: str, answer_id: str, pause: Pause) -> int:
    """How many times the agent has asked for the same, one after the other, under any ids."""
    conversation = await conversations.get(person, answer_id.partition(".")[0])
    decides = {turn.generation.id: turn.decides for turn in conversation.turns} if conversation is not None else {}
    times, current = 1, decides.get(answer_id)
    while current and times < _MOST_COUNTED:
        earlier = await conversations.answer(person, current)
        if earlier is None or earlier.answer.pause is None or asked_for(earlier.answer.pause) != asked_for(pause):
            break
        times, current = times + 1, decides.get(current)
    return times


def refusal_of(answer: Generation, pause: Pause) -> str:
    """The reason why the person cannot decide here, or empty."""
    if answer.answer.recorded_at or answer.asked_of.get("recording"):
        return gettext("A recording does not take decisions.")
    if not answer.asked_of.get("profile"):
        return gettext("A request from a file cannot be answered.")
    if pause.kept is None:
        return gettext("This request is too long to be answered here.")
    if not all(one.id for one in pause.interrupts):
        return gettext("This request cannot be answered, as its id is missing or used twice.")
    return ""


def shown(interrupt: Interrupt, now: float) -> JsonObject:
    """A request for the card; `now` is in seconds since 1970."""
    lapsed, verdicts = has_lapsed(interrupt, now), verdicts_on(interrupt)
    can_edit = "edit" in interrupt.may and not _is_rounded(interrupt.arguments)
    return {
        "id": interrupt.id,
        "kind": interrupt.kind,
        "message": interrupt.message.translate(OVERRIDES),
        "tool": cut(clean_label(interrupt.tool), _LONGEST_NAME),
        "title": cut(words_of_name(interrupt.tool), _LONGEST_NAME).capitalize(),
        "server": cut(clean_label(interrupt.server), _LONGEST_NAME),
        "arguments": "" if interrupt.arguments is None else _html(interrupt.arguments),
        "values": interrupt.arguments if can_edit else None,
        "schema": interrupt.schema,
        "verdicts": sorted(verdicts & {"set_aside"} if lapsed else verdicts),
        "may": sorted(interrupt.may if can_edit else interrupt.may - {"edit"}),
        "lapsed": lapsed,
    }


def _is_rounded(value: Json) -> bool:
    """Whether a browser would change an integer in it, such as a long id."""
    if isinstance(value, int):
        return abs(value) > _MOST_EXACT
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(map(_is_rounded, inner))


def _html(value: Json, name: str = "", depth: int = 0) -> str:
    """Arguments as safe HTML: long texts folded, secrets masked, and nothing left out silently."""
    if isinstance(value, str):
        shown = _MASK if _SECRET_NAME.search(name) else veiled(value, scan(value)).translate(OVERRIDES)
        is_long = len(shown) > _LONG or "\n" in shown
        return foldable_html(shown) if is_long else f'<code dir="auto">{escape(shown)}</code>'
    if depth < _MAX_DEPTH and value and isinstance(value, Mapping):
        return definitions_html([(name_html(key), _html(one, key, depth + 1)) for key, one in value.items()])
    if depth < _MAX_DEPTH and value and isinstance(value, Sequence):
        items = "".join(f"<li>{_html(one, name, depth + 1)}</li>" for one in value[:MAX_ITEMS])
        return f'<ol class="values">{items}</ol>{more_html(len(value))}'
    return value_html(value)
