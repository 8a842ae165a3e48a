from dataclasses import replace

from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.backends.request import encode_request
from chat_ui.protocol.dialects.registry import ENDINGS, KNOWN_BACKENDS
from chat_ui.protocol.events import SessionState
from chat_ui.protocol.recordings.recording_format import Exchange
from chat_ui.protocol.recordings.request_facts import Asked, asked_in, body_of, normalised, request_facts

SAID = {"system": "Be brief.", "user": "Who pays?", "assistant": "The plan."}
THREE = ChatRequest((*(Message(role, text) for role, text in SAID.items()), Message("user", "For all?")))
IMAGE = Attachment("a.png", "image/png", b"\x89PNG\r\n--\r\n\r\n" + bytes(range(256)))
TEMPLATES: dict[str, Backend] = {
    **{name: known.template for name, known in KNOWN_BACKENDS.items()},
    **ENDINGS,
    "input": Backend("", messages_key="input"),
}


async def test_the_question_of_every_known_backend_is_found() -> None:
    for name, template in TEMPLATES.items():
        form = template.request_format
        while True:
            backend = replace(template, url="http://plans.example/chat", model="m", request_format=form)
            sent = await encode_request(backend, THREE, stream_flag=True)
            asked = asked_in(body_of(sent.content_type, b"".join(sent.pieces)))
            assert asked is not None, name
            assert asked.question == "For all?", name
            assert asked.place in {2 if backend.history == "full" else 1, None}, name
            if form is None or form.otherwise is None:
                break
            form = form.otherwise


async def facts_of(asked: ChatRequest, files: str) -> Exchange:
    backend = Backend("http://plans.example/chat", files=files)  # type: ignore[arg-type]
    sent = await encode_request(backend, asked, stream_flag=None)
    return request_facts("POST", backend.url, {"content-type": sent.content_type}, b"".join(sent.pieces)).exchange


async def test_the_question_beside_files_is_found_and_only_it_of_a_long_request() -> None:
    for files in ("multipart", "multipart-file", "parts", "images"):
        facts = await facts_of(ChatRequest((*THREE.messages[:3], Message("user", "And this?", (IMAGE,)))), files)
        assert (facts.question, facts.place) == ("And this?", 2), files
    large = Attachment("a.png", "image/png", b"\x89PNG\r\n" + bytes(1024 * 1024))
    facts = await facts_of(ChatRequest((Message("user", "And this?", (large,)),)), "parts")
    assert (facts.question, facts.place, facts.request) == ("And this?", 1, None)


async def test_a_question_to_a_server_with_memory_has_no_place() -> None:
    known = next(one for one in KNOWN_BACKENDS.values() if one.template.request_format and "responses" in one.path)
    state = SessionState("previous_response_id", "resp_1")
    asked = replace(THREE, session_state=state)
    sent = await encode_request(replace(known.template, url="http://a/v1/responses"), asked, stream_flag=True)
    assert asked_in(body_of(sent.content_type, b"".join(sent.pieces))) == Asked("For all?", None)


def test_a_body_of_any_shape_is_kept_and_its_question_found() -> None:
    for body, asked in (
        ({"prompt": "Who?"}, Asked("Who?", None)),
        ({"query": "Who?"}, Asked("Who?", None)),
        ({"question": " Who? ", "history": []}, Asked(" Who? ", None)),
        ({"input": "Who?", "previous_response_id": "r"}, Asked("Who?", None)),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "Who"}, {"a": 1}]}]}, Asked("Who", 1)),
    ):
        assert asked_in(body) == asked  # type: ignore[arg-type]
    others: list[object] = [
        {"messages": []},
        {"messages": [{"role": "system", "content": "Be brief."}]},
        {"messages": [1, None, {"role": "user"}, {"role": "user", "content": 7}]},
        {"messages": "Who?"},
        {"intents": "x", "prompt": ["a"]},
        *({}, [], "Who?", None, 3),
    ]
    assert [asked_in(body) for body in others] == [None] * len(others)  # type: ignore[arg-type]

    # Case and white space are ignored.
    assert normalised("  Who\tPAYS for\n\nStraße? ") == normalised("who pays for STRASSE?")

    def kept(content: bytes) -> object:
        return request_facts("POST", "http://plans.example/", {}, content).exchange.request

    bodies = {b"Who pays?": "Who pays?", b"\xff\xfe": None, b"": None, b'{"a": 1}': {"a": 1}, b'"\\ud800"': "\ud800"}
    assert {content: kept(content) for content in bodies} == bodies
