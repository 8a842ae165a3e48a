"""The question is found in the request of every known backend."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import Attachment, ChatRequest, Message, encode_request
from chat_ui.protocol.dialects.registry import ENDINGS, KNOWN_BACKENDS
from chat_ui.protocol.events import SessionState
from chat_ui.recordings.request_facts import Asked, asked_in, body_of, normalised, request_facts

THREE = ChatRequest(
    (
        Message("system", "Be brief."),
        Message("user", "Who pays?"),
        Message("assistant", "The plan."),
        Message("user", "For all?"),
    )
)
IMAGE = Attachment("a.png", "image/png", b"\x89PNG\r\n--\r\n\r\n" + bytes(range(256)))
TEMPLATES: dict[str, Backend] = {
    **{name: known.template for name, known in KNOWN_BACKENDS.items()},
    **ENDINGS,
    "input": Backend("", messages_key="input"),
}


@pytest.mark.parametrize("name", TEMPLATES)
async def test_the_question_of_every_known_backend_is_found(name: str) -> None:
    template = replace(TEMPLATES[name], url="http://plans.example/chat", model="m")
    form = template.form
    while True:
        backend = replace(template, form=form)
        sent = await encode_request(backend, THREE, stream_flag=True)
        asked = asked_in(body_of(sent.content_type, b"".join(sent.pieces)))
        assert asked is not None
        assert asked.question == "For all?"
        assert asked.place in {2 if backend.history == "full" else 1, None}
        if form is None or form.otherwise is None:
            return
        form = form.otherwise


@pytest.mark.parametrize("files", ["multipart", "multipart-file", "parts", "images"])
async def test_the_question_beside_files_is_found(files: str) -> None:
    backend = Backend("http://plans.example/chat", files=files)  # type: ignore[arg-type]
    asked = ChatRequest((*THREE.messages[:3], Message("user", "And this?", (IMAGE,))))
    sent = await encode_request(backend, asked, stream_flag=None)
    facts = request_facts("POST", backend.url, {"content-type": sent.content_type}, b"".join(sent.pieces)).exchange
    assert (facts.question, facts.place) == ("And this?", 2)


async def test_a_server_that_keeps_the_conversation_is_not_told_of_its_place() -> None:
    known = next(one for one in KNOWN_BACKENDS.values() if one.template.form and "responses" in one.path)
    state = SessionState("previous_response_id", "resp_1")
    asked = replace(THREE, session_state=state)
    sent = await encode_request(replace(known.template, url="http://a/v1/responses"), asked, stream_flag=True)
    assert asked_in(body_of(sent.content_type, b"".join(sent.pieces))) == Asked("For all?", None)


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ({"prompt": "Who?"}, Asked("Who?", None)),
        ({"query": "Who?"}, Asked("Who?", None)),
        ({"question": " Who? ", "history": []}, Asked(" Who? ", None)),
        ({"input": "Who?", "previous_response_id": "r"}, Asked("Who?", None)),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "Who"}, {"a": 1}]}]}, Asked("Who", 1)),
        ({"messages": []}, None),
        ({"messages": [{"role": "system", "content": "Be brief."}]}, None),
        ({"messages": [1, None, {"role": "user"}, {"role": "user", "content": 7}]}, None),
        ({"messages": "Who?"}, None),
        ({"intents": "x", "prompt": ["a"]}, None),
        ({}, None), ([], None), ("Who?", None), (None, None), (3, None),
    ],
)  # fmt: skip
def test_bodies_of_all_shapes(body: object, asked: Asked | None) -> None:
    assert asked_in(body) == asked  # type: ignore[arg-type]


def test_case_and_white_space_do_not_count() -> None:
    assert normalised("  Who\tPAYS for\n\nStraße? ") == normalised("who pays for STRASSE?")


async def test_of_a_long_request_the_question_alone_is_kept() -> None:
    large = Attachment("a.png", "image/png", b"\x89PNG\r\n" + bytes(1024 * 1024))
    backend = Backend("http://plans.example/chat", files="parts")
    sent = await encode_request(backend, ChatRequest((Message("user", "And this?", (large,)),)), stream_flag=None)
    facts = request_facts("POST", backend.url, {"content-type": sent.content_type}, b"".join(sent.pieces)).exchange
    assert (facts.question, facts.place, facts.request) == ("And this?", 1, None)


@pytest.mark.parametrize(
    ("content", "kept"),
    [(b"Who pays?", "Who pays?"), (b"\xff\xfe", None), (b"", None), (b'{"a": 1}', {"a": 1}), (b'"\\ud800"', "\ud800")],
)
def test_a_body_is_kept_as_what_it_is(content: bytes, kept: object) -> None:
    assert request_facts("POST", "http://plans.example/", {}, content).exchange.request == kept
