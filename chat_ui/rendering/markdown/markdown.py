"""An answer's Markdown to top-level blocks of HTML that is not yet safe, with placeholders for our controls.

It is CommonMark with GFM tables, strikethrough, task lists and bare URLs, footnotes in place, and formulas, between
dollars or LaTeX's own brackets. Possible markup in raw HTML passes through: `safe_html` decides it afterwards.
Citations are decided here, on the token tree: a bracket in text is looked at only after links, images, code, formulas
and escapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml, normalizeReference
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.markup import CONTAINERS
from chat_ui.rendering.citations.citation_forms import FORMS
from chat_ui.rendering.html.links import link_href
from chat_ui.rendering.html.placeholders import Control
from chat_ui.rendering.markdown.block_rules import (
    MAX_MERGED_LINES,
    ask_by_first_character,
    bounded_table,
    formula_block,
    nested_fence,
    raw_block,
)
from chat_ui.rendering.markdown.half_typed import mended, with_whole_table, without_half_citation
from chat_ui.rendering.markdown.inline_rules import (
    AmendedInline,
    bracketed_formula_rule,
    citation,
    dollar_formula,
    raw_inline,
    text,
)
from chat_ui.rendering.markdown.link_addresses import HELPERS, CompleteUrls
from chat_ui.rendering.markdown.linked_sources import linked_citation
from chat_ui.rendering.markdown.places import note_beside, note_places
from chat_ui.rendering.markdown.token_html import PARSING, RENDER_RULES, Parsing

MAX_NESTING = 20
"""Levels of lists and quotes, as in the CommonMark preset of markdown-it."""

_SPANNING = re.compile(rf"<(/?)(?:{'|'.join(sorted(CONTAINERS))})\b", re.IGNORECASE)
_DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.){1,999}\]:[ \t]*\n?[ \t]*<?([^\s<>]+)")
_TASK = re.compile(r"\[([ xX])\][ \t\n]")


@dataclass(frozen=True, slots=True)
class Definitions:
    """Known link references and footnote labels, first definition first."""

    references: dict[str, dict[str, Any]] = field(default_factory=dict)
    footnotes: dict[str, int] = field(default_factory=dict)
    footnote_uses: dict[int, Any] = field(default_factory=dict)

    def beyond(self, other: Definitions) -> frozenset[str]:
        """The labels that `other` lacks, in the form for comparison; a footnote's begins with `^`."""
        footnotes = self.footnotes.keys() - other.footnotes.keys()
        return frozenset(self.references.keys() - other.references.keys()).union(
            normalizeReference(f"^{label.removeprefix(':')}") for label in footnotes
        )

    def keep(self, found: Definitions, line: int, blocks: Sequence[TopBlock]) -> frozenset[str]:
        """Keep the `found` ones before `line` or in the `blocks`; returns the new labels."""
        before = self.copy()
        for label, defined in found.references.items():
            if label not in self.references and defined["map"][0] < line:
                self.references[label] = defined
        for block in blocks:
            for token in block.tokens:
                if token.type == "footnote_reference_open":
                    self.footnotes.setdefault(f":{token.meta['label']}", -1)
        return self.beyond(before)

    def copy(self) -> Definitions:
        """A copy that can grow without this one growing."""
        return Definitions(dict(self.references), dict(self.footnotes), dict(self.footnote_uses))


@dataclass(frozen=True, slots=True)
class TopBlock:
    """A top-level block: the line it starts at (0-based, in the parsed text) and its tokens."""

    start: int
    tokens: tuple[Token, ...]

    @property
    def is_raw_html(self) -> bool:
        """Whether the block starts with raw HTML."""
        return self.tokens[0].type == "html_block"


def parse(text: str, definitions: Definitions, parsing: Parsing) -> list[TopBlock]:
    """The top-level blocks of `text`.

    `definitions` gains those of `text`. With `parsing.open_ended`, the text may go on: half-typed parts at its end are
    closed or held back.
    """
    env = {
        PARSING: parsing,
        "references": definitions.references,
        "footnotes": {"refs": definitions.footnotes, "list": definitions.footnote_uses},
    }
    tokens = _markdown().parse(text, env)
    return _merged([TopBlock(block[0].map[0] if block[0].map else 0, tuple(block)) for block in outermost(tokens)])


def parse_ended(text: str, definitions: Definitions, parsing: Parsing) -> tuple[str, list[TopBlock], Definitions]:
    """A text that has ended, its top-level blocks, and `definitions` with those of the text.

    An answer may be stopped inside a table or a citation: the text then has the delimiter row that the table lacks, and
    not the beginning of the citation.
    """
    whole = without_half_citation(with_whole_table(text), parsing.sources)
    if whole != text:
        known = definitions.copy()
        tops = parse(whole, known, parsing)
        last = next((token for token in reversed(tops[-1].tokens if tops else ()) if token.nesting == 0), None)
        # In a block of code, it is neither.
        if last is None or last.type == "inline":
            return whole, tops, known
    return text, parse(text, definitions, parsing), definitions


def unsafe_html(block: TopBlock, parsing: Parsing) -> str:
    """The block's HTML before it is made safe; its placeholders are indexes into `parsing.controls`."""
    markdown = _markdown()
    return str(markdown.renderer.render(block.tokens, markdown.options, {PARSING: parsing}))


def outermost(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The tokens of each outermost element."""
    elements: list[Sequence[Token]] = []
    depth = start = 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            elements.append(tokens[start : index + 1])
            start = index + 1
    return elements


def _merged(blocks: list[TopBlock]) -> list[TopBlock]:
    """Blocks, where those that a raw element spans are one."""
    merged: list[TopBlock] = []
    depth = 0
    for block in blocks:
        inside = depth > 0 and block.start - merged[-1].start < MAX_MERGED_LINES
        if inside:
            merged[-1] = TopBlock(merged[-1].start, merged[-1].tokens + block.tokens)
        else:
            merged.append(block)
            depth = 0
        if block.is_raw_html:
            for match in _SPANNING.finditer(block.tokens[0].content):
                depth = max(0, depth + (-1 if match.group(1) else 1))
    return merged


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt()
    markdown.inline = AmendedInline()
    markdown.configure("commonmark", {"html": True, "linkify": True, "maxNesting": MAX_NESTING})
    markdown.enable(["table", "strikethrough", "linkify"])
    markdown.linkify = CompleteUrls(options={"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    markdown.use(footnote_plugin, inline=False, move_to_end=False)
    markdown.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )
    markdown.block.ruler.at("math_block", formula_block)
    markdown.block.ruler.at("html_block", raw_block, {"alt": ["paragraph", "reference", "blockquote"]})
    markdown.inline.ruler.at("text", text)
    markdown.inline.ruler.at("html_inline", raw_inline)
    markdown.inline.ruler.at("math_inline", dollar_formula)
    markdown.inline.ruler.before("escape", "bracketed_formula", bracketed_formula_rule)
    markdown.inline.ruler.before("link", "linked_citation", linked_citation)
    markdown.inline.ruler.after("footnote_ref", "citation", citation)
    for character in FORMS:
        markdown.inline.add_terminator_char(character)
    markdown.block.ruler.at("reference", _reference, {"alt": []})
    markdown.block.ruler.at("fence", nested_fence, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    markdown.block.ruler.at("table", bounded_table, {"alt": ["paragraph", "reference"]})
    markdown.helpers = HELPERS  # type: ignore[assignment]  # a module otherwise
    ask_by_first_character(markdown.block.ruler)
    markdown.core.ruler.after("block", "prepare_inline", _prepare_inline)
    markdown.core.ruler.after("inline", "task_items", _task_items)
    markdown.core.ruler.after("inline", "places", note_places)
    markdown.core.ruler.after("block", "beside", note_beside)
    markdown.core.ruler.at("inline", _inline)
    for name, rule in RENDER_RULES.items():
        markdown.add_render_rule(name, rule)
    return markdown


def _reference(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The block rule for link references with an allowed target.

    A list of sources at the end of an answer (`[1]: Leave_Policy.pdf`) looks like references. As references they would
    vanish, and every `[1]` above would become a link to nowhere.
    """
    start = state.bMarks[start_line] + state.tShift[start_line]
    match = _DEFINITION.match(state.src, start)
    if match and not link_href(match.group(1)):
        return False
    return reference(state, start_line, end_line, silent)


def _prepare_inline(state: StateCore) -> None:
    """Mend the half-typed end of the last piece of text."""
    parsing: Parsing = state.env[PARSING]
    inlines = [token for token in state.tokens if token.type == "inline"]
    if parsing.open_ended and inlines:
        last = next((token for token in reversed(inlines) if token.content), inlines[-1])
        if _ends_the_text(state, last):
            last.content = mended(last.content, parsing.sources)


def _inline(state: StateCore) -> None:
    """Read each piece of text, with the citations beside it."""
    parsing: Parsing = state.env[PARSING]
    for token in state.tokens:
        if token.type == "inline":
            parsing.beside = token.meta.get("beside", [])[::-1]
            token.children = state.md.inline.parse(token.content, state.md, state.env, [])


def _ends_the_text(state: StateCore, inline: Token) -> bool:
    """Whether only the ends of its parents and empty cells follow a piece of text."""
    position = len(state.tokens) - 1
    while position >= 0 and state.tokens[position] is not inline:
        token = state.tokens[position]
        if token.type not in ("inline", "td_open") and token.nesting >= 0:
            return False
        position -= 1
    return True


def _task_items(state: StateCore) -> None:
    """Turn `[ ]` and `[x]` at the start of a list item into a checkbox."""
    parsing: Parsing = state.env[PARSING]
    tokens = state.tokens
    for index in range(2, len(tokens)):
        inline = tokens[index]
        if inline.type != "inline" or tokens[index - 2].type != "list_item_open" or not inline.children:
            continue
        match = _TASK.match(inline.content)
        first = inline.children[0]
        if match is None or first.type != "text" or not first.content.startswith(match.group(0)[:3]):
            continue
        done = match.group(1) != " "
        checkbox = Token("control", "", 0)
        state_words = escapeHtml(gettext("Done") if done else gettext("Not done"))
        checked = " checked" if done else ""
        checkbox.content = parsing.place(
            Control((f'<input type="checkbox" class="task" disabled{checked} aria-label="{state_words}">',))
        )
        first.content = first.content[3:]
        inline.children.insert(0, checkbox)
