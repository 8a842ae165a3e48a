"""Backends that conform to the specification except in a test's changes."""

import json
from email.parser import BytesParser
from typing import Any

from tests.stand_ins.lookalikes import JSON, Rule
from tests.stand_ins.stand_in import Received, Reply, lines

CONTEXT = {
    "data_points": {"text": ["glasses.pdf#page=2: One pair."], "images": []},
    "thoughts": [{"title": "Search", "description": "glasses", "props": {"top": 3}}],
    "followup_questions": ["And lenses?"],
}


def model_backend(
    *,
    state: str = "sessionState",
    error: object = "There are no messages.",
    error_status: int = 400,
    first: dict[str, Any] | None = None,
    delta: dict[str, Any] | None = None,
    stream_type: str = "application/jsonl",
    whole_type: str = "application/json",
    message: dict[str, Any] | None = None,
) -> Rule:
    """A backend that conforms except in the given parts."""

    def reply(request: Received) -> Reply:
        if request.method == "OPTIONS":
            return Reply([], 405, {"Allow": "POST"})
        if request.method != "POST":
            return Reply([b"not here"], 404, {"Content-Type": "text/plain"})
        try:
            body = json.loads(request.body)
        except ValueError:
            body = {}
        if not body.get("messages"):
            return Reply([json.dumps({"error": error}).encode()], error_status, JSON)
        if request.path.endswith("/stream"):
            opening = {"delta": {"role": "assistant"}, "context": CONTEXT, state: {"turn": 1}}
            pieces = [lines(first or opening), lines({"delta": delta or {"content": "One pair."}})]
            return Reply(pieces, headers={"Content-Type": stream_type})
        answer = {"message": message or {"role": "assistant", "content": "One pair."}, "context": CONTEXT}
        return Reply([json.dumps({**answer, state: {"turn": 2}}).encode()], headers={"Content-Type": whole_type})

    return reply


def form_of(request: Received) -> dict[str, tuple[str | None, bytes]]:
    """The parts of a form: each file's name and bytes."""
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    parts = BytesParser().parsebytes(head + request.body).get_payload()
    return {
        str(part.get_param("name", header="content-disposition")): (
            part.get_filename(), part.get_payload(decode=True) or b"",
        )
        for part in parts
    }  # fmt: skip


def is_form(request: Received) -> bool:
    return request.headers.get("content-type", "").startswith("multipart/form-data")


def microsoft_express(request: Received) -> Reply:
    """Microsoft's sample in Express: the JSON of a form is a file, and the session keeps the history."""
    powered = {"X-Powered-By": "Express"}
    if request.path not in {"/api/chat", "/api/chat/stream"}:
        return Reply([], 404, powered)
    if is_form(request):
        name, _ = form_of(request)["json"]
        if name is None:
            page = b"<!DOCTYPE html><html><body><pre>TypeError: files.json is not iterable</pre></body></html>"
            return Reply([page], 500, {**powered, "Content-Type": "text/html"})
        said = {"message": {"role": "assistant", "content": "A dot."}, "sessionState": "s-1"}
        streamed = {"delta": {"content": "A dot."}, "sessionState": "s-1"}
        return Reply([lines(streamed if request.path.endswith("/stream") else said)], 200, {**powered, **JSON})
    reply = model_backend(first={"delta": {"role": "assistant"}, "sessionState": "s-1"})(request)
    if request.path == "/api/chat" and reply.status == 200:
        said = {"message": {"role": "assistant", "content": "One pair."}, "sessionState": "s-1"}
        reply = Reply([json.dumps(said).encode()], headers=JSON)
    return Reply(reply.writes, reply.status, {**reply.headers, **powered})
