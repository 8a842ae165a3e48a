"""Objects that report an error, with their words and codes."""

import json
from datetime import UTC, datetime
from typing import Any

from chat_ui.protocol.dialects.reported_errors import (
    CONTENT_FILTER,
    MAX_MESSAGE,
    NOTHING_SAID,
    code_of,
    error_in,
    error_of,
    page_title,
    plain_words,
    words_of,
)
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.transport.http_errors import http_error, is_unhandled, retry_after, with_wait
from tests.protocol.asking import fold


def within(key: str, levels: int, inmost: Any = "Asleep.") -> Any:
    for _ in range(levels):
        inmost = {key: inmost}
    return inmost


def test_words_are_found_in_a_value_of_any_shape() -> None:
    cases = [
        (None, ""), (True, ""), (False, ""), (0, "Error 0"), (7.5, "Error 7.5"), ("  Asleep. ", "Asleep."),
        ('{"message": "Asleep."}', "Asleep."), (' ["Asleep."]', "Asleep."), ('{"other": 1}', '{"other": 1}'),
        ("{asleep", "{asleep"),
        (json.dumps(json.dumps(json.dumps({"message": "Asleep."}))),
         '"\\"{\\\\\\"message\\\\\\": \\\\\\"Asleep.\\\\\\"}\\""'),
        ([None, "Asleep.", {"msg": "Ill."}], "Asleep.; Ill."),
        (["a"] * 11, "; ".join(["a"] * 10)),
        ([], ""),
        ({}, ""),
        ({"error": None, "message": "Asleep."}, "Asleep."),
        ({"error": "", "message": "Asleep."}, "Asleep."),
        ({"error": "Ill.", "message": "Asleep."}, "Ill."),
        ({"detail": "Ill.", "message": "Asleep."}, "Asleep."),
        ({"errors": ["Ill."]}, "Ill."),
        ({"errorText": "Ill."}, "Ill."),
        ({"errorMessage": "Ill.", "trace": ["at a"]}, "Ill."),
        ({"innererror": {"message": "Ill."}}, "Ill."),
        ({"inner_error": {"message": "Ill."}}, "Ill."),
        ({"other": "Ill."}, ""),
        ({"msg": "Missing", "loc": ["body", 0, "a"]}, "body.0.a: Missing"),
        ({"msg": "Missing", "loc": list("abcdefghi")}, "a.b.c.d.e.f.g.h: Missing"),
        ({"msg": "Missing", "loc": []}, "Missing"),
        ({"msg": "Missing", "loc": "body"}, "Missing"),
        ({"detail": "Missing", "loc": ["body"]}, "Missing"),
        ({"message": "Missing", "path": ["messages", 0, "parts"]}, "messages.0.parts: Missing"),
        ({"message": "Missing", "path": "/chat"}, "Missing"),
        ({"name": "ZodError", "issues": [{"message": "Missing", "path": ["a"]}]}, "a: Missing"),
        ({"formErrors": [], "fieldErrors": {"a": ["Missing"], "b": []}}, "a: Missing"),
        ({"fieldErrors": ["a"]}, ""), (within("error", 6), "Asleep."), (within("error", 7), ""),
        (within("detail", 6), "Asleep."), (within("detail", 7), ""), (within("innererror", 6), "Asleep."),
        (within("innererror", 7), ""), ([[[[[[["Asleep."]]]]]]], ""), ([[[[[["Asleep."]]]]]], "Asleep."),
        ([[[['["Asleep."]']]]], '["Asleep."]'), ([['["Asleep."]']], "Asleep."), ([[['["Asleep."]']]], '["Asleep."]'),
    ]  # fmt: skip
    assert [(value, words_of(value)) for value, _ in cases] == cases


def test_the_innermost_code_counts() -> None:
    cases = [
        (None, None), ("code", None), ({"code": "asleep"}, "asleep"), ({"code": 429, "type": "x"}, "429"),
        ({"code": " ", "type": "x"}, "x"), ({"code": True, "status": 503}, "503"),
        ({"type": "error", "statusCode": 500}, "500"), ({"code": None}, None),
        ({"error": {"code": "inner"}, "code": "outer"}, "inner"),
        ({"error": {"message": "x"}, "code": "outer"}, "outer"),
        (within("error", 3, {"code": "inner"}), "inner"), (within("error", 4, {"code": "inner"}), None),
        ({"code": "x" * 100}, "x" * 80),
    ]  # fmt: skip
    assert [(value, code_of(value)) for value, _ in cases] == cases


def test_an_error_has_a_message_and_its_code() -> None:
    cases = [
        ("Asleep.", None, "Asleep.", None),
        ("asleep", {"message": "Wake it."}, "asleep: Wake it.", None),
        ("Asleep.", {"message": "Asleep."}, "Asleep.", None),
        ("Asleep.", {"message": " "}, "Asleep.", None),
        ("", {"message": "Wake it."}, "Wake it.", None),
        ({}, {"detail": "Ill."}, "Ill.", None),
        ("Asleep.", {"detail": "Ill."}, "Asleep.", None),
        ({}, {"code": 7}, "The backend reported the error 7 without a message.", "7"),
        ({}, {}, NOTHING_SAID, None),
        ({"code": "content_filter", "message": "Filtered."}, None, "Filtered.", "content_filter"),
        ({"code": "content_filter", "message": "No."}, None, f"No. ({CONTENT_FILTER})", "content_filter"),
        ("Error code: 429 - {'error': {'message': 'Slow.', 'code': 'slow'}}", None, "Slow.", "slow"),
        ("Error code: 429 - {'error': {'message': 'Slow.'}}", None, "Slow.", "429"),
        ("Error code: 429 - {'error': {}}", None, "Error code: 429 - {'error': {}}", None),
        ("Error code: 429 - {f()}", None, "Error code: 429 - {f()}", None),
    ]
    for error, beside, message, code in cases:
        found = error_of(error, beside)
        assert (found.message, found.code) == (message, code)


REPORTS: list[Any] = [
    {"error": "Asleep."}, {"event": "error", "data": "Asleep."}, {"type": "error", "content": "Asleep."},
    {"error_code": 17, "error_msg": "Asleep."}, {"code": 1301, "msg": "Asleep."},
    {"base_resp": {"status_code": 1004, "status_msg": "Asleep."}}, {"type": "error", "message": "Asleep."},
    {"message": {"error": "Asleep."}}, {"choices": [{"error": "Asleep."}]},
    {"choices": [{"delta": {"error": "Asleep."}}]}, {"choices": [{"message": {"error": "Asleep."}}]},
    {"delta": {"error": "Asleep."}}, {"response": {"error": "Asleep."}},
    {"code": 1, "message": "Asleep.", "delta": {}, "context": None, "choices": [], "answer": ""},
    {"errors": ["Asleep."]}, {"errorMessage": "Asleep."}, {"success": False, "message": "Asleep."},
    {"status": "error", "message": "Asleep."}, {"status": "failed", "message": "Asleep."},
    {"detail": "Asleep.", "delta": None, "data_points": []},
    {"type": "response.failed", "response": {"error": {"message": "Asleep.", "code": "x"}}},
    {"type": "response.error", "message": "Asleep."},
]  # fmt: skip
NO_REPORTS: list[Any] = [
    {"error": None}, {"error": False, "answer": "A"}, {"code": "200", "msg": "Fine."}, {"code": 0, "msg": "Fine."},
    {"msg": "Fine."}, {"base_resp": {"status_code": 0, "status_msg": ""}}, {"delta": {"error": None}},
    {"code": 1, "message": "Asleep.", "answer": "A"}, {"code": 1, "message": {"content": "A"}},
    {"errors": ["Asleep."], "data_points": ["a"]}, {"errors": []}, {"error_message": "Asleep.", "citations": ["a"]},
    {"success": True, "message": "Asleep."}, {"status": "fine", "message": "Asleep."}, {"status": "failed"},
    {"detail": "Asleep.", "thoughts": ["a"]}, {"detail": None}, {"status": "cancelled"},
    {"object": "response", "status": "completed"},
]  # fmt: skip


def test_an_object_reports_an_error_in_one_of_its_forms() -> None:
    for value in REPORTS:
        found = error_in(value, None)
        assert (value, found and found.message) == (value, "Asleep.")
    assert [value for value in NO_REPORTS if error_in(value, None)] == []
    named, noted = (error_in({"message": "Asleep."}, event) for event in ("error", "note"))
    assert (named and named.message, noted) == ("Asleep.", None)


def test_a_response_without_an_answer_reports_its_error_and_code() -> None:
    def failed(**error: str) -> dict[str, Any]:
        return {"type": "response.failed", "response": {"error": error}}

    def stopped(reason: str) -> dict[str, Any]:
        return {"type": "response.incomplete", "incomplete_details": {"reason": reason}}

    unsaid = "The backend reported {} without a reason."
    for value, message, code in (
        (failed(message="Ill.", code="x"), "Ill.", "x"),
        (failed(message="Ill."), "Ill.", "response.failed"),
        ({"type": "response.failed"}, unsaid, "response.failed"),
        ({"type": "response.done", "response": {"status": "failed"}}, unsaid, "response.failed"),
        ({"type": "response.cancelled"}, unsaid, "response.cancelled"),
        ({"object": "response", "status": "failed"}, unsaid, "response.failed"),
        ({"output_text": "A", "status": "cancelled"}, unsaid, "response.cancelled"),
        ({"type": "response.incomplete", "response": stopped("content_filter")}, CONTENT_FILTER, "content_filter"),
        (stopped("length"), "The backend stopped before the end of the answer: length ({}).", "response.incomplete"),
        (stopped("x" * 99), f"The backend stopped before the end of the answer: {'x' * 80} ({{}}).",
         "response.incomplete"),
    ):  # fmt: skip
        found = error_in(value, None)
        assert (found and found.message, found and found.code) == (message.format(code), code)
    assert error_in({"type": "response.completed", "response": {"status": {}}}, None) is None


def test_words_are_limited_and_have_no_traces_or_keys() -> None:
    trace = "It failed.\nTraceback (most recent call last):\n  File \"/srv/a.py\", line 1\n    g()\nKeyError: 'plan'\n"
    assert plain_words(trace) == "It failed.\nKeyError: 'plan'"
    assert plain_words(trace.replace("KeyError", "openai.RateLimited")) == "It failed.\nopenai.RateLimited: 'plan'"
    assert plain_words("Error: no plan\n    at run (/srv/a.js:1:2)\n    at /srv/b.js:3:4") == "Error: no plan"
    assert plain_words("Error: no plan at run (/srv/a.js:1:2) at go (/srv/b.js:3:4)") == "Error: no plan"
    for key in ("Bearer abcdef1234", "sk-abcdef1234", "api_key=abcdef1234", "api-key: abcdef1234"):
        assert "abcdef" not in plain_words(f"Refused {key} today")
    words = plain_words("a\x00\x1b[31m\u202e\ud800b" + "x" * 10_000)
    assert (len(words), words[:6], words[-1]) == (MAX_MESSAGE, "a[31mb", "…")
    page = "<!doctype html><title>Oops &amp; sorry</title><body><h1>No <i>plan</i></h1><p>x</p></body>"
    assert plain_words(page) == "Oops & sorry: No plan"
    assert page_title(page) == "Oops & sorry"
    assert page_title(f"<title>{'x' * 130}</title>") == "x" * 120
    assert plain_words("Error type: <class 'RateLimitError'>") == "Error type: <class 'RateLimitError'>"


def test_the_reason_of_an_incomplete_response_is_told_in_safe_words() -> None:
    cases = [
        ("\ude00\x1b\u202eslow", "The backend stopped before the end of the answer: slow (response.incomplete)."),
        ("key sk-abcdef1234", "The backend stopped before the end of the answer: key sk-… (response.incomplete)."),
        ("\ud800 \x00", "The backend reported response.incomplete without a reason."),
    ]
    for reason, words in cases:
        value = {"output_text": "A", "status": "incomplete", "incomplete_details": {"reason": reason}}
        error = fold(json.dumps(value).encode() + b"\n").error
        assert (error and error.message) == words


def test_retry_after_is_seconds_or_a_date() -> None:
    cases = [
        (None, None), ("", None), ("12", 12.0), ("1.5", 1.5), ("-3", None), ("Sat, 21 Nov 2026 20:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 19:00:00 GMT", 0.0), ("tomorrow", None),
    ]  # fmt: skip
    assert [(value, retry_after(value, datetime(2026, 11, 21, 20, 0, 0, tzinfo=UTC))) for value, _ in cases] == cases


def test_the_time_to_wait_is_told_once() -> None:
    cases = [
        (b'{"error": "Slow down."}', "7", "Slow down. Try again in 7 seconds."),
        (b'{"error": "Slow down."}', None, "Slow down. Wait a moment, then try again."),
        (b'{"error": "Please retry after 7 seconds."}', "7", "Please retry after 7 seconds."),
        (b'{"error": "Please try again later."}', "7", "Please try again later (in 7 seconds)."),
        (b'{"error": "Please wait, then try again."}', None, "Please wait, then try again."),
        (b"", "7", "(too many requests). Try again in 7 seconds."),
    ]
    for body, header, words in cases:
        error = http_error(429, {"retry-after": header} if header else {}, body, "http://x.test/chat")
        assert with_wait(error).removeprefix("The backend answered with status 429").lstrip(": ") == words
    told = [
        (ErrorInfo("Ill", retry_after=1.2), "Ill. Try again in 2 seconds."),
        (ErrorInfo("Ill", retry_after=1.0), "Ill. Try again in 1 second."),
        (ErrorInfo("Ill", retry_after=0.0), "Ill"),
        (ErrorInfo("Ill?", retry_after=None), "Ill?"),
        (ErrorInfo("Ill? ", retry_after=7), "Ill? Try again in 7 seconds."),
        (ErrorInfo("Wait!", retry_after=7), "Wait (in 7 seconds)."),
        (ErrorInfo("Wait 2 minutes", retry_after=120), "Wait 2 minutes"),
    ]
    assert [(error, with_wait(error)) for error, _ in told] == told


URL = "http://a.example/openai/deployments/d/chat/completions"
RETIRED = "http://a.example/openai/deployments/d/extensions/chat/completions"
ASKS = b'{"error": "Please provide data_sources."}'
OWN_DATA = "It answers from your own data: say where that is among the other options of the request, "
EXAMPLE = 'as {"data_sources": [{"type": "azure_search", "parameters": {…}}]}.'
OLD_EXAMPLE = 'as {"dataSources": [{"type": "AzureCognitiveSearch", "parameters": {…}}]}.'


def test_a_status_is_told_with_advice() -> None:
    cases = [
        (304, b"", URL, "304 (it says “not modified”, which is not an answer)."),
        (303, b"", URL, "303 (the redirect has no address)."),
        (418, b"", URL, "418 (no reason given)."),
        (500, b"", URL, "500 (internal error)."),
        (401, b"", URL, "401 (not authorised). Check the key or sign in again."),
        (401, b'{"error": "No!"}', URL, "401: No! Check the key or sign in again."),
        (403, b'{"error": "No"}', URL, "403: No. Check that the key has permission for this."),
        (503, b'{"error": "Ill."}', URL, "503: Ill. Try again in a moment."),
        (503, b'{"error": "Ill. Retry soon."}', URL, "503: Ill. Retry soon."),
        (502, b'{"error": "Retry soon."}', URL, "502: Retry soon. The backend behind the gateway may be down."),
        (404, b"", URL, f"404 (not found). Nothing was found at {URL}."),
        (404, b'{"error": "Resource not found"}', URL, f"404: Resource not found. Nothing was found at {URL}."),
        (404, b'{"error": "No plan"}', URL, "404: No plan"),
        (405, b'{"error": "Not found"}', URL, "405: Not found. Check the path of the address."),
        (404, b'{"error": "No plan"}', RETIRED,
         "404: No plan. Azure has retired this path: leave out /extensions, "
         "and set data_sources among the other options."),
        (400, ASKS, URL, f"400: Please provide data_sources. {OWN_DATA}{EXAMPLE}"),
        (422, ASKS, RETIRED, f"422: Please provide data_sources. {OWN_DATA}{OLD_EXAMPLE}"),
        (500, ASKS, URL, "500: Please provide data_sources."),
        (400, b'{"error": "Unrecognized: data_sources"}', URL, "400: Unrecognized: data_sources. It reads data_sources "
         "with an api-version of 2024-02-01 or later, and without /extensions in the path."),
        (400, b'{"error": "Invalid data_sources/0"}', URL, "400: Invalid data_sources/0"),
    ]  # fmt: skip
    for status, body, url, words in cases:
        error = http_error(status, {}, body, url)
        assert error.message == f"The backend answered with status {words}"
        assert (error.status, error.retry_after) == (status, None)


def test_the_words_of_an_error_are_found_in_a_body_of_any_form() -> None:
    cases = [
        (b'{"error": {"message": "Ill.", "code": "x"}}', "Ill.", "x"),
        (b'{"error": {"code": "x"}}', "The backend reported the error x without a message.", "x"),
        (b'{"error": {}}', "(internal error).", None),
        (b'{"message": "Ill.", "code": 7}', "Ill.", "7"),
        (b'{"type": "response.failed", "response": {"error": {"message": "Ill."}}}', "Ill.", "response.failed"),
        (b'{"other": 1}', "(internal error).", None),
        (b'{"error": "Ill."}\n{"error": "Ill."}\n{"error": {"message": "Worse.", "code": "x"}}', "Ill.; Worse.", "x"),
        (b"[DONE]", "(internal error).", None),
        (b'data: {"error": "Ill."}\n\ndata: [DONE]\n\n', "Ill.", None),
        (b"Ill since 3", "Ill since 3", None),
        (b'Ill: {"error": "Asleep."}', "Asleep.", None),
        (b'7 {"a": 1} and more', '7 {"a": 1} and more', None),
        (b"event: error\ndata: Ill.\n\n", "Ill.", None),
        (b'"Ill."', "Ill.", None),
        (b'{"error": {"message": "Ill\\u00', "Ill", None),
        (b'{"error": {"message": "Ill\\n\\u00e9\\', "Ill\né", None),
        (b'{"a": {"b": "Ill', "(internal error).", None),
        (b'oops\n{"error": {"message": "Ill, and', 'oops\n{"error": {"message": "Ill, and', None),
        (b"\xef\xbb\xbf<p>Ill.</p>", "Ill.", None),
        (b"\xef\xbb\xbfIll", "Ill", None),
        (b'{"title": "Bad", "detail": "Ill.", "status": 400}', "Ill.", "400"),
        (b'{"error": {"message": "Ill."},}', "Ill.", None),
        (b'data: {\ndata: "error": {\ndata: "message": "Ill."\ndata: }\ndata: }\n\n', "Ill.", None),
        (b'{"choices": [{"error": {"message": "Ill."}}]}', "Ill.", None),
        (b"<style>p { color: red }</style><p>Ill</p><script>if (1 > 0) go()</script>", "Ill", None),
        (b"<html><head><style>h1 { color: red }</style></head><body>Ill<!-- <p>x</p> --></body>", "Ill", None),
        (b"<title>Error</title><pre>Error: Ill<br> &nbsp; &nbsp;at run (/srv/app.ts:9:1)</pre>", "Error: Ill", None),
        (b"x" * 5000 + b' {"error": "Ill."}', "Ill.", None),
    ]
    for body, said, code in cases:
        error = http_error(500, {}, body, URL)
        assert error.message == f"The backend answered with status 500{' ' if said.startswith('(') else ': '}{said}"
        assert error.code == code


def test_an_unhandled_exception_tells_only_its_status() -> None:
    cases = [
        (500, b"", False),
        (500, b"Internal Server Error", True),
        (500, b"<title>500 Internal Server Error</title>", True),
        (500, b"KeyError", False),
        (502, b"Internal Server Error", False),
    ]
    assert [(status, said, is_unhandled(http_error(status, {}, said, URL))) for status, said, _ in cases] == cases
