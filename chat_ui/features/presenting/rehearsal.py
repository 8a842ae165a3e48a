"""A rehearsal: asks the questions of a script in a conversation, and reports problems of the answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from chat_ui.features.presenting.script import Step
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import ChatRequest, Message
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import JsonObject, SessionState
from chat_ui.protocol.transport.connection_errors import NOBODY_THERE
from chat_ui.rendering.answer import RenderedAnswer, render_answer

Fault: TypeAlias = Literal["no_answer", "cut_off", "late", "no_citations", "not_found", "nothing_to_open"]
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of an answer with its explanation."""

    fault: Fault
    words: str


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A step, its answer and its problems; `citations` counts the citations in the text."""

    step: Step
    answer: Answer
    problems: tuple[Problem, ...]
    citations: int
    sources: int

    @property
    def is_unreachable(self) -> bool:
        """Whether the backend was unreachable."""
        error = self.answer.error
        return error is not None and error.code in NOBODY_THERE


class Conversation:
    """The requests of a conversation with a backend, each with the preceding messages."""

    def __init__(self, overrides: JsonObject) -> None:
        self._request = ChatRequest((), overrides=overrides)
        self._messages: tuple[Message, ...] = ()
        self._state: SessionState | None = None
        self._known = 0

    def asking(self, question: str) -> ChatRequest:
        messages = (*self._messages, Message("user", clean_text(question)))
        return ChatRequest(
            messages,
            self._request.overrides,
            self._state,
            self._request.conversation,
            new_message_count=len(messages) - self._known,
        )

    def tell(self, message: Message) -> None:
        """Add a message without asking the backend."""
        self._messages += (message,)

    def take(self, question: str, answer: Answer) -> None:
        """Add the answer to `question`; ignore both if its text is empty."""
        if answer.text:
            self._messages += Message("user", clean_text(question)), Message("assistant", answer.text)
        if answer.session_state is not None:
            self._state, self._known = answer.session_state, len(self._messages)


async def rehearse(
    steps: Sequence[Step],
    overrides: JsonObject,
    ask: Callable[[ChatRequest], Awaitable[Answer]],
    *,
    within: float,
    on_step: Callable[[int, Rehearsed], None],
) -> list[Rehearsed]:
    """Ask every question, report each to `on_step` when answered, and return all of them.

    An answer is late if its first text takes more than `within` seconds. If the backend is unreachable at the first
    question, the others are not asked.
    """
    conversation = Conversation(overrides)
    done: list[Rehearsed] = []
    for number, step in enumerate(steps, 1):
        answer = await ask(conversation.asking(step.question))
        conversation.take(step.question, answer)
        rendered = render_answer(answer.text, answer.data_points, answer.citations)
        found = [one.number for one in rendered.citations if one.data_point is not None]
        places = sum(use.number in found for use in rendered.uses)
        problems = tuple(_problems(step, answer, rendered, within))
        done.append(Rehearsed(step, answer, problems, places, len(found)))
        on_step(number, done[-1])
        if number == 1 and done[-1].is_unreachable:
            break
    return done


def _problems(step: Step, answer: Answer, rendered: RenderedAnswer, within: float) -> Iterator[Problem]:
    error = answer.error
    if not answer.text.strip() and not answer.pictures:
        words = "no answer: the backend sent no text"
        yield Problem("no_answer", f"no answer: {error.message}" if error is not None else words)
        return
    if error is not None:
        yield Problem("cut_off", f"incomplete: {error.message}")
    elif not answer.complete:
        yield Problem("cut_off", "incomplete: the answer was cut off")
    first = answer.timing.first_text
    if first is not None and first > within:
        words = f"too late: first text after {round(first, 2):g} s, limit {within:g} s"
        yield Problem("late", words)
    if not any(one.data_point is not None for one in rendered.citations):
        yield Problem("no_citations", "no citations")
    missing = [one.label for one in rendered.citations if one.data_point is None]
    if missing:
        yield Problem("not_found", f"citations not found: {', '.join(missing[:_NAMED])}")
    if lack := _nothing_to_open(step, answer, rendered):
        yield Problem("nothing_to_open", lack)


def _nothing_to_open(step: Step, answer: Answer, rendered: RenderedAnswer) -> str:
    """The reason why the step cannot open its source, in words; empty if it can, as far as the answer tells."""
    if step.open is None:
        return ""
    what, _, number = step.open.partition(" ")
    if what == "thoughts":
        return "" if answer.all_thoughts else "nothing to open: the answer has no thoughts"
    if what == "citation":
        is_there = any(one.number == int(number) for one in rendered.citations)
        return "" if is_there else f"nothing to open: the answer has no citation {number}"
    most = len(answer.data_points)
    if what == "document" and int(number) > most:
        return f"nothing to open: the answer has no source {number}"
    return "" if most else "nothing to open: the answer has no sources"
