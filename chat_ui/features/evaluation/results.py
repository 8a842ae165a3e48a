"""A result: an answer of an evaluation with its measures, a line of `results.jsonl`.

`has_citation` and `citation_match` are those of Microsoft's ai-rag-chat-evaluator in `code_metrics.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from chat_ui.conversations.records.answer_json import answer_from_json, complete_answer_to_json, number, objects, string
from chat_ui.features.evaluation.question_set import Question
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.pause import Decision
from chat_ui.protocol.backends.backend import Message
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.rendering.answer import RenderedAnswer, render_answer
from chat_ui.rendering.citations.citations import RULE_MISSING, RULE_NUMBER, Citation, SourceIndex
from chat_ui.rendering.citations.sentences import has_words
from chat_ui.rendering.citations.source_names import clean_label, normalized, source_name
from chat_ui.rendering.claim_check import checked
from chat_ui.rendering.comparison import facts
from chat_ui.rendering.panels.passages import carries

CUT_OFF: Final = "The answer was cut off."
_NOT_KEPT: Final = frozenset({"text", "session_state"})
"""Parts of an answer that are redundant or not needed later."""
_TOKENS: Final = ("completion_tokens", "output_tokens", "completionTokens", "outputTokens", "eval_count")
"""Names of backends for the number of an answer's tokens."""
_MOST_TOKENS: Final = 10**9
_AT_ONCE: Final = 0.05
"""Seconds within which a text counts as unstreamed."""
_BRACKETS: Final = re.compile(r"[\[【]([^\[\]【】]{1,1500})[\]】](?!\()")
_CITATION: Final = re.compile(r"\[[^\]]+\]")
_NAMED_FILE: Final = re.compile(r"\[([^\]]+)\.\w{3,4}(#page=\d+)*\]")


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to the `question`, asked for the `time`-th time; `values` are the object of its line."""

    question: Question
    time: int
    answer: Answer
    values: JsonObject

    @property
    def key(self) -> str:
        return str(self.values.get("key", ""))

    @property
    def place(self) -> tuple[int, int]:
        """The number of the question, and the time."""
        return self.question.number, self.time


def result_of(
    question: Question, time: int, said: Sequence[Message], answer: Answer, decided: Sequence[Decision] = ()
) -> Result:
    """The result of an answer, with its measures. `said` are the preceding messages, with their answers. `decided` are
    the decisions on the agent's requests.
    """
    reply = {name: value for name, value in complete_answer_to_json(answer).items() if name not in _NOT_KEPT}
    asked = Question(question.number, (*said, question.messages[-1]), question.truth)
    values: dict[str, Json] = {
        "number": question.number,
        "key": question.key,
        "time": time,
        "question": question.text,
        **({"messages": _messages_to_json(asked.messages)} if said else {}),
        "truth": question.truth or None,
        "answer": answer.text,
        "error": answer.error.message if answer.error else None,
        "failed": answer.error is not None or not answer.complete,
        "denied": sum(one.verdict != "approved" for one in decided) if decided else None,
        **measure(answer, question.truth).as_json(),
        "reply": reply,
    }
    return Result(asked, time, answer, values)


def result_from_json(values: JsonObject) -> Result:
    """The result of a line.

    Raises:
        ValueError: a part has another shape, which the message names.
    """
    place = number(values, "number"), number(values, "time")
    asked = string(values, "question")
    if place[0] is None or place[1] is None or asked is None:
        raise ValueError("number, time or question is missing")
    said = tuple(
        Message(string(one, "role") or "user", string(one, "content") or "") for one in objects(values, "messages")
    )
    reply = values.get("reply")
    if not isinstance(reply, dict):
        raise ValueError("reply is missing")  # noqa: TRY004 - the shape of a value, not a mistake in code
    return Result(
        Question(int(place[0]), said or (Message("user", asked),), string(values, "truth") or ""),
        int(place[1]),
        answer_from_json(reply, string(values, "answer") or ""),
        values,
    )


def _messages_to_json(messages: Sequence[Message]) -> Json:
    return [{"role": message.role, "content": message.content} for message in messages]


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of an answer; None for those that do not apply.

    Times are seconds from the request. `tokens_per_s` counts the tokens of the answer from its first text. `sentences`
    are those that can have a citation, like below an answer on the page. `citations`, `sources` and `truth_citations`
    are labels; the last are the bracketed texts of the truth, except numbers. `citation_recall` is the share of the
    truth's cited sources that the answer cites. `citation_precision` is the share of the answer's cited sources that
    the truth cites. `support` is the share of the cited sentences whose passage has marked evidence. `claims_found` is
    the share of the compared sentences whose parts are all in their passages, and `parts_differ` are the texts of the
    parts that differ there.
    """

    first_text_s: float | None
    total_s: float | None
    tokens_per_s: float | None
    answer_length: int
    sentences: int
    sentences_cited: int
    citations: tuple[str, ...]
    citations_not_found: tuple[str, ...]
    sources_retrieved: int
    sources: tuple[str, ...]
    truth_citations: tuple[str, ...] | None
    citation_recall: float | None
    citation_precision: float | None
    has_citation: bool
    citation_match: bool | None
    support: float | None
    claims_found: float | None
    parts_differ: tuple[str, ...] | None
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Json]:
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def measure(answer: Answer, truth: str) -> Measures:
    """The measures of `answer`. An error without text is without citations, and does not match any truth."""
    rendered = checked(answer, render_answer(answer.text, answer.data_points, answer.citations))
    found = facts(answer, rendered)
    cited = rendered.citations
    in_truth = _citations_of(truth, answer) if truth else ()
    complete = _complete_documents(truth)
    is_lost = answer.error is not None and not answer.text
    recalled = sum(any(_is_meant(wanted, one, complete) for one in cited) for wanted in in_truth)
    precise = sum(any(_is_meant(wanted, one, complete) for wanted in in_truth) for one in cited)
    return Measures(
        first_text_s=answer.timing.first_text,
        total_s=answer.timing.total,
        tokens_per_s=_tokens_per_second(answer),
        answer_length=len(answer.text),
        sentences=found.sentences,
        sentences_cited=found.cited,
        citations=_labels(cited),
        citations_not_found=found.missing,
        sources_retrieved=found.retrieved,
        sources=tuple(found.sources),
        truth_citations=_labels(in_truth) if truth else None,
        citation_recall=recalled / len(in_truth) if in_truth else None,
        citation_precision=precise / len(cited) if in_truth and cited else None,
        has_citation=has_citation(answer.bracketed_text),
        citation_match=citation_match(answer.bracketed_text, truth, is_lost=is_lost) if truth else None,
        support=_support(answer, rendered),
        claims_found=rendered.checks.share_found,
        parts_differ=found.differing,
        warnings=tuple(warning.code for warning in answer.warnings),
    )


def has_citation(answer: str) -> bool:
    """Whether the text has non-empty square brackets."""
    return _CITATION.search(answer) is not None


def citation_match(answer: str, truth: str, *, is_lost: bool = False) -> bool:
    """Whether the answer names each file of the truth's brackets, with its page. A truth without files matches any
    answer, except if `is_lost`: an error instead of an answer, which the original tool does not have.
    """
    return not is_lost and set(_NAMED_FILE.findall(truth)) <= set(_NAMED_FILE.findall(answer))


def _labels(citations: Sequence[Citation]) -> tuple[str, ...]:
    return tuple(one.label for one in citations)


def _citations_of(truth: str, answer: Answer) -> tuple[Citation, ...]:
    """The truth's cited labels: sources of the answer, and all other bracketed names, retrieved or not. Numbers are
    excluded, as they mean another source in each answer.
    """
    found = [one for one in render_answer(truth, answer.data_points).citations if one.rule != RULE_NUMBER]
    index = SourceIndex(answer.data_points)
    known = {normalized(one.label) for one in found}
    for name in _BRACKETS.findall(truth):
        label = clean_label(name)
        is_other = has_words(label) and not label.isdecimal() and not index.resolve(name)
        if is_other and normalized(label) not in known:
            known.add(normalized(label))
            found.append(Citation(len(found) + 1, label, None, RULE_MISSING))
    return tuple(found)


def _complete_documents(truth: str) -> frozenset[str]:
    """The documents that a truth names without a page, which includes all their pages."""
    names = (source_name(one.label) for one in render_answer(truth, ()).citations)
    return frozenset(normalized(name.document) for name in names if not name.fragment and not name.figure)


def _is_meant(wanted: Citation, cited: Citation, complete: frozenset[str]) -> bool:
    """Whether a citation of the truth means the source that an answer cites."""
    if wanted.data_point is not None and wanted.data_point == cited.data_point:
        return True
    meant, name = source_name(wanted.label), source_name(cited.label)
    if normalized(meant.document) != normalized(name.document):
        return False
    return normalized(meant.document) in complete or meant.agrees_with(name)


def _support(answer: Answer, rendered: RenderedAnswer) -> float | None:
    points = {one.number: one.data_point for one in rendered.citations}
    carried: dict[str, bool] = {}
    for use in rendered.uses:
        point = points[use.number]
        if point is not None and use.claim:
            carried[use.claim] = carried.get(use.claim, False) or carries(answer.data_points[point].text, use.claim)
    return sum(carried.values()) / len(carried) if carried else None


def _tokens_per_second(answer: Answer) -> float | None:
    """The rate of the backend's token count from the first text; over the whole time if unstreamed."""
    tokens = _tokens(answer.usage or {})
    first, total = answer.timing.first_text, answer.timing.total
    if tokens is None or first is None or not total:
        return None
    return tokens / (total - first if total - first > _AT_ONCE else total)


def _tokens(usage: JsonObject) -> float | None:
    counts = (usage.get(name) for name in _TOKENS)
    told = (one for one in counts if isinstance(one, int | float) and not isinstance(one, bool))
    return next((float(one) for one in told if 0 <= one <= _MOST_TOKENS), None)
