"""The options of a request as a person sets them: labels, help, and parsing of what was typed."""

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
    """One option: its key on the wire, what a person reads, and which values it takes.

    `choices` are pairs of a value and its label; `least` and `most` bound a number.
    """

    key: str
    label: str
    help: str
    shape: Shape
    choices: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None


def _switch(key: str, label: str, help_text: str) -> Option:
    return Option(key, label, help_text, "switch", (("true", msg("On")), ("false", msg("Off"))))


_EFFORTS: Final = (
    ("minimal", msg("Minimal")),
    ("low", msg("Low")),
    ("medium", msg("Medium")),
    ("high", msg("High")),
)

OPTIONS: Final[Mapping[str, Option]] = {
    option.key: option
    for option in (
        Option(
            "temperature", msg("Temperature"), msg("0 keeps to the likeliest words; more varies."), "number", (), 0, 2
        ),
        Option(
            "top", msg("Sources to retrieve"), msg("How many search results the answer rests on."), "whole", (), 1, 50
        ),
        Option("top_p", msg("Top p"), msg("Only the likeliest words up to this share are used."), "number", (), 0, 1),
        Option("top_k", msg("Top k"), msg("Only this many of the likeliest words are used."), "whole", (), 1, 1000),
        Option("max_tokens", msg("Longest answer"), msg("In tokens."), "whole", (), 1, 1_000_000),
        Option("max_output_tokens", msg("Longest answer"), msg("In tokens."), "whole", (), 1, 1_000_000),
        Option("maxOutputSizeInTokens", msg("Longest answer"), msg("In tokens."), "whole", (), 1, 1_000_000),
        Option("maxRuntimeInSeconds", msg("Longest search"), msg("In seconds."), "whole", (), 1, 3600),
        Option(
            "outputMode",
            msg("Output"),
            msg("Whether the passages become an answer."),
            "choice",
            (("answerSynthesis", msg("An answer")), ("extractiveData", msg("Passages alone"))),
        ),
        Option("instructions", msg("Instructions"), msg("Tell the model how to answer."), "text"),
        Option("num_predict", msg("Longest answer"), msg("In tokens."), "whole", (), -2, 1_000_000),
        Option("num_ctx", msg("Context window"), msg("In tokens."), "whole", (), 1, 10_000_000),
        Option("seed", msg("Seed"), msg("The same seed makes answers alike."), "whole"),
        Option("presence_penalty", msg("Presence penalty"), msg("More brings up new subjects."), "number", (), -2, 2),
        Option("frequency_penalty", msg("Frequency penalty"), msg("More repeats less."), "number", (), -2, 2),
        Option("repeat_penalty", msg("Repeat penalty"), msg("More repeats less."), "number", (), 0, 10),
        Option(
            "retrieval_mode",
            msg("Retrieval"),
            msg("How sources are looked for."),
            "choice",
            (("hybrid", msg("Vectors and text")), ("vectors", msg("Vectors")), ("text", msg("Text"))),
        ),
        _switch("semantic_ranker", msg("Semantic ranker"), msg("Ranks the sources once more by meaning.")),
        _switch(
            "semantic_captions",
            msg("Semantic captions"),
            msg("Sends captions of the sources in place of whole passages."),
        ),
        _switch("query_rewriting", msg("Query rewriting"), msg("Rewords the search query before it is used.")),
        _switch("use_oid_security_filter", msg("Filter by user"), msg("Only sources that the signed-in user may see.")),
        _switch(
            "use_groups_security_filter", msg("Filter by groups"), msg("Only sources that the user's groups may see.")
        ),
        Option("vector_fields", msg("Vector fields"), msg("Names of index fields, with commas between them."), "words"),
        _switch("use_gpt4v", msg("Use vision"), msg("Lets the model see images of the sources.")),
        Option(
            "gpt4v_input",
            msg("Input for vision"),
            msg("What the vision model is given."),
            "choice",
            (("text", msg("Text")), ("textAndImages", msg("Text and images")), ("images", msg("Images"))),
        ),
        _switch("send_text_sources", msg("Send text of sources"), msg("Gives the model the text of the sources.")),
        _switch("send_image_sources", msg("Send images of sources"), msg("Gives the model the images of the sources.")),
        _switch(
            "search_text_embeddings",
            msg("Search text embeddings"),
            msg("Looks for sources by the meaning of their text."),
        ),
        _switch("search_image_embeddings", msg("Search image embeddings"), msg("Looks for sources by their images.")),
        Option(
            "minimum_search_score", msg("Least search score"), msg("Drops sources with a lower score."), "number", (), 0
        ),
        Option(
            "minimum_reranker_score",
            msg("Least ranker score"),
            msg("Drops sources ranked lower, 0 to 4."),
            "number",
            (),
            0,
            4,
        ),
        Option("include_category", msg("Only category"), msg("Only sources of this category."), "text"),
        Option("exclude_category", msg("Without category"), msg("No sources of this category."), "text"),
        Option(
            "prompt_template",
            msg("Prompt"),
            msg("Replaces the backend's instructions; >>> in front adds to them."),
            "text",
        ),
        Option(
            "prompt_template_prefix", msg("Prompt, before"), msg("Stands before the backend's instructions."), "text"
        ),
        Option("prompt_template_suffix", msg("Prompt, after"), msg("Stands after the backend's instructions."), "text"),
        Option("reasoning_effort", msg("Reasoning effort"), msg("How long the model thinks."), "choice", _EFFORTS),
        _switch("use_agentic_knowledgebase", msg("Agentic retrieval"), msg("Plans several searches for one question.")),
        Option(
            "retrieval_reasoning_effort",
            msg("Retrieval effort"),
            msg("How long retrieval is planned."),
            "choice",
            _EFFORTS[:3],
        ),
        _switch("use_web_source", msg("Search the web"), msg("Adds results from the web to the sources.")),
        _switch("use_sharepoint_source", msg("Search SharePoint"), msg("Adds results from SharePoint to the sources.")),
        _switch("use_advanced_flow", msg("Advanced flow"), msg("Lets the model word the search query.")),
    )
}
"""Every option that has a label, by its key."""


def read_option(option: Option, typed: str) -> Json:
    """The value of `typed`; None where it is empty, which leaves the backend its default.

    Raises:
        ValueError: it is no such value; the words are for the person.
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
    """A value as the field of its option shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value)


def read_more(typed: str) -> dict[str, Any]:
    """Further options from a JSON object; nothing typed is none.

    Raises:
        ValueError: it is no JSON object; the words name the line and column of the mistake.
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
        raise ValueError(msg("This is nested too deeply.")) from None
    if not isinstance(value, dict):
        raise ValueError(  # noqa: TRY004
            msg(
                "Line 1, column 1: this has to be an object, such as {example}.",
                example='{"temperature": 0.3}',
            )
        )
    return value
