"""The verdict: rules of the specification, judged by what backends really send over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat_ui.protocol.backend import Bounds
from chat_ui.protocol.check import MAX_QUESTIONS, MAX_REQUESTS, check, is_unreachable
from chat_ui.protocol.client import Client
from chat_ui.protocol.report import Report, Standing, broken_rules, report_object
from tests.backends.lookalikes import JSON, LOOKALIKES, Rule
from tests.backends.stand_in import Received, Reply, StandIn, lines

QUICK = Bounds(connect=10, first_byte=10, idle=2)
CONTEXT = {
    "data_points": {"text": ["glasses.pdf#page=2: One pair."], "images": []},
    "thoughts": [{"title": "Search", "description": "glasses", "props": {"top": 3}}],
    "followup_questions": ["And lenses?"],
}


def model_backend(
    *,
    state: str = "session_state",
    error: object = "There are no messages.",
    error_status: int = 400,
    first: dict[str, Any] | None = None,
    delta: dict[str, Any] | None = None,
    stream_type: str = "application/jsonl",
    whole_type: str = "application/json",
    message: dict[str, Any] | None = None,
) -> Rule:
    """A backend that keeps to the specification but for what is given."""

    def reply(request: Received) -> Reply:
        if request.method == "OPTIONS":
            return Reply([], 405, {"Allow": "POST"})
        if request.method != "POST":
            return Reply([b"not here"], 404, {"Content-Type": "text/plain"})
        try:
            body = json.loads(request.body)
        except ValueError:
            body = {}
        if not body.get("messages"):
            return Reply([json.dumps({"error": error}).encode()], error_status, JSON)
        if request.path.endswith("/stream"):
            opening = {"delta": {"role": "assistant"}, "context": CONTEXT, state: {"turn": 1}}
            pieces = [lines(first or opening), lines({"delta": delta or {"content": "One pair."}})]
            return Reply(pieces, headers={"Content-Type": stream_type})
        answer = {"message": message or {"role": "assistant", "content": "One pair."}, "context": CONTEXT}
        return Reply([json.dumps({**answer, state: {"turn": 2}}).encode()], headers={"Content-Type": whole_type})

    return reply


async def checked(rule: Rule, path: str = "/chat", **options: Any) -> tuple[Report, StandIn]:
    stand_in = StandIn(rule)
    async with stand_in.running(), Client(QUICK) as client:
        report = await check(client, stand_in.url + path, headers={"api-key": "k-123456"}, **options)
    return report, stand_in


def broken(report: Report) -> list[str]:
    return [finding.rule for finding in broken_rules(report.findings)]


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"state": "sessionState"},
        {"error": {"code": "empty", "message": "There are no messages."}},
        {"state": "sessionState", "error": {"code": "empty", "message": "There are no messages."}},
        {"error_status": 500},
        {"stream_type": "application/jsonl; charset=utf-8", "whole_type": "application/json; charset=utf-8"},
    ],
)
async def test_a_backend_that_keeps_to_either_document_conforms(kept: dict[str, Any]) -> None:
    report, stand_in = await checked(model_backend(**kept))
    assert broken(report) == []
    assert report.conforms is True
    assert "keeps to the protocol" in report.verdict
    assert len(report.tried) == len(stand_in.requests) <= MAX_REQUESTS


BREACHES: dict[str, tuple[dict[str, Any], str, str]] = {
    "the content type of a stream": (
        {"stream_type": "text/event-stream"},
        "A streamed answer has the content type application/jsonl",
        "text/event-stream",
    ),
    "the content type of a whole answer": (
        {"whole_type": "text/plain"},
        "An answer that is not streamed has the content type application/json",
        "text/plain",
    ),
    "an error with status 200": (
        {"error_status": 200},
        "What cannot be answered gets a status from 400 to 599",
        "status 200",
    ),
    "an error that is a list": (
        {"error": ["no"]},
        "What cannot be answered gets an “error” that is a string",
        '{"error": ["no"]}',
    ),
    "content that is a list": (
        {"delta": {"content": [{"text": "One pair."}]}},
        "A delta’s “content” is a string where it is there",
        '"text": "One pair."',
    ),
    "a role that nobody knows": (
        {"delta": {"content": "One pair.", "role": "bot"}},
        "A delta’s “role” is assistant, user or system where it is there",
        '"role": "bot"',
    ),
    "a message without a role": (
        {"message": {"content": "One pair."}},
        "A message’s “role” is assistant, user or system",
        "null",
    ),
    "no delta in the first object": (
        {"first": {"context": CONTEXT}},
        "Each object of a streamed answer has a “delta” that is an object",
        '"context"',
    ),
    "data points in an object by id": (
        {"first": {"delta": {}, "context": {"data_points": {"7": {"name": "Boots"}}}}},
        "“data_points” is an object with the lists “text” and “images”",
        '"Boots"',
    ),
    "thoughts in one string": (
        {"first": {"delta": {}, "context": {"thoughts": "Search:<br>glasses"}}},
        "“thoughts” is a list of steps with “title” and “description”",
        "Search:<br>glasses",
    ),
    "follow-up questions that are objects": (
        {"first": {"delta": {}, "context": {"followup_questions": [{"q": "Why?"}]}}},
        "“followup_questions” is a list of strings",
        '"Why?"',
    ),
}


@pytest.mark.parametrize("breach", BREACHES)
async def test_a_breach_is_named_with_the_bytes_that_show_it(breach: str) -> None:
    changes, rule, shown = BREACHES[breach]
    report, _ = await checked(model_backend(**changes))
    assert report.conforms is False
    assert broken(report) == [rule] if breach != "an error that is a list" else rule in broken(report)
    [finding] = [finding for finding in report.findings if finding.rule == rule]
    assert shown in finding.evidence


async def test_where_the_documents_differ_both_are_named() -> None:
    report, _ = await checked(model_backend())
    named = {(finding.topic, finding.source): finding.standing for finding in report.findings if finding.topic}
    assert named == {
        ("session state", "README"): Standing.HELD,
        ("session state", "TypeSpec"): Standing.BROKEN,
        ("error", "README"): Standing.HELD,
        ("error", "TypeSpec"): Standing.BROKEN,
    }


async def test_what_did_not_come_is_not_seen_and_breaks_nothing() -> None:
    def plain(request: Received) -> Reply:
        reply = model_backend()(request)
        if request.method != "POST" or reply.status != 200:
            return reply
        if request.path.endswith("/stream"):
            return Reply([lines({"delta": {"content": "One pair."}})])
        return Reply([b'{"message": {"role": "assistant", "content": "One pair."}}'], headers=JSON)

    report, _ = await checked(plain)
    assert report.conforms is True
    standing = {finding.rule: finding.standing for finding in report.findings}
    assert standing["The first object of a stream carries the context, where there is one"] is Standing.NOT_SEEN
    assert standing["The session state is called “session_state”"] is Standing.NOT_SEEN
    assert [(part.name, part.present) for part in report.parts][:5] == [
        ("context", False), ("data points", False), ("thoughts", False), ("follow-up questions", False),
        ("session state", False),
    ]  # fmt: skip


async def test_what_is_optional_and_present_is_told() -> None:
    report, _ = await checked(model_backend())
    assert {part.name: (part.present, part.detail) for part in report.parts} == {
        "context": (True, ""),
        "data points": (True, "1, such as glasses.pdf#page=2"),
        "thoughts": (True, "1, such as Search"),
        "follow-up questions": (True, "And lenses?"),
        "session state": (True, "session_state"),
        "files": (False, "multipart was refused: The backend answered with status 400: There are no messages."),
    }


async def test_files_that_are_taken_are_told() -> None:
    def reply(request: Received) -> Reply:
        if request.headers.get("content-type", "").startswith("multipart/form-data"):
            return Reply([b'{"message": {"role": "assistant", "content": "A dot."}}'], headers=JSON)
        return model_backend()(request)

    report, _ = await checked(reply)
    assert report.parts[-1].present is True


async def test_the_session_state_and_the_history_go_with_the_second_turn() -> None:
    _, stand_in = await checked(model_backend(state="sessionState"))
    second = next(r.json for r in stand_in.requests if r.path == "/chat" and b"One pair" in r.body)
    assert second["sessionState"] == {"turn": 1}
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]


async def test_how_odd_requests_are_answered_is_told() -> None:
    report, _ = await checked(model_backend())
    answers = {behaviour.case: behaviour.answer for behaviour in report.behaviours}
    assert answers["no context"] == "answered"
    assert answers["unknown fields"] == "accepted"
    assert answers["a body without messages"] == 'status 400: {"error": "There are no messages."}'
    assert answers["a body that is no JSON"] == 'status 400: {"error": "There are no messages."}'


async def test_a_backend_that_refuses_unknown_fields_is_asked_again_without() -> None:
    def reply(request: Received) -> Reply:
        if b"chat_ui_check" in request.body:
            return Reply([b'{"error": "Unknown field chat_ui_check"}'], 400, JSON)
        return model_backend()(request)

    report, _ = await checked(reply)
    assert report.conforms is True
    answers = {behaviour.case: behaviour.answer for behaviour in report.behaviours}
    assert "Unknown field" in answers["unknown fields, a context, a null session state"]


class Counting:
    """A backend that shows how many answers it is making, and goes on with them or not when their reader leaves.

    Its first streamed answer ends; the second one goes on until its reader leaves.
    """

    def __init__(self, *, stops: bool, metrics: bool) -> None:
        self._stops = stops
        self._metrics = metrics
        self._streams: list[Received] = []

    def __call__(self, request: Received) -> Reply:
        if request.method == "GET" and request.path == ("/metrics" if self._metrics else "/"):
            running = sum(not (self._stops and stream.left.is_set()) for stream in self._streams[1:])
            gauge = f'# TYPE requests_running gauge\nrequests_running{{model="a"}} {running}.0\n'
            return Reply([gauge.encode() if self._metrics else json.dumps({"running": running}).encode()])
        reply = model_backend()(request)
        if request.method == "POST" and request.path.endswith("/stream"):
            self._streams.append(request)
            if len(self._streams) > 1:
                return Reply([*reply.writes, float("inf")])
        return reply


@pytest.mark.parametrize("metrics", [False, True])
@pytest.mark.parametrize(("stops", "words"), [(True, "stops the work"), (False, "does not stop the work")])
async def test_whether_a_closed_connection_stops_the_work_is_told_where_it_shows(
    metrics: bool, stops: bool, words: str
) -> None:
    report, stand_in = await checked(Counting(stops=stops, metrics=metrics))
    [told] = [behaviour.answer for behaviour in report.behaviours if behaviour.case.startswith("a connection")]
    assert told.startswith(words)
    assert len(stand_in.requests) <= MAX_REQUESTS


async def test_where_it_does_not_show_that_is_said() -> None:
    report, _ = await checked(model_backend())
    [told] = [behaviour.answer for behaviour in report.behaviours if behaviour.case.startswith("a connection")]
    assert told.startswith("not seen")


@pytest.mark.parametrize("name", LOOKALIKES)
async def test_every_known_backend_is_judged_within_the_requests_that_were_announced(name: str) -> None:
    path, rule = LOOKALIKES[name]
    announced: list[tuple[str, str]] = []
    report, stand_in = await checked(rule, path, on_request=lambda method, url: announced.append((method, url)))
    assert report.conforms is False
    assert report.kind == name.partition(",")[0]
    assert len(stand_in.requests) == len(report.tried) <= MAX_REQUESTS
    assert len(announced) <= MAX_REQUESTS
    questions = [tried for tried in report.tried if tried.told.startswith("answered in")]
    assert len(questions) <= MAX_QUESTIONS
    json.dumps(report_object(report))


@pytest.mark.parametrize("name", [name for name in LOOKALIKES if "?" not in LOOKALIKES[name][0]])
async def test_a_base_url_is_judged_within_the_same_requests(name: str) -> None:
    report, stand_in = await checked(LOOKALIKES[name][1], "")
    assert report.conforms is False
    assert report.kind == name.partition(",")[0]
    assert len(stand_in.requests) == len(report.tried) <= MAX_REQUESTS


async def test_a_stream_by_body_breaks_the_rule_of_the_path() -> None:
    path, rule = LOOKALIKES["azure-search-openai-demo-2024-01"]
    report, _ = await checked(rule, path)
    assert "A streamed answer is asked for at the path “…/stream”" in broken(report)


async def test_a_context_that_is_required_breaks_a_rule() -> None:
    path, rule = LOOKALIKES["rag-postgres-openai-python"]
    report, _ = await checked(rule, path)
    assert "A request without a context is answered" in broken(report)
    assert "The conversation is sent as “messages”" in broken(report)


async def test_nothing_listening_is_no_verdict() -> None:
    async with Client(QUICK) as client:
        report = await check(client, "http://127.0.0.1:1/chat")
    assert report.conforms is None
    assert is_unreachable(report)
    assert "127.0.0.1:1" in report.verdict


async def test_a_wrong_key_is_no_verdict_and_not_unreachable() -> None:
    report, stand_in = await checked(lambda _: Reply([b'{"error": "Unauthorized"}'], 401, JSON))
    assert report.conforms is None
    assert not is_unreachable(report)
    assert "Unauthorized" in report.verdict
    assert len(stand_in.requests) == 2


async def test_a_long_context_is_judged_as_what_it_is() -> None:
    images = {"data_points": {"images": ["data:image/png;base64," + "A" * 3_000_000]}}
    report, _ = await checked(model_backend(first={"delta": {}, "context": images, "session_state": {}}))
    assert report.conforms is True


async def test_a_key_that_comes_back_is_not_in_the_report() -> None:
    def reply(request: Received) -> Reply:
        if request.method == "OPTIONS":
            return Reply([], 405, {"Allow": "POST"})
        return Reply([lines({"delta": {"content": "k-123456"}, "context": {"thoughts": "k-123456"}})])

    report, _ = await checked(reply)
    assert "k-123456" not in repr(report)
