"""Each rule of the specification as a function of the response: its verdict and its evidence."""

import json
from typing import Any

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.conformance.report import (
    MICROSOFT,
    SAMPLES,
    Finding,
    Report,
    Source,
    Specification,
    Standing,
    broken_rules,
    counts_in_words,
    followed,
    judged_by_the_followed,
    outcome_in_words,
    presence,
    results,
    timings,
    verdict_in_words,
)
from chat_ui.protocol.conformance.rules import Observations, Sent, judge
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.protocol.events import Timing
from chat_ui.protocol.transport.probe import Probe
from chat_ui.protocol.transport.recorder import ResponseRecord, ResponseRecorder
from tests.protocol.asking import fold
from tests.stand_ins.stand_in import lines

HELD, BROKEN, NOT_ASKED, NOT_SEEN = Standing.HELD, Standing.BROKEN, Standing.NOT_ASKED, Standing.NOT_SEEN
DELTA = lines({"delta": {"content": "A"}})
MESSAGE = lines({"message": {"role": "assistant", "content": "A"}})
URL = "http://a.example/chat"


def sent(body: bytes, status: int | None = 200, kind: str = "application/jsonl", url: str = URL) -> Sent:
    recorder = ResponseRecorder()
    recorder.sent(url, ())
    if status is not None:
        recorder.answered(status, {"content-type": kind})
    recorder.piece(0.1, body)
    return Sent(fold(body), recorder.record())


def complete(body: bytes = MESSAGE, status: int | None = 200, kind: str = "application/json") -> Sent:
    return sent(body, status, kind)


def seen(streamed: bytes | Sent = DELTA, **changes: Any) -> Observations:
    stream = streamed if isinstance(streamed, Sent) else sent(streamed, url=f"{URL}/stream")
    fields: dict[str, Any] = {
        "messages_key": "messages", "needs_context": False, "streamed": stream, "optional": None,
        "complete": complete(), "only_streams": "", "example": complete(), "refusals": (),
    }  # fmt: skip
    return Observations(**{**fields, **changes})


def found(rule: str, what: Observations) -> tuple[Standing, str]:
    [finding] = [finding for finding in judge(what) if finding.rule.startswith(rule)]
    return finding.standing, finding.evidence


MESSAGES = "The conversation is sent as “messages”"
AT_PATH = "Streaming is requested at the path"
NO_CONTEXT = "Requests without a context are answered"
EXAMPLE = "Requests with a context and a session state"
WHOLE_STATUS = "Non-streaming responses have status 200"
WHOLE_TYPE = "Non-streaming responses have the content type"
WHOLE_OBJECT = "A non-streaming response is an object"
WHOLE_ROLE = "A message’s “role”"
STREAM_STATUS = "Streaming responses have status 200"
JSONL = "Streaming responses have the content type application/jsonl"
LINE = "Each line of a stream is one JSON object"
HAS_DELTA = "Each object of a stream has an object “delta”"
CONTENT = "A delta’s “content”"
ROLE = "A delta’s “role”"
END = "The answer is complete when the response body ends"
FIRST = "The first object of a stream has the context"
IS_OBJECT = "A context is an object"
NESTED = "Context fields are not nested"
POINTS = "“data_points” is an object"
THOUGHTS = "“thoughts” is a list of steps"
QUESTIONS = "“followup_questions” is a list of strings"
SNAKE = "The session state is named “session_state”"
CAMEL = "The session state is named “sessionState”"
ERROR_STATUS = "Errors have a status"
ERROR_STRING = "Errors are returned as a string in “error”"
ERROR_CODED = "Errors are returned in “error” with"


def context(**keys: Any) -> bytes:
    return lines({"delta": {"content": "A"}, "context": keys})


def refusal(body: bytes, status: int | None = 400) -> dict[str, Any]:
    return {"refusals": (Probe("POST", URL, status, body=body),)}


NOTHING = sent(b"", None)


JUDGED: list[tuple[str, Observations, Standing, str]] = [
    (MESSAGES, seen(), HELD, "sent as “messages”"),
    (MESSAGES, seen(messages_key="input"), BROKEN, "sent as “input”"),
    (MESSAGES, seen(b"\n", messages_key="input"), NOT_SEEN, "sent as “input”"),
    (AT_PATH, seen(), HELD, "POST /chat/stream: 200"),
    (AT_PATH, seen(sent(DELTA, url=f"{URL}/stream/?code=1")), HELD, "POST /chat/stream/?code=…: 200"),
    (AT_PATH, seen(sent(DELTA)), BROKEN, "POST /chat: 200"),
    (AT_PATH, seen(b"\n"), NOT_SEEN, "POST /chat/stream: 200"),
    (AT_PATH, seen(Sent(fold(DELTA), ResponseRecord(URL, ((f"{URL}/stream", 404), ("b", 405)), 200))), BROKEN,
     "POST /chat/stream: 404, POST b: 405"),
    (NO_CONTEXT, seen(), HELD, ""),
    (NO_CONTEXT, seen(needs_context=True), BROKEN, "context.overrides is required"),
    (NO_CONTEXT, seen(b"\n", needs_context=True), NOT_SEEN, "context.overrides is required"),
    (EXAMPLE, seen(), HELD, ""),
    (EXAMPLE, seen(example=None), NOT_SEEN, ""),
    (EXAMPLE, seen(example=complete(b'{"error": "No."}', 400)), BROKEN, "No."),
    (WHOLE_STATUS, seen(), HELD, "status 200"),
    (WHOLE_STATUS, seen(complete=complete(status=201)), BROKEN, "status 201"),
    (WHOLE_STATUS, seen(complete=None), NOT_SEEN, "status None"),
    (WHOLE_STATUS, seen(complete=NOTHING), NOT_SEEN, "status None"),
    (WHOLE_STATUS, seen(complete=None, only_streams="POST a: 404"), BROKEN, "POST a: 404"),
    (WHOLE_TYPE, seen(), HELD, "content-type: application/json"),
    (WHOLE_TYPE, seen(complete=complete(kind="Application/JSON ; charset=utf-8")), HELD,
     "content-type: Application/JSON ; charset=utf-8"),
    (WHOLE_TYPE, seen(complete=complete(kind="application/jsonl")), BROKEN, "content-type: application/jsonl"),
    (WHOLE_TYPE, seen(complete=NOTHING), NOT_SEEN, "content-type:"),
    (WHOLE_OBJECT, seen(), HELD, MESSAGE.decode().strip()),
    (WHOLE_OBJECT, seen(complete=complete(b'{"message": "A"}')), BROKEN, '{"message": "A"}'),
    (WHOLE_OBJECT, seen(complete=complete(b'{"message": {"content": 7}}')), BROKEN, '{"message": {"content": 7}}'),
    (WHOLE_OBJECT, seen(complete=complete(b'[{"message": {"content": "A"}}]')), BROKEN,
     '[{"message": {"content": "A"}}]'),
    (WHOLE_OBJECT, seen(complete=complete(b'{"message":\n{"content": "A"}}')), HELD, '{"message": {"content": "A"}}'),
    (WHOLE_OBJECT, seen(complete=complete(MESSAGE * 2)), BROKEN, (MESSAGE * 2).decode().replace("\n", " ").strip()),
    (WHOLE_OBJECT, seen(complete=None), NOT_SEEN, ""),
    (WHOLE_ROLE, seen(), HELD, '"role": "assistant"'),
    (WHOLE_ROLE, seen(complete=complete(b'{"message": {"content": "A", "role": "bot"}}')), BROKEN, '"role": "bot"'),
    (WHOLE_ROLE, seen(complete=complete(b'{"message": {"role": "user"}}')), NOT_SEEN, '"role": "user"'),
    (WHOLE_ROLE, seen(complete=None), NOT_SEEN, '"role": null'),
    (STREAM_STATUS, seen(), HELD, "status 200"),
    (STREAM_STATUS, seen(sent(DELTA, 201)), BROKEN, "status 201"),
    (JSONL, seen(), HELD, "content-type: application/jsonl"),
    (JSONL, seen(sent(DELTA, kind="text/plain")), BROKEN, "content-type: text/plain"),
    (LINE, seen(), HELD, DELTA.decode().strip()),
    (LINE, seen(b"\n" + DELTA + b" \n7\n8\n"), BROKEN, "7"),
    (LINE, seen(b"data: " + DELTA), BROKEN, "data: " + DELTA.decode().strip()),
    (LINE, seen(b"\n"), NOT_SEEN, ""),
    (HAS_DELTA, seen(), HELD, DELTA.decode().strip()),
    (HAS_DELTA, seen(DELTA + b'{"delta": "A"}\n{"x": 1}\n'), BROKEN, '{"delta": "A"}'),
    (HAS_DELTA, seen(DELTA + b'{"error": "No."}\n'), HELD, DELTA.decode().strip()),
    (HAS_DELTA, seen(DELTA + b'{"error": null}\n'), BROKEN, '{"error": null}'),
    (HAS_DELTA, seen(b"7\n"), NOT_SEEN, ""),
    (CONTENT, seen(), HELD, '{"content": "A"}'),
    (CONTENT, seen(b'{"delta": {}}\n' + DELTA), HELD, "{}"),
    (CONTENT, seen(DELTA + b'{"delta": {"content": null}}\n'), BROKEN, '{"content": null}'),
    (CONTENT, seen(b'{"delta": "A"}\n'), NOT_SEEN, ""),
    (ROLE, seen(), HELD, '{"content": "A"}'),
    (ROLE, seen(b'{"delta": {"role": "system"}}\n' + DELTA), HELD, '{"role": "system"}'),
    (ROLE, seen(DELTA + b'{"delta": {"role": null}}\n'), BROKEN, '{"role": null}'),
    (ROLE, seen(b'{"delta": "A"}\n'), NOT_SEEN, ""),
    (END, seen(), HELD, ""),
    (END, seen(DELTA + b'{"delta": {"content'), BROKEN, "at byte 28: '{\"delta\": {\"content'"),
    (END, seen(b"7\n"), NOT_SEEN, ""),
    (FIRST, seen(), NOT_SEEN, DELTA.decode().strip()),
    (FIRST, seen(context(thoughts=[])), HELD, context(thoughts=[]).decode().strip()),
    (FIRST, seen(DELTA + context(thoughts=[])), BROKEN, DELTA.decode().strip()),
    (FIRST, seen(b'{"x": 1}\n' + context(thoughts=[])), HELD, context(thoughts=[]).decode().strip()),
    (FIRST, seen(context() + DELTA), NOT_SEEN, context().decode().strip()),
    (FIRST, seen(b"7\n"), NOT_SEEN, ""),
    (IS_OBJECT, seen(), NOT_SEEN, ""),
    (IS_OBJECT, seen(context()), HELD, "{}"),
    (IS_OBJECT, seen(context() + b'{"delta": {}, "context": ""}\n'), BROKEN, '""'),
    (IS_OBJECT, seen(b'{"delta": {}, "context": null}\n'), NOT_SEEN, ""),
    (IS_OBJECT, seen(complete=complete(b'{"message": {"content": "A"}, "context": []}')), BROKEN, "[]"),
    (NESTED, seen(), NOT_SEEN, ""),
    (NESTED, seen(context(context=7)), HELD, '{"context": 7}'),
    (NESTED, seen(context(context={"a": 1})), BROKEN, '{"context": {"a": 1}}'),
    (NESTED, seen(optional=sent(context(context={}))), BROKEN, '{"context": {}}'),
    (POINTS, seen(context()), NOT_SEEN, ""),
    (POINTS, seen(context(data_points=None)), NOT_SEEN, ""),
    (POINTS, seen(context(data_points={"text": ["a"]}) + context(data_points=[])), BROKEN, '"data_points": []'),
    (SNAKE, seen(), NOT_SEEN, ""),
    (SNAKE, seen(b'{"session_state": 1}\n'), HELD, '"session_state": 1'),
    (CAMEL, seen(b'{"session_state": 1}\n' * 2 + b'{"sessionState": 2}\n'), HELD, '"sessionState": 2'),
    (CAMEL, seen(b'{"x": 1}\n', complete=complete(b'{"sessionState": 2}')), HELD, '"sessionState": 2'),
    (ERROR_STATUS, seen(), NOT_SEEN, "status None"),
    (ERROR_STATUS, seen(**refusal(b"{}", None)), NOT_SEEN, "status None"),
    (ERROR_STATUS, seen(**refusal(b"{}", 200)), NOT_SEEN, "status None"),
    (ERROR_STATUS, seen(**refusal(b'{"error": "No."}', 200)), BROKEN, 'status 200: {"error": "No."}'),
    (ERROR_STATUS, seen(**refusal(b"a", 300)), BROKEN, "status 300: a"),
    (ERROR_STATUS, seen(**refusal(b"a", 399)), BROKEN, "status 399: a"),
    (ERROR_STATUS, seen(**refusal(b"a", 400)), HELD, "status 400"),
    (ERROR_STATUS, seen(**refusal(b"a", 599)), HELD, "status 599"),
    (ERROR_STATUS, seen(**refusal(b"a", 600)), BROKEN, "status 600: a"),
    (ERROR_STATUS, seen(complete=complete(b'{"error": "No."}', 422)), HELD, "status 422"),
    (ERROR_STATUS, seen(complete=complete(b'{"error": "No."}', None)), NOT_SEEN, "status None"),
    (ERROR_STATUS, seen(example=complete(b'{"error": "No."}', 302)), BROKEN, 'status 302: {"error": "No."}'),
    (ERROR_STRING, seen(), NOT_SEEN, ""),
    (ERROR_CODED, seen(), NOT_SEEN, ""),
]  # fmt: skip


def test_a_rule_is_judged_by_the_response_and_a_context_by_its_form() -> None:
    for rule, what, standing, evidence in JUDGED:
        assert found(rule, what) == (standing, evidence), rule
    for rule, key, standing, parts in PARTS:
        for part in parts:
            evidence = f'"{key}": {json.dumps(part, ensure_ascii=False)}'
            assert found(rule, seen(context(**{key: part}))) == (standing, evidence)


STEP = {"title": "T", "description": None}
PARTS: list[tuple[str, str, Standing, list[Any]]] = [
    (POINTS, "data_points", HELD, [{}, {"text": ["a"]}, {"text": ["ü"], "images": [1], "more": 1}, {"images": None}]),
    (POINTS, "data_points", BROKEN, [{"text": [1]}, {"text": "a"}, {"images": "a"}, {"a": 1}, ["a"], 0]),
    (THOUGHTS, "thoughts", HELD, [[], [STEP]]),
    (THOUGHTS, "thoughts", BROKEN, [[{"title": 7, "description": ""}], [{"title": "T"}], ["T"], {}]),
    (QUESTIONS, "followup_questions", HELD, [["Why?"]]),
    (QUESTIONS, "followup_questions", BROKEN, [["Why?", 7], "Why?"]),
]


def test_an_error_has_one_of_two_forms() -> None:
    for error, string, coded in (
        (b'{"error": "No."}', HELD, BROKEN),
        (b'{"error": {"code": "x", "message": "No."}}', BROKEN, HELD),
        (b'{"error": {"code": 7, "message": "No."}}', BROKEN, BROKEN),
        (b'{"error": {"code": "x"}}', BROKEN, BROKEN),
        (b"[]", BROKEN, BROKEN),
        (b"No.", BROKEN, BROKEN),
    ):
        findings = judge(seen(**refusal(error)))
        told = [(finding.standing, finding.evidence) for finding in findings if finding.topic == "error"]
        assert told == [(string, error.decode()), (coded, error.decode())]
        assert any(finding.topic == "error" for finding in broken_rules(findings)) is (HELD not in (string, coded))


def test_a_truncated_line_is_not_judged() -> None:
    recorder = ResponseRecorder(200)
    for _ in range(3):
        recorder.piece(0.1, b'{"delta": {"content": "A"}}\n' + b'{"delta": {"content": "' + b"x" * 300)
        recorder.piece(0.2, b'x"}}\n')
    recorder.piece(0.3, b'{"delta": {"content": "B"}}\n')
    record = recorder.record()
    assert record.left_out
    standing = [one.standing for one in judge(seen(Sent(Answer("AB"), record))) if one.rule == LINE]
    assert standing == [HELD]


def finding(source: Source, standing: Standing, topic: str = "", rule: str = "R") -> Finding:
    return Finding(rule, source, standing, topic=topic)


def test_the_document_with_more_kept_rules_is_followed() -> None:
    samples, microsoft = finding(SAMPLES, HELD), finding(MICROSOFT, HELD)
    broken = (finding(SAMPLES, BROKEN), finding(MICROSOFT, BROKEN))
    documents = {
        (): MICROSOFT,
        (samples,): SAMPLES,
        (samples, microsoft): MICROSOFT,
        broken: MICROSOFT,
        (samples, samples, microsoft): SAMPLES,
    }
    assert {findings: followed(findings) for findings in documents} == documents


def test_demands_of_the_other_document_are_not_broken() -> None:
    judged: dict[tuple[Source, Standing], Standing] = {
        (SAMPLES, BROKEN): NOT_ASKED,
        ("README", BROKEN): BROKEN,
        ("TypeSpec", BROKEN): BROKEN,
        (MICROSOFT, BROKEN): BROKEN,
        (SAMPLES, NOT_SEEN): NOT_SEEN,
    }
    for (source, standing), expected in judged.items():
        assert [one.standing for one in judged_by_the_followed((finding(source, standing),))] == [expected]
    findings = judged_by_the_followed((finding(SAMPLES, HELD), finding("TypeSpec", BROKEN)))
    assert [one.standing for one in findings] == [HELD, NOT_ASKED]
    assert broken_rules(findings) == ()
    assert broken_rules(findings, MICROSOFT) == (findings[1],)


BY_MICROSOFT, BY_SAMPLES = Specification(MICROSOFT, "2024-05-29"), Specification(SAMPLES, "2024-05-29")
VERDICTS: list[tuple[tuple[Finding, ...], Specification, str]] = [
    ((finding("README", HELD), finding(SAMPLES, NOT_ASKED, rule="S")), BY_MICROSOFT,
     "1 checked rule passed. Judged by Microsoft’s specification, 2024-05-29. Azure-Samples’ README also requires: S."),
    ((finding("README", HELD), finding("README", HELD), finding(SAMPLES, HELD), finding("TypeSpec", NOT_ASKED),
      finding("README", BROKEN, rule="B")), BY_SAMPLES,
     "1 of 4 checked rules failed. Judged by Azure-Samples’ README, 2024-05-29. "
     "Microsoft’s specification also requires: R."),
    ((finding("README", BROKEN, "error", "A"), finding("TypeSpec", BROKEN, "error", "B"), finding("README", BROKEN)),
     BY_MICROSOFT, "3 of 3 checked rules failed. Judged by Microsoft’s specification, 2024-05-29."),
    ((finding("README", BROKEN, "error", "A"), finding("TypeSpec", HELD, "error", "B")), BY_MICROSOFT,
     "1 checked rule passed. Judged by Microsoft’s specification, 2024-05-29. Azure-Samples’ README also requires: A."),
    ((finding("README", NOT_SEEN),), Specification("A standard", None),
     "No rule could be checked. Judged by A standard."),
]  # fmt: skip


def test_a_verdict_counts_the_rows_that_failed_and_names_the_format() -> None:
    for findings, specification, words in VERDICTS:
        verdict = verdict_in_words(findings, specification, "openai")
        assert verdict == f"{words} Detected: OpenAI chat completions."
        failed = [result for result, _ in results(findings)].count("fail")
        assert verdict.startswith(f"{failed} of ") == bool(failed)
    assert label_of(None) == "an unknown format"


def test_results_are_listed_from_failed_to_skipped() -> None:
    findings = (
        finding(SAMPLES, NOT_ASKED), finding("README", NOT_SEEN), finding("README", HELD, "error"),
        finding("TypeSpec", BROKEN, "error"), finding("README", BROKEN),
    )  # fmt: skip
    listed = results(findings)
    assert [result for result, _ in listed] == ["fail", "pass", "not seen", "skipped", "skipped"]
    assert listed[0][1] is findings[-1]
    assert counts_in_words(findings) == "1 fail · 1 pass · 1 not seen · 2 skipped"
    assert outcome_in_words(findings) == "1 of 2 checked rules failed"


def test_a_part_is_present_absent_or_not_seen() -> None:
    assert [presence(present) for present in (None, True, False)] == ["not seen", "present", "absent"]
    report = Report(URL, True, "", streamed=Timing(0.101, None, 0.3), complete=Timing(0.1, 0.2, None))
    assert list(timings(report)) == [("streamed answer", "first byte 0.10 s, end 0.30 s")]
