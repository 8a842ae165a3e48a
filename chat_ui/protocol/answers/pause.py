"""Decisions of a person on the requests of a paused agent."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Final, Literal, TypeAlias

import msgspec

from chat_ui.protocol.clean_text import MAX_DEPTH
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import AnswerWarning, Event, Interrupt, Json, JsonObject, Pause
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg

Verdict: TypeAlias = Literal["approved", "denied", "answered", "set_aside"]
GRACE_SECONDS: Final = 60
"""Seconds after the end of a request in which a decision may still be sent: clocks differ."""
MOST_REPEATS: Final = 3
"""Equal pauses in a row that commands decide on."""
_MOST: Final = 100
_MOST_KEPT: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on an interrupt, by its id; `value` has the edited arguments, or the answer."""

    interrupt: str
    verdict: Verdict
    reason: str = ""
    value: Json = None


@dataclass(frozen=True, slots=True)
class Resume:
    """The pauses of a question with their decisions, oldest first; the last decisions are to be sent."""

    steps: tuple[tuple[Pause, tuple[Decision, ...]], ...]

    def repeats(self, pause: Pause) -> int:
        """The number of last pauses in a row that asked for the same as `pause`."""
        return sum(1 for _ in takewhile(lambda step: asked_for(step[0]) == asked_for(pause), reversed(self.steps)))


def asked_for(pause: Pause) -> list[tuple[str, str, Json]]:
    """The tools, messages and arguments of a pause: equal ones ask for the same, under any ids."""
    return [(one.tool, one.message, one.arguments) for one in pause.interrupts]


def checked(pause: Pause, decisions: Sequence[Decision], now: float) -> tuple[Decision, ...]:
    """The decisions in the order of the requests; `now` is in seconds since 1970.

    Raises:
        InvalidRequestError: they cannot be sent; the words are for the person.
    """
    given = {decision.interrupt: decision for decision in decisions}
    if pause.kept is None:
        raise InvalidRequestError(msg("This request is too long to be answered here."))
    if pause.is_joint and len({decision.verdict for decision in decisions}) > 1:
        raise InvalidRequestError(msg("This backend takes one decision for all requests."))
    is_complete = len(given) == len(decisions) and given.keys() == {interrupt.id for interrupt in pause.interrupts}
    if not is_complete or not all(_is_taken(one, given[one.id]) for one in pause.interrupts):
        raise InvalidRequestError(msg("The agent does not take this decision on its request."))
    if any(has_lapsed(one, now) and given[one.id].verdict != "set_aside" for one in pause.interrupts):
        raise InvalidRequestError(msg("This request has lapsed. Ask again."))
    return tuple(given[interrupt.id] for interrupt in pause.interrupts)


def _is_taken(interrupt: Interrupt, decision: Decision) -> bool:
    is_edit = decision.verdict == "approved" and decision.value is not None
    additions = {"edit"} if is_edit else set[str]()
    additions |= {"reason"} if decision.reason else set()
    return interrupt.id != "" and decision.verdict in verdicts_on(interrupt) and additions <= interrupt.may


def has_lapsed(interrupt: Interrupt, now: float) -> bool:
    """Whether the time of a request is over at `now`, in seconds since 1970."""
    return interrupt.ends_at is not None and now > interrupt.ends_at + GRACE_SECONDS


def verdicts_on(interrupt: Interrupt) -> frozenset[Verdict]:
    """The verdicts that a request takes. Each can be denied or set aside."""
    verdicts: set[Verdict] = {"set_aside"} if "set_aside" in interrupt.may else {"denied"}
    verdicts |= {"approved", "denied"} if interrupt.kind == "approval" else {"answered"}
    return frozenset(verdicts | ({"answered"} if "words" in interrupt.may else set()))


def first(interrupts: Iterable[Interrupt]) -> Iterator[Interrupt]:
    """The requests that are read: one more than can be answered together."""
    return islice(interrupts, _MOST + 1)


def paused(wire: str, interrupts: Iterable[Interrupt], kept: Json, *, is_joint: bool = False) -> Iterator[Event]:
    """The pause with these requests; without any, a warning. Different requests lose an id that they share: a yes to
    one would be a yes to the other.
    """
    found = list(first(interrupts))
    asked = [one for place, one in enumerate(found) if one not in found[:place]]
    times = Counter(one.id for one in asked)
    if not asked:
        yield AnswerWarning("interrupt", msg("the agent stopped for an answer without a request"))
        return
    is_small = size_of((kept,), _MOST_KEPT) <= _MOST_KEPT and not _is_deep(kept)
    is_whole = len(found) <= _MOST and is_small
    asked = [one if times[one.id] == 1 else replace(one, id="") for one in asked[:_MOST]]
    yield Pause(wire, tuple(asked), kept if is_whole else None, is_joint=is_joint)


def _is_deep(value: Json, left: int = MAX_DEPTH) -> bool:
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return left <= 0 or any(_is_deep(one, left - 1) for one in inner)


def denied(pause: Pause, approve: Collection[str] = ()) -> tuple[Decision, ...]:
    """Decisions that approve the tools named in `approve`, and deny or set aside all other requests."""
    is_approved = [one.kind == "approval" and one.tool in approve for one in pause.interrupts]
    if pause.is_joint:
        is_approved = [all(is_approved)] * len(is_approved)
    return tuple(
        Decision(one.id, "approved" if yes else _denial(one))
        for one, yes in zip(pause.interrupts, is_approved, strict=True)
    )


def _denial(interrupt: Interrupt) -> Verdict:
    verdicts = verdicts_on(interrupt)
    is_over = "set_aside" in verdicts and has_lapsed(interrupt, time.time())
    return "denied" if "denied" in verdicts and not is_over else "set_aside"


def pause_to_json(pause: Pause) -> JsonObject:
    """The JSON of a pause, its keys named as the fields are; without `kept` or `is_joint` if empty."""
    built: JsonObject = msgspec.to_builtins(pause)
    return {key: held for key, held in built.items() if held not in (None, False)}


def pause_from_json(value: Json) -> Pause:
    """The pause in the JSON of `pause_to_json`.

    Raises:
        ValueError: a part has another shape; the words say which.
    """
    return msgspec.convert(value, Pause)
