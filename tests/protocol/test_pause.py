"""Decisions on the requests of a paused agent, before they are sent, and the pause that an answer keeps."""

import json
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from chat_ui.protocol.answers.answer import AnswerBuilder
from chat_ui.protocol.answers.pause import Decision, checked, denied, pause_from_json, pause_to_json, paused
from chat_ui.protocol.answers.redaction import Secrets
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.events import AnswerWarning, Interrupt, Json, Pause

MAIL = Interrupt("a", tool="send_email", arguments={"to": "ann@example.com"})
ROOM = Interrupt("b", "input", "Which room?", may=frozenset({"words", "set_aside"}))
BOTH = Pause("ag-ui", (MAIL, ROOM), [])
NOW = 1_000_000.0


def only(**changes: Any) -> Pause:
    return Pause("ag-ui", (replace(MAIL, **changes),), [])


def test_decisions_are_checked_in_the_order_of_the_requests() -> None:
    mail, room = Decision("a", "denied"), Decision("b", "answered", value="Blue")
    assert checked(BOTH, [room, mail], NOW) == (mail, room)
    lapsed = only(ends_at=NOW - 61, may=frozenset({"set_aside"}))
    assert checked(lapsed, [Decision("a", "set_aside")], NOW)
    assert checked(only(ends_at=NOW - 59), [mail], NOW)
    assert checked(only(may=frozenset({"edit"})), [Decision("a", "approved", value={})], NOW)
    assert checked(only(may=frozenset({"reason"})), [Decision("a", "denied", "No")], NOW)
    assert checked(only(may=frozenset({"words"})), [Decision("a", "answered", value="Yes")], NOW)
    # A question that cannot be set aside must be deniable.
    assert checked(only(kind="input"), [Decision("a", "denied")], NOW)


NOT_TAKEN = "does not take this decision"
REFUSED: list[tuple[Pause, list[Decision], str]] = [
    (BOTH, [Decision("a", "denied")], NOT_TAKEN),
    (BOTH, [Decision("a", "denied"), Decision("a", "denied")], NOT_TAKEN),
    (only(), [Decision("a", "denied"), Decision("a", "approved")], NOT_TAKEN),
    (only(), [Decision("a", "denied"), Decision("z", "denied")], NOT_TAKEN),
    (only(id=""), [Decision("", "approved")], NOT_TAKEN),
    (replace(only(), kept=None), [Decision("a", "approved")], "too long"),
    (only(ends_at=NOW - 61), [Decision("a", "denied")], "has lapsed"),
    (only(), [Decision("a", "approved", value={"to": "bob@example.com"})], NOT_TAKEN),
    (only(may=frozenset({"edit"})), [Decision("a", "denied", "No")], NOT_TAKEN),
    (only(), [Decision("a", "answered", value="Yes")], NOT_TAKEN),
    (only(), [Decision("a", "set_aside")], NOT_TAKEN),
    (BOTH, [Decision("a", "denied"), Decision("b", "approved")], NOT_TAKEN),
    (
        Pause("ag-ui", (MAIL, replace(MAIL, id="b")), [], is_joint=True),
        [Decision("a", "approved"), Decision("b", "denied")],
        "one decision for all",
    ),
]


@pytest.mark.parametrize(("pause", "decisions", "words"), REFUSED)
def test_decisions_that_cannot_be_sent_are_refused(pause: Pause, decisions: list[Decision], words: str) -> None:
    with pytest.raises(InvalidRequestError, match=words):
        checked(pause, decisions, NOW)


def test_scripts_deny_or_set_aside_all_but_named_tools() -> None:
    assert denied(BOTH) == (Decision("a", "denied"), Decision("b", "set_aside"))
    assert denied(only(ends_at=NOW, may=frozenset({"set_aside"}))) == (Decision("a", "set_aside"),)
    assert denied(BOTH, ["send_email"])[0].verdict == "approved"
    two = Pause("ag-ui", (MAIL, replace(MAIL, id="b", tool="delete")), [], is_joint=True)
    assert {one.verdict for one in denied(two, ["send_email"])} == {"denied"}
    assert {one.verdict for one in denied(two, ["send_email", "delete"])} == {"approved"}
    # The tool of a question is not one to approve.
    assert denied(Pause("ag-ui", (replace(ROOM, tool="ask"),), []), ["ask"])[0].verdict == "set_aside"
    for pause in (BOTH, two):
        assert checked(pause, denied(pause, ["send_email"]), NOW)


def test_a_pause_is_kept_as_json() -> None:
    complete = replace(MAIL, server="s", call="c", schema={"type": "object"}, may=frozenset({"edit"}), ends_at=1.5)
    pause = Pause("ai-sdk", (complete, ROOM), {"parts": [{"b": None, "a": 1}]}, is_joint=True)
    written = json.dumps(pause_to_json(pause))
    assert pause_from_json(json.loads(written)) == pause
    # A signature may depend on the order.
    assert '{"b": null, "a": 1}' in written
    others: list[Json] = [None, [], {}, {"wire": "ag-ui"}, {"wire": 1, "interrupts": []}]
    others += [{"wire": "ag-ui", "interrupts": [one]} for one in (7, {}, {"id": 7}, {"id": "a", "kind": "other"})]
    for other in others:
        with pytest.raises(ValueError):
            pause_from_json(other)


def test_odd_requests_of_an_agent() -> None:
    [warning] = paused("ag-ui", [], [])
    assert isinstance(warning, AnswerWarning)
    # A yes to one must not be a yes to another under its id.
    [pause] = paused("ag-ui", [MAIL, ROOM, MAIL, replace(MAIL, tool="delete"), replace(MAIL, id="")], [])
    assert isinstance(pause, Pause)
    assert [(one.id, one.tool) for one in pause.interrupts] == [
        ("", "send_email"), ("b", ""), ("", "delete"), ("", "send_email"),
    ]  # fmt: skip
    endless = (replace(MAIL, id=str(number)) for number in count())
    for asked, kept in ((endless, []), ([MAIL], ["x" * 1024 * 1024])):
        [pause] = paused("ag-ui", asked, kept)
        assert isinstance(pause, Pause)
        assert (len(pause.interrupts) <= 100, pause.kept) == (True, None)


def test_an_answer_keeps_a_pause_fit_to_be_shown() -> None:
    def shown(interrupt: Interrupt, secrets: Secrets | None = None) -> Interrupt:
        builder = AnswerBuilder(secrets)
        builder.add(Pause("ag-ui", (interrupt,), {"a": "\x07"}))
        builder.close()
        answer = builder.answer()
        assert answer.error is None
        assert answer.pause is not None
        assert answer.pause.kept == {"a": "\x07"}
        return answer.pause.interrupts[0]

    may = frozenset({"edit"})
    assert shown(replace(MAIL, may=may)) == replace(MAIL, may=may)
    odd = shown(replace(MAIL, message="Send\x07?", tool="send\ud800", arguments={"to": "a\x00"}, may=may))
    assert (odd.message, odd.tool, odd.arguments, odd.may) == ("Send?", "send\ufffd", {"to": "a"}, frozenset())
    long = shown(replace(MAIL, arguments={"body": "x" * 5_000_000}, schema={"a": "x" * 1_000_000}, may=may))
    assert (len(str(long.arguments)), long.schema, long.may) == (64_000, None, frozenset())
    assert str(long.arguments).startswith('{"body": "xxx')
    key = "sk-0123456789abcdef0123"
    echoed = shown(
        replace(MAIL, message=key, arguments={"key": key}, may=may), Secrets({"Authorization": f"Bearer {key}"})
    )
    assert (echoed.message, echoed.arguments, echoed.may) == ("…", {"key": "…"}, frozenset())
