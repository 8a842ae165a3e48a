"""Samples whose errors cannot be told from answers by the status."""

import json
from typing import Any

from tests.stand_ins.lookalikes import JSON, PAGE, fastapi
from tests.stand_ins.stand_in import Received, Reply, lines

FILTERED = "Your message contains content that was flagged by the content filter."
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
