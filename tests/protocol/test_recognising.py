from dataclasses import replace
from typing import Any

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.family import Answered
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS, described, identify, recognised
from chat_ui.protocol.events import ReasoningDelta, SessionState, TextDelta
from chat_ui.protocol.reading.items import Framed
from tests.protocol.streams import CHUNK

DELTA = {"content": "A"}
CITED = {"content": "A", "context": {"citations": [{"content": "b"}]}}


SHOWN: list[tuple[Any, str | None]] = [
    ({"delta": DELTA}, "flat"),
    ({"delta": DELTA, "sessionState": None}, "chat-protocol"),
    ({"message": DELTA}, "flat"),
    ({"message": "A"}, None),
    ({"delta": "A"}, "responses"),
    ({"type": "response.created"}, "responses"),
    ({"type": "created"}, None),
    ({"object": "response", "output": [{"content": "A"}]}, "responses"),
    ({"output": [{"content": "A"}]}, None),
    ({"output_text": "A"}, "responses"),
    ({"choices": [{"delta": DELTA}]}, "choices"),
    ({**CHUNK, "choices": [{"delta": DELTA}]}, "openai"),
    ({**CHUNK, "choices": [{"delta": DELTA, "session_state": None}]}, "choices"),
    ({**CHUNK, "choices": [{"delta": {**DELTA, "context": {"thoughts": "b"}}}]}, "choices"),
    ({**CHUNK, "choices": [{"delta": CITED}]}, "on-your-data"),
    ({"choices": [{"delta": DELTA}], "object": "extensions.chat.completion.chunk"}, "on-your-data"),
    ({"choices": [{"messages": [DELTA]}]}, "sample-app"),
    ({"choices": []}, None),
    ({"choices": {"delta": DELTA}}, None),
    ({"message": DELTA, "done": False}, "ollama"),
    ({"response": "A", "done": False}, "ollama"),
    ({"done": True}, None),
    ({"answer": "A"}, "answer"),
    ({"answer": {"a": 1}}, None),
    ({"answer": "A", "delta": None, "choices": []}, "answer"),
    ({"type": "text-delta", "id": "t1", "delta": "A"}, "ai-sdk"),
    ({"type": "start"}, "ai-sdk"),
    ({"type": "start", "step": 1}, None),
    ({"type": "data-status", "data": None}, "ai-sdk"),
    ({"type": "data-status"}, None),
    ({"type": "error", "errorText": "A"}, "ai-sdk"),
    ({"type": "error", "message": "A"}, None),
    ({"type": "custom", "kind": "a.b"}, "ai-sdk"),
    ({"type": "custom"}, None),
    ({"type": "0:", "value": "A"}, "ai-sdk"),
    ({"type": "0:"}, None),
    ({"type": "z:", "value": "A"}, None),
    ({"x": 1}, None),
]  # fmt: skip


def test_an_object_shows_its_dialect_by_its_keys() -> None:
    for value, dialect in SHOWN:
        match = recognised(value)
        assert (match.name if match else None) == dialect, value


def answered(
    dialect: str, path: str = "/chat", first: Any = None, headers: Any = None, state: Any = None, **backend: Any
) -> Answered:
    has_context = backend.pop("has_context", False)
    told = SessionState("sessionState", state) if state is not None else None
    asked = Backend(f"http://a.example{path}", **backend)
    return Answered(asked, headers or {}, first or {}, dialect, told, has_context, has_text=True)


EXPRESS = {"x-powered-by": "Express"}
DUMPED = {"delta": {"function_call": None, "tool_calls": None}}
CITES = {"delta": {}, "context": {"data_points": {"citations": []}}}


IDENTIFIED: list[tuple[Answered, str | None]] = [
    (answered("flat"), "chat-app-protocol"),
    (answered("flat", requires_context=True), "rag-postgres-openai-python-2024"),
    (answered("flat", "/api/chat"), "microsoft-python"),
    (replace(answered("flat", "/api/chat"), has_options=True), "chat-app-protocol"),
    (answered("flat", first=DUMPED), "openai-chat-backend-fastapi"),
    (answered("flat", first={"delta": {**DUMPED["delta"], "content": "A"}}), "openai-chat-backend-fastapi"),
    (answered("flat", first={**DUMPED, "context": None}), "chat-app-protocol"),
    (answered("flat", first={"delta": {"tool_calls": None}}), "chat-app-protocol"),
    (answered("flat", first=CITES), "azure-search-openai-demo"),
    (answered("flat", first={"context": {"data_points": {"text": []}}}), "chat-app-protocol"),
    (answered("chat-protocol"), "ai-chat-protocol"),
    (answered("chat-protocol", "/api/chat", headers=EXPRESS, state="s"), "microsoft-express"),
    (answered("chat-protocol", "/api/chat", headers={"server": "Kestrel"}, state="s"), "microsoft-express"),
    (answered("chat-protocol", "/api/chat", headers={"server": "uvicorn"}, state="s"), "ai-chat-protocol"),
    (answered("chat-protocol", "/api/chat", headers=EXPRESS, state={"n": 1}), "ai-chat-protocol"),
    (answered("chat-protocol", "/api/chat", headers=EXPRESS, state="s", has_context=True), "ai-chat-protocol"),
    (answered("chat-protocol", "/chat", headers=EXPRESS, state="s"), "ai-chat-protocol"),
    (answered("responses"), "azure-search-openai-demo"),
    (answered("responses", messages_key="input", requires_context=True), "rag-postgres-openai-python"),
    (answered("responses", messages_key="input"), "openai-chat-app-quickstart"),
    (answered("responses", "/v1/responses", messages_key="input"), None),
    (answered("choices"), "azure-search-openai-demo-2024-01"),
    (answered("choices", first={"choices": [{"delta": {"context": {}}}]}), "azure-search-openai-javascript"),
    (answered("choices", first={"choices": [{"delta": {"context": None}}]}), "azure-search-openai-demo-2024-01"),
    (answered("choices", first={"choices": []}), "azure-search-openai-demo-2024-01"),
    (answered("openai"), "openai-compatible"),
    (answered("on-your-data"), "azure-openai-on-your-data"),
    (answered("ollama"), "ollama"),
    (answered("sample-app"), "azure-sample-app"),
    (answered("answer"), None),
    (answered("ai-sdk", headers={"content-type": "text/event-stream"}), "ai-sdk"),
    (answered("ai-sdk", headers={"content-type": "text/plain; charset=utf-8"}), "ai-sdk-4"),
    (answered("ai-sdk", headers={"x-vercel-ai-data-stream": "v1"}), "ai-sdk-4"),
    (answered("openai", "/openai/deployments/d/chat/completions"), "azure-openai-on-your-data"),
]  # fmt: skip


def test_a_known_backend_is_identified_by_its_answer() -> None:
    for found, name in IDENTIFIED:
        assert identify(found) == name, found


TEXT_DELTA = {"type": "response.output_text.delta"}
READ: list[tuple[list[Any], str, str]] = [
    ([{"type": "response.output_text.done", "text": "A"}], "A", ""),
    ([{"type": "response.refusal.done", "refusal": "No."}], "No.", ""),
    ([{**TEXT_DELTA, "delta": "A"}, {"type": "response.output_text.done", "text": "A"}], "A", ""),
    ([{"type": "response.refusal.delta", "delta": "No."}], "No.", ""),
    ([{"type": "response.reasoning_text.delta", "delta": "Hm."}], "", "Hm."),
    ([{"type": "response.audio.delta", "delta": "Hm."}], "", ""),
    ([{"type": "response.completed", "response": {"output_text": "A"}}], "A", ""),
    ([{"type": "response.completed", "response": {"output": [{"content": "A"}]}}], "A", ""),
    ([{**TEXT_DELTA, "delta": "A"}, {"type": "response.completed", "response": {"output_text": "B"}}], "A\n\nB", ""),
    ([{"output_text": "A"}, {"output_text": "AB"}], "AB", ""),
    ([{"object": "response", "output": [{"content": "A"}]}], "A", ""),
    ([{"delta": "A"}, {"delta": "A"}], "AA", ""),
    ([{"choices": [{"text": "A"}], "object": "text_completion"}], "A", ""),
    ([{"message": {"content": "A"}, "done": False}, {"message": {"content": "A"}, "done": True}], "AA", ""),
    ([{"delta": {"content": "A"}}, {"message": {"content": "A"}}], "A", ""),
    ([{"delta": {"content": "😀A"}}, {"message": {"content": "😀AB"}}], "😀AB", ""),
]  # fmt: skip


def test_the_text_and_the_thinking_of_objects_are_read() -> None:
    for values, text, thinking in READ:
        reader = DialectReader()
        events = [*reader.read_all(map(Framed, values)), *reader.close()]
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == text, values
        assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == thinking, values


def test_a_place_is_described_by_its_path_and_responses_in_openais_form() -> None:
    url = "http://a.example/chat"
    assert described(url) == Backend(url)
    assert described(f"{url}/stream") == Backend(url, streaming="path")
    place = "http://a.example/v1/responses"
    assert described(place) == KNOWN_BACKENDS["openai-responses"].at(place)
