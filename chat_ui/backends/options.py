"""The options of a request as a person sets them: labels, help, and parsing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import msg

FOLLOWUPS: Final = "suggest_followup_questions"
Shape: TypeAlias = Literal["number", "whole", "switch", "choice", "words", "text"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its key in requests, its label and help in English, and its values.

    `least` and `most` bound a number; `choices` are pairs of a value and its label.
    """

    key: str
    label: str
    help: str
    shape: Shape
    least: float | None = None
    most: float | None = None
    choices: tuple[tuple[str, str], ...] = ()


def _switch(key: str, label: str, help_text: str) -> Option:
    return _choice(key, label, help_text, ("true", "On"), ("false", "Off"), shape="switch")


def _choice(key: str, label: str, help_text: str, *choices: tuple[str, str], shape: Shape = "choice") -> Option:
    return Option(key, label, help_text, shape, choices=choices)


_EFFORTS: Final = (
    ("none", "None"), ("minimal", "Minimal"), ("low", "Low"), ("medium", "Medium"), ("high", "High"),
    ("xhigh", "Extra high"),
)  # fmt: skip
_OF_ANSWERS: Final = (
    Option("temperature", "Temperature", "0 is most predictable; higher is more varied.", "number", 0, 2),
    Option("top_p", "Top p", "Samples only from this share of the most likely words.", "number", 0, 1),
    Option("top_k", "Top k", "Samples only from this many most likely words.", "whole", 1, 1000),
    Option("max_tokens", "Maximum answer length", "In tokens.", "whole", 1, 1_000_000),
    Option("max_output_tokens", "Maximum answer length", "In tokens.", "whole", 1, 1_000_000),
    Option("maxOutputSizeInTokens", "Maximum answer length", "In tokens.", "whole", 1, 1_000_000),
    Option("maxRuntimeInSeconds", "Maximum search time", "In seconds.", "whole", 1, 3600),
    _choice(
        "outputMode", "Output", "An answer, or only its passages.",
        ("answerSynthesis", "Answer"), ("extractiveData", "Passages only"),
    ),
    Option("instructions", "Instructions", "Instructions for the model's answers.", "text"),
    Option("num_predict", "Maximum answer length", "In tokens.", "whole", -2, 1_000_000),
    Option("num_ctx", "Context window", "In tokens.", "whole", 1, 10_000_000),
    Option("seed", "Seed", "The same seed gives similar answers.", "whole"),
    Option("presence_penalty", "Presence penalty", "Higher encourages new topics.", "number", -2, 2),
    Option("frequency_penalty", "Frequency penalty", "Higher reduces repetition.", "number", -2, 2),
    Option("repeat_penalty", "Repeat penalty", "Higher reduces repetition.", "number", 0, 10),
    Option("prompt_template", "Prompt", "Replaces the backend's instructions; start with >>> to add to them.", "text"),
    Option("prompt_template_prefix", "Prompt prefix", "Added before the backend's instructions.", "text"),
    Option("prompt_template_suffix", "Prompt suffix", "Added after the backend's instructions.", "text"),
    _choice("reasoning_effort", "Reasoning effort", "Effort of the model's reasoning.", *_EFFORTS),
    _switch("use_advanced_flow", "Advanced flow", "Lets the model write the search query."),
)  # fmt: skip
_OF_AZURE_SEARCH: Final = (
    Option("top", "Sources to retrieve", "Number of search results for the answer.", "whole", 1, 50),
    _choice(
        "retrieval_mode", "Retrieval", "Search method.",
        ("hybrid", "Vectors and text"), ("vectors", "Vectors"), ("text", "Text"),
    ),
    _switch("semantic_ranker", "Semantic ranker", "Reranks the sources by meaning."),
    _switch("semantic_captions", "Semantic captions", "Sends captions instead of full passages."),
    _switch("query_rewriting", "Query rewriting", "Rewrites the search query."),
    _switch("use_oid_security_filter", "Filter by user", "Only sources that the signed-in user can access."),
    _switch("use_groups_security_filter", "Filter by groups", "Only sources that the user's groups can access."),
    Option("vector_fields", "Vector fields", "Names of index fields, separated by commas.", "words"),
    _switch("use_gpt4v", "Use vision", "Lets the model see images of the sources."),
    _choice(
        "gpt4v_input", "Input for vision", "Input of the vision model.",
        ("text", "Text"), ("textAndImages", "Text and images"), ("images", "Images"),
    ),
    _switch("send_text_sources", "Send text of sources", "Sends the model the text of the sources."),
    _switch("send_image_sources", "Send images of sources", "Sends the model the images of the sources."),
    _switch("search_text_embeddings", "Search text embeddings", "Searches sources by the meaning of their text."),
    _switch("search_image_embeddings", "Search image embeddings", "Searches sources by their images."),
    Option("minimum_search_score", "Minimum search score", "Excludes sources with a lower score.", "number", 0),
    Option(
        "minimum_reranker_score", "Minimum reranker score", "Excludes sources with a lower score, 0 to 4.",
        "number", 0, 4,
    ),
    Option("include_category", "Include category", "Only sources of this category.", "text"),
    Option("exclude_category", "Exclude category", "Excludes sources of this category.", "text"),
    _switch("use_agentic_knowledgebase", "Agentic retrieval", "Plans several searches for each question."),
    _choice("retrieval_reasoning_effort", "Retrieval effort", "Effort of planning the retrieval.", *_EFFORTS[1:4]),
    _switch("use_web_source", "Search the web", "Adds results from the web to the sources."),
    _switch("use_sharepoint_source", "Search SharePoint", "Adds results from SharePoint to the sources."),
)  # fmt: skip
OPTIONS: Final[Mapping[str, Option]] = {option.key: option for option in (*_OF_ANSWERS, *_OF_AZURE_SEARCH)}
AZURE_SEARCH: Final = frozenset(option.key for option in _OF_AZURE_SEARCH)
"""The options of a search in Azure AI Search, for a backend with a semantic ranker."""


def read_option(option: Option, typed: str) -> Json:
    """The value of `typed`; None if it is empty, for the backend's default.

    Raises:
        ValueError: it is invalid; the words are for the person.
    """
    typed = typed.strip()
    if not typed:
        return None
    match option.shape:
        case "number" | "whole":
            return _number(option, typed)
        case "switch":
            return typed == "true"
        case "choice":
            if typed not in dict(option.choices):
                raise ValueError(msg("Choose one of the values."))
            return typed
        case "words":
            return [word.strip() for word in typed.split(",") if word.strip()]
        case "text":
            return typed


def _number(option: Option, typed: str) -> int | float:
    try:
        number = int(typed) if option.shape == "whole" else float(typed.replace(",", "."))
    except ValueError:
        raise ValueError(msg("Enter a whole number.") if option.shape == "whole" else msg("Enter a number.")) from None
    low, high = option.least, option.most
    if number != number or (low is not None and number < low) or (high is not None and number > high):  # noqa: PLR0124
        if low is not None and high is not None:
            raise ValueError(msg("Enter a number from {least} to {most}.", least=low, most=high))
        raise ValueError(msg("Enter a number of {least} or more.", least=low or 0))
    return number


def shown_value(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value)


def read_more(typed: str) -> dict[str, Any]:
    """Further options from a JSON object, or an empty text.

    Raises:
        ValueError: it is not a JSON object; the words name the line and column of the mistake.
    """
    if not typed.strip():
        return {}
    try:
        value = json.loads(typed)
    except json.JSONDecodeError as error:
        raise ValueError(
            msg(
                "Line {line}, column {column}: {mistake}.",
                line=str(error.lineno),
                column=str(error.colno),
                mistake=error.msg,
            )
        ) from error
    except RecursionError:
        raise ValueError(msg("The options are nested too deeply. Use fewer levels.")) from None
    if not isinstance(value, dict):
        raise ValueError(  # noqa: TRY004
            msg(
                "Line 1, column 1: an object is expected, such as {example}.",
                example='{"temperature": 0.3}',
            )
        )
    return value
