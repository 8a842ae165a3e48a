"""A language model words the demo's answers if configured. The model here is a stand-in on loopback."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from chat_ui.features.demo.answering import NO_ANSWER
from chat_ui.features.demo.app import demo_app
from chat_ui.features.demo.settings import DemoSettings
from tests.features.demo.asking import ask
from tests.features.demo.serving import serving, wait_for

QUESTION = "How much parental leave do I get?"
WORDS = ["Twenty ", "weeks, ", "zażółć ", "[Leave_Policy.pdf#page=2]."]


class Model:
    """An OpenAI-compatible endpoint that answers `WORDS`, or fails as told."""

    def __init__(self, failure: str | None = None) -> None:
        self.failure = failure
        self.stalled = 0
        self.requests: list[dict[str, Any]] = []
        self.authorization: str | None = None

    async def complete(self, request: Request) -> Response:
        self.requests.append(await request.json())
        self.authorization = request.headers.get("authorization")
        if self.failure == "refused":
            return JSONResponse({"error": {"message": "no such model"}}, 404)
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _events(self) -> AsyncIterator[str]:
        if self.failure == "stalled":
            self.stalled += 1
            try:
                await asyncio.Event().wait()
            finally:
                self.stalled -= 1
        for word in [] if self.failure == "silent" else WORDS:
            chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]}
            yield f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
            if self.failure == "broken":
                yield f"data: {json.dumps({'error': {'message': 'out of memory', 'code': 'oom'}})}\n\n"
                return
        yield "data: [DONE]\n\n"


@contextmanager
def demo_with(model: Model, suffix: str = "/v1") -> Iterator[str]:
    app = Starlette(routes=[Route("/v1/chat/completions", model.complete, methods=["POST"])])
    with serving(app) as origin:
        named = {"demo_llm_url": origin + suffix, "demo_llm_model": "tern-7b", "demo_llm_key": SecretStr("s3cret")}
        with serving(demo_app(DemoSettings(demo_delay=0, **named))) as demo:
            yield demo


@pytest.mark.parametrize("suffix", ["/v1", "/v1/", "/v1/chat/completions"])
def test_the_model_words_the_answer_from_the_passages(suffix: str) -> None:
    model = Model()
    with demo_with(model, suffix) as demo:
        heard = ask(f"{demo}/chat/stream", QUESTION)
        (complete,) = ask(f"{demo}/b/chat", QUESTION).objects
    first, *deltas, last = heard.objects
    assert "".join(delta["delta"]["content"] for delta in deltas) == "".join(WORDS) == complete["message"]["content"]
    assert last["sessionState"]
    request = model.requests[0]
    assert (request["model"], request["stream"]) == ("tern-7b", True)
    assert "[Leave_Policy.pdf#page=2] Parental leave." in request["messages"][-1]["content"]
    assert model.authorization == "Bearer s3cret"
    thought = first["context"]["thoughts"][-1]
    assert (thought["title"], thought["description"]) == ("Prompt to generate answer", request["messages"])
    assert "s3cret" not in json.dumps(heard.objects)


def test_the_model_is_not_asked_without_a_passage() -> None:
    model = Model()
    with demo_with(model) as demo:
        (answer,) = ask(f"{demo}/chat", "What is the capital of France?").objects
    assert answer["message"]["content"] == NO_ANSWER
    assert model.requests == []


@pytest.mark.parametrize(("failure", "words"), [("refused", "404"), ("broken", "out of memory"), ("silent", "no text")])
def test_a_model_failure_is_an_error_in_words(failure: str, words: str) -> None:
    with demo_with(Model(failure)) as demo:
        streamed = ask(f"{demo}/chat/stream", QUESTION)
        complete = ask(f"{demo}/e/chat", QUESTION)
    assert streamed.objects[0]["context"]["data_points"]["text"]
    error = streamed.objects[-1]["error"]
    assert (error["code"], words in error["message"]) == ("model_failed", True)
    assert (complete.status, words in complete.objects[0]["error"]) == (502, True)
    if failure == "broken":
        assert streamed.objects[1]["delta"]["content"] == WORDS[0], "text before a failure stands"


def test_an_unreachable_model_is_an_error_in_words() -> None:
    with serving(demo_app(DemoSettings(demo_delay=0, demo_llm_url="http://127.0.0.1:1"))) as demo:
        heard = ask(f"{demo}/chat/stream", QUESTION)
    assert "refused" in heard.objects[-1]["error"]["message"]


@pytest.mark.parametrize("path", ["/chat", "/chat/stream"])
def test_the_request_to_the_model_ends_when_the_reader_leaves(path: str) -> None:
    model = Model("stalled")
    body = json.dumps({"messages": [{"role": "user", "content": QUESTION}]}).encode()
    with demo_with(model) as demo:
        host, port = demo.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as reader:
            head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
            reader.sendall(head.encode() + body)
            wait_for(lambda: model.stalled == 1)
        wait_for(lambda: model.stalled == 0)
