import email
import re
from email.message import Message as Form
from typing import Any
from uuid import UUID

import pytest

from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.backends.request import MOST, encode_request
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import SessionState
from chat_ui.protocol.transport.client import AsyncClient
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines
from tests.turns import counted_turns

HELLO = Reply([lines({"delta": {"content": "Hello"}})])
HISTORY = (Message("user", "Hi"), Message("assistant", "Hello"), Message("user", "Who pays for glasses?"))
PAIRS = [(message.role, message.content) for message in HISTORY]
SENT = [{"role": role, "content": text} for role, text in PAIRS]
LAST = SENT[-1:]
PICTURE = Attachment("buoy 1.png", "image/png", b"\x89PNG\r\n--not a boundary\r\n\x00")
WITH_PICTURE = ChatRequest((Message("user", "Hi"), Message("user", "What is this?", (PICTURE,))))


async def sent_to(name: str, request: ChatRequest, **changes: Any) -> Received:
    async with StandIn(HELLO).running() as stand_in, AsyncClient() as client:
        answer = await client.ask(KNOWN_BACKENDS[name].below(stand_in.url, **changes), request)
    assert answer.text == "Hello"
    [received] = stand_in.requests
    return received


OVERRIDES = {"context": {"overrides": {"temperature": 0.5}}}
OPTIONS = {"temperature": 0.5}
NUMBERED = [{"id": f"message-{place}", **said} for place, said in enumerate(SENT, 1)]
IN_CONTENTS = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in PAIRS]
IN_PARTS = [
    {"id": numbered["id"], "role": said["role"], "parts": said["content"]}
    for numbered, said in zip(NUMBERED, IN_CONTENTS, strict=True)
]
EXPECTED: dict[str, tuple[str, dict[str, Any]]] = {
    "ai-chat-protocol": ("/chat/stream", {"messages": SENT, **OVERRIDES, "sessionState": 7}),
    "chat-app-protocol": ("/chat/stream", {"messages": SENT, **OVERRIDES, "session_state": 7}),
    "azure-search-openai-demo": ("/chat/stream", {"messages": SENT, **OVERRIDES, "state": 7}),
    "azure-search-openai-demo-2024-01": ("/chat", {"messages": SENT, **OVERRIDES, "state": 7, "stream": True}),
    "azure-search-openai-javascript": ("/chat", {"messages": SENT, "context": OPTIONS, "state": 7, "stream": True}),
    "rag-postgres-openai-python": ("/chat/stream", {"input": SENT, **OVERRIDES, "state": 7}),
    "rag-postgres-openai-python-2024": ("/chat/stream", {"messages": SENT, **OVERRIDES, "state": 7}),
    "openai-chat-backend-fastapi": ("/chat/stream", {"messages": SENT, **OVERRIDES, "state": 7}),
    "openai-chat-app-quickstart": ("/chat/stream", {"input": SENT, **OVERRIDES, "state": 7}),
    "microsoft-python": ("/api/chat/stream", {"messages": SENT, "state": 7}),
    "microsoft-express": ("/api/chat/stream", {"messages": LAST, "sessionState": 7}),
    "azure-openai-on-your-data": (
        "/openai/deployments/NAME/chat/completions?api-version=2024-10-21",
        {"messages": SENT, **OPTIONS, "state": 7, "stream": True},
    ),
    "openai-compatible": ("/v1/chat/completions", {"messages": SENT, **OPTIONS, "state": 7, "stream": True}),
    "ollama": ("/api/chat", {"messages": SENT, "options": OPTIONS, "state": 7, "stream": True}),
    "azure-sample-app": ("/conversation", {"messages": SENT, "history_metadata": 7}),
    "openai-responses": ("/v1/responses", {"input": SENT, **OPTIONS, "stream": True}),
    "foundry-agent-endpoint": (
        "/api/projects/PROJECT/agents/NAME/endpoint/protocols/openai/responses?api-version=v1",
        {"input": SENT, **OPTIONS, "stream": True},
    ),
    "foundry-agent": ("/api/projects/NAME/openai/v1/responses", {"input": SENT, **OPTIONS, "stream": True}),
    "ai-sdk": ("/api/chat", {"messages": IN_PARTS, "trigger": "submit-message", **OPTIONS}),
    "ai-sdk-4": ("/api/chat", {"messages": SENT, "trigger": "submit-message", **OPTIONS}),
    "ag-ui": ("/ag-ui", {"messages": NUMBERED, "state": {}, "tools": [], "context": [], "forwardedProps": OPTIONS}),
    "azure-knowledge-base": (
        "/knowledgebases/NAME/retrieve?api-version=2026-05-01-preview",
        {"messages": IN_CONTENTS, "includeActivity": True, **OPTIONS},
    ),
    "langgraph": (
        "/threads/ID/runs/stream",
        {
            "input": {"messages": SENT},
            "if_not_exists": "create",
            "stream_mode": ["messages", "updates", "custom", "checkpoints"],
            "on_disconnect": "continue",
            "stream_resumable": True,
        },
    ),
    "a2a": (
        "/a2a",
        {
            "jsonrpc": "2.0",
            "id": "1",
            "method": "SendStreamingMessage",
            "params": {"message": {"role": "ROLE_USER", "parts": [{"text": PAIRS[-1][1]}]}},
        },
    ),
}
OWN_IDS = {"ai-sdk": ["id"], "ai-sdk-4": ["id"], "ag-ui": ["threadId", "runId"], "a2a": ["messageId"]}
"""The keys of ids that the client generates."""


@pytest.mark.parametrize("name", KNOWN_BACKENDS)
async def test_each_known_backend_is_asked_in_its_form(name: str) -> None:
    request = ChatRequest(HISTORY, overrides={"temperature": 0.5}, session_state=SessionState("state", 7))
    path, body = EXPECTED[name]
    received = await sent_to(name, request, dialect="auto")
    sent = received.json
    for key in OWN_IDS.get(name, ()):
        UUID((sent["params"]["message"] if name == "a2a" else sent).pop(key))
    if name == "ag-ui":
        UUID(sent["messages"][-1]["id"])
        sent["messages"][-1]["id"] = f"message-{len(PAIRS)}"
    assert (re.sub("(?<=/threads/)[0-9a-f-]{36}", "ID", received.path), sent) == (path, body)
    # An empty context is sent only if required.
    required = {"overrides": {}} if name.startswith("rag-postgres") else [] if name == "ag-ui" else None
    assert (await sent_to(name, ChatRequest(HISTORY), dialect="auto")).json.get("context") == required


async def test_a_key_goes_in_azures_header_with_data_sources_and_else_as_bearer() -> None:
    on_your_data, compatible = KNOWN_BACKENDS["azure-openai-on-your-data"], KNOWN_BACKENDS["openai-compatible"]
    async with StandIn(HELLO).running() as stand_in, AsyncClient() as client:
        for backend in (
            on_your_data.below(stand_in.url, extra_body={"data_sources": [{"type": "azure_search"}]}),
            compatible.below(stand_in.url, model="m"),
        ):
            await client.ask(backend.with_api_key("k-123456"), ChatRequest(HISTORY))
    azure, other = stand_in.requests
    assert azure.json["data_sources"] == [{"type": "azure_search"}]
    assert (azure.headers["api-key"], azure.headers.get("authorization")) == ("k-123456", None)
    assert (other.headers["authorization"], other.json["model"]) == ("Bearer k-123456", "m")


async def test_files_go_as_a_form_in_the_protocol_and_other_messages_as_json() -> None:
    plain = await sent_to("ai-chat-protocol", ChatRequest(HISTORY))
    assert plain.headers["content-type"] == "application/json"
    received = await sent_to("ai-chat-protocol", WITH_PICTURE)
    form: Form = email.message_from_bytes(
        b"Content-Type: " + received.headers["content-type"].encode() + b"\r\n\r\n" + received.body
    )
    assert form.get_content_type() == "multipart/form-data"
    question, picture = form.get_payload()
    assert isinstance(question, Form)
    assert isinstance(picture, Form)
    names = [part.get_param("name", header="content-disposition") for part in (question, picture)]
    assert names == ["json", "messages[1].files[0]"]
    assert question.get_content_type() == "application/json"
    assert b'"content": "What is this?"' in (question.get_payload(decode=True) or b"")
    assert (picture.get_filename(), picture.get_content_type()) == ("buoy 1.png", "image/png")
    assert PICTURE.data in received.body


async def test_an_unsupported_file_is_refused_and_nothing_is_sent() -> None:
    async with StandIn(HELLO).running() as stand_in, AsyncClient() as client:
        for name, file, words in (
            ("chat-app-protocol", PICTURE, "buoy 1.png cannot be .* not take files"),
            ("openai-compatible", Attachment("a.csv", "text/csv", b"1,2"), "a.csv is text/csv, .* does not take"),
            ("ollama", Attachment("a", "", b""), "of no type"),
        ):
            with pytest.raises(ValueError, match=words):
                client.stream(KNOWN_BACKENDS[name].below(stand_in.url), ChatRequest((Message("user", "?", (file,)),)))
    assert stand_in.requests == []


def test_each_known_backend_lists_its_options() -> None:
    for known in KNOWN_BACKENDS.values():
        assert known.template.known_overrides is not None
        assert len(set(known.template.known_overrides)) == len(known.template.known_overrides)


@pytest.mark.parametrize("text", ['"' * 4_000_000, "\u0001" * 2_000_000, "żółw " * 500_000, "word " * 500_000])
async def test_a_long_history_is_written_in_turns_and_arrives_whole(text: str) -> None:
    request = ChatRequest((Message("user", "Hi"), Message("assistant", text), Message("user", "And?")))
    async with counted_turns() as turns:
        await encode_request(Backend("http://x.test/chat"), request, stream_flag=True)
    assert turns() > len(text) / 500_000
    received = await sent_to("openai-compatible", request)
    assert received.json["messages"][1]["content"] == text
    assert received.headers["content-length"] == str(len(received.body))


async def test_a_session_state_of_many_values_is_written_in_turns() -> None:
    for state in ({str(number): 0 for number in range(50_000)}, ["a"] * 50_000):
        request = ChatRequest((Message("user", "Hi"),), session_state=SessionState("session_state", state))
        encoded = await encode_request(Backend("http://x.test/chat"), request, stream_flag=True)
        assert len(encoded.pieces) > 10


async def test_too_long_a_conversation_is_told_and_nothing_is_sent() -> None:
    request = ChatRequest((*[Message("assistant", "a" * 1024 * 1024)] * (MOST // 1024 // 1024), Message("user", "?")))
    async with StandIn(HELLO).running() as stand_in, AsyncClient() as client:
        with pytest.raises(ValueError, match="longer than the 64 MB that can be sent to a backend"):
            client.stream(Backend(stand_in.url), request)
        answer = await client.ask(Backend(stand_in.url, history="last"), request)
    assert answer.text == "Hello"
    assert len(stand_in.requests) == 1
