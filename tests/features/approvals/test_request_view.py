"""The JSON of a request's card, also for hostile requests."""

from dataclasses import replace
from typing import Any

import pytest

from chat_ui.conversations.generations.generation import Generation
from chat_ui.features.approvals.request_view import refusal_of, shown
from chat_ui.page.state.decisions import in_words, read_decisions
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import GRACE_SECONDS, Decision
from chat_ui.protocol.events import Interrupt, Json, Pause

ASKED = Interrupt("i-1", tool="send_email", may=frozenset({"reason"}))
PAUSE = Pause("ag-ui", (ASKED,), "kept")
TOKEN = "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"


@pytest.mark.parametrize(
    ("value", "seen", "unseen"),
    [
        ({"to": ["ann@example.com"], "cc": ""}, ["<dt>to</dt>", "ann@example.com", "<dt>cc</dt>"], []),
        ({"more": {"is_urgent": False, "count": 0}}, ["<dt>is urgent</dt><dd>no</dd>", "<code>0</code>"], []),
        ({"body": "word " * 500 + "the end"}, ["<details", "the end"], []),
        ({"password": "hunter2!", "list": [{"api_key": "abc"}]}, ["password"], ["hunter2", "abc"]),
        ({"body": f"The token is {TOKEN}."}, ["The token is"], [TOKEN]),
        (f"cut {TOKEN}", ["cut"], [TOKEN]),
    ],
)
def test_arguments_are_shown_whole_without_secrets(value: Json, seen: list[str], unseen: list[str]):
    html = str(shown(replace(ASKED, arguments=value), 0)["arguments"])
    assert [one for one in seen if one not in html] == [one for one in unseen if one in html] == []


@pytest.mark.parametrize(("number", "can_edit"), [(2**53 - 1, True), (2**53, False)])
def test_integers_that_a_browser_rounds_are_not_edited(number: int, can_edit: bool):
    found = shown(replace(ASKED, arguments={"ids": [True, {"id": number}]}, may=frozenset({"edit"})), 0)
    assert (found["values"] is not None, found["may"]) == (can_edit, ["edit"] * can_edit)


def test_markup_and_marks_of_direction_are_text():
    name = "send_email\u202e<b>" + "x" * 1000
    found = shown(replace(ASKED, tool=name, server=name, message="\u202e<i>", arguments={name: "<img src=x>\u202e"}), 0)
    assert "\u202e" not in str(found)
    assert "<img" not in str(found["arguments"])
    assert len(str(found["tool"])) < 250


def test_a_lapsed_request_can_only_be_set_aside():
    one = replace(ASKED, ends_at=100.0, may=frozenset({"set_aside"}))
    assert shown(one, 100.0 + GRACE_SECONDS)["verdicts"] == ["approved", "denied", "set_aside"]
    found = shown(one, 101.0 + GRACE_SECONDS)
    assert (found["verdicts"], found["lapsed"]) == (["set_aside"], True)


class Made(Generation):
    """A generation of that backend, with that answer."""

    def __init__(self, asked_of: dict[str, Any], answer: Answer) -> None:
        self._asked_of, self._answer = asked_of, answer

    answer = property(lambda self: self._answer)
    asked_of = property(lambda self: self._asked_of)
    overrides = property(lambda self: {})


@pytest.mark.parametrize(
    ("asked_of", "answer", "pause", "words"),
    [
        ({"profile": "given:A"}, Answer(), PAUSE, ""),
        ({"profile": "given:A"}, Answer(recorded_at="2026-11-30"), PAUSE, "recording"),
        ({"profile": "given:A", "recording": "r"}, Answer(), PAUSE, "recording"),
        ({}, Answer(), replace(PAUSE, kept=None), "file"),
        ({"profile": "given:A"}, Answer(), replace(PAUSE, kept=None), "too long"),
        (
            {"profile": "given:A"},
            Answer(),
            replace(PAUSE, interrupts=(replace(ASKED, id=""),)),
            "id is missing or used twice",
        ),
    ],
)
def test_some_requests_cannot_be_decided_on(asked_of: dict[str, Any], answer: Answer, pause: Pause, words: str):
    refusal = refusal_of(Made(asked_of, answer), pause)
    assert words in refusal
    assert bool(refusal) == bool(words)


def test_decisions_are_read_and_named():
    pause = replace(PAUSE, interrupts=(ASKED, Interrupt("i-2", message="Go\u202e on?" + "x" * 100), *[ASKED] * 3))
    text = '[{"interrupt":"i-1","verdict":"approved","value":{"a":1}},{"interrupt":"i-2","verdict":"denied"}]'
    decisions = read_decisions(text)
    assert decisions == [Decision("i-1", "approved", value={"a": 1}), Decision("i-2", "denied")]
    assert in_words(pause, decisions) == f"Approved “send_email” · Denied “Go on?{'x' * 54}”"
    assert in_words(pause, decisions * 2).endswith("” · …")
    others = [Decision("i-1", "answered"), Decision("none", "set_aside")]
    assert in_words(pause, others) == "Answered “send_email” · Set aside “”"


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"interrupt":"i","verdict":"maybe"}]'])
def test_other_decisions_are_refused(text: str):
    with pytest.raises(ValueError):
        read_decisions(text)
