"""The knowledge bases of Azure AI Search (Foundry IQ): one JSON answer of `retrieve`.

Source: the REST reference of Azure AI Search, "Knowledge Retrieval - Retrieve", versions 2026-04-01 and
2026-05-01-preview.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final
from urllib.parse import parse_qs, urlsplit

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.backends.backend import Backend, RequestForm
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.dialects.contents import content_text
from chat_ui.protocol.dialects.family import Dialect, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.tool_calls import read_json
from chat_ui.protocol.events import ContextReceived, ErrorInfo, Event, Failed, Json, JsonObject, UsageReceived
from chat_ui.protocol.translatable import Translatable, msg

NO_SYNTHESIS: Final = msg(
    "The knowledge base gave passages and no answer; they are under Sources. Answer synthesis makes answers of them: "
    "it is chosen in the knowledge base or by the option outputMode, answerSynthesis."
)
_TITLES: Final[Mapping[str, Translatable]] = {
    "modelQueryPlanning": msg("Query planning"),
    "modelAnswerSynthesis": msg("Answer synthesis"),
    "modelWebSummarization": msg("Summary of pages"),
    "agenticReasoning": msg("Reasoning"),
    "semanticReranker": msg("Ranking"),
}
_SEARCH: Final = msg("Search of {source}")
_ADDRESSES: Final = ("url", "blobUrl", "docUrl", "webUrl", "searchUrl")


class KnowledgeBaseReader(FamilyReader):
    """Reads the whole answer, its references and the activity that led to it."""

    text_places: ClassVar = "knowledge-base"

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of an answer."""
        sources = {str(one.get("id")): _source(one) for one in _objects(value.get("references"))}
        texts = [content_text(message.get("content")) for message in _objects(value.get("response"))]
        passages = [read_json(text) for text in texts]
        for passage in (one for found in passages for one in _objects(found)):
            number = str(passage.get("ref_id"))
            sources[number] = {**sources.get(number, {}), **passage}
        if sources:
            yield ContextReceived({SOURCES: sources})
        activity = _objects(value.get("activity"))
        if activity:
            yield ContextReceived({STEPS: {f"activity {one.get('id')}": _step(one) for one in activity}})
        usage = {key: sum(_count(one.get(key)) for one in activity) for key in ("inputTokens", "outputTokens")}
        if any(usage.values()):
            yield UsageReceived(usage)
        if sources and texts and all(isinstance(found, list) for found in passages):
            yield Failed(ErrorInfo(NO_SYNTHESIS, code="no_synthesis"))
        else:
            yield from self.text.piece("\n\n".join(texts))


def _objects(value: Json) -> list[JsonObject]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _count(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _source(reference: JsonObject) -> JsonObject:
    """A reference as a source: what the index has of the document, under the reference's number."""
    held = reference.get("sourceData")
    data = {key: one for key, one in held.items() if one is not None} if isinstance(held, Mapping) else {}
    url = next((reference[key] for key in _ADDRESSES if isinstance(reference.get(key), str)), None)
    name = reference.get("title") or data.get("title") or reference.get("docKey") or url
    source = {**data, "id": str(reference.get("id"))}
    if isinstance(name, str) and name:
        source["title"] = name
    return {**source, "url": url} if url else source


def _step(activity: JsonObject) -> JsonObject:
    kind = str(activity.get("type"))
    source = activity.get("knowledgeSourceName")
    title = _TITLES.get(kind) or _SEARCH.filled_with(source=source if isinstance(source, str) else kind)
    arguments = next((one for key, one in activity.items() if key.endswith("Arguments")), None)
    props = {key: one for key, one in activity.items() if key not in {"id", "error"} and one is not arguments}
    return {"title": title, "description": activity.get("error") or arguments, "props": props}


def _match(_present: JsonObject, value: JsonObject) -> Match | None:
    is_answer = isinstance(value.get("response"), list) and value.keys() & {"references", "activity"}
    return Match("knowledge-base", 95) if is_answer else None


def _message(message: Message, _place: int) -> JsonObject:
    content: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
    content += [{"type": "image", "image": {"url": file.data_uri}} for file in message.files]
    return {"role": message.role, "content": content}


def _body(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    """Versions that are no preview plan no queries: they take what is searched for, not a conversation."""
    version = parse_qs(urlsplit(backend.url).query).get("api-version", [""])[0]
    asked: dict[str, Json] = {"messages": messages}
    if version and not version.endswith("-preview"):
        asked = {"intents": [{"type": "semantic", "search": request.messages[-1].content}]}
    return {**asked, "includeActivity": True, **request.overrides}


_OVERRIDES: Final = (
    "outputMode", "retrievalReasoningEffort", "maxRuntimeInSeconds", "maxOutputSizeInTokens", "knowledgeSourceParams",
)  # fmt: skip
_BACKEND: Final = KnownBackend(
    msg("Azure AI Search knowledge base (Foundry IQ)"),
    "/knowledgebases/NAME/retrieve?api-version=2026-05-01-preview",
    Backend(
        "",
        streaming="server",
        form=RequestForm(_message, _body),
        files="parts",
        known_overrides=_OVERRIDES,
        key_header="api-key",
    ),
    "/knowledgebases/",
)

FAMILY: Final = Family(
    dialects=(
        Dialect(
            "knowledge-base",
            msg("Azure AI Search knowledge base"),
            "`response`, `references` and `activity` in one answer",
            "Azure AI Search, Foundry IQ",
        ),
    ),
    match=_match,
    reader=KnowledgeBaseReader,
    position=9,
    endings={"/retrieve": _BACKEND.template},
    backends={"azure-knowledge-base": _BACKEND},
    known=lambda _: "azure-knowledge-base",
)
