from tests.stand_ins.stand_in import lines

PASSAGES = ["glasses.pdf#page=2: The plan pays for one pair."]
CONTEXT = {
    "data_points": {"text": PASSAGES},
    "thoughts": [{"title": "Search", "description": "glasses", "props": {"top": 3}}],
}
TEXT = "One pair [glasses.pdf#page=2]."
BESIDE = {"context": CONTEXT, "session_state": "s1"}
FIRST, LAST = {"content": "One "}, {"content": "pair [glasses.pdf#page=2]."}
SAID = {"role": "assistant", "content": TEXT}
CHUNK = {"object": "chat.completion.chunk"}
OUTPUT = {"type": "output_text", "text": TEXT}
DELTA = {"type": "response.output_text.delta"}
CALL = {"type": "mcp_call", "id": "m", "name": "Search", "output": "glasses"}
PLACE = {"output_index": 1, "content_index": 0}
ANNOTATION = {
    "type": "file_citation", "filename": "glasses.pdf#page=2", "index": 8, "content": "The plan pays for one pair.",
}  # fmt: skip


def choice(**fields: object) -> dict[str, object]:
    return {"choices": [fields]}


STREAMS: dict[str, tuple[str, bytes]] = {
    "choices with context and state beside the delta": (
        "choices",
        lines(
            choice(delta={"role": "assistant"}, **BESIDE),
            {**choice(delta=FIRST), **CHUNK},
            {**choice(delta=LAST), **CHUNK},
        ),
    ),
    "choices with context in every delta": (
        "choices",
        lines(
            choice(index=0, delta={**FIRST, "role": "assistant", "context": CONTEXT}),
            choice(index=0, delta={**LAST, "context": CONTEXT}),
            {"session_state": "s1"},
        ),
    ),
    "choices, one answer": ("choices", lines(choice(message=SAID, **BESIDE))),
    "flat deltas": ("flat", lines({"delta": {"role": "assistant"}, **BESIDE}, {"delta": FIRST}, {"delta": LAST})),
    "flat, one answer on a streaming path": ("flat", lines({"message": SAID, **BESIDE})),
    "a null delta first": (
        "flat",
        lines(
            {"delta": None, **BESIDE},
            {"delta": {"content": TEXT, "role": None}, "context": None},
        ),
    ),
    "the published protocol": (
        "chat-protocol",
        lines(
            {"delta": {"role": "assistant"}, "context": CONTEXT, "sessionState": "s1"},
            {"delta": FIRST, "sessionState": None},
            {"delta": LAST},
            {"delta": {}},
        ),
    ),
    "the published protocol with context inside the message": (
        "chat-protocol",
        lines({"message": {**SAID, "context": CONTEXT}, "sessionState": "s1"}),
    ),
    "the Responses shape": (
        "responses",
        lines(
            {"type": "response.context", "delta": None, **BESIDE},
            {**DELTA, "delta": "One ", "context": None, "session_state": None},
            {**DELTA, "delta": "pair [glasses.pdf#page=2]."},
        ),
    ),
    "the Responses shape with everything that repeats the text": (
        "responses",
        lines(
            {"type": "response.created", "response": {"id": "r", "error": None, "output": []}},
            {"type": "response.context", **BESIDE},
            {**DELTA, "delta": "One ", "snapshot": "One "},
            {**DELTA, "delta": "pair [glasses.pdf#page=2].", "snapshot": "…"},
            {"type": "response.output_text.done", "text": TEXT},
            {"type": "response.completed", "response": {"output": [{"type": "message", "content": [OUTPUT]}]}},
        ),
    ),
    "the Responses shape with a call, an annotation and a conversation": (
        "responses",
        lines(
            {"type": "response.created", "response": {"id": "r", "status": "in_progress", "output": []}},
            {"type": "response.output_item.done", "output_index": 0, "item": CALL},
            {"type": "response.content_part.added", "part": {**OUTPUT, "text": "", "annotations": []}, **PLACE},
            {**DELTA, "delta": "One pair【4:0", **PLACE},
            {**DELTA, "delta": "†source】", **PLACE},
            {"type": "response.output_text.annotation.added", "annotation": ANNOTATION, **PLACE},
            {**DELTA, "delta": ".", **PLACE},
            {"type": "response.completed", "response": {"status": "completed", "conversation": {"id": "s1"}}},
        ),
    ),
    "the Responses shape, one answer": ("responses", lines({"output_text": TEXT, **BESIDE})),
    "2023": (
        "answer",
        lines({"answer": TEXT, "data_points": PASSAGES, "thoughts": "Search:<br>glasses", "session_state": "s1"}),
    ),
}
