"""OpenAI's Responses: placed citations, steps, finish reasons, and the server-kept conversation."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import ChatRequest, Message
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import ContextReceived, SessionState, TextDelta, UsageReceived
from chat_ui.protocol.transport.client import AsyncClient
from tests.protocol.asking import PATIENT, QUESTION, asked_anywhere, error_of, events, folded
from tests.protocol.damage import read, recorded
from tests.protocol.recorded import RECORDED
from tests.stand_ins.lookalikes import JSON, LOOKALIKES
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

OPENAI = "responses/openai-python-3.57.0-"
FOUNDRY = "responses/azure-ai-agentserver-responses-2.3.0-"
LITELLM = "responses/litellm-1.108.7-"
DEVUI = "responses/agent-framework-devui-1.0.0b261022-"


def text_delta(text: str, index: int = 0) -> dict[str, object]:
    return {"type": "response.output_text.delta", "delta": text, "output_index": index, "content_index": 0}


def annotation_added(annotation: Mapping[str, object], index: int = 0) -> dict[str, object]:
    places = {"output_index": index, "content_index": 0}
    return {"type": "response.output_text.annotation.added", "annotation": annotation, **places}


def item_done(item: Mapping[str, object], **places: object) -> dict[str, object]:
    return {"type": "response.output_item.done", "item": item, **places}


def completed(*output: object) -> dict[str, object]:
    return {"type": "response.completed", "response": {"status": "completed", "output": [*output]}}


def complete(text: str, *annotations: object, **fields: object) -> dict[str, object]:
    content = {"type": "output_text", "text": text, "annotations": list(annotations)}
    message = {"type": "message", "role": "assistant", "content": [content]}
    return {"object": "response", "status": "completed", "output": [message], **fields}


def page(start: int, end: int, url: str = "https://example.com/a") -> dict[str, object]:
    return {"type": "url_citation", "url": url, "title": "A", "start_index": start, "end_index": end}


TEXTS = {
    OPENAI + "web-search.sse": (
        "The plan pays for one pair [https://example.com/plan]. Tests are free [https://example.com/eyes]."
    ),
    OPENAI + "file-search.sse": "The plan pays for one pair [glasses.pdf]. Tests are free [eyes.pdf][glasses.pdf].",
    OPENAI + "code.sse": "The chart is ready: [chart.png]. The table is too. [file-9]\n\nAnything else?",
    FOUNDRY + "cited.sse": (
        "The plan pays for one pair [glasses.pdf]. See the page [https://example.com/plan] for more."
        " [chart.png][file-9]"
    ),
    FOUNDRY + "code.sse": "Two.\n\nAnd more.",
    **dict.fromkeys(
        [LITELLM + case for case in ("cite.sse", "cite.json", "claude.sse", "claude.json")],
        "The plan pays for one pair. [https://example.com/plan]",
    ),
    LITELLM + "reason.sse": "One pair.",
    DEVUI + "cited.sse": "One pair, after 1 messages.",
}


def test_a_repeated_item_is_told_a_few_times_and_an_untyped_one_not() -> None:
    assert read(item_done({"type": "", "id": "m", "name": "f"})).thoughts == ()
    done = [item_done({"type": "mcp_call", "id": "m", f"key{number}": "x"}) for number in range(1_000)]
    assert len([event for event in events(lines(*done)) if isinstance(event, ContextReceived)]) < 20


def test_a_cut_answer_has_the_sources_of_its_steps() -> None:
    plan = page(0, 9, "https://example.com/plan")
    part = {"type": "output_text", "text": "One pair.", "annotations": [plan]}
    done = {"content_part": {"part": part}, "output_item": {"item": {"type": "message", "content": [part]}}}
    for end, told in done.items():
        answer = read(text_delta("One pair."), {"type": f"response.{end}.done", "output_index": 0, **told})
        assert answer.bracketed_text == "One pair. [https://example.com/plan]"
        assert [point.id for point in answer.data_points] == ["https://example.com/plan"]


def message(*texts: str, **fields: object) -> dict[str, object]:
    parts = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "role": "assistant", "content": parts, **fields}


def streamed(key: str, *texts: str, index: int = 0) -> list[dict[str, object]]:
    """The events of a message with streamed parts, each with its item, output and content index."""
    added = {"type": "response.output_item.added", "output_index": index, "item": message(id=key)}
    told: list[dict[str, object]] = [added]
    for place, text in enumerate(texts):
        places = {"item_id": key, "output_index": index, "content_index": place}
        told += [
            {"type": "response.content_part.added", "part": {"type": "output_text", "text": ""}, **places},
            *({"type": "response.output_text.delta", "delta": character, **places} for character in text),
            {"type": "response.output_text.done", "text": text, **places},
        ]
    return [*told, item_done(message(*texts, id=key), output_index=index)]


def bare(*texts: str, **places: object) -> list[dict[str, object]]:
    return [{"type": "response.output_text.delta", "delta": text, **places} for text in texts]


CALL = {"type": "function_call", "id": "f", "call_id": "c", "name": "look_up", "arguments": "{}"}
TOLD_AGAIN: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], str]] = {
    "at another place, in parts": (streamed("m", "One two", index=2), [message("One", " two", id="m")], "One two"),
    "at another place, parts joined": (streamed("m", "One", " two", index=2), [message("One two", id="m")], "One two"),
    "with a part more": (streamed("m", "One"), [message("One", " two", id="m")], "One two"),
    "without blanks": (streamed("m", " One two\n", index=2), [message("One two", id="n")], " One two\n"),
    "deltas with a place alone": (bare("One", " two", output_index=2), [message("One two", id="m")], "One two"),
    "deltas with an id alone": (bare("One", " two", item_id="m"), [CALL, message("One two", id="n")], "One two"),
    "deltas alone": (bare("One", " two"), [CALL, message("One", " two", id="m")], "One two"),
    "two, one of them before the other": (
        [*streamed("m", "One.", index=1), *streamed("n", "Two.", index=3)],
        [message("One.", id="m"), CALL, message("Two.", id="n")], "One.\n\nTwo.",
    ),
    "two, at one place": (
        [*streamed("m", "One."), *streamed("n", "Two.")],
        [message("One.", id="m"), message("Two.", id="n")], "One.\n\nTwo.",
    ),
    "longer than it was streamed": (bare("One", item_id="m"), [message("One two", id="m")], "One two"),
    "longer, in parts": (bare("One", item_id="m"), [message("On", "e two", id="m")], "One two"),
    "longer, under another id": (bare("One", output_index=2), [CALL, message("One two", id="n")], "One two"),
    "longer, its item alone done": (
        [*bare("One", item_id="m"), item_done(message("One two", id="m"))], [message("One two", id="m")], "One two",
    ),
    "longer, of two": (
        [*streamed("m", "One."), *bare("Two", item_id="n", output_index=1)],
        [message("One.", id="o"), message("Two and more.", id="p")], "One.\n\nTwo and more.",
    ),
    "shorter than it was streamed": (streamed("m", "One two"), [message("One", id="m")], "One two"),
    "two alike": (
        [*streamed("m", "OK"), *streamed("n", "OK", index=1)],
        [message("OK", id="m"), message("OK", id="n")], "OK\n\nOK",
    ),
    "two alike that were not streamed": (
        [item_done(message("OK", id=key), output_index=0) for key in "mn"],
        [message("OK", id="m"), message("OK", id="n")], "OK\n\nOK",
    ),
    "two alike, parts of one": (
        [item_done(message("OK. ", "OK. ", id="m"))], [message("OK. ", "OK. ", id="m")], "OK. OK. ",
    ),
    "two alike under one id": ([], [message("OK", id="m"), message("OK", id="m")], "OK\n\nOK"),
    "the last alone": (
        [*streamed("m", "One."), *streamed("n", "Two.", index=1)], [message("Two.", id="o")], "One.\n\nTwo.",
    ),
    "two, done in another order": (
        [*streamed("m", "One.")[:-1], *streamed("n", "Two.", index=1), streamed("m", "One.")[-1]],
        [message("Two.", id="n"), message("One.", id="m")], "One.\n\nTwo.",
    ),
    "two without parts": (
        [*(streamed(key, "x")[0] for key in "mn"), *bare("One.")], [message("One.", id="o")], "One.",
    ),
    "halves of a pair": (bare("One \ud83d", "\ude00"), [message("One \U0001f600", id="m")], "One \U0001f600"),
    "without the marks of its citations": (
        streamed("m", "One pair【4:0†plan.pdf】. Tests are free."),
        [message("One pair. Tests are free.", id="m")], "One pair【4:0†plan.pdf】. Tests are free.",
    ),
    "in other words": (
        streamed("m", "One pair."), [message("I cannot help.", id="m")], "One pair.\n\nI cannot help.",
    ),
    "one that is new": (
        streamed("m", "One.", index=1), [message("One.", id="m"), message("One", id="n")], "One.\n\nOne",
    ),
}  # fmt: skip


@pytest.mark.parametrize("end", ["completed", "failed", "incomplete"])
def test_a_text_repeated_in_the_whole_response_is_taken_once(end: str) -> None:
    for name, (told, output, text) in TOLD_AGAIN.items():
        complete = {"type": f"response.{end}", "response": {"object": "response", "status": end, "output": output}}
        assert read(*told, complete).text == text, name


def test_a_whole_response_without_items_adds_the_missing_text() -> None:
    for told in ([], bare("One"), bare("One two"), streamed("m", "One", " two")):
        assert read(*told, {"type": "response.completed", "response": {"output_text": "One two"}}).text == "One two"


@st.composite
def retellings(draw: st.DrawFn) -> tuple[str, list[dict[str, object]]]:
    """The text of some messages, and events with all of it, some repeated, in random parts and places."""
    texts = st.sampled_from(["OK", "OK", " OK", "One", " two", "\n\n", "Yes.", ""])
    parts = st.lists(st.lists(texts, max_size=3).map("".join), min_size=1, max_size=3)
    messages = draw(st.lists(parts, min_size=1, max_size=3))
    text = "".join("".join(pieces) for pieces in messages)
    drawn = draw(st.sets(st.sampled_from(["delta", "added", "text.done", "part.done", "item.done", "index", "cut"])))
    told: list[dict[str, object]] = []
    for number, pieces in enumerate(messages):
        index = {"output_index": 2 * number} if "index" in drawn else {}
        events = [{**event, **index} for event in streamed(f"m{number}", *pieces)]
        kinds = {"delta": "_text.delta", "added": "added", "text.done": "_text.done", "item.done": "item.done"}
        kept = tuple(end for kind, end in kinds.items() if kind in drawn)
        told += [event for event in events if str(event["type"]).endswith(kept)] if kept else []
        # The end of a text may come only with the whole text, unless one index has the texts of several messages.
        if "cut" in drawn and ("index" in drawn or len(messages) == 1) and "_text.delta" in str(told[-1:]):
            told.pop()
    again = [["".join(pieces)] for pieces in messages] if draw(st.booleans()) else messages
    named: list[list[dict[str, object]]] = [
        [message(*pieces, id=f"m{number}") for number, pieces in enumerate(again)],
        [message(*pieces, id=f"n{number}") for number, pieces in enumerate(again)],
        [message(*pieces) for pieces in again],
        [message(text, id="n")],
    ]
    return text, [*told, completed(*draw(st.sampled_from(named)))]


@given(retellings())
def test_every_word_is_taken_once_however_often_it_is_repeated(case: tuple[str, list[dict[str, object]]]) -> None:
    text, told = case
    assert "".join(read(*told).text.split()) == "".join(text.split())


def test_a_citation_is_taken_once_if_its_part_is_repeated() -> None:
    apart, joined = message("One pair.", " Tests are free.", id="m"), message("One pair. Tests are free.", id="m")
    for again, place in ((apart, page(1, 16)), (joined, page(10, 25))):
        again["content"][-1]["annotations"] = [place]  # type: ignore[index]
        told = [
            *streamed("m", "One pair.", " Tests are free.", index=2)[:-1],
            {**annotation_added(page(1, 16), 2), "item_id": "m", "content_index": 1},
            completed(again),
        ]
        assert read(*told).bracketed_text == "One pair. Tests are free. [https://example.com/a]"


MARKS = {
    OPENAI + "web-search.sse": ["([The plan](https://example.com/plan))", "([Eyes](https://example.com/eyes))"],
    OPENAI + "file-search.sse": ["【4:0†glasses.pdf】", "【4:1†eyes.pdf】", "【4:0†glasses.pdf】"],
    LITELLM + "cite.sse": [""],
}


def test_annotations_become_placed_citations_with_found_passages() -> None:
    answers = {name: recorded(name) for name in TEXTS}
    assert {name: answer.bracketed_text for name, answer in answers.items()} == TEXTS
    for answer in answers.values():
        assert answer.error is None
        assert {citation.label for citation in answer.citations} <= {point.id for point in answer.data_points}
    for name, marks in MARKS.items():
        answer = recorded(name)
        sent = "".join(event.text for event in events(RECORDED[name]) if isinstance(event, TextDelta))
        assert sent == answer.text
        assert [answer.text[citation.start : citation.end] for citation in answer.citations] == marks
    points = {point.id: point for point in recorded(OPENAI + "file-search.sse").data_points}
    assert points["glasses.pdf"].text == "One pair a year."
    points = {point.id: point for point in recorded(OPENAI + "web-search.sse").data_points}
    assert points["https://example.com/plan"].source == "The plan"
    assert set(points) == {"https://example.com/plan", "https://example.com/more", "https://example.com/eyes"}
    (point,) = recorded(LITELLM + "claude.json").data_points
    assert (point.source, point.text) == ("The plan", "One pair a year.")


STEPS = {
    OPENAI + "tools.sse": [
        ("Tools of docs", None),
        ("search", [{"title": "Glasses", "url": "https://example.com/glasses", "text": "One pair a year."}]),
        ("read failed", {"type": "mcp_protocol_error", "code": 404, "message": "The document is gone."}),
        ("calculate", "2"),
        ("Image", None),
    ],
    FOUNDRY + "cited.sse": [
        ("File search", None), ("Web search", None), ("search", "Two documents"), ("lookup", {"pairs": 1}),
    ],
    DEVUI + "cited.sse": [("lookup", "One pair a year.")],
    OPENAI + "code.sse": [
        ("Code", [{"type": "logs", "logs": "2\n"}, {"type": "image", "url": "https://example.com/chart.png"}]),
    ],
}  # fmt: skip


def test_each_call_is_one_step_with_its_result_and_arguments() -> None:
    assert {name: [(step.title, step.description) for step in recorded(name).thoughts] for name in STEPS} == STEPS
    steps = {step.title: step.props or {} for step in recorded(OPENAI + "tools.sse").thoughts}
    assert steps["search"]["arguments"] == {"query": "glasses"}
    assert steps["calculate"]["input"] == "1 + 1"
    assert steps["Image"]["revised_prompt"] == "A pair of glasses"
    assert "aGVsbG8=" not in repr(steps)


def test_reasoning_usage_and_refusals_are_told_beside_the_text() -> None:
    for name in (OPENAI + "web-search.sse", FOUNDRY + "cited.sse", LITELLM + "reason.sse"):
        assert "The plan is looked up." in recorded(name).reasoning, name
    found = [event for event in events(RECORDED[OPENAI + "web-search.sse"]) if isinstance(event, UsageReceived)]
    assert [event.usage["total_tokens"] for event in found] == [12]
    for answer in (recorded(OPENAI + "refusal.sse"), recorded(FOUNDRY + "refusal.sse")):
        assert (answer.text, answer.error) == ("I cannot help with that.", None)
        assert [warning.code for warning in answer.warnings] == ["refusal"]


ENDS = {
    OPENAI + "incomplete-max-output-tokens.sse": ("One pair of", "length limit", "response.incomplete"),
    OPENAI + "incomplete-content-filter.sse": ("One pair of", "content filter", "content_filter"),
    OPENAI + "failed.sse": ("One pair of", "Rate limit reached for gpt-5.", "rate_limit_exceeded"),
    OPENAI + "error.sse": ("One pair of", "The server had an error.", "server_error"),
    FOUNDRY + "incomplete.sse": ("One pair of", "length limit", "response.incomplete"),
    FOUNDRY + "filtered.sse": ("One pair of", "content filter", "content_filter"),
    FOUNDRY + "failed.sse": ("One", "The model is busy.", "rate_limit_exceeded"),
    FOUNDRY + "raise.sse": ("One pair of", "An internal server error occurred.", "server_error"),
    LITELLM + "long.sse": ("One pair of", "length limit", "response.incomplete"),
}


def test_an_answer_that_ends_early_says_why_and_keeps_its_text() -> None:
    for name, (text, words, code) in ENDS.items():
        answer = recorded(name)
        error = error_of(answer)
        assert (answer.text, error.code) == (text, code), name
        assert words in error.message, name


STATES: dict[str, SessionState | None] = {
    OPENAI + "web-search.sse": SessionState("conversation", "conv_1"),
    OPENAI + "file-search.sse": SessionState("previous_response_id", "resp_1"),
    # The server claims to store responses, and stores none.
    LITELLM + "cite.sse": None,
    DEVUI + "cited.sse": None,
}


def test_a_server_kept_conversation_is_continued_unless_disabled() -> None:
    assert {name: recorded(name).session_state for name in STATES} == STATES
    agent = {"agent_reference": {"type": "agent_reference", "name": "guide"}, "id": "resp_1"}
    assert read(complete("One.", **agent)).session_state == SessionState("previous_response_id", "resp_1")
    assert read(complete("One.", **agent, store=False)).session_state is None
    assert recorded(FOUNDRY + "cited.sse").session_state is not None


def test_the_documents_of_a_search_are_cited_by_number() -> None:
    def search(name: str, *documents: object) -> list[dict[str, object]]:
        output = json.dumps({"documents": documents, "get_urls": ["https://search.example.com/indexes/i/docs/1"]})
        return [
            {"type": "azure_ai_search_call", "id": f"a{name}", "call_id": name, "arguments": '{"query": "glasses"}'},
            {"type": "azure_ai_search_call_output", "id": f"o{name}", "call_id": name, "output": output},
        ]

    text = "One pair【4:0†source】. Two tests【4:1†source】."
    marks = [(text.index("【4:0"), "doc_0"), (text.index("【4:1"), "doc_1")]
    annotations = [{**page(at, at + 12, "https://search.example.com/"), "title": title} for at, title in marks]
    cited = message(text)
    cited["content"][0]["annotations"] = annotations  # type: ignore[index]
    items = [
        *search("c1", {"id": "k1", "title": "glasses.pdf", "content": "One pair a year.", "score": 0.5}),
        *search("c2", {"id": "k2", "title": "eyes.pdf", "content": "Two tests.", "url": "https://example.com/eyes"}),
    ]
    done = [item_done(item, output_index=at) for at, item in enumerate(items)]
    streamed, at_once = read(*done, completed(*items, cited)), read({**complete(""), "output": [*items, cited]})
    for answer in (streamed, at_once):
        assert (answer.text, answer.bracketed_text) == (text, "One pair [doc_0]. Two tests [doc_1].")
        assert [(point.id, point.source, point.text, point.url) for point in answer.data_points] == [
            ("doc_0", "glasses.pdf", "One pair a year.", None),
            ("doc_1", "eyes.pdf", "Two tests.", "https://example.com/eyes"),
        ]
        assert [step.title for step in answer.thoughts] == ["azure ai search", "azure ai search"]


def test_a_file_path_with_three_annotations_is_cited_once() -> None:
    path = {"type": "file_path", "file_id": "file-9", "index": 0}
    again = complete("Here it is. More text.", path)
    ending = {"type": "response.completed", "response": again}
    answer = read(text_delta("Here it is."), annotation_added(path), text_delta(" More text."), again, ending)
    assert [citation.label for citation in answer.citations] == ["file-9"]


def file(index: int) -> dict[str, object]:
    return {"type": "file_citation", "file_id": "file-1", "filename": "a.pdf", "index": index}


POSITIONS: dict[str, tuple[str, dict[str, object], str]] = {
    "units of UTF-16 before a mark": ("😀😀 One【4:0†a】.", page(8, 15), "😀😀 One [https://example.com/a]."),
    "characters before a mark": ("😀😀 One【4:0†a】.", page(6, 13), "😀😀 One [https://example.com/a]."),
    "the last character of a mark": ("One【4:0†a】.", page(3, 9), "One [https://example.com/a]."),
    "out of range": ("One pair.", page(90, 99), "One pair. [https://example.com/a]"),
    "negative": ("One pair.", page(-9, -5), "[https://example.com/a]One pair."),
    "backwards": ("One pair.", page(8, 3), "One [https://example.com/a] pair."),
    "within a word": ("One pair.", page(0, 6), "One pair [https://example.com/a]."),
    "within a mark": ("One【4:0†a】.", page(0, 5), "One [https://example.com/a]."),
    "brackets that are no mark": ("One【important】.", page(0, 3), "One [https://example.com/a]【important】."),
    "no number": ("One pair.", {**page(0, 0), "start_index": "a", "end_index": None},
                  "One pair. [https://example.com/a]"),
    "an index of the file in a list": ("One pair.", file(0), "One pair. [a.pdf]"),
    "an index of another file in a list": ("One pair. Two.", file(1), "One pair. Two. [a.pdf]"),
    "an index between two words": ("It is one pair. Two.", file(2), "It is one pair. Two. [a.pdf]"),
    "an index where a sentence ends": ("One pair. Two.", file(8), "One pair [a.pdf]. Two."),
    "an index in a long text": (f"{'One pair ' * 6}and two.", file(53), f"{'One pair ' * 6}[a.pdf] and two."),
    "a mark with the name of the file": ("One【4:0†a.pdf】. Two.", file(0), "One [a.pdf]. Two."),
    "a mark with the name of the file after another": ("One【4:0†b.pdf】【4:1†A.pdf】. Two.", file(1),
                                                       "One【4:0†b.pdf】 [a.pdf]. Two."),
    "a mark with the id of the file": ("One【4:0†file-1】. Two.", file(1), "One [a.pdf]. Two."),
    "a mark that names no file": ("One【4:0†source】. Two【4:1†source】.", file(9),
                                  "One [a.pdf]. Two【4:1†source】."),
    "a mark that is told": ("One【4:0†source】. Two.", {**file(1), "text": "【4:0†source】"}, "One [a.pdf]. Two."),
    "a mark of ChatGPT": ("One \ue200filecite\ue202file-1\ue202L1-L2\ue201. Two.", file(1), "One [a.pdf]. Two."),
    "a mark of ChatGPT by its place": ("One\ue200cite\ue202turn0search1\ue201. Two.", page(3, 22),
                                       "One [https://example.com/a]. Two."),
}  # fmt: skip


def test_a_citation_is_placed_by_either_meaning_of_its_numbers() -> None:
    for name, (text, annotation, expected) in POSITIONS.items():
        for answer in (read(complete(text, annotation)), read(text_delta(text), complete(text, annotation))):
            assert (answer.text, answer.bracketed_text) == (text, expected), name
    # The number of placed citations is limited.
    many = [page(at * 10, at * 10 + 9) for at in range(3_000)]
    assert len(read(complete("One pair. " * 3_000, *many)).citations) == 1_000


def test_a_cut_or_garbled_stream_keeps_its_whole_parts() -> None:
    lines = RECORDED[OPENAI + "file-search.sse"].split(b"\n\n")
    garbled = b"\n\n".join(line for pair in ((line, b"data: {oops") for line in lines) for line in pair)
    answer = folded(events(garbled))
    assert answer.bracketed_text == TEXTS[OPENAI + "file-search.sse"]
    assert any(warning.code == "not_json" for warning in answer.warnings)


def second(state: SessionState | None) -> ChatRequest:
    said = (*QUESTION.messages, Message("assistant", "One pair."), Message("user", "And for tests?"))
    return ChatRequest(said, session_state=state)


AFTER_ONE = second(SessionState("previous_response_id", "resp_1"))


async def asked(client: AsyncClient, url: str, request: ChatRequest = AFTER_ONE, **fields: Any) -> Answer:
    backend = KNOWN_BACKENDS["openai-responses"].at(url, model="small-1", **fields)
    answer, found = await asked_anywhere(client, backend, request)
    assert found.url == backend.url
    return answer


async def test_a_second_question_has_the_servers_or_the_persons_conversation() -> None:
    for name, key, value in (
        ("openai-responses", "previous_response_id", "resp_1"),
        ("foundry-agent", "conversation", "conv_1"),
    ):
        path, rule = LOOKALIKES[name]
        async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
            backend = KNOWN_BACKENDS[name].at(stand_in.url + path, headers={"api-key": "k-123456"}, model="guide")
            first = await client.ask(backend, QUESTION)
            again = await client.ask(backend, second(first.session_state))
        assert (first.text, again.text, again.error) == ("One pair.", "One pair.", None)
        sent = stand_in.requests[-1].json
        assert (sent["input"], sent[key]) == ([{"role": "user", "content": "And for tests?"}], value)
    path, rule = LOOKALIKES["openai-responses"]
    async with StandIn(rule).running() as stand_in, AsyncClient(PATIENT) as client:
        await asked(client, stand_in.url + path, second(None), extra_body={"conversation": "conv_7"})
    assert stand_in.requests[0].json["conversation"] == "conv_7"
    assert stand_in.requests[0].json["input"] == [{"role": "user", "content": "And for tests?"}]


WITHOUT_MEMORY = {
    "Unsupported parameter: 'previous_response_id'.": 400,
    "Previous response with id 'resp_1' not found.": 404,
    "previous_response_id: Extra inputs are not permitted": 422,
    "Malformed identifier.": 400,
}


@pytest.mark.parametrize(("said", "status"), WITHOUT_MEMORY.items())
async def test_a_server_without_memory_is_asked_again_with_the_history(said: str, status: int) -> None:
    path, rule = LOOKALIKES["openai-responses"]

    def reply(request: Received) -> Reply:
        if request.method == "POST" and "previous_response_id" in request.json:
            return Reply([lines({"error": {"message": said}})], status, JSON)
        return rule(request)

    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        answers = [await asked(client, stand_in.url + path) for _ in range(2)]
    assert [(answer.text, answer.error) for answer in answers] == [("One pair.", None)] * 2
    # The client remembers that the server has no memory.
    assert [len(one.json["input"]) for one in stand_in.requests] == [1, 3, 3]


LOST = {"code": "server_error", "message": "previous_response_id was lost"}
ENDINGS = ("failed", "incomplete")


async def test_a_started_answer_is_not_asked_for_again() -> None:
    thinking = {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}}
    for begun, ending, text in ((thinking, "failed", ""), *((text_delta("One"), end, "One") for end in ENDINGS)):
        body = lines(begun, {"type": f"response.{ending}", "response": {"error": LOST}})
        async with StandIn(Reply([body])).running() as stand_in, AsyncClient(PATIENT) as client:
            answer = await asked(client, f"{stand_in.url}/v1/responses")
        assert (answer.text, answer.error is None, len(stand_in.requests)) == (text, False, 1)
