"""Answers and errors of each dialect."""

from __future__ import annotations

from tests.backends.stand_in import lines

CONTEXT = {
    "data_points": {"text": ["glasses.pdf#page=2: The plan pays for one pair."]},
    "thoughts": [{"title": "Search", "description": "glasses", "props": {"top": 3}}],
}


STREAMS: dict[str, tuple[str, bytes]] = {
    "choices with context and state beside the delta": (
        "choices",
        lines(
            {"choices": [{"delta": {"role": "assistant"}, "context": CONTEXT, "session_state": "s1"}]},
            {"choices": [{"delta": {"content": "One "}}], "object": "chat.completion.chunk"},
            {"choices": [{"delta": {"content": "pair [glasses.pdf#page=2]."}}], "object": "chat.completion.chunk"},
        ),
    ),
    "choices with context in every delta": (
        "choices",
        lines(
            {"choices": [{"index": 0, "delta": {"content": "One ", "role": "assistant", "context": CONTEXT}}]},
            {"choices": [{"index": 0, "delta": {"content": "pair [glasses.pdf#page=2].", "context": CONTEXT}}]},
            {"session_state": "s1"},
        ),
    ),
    "choices, one answer": (
        "choices",
        lines(
            {
                "choices": [
                    {
                        "message": {"role": "assistant", "content": "One pair [glasses.pdf#page=2]."},
                        "context": CONTEXT,
                        "session_state": "s1",
                    }
                ]
            }
        ),
    ),
    "flat deltas": (
        "flat",
        lines(
            {"delta": {"role": "assistant"}, "context": CONTEXT, "session_state": "s1"},
            {"delta": {"content": "One "}},
            {"delta": {"content": "pair [glasses.pdf#page=2]."}},
        ),
    ),
    "flat, one answer on a streaming path": (
        "flat",
        lines(
            {
                "message": {"role": "assistant", "content": "One pair [glasses.pdf#page=2]."},
                "context": CONTEXT,
                "session_state": "s1",
            }
        ),
    ),
    "a null delta first": (
        "flat",
        lines(
            {"delta": None, "context": CONTEXT, "session_state": "s1"},
            {"delta": {"content": "One pair [glasses.pdf#page=2].", "role": None}, "context": None},
        ),
    ),
    "the published protocol": (
        "chat-protocol",
        lines(
            {"delta": {"role": "assistant"}, "context": CONTEXT, "sessionState": "s1"},
            {"delta": {"content": "One "}, "sessionState": None},
            {"delta": {"content": "pair [glasses.pdf#page=2]."}},
            {"delta": {}},
        ),
    ),
    "the published protocol with context inside the message": (
        "chat-protocol",
        lines(
            {
                "message": {"role": "assistant", "content": "One pair [glasses.pdf#page=2].", "context": CONTEXT},
                "sessionState": "s1",
            }
        ),
    ),
    "the Responses shape": (
        "responses",
        lines(
            {"type": "response.context", "delta": None, "context": CONTEXT, "session_state": "s1"},
            {"type": "response.output_text.delta", "delta": "One ", "context": None, "session_state": None},
            {"type": "response.output_text.delta", "delta": "pair [glasses.pdf#page=2]."},
        ),
    ),
    "the Responses shape with everything that repeats the text": (
        "responses",
        lines(
            {"type": "response.created", "response": {"id": "r", "error": None, "output": []}},
            {"type": "response.context", "context": CONTEXT, "session_state": "s1"},
            {"type": "response.output_text.delta", "delta": "One ", "snapshot": "One "},
            {"type": "response.output_text.delta", "delta": "pair [glasses.pdf#page=2].", "snapshot": "…"},
            {"type": "response.output_text.done", "text": "One pair [glasses.pdf#page=2]."},
            {
                "type": "response.completed",
                "response": {
                    "output": [
                        {
                            "type": "message",
                            "content": [{"type": "output_text", "text": "One pair [glasses.pdf#page=2]."}],
                        }
                    ]
                },
            },
        ),
    ),
    "the Responses shape with a call, an annotation and a conversation": (
        "responses",
        lines(
            {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
            {
                "type": "response.output_item.done",
                "output_index": 0,
                "item": {"type": "mcp_call", "id": "m", "name": "Search", "output": "glasses"},
            },
            {
                "type": "response.content_part.added",
                "output_index": 1,
                "content_index": 0,
                "part": {"type": "output_text", "text": "", "annotations": []},
            },
            {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "One pair【4:0"},
            {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "†source】"},
            {
                "type": "response.output_text.annotation.added",
                "output_index": 1,
                "content_index": 0,
                "annotation": {
                    "type": "file_citation",
                    "filename": "glasses.pdf#page=2",
                    "index": 8,
                    "content": "The plan pays for one pair.",
                },
            },
            {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "."},
            {"type": "response.completed", "response": {"status": "completed", "conversation": {"id": "s1"}}},
        ),
    ),
    "the Responses shape, one answer": (
        "responses",
        lines({"output_text": "One pair [glasses.pdf#page=2].", "context": CONTEXT, "session_state": "s1"}),
    ),
    "2023": (
        "answer",
        lines(
            {
                "answer": "One pair [glasses.pdf#page=2].",
                "data_points": ["glasses.pdf#page=2: The plan pays for one pair."],
                "thoughts": "Search:<br>glasses",
                "session_state": "s1",
            }
        ),
    ),
}


ERRORS: dict[str, tuple[object, str, str | None]] = {
    "a string": ({"error": "disk full"}, "disk full", None),
    "an object": ({"error": {"code": "507", "message": "disk full"}}, "disk full", "507"),
    "a type in place of a code": ({"error": {"type": "quota", "message": "disk full"}}, "disk full", "quota"),
    "nested objects": ({"error": {"error": {"message": "disk full"}}}, "disk full", None),
    "JSON in a string": ({"error": '{"error": {"message": "disk full"}}'}, "disk full", None),
    "a list": ({"error": [{"message": "disk full"}, "really"]}, "disk full; really", None),
    "a number": ({"error": 507}, "507", None),
    "an empty string": ({"error": ""}, "without saying what it was", None),
    "an empty object": ({"error": {}}, "without saying what it was", None),
    "a bare code and message": ({"code": "internal", "message": "disk full"}, "disk full", "internal"),
    "a bare code with an empty message": ({"code": "internal", "message": ""}, "internal", "internal"),
    "a typed error": ({"type": "error", "message": "disk full", "code": "E7"}, "disk full", "E7"),
    "a failed response": (
        {"type": "response.failed", "response": {"error": {"code": "E7", "message": "disk full"}}},
        "disk full",
        "E7",
    ),
    "a failed response without words": ({"type": "response.failed"}, "response.failed", "response.failed"),
    "an incomplete response": (
        {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}},
        "max_output_tokens",
        "response.incomplete",
    ),
    "a filtered response": (
        {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}},
        "filter",
        "content_filter",
    ),
    "a finish reason": (
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "content_filter"}]},
        "filter",
        "content_filter",
    ),
    "Fastify's": (
        {"statusCode": 400, "error": "Bad Request", "message": "body must be object"},
        "body must be object",
        "400",
    ),
    "FastAPI's list": (
        {"detail": [{"loc": ["body", "messages"], "msg": "Field required"}]},
        "body.messages: Field required",
        None,
    ),
    "FastAPI's string": ({"detail": "Not Found"}, "Not Found", None),
    "a Python repr": (
        {"error": "Error code: 429 - {'error': {'message': 'Slow down.', 'code': 'rate', 'param': None}}"},
        "Slow down.",
        "rate",
    ),
    "a bare code and message among empty keys": (
        {"code": "internal", "message": "disk full", "delta": {}, "context": None, "choices": [], "answer": ""},
        "disk full",
        "internal",
    ),
    "a detail among empty keys": ({"detail": "disk full", "delta": None, "data_points": []}, "disk full", None),
    "an error in a delta": ({"delta": {"error": {"message": "disk full"}}}, "disk full", None),
    "an error in a message": ({"message": {"error": {"message": "disk full", "code": "E7"}}}, "disk full", "E7"),
    "an error in a choice's delta": (
        {"choices": [{"index": 0, "delta": {"error": {"message": "disk full"}}}]},
        "disk full",
        None,
    ),
    "a finish reason of the sample app": (
        {"choices": [{"messages": [{"role": "assistant", "content": ""}], "finish_reason": "content_filter"}]},
        "filter",
        "content_filter",
    ),
    "a reason of Ollama's": (
        {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "content_filter"},
        "filter",
        "content_filter",
    ),
    "a filtered response that does not call itself one": (
        {"output_text": "A", "status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
        "filter",
        "content_filter",
    ),
    "an error of AG-UI": ({"type": "RUN_ERROR", "message": "disk full", "code": "E7"}, "disk full", "E7"),
    "an error of AG-UI without a code": ({"type": "RUN_ERROR", "message": "disk full"}, "disk full", None),
    "an error in a choice": ({"choices": [{"error": {"message": "disk full"}}]}, "disk full", None),
    "an error message of the sample app": (
        {"choices": [{"messages": [{"role": "error", "content": "disk full"}]}]},
        "disk full",
        None,
    ),
}


PLACES_NAMES = (
    "delta", "message", "choices", "context", "session_state", "sessionState", "history_metadata", "error",
    "type", "output_text", "output", "response", "answer", "data_points", "thoughts", "followup_questions",
    "citations", "content", "role", "messages", "index", "finish_reason", "usage", "code", "detail", "text",
    "images", "title", "description", "props", "url", "filepath", "id", "done", "intent",
    "all_retrieved_documents", "reasoning", "external_results_metadata", "incomplete_details", "reason",
    "object", "loc", "msg", "messageId", "toolCallId", "snapshot", "patch", "metadata", "outcome", "toolCalls", "value",
)  # fmt: skip
