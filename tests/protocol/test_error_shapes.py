"""Which objects report an error, and what they say: the words, and the code."""

from __future__ import annotations

import json
from typing import Any

from chat_ui.protocol.dialects.errors import CONTENT_FILTER, NOTHING_SAID, code_of, error_in, error_of, words_of


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
        ({}, {"code": 7}, "The backend reported the error 7 without saying more.", "7"),
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


def test_an_object_reports_an_error_in_one_of_its_forms() -> None:
    cases = [
        ({"error": "Asleep."}, None, "Asleep."),
        ({"error": None}, None, None),
        ({"error": False, "answer": "A"}, None, None),
        ({"event": "error", "data": "Asleep."}, None, "Asleep."),
        ({"type": "error", "content": "Asleep."}, None, "Asleep."),
        ({"error_code": 17, "error_msg": "Asleep."}, None, "Asleep."),
        ({"code": 1301, "msg": "Asleep."}, None, "Asleep."),
        ({"code": "200", "msg": "Fine."}, None, None),
        ({"code": 0, "msg": "Fine."}, None, None),
        ({"msg": "Fine."}, None, None),
        ({"base_resp": {"status_code": 1004, "status_msg": "Asleep."}}, None, "Asleep."),
        ({"base_resp": {"status_code": 0, "status_msg": ""}}, None, None),
        ({"type": "response.done", "response": {"status": "failed"}}, None,
         "The backend reported response.failed without saying why."),
        ({"type": "error", "message": "Asleep."}, None, "Asleep."),
        ({"message": "Asleep."}, "error", "Asleep."),
        ({"message": "Asleep."}, "note", None),
        ({"choices": [{"error": "Asleep."}]}, None, "Asleep."),
        ({"choices": [{"delta": {"error": "Asleep."}}]}, None, "Asleep."),
        ({"choices": [{"message": {"error": "Asleep."}}]}, None, "Asleep."),
        ({"delta": {"error": "Asleep."}}, None, "Asleep."),
        ({"delta": {"error": None}}, None, None),
        ({"response": {"error": "Asleep."}}, None, "Asleep."),
        ({"code": 1, "message": "Asleep."}, None, "Asleep."),
        ({"code": 1, "message": "Asleep.", "answer": "A"}, None, None),
        ({"code": 1, "message": {"content": "A"}}, None, None),
        ({"errors": ["Asleep."]}, None, "Asleep."),
        ({"errors": ["Asleep."], "data_points": ["a"]}, None, None),
        ({"errors": []}, None, None),
        ({"errorMessage": "Asleep."}, None, "Asleep."),
        ({"error_message": "Asleep.", "citations": ["a"]}, None, None),
        ({"success": False, "message": "Asleep."}, None, "Asleep."),
        ({"success": True, "message": "Asleep."}, None, None),
        ({"status": "error", "message": "Asleep."}, None, "Asleep."),
        ({"status": "failed", "message": "Asleep."}, None, "Asleep."),
        ({"status": "fine", "message": "Asleep."}, None, None),
        ({"status": "failed"}, None, None),
        ({"detail": "Asleep."}, None, "Asleep."),
        ({"detail": "Asleep.", "thoughts": ["a"]}, None, None),
        ({"detail": None}, None, None),
        ({"type": "response.failed", "response": {"error": {"message": "Asleep.", "code": "x"}}}, None, "Asleep."),
        ({"type": "response.error", "message": "Asleep."}, None, "Asleep."),
        ({"type": "response.cancelled"}, None, "The backend reported response.cancelled without saying why."),
        ({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}}, None,
         CONTENT_FILTER),
        ({"type": "response.incomplete", "incomplete_details": {"reason": "length"}}, None,
         "The backend stopped before the end of the answer: length (response.incomplete)."),
        ({"object": "response", "status": "failed"}, None, "The backend reported response.failed without saying why."),
        ({"output_text": "A", "status": "cancelled"}, None,
         "The backend reported response.cancelled without saying why."),
        ({"status": "cancelled"}, None, None),
        ({"object": "response", "status": "completed"}, None, None),
    ]  # fmt: skip
    for value, event, message in cases:
        found = error_in(value, event)
        assert (found and found.message) == message


def test_a_failed_response_has_the_code_of_its_error_or_else_of_its_event() -> None:
    named = error_in({"type": "response.failed", "response": {"error": {"message": "Ill.", "code": "x"}}}, None)
    unnamed = error_in({"type": "response.failed", "response": {"error": {"message": "Ill."}}}, None)
    silent = error_in({"type": "response.failed"}, None)
    stopped = error_in({"type": "response.incomplete", "incomplete_details": {"reason": "x" * 99}}, None)
    assert [one and one.code for one in (named, unnamed, silent, stopped)] == [
        "x", "response.failed", "response.failed", "response.incomplete",
    ]  # fmt: skip
    assert stopped is not None
    assert f"answer: {'x' * 80} (" in stopped.message
