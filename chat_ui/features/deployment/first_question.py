"""The facts for a first question to a deployment with such settings.

Source: azure-search-openai-demo's `app/frontend/src/pages/chat/Chat.tsx` at 8e2eea9b, whose page sends each option.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chat_ui.protocol.detection.advice import STREAM, Advice, Exclusion
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import Translatable, msg

SAMPLE: Final[JsonObject] = {"retrieval_mode": "hybrid", "semantic_ranker": True, "top": 3}
"""The options of the page of azure-search-openai-javascript (`packages/webapp/src/pages/chat/Chat.tsx`)."""
_AGENTIC, _WEB, _EFFORT = "use_agentic_knowledgebase", "use_web_source", "retrieval_reasoning_effort"
_OF_IMAGES: Final = {
    "search_text_embeddings": ("ragSearchTextEmbeddings", True),
    "search_image_embeddings": ("ragSearchImageEmbeddings", False),
    "send_text_sources": ("ragSendTextSources", True),
    "send_image_sources": ("ragSendImageSources", False),
}
"""By option: the setting with its value where the deployment has images, and the value elsewhere."""
_OPTIONS_OF: Final = {
    "showMultimodalOptions": tuple(_OF_IMAGES),
    "showSemanticRankerOption": ("semantic_ranker", "semantic_captions", "minimum_reranker_score"),
    "showQueryRewritingOption": ("query_rewriting",),
    "showReasoningEffortOption": ("reasoning_effort",),
    "showVectorOption": ("retrieval_mode",),
    "showAgenticRetrievalOption": (_AGENTIC, _EFFORT),
    "webSourceEnabled": (_WEB,),
    "sharepointSourceEnabled": ("use_sharepoint_source",),
}
_SERVICES: Final = {
    "showUserUpload": ("files", ""),
    "showChatHistoryCosmos": ("sessions", "chat_history"),
    "showSpeechOutputAzure": ("voice", "speech"),
}
"""By setting: the service, and its path."""
_OF_EARLIER_VERSIONS: Final = ("use_gpt4v", "gpt4v_input", "vector_fields")
"""Options that ended with the version that first told `showMultimodalOptions`."""
_WITH_WEB: Final[JsonObject] = {_AGENTIC: True, _WEB: True}
_WEB_NEEDS_EFFORT: Final = msg("The web cannot be searched with minimal retrieval effort.")
_EXCLUSIONS: Final = (
    Exclusion(STREAM, True, _WITH_WEB, msg("Answers that search the web cannot be streamed.")),
    Exclusion(_EFFORT, "minimal", _WITH_WEB, _WEB_NEEDS_EFFORT),
    Exclusion(_WEB, True, {_AGENTIC: True, _EFFORT: "minimal"}, _WEB_NEEDS_EFFORT),
)
_NEVER_STREAMED: Final = Exclusion(STREAM, True, {}, msg("This deployment does not stream answers."))


def advice_of(config: JsonObject, folder: str, language: str, remark: Translatable | None) -> Advice:
    """The advice for the usable settings `config`, whose address is in `folder`, on a page in that language."""
    choices = config.get("reasoningEffortOptions")
    hidden = {option for setting, options in _OPTIONS_OF.items() if not config.get(setting) for option in options}
    return Advice(
        options=_first_options(config, language),
        hidden=frozenset(hidden.union(_OF_EARLIER_VERSIONS if "showMultimodalOptions" in config else ())),
        choices={"reasoning_effort": tuple(map(str, choices))} if isinstance(choices, list) and choices else {},
        exclusions=_EXCLUSIONS if config.get("streamingEnabled", True) else (_NEVER_STREAMED, *_EXCLUSIONS[1:]),
        services={name: f"{folder}{path}" for setting, (name, path) in _SERVICES.items() if config.get(setting)},
        remark=remark,
    )


def _first_options(config: JsonObject, language: str) -> dict[str, Json]:
    is_agentic = config.get("showAgenticRetrievalOption", False)
    effort = (config.get("defaultReasoningEffort") if config.get("showReasoningEffortOption") else None) or ""
    retrieval_effort = config.get("defaultRetrievalReasoningEffort") or "minimal"
    return {
        "top": 10 if is_agentic else 5,
        "temperature": 0.3,
        "minimum_reranker_score": 1.9,
        "minimum_search_score": 0,
        "retrieval_mode": "hybrid" if config.get("showVectorOption") else "text",
        "semantic_ranker": config.get("showSemanticRankerOption", False),
        "query_rewriting": config.get("showQueryRewritingOption", False),
        "semantic_captions": False,
        "reasoning_effort": effort,
        **dict(_of_images(config)),
        _AGENTIC: is_agentic,
        **({_EFFORT: retrieval_effort} if is_agentic else {}),
        _WEB: config.get("webSourceEnabled", False),
        "use_sharepoint_source": config.get("sharepointSourceEnabled", False),
        "language": language,
        "suggest_followup_questions": True,
    }


def _of_images(config: JsonObject) -> Iterator[tuple[str, Json]]:
    for option, (setting, otherwise) in _OF_IMAGES.items():
        if not config.get("showMultimodalOptions"):
            yield option, otherwise
        elif setting in config or option == "send_text_sources":
            yield option, config.get(setting, True)
