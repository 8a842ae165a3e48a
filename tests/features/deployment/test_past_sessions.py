"""The conversations that a deployment keeps: listed, opened, continued, written and deleted, over HTTP."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from chat_ui.backends.credential import Credential
from chat_ui.conversations.archive.foreign_archive import read_demo_session
from chat_ui.conversations.people.person import person_of
from chat_ui.feature import Feature
from chat_ui.features.deployment.past_sessions import MOST_PAIRS, response_of
from chat_ui.installed import FEATURES
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.server.served import Served
from chat_ui.server.services import Services
from tests.features.demo.serving import serving
from tests.page.routes.running_app import API, listed, person, running_app
from tests.stand_ins.deployment import Deployment
from tests.stand_ins.retrieval import CHUNKS, agentic, search

AT = "/api/deployment"
OWN = "own:1"
GONE = "This conversation is no longer at HR."


def serve(services: Services) -> Served:
    """`POST /test/key` keeps the body as the key of the backend `of`; `POST /test/ask` asks the body's question."""
    conversations = services.conversations

    async def keep_key(request: Request) -> Response:
        memory, key = json.loads(request.query_params["of"]), (await request.body()).decode()
        await services.backends.vault.keep(person_of(request), origin_of(memory["url"]), Credential("bearer", key), OWN)
        return PlainTextResponse("")

    async def ask(request: Request) -> Response:
        backend = await services.backends.remembered(json.loads(request.query_params["of"]), person_of(request))
        assert backend is not None
        backend = replace(backend, name="HR")
        await services.backends.advice(person_of(request), backend)
        talk = await conversations.get(person_of(request), request.query_params.get("conversation", ""))
        talk = talk or conversations.start(person_of(request))
        if "beside" in request.query_params:
            talk = await conversations.compare(talk)
        question = (await request.body()).decode()
        if (turn := request.query_params.get("edited")) is not None:
            asked = talk.edit(services.backends.client, backend, talk.turns[int(turn)].id, question, {})
        else:
            asked = talk.ask(services.backends.client, backend, question, {})
        await asked.generation.wait_for_end()
        return PlainTextResponse(asked.generation.id)

    routes = [Route("/key", keep_key, methods=["POST"]), Route("/ask", ask, methods=["POST"])]
    return Served(routes=lambda: {"/test": routes})


@dataclass
class Someone:
    """A person whose backend is a deployment, with the key `token`."""

    client: httpx2.Client
    url: str
    token: str = "token"
    of: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.of = {"of": json.dumps({"url": f"{self.url}/chat", "profile": OWN, "name": "HR"})}
        self.client.post("/test/key", params=self.of, content=self.token)

    def page(self, after: str = "") -> dict[str, Any]:
        return self.client.get(f"{AT}/sessions", params={**self.of, "after": after}).json()

    def open(self, session: str, **query: str) -> httpx2.Response:
        return self.client.post(f"{AT}/sessions", params={**self.of, "session": session, **query})

    def opened(self, session: str) -> str:
        return self.open(session).json()["conversation"]

    def delete(self, session: str) -> httpx2.Response:
        return self.client.delete(f"{AT}/sessions", params={**self.of, "session": session})

    def ask(self, question: str, **query: str) -> tuple[str, str]:
        """The conversation, and the words about its answer once that is written there."""
        answer = self.client.post("/test/ask", params={**self.of, **query}, content=question).text
        words = self.client.get(f"{AT}/unsaved", params={**self.of, "answer": answer}).text
        return answer.partition(".")[0], words

    def turns(self, conversation: str) -> list[dict[str, Any]]:
        """The exported turns, the shown ones in order."""
        [found] = [one for one in self.client.get(f"{API}export").json()["conversations"] if one["id"] == conversation]
        return found["turns"]

    def questions(self, conversation: str) -> list[str]:
        return [turn["question"] for turn in self.turns(conversation) if turn["shown"]]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    testing = Feature(name="testing", serve=serve)
    with running_app(tmp_path_factory.mktemp("app"), (*FEATURES, testing)) as url:
        yield url


class OddPages(Deployment):
    """Its tokens need percent-encoding, and its pages begin with junk."""

    async def _history(self, request: Request, oid: str) -> Response:
        token = request.query_params.get("continuation_token", "").removeprefix("+/=&") or "0"
        query = urlencode({"count": request.query_params["count"], "continuation_token": token})
        answer = await super()._history(Request({**request.scope, "query_string": query.encode()}), oid)
        found = json.loads(answer.body)
        after = found["continuation_token"] and f"+/=&{found['continuation_token']}"
        junk = [{"id": "\ud800"}, {"id": 5}, {}, None]
        body = json.dumps({"sessions": [*junk, *found["sessions"]], "continuation_token": after})
        return Response(body, media_type="application/json")


@contextmanager
def deployed(app: str, given: Deployment | None = None) -> Iterator[tuple[Deployment, Someone]]:
    deployment = given or Deployment()
    deployment.config["showChatHistoryCosmos"] = True
    deployment.tokens = {"token": "me"}
    deployment.sessions["me"] = {}
    with serving(deployment.app) as url, person(app) as client:
        yield deployment, Someone(client, url)


@pytest.fixture
def at(app: str) -> Iterator[tuple[Deployment, Someone]]:
    with deployed(app) as found:
        yield found


def response(text: str, session: str = "s1", **context: Any) -> dict[str, Any]:
    return {"output_text": text, "context": context, "session_state": session}


def session(*answers: Any, title: str = "Eyes", timestamp: int = 1_700_000_000_000) -> dict[str, Any]:
    return {"title": title, "timestamp": timestamp, "answers": [*answers]}


SOURCED = {
    "data_points": {
        "text": ["Plan.pdf#page=2: Eye exams.", "Plan.pdf#page=2: Glasses: one pair.", "faq: SharePoint content"],
        "images": ["data:image/png;base64,AAAA"],
        "citations": ["Plan.pdf#page=2", "figure.png", "https://contoso.example", "faq"],
        "external_results_metadata": [
            {"id": 1, "title": "Contoso site", "url": "https://contoso.example"},
            {
                "id": "10",
                "title": "FAQ",
                "url": "https://contoso.sharepoint.com/sites/hr/faq",
                "snippet": "SharePoint content",
            },
        ],
    },
    "thoughts": [
        {"title": "Search", "description": [{"id": 1, "content": "x"}], "props": {"top": 3}},
        {"title": "Prompt", "description": "words", "props": {"model": "m"}},
    ],
    "followup_questions": ["And teeth?"],
}


def test_a_list_of_pages_by_odd_tokens_without_junk(app: str):
    with deployed(app, OddPages()) as (deployment, me):
        for number in range(45):
            deployment.sessions["me"][f"s{number:02}"] = session(title="q" * 99, timestamp=1_700_000_000_000 - number)
        pages, after = [], ""
        while after is not None:
            pages.append(me.page(after))
            after = pages[-1]["next"]
        assert [len(one["sessions"]) for one in pages] == [20, 20, 5]
        assert [one["id"] for page in pages for one in page["sessions"]] == [f"s{number:02}" for number in range(45)]
        first = pages[0]["sessions"][0]
        assert (len(first["title"]), first["updated_at"], first["conversation"]) == (61, 1_700_000_000, None)
        sent = parse_qs(deployment.requests[-1].path.partition("?")[2])
        assert sent == {"count": ["20"], "continuation_token": ["+/=&40"], "continuationToken": ["+/=&40"]}


def test_a_session_opens_once_goes_on_and_is_written_with_all_pairs(at: tuple[Deployment, Someone]):
    deployment, me = at
    deployment.sessions["me"]["s1"] = session(["Eyes?", response("Yes [Plan.pdf#page=2].", **SOURCED)])
    conversation = me.opened("s1")
    assert (me.opened("s1"), me.page()["sessions"][0]["conversation"]) == (conversation, conversation)
    [turn] = me.turns(conversation)
    [answer] = turn["answers"]
    assert answer["backend"]["profile"] == OWN
    assert [one["id"] for one in answer["answer"]["data_points"]][:2] == ["Plan.pdf#page=2", "Plan.pdf#page=2 (2)"]
    assert answer["answer"]["followup_questions"] == ["And teeth?"]
    assert me.ask("And teeth?", conversation=conversation) == (conversation, "")
    asked = [one for one in deployment.requests if one.path == "/chat/stream"]
    assert asked[-1].json["session_state"] == "s1"
    assert asked[-1].headers["authorization"] == "Bearer token"
    written = deployment.sessions["me"]["s1"]["answers"]
    assert [pair[0] for pair in written] == ["Eyes?", "And teeth?"]
    assert written[0][1]["context"]["thoughts"] == SOURCED["thoughts"]
    assert me.page()["sessions"][0]["conversation"] == conversation


def test_a_conversation_begun_here_is_written_and_stands_once(at: tuple[Deployment, Someone]):
    deployment, me = at
    conversation, words = me.ask("Glasses?")
    [(name, kept)] = deployment.sessions["me"].items()
    assert (words, [pair[0] for pair in kept["answers"]]) == ("", ["Glasses?"])
    assert me.page()["sessions"][0]["conversation"] == me.opened(name) == conversation
    assert len(me.turns(conversation)) == 1


def test_only_an_edited_question_removes_later_pairs_there(at: tuple[Deployment, Someone]):
    deployment, me = at
    conversation, _ = me.ask("One?")
    deployment.fails.add("/chat/stream")
    me.ask("Failed?", conversation=conversation)
    deployment.fails.clear()
    for question in ("Two?", "Three?"):
        me.ask(question, conversation=conversation)
    assert "DELETE" not in [one.method for one in deployment.requests]
    me.ask("Second?", conversation=conversation, edited="2")
    [kept] = deployment.sessions["me"].values()
    assert [pair[0] for pair in kept["answers"]] == ["One?", "Second?"]


def test_second_columns_and_imported_copies_are_not_written(at: tuple[Deployment, Someone]):
    deployment, me = at
    conversation, _ = me.ask("One?")
    me.client.post(f"{API}import", content=me.client.get(f"{API}export").content)
    me.ask("One?", conversation=conversation, beside="")
    [copy] = [str(one["id"]) for one in listed(me.client) if one["id"] != conversation]
    me.ask("Of the copy?", conversation=copy)
    [kept] = deployment.sessions["me"].values()
    assert [pair[0] for pair in kept["answers"]] == ["One?"]
    me.client.delete(f"{API}{conversation}")
    me.ask("And now?", conversation=copy)
    [kept] = deployment.sessions["me"].values()
    assert [pair[0] for pair in kept["answers"]] == ["One?", "Of the copy?", "And now?"]


def test_pairs_that_came_there_meanwhile_are_added_here(at: tuple[Deployment, Someone]):
    deployment, me = at
    pairs = [["One?", response("1.")], ["Two?", response("2.")]]
    deployment.sessions["me"]["s1"] = session(*pairs)
    conversation = me.opened("s1")
    # The server gives pairs in any order.
    deployment.sessions["me"]["s1"] = session(["Three?", response("3.")], *reversed(pairs))
    assert me.opened("s1") == conversation
    assert me.questions(conversation) == ["One?", "Two?", "Three?"]
    me.ask("Four?", conversation=conversation)
    assert me.questions(conversation) == ["One?", "Two?", "Three?", "Four?"]
    assert [pair[0] for pair in deployment.sessions["me"]["s1"]["answers"]] == ["One?", "Two?", "Three?", "Four?"]


def test_two_tabs_that_open_a_session_at_once_get_one_conversation(at: tuple[Deployment, Someone]):
    deployment, me = at
    deployment.sessions["me"]["s1"] = session(["One?", response("1.")], ["Two?", response("2.")])
    with ThreadPoolExecutor(4) as tabs:
        opened = set(tabs.map(me.opened, ["s1"] * 4))
    [conversation] = opened
    assert me.questions(conversation) == ["One?", "Two?"]


def test_older_shapes_are_shown_and_what_cannot_be_read_is_counted(at: tuple[Deployment, Someone]):
    deployment, me = at
    old = {"message": {"content": "Old.", "role": "assistant"}, "context": {}, "session_state": None}
    junk: list[Any] = [["Q?"], ["Q?", 5], [None, response("x")], ["Q?", {"a": 1}], "text", ["", response("x")]]
    deployment.sessions["me"]["s1"] = session(
        ["One?", old], *junk, ["Two?", "Plain."], ["Three?", {"delta": old["message"]}]
    )
    told = me.open("s1", updated_at="1700000000").json()
    assert told["left_out"] == len(junk)
    turns = me.turns(told["conversation"])
    texts = [turn["answers"][0]["answer"]["text"] for turn in turns]
    assert texts == ["Old.", "Plain.", "Old."]
    # Older answers had no state: the next question still belongs to the session.
    assert {turn["answers"][0]["answer"]["session_state"]["value"] for turn in turns} == {"s1"}
    assert [one["updated_at"] for one in listed(me.client)] == [1_700_000_000]
    deployment.sessions["me"]["s2"] = session(*junk)
    assert me.open("s2").status_code == 409


def test_a_session_is_deleted_there_and_here(at: tuple[Deployment, Someone]):
    deployment, me = at
    deployment.sessions["me"] = {one: session(["One?", response("1.", one)]) for one in ("s1", "a b+..?#")}
    me.opened("s1")
    assert [me.delete("s1").status_code, me.delete("s1").status_code] == [204, 204]
    assert (listed(me.client), me.open("s1").status_code, me.open("s1").text) == ([], 409, GONE)
    assert me.delete("a b+..?#").status_code == 204
    assert deployment.sessions["me"] == {}


def test_a_copy_deleted_here_is_listed_again_and_opens_again(at: tuple[Deployment, Someone]):
    deployment, me = at
    deployment.sessions["me"]["s1"] = session(["One?", response("1.")])
    conversation = me.opened("s1")
    me.client.delete(f"{API}{conversation}")
    assert me.page()["sessions"][0]["conversation"] is None
    assert me.opened("s1") == conversation
    assert me.questions(conversation) == ["One?"]


def test_a_failed_write_is_told_once_until_it_works(at: tuple[Deployment, Someone]):
    deployment, me = at
    deployment.sessions["me"]["s1"] = session(["One?", response("1.")])
    conversation = me.opened("s1")
    deployment.fails.add("/chat_history")
    _, words = me.ask("Two?", conversation=conversation)
    reason = "It answered with status 500. Your next question sends all of it again."
    assert words == f"Saved here. HR did not save it. {reason}"
    assert me.ask("Three?", conversation=conversation)[1] == ""
    deployment.fails.clear()
    me.ask("Four?", conversation=conversation)
    assert len(deployment.sessions["me"]["s1"]["answers"]) == 4


class Late(Deployment):
    """It fails to save, after a second question."""

    async def _history(self, request: Request, oid: str) -> Response:
        while sum(one.path == "/chat/stream" for one in self.requests) < 2:  # noqa: ASYNC110 - a test asks
            await asyncio.sleep(0.01)
        raise RuntimeError


def test_a_late_failure_is_told_below_the_newest_answer(app: str):
    with deployed(app, Late()) as (_, me):
        first = me.client.post("/test/ask", params=me.of, content="One?").text
        conversation, words = me.ask("Two?", conversation=first.partition(".")[0])
        assert words.startswith("Saved here. HR did not save it.")
        assert me.ask("Three?", conversation=conversation)[1] == ""


def test_a_page_of_html_is_not_put_into_words(at: tuple[Deployment, Someone]):
    deployment, me = at
    deployment.tokens = {"another": "me"}
    refused = me.client.get(f"{AT}/sessions", params=me.of)
    words = "Your conversations at HR are not shown. It did not accept your key. Enter a new one in Backend settings."
    assert (refused.status_code, refused.text) == (409, words)
    assert [me.open("s1").status_code, me.delete("s1").status_code] == [409, 409]


def test_too_many_questions_are_not_written(at: tuple[Deployment, Someone]):
    deployment, me = at
    pairs = [[f"{number}?", response("x")] for number in range(MOST_PAIRS)]
    deployment.sessions["me"]["s1"] = session(*pairs)
    _, words = me.ask("More?", conversation=me.opened("s1"))
    assert "at most 98 questions" in words
    assert len(deployment.sessions["me"]["s1"]["answers"]) == MOST_PAIRS


def test_without_an_own_token_nothing_is_asked_of_the_history(
    app: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SHARED", "token")
    with deployed(app) as (deployment, me):
        deployment.sessions["me"]["s1"] = session(["One?", response("1.")])
        credential = {"kind": "bearer", "env": "SHARED"}
        at = f"{me.url}/chat"
        shared = [
            {"name": "Shared", "url": at, "credential": credential},
            {"name": "Headers", "url": at, "headers": {"Authorization": "Bearer token"}},
        ]
        (tmp_path / "backends.json").write_text(json.dumps({"backends": shared}))
        given = [{"of": json.dumps({"url": at, "profile": f"given:{one['name']}"})} for one in shared]
        testing = Feature(name="testing", serve=serve)
        with running_app(tmp_path, (*FEATURES, testing), backends=tmp_path / "backends.json") as url:
            for of in (me.of, *given):
                with person(url) as stranger:
                    assert stranger.get(f"{AT}/sessions", params=of).json() == {"sessions": [], "next": None}
                    stranger.post("/test/ask", params=of, content="Eyes?")
    # Questions have the operator's token, whose sessions belong to no one person.
    assert [one.path for one in deployment.requests if "Bearer token" in one.headers.values()] == ["/chat/stream"] * 2
    assert len(deployment.sessions["me"]) == 1


SOURCES = {"use_agentic_knowledgebase": True, "use_web_source": True, "use_sharepoint_source": True}
CONTEXTS = [
    SOURCED,
    search(CHUNKS, "Eyes?", {}).context("Eyes?", {}),
    agentic(CHUNKS, "Eyes?", SOURCES, {"webSourceEnabled": True, "sharepointSourceEnabled": True}).context("Eyes?", {}),
]


def test_a_response_comes_back_as_the_same_answer():
    def read(answer: dict[str, Any]) -> Any:
        return read_demo_session({"answers": [["Q?", json.loads(json.dumps(answer))]]}, "me").generations[0].answer

    for context in CONTEXTS:
        once = read(response("Yes [Plan.pdf#page=2].", **context))
        assert read(response_of(once)) == once
    large = {"images": ["data:image/png;base64," + "A" * 200_000], "citations": ["figure.png"]}
    assert len(json.dumps(response_of(read(response("Yes.", data_points=large))))) < 1_000
