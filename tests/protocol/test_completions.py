"""Parts of chat completions beside the text: reasoning, tool calls, refusals, citations and search results."""

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.rendering.answer import render_answer
from tests.protocol.asking import error_of, fold
from tests.protocol.damage import read, recorded
from tests.stand_ins.stand_in import lines

LITELLM = "openai/litellm-1.108.7-"


def chunk(delta: object, **fields: object) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **fields}


def completion(message: object, **fields: object) -> dict[str, object]:
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "c", "object": "chat.completion", "choices": [choice], **fields}


CITED = "The plan pays for one pair. [https://example.com/plan]"
TEXTS = {
    **dict.fromkeys(("cite.sse", "cite.json", "claude.sse", "claude.json"), CITED),
    **dict.fromkeys(("reason.sse", "reason.json", "reasoning.sse", "think.sse"), "One pair."),
    "pplx.json": "One pair [1] and two tests [2].",
}


def test_the_text_has_no_thinking_and_the_citations_are_beside_it() -> None:
    answers = {case: recorded(LITELLM + case) for case in TEXTS}
    assert {case: answer.bracketed_text for case, answer in answers.items()} == TEXTS
    for case, answer in answers.items():
        is_beside, is_thinking = case.startswith(("cite", "claude")), not case.startswith(("cite", "pplx"))
        assert (answer.text, answer.error) == (TEXTS[case].partition(" [")[0] if is_beside else TEXTS[case], None)
        assert answer.reasoning == ("The plan is looked up." if is_thinking else "")
        if case.startswith("claude"):
            [point] = answer.data_points
            assert (point.id, point.source, point.text) == ("https://example.com/plan", "The plan", "One pair a year.")


def annotated(text: str, *annotations: object, **fields: object) -> Answer:
    cited = [{"type": "url_citation", "url_citation": annotation} for annotation in annotations]
    return read(completion({"role": "assistant", "content": text, "annotations": cited}, **fields))


def test_a_citation_has_its_position() -> None:
    assert recorded(LITELLM + "cite.sse").citations == (PlacedCitation(PAGE, 27, 27),)
    marked = annotated("One pair [1].", {"url": PAGE, "start_index": 9, "end_index": 12})
    assert (marked.text, marked.citations) == ("One pair [1].", (PlacedCitation(PAGE, 9, 12),))
    link = annotated(f"One pair.[[1]]({PAGE}) Two.", {"url": PAGE, "title": "1", "start_index": 9, "end_index": 40})
    assert link.bracketed_text == f"One pair. [{PAGE}] Two."
    assert [point.source for point in link.data_points] == [PAGE]
    of_no_place = annotated("One pair.", {"url": PAGE, "start_index": 0, "end_index": 0})
    assert of_no_place.bracketed_text == f"One pair. [{PAGE}]"


def test_a_call_a_refusal_a_length_limit_and_a_filter_are_reported() -> None:
    for case in ["tool.sse", "tool.json"]:
        answer = recorded(LITELLM + case)
        assert [(step.title, step.props) for step in answer.thoughts] == [("lookup", {"plan": "standard"})]
        assert "tool" in error_of(answer).message
    complete = recorded(LITELLM + "refuse.json")
    streamed = read(chunk({"role": "assistant", "refusal": "I cannot "}), chunk({"refusal": "help with that."}))
    for answer in (complete, streamed):
        assert (answer.text, answer.error) == ("I cannot help with that.", None)
        assert [warning.code for warning in answer.warnings] == ["refusal"]
    assert [warning.code for warning in recorded(LITELLM + "long.sse").warnings] == ["finish_length"]
    assert error_of(recorded(LITELLM + "filter.sse")).code == "content_filter"


def test_a_chunk_with_only_usage_is_read() -> None:
    for choices in [[], None, [{"index": 0, "delta": {}, "finish_reason": None}]]:
        answer = read(chunk({"content": "One pair."}), {**chunk({}), "choices": choices, "usage": USAGE})
        assert (answer.text, answer.usage, answer.warnings) == ("One pair.", USAGE, ())


USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


PAGE, OTHER = "https://example.com/plan", "https://example.com/eyes"
FOUND = [
    {"title": "The plan", "url": PAGE, "date": "2026-01-01", "snippet": "One pair a year."},
    {"title": "Eyes", "url": OTHER, "date": None},
]


def points(answer: Answer) -> list[tuple[str, str, str | None]]:
    return [(point.id, point.source, point.url) for point in answer.data_points]


def test_search_results_and_bare_addresses_are_cited_by_number() -> None:
    texts = ("One pair [1]", " and two tests [2].")
    for found in ({"citations": [PAGE, OTHER], "search_results": FOUND}, {"search_results": FOUND}):
        last = {"choices": [], "usage": USAGE, **found}
        streamed = read(*(chunk({"content": text}, **found) for text in texts), last)
        complete = read(completion({"role": "assistant", "content": "".join(texts)}, **found))
        for answer in (streamed, complete, recorded(LITELLM + "pplx.json")):
            assert answer.text == "One pair [1] and two tests [2]."
            assert points(answer) == [("1", "The plan", PAGE), ("2", "Eyes", OTHER)]
    alone = read(chunk({"content": "One pair [1]."}, citations=[PAGE, OTHER]))
    assert [(identity, url) for identity, _, url in points(alone)] == [("1", PAGE), ("2", OTHER)]


def test_numbers_of_annotated_pages_are_cited_once() -> None:
    pages = [{"title": "The plan", "url": PAGE}, {"title": "Eyes", "url": OTHER}]
    places = [{"start_index": 9, "end_index": 12}, {"start_index": 27, "end_index": 30}]
    annotations = [{**page, **place} for page, place in zip(pages, places, strict=True)]
    for results in ([], pages):
        fields = {"citations": [PAGE, OTHER], "search_results": results}
        answer = annotated("One pair [1] and two tests [2].", *annotations, **fields)
        assert answer.bracketed_text == f"One pair [{PAGE}] and two tests [{OTHER}]."
        assert points(answer) == [("1", "The plan", PAGE), ("2", "Eyes", OTHER)]


def test_brackets_in_a_file_name_end_neither_its_bracket_nor_its_context() -> None:
    for name in ["a|b.pdf", "a`b.pdf", "a\nb.pdf", "plans\\", "[a].pdf"]:
        answer = annotated("| a |\n|---|\n| Two. |", {"filename": name, "start_index": 14, "end_index": 18})
        rendered = render_answer(answer.text, answer.data_points, answer.citations)
        assert [citation.data_point for citation in rendered.citations] == [0]
        assert render_answer(answer.bracketed_text, answer.data_points).html == rendered.html
        assert "</table>" in "".join(rendered.html)


def test_a_gateways_citations_are_placed_after_their_claims() -> None:
    def of(text: str, url: str) -> list[dict[str, object]]:
        return [{"type": "web_search_result_location", "url": url, "title": url[-1], "supported_text": text}]

    documents = [{"id": "doc:0", "title": "The plan", "snippet": "One pair a year."}, {"id": "doc:1"}]
    sources = [{"type": "document", "id": document["id"], "document": document} for document in documents]
    of_cohere = {"citations": [{"start": 14, "end": 22, "text": "one pair", "sources": sources}]}
    answer = read(chunk({"content": "The plan pays one pair a year."}), chunk({"provider_specific_fields": of_cohere}))
    assert answer.bracketed_text == "The plan pays one pair [The plan][doc:1] a year."
    assert [(point.id, point.text) for point in answer.data_points] == [("The plan", "One pair a year."), ("doc:1", "")]
    cited = {"citation": {"url": PAGE, "title": "The plan", "cited_text": "One pair."}}
    answer = read(chunk({"content": "One pair."}, provider_specific_fields=cited))
    assert [(point.url, point.text) for point in answer.data_points] == [(PAGE, "One pair.")]
    supporting = {"citations": [of("One pair.", PAGE), of("Two tests.", OTHER)]}
    message = {"content": "One pair. Two tests. No more.", "provider_specific_fields": supporting}
    assert read(completion(message)).bracketed_text == f"One pair. [{PAGE}] Two tests. [{OTHER}] No more."


PICTURE = "data:image/png;base64,iVBORw0KGgo="
OF_OPENROUTER = {"type": "image_url", "image_url": {"url": PICTURE}}


def test_a_picture_of_a_message_is_one_of_the_answer() -> None:
    cases = [
        [chunk({"content": "One "}), chunk({"content": "", "images": [OF_OPENROUTER]}), chunk({"content": "pair."})],
        [chunk({"content": "One pair."}), chunk({"images": [OF_OPENROUTER]}), chunk({"images": [OF_OPENROUTER]})],
        [completion({"role": "assistant", "content": "One pair.", "images": [OF_OPENROUTER]})],
        [completion({"content": [{"type": "text", "text": "One pair."}, OF_OPENROUTER, ""]})],
        [{"model": "m", "message": {"content": "One pair.", "images": ["iVBORw0KGgo="]}, "done": False}],
    ]
    for values in cases:
        answer = fold(lines(*values))
        assert answer.text == "One pair."
        assert [(one.id, one.media_type) for one in answer.pictures] == [("1", "image/png")]
        assert answer.warnings == answer.data_points == ()


def test_an_answer_may_be_only_pictures_and_a_hidden_one_is_reported() -> None:
    answer = fold(lines(chunk({"images": [OF_OPENROUTER, {"image_url": {"url": PICTURE + "AAAA"}}]})))
    assert (answer.text, answer.error, len(answer.pictures)) == ("", None, 2)
    unshown = ("no address", {}, 7, None, {"image_url": {"url": "javascript:alert(1)"}})
    for pictures, kept in (*(([one], 0) for one in unshown), ([f"{PICTURE}{number}" for number in range(22)], 20)):
        answer = fold(lines(chunk({"content": "One pair.", "images": pictures})))
        assert (answer.text, len(answer.pictures)) == ("One pair.", kept)
        left_out = [warning.code for warning in answer.warnings]
        assert left_out == ["picture_left_out"] * (len(pictures) - kept)
