"""The slots of the page, which features fill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx

from chat_ui.page.state.chat import ChatEvents, ChatState
from chat_ui.page.state.views import AnswerView, TurnView


def _nothing() -> Sequence[rx.Component]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A second conversation next to the page's, while it `is_shown`; both get each question.

    `ask`, `stop` and `open` are its event handlers; `ask` is for both conversations. `is_waiting` marks a question that
    is retried later, and `backend` names the backend. `frame` puts the thread of the page next to its own. `greeting`
    is for an empty conversation, `above_box` is above the composer.
    """

    is_shown: rx.Var[bool]
    is_waiting: rx.Var[bool]
    latest: rx.Var[AnswerView]
    turns: rx.Var[list[TurnView]]
    backend: rx.Var[str]
    ask: Any
    stop: Sequence[Any]
    open: Any
    frame: Callable[[rx.Component], rx.Component]
    greeting: Callable[[], rx.Component]
    above_box: Callable[[], rx.Component]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsTab:
    name: str
    label: Callable[[], rx.Var[str]]
    content: Callable[[], rx.Component]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a feature on the page. `head` is for the head of the document, `page` is once on the page.
    `below_answer` gets the answer, and whether the page's commands apply to it. `in_answer` is below the sources of the
    latest answer of a conversation, and gets the conversation's state. `decision` is in place of a question.
    """

    head: Callable[[], Sequence[rx.Component]] = _nothing
    page: Callable[[], Sequence[rx.Component]] = _nothing
    below_answer: Callable[[rx.Var[AnswerView], rx.Var[bool] | bool], rx.Component] | None = None
    in_answer: Callable[[type[ChatEvents], rx.Var[AnswerView]], rx.Component] | None = None
    decision: Callable[[rx.Var[TurnView]], rx.Component] | None = None
    settings_tab: SettingsTab | None = None
    beside: Beside | None = None


_filled: list[Parts] = []
"""A global, because Reflex calls the functions that make the page."""


def fill(parts: Iterable[Parts]) -> None:
    _filled[:] = parts


def filled() -> Sequence[Parts]:
    return _filled


def beside() -> Beside | None:
    return next((parts.beside for parts in _filled if parts.beside), None)


def is_answering() -> rx.Var[bool]:
    """Whether an answer is streaming, in either conversation."""
    other = beside()
    live = rx.Var.create(ChatState.latest.live)
    return rx.Var.create(live | other.latest.live) if other else live


def answered_conversation() -> rx.Var[str]:
    """The id of the open conversation, once it is stored and has an answer; else empty."""
    has_answer = (ChatState.turns.length() > 1) | ((ChatState.turns.length() > 0) & ~ChatState.latest.live)
    return rx.Var.create(rx.cond(has_answer & ChatState.written, ChatState.conversation_id, ""))


def new_chat() -> list[Any]:
    """The events that start a new conversation without a second column."""
    other = beside()
    return [ChatState.new_chat, other.open] if other else [ChatState.new_chat]
