import json
import math
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from chat_ui.protocol.backends.backend import ChatRequest, Message
from chat_ui.protocol.detection.detection import Detection, detect, places
from chat_ui.protocol.detection.question import OF_LANGGRAPH
from chat_ui.protocol.detection.requests import Requests
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS, described, known_at
from chat_ui.protocol.transport.client import AsyncClient
from tests.made_sets import combined
from tests.protocol.asking import PATIENT, backend_of, error_of
from tests.stand_ins.counted import Counted
from tests.stand_ins.lookalikes import AGENTS, FLASK_500, JSON, LOOKALIKES, PAGE, Rule, fastapi, quart
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

KEY = {"api-key": "k-123456"}
TURNS = (Message("user", "Hi"), Message("assistant", "Hello"), Message("user", "Who pays?"))
HELLO = Reply([lines({"delta": {"content": "Hello."}})])


async def detected(rule: Rule, typed: str, **options: Any) -> tuple[Detection, StandIn, int]:
    counted = Counted(rule)
    async with StandIn(counted).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, stand_in.url + typed, headers=KEY, **options)
    return found, stand_in, counted.answered


def typings(path: str) -> list[str]:
    """The notations of an endpoint as people type them."""
    bare, _, query = path.partition("?")
    if bare.startswith("/knowledgebases"):
        return [path, bare, bare.removesuffix("/retrieve")]
    if query:
        return [path]
    if bare.startswith("/api/projects/"):
        return [bare, bare + "/", bare.removesuffix("/responses"), bare.removesuffix("/openai/v1/responses")]
    bare = bare.rstrip("/")
    ways = [bare, bare + "/", "", "/"]
    return ways if bare == "/conversation" or bare.startswith("/v1") else [*ways, bare + "/stream"]


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        pytest.param(name, typed, marks=() if number == place % len(typings(path)) else pytest.mark.thorough)
        for place, (name, (path, _)) in enumerate(LOOKALIKES.items())
        for number, typed in enumerate(typings(path))
    ],
)
async def test_each_known_backend_is_found_from_any_of_its_urls_and_answers(name: str, typed: str) -> None:
    path, rule = LOOKALIKES[name]
    counted = Counted(rule)
    async with StandIn(counted).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, stand_in.url + typed, headers=KEY)
        assert (found.error, found.known_backend) == (None, name.partition(",")[0])
        backend = backend_of(found)
        assert backend.url == stand_in.url + path
        assert found.answer is not None
        assert "One pair" in found.answer.text
        looked = len(stand_in.requests)
        # The place of LangGraph's server is the last.
        assert looked == len(found.requests) <= (17 if name == "langgraph" else 12)
        assert counted.answered == 1
        by_path = stand_in.requests[-1].path.partition("?")[0].endswith("/stream")
        takes_all = backend.known_overrides is None or "temperature" in backend.known_overrides
        answer = await client.ask(backend, ChatRequest(TURNS, {"temperature": 0.3} if takes_all else {}))
    assert answer.error is None
    assert "One pair" in answer.text
    assert len(stand_in.requests) == looked + 1
    streaming = KNOWN_BACKENDS[name.partition(",")[0]].template.streaming
    assert backend.streaming == (streaming if streaming != "auto" else "path" if by_path else "body")


@pytest.mark.parametrize(("name", "slash"), combined(2, AGENTS, ["", "/"]))
async def test_an_agent_is_found_from_its_address_and_asked_once(name: str, slash: str) -> None:
    path, rule = AGENTS[name]
    counted = Counted(rule)
    async with StandIn(counted).running() as stand_in, AsyncClient(PATIENT) as client:
        found = await detect(client, stand_in.url + path.rstrip("/") + slash)
        assert (found.error, found.known_backend) == (None, "ag-ui")
        assert backend_of(found).url == stand_in.url + path
        assert counted.answered == 1
        looked = len(stand_in.requests)
        assert looked <= 12
        answer = await client.ask(backend_of(found), ChatRequest(TURNS))
    assert "One pair" in answer.text
    assert len(stand_in.requests) == looked + 1
    assert stand_in.requests[-1].json["messages"][-1]["content"] == "Who pays?"


async def test_an_agent_that_refuses_an_empty_body_is_asked_once_in_its_form() -> None:
    half = lines({"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
                 {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "One "},
                 {"type": "RUN_ERROR", "message": "threadId is required"})  # fmt: skip
    path, adk = AGENTS["Google ADK"]
    for rule, place, status, words in (
        (adk, path, None, ""),
        (fastapi({"/agent": lambda _: Reply([half])}, ["messages"]), "/agent", None, "threadId is required"),
        (quart({"/agui": lambda _: FLASK_500}), "/agui", 500, ""),
    ):
        found, stand_in, _ = await detected(rule, place)
        questions = [request for request in stand_in.requests if b"Hello" in request.body]
        assert [request.path for request in questions if request.path != "/agent/stream"] == [place]
        if words or status:
            assert (words in error_of(found).message, error_of(found).status) == (True, status)
            assert (found.answer.text if found.answer else "") == ("One " if words else "")


async def test_a_refusal_of_both_forms_is_told_in_words() -> None:
    def refuse(request: Received) -> Reply:
        if request.method != "POST":
            return Reply([], 405, {**JSON, "Allow": "POST"})
        said = lines({"detail": [{"loc": ["body", "threadId"], "msg": "No such thread"}]})
        return Reply([said], 422, JSON) if request.path == "/agent" else Reply([b"{}"], 404, JSON)

    found, stand_in, _ = await detected(refuse, "/agent")
    assert "body.threadId: No such thread" in error_of(found).message
    assert len([request for request in stand_in.requests if b"Hello" in request.body]) <= 3


@pytest.mark.parametrize(
    ("kind", "place"),
    [("ag-ui", "/agui"), ("ag-ui", "/app/ag-ui"), ("ag-ui", "/agent"), ("openai-responses", "/app/responses")],
)
async def test_an_agent_is_found_below_its_base_url(kind: str, place: str) -> None:
    usual, rule = LOOKALIKES[kind]
    base = place.rpartition("/")[0]
    paths = {place: usual, base + "/models": "/v1/models"}

    def moved(request: Received) -> Reply:
        known = paths.get(request.path)
        return rule(replace(request, path=known)) if known else Reply([b"no"], 404)

    found, stand_in, answered = await detected(moved, base)
    assert (found.error, found.known_backend, answered) == (None, kind, 1)
    assert backend_of(found).url == stand_in.url + place


AGENT = "/api/projects/docs/agents/guide/endpoint/protocols/openai"
OLDER = "/api/projects/docs/applications/guide/protocols/openai"
VERSION = "?api-version=v1"


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        *(
            (AGENT + more, f"{AGENT}/responses{VERSION}")
            for more in ("", "/", "/responses", VERSION, f"/responses{VERSION}")
        ),
        (f"{OLDER}?api-version=2025-11-15-preview", f"{OLDER}/responses?api-version=2025-11-15-preview"),
        (OLDER, f"{OLDER}/responses{VERSION}"),
    ],
)
async def test_an_agents_endpoint_in_foundry_is_asked_at_once_without_its_name(typed: str, asked: str) -> None:
    _, rule = LOOKALIKES["foundry-agent-endpoint"]

    def moved(request: Received) -> Reply:
        return rule(replace(request, path=f"{AGENT}/responses{VERSION}" if request.path == asked else request.path))

    found, stand_in, answered = await detected(moved, typed)
    assert (found.error, found.known_backend, answered) == (None, "foundry-agent-endpoint", 1)
    assert backend_of(found).url == stand_in.url + asked
    assert {request.method for request in stand_in.requests} == {"OPTIONS", "POST"}


async def test_attempts_are_announced_and_told_in_order() -> None:
    announced: list[tuple[str, str]] = []
    rule = LOOKALIKES["rag-postgres-openai-python"][1]
    found, stand_in, _ = await detected(rule, "", on_request=lambda method, url: announced.append((method, url)))
    assert announced == [(sent.method, sent.url) for sent in found.requests]
    assert [(sent.method, sent.url.removeprefix(stand_in.url), sent.status) for sent in found.requests] == [
        ("OPTIONS", "/chat", 405), ("POST", "/chat/stream", 422), ("POST", "/chat/stream", 200),
    ]  # fmt: skip
    first, second, third = (sent.outcome for sent in found.requests)
    assert (first, "context" in second, third) == ("takes POST", True, "answered in the dialect responses")
    found, stand_in, _ = await detected(LOOKALIKES["microsoft-python"][1], "/api/chat")
    assert found.requests[0].outcome == f"moved to {stand_in.url}/api/chat/"


async def test_the_first_listed_model_is_asked_unless_another_is_named() -> None:
    found, _, _ = await detected(LOOKALIKES["openai-compatible"][1], "/v1")
    assert (found.models, backend_of(found).model) == (("small-1", "large-1"), "small-1")
    found, stand_in, _ = await detected(LOOKALIKES["openai-compatible"][1], "/v1", model="large-1")
    assert backend_of(found).model == stand_in.requests[-1].json["model"] == "large-1"

    def listing(models: Reply, request: Received) -> Reply:
        return models if request.path == "/v1/models" else LOOKALIKES["openai-compatible"][1](request)

    for listed, models, outcome in LISTS:
        found, *_ = await detected(partial(listing, listed), "/v1")
        assert found.models == models
        assert [sent.outcome for sent in found.requests if sent.method == "GET"] == [outcome]


async def test_a_search_ends_after_one_attempt_without_a_server_or_at_its_limit() -> None:
    async with AsyncClient(PATIENT) as client:
        found = await detect(client, "http://127.0.0.1:1")
    assert (found.backend, error_of(found).code, len(found.requests)) == (None, "unreachable", 1)
    found, stand_in, _ = await detected(lambda _: Reply(status=404), "", max_requests=4)
    assert [request.method for request in stand_in.requests] == ["OPTIONS", "OPTIONS", "GET", "POST"]
    assert f"No chat backend was found at {stand_in.url}; tried /chat." in error_of(found).message


def leads_on(request: Received) -> Reply:
    """Redirect to another path with the same query."""
    return Reply(status=307, headers={"Location": f"/on{request.path}"})


async def test_a_key_in_the_query_of_an_address_is_not_told() -> None:
    rules: list[tuple[Rule, int]] = [
        (lambda _: Reply([b"no"], 404, PAGE), 16),
        (lambda _: Reply([b"<html><title>Shop</title>"], 200, PAGE), 16),
        (LOOKALIKES["ollama"][1], 5),
        (leads_on, 16),
    ]
    for rule, most in rules:
        found, stand_in, _ = await detected(rule, "/app?code=k1e2y3&v=2", max_requests=most)
        assert any("k1e2y3" in request.path for request in stand_in.requests)
        told = [error_of(found).message, *(f"{sent.url} {sent.outcome}" for sent in found.requests)]
        assert "code=…&v=2" in " ".join(told)
        assert not any("k1e2y3" in words for words in told)


async def test_a_backend_that_answers_everything_is_asked_the_question() -> None:
    found, stand_in, _ = await detected(lambda one: HELLO if one.method == "POST" else Reply(status=501), "")
    assert found.known_backend == "chat-app-protocol"
    assert [request.json for request in stand_in.requests if request.method == "POST"] == [
        {}, {"messages": [{"role": "user", "content": "Hello"}]},
    ]  # fmt: skip


async def test_a_backend_is_recognised_by_its_first_object_in_any_layout() -> None:
    first = {"delta": {"content": "One pair."}, "context": {"data_points": {"text": ["a"], "citations": []}}}
    for body in (lines(first), json.dumps(first, indent=2).encode(), b"event: message\ndata: " + lines(first) + b"\n"):
        found, *_ = await detected(partial(only_at, "/chat/stream", Reply([body])), "/chat")
        assert found.known_backend == "azure-search-openai-demo"


def only_at(path: str, reply: Reply, request: Received) -> Reply:
    return reply if request.path == path else Reply([b"no"], 404)


def test_the_places_follow_from_the_path() -> None:
    project, openais = "/api/projects/docs", "/api/projects/docs/openai/v1/responses"
    followed = {
        "": ["/chat", "/api/chat", "/v1/chat/completions", "/conversation", "/chat/stream", "/v1/responses", "/",
             "/responses", "/agui", "/ag-ui", "/agent", "/runs"],
        "/chat/": ["/chat"],
        "/chat/stream": ["/chat"],
        "/api": ["/api/chat", "/api", "/api/responses", "/api/agui"],
        "/v1/": ["/v1/chat/completions", "/v1/responses", "/v1/chat", "/v1"],
        "/agent?v=2": ["/agent?v=2", "/agent/chat?v=2", "/agent/api/chat?v=2",
                       "/agent/v1/chat/completions?v=2", "/agent/conversation?v=2", "/agent/chat/stream?v=2",
                       "/agent/v1/responses?v=2", "/agent/responses?v=2", "/agent/agui?v=2", "/agent/ag-ui?v=2",
                       "/agent/agent?v=2", "/agent/runs?v=2"],
        "/threads/t-1/runs/stream": ["/threads/t-1/runs"],
        "/runs/stream": ["/runs"],
        # A path that only one backend has leads to its endpoint.
        project: [openais],
        f"{project}/openai/v1/": [openais],
        openais: [openais],
        "/knowledgebases('docs')": ["/knowledgebases('docs')/retrieve"],
        "/knowledgeBases/docs?api-version=1": ["/knowledgeBases/docs/retrieve?api-version=1"],
        "/knowledgebases/docs/retrieve": ["/knowledgebases/docs/retrieve"],
        "/openai/deployments/d": ["/openai/deployments/d/chat/completions"],
        "/openai/deployments/d?api-version=1": ["/openai/deployments/d/chat/completions?api-version=1"],
        "/v1/responses": ["/v1/responses"],
    }  # fmt: skip
    host = "http://x.test"
    assert {typed: [place.removeprefix(host) for place in places(host + typed)] for typed in followed} == followed


def test_runs_of_openais_assistants_are_not_those_of_langgraph() -> None:
    for path in ("/v1/threads/t/runs", "/v1/threads/runs/stream", "/openai/threads/t/runs"):
        assert known_at(path) is None
        assert described(f"http://x.test{path}").dialect == "auto"
        assert OF_LANGGRAPH.fullmatch(path) is None


def test_every_known_backend_has_a_lookalike() -> None:
    names = {name.partition(",")[0] for name in LOOKALIKES}
    assert names == KNOWN_BACKENDS.keys()


async def test_a_redirect_to_an_invalid_address_leaves_its_place_open() -> None:
    def misdirected(location: str, request: Received) -> Reply:
        if request.method == "OPTIONS":
            return Reply(status=307, headers={"Location": location.format(host=request.headers["host"])})
        return LOOKALIKES["azure-search-openai-demo"][1](request)

    for location in ("http://[no-address/", "http://no-address:port/", "http://[1]/", "\x7f", "",
                     "http://ann:h1dd3n@{host}/elsewhere"):  # fmt: skip
        found, *_ = await detected(partial(misdirected, location), "/chat")
        assert (found.error, found.backend is None) == (None, False)
        assert not any("h1dd3n" in f"{sent.url} {sent.outcome}" for sent in found.requests)


async def test_a_page_at_a_place_rules_it_out() -> None:
    def ollama_beside(page: Reply, request: Received) -> Reply:
        return LOOKALIKES["ollama"][1](request) if request.path == "/api/chat" else page

    for doctype in (b"<!DOCTYPE html>", b"<!doctype  html>", b"<!DOCTYPE\nhtml>"):
        found, *_ = await detected(partial(ollama_beside, Reply([doctype + b"<title>Shop</title>"], 200, PAGE)), "")
        assert ("POST", "an HTML page") in {(sent.method, sent.outcome) for sent in found.requests}


EMPTY_BODIES: dict[str, tuple[Reply, str]] = {
    **{f"status {status}": (Reply([b"no"], status), "not there") for status in (404, 405, 410, 501, 300)},
    "a redirect": (Reply([], 302, {"Location": "/elsewhere"}), "not there"),
    "no answer": (Reply(end="rst", before_headers=True), "not there"),
    "absence with status 200": (Reply([b'{"error": "Unexpected endpoint or method."}']), "not there"),
    "no route with status 200": (Reply([b'{"error": "Route not found"}']), "not there"),
    "absence with another status": (
        Reply([b'{"error": "Unexpected endpoint or method."}'], 400), "refused the empty body",
    ),
    "a page": (Reply([b"<html>Shop"]), "an HTML page"),
    "forbidden": (Reply([b'{"error": "No."}'], 403), "inconclusive"),
    "a page that refuses": (Reply([b"<html>Bad request"], 400), "inconclusive"),
    "a page of a gateway": (Reply([b"<html>Bad gateway"], 502), "inconclusive"),
    "a page of what was not handled": (Reply([b"<html>Error"], 500), "refused the empty body"),
    "no key": (Reply([b'{"error": "No."}'], 401), "refused the empty body"),
    "an answer": (Reply([b'{"answer": "A"}']), "answered the empty body"),
}  # fmt: skip


async def test_the_response_to_an_empty_body_shows_whether_a_backend_exists() -> None:
    def only_posts_at(path: str, reply: Reply, request: Received) -> Reply:
        return only_at(path, reply, request) if request.method == "POST" else Reply(status=501)

    outcomes = {}
    for name, (first, _) in EMPTY_BODIES.items():
        found, *_ = await detected(partial(only_posts_at, "/chat", first), "")
        assert [sent.outcome for sent in found.requests if sent.method == "OPTIONS"] == ["inconclusive"] * 2
        outcomes[name] = first, next(sent.outcome for sent in found.requests if sent.method == "POST")
    assert outcomes == EMPTY_BODIES


@pytest.mark.parametrize("name", ["forbidden", "a page that refuses", "a page of a gateway"])
async def test_a_doubtful_place_is_asked_after_a_certain_one(name: str) -> None:
    in_doubt = EMPTY_BODIES[name][0]

    def beside_another(request: Received) -> Reply:
        if request.path.startswith("/chat"):
            return in_doubt if request.body == b"{}" else Reply([b"no"], 404)
        return LOOKALIKES["microsoft-express"][1](request)

    def alone(request: Received) -> Reply:
        return only_at("/conversation", HELLO if b"Hello" in request.body else in_doubt, request)

    found, stand_in, _ = await detected(beside_another, "")
    assert backend_of(found).url == f"{stand_in.url}/api/chat"
    assert [request.path for request in stand_in.requests if b"Hello" in request.body] == ["/api/chat/stream"]
    found, stand_in, _ = await detected(alone, "")
    assert backend_of(found).url == f"{stand_in.url}/conversation"


LISTS: list[tuple[Reply, tuple[str, ...], str]] = [
    (Reply([b'{"data": [{"id": "a"}, {"name": "b"}, {"id": "", "name": "c"}]}']), ("a", "b", "c"), "lists 3 models"),
    (Reply([b'{"models": [{"name": "a"}]}']), ("a",), "lists 1 model"),
    (Reply([b'{"data": [{"id": "a"}]}'], 401), (), "lists no models"),
    *(
        (Reply([body]), (), "lists no models")
        for body in (b'{"data": ["a", {"id": 7}, {}, {"name": null}]}', b'{"data": {"id": "a"}}', b'[{"id": "a"}]',
                     b"a", b"[" * 60_000)
    ),
]  # fmt: skip


async def test_a_model_is_searched_for_completions_without_one() -> None:
    def reply(request: Received) -> Reply:
        return HELLO if b"Hello" in request.body else Reply(status=501)

    for path, asks in (("/v1/chat/completions", True), ("/openai/deployments/d/chat/completions", False)):
        found, *_ = await detected(reply, path)
        assert ("GET" in {sent.method for sent in found.requests}, found.backend is None) == (asks, False)


async def test_a_backends_refusal_is_recognised_and_a_sites_answer_is_not() -> None:
    for said, is_backend in (
        (Reply([b'{"error": "No."}'], 401, {"Content-Type": "application/json"}), True),
        (Reply([b'{"error": "No."}'], 429, {"Content-Type": "application/json"}), True),
        (Reply([b"<html>Shop"], 200, PAGE), False),
        (Reply([b"\n"], 200), False),
        (Reply([], 302, {"Location": "/app"}), False),
    ):
        found, *_ = await detected(partial(taking_post, said), "/chat")
        assert (found.error is None, found.backend is None) == (False, not is_backend)


def taking_post(reply: Reply, request: Received) -> Reply:
    return Reply([], 204, {"Allow": "POST"}) if request.method == "OPTIONS" else reply


@pytest.mark.parametrize(("left", "is_asked"), [(3, True), (2, False)])
async def test_a_question_is_sent_only_if_all_its_forms_are_possible(left: int, is_asked: bool) -> None:
    def reply(request: Received) -> Reply:
        return taking_post(Reply([b"no"], 404) if request.path.endswith("/stream") else HELLO, request)

    found, stand_in, _ = await detected(reply, "/chat", max_requests=left)
    assert any(b"Hello" in request.body for request in stand_in.requests) is is_asked
    assert (found.backend is not None) is is_asked
    if is_asked:
        assert [(sent.method, sent.status, sent.outcome) for sent in found.requests[1:]] == [
            ("POST", 404, "not there"), ("POST", 200, "answered in the dialect flat"),
        ]  # fmt: skip
    else:
        assert error_of(found).code == "not_asked"
        assert f"A server answers at {stand_in.url}/chat, but the limit of requests" in error_of(found).message


async def test_a_silent_server_is_waited_for_within_the_searchs_timeout() -> None:
    async with StandIn(Reply([math.inf])).running() as stand_in, AsyncClient(PATIENT) as client:
        requests = Requests(client, {}, most=30, seconds=0.05)
        first = await requests.probe("OPTIONS", stand_in.url)
        assert first is not None
        assert error_of(first).code == "timeout"
        assert await requests.probe("POST", stand_in.url, b"{}") is None
    assert requests.left == 29
