"""Contexts of agentic retrieval, in the shapes of azure-search-openai-demo (`approaches/approach.py`)."""

from typing import Any, Final

INDEX: Final = {"id": 1, "number": 2, "type": "searchIndex", "source": "index", "query": "whistleblower query"}
WEB: Final = {"id": 2, "number": 3, "type": "web", "source": "web", "query": "contoso policy"}
SHAREPOINT: Final = {"id": 3, "number": 4, "type": "remoteSharePoint", "source": "hr", "query": "sharepoint policy"}
SITE: Final = "https://contoso.example"
DOCUMENT: Final = "https://contoso.sharepoint.com/sites/hr/document"
POINTS: Final[dict[str, Any]] = {
    "text": ["Benefit_Options-2.pdf: There is a whistleblower policy.", "document: SharePoint content"],
    "images": [],
    "citations": ["Benefit_Options-2.pdf", SITE, "document"],
    "citation_activity_details": {"Benefit_Options-2.pdf": INDEX, SITE: WEB, "document": SHAREPOINT},
    "external_results_metadata": [
        {"id": 1, "title": "Contoso site", "url": SITE, "activity": WEB},
        {"id": "10", "title": "Handbook", "url": DOCUMENT, "snippet": "SharePoint content", "activity": SHAREPOINT},
    ],
}
PLAN: Final[list[dict[str, Any]]] = [
    {"type": "modelQueryPlanning", "id": 0, "elapsed_ms": 200, "input_tokens": 10, "output_tokens": 20},
    {"type": "searchIndex", "id": 1, "elapsed_ms": 50, "count": 10, "knowledge_source_name": "index",
     "search_index_arguments": {"search": "whistleblower query", "filter": "public"}},
    {"type": "web", "id": 2, "elapsed_ms": 100, "count": 1, "web_arguments": {"search": "contoso policy"}},
    {"type": "modelQueryPlanning", "id": 4, "elapsed_ms": 200},
    {"type": "remoteSharePoint", "id": 3, "count": 1, "remote_share_point_arguments": {"search": "sharepoint policy"}},
    {"type": "searchIndex", "id": 5, "search_index_arguments": {"search": "policy hotline"}},
    {"type": "modelAnswerSynthesis", "id": 6, "elapsed_ms": 900},
]  # fmt: skip
RESULTS: Final[list[dict[str, Any]]] = [
    {"type": "searchIndex", "id": "file-page-2", "sourcepage": "Benefit_Options-2.pdf",
     "content": "There is a whistleblower policy.", "score": None, "reranker_score": 3.5, "activity": INDEX},
    {"type": "web", "id": 1, "ref_id": "1", "title": "Contoso site", "url": SITE, "activity": WEB},
    {"type": "remoteSharePoint", "id": "10", "title": "Handbook", "url": DOCUMENT, "content": "SharePoint content",
     "activity": SHAREPOINT},
]  # fmt: skip
THOUGHT: Final = {"title": "Agentic retrieval response", "description": RESULTS, "props": {"query_plan": PLAN}}
CONTEXT: Final = {"data_points": POINTS, "thoughts": [THOUGHT]}
TEXT: Final = f"There is a policy [Benefit_Options-2.pdf], and a site [{SITE}]. See the handbook [document]."
