"""Samples with their own answers, and samples whose errors cannot be told from answers by the status."""

import json
import re
from collections.abc import Iterable
from typing import Any

from tests.stand_ins.lookalikes import JSON, NOT_FOUND, PAGE, Rule, fastapi, fastify
from tests.stand_ins.retrieval import CHUNKS, FOLLOW_UP, Found, search
from tests.stand_ins.shelf import pdf
from tests.stand_ins.stand_in import Received, Reply, lines

FILTERED = "Your message contains content that was flagged by the content filter."
NDJSON = {"Content-Type": "application/x-ndjson"}
METHOD_NOT_ALLOWED = Reply([b'{"detail":"Method Not Allowed"}'], 405, {**JSON, "Allow": "GET, HEAD"})


def sample_app(request: Received) -> Reply:
    """sample-app-aoai-chatGPT without a data source, which answers even a body without messages."""
    if request.path != "/conversation":
        return Reply([b"<!doctype html><title>404 Not Found</title>"], 404, PAGE)
    if request.method == "OPTIONS":
        return Reply([], 200, {**PAGE, "Allow": "OPTIONS, POST"})
    said = [message["content"] for message in request.json.get("messages", [])]
    message = {"role": "assistant", "content": f"You asked '{''.join(said)}'."}
    return Reply([json.dumps({"choices": [{"messages": [message]}]}).encode()], headers=JSON)


def filtering(body: Any) -> Reply:
    if "overrides" not in body["context"]:
        detail = [{"loc": ["body", "context", "overrides"], "msg": "Field required"}]
        return Reply([json.dumps({"detail": detail}).encode()], 422, JSON)
    return Reply([lines({"error": FILTERED})])


def rag_postgres(request: Received) -> Reply:
    """rag-postgres-openai-python: pages at its root, and an error with status 200 last."""
    if not request.path.startswith("/chat"):
        return METHOD_NOT_ALLOWED
    return fastapi({"/chat": filtering, "/chat/stream": filtering}, ["input", "context"])(request)


def _paced(values: Iterable[object], pause: float) -> Reply:
    return Reply([piece for value in values for piece in (lines(value), pause)], headers=NDJSON)


def _whole(value: object, status: int = 200) -> Reply:
    return Reply([json.dumps(value).encode()], status, JSON)


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+", text)


def _with_documents(rule: Rule, folder: str) -> Rule:
    """`rule`, and its documents for everyone."""
    shown = {f"{folder}/{one.file}": pdf(*["Benefits"] * (one.page - 1), one.content) for one in CHUNKS}

    def reply(request: Received) -> Reply:
        if request.method == "GET" and request.path in shown:
            return Reply([shown[request.path]], headers={"Content-Type": "application/pdf"})
        return rule(request)

    return reply


def _flat_context(found: Found) -> dict[str, Any]:
    return {"data_points": {"text": [f"{name}: {said}." for name, said in found.cited.items()]}}


def javascript(pause: float = 0) -> Rule:
    """azure-search-openai-javascript, packages/search/src: 3 sources where `top` is missing, and the ranker off."""

    def chat(body: Any) -> Reply:
        options = body.get("context", {})
        found = search(CHUNKS, "", {"top": options.get("top", 3)})
        text = found.text + (f" <<{FOLLOW_UP}>>" if options.get("suggest_followup_questions") else "")
        context = {**_flat_context(found), "thoughts": "Search query:<br>eye exam coverage"}
        if not body.get("stream"):
            message = {"content": text, "role": "assistant", "context": context}
            return _whole({"choices": [{"index": 0, "message": message}], "object": "chat.completion"})
        deltas = [{"content": word, "role": "assistant", "context": {}} for word in _words(text)]
        deltas[0]["context"] = context
        return _paced(({"choices": [{"index": 0, "delta": delta}], "object": "chat.completion.chunk"}
                       for delta in deltas), pause)  # fmt: skip

    answers = _with_documents(fastify({"/chat": chat}), "/content")
    service = _whole({"service": "search", "description": "AI search service", "version": "1.0.0"})
    return lambda request: service if (request.method, request.path) == ("GET", "/") else answers(request)


def postgres(pause: float = 0) -> Rule:
    """rag-postgres-openai-python, src/backend/fastapi_app: rows of a table, cited by number."""
    item = {"type": "Eyewear", "brand": "Contoso", "description": "Glasses for every day.", "price": 59.0}
    context = {
        "data_points": {str(n): {"id": n, "name": name, **item} for n, name in ((7, "Reader"), (12, "Rider"))},
        "thoughts": [{"title": "Search query for database", "description": "glasses", "props": {"top": 3}}],
    }
    text = "The Reader suits long days at a screen [7]. The Rider stays in place on a bicycle [12]."

    def chat(*, streamed: bool) -> Any:
        events = [{"type": "response.output_text.delta", "delta": word} for word in _words(text)]
        told = [{"type": "response.context", "context": context}, *events]

        def reply(body: Any) -> Reply:
            if "overrides" not in body["context"]:
                return _whole({"detail": [{"loc": ["body", "context", "overrides"], "msg": "Field required"}]}, 422)
            return _paced(told, pause) if streamed else _whole({"output_text": text, "context": context})

        return reply

    answers = fastapi({"/chat": chat(streamed=False), "/chat/stream": chat(streamed=True)}, ["input", "context"])
    return lambda request: NOT_FOUND if request.method == "GET" else answers(request)


def java(pause: float = 0) -> Rule:
    """azure-search-openai-demo-java, app/backend: `retrieval_mode` is required, and a missing `top` is 0."""
    on = ("showSemanticRankerOption", "showVectorOption", "streamingEnabled")
    off = """showGPT4VOptions showQueryRewritingOption showReasoningEffortOption showUserUpload showLanguagePicker
        showSpeechInput showSpeechOutputBrowser showSpeechOutputAzure showChatHistoryBrowser showChatHistoryCosmos"""
    config = {**dict.fromkeys(on, True), **dict.fromkeys(off.split(), False), "defaultReasoningEffort": None}

    def reply(request: Received) -> Reply:
        if (request.method, request.path) == ("GET", "/api/config"):
            return _whole(config)
        if request.method != "POST" or request.path not in ("/api/chat", "/api/chat/stream"):
            return _whole({"status": 404, "error": "Not Found", "path": request.path}, 404)
        overrides = (request.json.get("context") or {}).get("overrides") or {}
        if "retrieval_mode" not in overrides:
            return _whole({"status": 500, "error": "Internal Server Error", "path": request.path}, 500)
        found = search(CHUNKS, "", {"top": overrides.get("top", 0)})
        context = {**_flat_context(found), "thoughts": found.thoughts[2:3]}
        begin = {"context": context, "session_state": "thread"}
        end = {**begin, "context": {**context, "thoughts": found.thoughts[1:], "followup_questions": [FOLLOW_UP]}}
        if not request.path.endswith("/stream"):
            return _whole({"message": {"content": found.text, "role": "assistant"}, **end})
        deltas = [{"delta": {"content": word, "role": "assistant"}} for word in _words(found.text)]
        last = {"delta": {"content": "", "role": "assistant"}, **end}
        return _paced([{**deltas[0], **begin}, *deltas[1:], last], pause)

    return _with_documents(reply, "/api/content")
