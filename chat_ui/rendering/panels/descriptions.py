"""The description of a thought by its kind: messages with roles, search results, an image, a query, or prose."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.answer import Thought
from chat_ui.protocol.answers.markup import has_line_break, words_of_html
from chat_ui.protocol.events import Json
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.citations.source_names import clean_label
from chat_ui.rendering.html.image_html import image_html, image_part, image_src
from chat_ui.rendering.html.parts import image_urls, page_html
from chat_ui.rendering.panels.json_shapes import (
    MAX_ITEMS,
    cut,
    foldable_html,
    more_html,
    object_html,
    properties_html,
    value_html,
)
from chat_ui.rendering.panels.tables import are_records, is_result, records_html, results_html, results_in

_MAX_LITERAL = 100_000
_MESSAGE_REPR = re.compile(r"\s*[{\[]")
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})


def description_html(description: Json, sources: SourceIndex) -> str:
    """Safe HTML for a description; a result that is one of `sources` has a button with its index."""
    return _Description(sources).html(description)


def description_images(description: Json, sources: SourceIndex) -> list[str]:
    """The URLs of the remote images in the same HTML."""
    written = _Description(sources)
    written.html(description)
    return written.images


@dataclass(slots=True)
class _Description:
    """A description in writing: `images` gains the URLs of the remote images in its HTML."""

    sources: SourceIndex
    images: list[str] = field(default_factory=list)

    def html(self, description: Json) -> str:
        description = results_in(description)
        if description is None:
            return ""
        if isinstance(description, str):
            return self.prose(description)
        if isinstance(description, Mapping):
            return self.entries([description])
        if isinstance(description, Sequence):
            return self.entries(description)
        return f'<p class="thought-text">{value_html(description)}</p>'

    def entries(self, entries: Sequence[Json]) -> str:
        """The HTML of a list: a conversation, a table, or each entry as it is."""
        told = [_read(entry) for entry in entries[:MAX_ITEMS]]
        if all(_is_message(entry) or _is_words(entry) for entry in told) and any(map(_is_message, told)):
            return self.messages([entry for entry in told if isinstance(entry, Mapping)]) + more_html(len(entries))
        objects = [entry for entry in told if isinstance(entry, Mapping)]
        if told and all(map(is_result, told)):
            return results_html(objects, self.sources, len(entries))
        if are_records(told):
            return records_html(objects, len(entries))
        return "".join(map(self.entry, told)) + more_html(len(entries))

    def entry(self, entry: Json) -> str:
        if isinstance(entry, str):
            return self.prose(entry)
        if isinstance(entry, Mapping):
            if _is_message(entry):
                return self.messages([entry])
            return results_html([entry], self.sources, 1) if is_result(entry) else object_html(entry, 0)
        return value_html(entry)

    def prose(self, text: str) -> str:
        """A description in one string: the value of JSON or a Python repr, else lines, also by `<br>`."""
        if image_src(text):
            return image_html(text, gettext("image of a thought"))
        parsed = _parsed(text)
        if parsed is None:
            return foldable_html(words_of_html(text))
        return self.entries([parsed] if isinstance(parsed, Mapping) else parsed)

    def messages(self, messages: Sequence[Mapping[str, Json]]) -> str:
        return f'<ol class="messages">{"".join(map(self.message, messages))}</ol>'

    def message(self, message: Mapping[str, Json]) -> str:
        content = message.get("content")
        if isinstance(content, Sequence) and not isinstance(content, str):
            body = "".join(self.content_part(part) for part in content[:MAX_ITEMS]) + more_html(len(content))
        elif isinstance(content, str):
            body = foldable_html(content)
        else:
            body = value_html(content) if content is not None else ""
        body += properties_html({name: value for name, value in message.items() if name not in ("role", "content")})
        role = message.get("role")
        name = escape(cut(clean_label(role))) if isinstance(role, str) else escape(gettext("no role"))
        kind = f" message-{role}" if role in _ROLES else ""
        return f'<li class="message{kind}"><span class="message-role">{name}</span>{body}</li>'

    def content_part(self, part: Json) -> str:
        if isinstance(part, Mapping):
            text = part.get("text")
            if isinstance(text, str):
                return foldable_html(text)
            image = part.get("image_url")
            url = image.get("url") if isinstance(image, Mapping) else image
            if isinstance(url, str):
                return self.image(url)
        return value_html(part)

    def image(self, url: str) -> str:
        part = image_part(url, gettext("image of the message"))
        self.images += image_urls([part])
        return page_html([part])


def is_query(thought: Thought) -> bool:
    """Whether a thought is a query for a search or a database."""
    words = thought.title.casefold()
    text = str(thought.description)
    return ("query" in words or "sql" in words) and not _MESSAGE_REPR.match(text) and not has_line_break(text)


def counted(description: Json) -> tuple[int, str] | None:
    """The number of images, messages or results in it, and their kind; else None."""
    found = results_in(description)
    entries = found if isinstance(found, Sequence) and not isinstance(found, str) else [found]
    for is_kind, noun in ((_is_image, "image"), (_is_message, "message"), (is_result, "result")):
        if entries and all(is_kind(entry) for entry in entries):
            return len(entries), noun
    return None


def _is_image(value: Json) -> bool:
    return isinstance(value, str) and image_src(value) is not None


def _parsed(text: str) -> Mapping[str, Json] | Sequence[Json] | None:
    """The JSON object or list in a string, also as a Python repr; else None."""
    if len(text) > _MAX_LITERAL or not _MESSAGE_REPR.match(text) or text.rstrip()[-1:] not in "}]":
        return None
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        try:
            value = json.loads(json.dumps(ast.literal_eval(text.strip())))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
    return value if isinstance(value, (dict, list)) else None


def _read(entry: Json) -> Json:
    parsed = _parsed(entry) if isinstance(entry, str) else None
    return parsed if isinstance(parsed, Mapping) else entry


def _is_words(value: Json) -> bool:
    """Whether a value is a message without its role."""
    return isinstance(value, Mapping) and value.keys() == {"content"} and isinstance(value["content"], str)


def _is_message(value: Json) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and ("content" in value or "tool_calls" in value)
    )
