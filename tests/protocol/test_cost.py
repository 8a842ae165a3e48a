import gzip
import json
from collections.abc import Callable, Iterator

import pytest

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.redaction import Secrets
from chat_ui.protocol.backends.backend import Backend, Bounds
from chat_ui.protocol.clean_text import clean_json, clean_object_in_turn
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.dialects.reported_errors import page_title
from chat_ui.protocol.documents.document_fetch import fetch_document
from chat_ui.protocol.documents.document_urls import Document
from chat_ui.protocol.documents.image_fetch import fetch_image
from chat_ui.protocol.errors import DocumentError
from chat_ui.protocol.events import ContextReceived, Json, JsonObject
from chat_ui.protocol.reading.content_coding import MAX_PIECE, ContentDecoder
from chat_ui.protocol.reading.framing import Framer
from chat_ui.protocol.reading.items import Framed
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.http_errors import http_error
from chat_ui.protocol.transport.throttle import AT_ONCE
from tests.growth import assert_in_proportion, cost_of
from tests.made_sets import combined, thinned
from tests.protocol.asking import answer_to
from tests.stand_ins.stand_in import Reply, StandIn
from tests.turns import counted_turns

LENGTH = 4_000
Family = Callable[[int], bytes]


def body(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def delta(text: str) -> bytes:
    return body({"delta": {"content": text}}) + b"\n"


def lines(*values: object) -> Family:
    block = b"".join(body(value) + b"\n" for value in values)
    return lambda length: block * max(1, length // len(block))


def numbered(line: Callable[[int], object], each: int) -> Family:
    return lambda length: b"".join(body(line(number)) + b"\n" for number in range(length // each))


def repeated(unit: bytes, before: bytes = b"", after: bytes = b"") -> Family:
    return lambda length: before + unit * (length // len(unit)) + after


def text_of(unit: str, before: str = "") -> Family:
    return lambda length: delta(before + unit * (length // len(unit)))


OPEN = b'{"delta":{"content":"'
ASSISTANT = {"role": "assistant", "content": "a"}
FAMILIES: dict[str, Family] = {
    "open arrays": repeated(b"["), "open objects": repeated(b'{"a":'), "objects of nothing": repeated(b"{}\n"),
    "glued objects": repeated(b"{}"), "numbers": repeated(b"1\n"), "an array of arrays": repeated(b"[],", b"[", b"[]]"),
    "keys": lambda length: b"{" + b",".join(b'"k%d":1' % number for number in range(length // 9)) + b"}",
    "quotes": repeated(b'"'), "brace and quote": repeated(b'{"'), "strings over lines": repeated(b'{"a":"x\n'),
    "objects over lines": repeated(b'{"a":1,\n'), "an array that may begin": repeated(b" ", b"["),
    "text and objects": repeated(b'hello {"a":1} '), "text and braces": repeated(b"text { text "),
    "no numbers": repeated(b'{"a":NaN}\n'), "commas at the end": repeated(b'{"a":1,}\n'),
    "escaped quotes": repeated(b'\\"', OPEN, b'"}}'), "unclosed escaped quotes": repeated(b'\\"', OPEN, b"\n{}\n"),
    "unclosed escaped quotes of an event": repeated(b'\\"', b"data: " + OPEN, b"\n\n"),
    "half surrogates": repeated(b"\\ud83d", OPEN, b'"}}'), "control characters": repeated(b"a\\u0001", OPEN, b'"}}'),
    "raw control characters": repeated(b"a\x01", OPEN, b'"}}'), "a long number": repeated(b"1", b'{"a":', b"}"),
    "marks of order": repeated(b"\xef\xbb\xbf"), "carriage returns": repeated(b"\r"), "tags": repeated(b"<div>"),
    "data lines": repeated(b"data: {}\n"),
    "data of one event": repeated(b'data: "a":1,\n', b"data: {\n", b'data: "b":1}'),
    "error events": repeated(b"event: error\ndata: x\n\n"), "error fields": repeated(b"error: a\n"),
    "comments": repeated(b":\n"), "tiny texts": lines({"delta": {"content": "a"}}),
    "contexts": numbered(lambda number: {"context": {f"k{number}": 1}}, 22),
    "contexts of questions": numbered(lambda number: {"context": {"followup_questions": [f"q{number}?"]}}, 46),
    "contexts of points": lines({"context": {"data_points": [{"id": "a", "content": str(one)} for one in range(10)]}}),
    "points of one name": lambda length: body(
        {"context": {"data_points": [{"id": "a", "content": str(one)} for one in range(length // 24)]}}
    ),
    "points of nothing": lambda length: body({"context": {"data_points": [{}] * (length // 3)}}),
    "thoughts": lambda length: body({"context": {"thoughts": [{"title": "t"}] * (length // 14)}}),
    "written thoughts": lambda length: body({"context": {"thoughts": "a<br>" * (length // 5)}}),
    "thoughts of cells": lambda length: body({"context": {"thoughts": "</td>  </p>  " * (length // 13)}}),
    "question marks": text_of("<<a "),
    "questions": lambda length: delta("".join(f"<<q{n}?>>" for n in range(length // 9))),
    "angles": text_of("< "), "marks in code": text_of("<<a` ", "`"), "spaces": text_of(" "),
    "tools": lines({"choices": [{"delta": {"tool_calls": [{"function": {"name": "a"}}]}}]}),
    "the whole again": lines({"delta": {"content": "a"}}, {"message": ASSISTANT}),
    "the whole again, half surrogates": lines({"delta": {"content": "\ud83d"}}, {"message": ASSISTANT}),
    "growing messages": lines({"choices": [{"messages": [ASSISTANT]}]}),
    "annotations": numbered(lambda number: {"annotation": {"url": f"http://{number}", "title": "t"}}, 50),
    "messages of a response": numbered(
        lambda number: {"type": "response.output_text.done", "output_index": number, "text": "a"}, 70
    ),
    "items of a response": lambda length: b"".join(
        body({"type": "response.output_item.done", "item": {"id": f"m{number}", "content": "a" * 900}}) + b"\n"
        for number in range(length // 1_000)
    ),
    "results of tools": numbered(
        lambda number: {"type": "response.output_item.done",
                        "item": {"type": "function_call_output", "id": str(number), "output": "[1]"}}, 110
    ),
    "errors": numbered(lambda number: {"error": f"e{number}"}, 16),
    "a trace": lambda length: body({"error": "Traceback (most recent call last):" * (length // 34)}),
}  # fmt: skip


def read(content: bytes, size: int) -> Answer:
    framer, reader, builder = Framer(), DialectReader(), AnswerBuilder()
    for at in range(0, len(content), size):
        items = framer.feed(content[at : at + size])
        for event in reader.read_all([item for item in items if isinstance(item, Framed)]):
            builder.add(event)
        builder.answer()
    for event in reader.read_all([item for item in framer.close() if isinstance(item, Framed)]):
        builder.add(event)
    builder.close()
    return builder.answer()


@pytest.mark.parametrize(("family", "size"), combined(8, FAMILIES.values(), [1400, 10_000_000]))
def test_the_cost_of_reading_an_answer_grows_linearly(family: Family, size: int):
    assert_in_proportion(lambda content: read(content, size), LENGTH, made=family)


async def test_others_have_their_turn_during_a_large_reading():
    content = gzip.compress(b"{}\n" * 20_000)
    async with counted_turns() as turns:
        await answer_to(Reply([content], headers={"Content-Encoding": "gzip"}))
    assert turns() > 60_000 // AT_ONCE


@pytest.mark.parametrize("unit", ["\x7f", "a\x80", "\ud800a", "\ud83c\udfd5", "a\r\n", "\u00e9"])
async def test_others_have_their_turn_during_the_cleaning_of_a_context(unit: str):
    values: dict[str, Json] = {"a": unit * 50_000, "b": {"c": [unit * 100] * 500, "d": [None, 1, True, 1e400]}}
    async with counted_turns() as turns:
        assert await clean_object_in_turn(values) == clean_json(values)
    assert turns() > len(unit) * 100_000 // 32_768


def test_a_clean_context_is_not_cleaned_again():
    def worth(*, is_clean: bool) -> float:
        context: JsonObject = {"thoughts": [{"title": "t", "description": [{"a": 1}] * 20_000}]}
        builder = AnswerBuilder(Secrets({"Authorization": "Bearer sk-1234567890abcdefghij"}))
        return cost_of(lambda: builder.add(ContextReceived(context, is_clean=is_clean)))

    assert 10 * min(worth(is_clean=True) for _ in range(3)) < min(worth(is_clean=False) for _ in range(3))


async def test_a_compressed_document_and_an_image_are_decoded_in_turns():
    bomb = Reply([gzip.compress(bytes(30_000_000))], headers={"Content-Encoding": "gzip"})
    async with StandIn(bomb).running() as server, AsyncClient() as client:
        backend, document = Backend(f"{server.url}/chat"), Document("a.txt", "text")
        fetched = await fetch_document(client, backend, document, {}, max_bytes=40_000_000, bounds=Bounds())
        sizes = [len(piece) async for piece in fetched.body]
        async with counted_turns() as turns:
            with pytest.raises(DocumentError, match="larger than the limit of 20 MB"):
                await fetch_image(client, f"{server.url}/a.png", max_bytes=20_000_000, bounds=Bounds())
    assert (sum(sizes), max(sizes) <= 2 * MAX_PIECE) == (30_000_000, True)
    assert turns() > 20_000_000 // MAX_PIECE


def test_a_highly_compressed_body_comes_in_small_pieces():
    bomb = gzip.compress(gzip.compress(bytes(30_000_000)))
    pieces: Iterator[bytes] = ContentDecoder("gzip, gzip").pieces(bomb)
    assert max(map(len, pieces)) <= MAX_PIECE


HOSTILE_WORDS = [
    " ", "<title>", "\t\n", "<p ", "Traceback (most recent call last):\n", " at at", " at a(", "<", "\n", "{}", "1 ",
    "[{},", "<pre>", '{"a":', "[[",
]  # fmt: skip


@pytest.mark.parametrize("unit", thinned(HOSTILE_WORDS, 2))
def test_the_cost_of_an_errors_words_grows_linearly(unit: str):
    def tell(length: int) -> None:
        said = unit * (length // len(unit))
        http_error(500, {}, said.encode(), "http://backend.example")
        http_error(500, {}, body({"error": "x" + said + "x"}), "http://backend.example")
        page_title(said)

    assert_in_proportion(tell, 3_000)
