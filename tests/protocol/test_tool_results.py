import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.protocol.damage import read
from tests.protocol.streams import CHUNK, choice

FOUND = [{"title": "Vision plan", "url": "https://example.com/vision", "content": "One pair a year."}]
RESULTS: dict[str, Any] = {
    "a list": FOUND,
    "an object": {"results": FOUND},
    "JSON": json.dumps(FOUND),
    "a part of a content": [{"type": "text", "text": json.dumps(FOUND)}],
    "a part of an input": [{"type": "input_text", "text": json.dumps({"documents": FOUND})}],
    "parts of a content": [{"type": "text", "text": "1 found"}, {"type": "text", "text": json.dumps(FOUND[0])}],
    "a part beside a picture": [{"type": "text", "text": json.dumps(FOUND)}, {"type": "image", "data": "iVBORw0KGgo"}],
    "documents that are text": [{"type": "text", **FOUND[0]}],
    "MCP": {"content": [{"type": "text", "text": json.dumps(FOUND)}], "isError": False},
}


def item_done(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "item": item}


WIRES: dict[str, Callable[[Any], list[dict[str, Any]]]] = {
    "AG-UI": lambda result: [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "search"},
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": result},
    ],
    "Responses": lambda result: [item_done({"type": "function_call_output", "call_id": "c", "output": result})],
    "Responses, MCP": lambda result: [item_done({"type": "mcp_call", "id": "c", "output": result})],
    "AI SDK": lambda result: [
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "search"},
        {"type": "tool-output-available", "toolCallId": "c", "output": result},
    ],
    "chat completions": lambda result: [
        {**CHUNK, **choice(delta={"role": "tool", "tool_call_id": "c", "content": result})},
    ],
    "AI Chat Protocol": lambda result: [{"message": {"role": "tool", "content": result}}],
}


FAILED = [{"type": "text", "text": json.dumps({"name": "ToolError", "text": "Not found"})}]
WITHOUT_SOURCES: list[Any] = [
    "Two documents",
    [{"type": "text", "text": "Two"}],
    {"content": []},
    [1, None],
    7,
    [{"id": number, "price": number} for number in range(9)],
    {"content": FAILED, "isError": True},
]


@pytest.mark.parametrize("wire", WIRES)
def test_a_result_gives_its_sources_or_none(wire: str) -> None:
    for result in RESULTS.values():
        [point] = read(*WIRES[wire](result)).data_points
        assert (point.id, point.text, point.url) == ("Vision plan", "One pair a year.", "https://example.com/vision")
    assert [read(*WIRES[wire](result)).data_points for result in WITHOUT_SOURCES] == [()] * len(WITHOUT_SOURCES)
