"""The end of an answer: the mark that ends its stream, and the backend's finish reason."""

import json
from dataclasses import replace

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.events import FINISH_LENGTH, FINISH_REASON, NO_END, Timing
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, QUESTION, answer_of, answer_to, error_of
from tests.protocol.recorded import RECORDED
from tests.stand_ins.stand_in import Reply, StandIn, lines

Json = dict[str, object]
CONTEXT = {"data_points": {"text": ["a.pdf: One pair."]}}
SAMPLE = {"role": "assistant", "content": "One pair"}


def events(*values: Json, named: bool = False) -> bytes:
    heads = (f"event: {value['type']}\n" if named else "" for value in values)
    return "".join(f"{head}data: {json.dumps(value)}\n\n" for head, value in zip(heads, values, strict=True)).encode()


def chunk(text: str | None = None, reason: str | None = None) -> Json:
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}


DONE = b"data: [DONE]\n\n"
CREATED: Json = {"type": "response.created", "response": {"id": "r", "status": "in_progress"}}
DELTA: Json = {"type": "response.output_text.delta", "delta": "One pair"}
COMPLETED: Json = {"type": "response.completed", "response": {"id": "r", "status": "completed"}}
INCOMPLETE: Json = {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}}
STARTED: Json = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
SAID: Json = {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "One pair"}
OLLAMA: Json = {"model": "m", "message": {"role": "assistant", "content": "One pair"}, "done": False}
PART: Json = {"type": "text-delta", "id": "1", "delta": "One pair"}
STEP = b'f:{"messageId":"msg-1"}\n0:"One pair"\n'
ON_YOUR_DATA: Json = {
    "object": "extensions.chat.completion.chunk",
    "choices": [{"index": 0, "delta": {"content": "One pair", "context": {"citations": [], "intent": "[]"}}}],
}

ENDLESS: dict[str, bytes] = {
    "chat completions": events(chunk("One pair")),
    "chat completions whose reasons are empty": events(chunk("One pair", "")),
    "chat completions whose reasons are “null”": events(chunk("One pair", "null")),
    "chat completions with the message so far": events(
        {"object": "chat.completion.chunk", "choices": [{"delta": {"content": "One pair"}, "message": {"content": ""}}]}
    ),
    "chat completions as lines": lines(chunk("One pair")),
    "On Your Data": events(ON_YOUR_DATA),
    "Responses": events(CREATED, DELTA),
    "Responses with [DONE]": events(CREATED, DELTA) + DONE,
    "Responses that began before": events({**DELTA, "item_id": "m", "sequence_number": 7}),
    "Responses by the names of the events": events(DELTA, named=True),
    "AG-UI": events(STARTED, SAID),
    "Ollama": lines(OLLAMA),
    "AI SDK": events(PART),
    "AI SDK with [DONE]": events(PART) + DONE,
    "AI SDK's data stream": STEP,
    "AI SDK's data stream after a step with calls": STEP + b'e:{"finishReason":"tool-calls"}\n',
}
ENDED: dict[str, bytes] = {
    "chat completions, a reason": events(chunk("One pair"), chunk(None, "stop")),
    "chat completions, [DONE]": events(chunk("One pair")) + DONE,
    "chat completions, [DONE] in quotation marks": events(chunk("One pair")) + b'data: "[DONE]"\n\n',
    "chat completions, whole": lines(
        {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "One pair"}}]}
    ),
    "On Your Data": events(ON_YOUR_DATA, chunk(None, "stop")),
    "Responses": events(CREATED, DELTA, COMPLETED),
    "Responses, kept alive": events(CREATED, {"type": "keepalive", "sequence_number": 3}, DELTA, COMPLETED),
    "Responses of OpenRouter": events(CREATED, DELTA, {**COMPLETED, "type": "response.done"}),
    "Responses, whole": lines(
        {"id": "r", "object": "response", "output": [{"type": "message", "content": [{"text": "One pair"}]}]}
    ),
    "AG-UI": events(STARTED, SAID, {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    "Ollama": lines(OLLAMA, {"model": "m", "done": True, "done_reason": "stop"}),
    "Ollama, of one prompt": lines(
        {"model": "m", "response": "One pair", "done": False},
        {"model": "m", "response": "", "done": True, "done_reason": "stop", "context": [1, 2]},
    ),
    "AI SDK": events(PART, {"type": "finish", "finishReason": "stop"}),
    "AI SDK's data stream": STEP + b'd:{"finishReason":"stop"}\n',
    "AI SDK's data stream, the last step": STEP + b'e:{"finishReason":"stop","isContinued":false}\n',
    "lines of text alone": b'0:"One "\n0:"pair"\n',
    "the AI Chat Protocol, 2024-01": lines(
        {"object": "chat.completion.chunk", "choices": [{"delta": {"role": "assistant"}, "context": CONTEXT}]},
        chunk("One pair"),
    ),
    "the AI Chat Protocol, 2024-05": lines({"delta": {"content": "One pair"}}),
    "Microsoft's AI Chat Protocol": lines({"delta": {"content": "One pair"}, "sessionState": "s"}),
    "the AI Chat Protocol of 2026": lines(DELTA),
    "the AI Chat Protocol of 2026 around events of a model": lines(
        {"type": "response.context", "context": CONTEXT}, {**DELTA, "item_id": "m", "sequence_number": 4}
    ),
    "the sample app": lines({"choices": [{"messages": [{"role": "assistant", "content": "One pair"}]}]}),
    "the sample of 2023": lines({"answer": "One pair"}),
}


async def test_a_stream_closed_before_its_end_is_cut_off() -> None:
    answers = {case: answer_of(body) for case, body in ENDLESS.items()}
    for case, answer in answers.items():
        assert (case, answer.text, answer.complete, answer.error) == (case, "One pair", False, None)
        assert answer.incomplete_details is not None
        assert (answer.incomplete_details.code, "the stream ended without" in answer.incomplete_details.detail) == (
            NO_END,
            True,
        )
    assert await over_http(ENDLESS["Responses"]) == answers["Responses"]
    before_its_text = error_of(answer_of(events(chunk(""))))
    assert before_its_text.message == "The backend sent no text: the stream ended without finish_reason."


async def test_an_ended_answer_is_whole() -> None:
    answers = {case: answer_of(body) for case, body in ENDED.items()}
    for case, answer in answers.items():
        assert (case, answer.text, answer.complete, answer.error, answer.warnings) == (case, "One pair", True, None, ())
    assert await over_http(ENDED["Responses"]) == answers["Responses"]


async def over_http(body: bytes) -> Answer:
    return replace(await answer_to(Reply([body])), timing=Timing())


OPENING: Json = {"type": "response.context", "context": CONTEXT, "session_state": None}


async def answers_of(*bodies: bytes) -> list[Answer]:
    replies = iter([Reply([body]) for body in bodies])
    async with StandIn(lambda _: next(replies)).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = Backend(stand_in.url + "/chat", streaming="path")
        return [await client.ask(backend, QUESTION) for _ in bodies]


async def test_a_backend_that_marked_an_earlier_end_is_cut_off_without_one() -> None:
    closed, unclosed = lines(OPENING, DELTA, OPENING), lines(OPENING, DELTA)
    for first, second, is_complete in (
        (closed, unclosed, False),
        (closed, closed, True),
        (closed, lines(OPENING, DELTA, OPENING, {**DELTA, "delta": " ["}), True),
        (lines(OPENING, DELTA, OPENING, DELTA), unclosed, True),
        (closed, lines({"output_text": "One pair", "context": CONTEXT}), True),
        (unclosed, unclosed, True),
        (lines(DELTA), unclosed, True),
    ):
        earlier, answer = await answers_of(first, second)
        assert (earlier.complete, earlier.incomplete_details) == (True, None)
        assert (answer.complete, answer.incomplete_details and answer.incomplete_details.code) == (
            (True, None) if is_complete else (False, NO_END)
        )
    completes = [answer.complete for answer in await answers_of(closed, *[unclosed] * 4)]
    assert completes == [True, False, False, False, True]
    _, failed = await answers_of(closed, lines(OPENING, DELTA, {"error": "Full"}))
    assert (failed.error and failed.error.message, failed.complete) == ("Full", True)


async def test_done_ends_only_its_own_streams() -> None:
    answer = await answer_to(Reply([ENDLESS["AI SDK with [DONE]"]], end="abrupt"))
    assert (answer.complete, answer.incomplete_details and answer.incomplete_details.code) == (False, NO_END)
    answer = await answer_to(Reply([ENDED["chat completions, [DONE]"]], end="abrupt"))
    assert (answer.complete, answer.incomplete_details) == (True, None)


FAILED: dict[str, bytes] = {
    "Responses": events(CREATED, DELTA, {"type": "response.failed", "response": {"error": {"message": "boom"}}}),
    "Responses, incomplete": events(CREATED, DELTA, INCOMPLETE),
    "Responses, completed as incomplete": events(
        CREATED, DELTA, {"type": "response.completed", "response": {"id": "r", "status": "incomplete"}}
    ),
    "AG-UI": events(STARTED, SAID, {"type": "RUN_ERROR", "message": "boom"}),
    "Ollama": lines(OLLAMA, {"error": "boom"}),
    "AI SDK": events(PART, {"type": "error", "errorText": "boom"}),
    "AI SDK's data stream": STEP + b'3:"boom"\n',
    "chat completions": events(chunk("One pair"), {"error": {"message": "boom"}}),
}


def test_an_error_ends_a_stream() -> None:
    for case, body in FAILED.items():
        answer = answer_of(body)
        assert (case, answer.error is None, answer.incomplete_details) == (case, False, None)


BROKEN_OFF = {"ai-sdk/ai-5.0.277-abort.sse", "ai-sdk/ai-6.0.326-abort.sse", "ai-sdk/ai-7.0.173-abort.sse"}
WITHOUT_END = {"ai-sdk/assistant-stream-0.0.36-tool.lines"}
SHORT = {"ai-sdk/ai-4.3.19-length.lines", "ai-sdk/ai-7.0.173-length.sse", "openai/litellm-1.108.7-long.sse"}


def test_a_recorded_answer_is_whole() -> None:
    answers = {name: answer_of(RECORDED[name]) for name in RECORDED.keys() - BROKEN_OFF - WITHOUT_END}
    assert {name for name, answer in answers.items() if not answer.complete} == set()
    flawed = {
        name: answer.incomplete_details.code
        for name, answer in answers.items()
        if answer.incomplete_details is not None
    }
    assert flawed == dict.fromkeys(SHORT, FINISH_LENGTH)


REASONS: dict[str, tuple[bool, str]] = {
    "SAFETY": (False, "filter stopped it (SAFETY)"),
    "RECITATION": (False, "filter stopped it (RECITATION)"),
    "prohibited_content": (False, "filter stopped it (prohibited_content)"),
    "BLOCKLIST": (False, "filter stopped it (BLOCKLIST)"),
    "SPII": (False, "filter stopped it (SPII)"),
    "LANGUAGE": (False, "reason is LANGUAGE"),
    "MALFORMED_FUNCTION_CALL": (False, "reason is MALFORMED_FUNCTION_CALL"),
    "error": (False, "reason is error"),
    "abort": (False, "reason is abort"),
    "OTHER": (True, "reason is OTHER"),
    "other": (True, "reason is other"),
    "unknown": (True, "reason is unknown"),
    "parrot": (True, "reason is parrot"),
}


def streams_with(reason: str) -> list[tuple[bytes, bytes]]:
    """For each dialect a stream with text and one without, both with this finish reason."""
    of_ollama: Json = {"model": "m", "done": True, "done_reason": reason, "message": {"content": ""}}
    of_flat: Json = {"delta": {}, "finish_reason": reason}
    of_sample_app: Json = {"choices": [{"messages": [], "finish_reason": reason}]}
    finish: Json = {"type": "finish", "finishReason": reason}
    of_ai_sdk = (events(PART, finish), events({"type": "start"}, finish))
    return [
        (events(chunk("One pair"), chunk(None, reason)), events(chunk(""), chunk(None, reason))),
        (lines(OLLAMA, of_ollama), lines(of_ollama)),
        (lines({"delta": {"content": "One pair"}}, of_flat), lines({"delta": {"content": ""}}, of_flat)),
        (lines({"choices": [{"messages": [SAMPLE]}]}, of_sample_app), lines(of_sample_app)),
        *([] if reason == "error" else [of_ai_sdk]),
    ]


def test_an_incomplete_finish_reason_is_told_or_is_the_error_without_text() -> None:
    for reason, (complete, words) in REASONS.items():
        for with_text, without in streams_with(reason):
            answer = answer_of(with_text)
            assert (answer.text, answer.complete, answer.error) == ("One pair", complete, None)
            assert answer.incomplete_details is not None
            assert answer.incomplete_details.code == FINISH_REASON
            assert words in answer.incomplete_details.detail
            message = error_of(answer_of(without)).message
            assert (words in message, "Check that the address" in message) == (True, False)


def test_a_complete_finish_reason_is_not_told_and_a_refusal_is() -> None:
    for reason in (
        "stop", "STOP", "end_turn", "end_of_turn", "stopStringFound", "eos", "eosFound", "stop-sequence",
        "FINISH_REASON_UNSPECIFIED", "FinishReason.STOP",
    ):  # fmt: skip
        for with_text, _ in streams_with(reason):
            answer = answer_of(with_text)
            assert (answer.complete, answer.error, answer.warnings) == (True, None, ())
    assert [one.code for one in answer_of(events(chunk("No."), chunk(None, "refusal"))).warnings] == ["refusal"]
    error = error_of(answer_of(events(chunk(""), chunk(None, "refusal"))))
    assert error.message == "The backend sent no text: the model refused to answer."


def test_a_length_limit_is_told_with_advice_if_there_is_no_text() -> None:
    limit = "length limit"
    for reason in (
        "length", "LENGTH", "max_tokens", "MAX_TOKENS", "maxTokens", "FinishReason.MAX_TOKENS", "model_length",
        "out_of_tokens", "maxPredictedTokensReached", "max-output-tokens",
    ):  # fmt: skip
        for with_text, without in streams_with(reason):
            answer = answer_of(with_text)
            assert (answer.complete, answer.error, answer.warnings[0].code) == (True, None, FINISH_LENGTH)
            assert limit in answer.warnings[0].detail
            message = error_of(answer_of(without)).message
            found = [words in message for words in (limit, "max_tokens", "Check that the address")]
            assert found == [True, True, False]
    thinking = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]}
    answer = answer_of(events(thinking, chunk(None, "length")))
    assert (answer.reasoning, answer.text) == ("Hm.", "")
    assert "max_completion_tokens" in error_of(answer).message
