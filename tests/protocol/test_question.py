"""Detection finds a place and a form, and the question is asked there once with its own answer."""

from collections.abc import Callable
from typing import Any

import pytest

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.detection.asking import FOUND_ELSEWHERE
from chat_ui.protocol.detection.detection import Detection, detect
from chat_ui.protocol.transport.client import AsyncClient
from tests.commands import run
from tests.made_sets import thinned
from tests.protocol.asking import PATIENT, asked_anywhere, error_of
from tests.stand_ins.lookalikes import FLASK_500, JSON, LOOKALIKES, NOT_FOUND, PAGE, Rule, fastapi, quart
from tests.stand_ins.samples import FILTERED, METHOD_NOT_ALLOWED, rag_postgres, sample_app
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

QUESTION = "What benefits are there?"
ASKED = ChatRequest((Message("user", QUESTION),))
LIMIT = Reply(
    [b"<!DOCTYPE html><html><body><pre>Error: 429 Rate limit reached.</pre></body></html>"], 429,
    {**PAGE, "Retry-After": "7"},
)  # fmt: skip


async def ask(client: AsyncClient, url: str, **backend: Any) -> Answer:
    answer, _ = await asked_anywhere(client, Backend(url, **backend), ASKED)
    return answer


async def asked(rule: Rule, typed: str, **backend: Any) -> tuple[Answer, StandIn]:
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        return await ask(client, stand_in.url + typed, **backend), stand_in


async def detected(rule: Rule, typed: str, **options: Any) -> tuple[Detection, StandIn]:
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        return await detect(client, stand_in.url + typed, **options), stand_in


async def assert_found(rule: Rule, typed: str, path: str) -> None:
    answer, _ = await asked(rule, typed)
    assert (answer.text, answer.error) == ("One pair.", None)
    found, stand_in = await detected(rule, typed)
    assert found.backend is not None
    assert found.backend.url == stand_in.url + path


def questions(stand_in: StandIn) -> list[Received]:
    return [request for request in stand_in.requests if QUESTION.encode() in request.body]


def streamed(stand_in: StandIn) -> list[Received]:
    return [request for request in stand_in.requests if request.path.endswith("/stream")]


async def test_a_response_to_an_empty_body_is_never_an_answer() -> None:
    for typed in ("", "/conversation/"):
        answer, stand_in = await asked(sample_app, typed)
        assert answer.text == f"You asked '{QUESTION}'."
        assert [request.path for request in questions(stand_in)][-1] == "/conversation"
    found, _ = await detected(sample_app, "")
    assert found.answer is not None
    assert found.answer.text == "You asked 'Hello'."


@pytest.mark.parametrize("typed", ["", "/chat/stream"])
async def test_the_last_words_of_the_found_place_are_the_error(typed: str) -> None:
    answer, _ = await asked(rag_postgres, typed)
    assert FILTERED in error_of(answer).message


def unless_empty(reply: Reply) -> Callable[[Any], Reply]:
    return lambda body: reply if body.get("messages") else FLASK_500


@pytest.mark.parametrize("status", thinned([400, 403, 401, 413, 422, 415, 429, 502, 500, 503], one_in=2))
async def test_a_refusal_of_the_found_place_is_told_with_its_words(status: int) -> None:
    refusal = Reply([b'{"error": "Come back at noon."}'], status, {**JSON, "Retry-After": "7"})
    rule = quart(dict.fromkeys(["/api/chat/", "/api/chat/stream"], unless_empty(refusal)), slash=True)
    answer, stand_in = await asked(rule, "")
    assert "Come back at noon." in error_of(answer).message
    assert (error_of(answer).status, error_of(answer).retry_after) == (status, 7)
    assert len(questions(stand_in)) <= 3


async def test_a_retry_goes_to_the_found_place_in_the_found_form() -> None:
    rule = quart(dict.fromkeys(["/api/chat/", "/api/chat/stream"], unless_empty(LIMIT)), slash=True)
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        first = await ask(client, stand_in.url)
        before = len(stand_in.requests)
        again = await ask(client, stand_in.url)
        paths = [request.path for request in stand_in.requests[before:]]
    assert error_of(first).retry_after == error_of(again).retry_after == 7
    assert "Rate limit reached." in error_of(first).message
    assert "Nothing was found at" not in error_of(first).message
    assert paths == ["/api/chat/stream"]
    async with StandIn(rag_postgres).running() as stand_in, AsyncClient(PATIENT) as client:
        await ask(client, stand_in.url)
        before = len(stand_in.requests)
        for typed in ("", "/chat"):
            answer = await ask(client, stand_in.url + typed)
            assert FILTERED in error_of(answer).message
        assert [request.path for request in stand_in.requests[before:]] == ["/chat/stream", "/chat/stream"]


async def test_a_moved_place_is_searched_again() -> None:
    places = ["/chat", "/api/chat"]

    def moving(request: Received) -> Reply:
        answer = Reply([lines({"delta": {"content": "One pair."}})])
        return fastapi({places[0]: lambda _: answer}, ["messages"])(request)

    async with StandIn(moving).running() as stand_in, AsyncClient(PATIENT) as client:
        for _ in range(2):
            assert (await ask(client, stand_in.url)).text == "One pair."
            places.reverse()


KEY_ERRORS: dict[str, Reply] = {
    "a page": FLASK_500,
    "a page that names the key": Reply([b"<!doctype html><title>KeyError: 'input'</title>"], 500, PAGE),
    "plain text": Reply([b"Internal Server Error"], 500, {"Content-Type": "text/plain"}),
    "JSON": Reply([b'{"error": "Internal Server Error"}'], 500, JSON),
    "JSON that names the key": Reply([b'{"error": "\'input\'"}'], 500, JSON),
    "a schema": Reply([b'{"message": "body must have required property \'input\'"}'], 400, JSON),
}


@pytest.mark.parametrize(("refusal", "typed"), list(zip(KEY_ERRORS, ["", "/chat", "/chat/stream"] * 2, strict=True)))
async def test_the_same_forms_are_tried_by_endpoint_and_by_base_url(refusal: str, typed: str) -> None:
    answered = Reply([lines({"type": "response.output_text.delta", "delta": "One pair."})])
    rule = quart({"/chat/stream": lambda body: answered if body.get("input") else KEY_ERRORS[refusal]})
    answer, stand_in = await asked(rule, typed)
    assert (answer.text, answer.error) == ("One pair.", None)
    assert "input" in stand_in.requests[-1].json


async def test_a_refused_guess_does_not_hide_the_refusal_before_it() -> None:
    broken = dict.fromkeys(["/chat", "/chat/stream"], lambda body: KEY_ERRORS["plain text"])
    answer, stand_in = await asked(fastapi(broken, ["messages"]), "/chat")
    assert error_of(answer).status == 500
    assert len(questions(stand_in)) == 2


@pytest.mark.parametrize(("status", "typed"), [(400, ""), (422, "/chat/stream"), (500, "")])
async def test_the_words_of_a_guess_are_the_error(status: int, typed: str) -> None:
    refusal = Reply([b'{"error": "Come back at noon."}'], status, JSON)
    rule = quart({"/chat/stream": lambda body: refusal if body.get("input") else FLASK_500})
    answer, _ = await asked(rule, typed)
    assert "Come back at noon." in error_of(answer).message


async def test_a_worded_or_empty_error_is_not_answered_with_another_form() -> None:
    for said in ([], [b'{"error": "The app encountered an error processing your request."}']):
        answer, stand_in = await asked(Reply(said, 500, JSON), "/chat")
        assert (error_of(answer).status, len(stand_in.requests)) == (500, 1)


@pytest.mark.parametrize("typed", ["/api", "/chta", "/api/chat/stream"])
async def test_a_backend_at_the_root_is_found_from_another_path(typed: str) -> None:
    await assert_found(LOOKALIKES["chat-app-protocol"][1], typed, "/chat")


@pytest.mark.parametrize("typed", ["", "/v1", "/v1/chat/completions"])
async def test_a_not_found_message_with_status_200_is_believed(typed: str) -> None:
    def lm_studio(request: Received) -> Reply:
        if request.path.startswith("/v1/"):
            return LOOKALIKES["openai-compatible"][1](request)
        said = f"Unexpected endpoint or method. ({request.method} {request.path}). Returning 200 anyway"
        return Reply([lines({"error": said})], headers=JSON)

    answer, _ = await asked(lm_studio, typed)
    assert (answer.text, answer.error) == ("One pair.", None)


async def test_a_web_page_as_answer_is_told() -> None:
    def site(request: Received) -> Reply:
        return ROOTS["a page"] if request.method == "GET" else METHOD_NOT_ALLOWED

    found, _ = await detected(site, "/chta")
    assert "returns a web page titled “Harbour”" in error_of(found).message
    assert "such as" not in error_of(found).message
    assert "/api/chat" in error_of(found).message


ROOTS: dict[str, Reply] = {
    "a page": Reply([b"<!doctype html><html><title>Harbour</title></html>"], 200, PAGE),
    "a redirect": Reply([], 302, {"Location": "/app"}),
    "forbidden": Reply([b"<Error><Code>MethodNotAllowed</Code></Error>"], 403, {"Content-Type": "application/xml"}),
    "not JSON": Reply([], 415),
    "no method": METHOD_NOT_ALLOWED,
    "not implemented": Reply([b"<!doctype html><title>Error response</title>"], 501, PAGE),
}


@pytest.mark.parametrize("root", ROOTS)
async def test_a_backend_is_found_below_a_foreign_root(root: str) -> None:
    def reply(request: Received) -> Reply:
        is_chat = request.path in {"/chat", "/chat/stream"}
        return LOOKALIKES["chat-app-protocol"][1](request) if is_chat else ROOTS[root]

    answer, _ = await asked(reply, "")
    assert (answer.text, answer.error) == ("One pair.", None)


async def test_a_place_that_only_seems_to_take_questions_is_skipped() -> None:
    api = fastapi({"/api/chat": lambda _: Reply([lines({"delta": {"content": "One pair."}})])}, ["messages"])

    def reply(request: Received) -> Reply:
        return Reply([], 204, {"Allow": "GET, POST, OPTIONS"}) if request.method == "OPTIONS" else api(request)

    await assert_found(reply, "", "/api/chat")


async def test_a_missing_backend_is_told_with_the_address_and_places_asked_once() -> None:
    answer, stand_in = await asked(lambda _: NOT_FOUND, "/agent")
    assert (error_of(answer).status, "/agent" in error_of(answer).message) == (404, True)
    sent = [(request.method, request.path) for request in stand_in.requests]
    assert len(sent) == len(set(sent))

    # A missing model is not a missing place.
    said = {"message": "The model `large-9` does not exist", "code": "model_not_found"}
    answer, stand_in = await asked(Reply([lines({"error": said})], 404, JSON), "/v1/chat/completions", model="large-9")
    assert error_of(answer).code == "model_not_found"
    assert len(stand_in.requests) == 1


BOTH_WAYS: dict[str, Callable[[Any], Reply]] = {
    "/chat": lambda body: Reply([b'{"message": {"role": "assistant", "content": "One pair."}}'], headers=JSON),
    "/chat/stream": lambda body: Reply([lines({"delta": {"content": "One pair."}})]),
}


async def test_a_whole_answer_is_requested_also_after_a_search() -> None:
    rule = fastapi(BOTH_WAYS, ["messages"])
    for typed in ("/", "/chat/stream"):
        answer, stand_in = await asked(rule, typed, stream=False)
        found, tested = await detected(rule, typed, stream=False)
        assert answer.text == (found.answer and found.answer.text) == "One pair."
        assert streamed(stand_in) == streamed(tested) == []
    for name in ("azure-search-openai-demo-2024-01", "openai-compatible", "ollama"):
        answer, stand_in = await asked(LOOKALIKES[name][1], "", stream=False)
        assert "One pair" in answer.text
        assert [request.json["stream"] for request in questions(stand_in) if request.json.get("stream")] == []


async def test_no_stream_on_the_command_line_streams_nothing_after_a_search() -> None:
    async with StandIn(fastapi(BOTH_WAYS, ["messages"])).running() as stand_in:
        ran = await run("ask", stand_in.url, QUESTION, "--no-stream")
    assert (ran.status, ran.out, streamed(stand_in)) == (0, "One pair.\n", [])


async def test_a_streaming_backend_answers_also_if_a_whole_answer_is_wanted() -> None:
    answer, _ = await asked(LOOKALIKES["openai-chat-app-quickstart"][1], "", stream=False)
    assert answer.text == "One pair."
    assert FOUND_ELSEWHERE in {warning.code for warning in answer.warnings}


async def test_a_profiles_settings_stay_where_its_backend_is_found() -> None:
    async with (
        StandIn(LOOKALIKES["rag-postgres-openai-python"][1]).running() as stand_in,
        AsyncClient(PATIENT) as client,
    ):
        backend = Backend(stand_in.url, profile="own:1", documents="{origin}/files/{source}", extra_body={"n": 1})
        for _ in range(2):
            _, heard = await asked_anywhere(client, backend, ASKED)
            assert (heard.profile, heard.documents, heard.url) == ("own:1", backend.documents, stand_in.url + "/chat")
    assert all(request.json["n"] == 1 for request in questions(stand_in))


def aspnet(request: Received) -> Reply:
    """ASP.NET: a ProblemDetails names the missing values."""
    if request.path not in {"/api/chat", "/api/chat/stream"}:
        return Reply([], 404)
    if request.method != "POST":
        return Reply([], 405, {"Allow": "POST"})
    if "messages" not in request.json:
        said = {"title": "One or more errors.", "errors": {"Messages": ["The Messages field is required."]}}
        return Reply([lines(said)], 400, {"Content-Type": "application/problem+json"})
    return Reply([b'{"title": "Too many", "status": 429, "detail": "Rate limit reached."}'], 429, JSON)


@pytest.mark.parametrize("typed", ["", "/api", "/api/chat"])
async def test_an_error_of_a_backend_in_c_sharp_is_told(typed: str) -> None:
    answer, _ = await asked(aspnet, typed)
    assert "Rate limit reached." in error_of(answer).message
