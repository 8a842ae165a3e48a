"""Streams of unknown dialects: the text is kept, and the rest is reported in words."""

import json

import pytest

from tests.made_sets import thinned
from tests.protocol.asking import answer_of, answer_to, error_of, fold
from tests.stand_ins.stand_in import Reply, lines


def delta(text: object, **more: object) -> dict[str, object]:
    return {"delta": {"content": text}, **more}


def chunk(**piece: object) -> dict[str, object]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": piece, "finish_reason": None}]}


def events(*values: object, name: str = "") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return b"".join(head + b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)


def named(*values: dict[str, object]) -> bytes:
    """Events named by the `type` of their data."""
    return b"".join(events(value, name=str(value["type"])) for value in values)


A, B = lines(delta("A")), lines(delta("B"))
MESSAGES = named(
    {"type": "message_start", "message": {"role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "A"}},
    {"type": "message_stop"},
)

FOREIGN: dict[str, tuple[bytes, str]] = {
    "Anthropic's events": (MESSAGES, "message_start, content_block_start, content_block_delta, message_stop"),
    "Anthropic's whole message": (lines({"type": "message", "content": [{"type": "text", "text": "A"}]}), "message"),
    "Gemini's candidates": (lines({"candidates": [{"content": {"parts": [{"text": "A"}]}}]}), "with candidates"),
    "Cohere's events": (lines({"type": "content-delta", "delta": {"message": {"content": {}}}}), "content-delta"),
    "Bedrock's blocks": (lines({"contentBlockDelta": {"delta": {"text": "A"}}}), "with contentBlockDelta"),
    "a token for each line": (events({"token": {"text": "A"}, "details": None}), "with token, details"),
    "lines behind a number": (b'0: "A"\n0: "B"\n', "0: \"A\""),
    "strings as events": (events("A", name="data"), "string where an object was expected: 'A'"),
    "an object in a string": (lines(json.dumps(delta("A"))), "string where an object was expected"),
    "Python's way of writing": (b"{'delta': {'content': 'A'}}\n", "{'delta'"),
    "choices by name": (lines({"choices": {"0": {"delta": {"content": "A"}}}}), "with choices"),
    "choices that are strings": (lines({"choices": ["A"]}), "with choices"),
    "text in no known place": (lines({"text": "A"}), "with text"),
    "a role and no more": (lines({"delta": {"role": "assistant"}}), "with delta"),
    "nothing but nulls": (lines(dict.fromkeys(("delta", "message", "context", "output_text", "error"))), "with delta"),
    "an object without a key": (b"{}\n", "Received: an object."),
    "UTF-16": ("\ufeff".encode("utf-16-le") + A.decode().encode("utf-16-le"), "not JSON"),
    "NULs": (bytes(1000), "not JSON"),
    "compressed, and it does not say so": (b"\x1f\x8b\x08\x00\x00\x00", "not JSON"),
    "plain words": (b"Just some words.\n", "Just some words."),
}  # fmt: skip


def test_a_stream_without_known_text_names_its_kinds_or_is_told_as_empty() -> None:
    for case, (body, words) in FOREIGN.items():
        answer = answer_of(body)
        error = error_of(answer)
        assert (answer.text, error.code) == ("", "empty_answer"), case
        assert words in error.message, case
        assert "no text to show" in error.message, case
    for case, body in NOTHING.items():
        assert "empty answer" in error_of(answer_of(body)).message, case
    answer = fold(lines(*({"type": f"kind-{number}"} for number in range(100))))
    assert "kind-7" in error_of(answer).message
    assert "kind-8" not in error_of(answer).message


NOTHING = {"no byte": b"", "an empty array": b"[]", "an end and no more": b"data: [DONE]\n\n", "lines": b"\n\n \r\n",
           "comments": b": ping\n\n: ping\n\n", "events without data": b"event: a\nid: 1\nretry: 5\n\n"}  # fmt: skip


async def test_a_credential_among_the_names_of_kinds_is_not_told() -> None:
    body = lines({"type": "k-123456"}, {"k-123456": 1})
    answer = await answer_to(Reply([body]), headers={"api-key": "k-123456"})
    assert answer.error is not None
    assert "k-123456" not in repr(answer)


READ: dict[str, tuple[bytes, str]] = {
    "a guard against scripts": (b")]}',\n" + A, "A"),
    "a JSON text sequence": (b"\x1e" + A + b"\x1e" + B, "AB"),
    "lines and comments of a program": (b"# hi\n" + A + b"// there\n: ping\n" + B, "AB"),
    "parts of a form": (b"--x\r\nContent-Type: application/json\r\n\r\n" + A + b"\r\n--x--\r\n", "A"),
    "NULs between lines": (b"\x00" + A + b"\x00\x00" + B, "AB"),
    "arrays glued together": (b"[" + A.strip() + b"][" + B.strip() + b"]", "AB"),
    "fields in capitals": (b"DATA: " + A + b"\nData: " + B + b"\n", "AB"),
    "a comment within an event": (b'data: {"delta":\n: ping\ndata: {"content":"A"}}\n\n', "A"),
    "a tab after the field": (b"data:\t" + A + b"\n", "A"),
    "an event within an event": (b"data: data: " + A + b"\n", "A"),
    "a function call around it": (b"callback(" + A.strip() + b");", "A"),
    "a notice of PHP before it": (b"<br />\n<b>Warning</b>: x on line <b>2</b><br />\n" + A, "A"),
    "a byte order mark on each line": (b"\xef\xbb\xbf" + A + b"\xef\xbb\xbf" + B, "AB"),
    "comments between lines that end in CRLF": (b": x\r\n" + A.replace(b"\n", b"\r\n") + b": y\r\n\r\n" + B, "AB"),
    "no value but nulls first": (lines({"delta": None, "message": None, "choices": None, "error": None}) + A, "A"),
    "numbers and strings that are numbers": (lines(delta("4"), delta(2), delta(0.5), delta(True)), "420.5"),
    "an index that is a string": (
        lines({"object": "x", "choices": [{"index": "1", "delta": {"content": "X"}},
                                          {"index": "0", "delta": {"content": "A"}}]}), "A",
    ),
    "several choices in turn": (
        events({"choices": [{"index": 1, "delta": {"content": "X"}}, {"index": 0, "delta": {"content": "A"}}]},
               {"choices": [{"index": 0, "delta": {"content": "B"}}, {"index": 1, "delta": {"content": "Y"}}]}), "AB",
    ),
    "the last of two equal keys": (b'{"delta": {"content": "A"}, "delta": {"content": "B"}}\n', "B"),
    "halves of a character apart": (b'{"delta":{"content":"\\ud83d"}}\n{"delta":{"content":"\\ude00"}}\n', "😀"),
    "Latin-1": (b'{"delta": {"content": "caf\xe9"}}\n', "caf\ufffd"),
    "nesting without an end of sense": (A + b'{"context": ' + b"[" * 3000 + b"]" * 3000 + b"}\n" + B, "AB"),
    "a number of thousands of digits": (A + b'{"delta": {"content": ' + b"9" * 5000 + b"}}\n" + B, "AB"),
    "a follow-up question in pieces": (lines(delta("A <"), delta("<Wh"), delta("y?>"), delta(">")), "A"),
    "Ollama's answers to a prompt": (lines({"response": "A", "done": False}, {"response": "", "done": True}), "A"),
}  # fmt: skip


def test_text_is_found_among_other_values() -> None:
    for size in (None, 5):
        answers = {case: fold(body, size) for case, (body, _) in READ.items()}
        found = {case: (answer.text.strip(), answer.error, answer.complete) for case, answer in answers.items()}
        assert found == {case: (text, None, True) for case, (_, text) in READ.items()}


ERRORS: dict[str, tuple[bytes, str]] = {
    "chat completions": (events(chunk(content="A"), {"error": {"message": "boom", "type": "x"}}), "boom"),
    "an event of words": (events(chunk(content="A")) + b"event: error\ndata: boom\n\n", "boom"),
    "an event of words in brackets": (A + b"event: error\ndata: [Errno 111] refused\n\n", "[Errno 111] refused"),
    "an event of a trace": (
        A + b'event: error\ndata: Traceback (most recent call last):\ndata:   File "x.py", line 1, in f\n'
        b"data: NotReady: boom\n\n", "NotReady: boom",
    ),
    "an array in an event": (events(delta("A"), [{"error": {"code": 429, "message": "boom"}}]), "boom"),
    "an event of an object": (events(chunk(content="A")) + events({"message": "boom"}, name="error"), "boom"),
    "flat, and it goes on": (lines({"error": "boom"}) + A, "boom"),
    "Ollama": (lines({"message": {"content": "A"}, "done": False}, {"error": "boom"}), "boom"),
    "a chunk of OpenRouter's": (
        events(chunk(content="A"), {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
                                    "object": "chat.completion.chunk", "error": {"code": 502, "message": "boom"}}),
        "boom",
    ),
    "TGI": (events(chunk(content="A"), {"error": "boom", "error_type": "generation"}), "boom"),
    "Anthropic's": (
        events(chunk(content="A")) + named({"type": "error", "error": {"type": "overloaded_error", "message": "boom"}}),
        "boom",
    ),
    "vLLM": (events(chunk(content="A"), {"object": "error", "message": "boom", "type": "x", "code": None}), "boom"),
    "Mistral": (events(chunk(content="A"), {"object": "error", "message": {"detail": "boom"}, "type": "x"}), "boom"),
    "Dify": (events(chunk(content="A"), {"event": "error", "message": "boom", "status": 400}), "boom"),
    "an event named as an exception": (A + events({"message": "boom"}, name="exception"), "boom"),
    "a type named as an exception": (A + lines({"type": "exception", "message": "boom"}), "boom"),
    "an exception under its name": (A + lines({"modelStreamErrorException": {"message": "boom"}}), "boom"),
    "an exception": (A + lines({"exception": "boom"}), "boom"),
    "a key for short": (A + lines({"err": "boom"}), "boom"),
    "a fault": (A + lines({"fault": {"faultstring": "boom", "detail": {"errorcode": "x"}}}), "boom"),
    "Databricks": (A + lines({"error_code": "INTERNAL_ERROR", "message": "boom"}), "boom"),
    "a gateway's code": (A + lines({"message": "boom", "code": 502}), "boom"),
    "a gateway's status": (A + lines({"message": "boom", "status": 502}), "boom"),
    "a status in digits": (A + lines({"message": "boom", "statusCode": "502"}), "boom"),
    "problem details": (A + lines({"type": "about:blank", "title": "boom", "status": 500}), "boom"),
    "AWS": (A + lines({"__type": "ThrottlingException", "message": "boom"}), "boom"),
    "a gateway's words alone": (A + lines({"message": "boom", "request_id": "1"}), "boom"),
    "words of a web server": (A + b"Internal Server Error", "Internal Server Error"),
    "words of a web server in an event": (events(chunk(content="A")) + b"data: Internal Server Error\n\n", "Internal"),
    "words of a proxy": (A + b"upstream connect error or disconnect/reset before headers. boom", "boom"),
    "a status of Cloudflare": (A + b"error code: 524\n", "error code: 524"),
    "a whole response of a proxy": (A + b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "502 Bad Gateway"),
    "words of an exception in an event": (events(chunk(content="A")) + b"data: Error: boom\n\n", "Error: boom"),
    "a trace in an event": (
        A + b"data: Traceback (most recent call last):\ndata: app.NotReadyError: boom\n\n", "app.NotReadyError: boom",
    ),
    "words in brackets": (events(chunk(content="A")) + b"data: [ERROR] boom\n\n", "boom"),
    "a string": (events(chunk(content="A"), "Error: boom"), "boom"),
    "a trace": (
        A + b'Traceback (most recent call last):\n  File "x.py", line 1, in f\n    raise E({"a": 1})\n'
        b"app.NotReadyError: boom\n",
        "app.NotReadyError: boom",
    ),
    "Python's way of writing": (events(chunk(content="A")) + b"data: {'error': {'message': 'boom'}}\n\n", "boom"),
    "Python's way of writing, on a line": (A + b"{'detail': 'boom'}\n", "boom"),
    "Python's way of writing, in a string": (A + lines({"error": "{'message': 'boom'}"}), "boom"),
    "a part of a page of a proxy": (A + b"<h1>502 Bad Gateway</h1>", "An HTML page"),
    "a page of a proxy": (A + b"<html><head><title>502</title></head><body>Bad Gateway</body></html>", "An HTML page"),
}  # fmt: skip


def test_an_error_in_mid_stream_is_told_and_the_text_stays() -> None:
    for case, (body, words) in ERRORS.items():
        answer = answer_of(body)
        assert answer.text == "A", case
        assert words in error_of(answer).message, case
        assert "<" not in error_of(answer).message, case
    for words in ("[" * 4000, "{" * 4000, "[" + "-" * 4000 + "1]", "[" + "1+" * 1900 + "1]", "{'a': \0}"):
        assert error_of(fold(A + lines({"error": words}))).message.startswith(words[:1])


NO_ERRORS = [
    *(b'"\\ud83d"\n', b'"\\ud83d: Error: x"\n', b'"' + b"x" * 100_000 + b'"\n'),
    *map(
        lines,
        [
            {"message": "Searching", "type": "status"},
            {"status": "done", "message": "Found 3"},
            {"title": "A", "status": 200},
            {"event": "progress", "message": "boom"},
            {"status": 600, "message": "Found 600"},
            {"messages": [], "errors": []},
        ],
    ),
    *(b"INFO: 2 errors were found\n", b"No error\n", b"errors: 0\n", b"timeout set to 3 s\n", b"mirror: x\n"),
]


def test_progress_strings_and_log_lines_are_no_errors() -> None:
    for line in NO_ERRORS:
        answer = fold(A + line + B)
        assert (answer.text, answer.error) == ("AB", None), line
    answer = fold((b"INFO\n" * 10 + A) * 300)
    assert (answer.text, answer.error) == ("A" * 300, None)


@pytest.mark.parametrize("unit", thinned([b"words\n", b"{", b'{"', b"data: {x\n\n", b"{x", b"[1,{"], one_in=3))
async def test_a_flood_of_invalid_lines_ends_with_an_error_and_the_text(unit: bytes) -> None:
    answer = await answer_to(Reply([A, *([unit * 10_000] * 4)]))
    assert answer.text == "A"
    assert not answer.complete or (answer.error is not None and answer.error.code == "not_json")


def test_a_context_may_be_json_in_a_string() -> None:
    context = json.dumps({"data_points": {"text": ["a.pdf: One pair."]}})
    within = {"content": "A", "context": context}
    choice = {"choices": [{"delta": {"content": "A"}, "context": context}]}
    for value in (delta("A", context=context), {"delta": within}, {"message": within}, choice):
        answer = fold(lines(value))
        assert (answer.text, [point.source for point in answer.data_points]) == ("A", ["a.pdf"]), value
