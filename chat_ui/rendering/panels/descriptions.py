"""The description of a thought as what it is: messages with roles, search results, an image, a query, or prose."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from chat_ui.protocol.answers.answer import Thought
from chat_ui.protocol.answers.html_words import has_line_break, words_of_html
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.html.image_html import image_html, image_part, image_src
from chat_ui.rendering.html.parts import image_urls, page_html
from chat_ui.rendering.panels.json_shapes import (
    MAX_ITEMS,
    cut,
    definitions_html,
    more_html,
    name_html,
    object_html,
    text_html,
    value_html,
)

_MAX_LITERAL = 100_000
_MESSAGE_REPR = re.compile(r"\s*[{\[]")
_RESULT_KEYS = frozenset({"sourcepage", "sourcefile", "score", "reranker_score", "content", "captions"})
_RESULT_NAMES = ("sourcepage", "title", "name", "sourcefile", "filepath", "id")
_RESULT_TEXTS = ("content", "snippet", "text", "chunk")


def description_html(description: Json, sources: SourceIndex) -> str:
    """Safe HTML for a description; a search result that is one of `sources` has a button with its index as
    `data-point`.
    """
    return _Description(sources).html(description)


def description_images(description: Json, sources: SourceIndex) -> list[str]:
    """The URLs of the remote images that the same HTML offers to show."""
    written = _Description(sources)
    written.html(description)
    return written.images


@dataclass(slots=True)
class _Description:
    """A description as it is written: `images` gains the URLs of the remote images that its HTML offers to show."""

    sources: SourceIndex
    images: list[str] = field(default_factory=list)

    def html(self, description: Json) -> str:
        if description is None:
            return ""
        if isinstance(description, str):
            return self.entry(description)
        if isinstance(description, Mapping):
            return self.message(description) if _is_message(description) else self.entry(description)
        if isinstance(description, Sequence):
            return "".join(map(self.entry, description[:MAX_ITEMS])) + more_html(len(description))
        return f'<p class="thought-text">{value_html(description)}</p>'

    def entry(self, entry: Json) -> str:
        if isinstance(entry, str):
            return self.prose(entry)
        if isinstance(entry, Mapping):
            if _is_message(entry):
                return self.message(entry)
            return self.result(entry) if _is_result(entry) else object_html(entry, 0)
        return value_html(entry)

    def prose(self, text: str) -> str:
        """A description in one string: JSON or a Python repr as what it holds, else lines, `<br>` among them."""
        if image_src(text):
            return image_html(text, "image of a thought")
        parsed = _parsed(text)
        if isinstance(parsed, Mapping):
            return self.entry(parsed)
        if parsed is not None:
            return "".join(self.entry(entry) for entry in parsed[:MAX_ITEMS]) + more_html(len(parsed))
        return text_html(words_of_html(text))

    def message(self, message: Mapping[str, Json]) -> str:
        content = message.get("content")
        if isinstance(content, Sequence) and not isinstance(content, str):
            body = "".join(self.content_part(part) for part in content[:MAX_ITEMS]) + more_html(len(content))
        elif isinstance(content, str):
            body = text_html(content)
        else:
            body = value_html(content) if content is not None else ""
        rest = {name: value for name, value in message.items() if name not in ("role", "content") and value is not None}
        if rest:
            body += object_html(rest, 0)
        role = escape(cut(str(message["role"])))
        return f'<div class="message"><span class="message-role">{role}</span>{body}</div>'

    def content_part(self, part: Json) -> str:
        if isinstance(part, Mapping):
            text = part.get("text")
            if isinstance(text, str):
                return text_html(text)
            image = part.get("image_url")
            url = image.get("url") if isinstance(image, Mapping) else image
            if isinstance(url, str):
                return self.image(url)
        return value_html(part)

    def image(self, url: str) -> str:
        part = image_part(url, "image of the message")
        self.images += image_urls([part])
        return page_html([part])

    def result(self, result: Mapping[str, Json]) -> str:
        name_key = next((key for key in _RESULT_NAMES if isinstance(result.get(key), str)), None)
        text_key = next((key for key in _RESULT_TEXTS if isinstance(result.get(key), str)), None)
        head = f'<span class="result-name" dir="auto">{escape(cut(str(result[name_key])))}</span>' if name_key else ""
        text = text_html(words_of_html(str(result[text_key]))) if text_key else ""
        scores = {name: value for name, value in result.items() if "score" in name and isinstance(value, int | float)}
        chips = "".join(
            f'<span class="result-score">{escape(cut(name.replace("_", " "), 60))} {value_html(value)}</span>'
            for name, value in scores.items()
        )
        rest = [
            (name_html(name), value_html(value))
            for name, value in result.items()
            if name not in (name_key, text_key, *scores) and value is not None and value not in ("", [], {})
        ]
        head = f'<div class="result-head">{head}{chips}{_source_button(result, self.sources)}</div>'
        return f'<div class="result">{head}{definitions_html(rest) if rest else ""}{text}</div>'


def is_query(thought: Thought) -> bool:
    """Whether a thought is a query for a search or a database."""
    words = thought.title.casefold()
    text = str(thought.description)
    return ("query" in words or "sql" in words) and not _MESSAGE_REPR.match(text) and not has_line_break(text)


def counted(description: Json) -> tuple[int, str] | None:
    """How many images, messages or results it consists of, and which of these; None where it is something else."""
    entries = description if isinstance(description, Sequence) and not isinstance(description, str) else [description]
    for is_kind, noun in ((_is_image, "image"), (_is_message, "message"), (_is_result, "result")):
        if entries and all(is_kind(entry) for entry in entries):
            return len(entries), noun
    return None


def _is_image(value: Json) -> bool:
    return isinstance(value, str) and image_src(value) is not None


def _parsed(text: str) -> Mapping[str, Json] | Sequence[Json] | None:
    """What a string holds when it is a JSON object or list, or the repr of one in Python; else None."""
    if len(text) > _MAX_LITERAL or not _MESSAGE_REPR.match(text) or text.rstrip()[-1:] not in "}]":
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
    return value if isinstance(value, (dict, list)) else None


def _is_message(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and ("content" in value or "tool_calls" in value)
    )


def _is_result(value: Json) -> bool:
    if not isinstance(value, Mapping):
        return False
    return len(_RESULT_KEYS & value.keys()) >= 2 or ("content" in value and any(k in value for k in _RESULT_NAMES))


def _source_button(result: Mapping[str, Json], sources: SourceIndex) -> str:
    """A way from a search result to the source that it became, where it became one."""
    for key in _RESULT_NAMES:
        name = result.get(key)
        for match in sources.resolve(name) if isinstance(name, str) else ():
            if match.data_point is not None:
                label = escape(f"Show the source {match.label[:200]}")
                return (
                    f'<button type="button" class="result-source" data-point="{match.data_point}" '
                    f'aria-label="{label}">Show the source</button>'
                )
    return ""
