"""Answers of azure-search-openai-demo at 8e2eea9b: its approaches/approach.py and chatreadretrieveread.py."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

FOLLOW_UP = "Which plan covers dental care?"
WEB: dict[str, Any] = {"id": 1, "title": "Vision benefits", "url": "https://contoso.example/vision"}
SHAREPOINT = {"id": "10", "title": "Vision FAQ"}
_AT_SHAREPOINT = "https://contoso.sharepoint.com/sites/hr/Vision-FAQ.docx"
_USAGE = {"prompt_tokens": 412, "completion_tokens": 58, "reasoning_tokens": 0, "total_tokens": 470}
_MODEL = {"model": "gpt-4.1-mini", "deployment": "gpt-4.1-mini"}


@dataclass(frozen=True)
class Chunk:
    """A page in the index, with its scores."""

    file: str
    page: int
    content: str
    score: float = 0.03
    reranker_score: float = 2.1

    @property
    def citation(self) -> str:
        return f"{self.file}#page={self.page}" if self.page else self.file


CHUNKS = (
    Chunk("Benefit_Options.pdf", 2, "Northwind Health Plus covers an eye exam and glasses every year", 0.033, 3.4),
    Chunk(
        "Northwind_Standard.pdf", 3, "Northwind Standard covers check-ups and vaccines, but not eye exams", 0.031, 2.6
    ),
)


@dataclass
class Found:
    """The `ExtraInfo` of an answer with its text. `is_answer`: a knowledge base wrote the text itself."""

    thoughts: list[Any]
    cited: dict[str, str]
    external: Sequence[Any] = ()
    details: dict[str, Any] | None = None
    is_answer: bool = False

    @property
    def text(self) -> str:
        return " ".join(f"{content} [{citation}]." for citation, content in self.cited.items()) or "I don't know."

    def context(self, question: str, overrides: Any) -> dict[str, Any]:
        texts = [f"{key}: {content}." for key, content in self.cited.items() if not key.startswith("https:")]
        points = {"text": texts if overrides.get("send_text_sources", True) else [], "images": [],
                  "citations": [*self.cited], "external_results_metadata": self.external}  # fmt: skip
        asked = _prompt("Prompt to generate answer", "\n\n".join([question, "Sources:", *texts]))
        thoughts = self.thoughts if self.is_answer else [*self.thoughts, asked]
        details = {"citation_activity_details": self.details} if self.details else {}
        return {"data_points": points | details, "thoughts": thoughts, "followup_questions": None}


def _thought(title: str, description: Any, props: Any = None) -> dict[str, Any]:
    return {"title": title, "description": description, "props": props}


def _prompt(title: str, said: str) -> dict[str, Any]:
    system = {"role": "system", "content": "Assistant helps the company's employees."}
    return _thought(title, [system, {"role": "user", "content": said}], {**_MODEL, "token_usage": _USAGE})


def _result(one: Chunk, score: float | None, reranker_score: float | None, activity: Any = None) -> dict[str, Any]:
    return {"type": "searchIndex", "id": f"file-{one.citation}", "content": f"{one.content}.", "category": None,
            "sourcepage": one.citation, "sourcefile": one.file, "oids": None, "groups": None, "captions": [],
            "score": score, "reranker_score": reranker_score, "activity": activity, "images": None}  # fmt: skip


def search(chunks: Sequence[Chunk], question: str, overrides: Any) -> Found:
    """`run_search_approach`: pages have no reranker score without the ranker, and fall below any minimum of it."""
    ranked, mode = bool(overrides.get("semantic_ranker")), overrides.get("retrieval_mode")
    least = [overrides.get(f"minimum_{kind}_score") or 0 for kind in ("search", "reranker")]
    kept = [one for one in chunks[: overrides.get("top", 5)]
            if one.score >= least[0] and (one.reranker_score if ranked else 0) >= least[1]]  # fmt: skip
    props = {"use_semantic_captions": bool(overrides.get("semantic_captions")), "use_semantic_ranker": ranked,
             "use_query_rewriting": bool(overrides.get("query_rewriting")), "top": overrides.get("top", 5),
             "filter": None, "use_query_source_authorization": False, "use_text_search": mode != "vectors",
             "use_vector_search": mode != "text",
             "search_text_embeddings": overrides.get("search_text_embeddings", True),
             "search_image_embeddings": overrides.get("search_image_embeddings", False)}  # fmt: skip
    results = [_result(one, one.score, one.reranker_score if ranked else None) for one in kept]
    thoughts = [_prompt("Prompt to generate search query", question),
                _thought("Search using generated search query", "eye exam coverage", props),
                _thought("Search results", results)]  # fmt: skip
    return Found(thoughts, {one.citation: one.content for one in kept})


def agentic(chunks: Sequence[Chunk], question: str, overrides: Any, config: dict[str, Any]) -> Found:
    """`run_agentic_retrieval_approach`: overrides switch a source off, not on.

    `minimal` has no planning, `low` one iteration, `medium` two.
    """
    web = bool(config.get("webSourceEnabled")) and overrides.get("use_web_source") is not False
    sharepoint = bool(config.get("sharepointSourceEnabled")) and overrides.get("use_sharepoint_source") is not False
    effort = overrides.get("retrieval_reasoning_effort", config.get("defaultRetrievalReasoningEffort"))
    if web and effort == "minimal":
        raise RuntimeError("Web source cannot be used with minimal retrieval reasoning effort.")
    least = overrides.get("minimum_reranker_score", 0)
    plan: list[dict[str, Any]] = []

    def step(kind: str, **fields: Any) -> None:
        plan.append({"type": kind, "id": len(plan), "elapsed_ms": 90 + 40 * len(plan), **fields})

    def searched(kind: str, source: str, arguments: str, query: str) -> dict[str, Any]:
        step(kind, count=1, knowledge_source_name=source, **{arguments: {"search": query}})
        return {"id": len(plan) - 1, "number": len(plan), "type": kind, "source": source, "query": query}

    activities = []
    for query, efforts in (("eye exam coverage", {"low", "medium"}), ("Northwind Standard exclusions", {"medium"})):
        if effort in efforts:
            step("modelQueryPlanning", input_tokens=1540, output_tokens=96)
        activities.append(searched("searchIndex", "index", "search_index_arguments", query))
    by_activity = [(one, activities[min(n, 1)]) for n, one in enumerate(chunks) if one.reranker_score >= (least or 0)]
    results = [_result(one, None, one.reranker_score, activity) for one, activity in by_activity]
    found = Found([], {one.citation: one.content for one, _ in by_activity}, external := [], is_answer=web)
    found.details = {one.citation: activity for one, activity in by_activity}
    if web:
        activity = searched("web", "web", "web_arguments", "Contoso vision benefits")
        results.append({"type": "web", **WEB, "ref_id": "1", "activity": activity})
        external.append({**WEB, "activity": activity})
        found.cited[WEB["url"]], found.details[WEB["url"]] = "Contoso pays for a second pair of glasses", activity
    if sharepoint:
        activity = searched("remoteSharePoint", "sharepoint", "remote_share_point_arguments", "vision claims")
        said, name = "Claims are paid within ten days", _AT_SHAREPOINT.rpartition("/")[2]
        results.append({"type": "remoteSharePoint", **SHAREPOINT, "ref_id": "10", "web_url": _AT_SHAREPOINT,
                        "content": f"{said}.", "reranker_score": 2.2, "activity": activity})  # fmt: skip
        external.append({**SHAREPOINT, "url": _AT_SHAREPOINT, "snippet": f"{said}.", "activity": activity})
        found.cited[name], found.details[name] = said, activity
    if effort != "minimal":
        step("agenticReasoning", reasoning_tokens=840, retrieval_reasoning_effort={"kind": effort})
    else:
        found.thoughts.append(_prompt("Prompt to generate search query", question))
    if web:
        step("modelAnswerSynthesis", input_tokens=2210, output_tokens=120)
    props = {"query_plan": plan, **_MODEL, "reranker_threshold": least, "filter": None}
    found.thoughts.append(_thought("Agentic retrieval response", results, props))
    return found


_SOURCES = {"webSourceEnabled": True, "sharepointSourceEnabled": True}
AGENTIC = agentic(CHUNKS, "", {"retrieval_reasoning_effort": "medium"}, _SOURCES)
"""An answer by two iterations, of the index, the web and SharePoint."""
