"""Rules of standards other than the AI Chat Protocol: a conforming backend, and a breach of each rule."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.conformance.examination import MAX_QUESTIONS, check
from chat_ui.protocol.conformance.report import Finding, Report, Standing, broken_rules, report_object
from chat_ui.protocol.conformance.rules import Sent, standard_findings
from chat_ui.protocol.dialects.registry import FAMILY_OF
from chat_ui.protocol.dialects.standards import Standard
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.probe import Probe
from chat_ui.protocol.transport.recorder import ResponseRecorder
from tests.protocol.asking import PATIENT
from tests.protocol.recorded import RECORDED
from tests.stand_ins.conforming_wires import (
    AG_UI,
    AI_SDK,
    CONFORMING,
    DATA_STREAM_LINES,
    KNOWLEDGE_BASE,
    RESPONSES,
    UI_STREAM,
    Object,
    Spoken,
)
from tests.stand_ins.lookalikes import JSON, SSE
from tests.stand_ins.stand_in import StandIn

HELD, NOT_SEEN = Standing.HELD, Standing.NOT_SEEN


def wire(dialect: str, known_backend: str | None = None, lines: tuple[str, ...] = ()) -> Standard:
    found = FAMILY_OF[dialect].standard(dialect, known_backend, lines)
    assert found is not None
    return found


DIALECTS = {
    "openai-responses": "responses",
    "openai-compatible": "openai",
    "ai-sdk": "ai-sdk",
    "ag-ui": "ag-ui",
    "azure-knowledge-base": "knowledge-base",
}
WIRES = {name: wire(dialect, name) for name, dialect in DIALECTS.items()}
OLDER = wire("ai-sdk", lines=('f:{"messageId": "m-1"}',))


def sent(body: bytes, status: int, headers: Any) -> Sent:
    recorder = ResponseRecorder(1024 * 1024)
    recorder.sent("http://a.example/", ())
    recorder.answered(status, {name.lower(): value for name, value in headers.items()})
    recorder.piece(0.1, body)
    return Sent(Answer(""), recorder.record())


def judged(name: str, spoken: Spoken, streamed: Sent | None = None) -> tuple[Finding, ...]:
    """The findings on the first answer, on an unstreamed one, and on the response to an empty object."""
    first = sent(spoken.body, spoken.status, spoken.headers)
    complete = sent(json.dumps(spoken.complete).encode(), 200, spoken.whole_headers) if spoken.complete else None
    refused = Probe("POST", "http://a.example/", spoken.refusal_status, body=json.dumps(spoken.refusal).encode())
    return standard_findings(WIRES[name], streamed or first, complete, refused)


def broken(name: str, spoken: Spoken) -> list[str]:
    return [finding.rule for finding in broken_rules(judged(name, spoken))]


@pytest.mark.parametrize("name", CONFORMING)
def test_a_conforming_backend_breaks_no_rule_and_shows_each(name: str) -> None:
    findings = judged(name, CONFORMING[name])
    assert {finding.rule for finding in findings if finding.standing is not HELD} <= {KB_ENDS}
    assert 6 <= len({finding.rule for finding in findings}) == len(findings) <= 10
    assert all(finding.source.startswith("https://") for finding in findings)


STATUS = "Streaming responses have status 200"
TYPE = "Streaming responses have the content type text/event-stream"
EACH = "Each event of a stream is one JSON object"
DONE = "A stream ends with [DONE]"
ERROR_STATUS = "Invalid requests get a status from 400 to 499"
ERROR = "Invalid requests get an “error” with a “message” and a “type”"
INDICES = "Annotation indices are within the text"
OUTPUT = "Tool output comes after tool input"
NO_INPUT = "Invalid run input gets an HTTP error status"
KB_TYPE = "Responses have the content type application/json, or text/event-stream if streamed"
KB_ENDS = "A stream ends with response.completed or an error"
KB_OBJECT = "A response is an object with a list of messages in “response”"

Change = Callable[[Spoken], Spoken]


def of(kind: str, **keys: Any) -> Change:
    """A change of the first event of a type."""
    return lambda spoken: spoken.changed(spoken.place(kind), **keys)


def without(*kinds: str) -> Change:
    return lambda spoken: spoken.without(*(spoken.place(kind) for kind in kinds))


def before(kind: str, **event: Any) -> Change:
    """Insert an event before the first one of a type."""
    return lambda spoken: spoken.with_event(spoken.place(kind), **event)


def last(**event: Any) -> Change:
    return lambda spoken: spoken.with_event(len(spoken.events), **event)


def as_is(**fields: Any) -> Change:
    return lambda spoken: replace(spoken, **fields)


def choice(place: int, **keys: Any) -> Change:
    """A change of the choice of one chunk."""

    def change(spoken: Spoken) -> Spoken:
        [held] = spoken.events[place]["choices"]
        return spoken.changed(place, choices=[{key: one for key, one in {**held, **keys}.items() if one is not ...}])

    return change


def completed(**keys: Any) -> Change:
    """A change of the response at the end of a stream."""
    return lambda spoken: spoken.changed(-1 + len(spoken.events), response={**spoken.events[-1]["response"], **keys})


def record(key: str, *records: Object) -> Change:
    """Other records of an answer of a knowledge base, with the remaining keys of the first one."""
    return lambda spoken: spoken.changed(0, **{key: [{**spoken.events[0][key][0], **one} for one in records]})


def message(content: object) -> Change:
    return lambda spoken: spoken.changed(0, response=[{"role": "assistant", "content": content}])


def annotated(**annotation: Any) -> Change:
    return of("response.output_text.annotation.added", annotation=annotation)


BREACHES: dict[str, dict[str, list[Change]]] = {
    "openai-responses": {
        STATUS: [as_is(status=201)],
        TYPE: [as_is(headers={"Content-Type": "application/x-ndjson"})],
        EACH: [as_is(done=b"so long")],
        "A stream begins with response.created": [without("response.created")],
        "The full text of a part equals its joined deltas": [of("response.output_text.done", text="Two pairs.")],
        INDICES: [
            annotated(type="url_citation", start_index=9, end_index=14),
            annotated(type="url_citation", start_index=9, end_index=3),
            annotated(type="file_citation", index=-1),
        ],
        "A stream ends with response.completed, response.incomplete, response.failed or error": [
            without("response.completed"), last(type="response.in_progress"),
        ],
        "A response has an “id” and a list “output”": [completed(id=7), completed(output={})],
        ERROR_STATUS: [as_is(refusal_status=500)],
        ERROR: [as_is(refusal={"error": "No input."}), as_is(refusal={"error": {"message": "No input."}})],
    },
    "openai-compatible": {
        STATUS: [as_is(status=201)],
        TYPE: [as_is(headers={"Content-Type": "text/plain"})],
        EACH: [as_is(done=b"7\n\ndata: [DONE]")],
        DONE: [as_is(done=b"")],
        "Each choice of a chunk has a “delta”": [choice(1, delta=...)],
        "“finish_reason” is stop, length, tool_calls, content_filter or function_call": [
            choice(2, finish_reason=None), choice(2, finish_reason="eos"),
        ],
        "A non-streaming response has a choice with an assistant message": [
            lambda spoken: replace(spoken, complete={**(spoken.complete or {}), "choices": [{"text": "A"}]}),
        ],
        ERROR_STATUS: [as_is(refusal_status=200)],
        ERROR: [as_is(refusal={"detail": "Field required"})],
    },
    "ai-sdk": {
        STATUS: [as_is(status=201)],
        TYPE: [as_is(headers={"Content-Type": "text/plain", UI_STREAM: "v1"})],
        EACH: [as_is(done=b"so long\n\ndata: [DONE]")],
        DONE: [as_is(done=b"")],
        "A part’s “type” is known or begins with “data-”": [
            before("finish", type="surprise"), before("finish", type=["text-delta"]),
        ],
        "Parts have the string fields of their type": [
            of("source-url", url=...), before("finish", type="error", error="No."),
        ],
        OUTPUT: [of("tool-output-available", toolCallId="c-2")],
    },
    "ag-ui": {
        STATUS: [as_is(status=201)],
        TYPE: [as_is(headers={"Content-Type": "application/json-lines"})],
        EACH: [as_is(done=b"[DONE]")],
        "Events have the string fields of their type": [
            of("TEXT_MESSAGE_CONTENT", delta=7), of("TOOL_CALL_START", toolCallName=...),
        ],
        "A stream begins with RUN_STARTED or RUN_ERROR": [before("RUN_STARTED", type="CUSTOM", name="hello", value=1)],
        "A run ends with RUN_FINISHED or RUN_ERROR": [without("RUN_FINISHED")],
        "RUN_STARTED and RUN_FINISHED have the same “threadId”": [
            of("RUN_FINISHED", threadId="t-2"), of("RUN_STARTED", threadId="t-2"),
        ],
        "State changes are JSON Patches that apply to the state": [
            of("STATE_DELTA", delta=[{"op": "replace", "path": "/none/0", "value": 1}]),
            of("STATE_DELTA", delta={"found": 1}),
        ],
        NO_INPUT: [as_is(refusal_status=200)],
    },
    "azure-knowledge-base": {
        "Responses have status 200 or 206": [as_is(status=203)],
        KB_OBJECT: [lambda spoken: spoken.changed(0, response="One pair.")],
        "A message’s “content” is a list of texts and images": [
            message("One pair [ref_id:0]."),
            message([{"type": "audio", "text": "One pair [ref_id:0]."}]),
            message(["One pair [ref_id:0]."]),
        ],
        "Each reference has a unique string “id”": [
            record("references", {}, {"id": 2}), record("references", {}, {}),
        ],
        "Each [ref_id:…] in the text is the “id” of a reference": [
            message([{"type": "text", "text": "One pair [ref_id:0][ref_id:7]."}]),
        ],
        "Invalid requests get an “error” with a “code” and a “message”": [
            as_is(refusal={"error": {"message": "No."}}), as_is(refusal=["No."]),
        ],
    },
}  # fmt: skip
"""A breach of each rule, by wire."""


@pytest.mark.parametrize("name", BREACHES)
def test_each_breach_breaks_only_its_rule(name: str) -> None:
    for rule, changes in BREACHES[name].items():
        assert [broken(name, change(CONFORMING[name])) for change in changes] == [[rule]] * len(changes)
    rules = {finding.rule for finding in judged(name, CONFORMING[name])}
    assert rules - BREACHES[name].keys() <= {KB_TYPE, KB_ENDS}


LINE = "Each line is a known prefix, a colon and JSON of that kind"


def of_older(body: bytes, status: int = 200) -> tuple[Finding, ...]:
    """The findings on a data stream of the AI SDK."""
    return standard_findings(OLDER, sent(body, status, {"Content-Type": "text/plain"}), None, None)


def test_a_data_stream_of_the_ai_sdk_has_its_own_rules() -> None:
    assert OLDER is not WIRES["ai-sdk"]
    assert {finding.standing for finding in of_older(DATA_STREAM_LINES)} == {HELD}
    breaches = [
        (LINE, b'0:"One', b'z:"One'),
        (LINE, b'0:"One pair [1]."', b"0:[1]"),
        (LINE, b'8:[{"rated": true}]', b'8:{"rated": true}'),
        (LINE, b'f:{"messageId": "m-1"}', b"f:{}"),
        (LINE, b'e:{"finishReason": "stop"}', b"e:{"),
        (OUTPUT, b'a:{"toolCallId": "c-1"', b'a:{"toolCallId": "c-2"'),
    ]
    for rule, before, after in breaches:
        assert before in DATA_STREAM_LINES
        assert [one.rule for one in broken_rules(of_older(DATA_STREAM_LINES.replace(before, after)))] == [rule]
    assert [one.rule for one in broken_rules(of_older(DATA_STREAM_LINES, 201))] == [STATUS]


def streamed(*events: tuple[str, Object]) -> tuple[Finding, ...]:
    """The findings on the stream of a knowledge base."""
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return judged("azure-knowledge-base", KNOWLEDGE_BASE, sent(body.encode(), 200, SSE))


def test_a_knowledge_base_may_stream_and_ends_with_the_whole_answer() -> None:
    [answer] = KNOWLEDGE_BASE.events
    started = ("retrieval.started", {"requestId": "r-1", "knowledgeBaseName": "plans"})
    completed = ("response.completed", {"statusCode": 200, "response": answer})
    without_messages = ("response.completed", {"statusCode": 200, "response": {"response": {}}})
    assert {finding.standing for finding in streamed(started, completed)} == {HELD}
    of_another_type = sent(KNOWLEDGE_BASE.body, 206, {"Content-Type": "text/plain"})
    for findings, rules in (
        (streamed(started, ("error", {"error": {"code": "a", "message": "No."}})), []),
        (streamed(started, completed, ("activity.started", {"id": 2})), [KB_ENDS]),
        (streamed(started, without_messages), [KB_OBJECT]),
        (judged("azure-knowledge-base", KNOWLEDGE_BASE, of_another_type), [KB_TYPE]),
    ):
        assert [finding.rule for finding in broken_rules(findings)] == rules


def test_unspecified_parts_break_no_rule() -> None:
    run, ended = {"type": "RUN_STARTED", "threadId": "t-1"}, {"type": "RUN_FINISHED", "threadId": "t-1"}
    chunks_of_two_runs = (
        {**run, "runId": "r-1"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m-1", "delta": "One "},
        {"type": "RAW", "event": {}},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "pair."},
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "c-1", "toolCallName": "search", "delta": "{"},
        {"type": "TOOL_CALL_CHUNK", "delta": "}"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m-1", "delta": "!"},
        {**ended, "runId": "r-1"},
        {**run, "runId": "r-2"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m-2"},
        {"type": "RUN_ERROR", "message": "No."},
    )
    cases = [
        ("openai-responses", as_is(are_named=False)),
        ("openai-responses", as_is(done=b"[DONE]")),
        ("openai-responses", lambda spoken: last(type="error", message="No.")(without("response.completed")(spoken))),
        ("openai-compatible", choice(0, delta={"content": ""})),
        ("openai-compatible", lambda spoken: spoken.changed(3, choices=[{"index": 0, "delta": {}}])),
        ("openai-compatible", lambda spoken: spoken.with_event(0, id="", object="", choices=[])),
        ("ai-sdk", without("start", "finish")),
        ("ai-sdk", before("start", type="data-status", data=1, transient=True)),
        ("ai-sdk", lambda spoken: before("text-end", type="error", errorText="No.")(spoken).without(16)),
        ("ag-ui", of("TEXT_MESSAGE_CONTENT", delta="")),
        ("ag-ui", of("TOOL_CALL_ARGS", delta="{")),
        ("ag-ui", before("STATE_DELTA", type="STATE_SNAPSHOT", snapshot={"list": []})),
        ("ag-ui", last(type="RUN_ERROR", message="No.")),
        ("ag-ui", as_is(events=chunks_of_two_runs)),
        ("azure-knowledge-base", as_is(status=206)),
        ("azure-knowledge-base", lambda spoken: spoken.changed(0, references=[])),
        ("azure-knowledge-base", lambda spoken: spoken.changed(0, activity=...)),
        ("ai-sdk", as_is(headers=SSE)),
        ("ai-sdk", without("text-start")),
        ("ag-ui", without("TEXT_MESSAGE_START", "TEXT_MESSAGE_END")),
        ("ag-ui", before("STEP_STARTED", type="NEWS")),
    ]
    for name, change in cases:
        assert broken(name, change(CONFORMING[name])) == []


def test_an_empty_or_foreign_body_raises_nothing() -> None:
    bodies = (b"", b"\n\n", b"no JSON", b"data: 7\n\n", b'data: {"type": {}, "choices": [[]], "id": []}\n\n', b"[]")
    for rules, body in product(WIRES.values(), bodies):
        findings = standard_findings(rules, sent(body, 200, SSE), sent(body, 200, JSON), None)
        assert NOT_SEEN in {finding.standing for finding in findings}


def test_a_stream_with_dropped_parts_is_not_judged_by_its_order() -> None:
    recorder = ResponseRecorder(64)
    recorder.answered(200, {"content-type": "text/event-stream"})
    for event in AG_UI.events:
        recorder.piece(0.1, b"data: " + json.dumps(event).encode() + b"\n\n")
    record = recorder.record()
    assert record.left_out
    findings = judged("ag-ui", AG_UI, Sent(Answer("A"), record))
    assert {finding.rule for finding in findings if finding.standing is not NOT_SEEN} == {STATUS, TYPE, NO_INPUT}


KNOWN_BREACHES = {"ai-sdk/assistant-stream-0.0.36-state.lines": [LINE]}
"""Breaches in recorded answers, whose implementations break the rule."""


def breaches_of_recorded(name: str) -> list[str]:
    dialect, body = name.partition("/")[0], RECORDED[name]
    complete = sent(body, 200, JSON) if name.endswith(".json") and dialect != "knowledge-base" else None
    streamed = sent(
        body if complete is None else b"", 200, JSON if complete is None and name.endswith(".json") else SSE
    )
    known = "openai-responses" if dialect == "responses" else None
    rules = wire(dialect, known, tuple(line.text for line in streamed.response.lines))
    return [finding.rule for finding in broken_rules(standard_findings(rules, streamed, complete, None))]


def test_a_recorded_answer_of_an_implementation_breaks_no_rule() -> None:
    judged = [name for name in RECORDED if name.partition("/")[0] in DIALECTS.values()]
    assert {name: rules for name in judged if (rules := breaches_of_recorded(name))} == KNOWN_BREACHES


def test_an_index_may_count_code_points_or_utf_16_units() -> None:
    def cited_at(index: int) -> Spoken:
        annotation = {"type": "file_citation", "index": index}
        content = [{"type": "output_text", "text": "One pair 👓 [1]", "annotations": [annotation]}]
        return completed(output=[{"type": "message", "content": content}])(RESPONSES)

    found = {index: broken("openai-responses", cited_at(index)) for index in (14, 15, 16)}
    assert found == {14: [], 15: [], 16: [INDICES]}


async def checked(spoken: Spoken) -> tuple[Report, StandIn]:
    async with StandIn(spoken.rule()).running() as stand_in, AsyncClient(PATIENT) as client:
        return await check(client, stand_in.url + spoken.path), stand_in


@pytest.mark.parametrize("name", CONFORMING)
async def test_a_backend_of_another_wire_is_judged_by_its_rules(name: str) -> None:
    spoken = CONFORMING[name]
    report, stand_in = await checked(spoken)
    assert (report.conforms, report.known_backend) == (True, name)
    assert {finding.rule for finding in report.findings if finding.standing is not HELD} <= {KB_ENDS}
    assert re.match(r"All \d+ checked rules passed\. ", report.verdict)
    assert report.verdict.endswith("It does not speak the AI Chat Protocol.")
    told: Any = report_object(report)
    assert told["document"] == {"name": WIRES[name].name, "version": WIRES[name].version}
    asked = [request for request in stand_in.requests if request.path.partition("?")[0] == spoken.path]
    questions = [request for request in asked if b"Hello" in request.body]
    assert len(questions) == (2 if spoken.complete is None else 3) <= MAX_QUESTIONS
    assert len([request for request in questions if b"iVBORw0KGgo" in request.body]) == 1
    assert not any(b"chat_ui_check" in request.body or b'"context": {' in request.body for request in questions)


async def test_a_waiting_agent_is_a_note_and_gets_no_decision() -> None:
    interrupt = {"id": "i-1", "reason": "confirmation", "message": "Send it?"}
    started, finished = AG_UI.events[0], AG_UI.events[-1]
    outcome = {"type": "interrupt", "interrupts": [interrupt]}
    report, stand_in = await checked(replace(AG_UI, events=(started, {**finished, "outcome": outcome})))
    assert report.conforms
    assert ("pause", "the agent waits for a decision, which was not sent") in [
        (one.case, one.answer) for one in report.behaviours
    ]
    assert not any(b"resume" in request.body for request in stand_in.requests)


async def test_a_broken_rule_and_a_missing_end_of_another_wire_are_told() -> None:
    report, _ = await checked(replace(AI_SDK, done=b""))
    assert report.conforms is False
    assert re.match(r"1 of \d+ checked rules failed\. Judged by the AI SDK’s UI message stream, v1\.", report.verdict)
    assert [finding.rule for finding in broken_rules(report.findings)] == [DONE]
    names = [part.name for part in report.parts]
    assert ("context" in names, "follow-up questions" in names, names[-1]) == (True, False, "files")
    [part] = [event for event in AI_SDK.events if event["type"] == "text-delta"]
    report, _ = await checked(replace(AI_SDK, events=(part,), done=b""))
    told = {one.case: one.answer for one in report.behaviours}
    assert told["end of the answer"] == "the stream ended without finish"


async def test_passages_without_an_answer_are_judged_and_an_error_is_not() -> None:
    passages = json.dumps([{"ref_id": "0", "title": "Glasses", "content": "One pair."}])
    for text in (passages, "[]"):
        report, _ = await checked(message([{"type": "text", "text": text}])(KNOWLEDGE_BASE))
        assert (report.error, report.conforms) == (None, True)
    report, _ = await checked(replace(RESPONSES, wants="a key", refusal_status=401))
    assert (report.conforms, report.findings, report.specification) == (None, (), None)


def test_responses_asked_in_openais_form_follow_openais_reference() -> None:
    names = ("foundry-agent", "openai-responses", "azure-search-openai-demo", "rag-postgres-openai-python", None)
    judged_by = [FAMILY_OF["responses"].standard("responses", name, ()) for name in names]
    assert judged_by == [WIRES["openai-responses"], WIRES["openai-responses"], None, None, None]
