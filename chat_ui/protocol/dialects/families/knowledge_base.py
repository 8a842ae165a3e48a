"""The knowledge bases of Azure AI Search (Foundry IQ): one JSON answer of `retrieve`, or the events of a stream.

Source: the REST reference of Azure AI Search, "Knowledge Retrieval - Retrieve", versions 2025-11-01-preview,
2026-04-01, 2026-05-01-preview and 2026-08-01-preview; the last may stream. The rules are of 2026-04-01, of a stream's
end, and of the guide to the answers that a knowledge base writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar, Final
from urllib.parse import parse_qs, unquote, urlsplit

from chat_ui.protocol.answers.data_points import SOURCES, urlsplit_path
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message, RequestFormat
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.family import Dialect, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import content_text, kind_of, object_in, objects_in, read_json, string_in
from chat_ui.protocol.dialects.reported_errors import NOTHING_SAID, words_of
from chat_ui.protocol.dialects.standards import (
    Observed,
    Rule,
    Standard,
    Verdict,
    each,
    error_strings_rule,
    is_media_type,
    value_of,
)
from chat_ui.protocol.events import (
    AnswerWarning,
    ContextReceived,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    UsageReceived,
)
from chat_ui.protocol.translatable import Translatable, msg

NO_SYNTHESIS: Final = msg(
    "The knowledge base returned passages without an answer; see Sources. For answers, choose answer "
    "synthesis in the knowledge base, or the option outputMode, answerSynthesis."
)
NOTHING_FOUND: Final = msg("The knowledge base found nothing about this. Try to rephrase the question.")
STEP_TITLES: Final[Mapping[str, Translatable]] = {
    "modelQueryPlanning": msg("Query planning"),
    "modelAnswerSynthesis": msg("Answer synthesis"),
    "modelWebSummarization": msg("Summary of pages"),
    "agenticReasoning": msg("Reasoning"),
    "semanticReranker": msg("Ranking"),
}
"""The titles of the steps that are not searches, by their types."""
_WANTS_INTENTS: Final = re.compile(
    r"['\"`]intents?['\"`]|\bintents?\b.{0,30}\b(?:required|missing|must)\b", re.IGNORECASE
)
_SEARCH: Final = msg("Search in {source}")
_ADDRESSES: Final = ("citationUrl", "url", "blobUrl", "docUrl", "webUrl", "searchUrl")
_NAMES: Final = ("title", "docName", "docKey", "toolName")
_RANKED: Final = ("docKey", "rerankerScore", "activitySource", "searchSensitivityLabelInfo")
_COUNTS: Final = ("inputTokens", "outputTokens", "reasoningTokens")
_PARTIAL: Final = 206
"""The status of a search that could not use all sources."""


class KnowledgeBaseReader(FamilyReader):
    """Reads the whole answer, its references and its activities.

    The events of a stream give the same earlier: its beginning, each activity, the answer and the references. The last
    event is the whole answer.
    """

    text_places: ClassVar = "knowledge-base"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._warned: set[AnswerWarning] = set()

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an answer, or of an event of a stream."""
        complete = value.get("response")
        if isinstance(complete, Mapping):
            yield from self._answer(complete, is_partial=value.get("statusCode") == _PARTIAL)
        elif isinstance(value.get("message"), Mapping):
            yield from self._texts([content_text(value["message"])], {})
        elif isinstance(complete, list):
            yield from self._answer(value)
        elif isinstance(value.get("activity"), list):
            yield from self._activity(objects_in(value, "activity"))
        elif isinstance(value.get("type"), str):
            yield from self._activity([value])

    def _answer(self, answer: JsonObject, *, is_partial: bool = False) -> Iterator[Event]:
        sources = {str(one.get("id")): _source(one) for one in objects_in(answer, "references")}
        yield from self._activity(objects_in(answer, "activity"), is_partial=is_partial)
        yield from _ranking(objects_in(answer, "references"))
        texts = [content_text(message.get("content")) for message in objects_in(answer, "response")]
        yield from self._texts(texts, sources)

    def _texts(self, texts: list[str], sources: dict[str, JsonObject]) -> Iterator[Event]:
        """The answer; or the passages of a knowledge base without synthesis."""
        passages = [read_json(text) for text in texts]
        lists = [found for found in passages if isinstance(found, list)]
        for passage in (one for found in lists for one in found if isinstance(one, Mapping)):
            number = str(passage.get("ref_id"))
            sources[number] = {"id": number, **sources.get(number, {}), **passage}
        if sources:
            yield ContextReceived({SOURCES: sources})
        if texts and len(lists) == len(texts):
            words, code = (NO_SYNTHESIS, "no_synthesis") if sources else (NOTHING_FOUND, "nothing_found")
            yield Failed(ErrorInfo(words, code=code))
        else:
            yield from self.text.complete("\n\n".join(texts))

    def _activity(self, activity: list[JsonObject], *, is_partial: bool = False) -> Iterator[Event]:
        if not activity:
            return
        yield ContextReceived({STEPS: {f"activity {one.get('id')}": _step(one) for one in activity}})
        for one in activity:
            if one.get("error") is not None:
                failed = msg("{step} failed: {reason}", step=_title(one), reason=words_of(one["error"]) or NOTHING_SAID)
                yield from self._warn(AnswerWarning("activity_failed", failed))
            elif words := string_in(one, "warning"):
                warned = msg("{step}: {words}", step=_title(one), words=words)
                yield from self._warn(AnswerWarning("activity_warning", warned))
        if is_partial and all(one.get("error") is None for one in activity):
            yield AnswerWarning("partial_answer", msg("not all sources of the knowledge base could be searched"))
        usage = {key: sum(_count(one.get(key)) for one in activity) for key in _COUNTS}
        if used := {key: count for key, count in usage.items() if count}:
            yield UsageReceived(used)

    def _warn(self, warning: AnswerWarning) -> Iterator[Event]:
        """The warning, once: the whole answer repeats the events of a stream."""
        if warning not in self._warned:
            self._warned.add(warning)
            yield warning


def _count(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _source(reference: JsonObject) -> JsonObject:
    """A reference as a source: the indexed fields of the document, under the reference's number."""
    data = {key: one for key, one in object_in(reference, "sourceData").items() if one is not None}
    url = string_in(reference, *_ADDRESSES)
    file = unquote(urlsplit_path(url).rpartition("/")[2]) or url
    name = string_in(reference, "title") or string_in(data, "title") or string_in(reference, *_NAMES) or file
    named = {"title": name} if name else {}
    return {**data, "id": str(reference.get("id")), **named, **({"url": url} if url else {})}


def _ranking(references: list[JsonObject]) -> Iterator[Event]:
    """The step with the ranking of the references, and the activity that found each."""
    ranked: list[Json] = [
        {"reference": reference.get("id"), **{key: reference[key] for key in _RANKED if reference.get(key) is not None}}
        for reference in references
    ]
    if ranked:
        yield ContextReceived({STEPS: {"references": {"title": msg("References"), "description": ranked}}})


def _title(activity: JsonObject) -> str:
    kind = kind_of(activity)
    return STEP_TITLES.get(kind) or _SEARCH.filled_with(source=string_in(activity, "knowledgeSourceName") or kind)


def _step(activity: JsonObject) -> JsonObject:
    name, error = next((key for key in activity if key.endswith("Arguments")), ""), activity.get("error")
    told = {"id", "error"} if error is not None else {"id", "error", name}
    return {
        "title": _title(activity) if error is None else msg("{name} failed", name=_title(activity)),
        "description": activity.get(name) if error is None else error,
        "props": {key: one for key, one in activity.items() if key not in told and one is not None},
    }


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    complete = present.get("response")
    answer = complete if isinstance(complete, Mapping) and "statusCode" in present else value
    is_answer = isinstance(answer.get("response"), list) and answer.keys() & {"references", "activity"}
    is_event = "messageIndex" in value or {"requestId", "knowledgeBaseName"} <= value.keys()
    is_activity = isinstance(value.get("id"), int) and "startedAt" in present and isinstance(present.get("type"), str)
    is_cut = isinstance(value.get("activity"), list) and "error" in present
    return Match("knowledge-base", 95) if is_answer or is_event or is_activity or is_cut else None


def _message(message: Message, _place: int) -> JsonObject:
    content: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
    content += [{"type": "image", "image": {"url": file.data_uri}} for file in message.files]
    return {"role": message.role, "content": content}


def _conversation(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    """Without a model that plans queries, a knowledge base takes a search text in place of a conversation. This is so
    in versions other than previews, and with the least effort.
    """
    version = parse_qs(urlsplit(backend.url).query).get("api-version", [""])[0]
    effort = {**request.overrides, **backend.extra_body}.get("retrievalReasoningEffort")
    has_no_plan = isinstance(effort, Mapping) and effort.get("kind") == "minimal"
    if has_no_plan or (version and not version.endswith("-preview")):
        return _intent(backend, request, messages)
    return {"messages": messages, "includeActivity": True, **request.overrides}


def _intent(_backend: Backend, request: ChatRequest, _messages: list[Json]) -> dict[str, Json]:
    intents: list[Json] = [{"type": "semantic", "search": request.messages[-1].content}]
    return {"intents": intents, "includeActivity": True, **request.overrides}


_REFERENCE: Final = (
    "https://learn.microsoft.com/rest/api/searchservice/knowledge-retrieval/retrieve?view=rest-searchservice-"
)
_STABLE: Final = _REFERENCE + "2026-04-01"
_PREVIEW: Final = _REFERENCE + "2026-08-01-preview"
_GUIDE: Final = "https://learn.microsoft.com/azure/search/agentic-retrieval-how-to-answer-synthesis"
_COMPLETED: Final = "response.completed"
_CITED: Final = re.compile(r"\[ref_id:([^\]\s]+)\]")


def _observed_answer(observed: Observed) -> JsonObject:
    """The whole answer, which is also the last event of a stream."""
    ended = [event.data for event in observed.events if event.name == _COMPLETED]
    if ended:
        return object_in(value_of(ended[-1]), "response")
    value = value_of("\n".join(observed.lines))
    return value if isinstance(value, Mapping) else {}


def _observed_messages(observed: Observed) -> list[JsonObject]:
    return objects_in(_observed_answer(observed), "response")


def _has_type(observed: Observed) -> Verdict:
    if not observed.lines:
        return Verdict(None)
    wanted = "text/event-stream" if observed.events else "application/json"
    return Verdict(is_media_type(observed.content_type, wanted), f"content-type: {observed.content_type}")


def _is_over(observed: Observed) -> Verdict:
    last = observed.events[-1] if observed.events else None
    return Verdict(last.name in {_COMPLETED, "error"}, f"event: {last.name}") if last else Verdict(None)


def _has_messages(observed: Observed) -> Verdict:
    if not observed.lines or (observed.events and observed.events[-1].name == "error"):
        return Verdict(None)
    return Verdict(isinstance(_observed_answer(observed).get("response"), list), "\n".join(observed.lines))


def _has_contents(message: JsonObject) -> bool:
    contents = message.get("content")
    return isinstance(contents, list) and all(map(_is_content, contents))


def _is_content(content: Json) -> bool:
    if kind_of(content) == "image":
        return isinstance(object_in(content, "image").get("url"), str)
    return kind_of(content) == "text" and isinstance(content, Mapping) and isinstance(content.get("text"), str)


def _have_ids(observed: Observed) -> Verdict:
    references = objects_in(_observed_answer(observed), "references")
    ids = [one.get("id") for one in references]
    return each(references, lambda one: isinstance(one.get("id"), str) and ids.count(one["id"]) == 1)


def _are_cited(observed: Observed) -> Verdict:
    ids = {str(one.get("id")) for one in objects_in(_observed_answer(observed), "references")}
    contents = [content for one in _observed_messages(observed) for content in objects_in(one, "content")]
    cited = [number for content in contents for number in _CITED.findall(str(content.get("text")))] if ids else []
    odd = next((number for number in cited if number not in ids), None)
    return Verdict(odd is None if cited else None, f"[ref_id:{odd}]" if odd else "")


_STANDARD: Final = Standard(
    "Azure AI Search’s reference of knowledge bases",
    "2026-04-01",
    (
        Rule(
            "Responses have status 200 or 206",
            _STABLE,
            lambda observed: Verdict(observed.status in {200, _PARTIAL}, f"status {observed.status}"),
        ),
        Rule(
            "Responses have the content type application/json, or text/event-stream if streamed",
            _STABLE,
            _has_type,
        ),
        Rule(f"A stream ends with {_COMPLETED} or an error", _PREVIEW, _is_over),
        Rule("A response is an object with a list of messages in “response”", _STABLE, _has_messages),
        Rule(
            "A message’s “content” is a list of texts and images",
            _STABLE,
            lambda observed: each(_observed_messages(observed), _has_contents),
        ),
        Rule("Each reference has a unique string “id”", _STABLE, _have_ids),
        Rule("Each [ref_id:…] in the text is the “id” of a reference", _GUIDE, _are_cited),
        error_strings_rule(_STABLE, "code", "message"),
    ),
)

_OVERRIDES: Final = ("outputMode", "maxRuntimeInSeconds", "maxOutputSizeInTokens")
_BACKEND: Final = KnownBackend(
    "/knowledgebases/NAME/retrieve?api-version=2026-05-01-preview",
    Backend(
        "",
        streaming="server",
        request_format=RequestFormat(_message, _conversation, RequestFormat(_message, _intent), _WANTS_INTENTS),
        files="parts",
        known_overrides=_OVERRIDES,
        key_header="api-key",
        person_header="x-ms-query-source-authorization",
    ),
    "/knowledgebases",
)

FAMILY: Final = Family(
    dialects=(Dialect("knowledge-base", msg("Azure AI Search knowledge base")),),
    match=_match,
    reader=KnowledgeBaseReader,
    position=10,
    endings={"/retrieve": _BACKEND.template},
    bases={r"/knowledgebases(?:/[^/]+|\('[^']+'\))": "/retrieve"},
    backends={"azure-knowledge-base": _BACKEND},
    known=lambda _: "azure-knowledge-base",
    standard=lambda *_: _STANDARD,
)
