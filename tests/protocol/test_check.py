"""The verdict: rules of the specification, judged by the responses of backends over HTTP."""

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from chat_ui.protocol.backends.backend import Attachment, ChatRequest, Message
from chat_ui.protocol.conformance.examination import MAX_QUESTIONS, MAX_REQUESTS, check, is_unreachable
from chat_ui.protocol.conformance.report import Report, Standing, broken_rules, report_object
from chat_ui.protocol.conformance.rules import MAX_EVIDENCE, excerpt
from chat_ui.protocol.detection.asking import answer_anywhere
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.transport.client import AsyncClient
from tests.made_sets import thinned
from tests.protocol.asking import PATIENT
from tests.stand_ins.conforming import CONTEXT, form_of, is_form, microsoft_express, model_backend
from tests.stand_ins.conforming_wires import CONFORMING
from tests.stand_ins.lookalikes import FOUND_FROM_THEIR_BASE, JSON, LOOKALIKES, Rule
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines


async def checked(rule: Rule, path: str = "/chat", **options: Any) -> tuple[Report, StandIn]:
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        return await check(client, stand_in.url + path, headers={"api-key": "k-123456"}, **options), stand_in


def broken(report: Report) -> list[str]:
    return [finding.rule for finding in broken_rules(report.findings)]


def standings(report: Report) -> dict[str, Standing]:
    return {finding.rule: finding.standing for finding in report.findings}


def behaviour(report: Report, case: str) -> str:
    [told] = [one.answer for one in report.behaviours if one.case == case]
    return told


def parts(report: Report) -> dict[str, tuple[bool | None, str]]:
    return {part.name: (part.present, part.detail) for part in report.parts}


async def test_a_backend_that_follows_either_document_conforms() -> None:
    images = {"data_points": {"images": ["data:image/png;base64," + "A" * 3_000_000]}}
    ways: list[dict[str, Any]] = [
        {"state": "session_state", "stream_type": "application/json-lines"},
        {"error": {"code": "empty", "message": "There are no messages."}},
        {"error_status": 500},
        {"stream_type": "application/jsonl; charset=utf-8", "whole_type": "application/json; charset=utf-8"},
        {"first": {"delta": {}, "context": images, "session_state": {}}},
    ]
    for kept in ways:
        report, stand_in = await checked(model_backend(**kept))
        assert (broken(report), report.conforms) == ([], True)
        assert re.match(r"All \d+ checked rules passed\. ", report.verdict)
        assert len(report.requests) == len(stand_in.requests) <= MAX_REQUESTS


async def test_optional_parts_are_listed_and_conflicts_name_both_documents() -> None:
    report, stand_in = await checked(model_backend(state="sessionState"))
    second = next(one.json for one in stand_in.requests if one.path == "/chat" and b"One pair" in one.body)
    assert second["sessionState"] == {"turn": 1}
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "user"]
    assert parts(report) == {
        "context": (True, ""),
        "data points": (True, "1, such as glasses.pdf#page=2"),
        "thoughts": (True, "1, such as Search"),
        "follow-up questions": (True, "And lenses?"),
        "session state": (True, "sessionState"),
        "files": (False, "multipart was refused: The backend answered with status 400: There are no messages."),
    }
    named = {(finding.topic, finding.source): finding.standing for finding in report.findings if finding.topic}
    assert named == {("error", "README"): Standing.HELD, ("error", "TypeSpec"): Standing.BROKEN}
    told = standings(report)
    assert told["The session state is named “sessionState”"] is Standing.HELD
    assert told["The session state is named “session_state”"] is Standing.NOT_ASKED


async def test_unseen_parts_break_no_rule() -> None:
    def plain(request: Received) -> Reply:
        reply = model_backend()(request)
        if request.method != "POST" or reply.status != 200:
            return reply
        if request.path.endswith("/stream"):
            return Reply([lines({"delta": {"content": "One pair."}})])
        return Reply([b'{"message": {"role": "assistant", "content": "One pair."}}'], headers=JSON)

    report, _ = await checked(plain)
    assert report.conforms is True
    told = standings(report)
    assert told["The first object of a stream has the context, if any"] is Standing.NOT_SEEN
    assert told["The session state is named “session_state”"] is Standing.NOT_SEEN
    assert [name for name, (present, _) in parts(report).items() if not present][:5] == [
        "context", "data points", "thoughts", "follow-up questions", "session state",
    ]  # fmt: skip


async def test_the_answers_to_odd_bodies_and_the_need_of_a_context_are_reported() -> None:
    refused = Reply([b'{"error": "Unknown field chat_ui_check"}'], 400, JSON)
    report, _ = await checked(lambda one: refused if b"chat_ui_check" in one.body else model_backend()(one))
    assert report.conforms is True
    assert "Unknown field" in behaviour(report, "unknown fields, context, null session state")
    replies = {b"{}": Reply([b" no\n messages "], 422), b'{"messages": []}': Reply([b"x" * 200], 500)}

    def reply(request: Received) -> Reply:
        if request.body == b"messages: none":
            return Reply(end="rst", before_headers=True)
        return replies.get(request.body) or model_backend()(request)

    report, _ = await checked(reply)
    assert behaviour(report, "body without messages") == "status 422: no messages"
    assert behaviour(report, "empty list of messages") == f"status 500: {excerpt('x' * 200)}"
    assert behaviour(report, "body that is not JSON") == "no answer"
    told = [(sent.status, sent.outcome) for sent in report.requests[3:6]]
    assert told == [(422, "no messages"), (500, excerpt("x" * 200)), (None, "no answer")]
    overrides = {"overrides": {"top": 3}}
    for rule, path, options, told in (
        (model_backend(), "/chat", {}, "answered"),
        (model_backend(), "/chat", overrides, "not seen: the context has the given options"),
        (LOOKALIKES["ollama"][1], "/api/chat", overrides, "answered"),
        (LOOKALIKES["rag-postgres-openai-python"][1], "/chat", {}, "refused"),
    ):
        report, _ = await checked(rule, path, **options)
        assert behaviour(report, "no context") == told


OF_FOUNDRY = {"foundry-agent", "foundry-agent-endpoint"}
KEEP_THEIR_WIRE = {"ag-ui", "ai-sdk", "ai-sdk-4", "azure-knowledge-base", *OF_FOUNDRY, "openai-responses"}
KEEPS_ITS_WIRE = {name for name in LOOKALIKES if name.partition(",")[0] in KEEP_THEIR_WIRE}
"""Stand-ins that keep all rules of the wire that they speak."""
OF_OTHER_WIRES = {*CONFORMING, *OF_FOUNDRY, "ai-sdk-4"}
OF_2026 = {"the source of azure-search-openai-demo since April 2026"}
OF_2024 = {"Azure-Samples’ README", "Microsoft’s specification"}
"""The documents for the AI Chat Protocol's family."""


@pytest.mark.parametrize("name", thinned(LOOKALIKES.keys(), 3))
async def test_every_known_backend_is_judged_within_the_announced_requests(name: str) -> None:
    path, rule = LOOKALIKES[name]
    announced: list[tuple[str, str]] = []
    report, stand_in = await checked(rule, path, on_request=lambda method, url: announced.append((method, url)))
    assert report.conforms is (name in KEEPS_ITS_WIRE)
    assert report.known_backend == name.partition(",")[0]
    assert len(stand_in.requests) == len(report.requests) <= MAX_REQUESTS
    assert len(announced) <= MAX_REQUESTS
    questions = [sent for sent in report.requests if sent.outcome.startswith("answered in")]
    assert len(questions) <= MAX_QUESTIONS
    if report.known_backend not in OF_OTHER_WIRES:
        assert report.specification is not None
        assert report.specification.name in (OF_2026 if report.dialect == "responses" else OF_2024)
        assert "It does not speak the AI Chat Protocol." not in report.verdict
    json.dumps(report_object(report))


def unseen(report: Report) -> set[str]:
    return {one.rule for one in report.findings if one.standing is Standing.NOT_SEEN}


@pytest.mark.parametrize("name", thinned(FOUND_FROM_THEIR_BASE, 8))
async def test_a_base_url_is_judged_like_the_whole_address(name: str) -> None:
    path, rule = LOOKALIKES[name]
    report, stand_in = await checked(rule, "")
    at_its_address, _ = await checked(rule, path)
    assert unseen(report) <= unseen(at_its_address)
    seen, seen_at_its_address = (
        (of.conforms, of.known_backend, of.behaviours, [(one.name, one.present) for one in of.parts])
        for of in (report, at_its_address)
    )
    assert seen == seen_at_its_address
    assert len(stand_in.requests) == len(report.requests) <= MAX_REQUESTS


async def test_a_missing_server_or_a_wrong_key_gives_no_verdict() -> None:
    async with AsyncClient(PATIENT) as client:
        report = await check(client, "http://127.0.0.1:1/chat")
    assert (report.conforms, is_unreachable(report), "127.0.0.1:1" in report.verdict) == (None, True, True)
    refused = b'{"error": {"code": "x", "message": "No."}}'
    report, stand_in = await checked(lambda _: Reply([refused], 401, JSON))
    assert not is_unreachable(report)
    assert len(stand_in.requests) == 2
    told: Any = report_object(report)
    assert told["error"] == {"message": report.verdict, "code": "x", "status": 401}
    assert (told["document"], told["rules"], told["conforms"]) == (None, [], None)
    assert [sent["status"] for sent in told["requests"]] == [401, 401]


async def test_a_returned_key_is_not_in_the_report() -> None:
    told = Reply([lines({"delta": {"content": "k-123456"}, "context": {"thoughts": "k-123456"}})])
    refused = Reply([], 405, {"Allow": "POST"})
    report, _ = await checked(lambda request: refused if request.method == "OPTIONS" else told)
    assert "k-123456" not in repr(report)


SAMPLES = "Azure-Samples’ README"
MICROSOFT = "Microsoft’s specification"


async def test_the_verdict_names_the_followed_document_and_the_others_demands() -> None:
    as_in_samples = model_backend(state="session_state", stream_type="application/json-lines")
    for rule, followed, other, wanted in (
        (as_in_samples, SAMPLES, MICROSOFT, ("application/jsonl", "“sessionState”")),
        (model_backend(), MICROSOFT, SAMPLES, ("application/json-lines", "“session_state”")),
    ):
        report, _ = await checked(rule)
        assert report.conforms is True
        assert f"rules passed. Judged by {followed}, 2024-05-29." in report.verdict
        _, beside = report.verdict.split(f"{other} also requires: ")
        assert all(words in beside for words in wanted)
    assert report_object(report)["document"] == {"name": "Microsoft’s specification", "version": "2024-05-29"}


def sample_of_2026(
    request: Received, *, stream: tuple[dict[str, Any], ...] = (), text: str = "output_text", error: int = 500
) -> Reply:
    """azure-search-openai-demo since April 2026: a context before the text, and again behind it."""
    around = {"context": CONTEXT, "session_state": None}
    events = stream or (
        {"type": "response.context", **around},
        {"type": "response.output_text.delta", "delta": "One pair."},
        {"type": "response.context", **around},
    )
    if request.method == "OPTIONS":
        return Reply([], 200, {"Allow": "OPTIONS, POST"})
    if request.method != "POST":
        return Reply([b"no"], 404)
    if not request.body.startswith(b"{") or not request.json.get("messages"):
        return Reply([b'{"error": "The app encountered an error."}'], error, JSON)
    if request.path == "/chat/stream":
        return Reply([lines(*events)], headers={"Content-Type": "application/json-lines"})
    return Reply([json.dumps({text: "One pair.", **around}).encode()], headers=JSON)


FIRST_OF_2026 = "The first object of a stream is a “response.context” with the context"


async def test_the_shape_of_2026_is_judged_by_its_samples_source() -> None:
    report, _ = await checked(sample_of_2026)
    assert report.conforms is True
    assert {finding.standing for finding in report.findings} == {Standing.HELD}
    assert report_object(report)["document"] == {
        "name": "the source of azure-search-openai-demo since April 2026", "version": None,
    }  # fmt: skip
    assert " rules passed. Judged by the source of azure-search-openai-demo since April 2026." in report.verdict
    assert not any(year in report.verdict for year in ("2024-05-29", "does not speak"))
    [first] = [finding for finding in report.findings if finding.rule == FIRST_OF_2026]
    assert first.evidence.startswith('{"type": "response.context", "context": ')


NOT_STREAMED_IN_2026 = "A non-streaming response is an object with a string “output_text”"
TYPED_IN_2026 = "Each object of a stream has a string “type” or an “error”"
SHOULD_FAIL = "Errors have a status from 400 to 599"
TEXT_OF_2026 = "Text is sent as “response.output_text.delta” objects with a string “delta”"


async def test_a_breach_of_the_shape_of_2026_is_shown_with_its_object() -> None:
    context = {"type": "response.context", "context": CONTEXT}
    piece = {"type": "response.output_text.delta", "delta": "One pair."}
    nothing = {"type": "response.output_text.delta", "delta": None}
    breaches: list[tuple[dict[str, Any], str, str]] = [
        ({"stream": (piece, context)}, FIRST_OF_2026, json.dumps(piece)),
        ({"stream": (context, {"delta": "One pair."})}, TYPED_IN_2026, '{"delta": "One pair."}'),
        ({"stream": (context, piece, nothing)}, TEXT_OF_2026, json.dumps(nothing)),
        ({"error": 200}, SHOULD_FAIL, "status 200"),
        ({"text": "answer"}, NOT_STREAMED_IN_2026, '{"answer": "One pair."'),
    ]
    for changes, rule, shown in breaches:
        report, _ = await checked(partial(sample_of_2026, **changes))
        assert broken(report) == [rule]
        [finding] = [finding for finding in report.findings if finding.rule == rule]
        assert finding.evidence.startswith(shown)


def streams_only(request: Received) -> Reply:
    """The OpenAI quickstart: only `/chat/stream`, with a page for unchecked values."""
    if bare_path(request) != "/chat/stream":
        return Reply([b"<!doctype html><title>404 Not Found</title>"], 404, {"Content-Type": "text/html"})
    if request.method == "OPTIONS":
        return Reply([], 200, {"Allow": "OPTIONS, POST"})
    return model_backend()(replace(request, path="/chat/stream"))


def bare_path(request: Received) -> str:
    return request.path.partition("?")[0]


@pytest.mark.parametrize("typed", ["", "/chat?code=k1e2y3"])
async def test_a_missing_place_is_asked_once(typed: str) -> None:
    report, stand_in = await checked(streams_only, typed)
    absent = [one for one in stand_in.requests if (one.method, bare_path(one)) == ("POST", "/chat")]
    assert len(absent) == 1
    for case in ("body without messages", "body that is not JSON"):
        assert behaviour(report, case) == 'status 400: {"error": "There are no messages."}'
    assert behaviour(report, "unknown fields") == "accepted"
    assert broken(report) == ["Non-streaming responses have status 200"]
    [complete] = [finding for finding in report.findings if finding.rule == broken(report)[0]]
    assert complete.evidence == f"POST /chat{'?code=…' if '?' in typed else ''}: 404"
    assert parts(report)["files"][1].startswith("multipart was refused: The backend answered with status 400")


def refusing_contexts(request: Received, state: str = "sessionState") -> Reply:
    """Microsoft's sample in Python, which misreads a context."""
    if request.method == "POST" and request.body.startswith(b"{") and "context" in request.json:
        words = "1 validation error for AIChatRequest\ncontext\n  Input should be a valid bytes"
        return Reply([json.dumps({"code": "internal_error", "message": words}).encode()], 500, JSON)
    return model_backend(state=state)(request)


def nesting(request: Received) -> Reply:
    """azure-search-openai-demo of 2025: a nested context if follow-up questions are requested."""
    if request.method != "POST" or b"suggest_followup_questions" not in request.body:
        return model_backend(
            first={"delta": {"role": "assistant"}, "context": {"thoughts": []}, "session_state": None},
            state="session_state", stream_type="application/json-lines",
        )(request)  # fmt: skip
    if not request.path.endswith("/stream"):
        return model_backend(state="session_state")(request)
    nested = {"delta": {"role": "assistant"}, "context": {"context": CONTEXT, "followup_questions": ["And lenses?"]}}
    pieces = [lines({"delta": {"role": "assistant"}, "context": CONTEXT}), lines({"delta": {"content": "One pair."}})]
    return Reply([*pieces, lines(nested)], headers={"Content-Type": "application/json-lines"})


def accepting_no_messages(request: Received) -> Reply:
    if request.method == "POST" and b'"messages": []' in request.body:
        return Reply([b'{"error": "list index out of range"}'], headers=JSON)
    return model_backend()(request)


async def test_a_breach_is_shown_with_its_evidence() -> None:
    example = "Requests with a context and a session state are answered, as in the READMEs’ example"
    for rule, path, rules, evidence in (
        (refusing_contexts, "/chat", [example], "Input should be a valid bytes"),
        (nesting, "/chat", ["Context fields are not nested in another “context”"], "context"),
        (accepting_no_messages, "/chat", [SHOULD_FAIL], "list index out of range"),
        (LOOKALIKES["rag-postgres-openai-python"][1], "/chat",
         ["The conversation is sent as “messages”", "Requests without a context are answered"], "input"),
    ):  # fmt: skip
        report, stand_in = await checked(rule, path)
        assert set(rules) <= {*broken(report)}
        assert len(rules) > 1 or broken(report) == rules
        assert evidence in next(finding.evidence for finding in report.findings if finding.rule == rules[0])
        assert len(stand_in.requests) <= MAX_REQUESTS
        assert rule is not nesting or SAMPLES in report.verdict


ABOUT_AN_IMAGE = ChatRequest((Message("user", "What is it?", (Attachment("dot.png", "image/png", b"\x89PNG"),)),))


def microsoft_python(request: Received) -> Reply:
    """Microsoft's sample in Python: the JSON of a form is a field."""
    path = request.path
    if path == "/api/chat":
        return Reply([], 308, {"Location": "/api/chat/"})
    if path not in {"/api/chat/", "/api/chat/stream"}:
        return Reply([], 404)
    if is_form(request):
        name, data = form_of(request)["json"]
        said = "A dot." if "messages[0].files[0]" in form_of(request) else "No file."
        failed = {"code": "internal_error", "message": "400 Bad Request: KeyError: 'json'"}
        complete = {"message": {"role": "assistant", "content": said}} if name is None and data else failed
        stream = {"delta": {"role": "assistant", "content": said}} if name is None and data else failed
        return Reply([lines(stream if path.endswith("/stream") else complete)], 200 if name is None else 500, JSON)
    return refusing_contexts(Received(request.method, path.rstrip("/"), request.headers, request.body), "session_state")


@pytest.mark.parametrize(
    ("rule", "kind", "words"),
    [
        (microsoft_python, "microsoft-python", "image accepted as multipart"),
        (microsoft_express, "microsoft-express", "image accepted as multipart with JSON as a file"),
    ],
)
async def test_microsofts_samples_take_files(rule: Rule, kind: str, words: str) -> None:
    report, _ = await checked(rule, "/api/chat")
    assert (report.known_backend, parts(report)["files"]) == (kind, (True, words))
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        for stream in (True, False):
            backend = replace(KNOWN_BACKENDS[kind].below(stand_in.url), stream=stream)
            answer = await client.ask(backend, ABOUT_AN_IMAGE)
            assert (answer.text, answer.error) == ("A dot.", None)


async def test_files_are_sent_for_a_whole_answer_where_a_stream_takes_none() -> None:
    def in_c_sharp(request: Received) -> Reply:
        refused = is_form(request) and request.path.endswith("/stream")
        return Reply([], 415, JSON) if refused else microsoft_express(request)

    async with StandIn(in_c_sharp).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = KNOWN_BACKENDS["microsoft-express"].below(stand_in.url)
        answer, _ = await answer_anywhere(client, backend, ABOUT_AN_IMAGE)
    assert (answer.text, answer.error) == ("A dot.", None)


def test_the_evidence_is_one_line_from_its_beginning() -> None:
    for text, shown in ((" a\n b ", "a b"), ("x" * MAX_EVIDENCE, "x" * MAX_EVIDENCE), ("ab" * MAX_EVIDENCE, None)):
        assert excerpt(text) == (shown or text[: MAX_EVIDENCE - 1] + "…")


def asked(request: Received) -> str:
    """The method, the path and the parts of a request's body."""
    if is_form(request):
        body = "form"
    elif request.body.startswith(b"{"):
        body = " ".join(request.json) or "nothing"
        options = request.json.get("context", {}).get("overrides", {})
        body += "".join(f" +{name}" for name in options)
    else:
        body = request.body.decode()
    return f"{request.method} {request.path} {body}".strip()


FOLLOWUPS = "+suggest_followup_questions"
ORDERS: list[tuple[Rule, str, list[str]]] = [
    (model_backend(), "/chat", [f"POST /chat messages context sessionState chat_ui_check {FOLLOWUPS}"]),
    (refusing_contexts, "/chat", [
        f"POST /chat messages context sessionState chat_ui_check {FOLLOWUPS}",
        f"POST /chat messages context sessionState {FOLLOWUPS}",
        "POST /chat messages sessionState",
    ]),
    (nesting, "/chat", [f"POST /chat messages context chat_ui_check session_state {FOLLOWUPS}"]),
    (streams_only, "/chat/stream", [
        f"POST /chat messages context sessionState chat_ui_check {FOLLOWUPS}",
        f"POST /chat/stream messages context sessionState chat_ui_check {FOLLOWUPS}",
    ]),
]  # fmt: skip
"""Backends, their place for invalid bodies, and the requests for an answer that is not streamed."""


async def test_requests_go_in_their_order_and_only_if_needed() -> None:
    for rule, place, complete in ORDERS:
        _, stand_in = await checked(rule)
        wrong = [f"POST {place} {body}" for body in ("nothing", "messages", "messages: none", "form")]
        again = [f"POST /chat/stream messages context {FOLLOWUPS}"] if rule is nesting else []
        expected = ["OPTIONS /chat", "POST /chat/stream messages", *complete, *wrong, *again]
        assert [sorted(asked(request).split()) for request in stand_in.requests] == [
            sorted(line.split()) for line in expected
        ]


async def test_files_are_sent_in_the_backends_form_or_in_another_one() -> None:
    def refusing_files(refusal: Reply, request: Received) -> Reply:
        return refusal if is_form(request) else model_backend()(request)

    for status, words, ways in ((400, "No files.", 1), (400, "Where is the JSON?", 2), (500, "Broken.", 2),
                                (499, "Broken.", 1)):  # fmt: skip
        report, stand_in = await checked(partial(refusing_files, Reply([lines({"error": words})], status, JSON)))
        present, detail = parts(report)["files"]
        assert present is False
        assert detail.startswith("multipart was refused: The backend answered with status ")
        forms = [form_of(request)["json"][0] for request in stand_in.requests if is_form(request)]
        assert [name is None for name in forms] == [True, False][:ways]
    path, rule = LOOKALIKES["azure-sample-app"]
    report, stand_in = await checked(rule, path)
    assert parts(report)["files"] == (None, "not known to accept files")
    assert not any(is_form(request) for request in stand_in.requests)
    path, rule = LOOKALIKES["openai-compatible"]
    report, stand_in = await checked(rule, path)
    assert parts(report)["files"] == (True, "image accepted as parts")
    [content] = [one.json["messages"][0]["content"] for one in stand_in.requests if b"data:image/png" in one.body]
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


async def test_the_number_of_questions_to_a_model_is_limited() -> None:
    dot = Reply([b'{"message": {"role": "assistant", "content": "A dot."}}'], headers=JSON)
    _, stand_in = await checked(lambda request: dot if is_form(request) else nesting(request))
    assert sum(request.method == "POST" and b"Hello" in request.body for request in stand_in.requests) == MAX_QUESTIONS


async def test_the_report_as_an_object_is_complete() -> None:
    rule = model_backend()
    report, stand_in = await checked(lambda one: rule(replace(one, path=bare_path(one))), "/chat?code=k1e2y3")
    told: Any = report_object(report)
    assert told["url"] == f"{stand_in.url}/chat?code=…"
    assert (told["conforms"], told["verdict"], told["error"]) == (True, report.verdict, None)
    assert (told["dialect"], told["kind"]) == ("chat-protocol", "ai-chat-protocol")
    assert told["rules"][0] == {
        "rule": "The conversation is sent as “messages”", "source": "README and TypeSpec", "standing": "held",
        "evidence": "sent as “messages”",
    }  # fmt: skip
    assert told["optional"][1] == {"name": "data points", "present": True, "detail": "1, such as glasses.pdf#page=2"}
    assert told["behaviours"][0] == {"case": "no context", "answer": "answered"}
    seconds = {"first_byte_s": "first_byte", "first_text_s": "first_text", "total_s": "total"}
    assert told["timing"]["streamed"]["first_text_s"] > 0
    assert told["timing"]["whole"] == {key: getattr(report.complete, name) for key, name in seconds.items()}
    assert told["requests"][0] == {
        "method": "OPTIONS", "url": f"{stand_in.url}/chat?code=…", "status": 405, "told": "takes POST",
    }  # fmt: skip
