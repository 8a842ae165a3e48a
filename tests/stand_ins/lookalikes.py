"""Stand-ins with the routes, refusals and answers of the known backends."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.stand_ins.stand_in import JSON_LINES, Received, Reply, lines

Rule = Callable[[Received], Reply]
JSON = {"Content-Type": "application/json"}
SSE = {"Content-Type": "text/event-stream"}
PAGE = {"Content-Type": "text/html"}
TEXT = {"Content-Type": "text/plain; charset=utf-8"}
UI_MESSAGES = {**SSE, "x-vercel-ai-ui-message-stream": "v1"}
DATA_STREAM = {"Content-Type": "text/plain; charset=utf-8", "x-vercel-ai-data-stream": "v1"}
CONTEXT = {"data_points": {"text": ["glasses.pdf: One pair."]}, "thoughts": [{"title": "Search", "description": "g"}]}
NOT_FOUND = Reply([b'{"detail":"Not Found"}'], 404, JSON)
FLASK_500 = Reply([b"<!doctype html><title>500 Internal Server Error</title><h1>Internal Server Error</h1>"], 500, PAGE)


def _json(value: object, status: int = 200, headers: Mapping[str, str] = JSON) -> Reply:
    return Reply([json.dumps(value).encode()], status, headers)


def _path(request: Received) -> str:
    return request.path.partition("?")[0]


def _body(request: Received) -> Any:
    try:
        return json.loads(request.body)
    except ValueError:
        return None


def _streamed(path: str, endpoint: Callable[[Any], Reply]) -> dict[str, Callable[[Any], Reply]]:
    """An endpoint with a separate path for streams."""
    return {path: endpoint, f"{path.rstrip('/')}/stream": endpoint}


def fastapi(endpoints: Mapping[str, Callable[[Any], Reply]], required: Sequence[str]) -> Rule:
    """FastAPI: 405 with Allow for other methods, 422 with a `detail` for missing values."""

    def reply(request: Received) -> Reply:
        endpoint = endpoints.get(_path(request))
        if endpoint is None:
            return NOT_FOUND
        if request.method != "POST":
            return Reply([b'{"detail":"Method Not Allowed"}'], 405, {**JSON, "Allow": "POST"})
        body = _body(request)
        missing = [key for key in required if not isinstance(body, dict) or key not in body]
        if missing:
            return _json({"detail": [{"loc": ["body", key], "msg": "Field required"} for key in missing]}, 422)
        return endpoint(body)

    return reply


def quart(endpoints: Mapping[str, Callable[[Any], Reply]], *, slash: bool = False) -> Rule:
    """Quart: it answers OPTIONS, redirects a missing slash, and fails with a page on unchecked values."""

    def reply(request: Received) -> Reply:
        path = _path(request)
        if slash and path + "/" in endpoints:
            return Reply([b"<!doctype html><title>Redirecting</title>"], 308, {**PAGE, "Location": path + "/"})
        if path not in endpoints:
            return Reply([b"<!doctype html><title>404 Not Found</title>"], 404, PAGE)
        if request.method == "OPTIONS":
            return Reply([], 200, {**PAGE, "Allow": "POST, OPTIONS"})
        if request.method != "POST":
            return Reply([], 405, {**PAGE, "Allow": "POST, OPTIONS"})
        return endpoints[path](_body(request))

    return reply


def express(endpoints: Mapping[str, Callable[[Any], Reply]]) -> Rule:
    """Express with cors: it answers OPTIONS alike everywhere, and has routes for POST only."""

    def reply(request: Received) -> Reply:
        powered = {"X-Powered-By": "Express"}
        if request.method == "OPTIONS":
            return Reply([], 200, {**powered, "Access-Control-Allow-Methods": "GET,HEAD,PUT,PATCH,POST,DELETE"})
        path = _path(request)
        if request.method != "POST" or path not in endpoints:
            page = f"<!DOCTYPE html><html><body><pre>Cannot {request.method} {path}</pre></body></html>"
            return Reply([page.encode()], 404, {**powered, **PAGE})
        answer = endpoints[path](_body(request))
        return Reply(answer.writes, answer.status, {**powered, **answer.headers})

    return reply


_ANY_SCALAR = ("string", (str, int, float, bool, type(None)))
_TYPES: dict[str, tuple[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("semantic_ranker", "semantic_captions", "suggest_followup_questions"), ("boolean", bool)),
    **dict.fromkeys(("top", "temperature"), ("number", (int, float))),
}
"""Types of options in azure-search-openai-javascript, packages/search/src/plugins/schemas.ts. Others are strings."""


def _violation(body: Any) -> str:
    """The first violation of the schema. Ajv, as Fastify configures it, changes a scalar to a string."""
    for key in ("context", "session_state"):
        values = body.get(key, {})
        if not isinstance(values, dict):
            return f"body/{key} must be object"
        for name, value in values.items():
            kind, wanted = _TYPES.get(name, _ANY_SCALAR) if key == "context" else _ANY_SCALAR
            if not isinstance(value, wanted):
                return f"body/{key}/{name} must be {kind}"
    return "" if "messages" in body else "body must have required property 'messages'"


def fastify(endpoints: Mapping[str, Callable[[Any], Reply]]) -> Rule:
    """Fastify: 404 for everything but POST, 400 for a violation of its schema."""

    def reply(request: Received) -> Reply:
        path = _path(request)
        if request.method != "POST" or path not in endpoints:
            said = f"Route {request.method}:{path} not found"
            return _json({"message": said, "error": "Not Found", "statusCode": 404}, 404)
        body = _body(request) or {}
        if said := _violation(body):
            return _json({"statusCode": 400, "error": "Bad Request", "message": said}, 400)
        return endpoints[path](body)

    return reply


def next_js(endpoints: Mapping[str, Callable[[Any], Reply]]) -> Rule:
    """Next.js: OPTIONS lists a route's methods, GET gets 405, other paths a page, and an exception an empty 500."""

    def reply(request: Received) -> Reply:
        path = _path(request)
        if path not in endpoints:
            return Reply([b"<!DOCTYPE html><title>404: This page could not be found.</title>"], 404, PAGE)
        if request.method == "OPTIONS":
            return Reply([], 204, {"Allow": "OPTIONS, POST"})
        return endpoints[path](_body(request)) if request.method == "POST" else Reply([], 405, {})

    return reply


def _text_of(body: Any, key: str) -> bool:
    return isinstance(body, dict) and bool(body.get(key))


def _unless_missing(key: str, answer: Reply) -> Callable[[Any], Reply]:
    return lambda body: answer if _text_of(body, key) else FLASK_500


def _no_context(answer: Reply) -> Callable[[Any], Reply]:
    def reply(body: Any) -> Reply:
        if not _text_of(body, "messages"):
            return FLASK_500
        return Reply([lines({"code": "internal_error", "message": "context"})]) if "context" in body else answer

    return reply


def _sse(*values: object) -> Reply:
    return Reply([b"".join(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)], headers=SSE)


def _chunk(**fields: object) -> dict[str, object]:
    return {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, **fields}]}


_FLAT = Reply(lines({"delta": {"role": "assistant"}, "context": CONTEXT, "session_state": None},
                    {"delta": {"content": "One pair."}}).splitlines(keepends=True))  # fmt: skip
_WITH_CITATIONS = {**CONTEXT, "data_points": {"text": ["a.pdf: One."], "images": [], "citations": ["a.pdf"]}}
_DEMO_2025 = Reply([lines({"delta": {"role": "assistant"}, "context": _WITH_CITATIONS, "session_state": None}),
                    lines({"delta": {"content": "One pair."}})])  # fmt: skip
_RESPONSES = Reply([lines({"type": "response.context", "context": CONTEXT, "session_state": None}),
                    lines({"type": "response.output_text.delta", "delta": "One pair."})])  # fmt: skip
_CHOICES = Reply([lines({"choices": [{"delta": {"role": "assistant"}, "context": CONTEXT, "session_state": None}]}),
                  lines({"choices": [{"delta": {"content": "One pair."}}]})])  # fmt: skip
_IN_DELTA = Reply([lines({"choices": [{"index": 0, "delta": {"content": "One pair.", "context": CONTEXT}}]})])
_NULLS = {"function_call": None, "tool_calls": None}
_DUMPED = Reply([lines({"delta": {"content": "", "role": "assistant", **_NULLS}}),
                 lines({"delta": {"content": "One pair.", "role": None, **_NULLS}})])  # fmt: skip
_EXPRESS = Reply([lines({"delta": {"role": "assistant"}, "sessionState": "s-1"}),
                  lines({"delta": {"content": "One pair."}, "sessionState": "s-1"})])  # fmt: skip
_PROTOCOL = Reply([lines({"delta": {"role": "assistant"}, "context": CONTEXT, "sessionState": {"n": 1}}),
                   lines({"delta": {"content": "One pair."}})])  # fmt: skip
_SAMPLE_APP = Reply([lines({"choices": [{"messages": [{"role": "tool", "content": '{"citations": []}'}]}]}),
                     lines({"choices": [{"messages": [{"role": "assistant", "content": "One pair."}]}]})])  # fmt: skip
_OLLAMA = Reply([lines({"model": "m", "message": {"role": "assistant", "content": "One pair."}, "done": False},
                       {"model": "m", "done": True, "eval_count": 2})])  # fmt: skip
_STOP = _chunk(delta={}, finish_reason="stop")
_OPENAI = _sse(_chunk(delta={"role": "assistant"}), _chunk(delta={"content": "One pair."}), _STOP)
_ON_YOUR_DATA = _sse(
    _chunk(delta={"role": "assistant", "context": {"citations": [{"content": "One.", "filepath": "a.pdf"}]}}),
    _chunk(delta={"content": "One pair [doc1]."}),
    _STOP,
)


def _ran(body: Any) -> Reply:
    """The events of a run, in the thread of its question."""
    run = {"threadId": body.get("threadId", "t"), "runId": body.get("runId", "r")}
    return _sse(
        {"type": "RUN_STARTED", **run},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "One pair."},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED", **run},
    )


def _missing(body: Any, keys: Sequence[str]) -> list[list[str | int]]:
    """The locations of missing fields of AG-UI's `RunAgentInput`."""
    body = body if isinstance(body, dict) else {}
    messages = enumerate(body.get("messages", []))
    without_id: list[list[str | int]] = [["messages", n, "user", "id"] for n, one in messages if "id" not in one]
    return [*([key] for key in keys if key not in body), *without_id]


def _run_input(body: Any) -> Reply:
    """The endpoints of LangGraph, Google ADK, Strands and LlamaIndex for FastAPI."""
    missing = _missing(body, ["threadId", "runId", "messages"])
    detail = [{"type": "missing", "loc": ["body", *loc], "msg": "Field required", "input": {}} for loc in missing]
    return _json({"detail": detail}, 422) if detail else _ran(body)


def _pydantic_ai(body: Any) -> Reply:
    missing = _missing(body, ["threadId", "runId", "messages", "tools", "context", "forwardedProps"])
    url = "https://errors.pydantic.dev/2.14/v/missing"
    found = [{"type": "missing", "loc": loc, "msg": "Field required", "input": {}, "url": url} for loc in missing]
    return _json(found, 422) if found else _ran(body)


def _unhandled_run_input(body: Any) -> Reply:
    """A server that passes on exceptions of the SDK's validation."""
    missing = _missing(body, ["threadId", "runId", "messages"])
    said = [f"{len(missing)} validation errors for RunAgentInput", *(f"{loc[0]}\n  Field required" for loc in missing)]
    return _json({"error": "\n".join(said)}, 500) if missing else _ran(body)


_UI_MESSAGES = Reply(
    [
        b'data: {"type":"start"}\n\ndata: {"type":"start-step"}\n\ndata: {"type":"text-start","id":"t1"}\n\n',
        b'data: {"type":"text-delta","id":"t1","delta":"One pair."}\n\ndata: {"type":"text-end","id":"t1"}\n\n',
        b'data: {"type":"finish-step"}\n\ndata: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n',
    ],
    headers=UI_MESSAGES,
)
_DATA_STREAM = Reply(
    [b'f:{"messageId":"msg-1"}\n0:"One pair"\n0:"."\n', b'd:{"finishReason":"stop","usage":{"promptTokens":1}}\n'],
    headers=DATA_STREAM,
)
_UNFINISHED = Reply([b'0:"One pair"\n0:"."\n'], headers=TEXT)
_ISSUES = [{"code": "invalid_type", "path": ["messages", 0, "parts"], "message": "Invalid input: expected array"}]
_NO_PARTS = "TypeError: Cannot read properties of undefined (reading 'map')"


def _with_parts(refusal: Reply) -> Callable[[Any], Reply]:
    """The AI SDK since version 5, whose messages have parts."""

    def reply(body: Any) -> Reply:
        messages = (body or {}).get("messages") or [{}]
        return _UI_MESSAGES if all("parts" in message for message in messages) else refusal

    return reply


def _with_trigger(body: Any) -> Reply:
    """The adapter of Pydantic AI, which forbids unknown keys in a message."""
    if (body or {}).get("trigger") != "submit-message":
        said = "Unable to extract tag using discriminator 'trigger'"
        return _json([{"type": "union_tag_not_found", "loc": [], "msg": said}], 422)
    unknown = [key for message in body["messages"] for key in message if key not in {"id", "role", "parts", "metadata"}]
    return _json([{"type": "extra_forbidden", "loc": unknown, "msg": "no"}], 422) if unknown else _UI_MESSAGES


def _with_content(body: Any) -> Reply:
    """The AI SDK before version 5."""
    messages = (body or {}).get("messages") or [{}]
    return _DATA_STREAM if all("content" in message for message in messages) else Reply([], 500, {})


def _asked(answer: Reply) -> Callable[[Any], Reply]:
    return lambda _: answer


def _with_overrides(answer: Reply) -> Callable[[Any], Reply]:
    def reply(body: Any) -> Reply:
        if "overrides" in body["context"]:
            return answer
        return _json({"detail": [{"loc": ["body", "context", "overrides"], "msg": "Field required"}]}, 422)

    return reply


def _openai(request: Received) -> Reply:
    if _path(request) == "/v1/models" and request.method == "GET":
        return _json({"object": "list", "data": [{"id": "small-1"}, {"id": "large-1"}]})
    return fastapi({"/v1/chat/completions": _asked(_OPENAI)}, ["messages", "model"])(request)


def _ollama(request: Received) -> Reply:
    if _path(request) == "/api/tags" and request.method == "GET":
        return _json({"models": [{"name": "llama:1b"}]})
    if _path(request) != "/api/chat" or request.method != "POST":
        return Reply([b"404 page not found"], 404, {"Content-Type": "text/plain"})
    body = _body(request) or {}
    return _OLLAMA if body.get("model") == "llama:1b" else _json({"error": "model is required"}, 400)


def _on_your_data(request: Received) -> Reply:
    if request.headers.get("api-key") != "k-123456":
        return _json({"error": {"code": "401", "message": "Access denied due to invalid subscription key."}}, 401)
    answer = fastapi({"/openai/deployments/d/chat/completions": _asked(_ON_YOUR_DATA)}, ["messages"])
    return answer(request) if "api-version=" in request.path else NOT_FOUND


def _response(body: Any, text: str, **fields: object) -> Reply:
    message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    complete = {"id": "resp_1", "object": "response", "status": "completed", "output": [message], **fields}
    if not (isinstance(body, dict) and body.get("stream")):
        return _json(complete)
    place = {"output_index": 0, "content_index": 0}
    return _sse(
        {"type": "response.created", "response": {**complete, "status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", "delta": text, **place},
        {"type": "response.completed", "response": complete},
    )


def _refusal(said: str, status: int = 400, **fields: object) -> Reply:
    return _json({"error": {"message": said, "type": "invalid_request_error", **fields}}, status)


def _responses(request: Received) -> Reply:
    """OpenAI: 405 for other methods, 400 for missing values, and stored responses."""
    if _path(request) == "/v1/models" and request.method == "GET":
        return _json({"object": "list", "data": [{"id": "small-1"}]})
    if _path(request) != "/v1/responses":
        return _refusal(f"Invalid URL ({request.method} {_path(request)})", 404)
    if request.method != "POST":
        return _refusal(f"Not allowed to {request.method} on /v1/responses.", 405)
    body = _body(request) or {}
    for key in ("model", "input"):
        if key not in body:
            return _refusal(f"Missing required parameter: '{key}'.", param=key, code="missing_required_parameter")
    return _response(body, "One pair.", store=True)


def _foundry(request: Received) -> Reply:
    """A project of Foundry: a list of agents, and responses that name one."""
    project = "/api/projects/docs"
    if request.headers.get("api-key") != "k-123456":
        return _json({"error": {"code": "Unauthorized", "message": "Access denied."}}, 401)
    if request.path == f"{project}/agents?api-version=v1" and request.method == "GET":
        return _json({"object": "list", "data": [{"object": "agent", "id": "guide", "name": "guide"}]})
    if _path(request) != f"{project}/openai/v1/responses":
        return _json({"error": {"code": "404", "message": "Resource not found"}}, 404)
    if request.method != "POST":
        return Reply([], 405, {"Allow": "POST"})
    body = _body(request) or {}
    agent = body.get("agent_reference")
    if agent != {"type": "agent_reference", "name": "guide"}:
        return _refusal("Missing required parameter: 'model'.", param="model")
    return _response(body, "One pair.", agent_reference=agent, conversation={"id": "conv_1"})


def _foundry_endpoint(request: Received) -> Reply:
    """An agent's endpoint in Foundry: it requires a version, and takes neither a model nor an agent."""
    if request.path != "/api/projects/docs/agents/guide/endpoint/protocols/openai/responses?api-version=v1":
        return _json({"error": {"code": "404", "message": "Resource not found"}}, 404)
    if request.headers.get("api-key") != "k-123456":
        return _json({"error": {"code": "Unauthorized", "message": "Access denied."}}, 401)
    if request.method != "POST":
        return Reply([], 405, {"Allow": "POST"})
    body = _body(request) or {}
    if unknown := sorted(body.keys() & {"agent_reference", "model"}):
        return _refusal(f"Not allowed for an agent's endpoint: {unknown}.")
    return _response(body, "One pair.", conversation={"id": "conv_1"})


_RETRIEVED = {
    "response": [{"role": "assistant", "content": [{"type": "text", "text": "One pair [ref_id:0]."}]}],
    "activity": [{"type": "modelQueryPlanning", "id": 0, "inputTokens": 7, "outputTokens": 5, "elapsedMs": 9}],
    "references": [{"type": "searchIndex", "id": "0", "activitySource": 0, "docKey": "a", "sourceData": None}],
}


def _knowledge_base(request: Received) -> Reply:
    """Azure AI Search: it requires a version, and a question in that version's form."""
    if request.path != "/knowledgebases('docs')/retrieve?api-version=2026-05-01-preview":
        return Reply([], 404)
    if request.headers.get("api-key") != "k-123456":
        return Reply([], 403)
    if request.method != "POST":
        return _json({"error": {"code": "", "message": f"The method {request.method} is not supported."}}, 405)
    body = _body(request) or {}
    unknown = sorted(body.keys() - {"messages", "intents", "includeActivity", "outputMode", "retrievalReasoningEffort"})
    if unknown or not body.get("messages"):
        said = f"Unknown fields: {unknown}" if unknown else "Either 'messages' or 'intents' must be provided."
        return _json({"error": {"code": "InvalidRequestParameter", "message": said}}, 400)
    return _json(_RETRIEVED)


_RUN = re.compile(r"/threads/([0-9a-f-]{36})/runs/stream")
_SAID = {"additional_kwargs": {}, "response_metadata": {}, "type": "ai", "id": "m1", "tool_calls": []}


def _events(*events: tuple[str, object]) -> Reply:
    said = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    return Reply([said.encode()], headers=SSE)


def _langgraph(request: Received) -> Reply:
    """LangGraph's server: it lists assistants, and asks a person before it books."""
    body, run = _body(request) or {}, _RUN.fullmatch(_path(request))
    if run is None and _path(request) not in {"/assistants/search", "/runs", "/runs/stream"}:
        return NOT_FOUND
    if request.method != "POST":
        return Reply([b"Method Not Allowed"], 405, {**TEXT, "Allow": "POST"})
    if _path(request) == "/assistants/search":
        return _json([{"assistant_id": "fe096781", "graph_id": "agent", "name": "agent"}])
    if "assistant_id" not in body or run is None:
        return _json({"detail": '"assistant_id" is a required property\n\nOn instance:\n    {}'}, 422)

    def checkpoint(number: int, *following: str) -> tuple[str, object]:
        place = {"thread_id": run[1], "checkpoint_id": f"c{number}", "assistant_id": body["assistant_id"]}
        return "checkpoints", {"config": {"configurable": place}, "values": {}, "next": [*following]}

    asked, decided = body.get("input", {}).get("messages", []), body.get("command", {}).get("resume")
    begun = ("metadata", {"run_id": "r1", "attempt": 1}), checkpoint(len(asked), "answer")
    if asked and asked[-1]["content"] == "Book.":
        interrupt: Any = {"id": "i1", "value": "Book it?", "response_schema": None}
        return _events(*begun, ("updates", {"__interrupt__": [interrupt]}))
    said: Any = {**_SAID, "content": f"You said {decided['i1']}." if decided else "One pair."}
    added = ("updates", {"answer": {"messages": [said]}})
    return _events(*begun, ("messages/partial", [{**said, "content": said["content"][:4]}]),
                   ("messages/partial", [said]), added, checkpoint(9))  # fmt: skip


def _a2a(request: Received) -> Reply:
    """An agent of a2a-sdk 1.3.0, whose refusals have status 200."""
    if request.path == "/.well-known/agent-card.json":
        place = {"url": f"http://{request.headers['host']}/a2a", "protocolBinding": "JSONRPC"}
        return _json({"supportedInterfaces": [place], "capabilities": {"streaming": True}})
    if request.path != "/a2a":
        return NOT_FOUND
    if request.method != "POST":
        return Reply([b"Method Not Allowed"], 405, {**TEXT, "Allow": "POST"})
    body = _body(request) or {}
    refused = {"content-type": "application/json"}
    if body.get("method") != "SendStreamingMessage":
        return _json(
            {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "Invalid Request"}}, 200, refused
        )
    if request.headers.get("a2a-version") != "1.0":
        return _json({"jsonrpc": "2.0", "id": "1", "error": {"code": -32009, "message": "Not supported"}}, 200, refused)
    message = {"messageId": "m", "contextId": "c", "role": "ROLE_AGENT", "parts": [{"text": "One pair."}]}
    said = {"result": {"message": message}, "id": "1", "jsonrpc": "2.0"}
    return Reply([b"data: " + json.dumps(said).encode() + b"\r\n\r\n"], 200, SSE)


LOOKALIKES: dict[str, tuple[str, Rule]] = {
    "ai-chat-protocol": ("/chat", fastapi(_streamed("/chat", _asked(_PROTOCOL)), ["messages"])),
    "chat-app-protocol": ("/chat", fastapi(_streamed("/chat", _asked(_FLAT)), ["messages"])),
    "azure-search-openai-demo": ("/chat", quart(_streamed("/chat", _unless_missing("messages", _RESPONSES)))),
    "azure-search-openai-demo, 2025": ("/chat", quart(_streamed("/chat", _unless_missing("messages", _DEMO_2025)))),
    "azure-search-openai-demo-2024-01": ("/chat", quart({"/chat": _unless_missing("messages", _CHOICES)})),
    "azure-search-openai-javascript": ("/chat", fastify({"/chat": _asked(_IN_DELTA)})),
    "rag-postgres-openai-python": ("/chat", fastapi(_streamed("/chat", _with_overrides(_RESPONSES)),
                                                    ["input", "context"])),
    "rag-postgres-openai-python-2024": ("/chat", fastapi(_streamed("/chat", _with_overrides(_FLAT)),
                                                         ["messages", "context"])),
    "openai-chat-app-quickstart": ("/chat", quart({"/chat/stream": _unless_missing("input", _RESPONSES)})),
    "openai-chat-backend-fastapi": ("/chat", fastapi(_streamed("/chat", _asked(_DUMPED)), ["messages"])),
    "microsoft-python": ("/api/chat/", quart(_streamed("/api/chat/", _no_context(_FLAT)), slash=True)),
    "microsoft-express": ("/api/chat", express(_streamed("/api/chat", _unless_missing("messages", _EXPRESS)))),
    "azure-openai-on-your-data": ("/openai/deployments/d/chat/completions?api-version=1", _on_your_data),
    "openai-compatible": ("/v1/chat/completions", _openai),
    "openai-responses": ("/v1/responses", _responses),
    "foundry-agent-endpoint": ("/api/projects/docs/agents/guide/endpoint/protocols/openai/responses?api-version=v1",
                               _foundry_endpoint),
    "foundry-agent": ("/api/projects/docs/openai/v1/responses", _foundry),
    "azure-knowledge-base": ("/knowledgebases('docs')/retrieve?api-version=2026-05-01-preview", _knowledge_base),
    "ollama": ("/api/chat", _ollama),
    "ai-sdk": ("/api/chat", next_js({"/api/chat": _with_parts(Reply([], 500, {}))})),
    "ai-sdk, on Hono": ("/api/chat", fastify({"/api/chat": _with_parts(Reply([b"Internal Server Error"], 500))})),
    "ai-sdk, elsewhere": ("/chat", next_js({"/chat": _with_parts(Reply([b"Internal Server Error"], 500))})),
    "ai-sdk, on Express": ("/api/chat", express({"/api/chat": _with_parts(
        Reply([f"<pre>{_NO_PARTS}<br> &nbsp; &nbsp;at file:///app/index.js:1:2</pre>".encode()], 500, PAGE))})),
    "ai-sdk, checked": ("/api/chat", next_js({"/api/chat": _with_parts(_json({"error": _ISSUES}, 400))})),
    "ai-sdk, Pydantic AI": ("/api/chat", fastapi({"/api/chat": _with_trigger}, [])),
    "ai-sdk-4": ("/api/chat", next_js({"/api/chat": _with_content})),
    "ai-sdk-4, LlamaIndex": ("/api/chat", fastapi({"/api/chat": _asked(_UNFINISHED)}, ["id", "messages"])),
    "azure-sample-app": ("/conversation", quart({"/conversation": _unless_missing("messages", _SAMPLE_APP)})),
    "ag-ui": ("/", fastapi({"/": _run_input}, [])),
    "langgraph": ("/runs", _langgraph),
    "a2a": ("/a2a", _a2a),
}  # fmt: skip
"""The path and the rule of each known backend, by its name, with a version after a comma."""

AGENTS: dict[str, tuple[str, Rule]] = {
    "one at a path of chats": ("/chat", fastapi({"/chat": _run_input}, [])),
    "LangGraph": ("/agent", fastapi({"/agent": _run_input}, [])),
    "Google ADK": ("/", fastapi({"/": _run_input}, [])),
    "one at /ag-ui": ("/ag-ui", fastapi({"/ag-ui": _run_input}, [])),
    "LlamaIndex": ("/run", fastapi({"/run": _run_input}, [])),
    "Pydantic AI": ("/", fastapi({"/": _pydantic_ai}, [])),
    "Pydantic AI, mounted": ("/agents/benefits", fastapi({"/agents/benefits": _pydantic_ai}, [])),
    "Microsoft Agent Framework": ("/", fastapi({"/": _ran}, ["messages"])),
    "the quickstart in TypeScript": ("/awp", express({"/awp": _unhandled_run_input})),
    "one that fails without a word": (
        "/agent",
        quart({"/agent": lambda body: FLASK_500 if _missing(body, ["threadId", "runId", "messages"]) else _ran(body)}),
    ),
    "one that handles no exception": ("/agent", quart({"/agent": _unhandled_run_input})),
}
"""AG-UI's agents at the paths of their examples. A search from the server's root does not try all of them."""

FOUND_FROM_THEIR_BASE = [
    name for name, (path, _) in LOOKALIKES.items() if "?" not in path and not path.startswith("/api/projects/")
]
"""The backends that are found from the address of their server."""


def is_answer(request: Received, reply: Reply) -> bool:
    """Whether `reply` to `request` is the output of a model."""
    return (
        request.method == "POST"
        and reply.status == 200
        and reply.headers in (JSON_LINES, SSE, JSON, UI_MESSAGES, DATA_STREAM)
    )
