"""Decisions of a person on the requests of a paused agent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_type_hints

import msgspec

from chat_ui.protocol.clean_text import MAX_DEPTH
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import AnswerWarning, Event, Interrupt, Json, JsonObject, Pause
from chat_ui.protocol.recently_used import size_of
from chat_ui.protocol.translatable import msg

Verdict: TypeAlias = Literal["approved", "denied", "answered", "set_aside"]
GRACE_SECONDS: Final = 60
"""Seconds after the end of a request in which a decision may still be sent: clocks differ."""
_MOST_INTERRUPTS: Final = 100
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
    additions = {name for name, is_added in (("edit", is_edit), ("reason", bool(decision.reason))) if is_added}
    return interrupt.id != "" and decision.verdict in verdicts_on(interrupt) and additions <= interrupt.may


def has_lapsed(interrupt: Interrupt, now: float) -> bool:
    """Whether the time of a request is over at `now`, in seconds since 1970."""
    return interrupt.ends_at is not None and now > interrupt.ends_at + GRACE_SECONDS


def verdicts_on(interrupt: Interrupt) -> frozenset[Verdict]:
    """The verdicts that a request takes."""
    is_approval, can_be_set_aside = interrupt.kind == "approval", "set_aside" in interrupt.may
    verdicts: dict[Verdict, bool] = {
        "approved": is_approval,
        "denied": is_approval or not can_be_set_aside,
        "answered": not is_approval or "words" in interrupt.may,
        "set_aside": can_be_set_aside,
    }
    return frozenset(verdict for verdict, is_possible in verdicts.items() if is_possible)


def paused(wire: str, interrupts: Iterable[Interrupt], kept: Json, *, is_joint: bool = False) -> Iterator[Event]:
    """The pause with these requests, of which an id counts once; without any, a warning."""
    asked: dict[str | int, Interrupt] = {}
    for place, interrupt in enumerate(interrupts):
        asked.setdefault(interrupt.id or place, interrupt)
    if not asked:
        yield AnswerWarning("interrupt", msg("the agent stopped for an answer without a request"))
        return
    is_small = size_of((kept,), _MOST_KEPT) <= _MOST_KEPT and not _is_deep(kept)
    is_whole = len(asked) <= _MOST_INTERRUPTS and is_small
    yield Pause(wire, tuple(asked.values())[:_MOST_INTERRUPTS], kept if is_whole else None, is_joint=is_joint)


def _is_deep(value: Json, left: int = MAX_DEPTH) -> bool:
    if isinstance(value, str) or not isinstance(value, Mapping | Sequence):
        return False
    inner = value.values() if isinstance(value, Mapping) else value
    return left <= 0 or any(_is_deep(one, left - 1) for one in inner)


def denied(pause: Pause, approve: Collection[str] = ()) -> tuple[Decision, ...]:
    """Decisions that approve the tools named in `approve`, and deny other requests or set them aside."""
    is_approved = [one.kind == "approval" and one.tool in approve for one in pause.interrupts]
    if pause.is_joint:
        is_approved = [all(is_approved)] * len(is_approved)
    return tuple(
        Decision(one.id, "approved" if yes else "denied" if "denied" in verdicts_on(one) else "set_aside")
        for one, yes in zip(pause.interrupts, is_approved, strict=True)
    )


def pause_to_json(pause: Pause) -> JsonObject:
    """The JSON of a pause, its keys named as the fields are; empty values are left out."""
    interrupts: list[Json] = [
        {**_present(asdict(one)), "id": one.id, "may": sorted(one.may)} for one in pause.interrupts
    ]
    return {**_present({"wire": pause.wire, "kept": pause.kept, "is_joint": pause.is_joint}), "interrupts": interrupts}


def _present(value: dict[str, Any]) -> dict[str, Any]:
    return {key: held for key, held in value.items() if held is not None and held is not False and held != ""}


_HINTS: Final[Mapping[str, Any]] = {**get_type_hints(Interrupt), "arguments": Any, "schema": dict[str, Any] | None}
_READ_INTERRUPT: Final[Any] = msgspec.defstruct(
    "Interrupt",
    [(one.name, _HINTS[one.name], *([] if one.default is MISSING else [one.default])) for one in fields(Interrupt)],
)
_READ_PAUSE: Final[Any] = msgspec.defstruct(
    "Pause",
    [("wire", str), ("interrupts", list[_READ_INTERRUPT]), ("kept", Any, None), ("is_joint", bool, False)],
)
"""The shapes that are read: `msgspec` does not know the recursive type of JSON."""


def pause_from_json(value: Json) -> Pause:
    """The pause in the JSON of `pause_to_json`.

    Raises:
        ValueError: a part has another shape; the words say which.
    """
    read = msgspec.convert(value, _READ_PAUSE)
    interrupts = tuple(Interrupt(**msgspec.structs.asdict(one)) for one in read.interrupts)
    return Pause(read.wire, interrupts, read.kept, is_joint=read.is_joint)
