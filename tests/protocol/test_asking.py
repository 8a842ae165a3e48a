"""Questions to addresses that are not exactly the backend's."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import pytest

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend, ChatRequest
from chat_ui.protocol.conformance.examination import check
from chat_ui.protocol.detection.asking import FOUND_ELSEWHERE, answer_anywhere, ask_anywhere
from chat_ui.protocol.detection.detection import detect
from chat_ui.protocol.events import AnswerWarning, DialectDetected, Event, Failed, TextDelta, Timing
from chat_ui.protocol.transport.client import AsyncClient
from tests.made_sets import thinned
from tests.protocol.asking import PATIENT, QUESTION, asked, error_of
from tests.stand_ins.counted import Counted
from tests.stand_ins.lookalikes import FOUND_FROM_THEIR_BASE, LOOKALIKES, SSE, Rule, fastapi
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

HELLO = {"content": "Hello."}
Ask: TypeAlias = Callable[[AsyncClient, Backend, ChatRequest], Awaitable[Answer]]


async def asked_anywhere(client: AsyncClient, backend: Backend | str, request: ChatRequest = QUESTION) -> Answer:
    answer, _ = await answer_anywhere(client, Backend(backend) if isinstance(backend, str) else backend, request)
    return answer


@pytest.mark.parametrize("name", thinned(FOUND_FROM_THEIR_BASE, 5))
async def test_a_base_url_leads_to_one_answer_with_a_warning_of_the_place(name: str) -> None:
    path, rule = LOOKALIKES[name]
    counted = Counted(rule)
    async with StandIn(counted).running() as stand_in, AsyncClient(PATIENT) as client:
        first = await asked_anywhere(client, stand_in.url)
        looked = len(stand_in.requests)
        again = await asked_anywhere(client, stand_in.url)
    assert ("One pair" in first.text, "One pair" in again.text, first.error) == (True, True, None)
    assert counted.answered == 2
    [warning] = [warning for warning in first.warnings if warning.code == FOUND_ELSEWHERE]
    assert "found at " + (stand_in.url + path).rstrip("/") in warning.detail
    assert f"POST {stand_in.url}" in warning.detail
    assert FOUND_ELSEWHERE not in {warning.code for warning in again.warnings}
    assert len(stand_in.requests) <= looked + 2


@pytest.mark.parametrize("typed", ["", "/nowhere"])
async def test_the_first_refusal_stays_with_the_searched_places(
    typed: str,
) -> None:
    async with StandIn(Reply([b"gone"], status=404)).running() as stand_in, AsyncClient(PATIENT) as client:
        error = error_of(await asked_anywhere(client, stand_in.url + typed))
        assert client.learnt.found_for(Backend(stand_in.url + typed)) is None
        posted = {request.path for request in stand_in.requests if request.method == "POST"}
    assert error.status == 404
    assert error.message.startswith("The backend answered with status 404: gone. ")
    _, looked = error.message.split("; tried ")
    places, advice = looked.split(". ", 1)
    assert (set(places.split(", ")), advice) == (posted, "Check the host, the port and the path.")


async def test_a_missing_page_is_reported_once_with_the_searched_places() -> None:
    async with StandIn(Reply([b"Not Found"], status=404)).running() as stand_in, AsyncClient(PATIENT) as client:
        error = error_of(await asked_anywhere(client, f"{stand_in.url}/foo/chat"))
    assert error.message.startswith(f"No chat backend was found at {stand_in.url}/foo/chat; tried ")
    assert "404" not in error.message


CHATKIT = {"detail": "1 validation error for tagged-union[ThreadsCreateReq,ThreadsListReq]\n  Unable to extract tag"}
MISSES_ASSISTANT = {"detail": [{"loc": ["body", "assistant_id"], "msg": "Field required"}]}
OTHER_FORMATS = [
    ("ChatKit", "/chatkit", Reply([b"Internal Server Error"], 500)),
    ("ChatKit", "/support/chatkit", Reply([], 500)),
    ("ChatKit", "/chatkit/", Reply([b"<h1>Internal Server Error</h1>"], 500)),
    ("ChatKit", "/agent", Reply([lines(CHATKIT)], 400)),
]


async def test_a_server_of_another_format_is_named_after_one_question() -> None:
    for server, path, refusal in OTHER_FORMATS:
        answer, stand_in = await asked(refusal, path, streaming="body")
        assert len(stand_in.requests) == 1
        named = f"{stand_in.url}{path} is a {server} server, and this page does not read its format."
        assert error_of(answer).message.startswith(named)


@pytest.mark.parametrize(("server", "path", "refusal"), OTHER_FORMATS[:1])
async def test_a_server_of_another_format_is_named_from_its_base_url(server: str, path: str, refusal: Reply) -> None:
    at = f"/app{path}"
    places = (at, at.removesuffix("/stream"))
    rule: Rule = lambda request: refusal if request.path in places else Reply([b"no"], 404)  # noqa: E731
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        answer = await asked_anywhere(client, f"{stand_in.url}/app")
        found = await detect(client, stand_in.url + at)
        report = await check(client, stand_in.url + at)
    assert found.backend is None
    named = f"{stand_in.url}{at} is a {server} server, and this page does not read its format."
    for told in (error_of(answer).message, error_of(found).message, report.verdict):
        assert named in told


async def test_an_ordinary_backend_is_not_taken_for_another_format() -> None:
    refusals: list[tuple[str, int, dict[str, object]]] = [
        ("/bot", 422, MISSES_ASSISTANT),
        ("/v1/threads/t-1/runs", 422, MISSES_ASSISTANT),
        ("/bot", 404, {"detail": "No assistant found for this tenant"}),
        ("/bot", 500, {"error": "client.beta.threads.create() failed: no credit is left"}),
        ("/not-chatkit", 500, {"error": "Internal Server Error"}),
        ("/chatkit", 500, {"error": "No credit is left."}),
    ]
    for path, status, said in refusals:
        answer, _ = await asked(Reply([lines(said)], status), path)
        error = error_of(answer)
        assert ("its format" in error.message, error.code == "other_format") == (False, False)
        assert str(said.get("error", "")) in error.message


RUN = [{"type": "RUN_STARTED", "threadId": "t-1", "runId": "r"},
       {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi."},
       {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r"}]  # fmt: skip
AGENT = Reply([b"".join(b"data: " + lines(event) + b"\n" for event in RUN)], headers=SSE)


@pytest.mark.parametrize("ask", [asked_anywhere, AsyncClient.ask])
async def test_an_agents_first_answer_sets_the_form_of_the_next_question(ask: Ask) -> None:
    async with (
        StandIn(fastapi({"/": lambda _: AGENT}, ["messages"])).running() as stand_in,
        AsyncClient(PATIENT) as client,
    ):
        backend = Backend(stand_in.url + "/", name="Agent", headers={"X-Team": "a"})
        first = await ask(client, backend, QUESTION)
        before = len(stand_in.requests)
        again = replace(QUESTION, session_state=first.session_state)
        second = await ask(client, backend, again)
        [request] = stand_in.requests[before:]
        described = await ask(client, replace(backend, streaming="body"), QUESTION)
    assert (first.text, second.text, described.text) == ("Hi.", "Hi.", "Hi.")
    assert (request.path, request.headers["x-team"]) == ("/", "a")
    assert (request.json["threadId"], request.json["state"]) == ("t-1", {})
    assert request.json["runId"]
    assert "threadId" not in stand_in.requests[-1].json


async def test_a_learnt_form_belongs_to_its_person_and_configuration() -> None:
    key = "a-key-of-somebody-0123456789"
    async with (
        StandIn(fastapi({"/": lambda _: AGENT}, ["messages"])).running() as stand_in,
        AsyncClient(PATIENT) as client,
    ):
        backend = Backend(stand_in.url + "/", extra_body={"secret": key}).with_api_key(key)
        await asked_anywhere(client.for_person("a"), backend)
        assert key not in repr(list(client.learnt._found._values.items()))
        others = [replace(backend, headers={}), replace(backend, extra_body={}), replace(backend, profile="another")]
        assert client.for_person("a").learnt.found_for(backend) is not None
        assert [client.for_person("a").learnt.found_for(other) for other in others] == [None, None, None]
        assert client.for_person("b").learnt.found_for(backend) is None


async def test_a_model_listed_for_one_key_is_not_used_with_another() -> None:
    def rule(request: Received) -> Reply:
        whose = request.headers.get("authorization", "").removeprefix("Bearer ")
        if request.path == "/v1/models":
            return Reply([lines({"data": [{"id": f"model-of-{whose}"}]})])
        if request.path != "/v1/chat/completions":
            return Reply([b"no"], 404)
        asked_for = request.json.get("model")
        return Reply([lines({"delta": HELLO})]) if asked_for == f"model-of-{whose}" else Reply([b"model required"], 400)

    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        for key in ("a", "b"):
            await asked_anywhere(client, Backend(stand_in.url).with_api_key(key), QUESTION)
            assert stand_in.requests[-1].json["model"] == f"model-of-{key}"


DICTIONARY = {"detail": [{"loc": ["body", "context"], "msg": "Input should be a valid dictionary"}]}
OF_AI_SDK = {**SSE, "x-vercel-ai-ui-message-stream": "v1"}
PART = b'data: {"type":"text-delta","id":"t","delta":"Hi."}\n\ndata: {"type":"finish"}\n\n'


def at_root_alone(refusal: Reply, request: Received) -> Reply:
    """An agent that does not take a run's input."""
    if request.path != "/":
        return Reply([b"no"], 404)
    return refusal if "threadId" in request.json else AGENT


def at_chat_alone(request: Received) -> Reply:
    """A backend that answers as the AI SDK does, and takes messages with a content."""
    if request.path != "/chat" or request.method != "POST":
        return Reply([b"no"], 404)
    is_plain = [message for message in request.json.get("messages", []) if "content" in message]
    return Reply([PART], headers=OF_AI_SDK) if is_plain else Reply([b"content required"], 422)


@pytest.mark.parametrize(("rule", "path"), [
    (partial(at_root_alone, Reply([lines(DICTIONARY)], 422)), "/"),
    (partial(at_root_alone, Reply([b"Internal Server Error"], 500)), "/"),
    (at_chat_alone, ""),
])  # fmt: skip
async def test_a_refused_learnt_form_is_replaced_by_the_working_one(rule: Rule, path: str) -> None:
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        answers = [await asked_anywhere(client, stand_in.url + path) for _ in range(2)]
        before = len(stand_in.requests)
        answers += [await asked_anywhere(client, stand_in.url + path)]
    assert [(answer.text, answer.error) for answer in answers] == [("Hi.", None)] * 3
    assert len(stand_in.requests) == before + 1


async def test_messages_of_another_shape_are_not_sent_to_a_plain_backend() -> None:
    rule: Rule = lambda one: Reply([PART], headers=OF_AI_SDK) if one.path == "/bot" else Reply([b""], 404)  # noqa: E731
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        for _ in range(2):
            assert (await client.ask(Backend(stand_in.url + "/bot"), QUESTION)).text == "Hi."
    assert [request.path for request in stand_in.requests] == ["/bot/stream", "/bot", "/bot"]
    assert stand_in.requests[-1].json["messages"] == [{"content": "Who pays for glasses?", "role": "user"}]


@pytest.mark.parametrize("ask", [asked_anywhere, AsyncClient.ask])
async def test_a_new_backend_at_an_address_is_asked_in_its_form(ask: Ask) -> None:
    replies = [AGENT]
    rule: Rule = lambda request: replies[0] if request.path == "/" else Reply([b"no"], 404)  # noqa: E731
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        for one in (AGENT, *(Reply([b"no"], status) for status in (401, 429, 503)), AGENT):
            replies[:] = [one]
            await ask(client, Backend(stand_in.url + "/"), QUESTION)
        assert "threadId" in stand_in.requests[-1].json
        replies[:] = [Reply([lines({"delta": HELLO})])]
        await ask(client, Backend(stand_in.url + "/"), QUESTION)
        answer = await ask(client, Backend(stand_in.url + "/"), QUESTION)
    assert (answer.text, "threadId" in stand_in.requests[-1].json) == ("Hello.", False)


async def test_a_learnt_form_is_forgotten_once_it_fails() -> None:
    places = ["/chat/stream"]

    def moves(request: Received) -> Reply:
        return Reply([lines({"delta": HELLO})]) if request.path in places else Reply([b"no"], 404)

    async with StandIn(moves).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = Backend(stand_in.url + "/chat")
        answers = [await client.ask(backend, QUESTION)]
        places[:] = ["/chat"]
        answers += [await client.ask(backend, QUESTION), await client.ask(backend, QUESTION)]
    assert [answer.text for answer in answers] == ["Hello.", "", "Hello."]


async def test_a_refusal_unrelated_to_the_place_is_not_retried() -> None:
    refusal = Reply([lines({"error": "The key is wrong."})], 401)
    async with StandIn(refusal).running() as stand_in, AsyncClient(PATIENT) as client:
        answer = await asked_anywhere(client, stand_in.url + "/chat")
    assert (error_of(answer).status, len(stand_in.requests)) == (401, 1)


async def test_each_event_is_taken_once_and_those_of_skipped_places_not() -> None:
    def rule(request: Received) -> Reply:
        if request.path.startswith("/api/chat"):
            return Reply([b"oops\n", lines(*({"delta": {"content": text}} for text in "ABC"))])
        return Reply([b"gone\n"], status=404)

    taken: list[Event] = []
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        await ask_anywhere(client, Backend(stand_in.url), QUESTION, taken.append)
    warnings = [event.code for event in taken if isinstance(event, AnswerWarning)]
    assert warnings == ["not_json", FOUND_ELSEWHERE]
    assert "".join(event.text for event in taken if isinstance(event, TextDelta)) == "ABC"
    kinds = [type(event) for event in taken]
    assert (kinds.count(DialectDetected), kinds.count(Timing), kinds.count(Failed)) == (1, 1, 0)
    assert isinstance(taken[-1], AnswerWarning)


async def test_a_root_that_always_answers_with_its_health_is_not_a_backend() -> None:
    said = {"/api/chat": {"message": {"role": "assistant", "content": "Two a year."}}, "/": {"status": "ok"}}
    rule: Rule = lambda one: Reply([lines(said[one.path])]) if one.path in said else Reply([b"no"], 404)  # noqa: E731
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        answer = await asked_anywhere(client, stand_in.url)
    assert (answer.text, answer.error) == ("Two a year.", None)


async def test_a_content_filters_words_do_not_change_later_questions() -> None:
    def rule(request: Received) -> Reply:
        asked = request.json["messages"][-1]
        if "content" not in asked:
            return Reply([lines({"error": "messages[0].content is required"})], 400)
        filtered = {"error": {"message": "Parts of the prompt were filtered: run_id 7, thread_id 9."}}
        return Reply([lines(filtered)], 400) if len(stand_in.requests) == 1 else Reply([lines({"delta": HELLO})])

    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        refused, answered = [await asked_anywhere(client, stand_in.url + "/chat") for _ in range(2)]
    assert "were filtered" in error_of(refused).message
    assert answered.text == "Hello."
    assert len(stand_in.requests) == 2


async def test_a_form_that_is_also_refused_is_not_kept() -> None:
    def rule(request: Received) -> Reply:
        is_plain = "content" in request.json["messages"][-1]
        if is_plain and len(stand_in.requests) > 2:
            return Reply([lines({"delta": HELLO})])
        return Reply([lines({"error": "'parts' is what this tool wants" if is_plain else "no content"})], 400)

    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        refused, answered = [await asked_anywhere(client, stand_in.url + "/chat") for _ in range(2)]
    assert refused.error is not None
    assert answered.text == "Hello."


async def test_text_reclassified_as_thinking_teaches_nothing() -> None:
    thought = lines({"delta": {"content": "I think."}}, {"delta": {"content": "</think>"}})
    async with StandIn(Reply([thought])).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = Backend(stand_in.url + "/chat")
        answer = await client.ask(backend, QUESTION)
        assert (answer.text, client.learnt.found_for(backend)) == ("", None)
