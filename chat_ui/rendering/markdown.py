"""An answer's Markdown to top-level blocks of HTML that is not yet safe, with placeholders for our controls.

CommonMark with GFM tables, strikethrough, task lists and bare URLs, footnotes in place, and dollar formulas.
Raw HTML passes through: `safe_html` decides it afterwards. Citations are decided here, where the token tree
is known: a bracket in text is looked at only after links, images, code, formulas and escapes have had their
turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml, unescapeAll
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chat_ui.rendering.citations import MAX_LABEL, SourceIndex
from chat_ui.rendering.code_blocks import code_block_html
from chat_ui.rendering.formulas import formula_html
from chat_ui.rendering.half_typed import mended
from chat_ui.rendering.safe_html import CLOSE, OPEN, CitationMark, Control, mask_raw_html

MAX_INLINE_WORK = 50_000_000
"""Characters of one paragraph times its openers, beyond which it is shown as plain text: each opener may scan
it all.
"""

MAX_NESTING = 20
"""Levels of lists and quotes, as in the CommonMark preset of markdown-it."""

MAX_MERGED_LINES = 2_000
"""Lines over which a raw `<table>` or `<details>` may stay open across blank lines and still be one block."""

_OPENERS = re.compile(r"[\[<$`*_~!]")
_SPANNING = re.compile(r"<(/?)(table|details)\b", re.IGNORECASE)
_BEFORE = 80
_TASK = re.compile(r"\[([ xX])\][ \t\n]")
_MATH_TOKENS = ("math_inline", "math_inline_double", "math_block")


@dataclass(slots=True)
class Parsing:
    """What one parse is told and what it finds; lives in markdown-it's `env` under `PARSING`."""

    sources: SourceIndex
    open_ended: bool = False
    controls: list[Control | CitationMark] = field(default_factory=list)

    def place(self, control: Control | CitationMark) -> str:
        """A placeholder for the control."""
        self.controls.append(control)
        return f"{OPEN}{len(self.controls) - 1}{CLOSE}"


PARSING = "chat_ui.parsing"


@dataclass(frozen=True, slots=True)
class Definitions:
    """Link references and footnote labels that are known, first definition first."""

    references: dict[str, dict[str, Any]] = field(default_factory=dict)
    footnotes: dict[str, int] = field(default_factory=dict)
    footnote_uses: dict[int, Any] = field(default_factory=dict)

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

    `definitions` gains what `text` defines. With `parsing.open_ended`, the text may go on: what is half-typed
    at its end is closed or held back.
    """
    env = {
        PARSING: parsing,
        "references": definitions.references,
        "footnotes": {"refs": definitions.footnotes, "list": definitions.footnote_uses},
    }
    tokens = _markdown().parse(text, env)
    return _merged(_top_blocks(tokens))


def unsafe_html(block: TopBlock, parsing: Parsing) -> str:
    """The block's HTML before it is made safe; its placeholders are indexes into `parsing.controls`."""
    markdown = _markdown()
    return str(markdown.renderer.render(block.tokens, markdown.options, {PARSING: parsing}))


def _top_blocks(tokens: Sequence[Token]) -> list[TopBlock]:
    blocks: list[TopBlock] = []
    depth = start = 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            first = tokens[start]
            line = first.map[0] if first.map else 0
            blocks.append(TopBlock(line, tuple(tokens[start : index + 1])))
            start = index + 1
    return blocks


def _merged(blocks: list[TopBlock]) -> list[TopBlock]:
    """Blocks, where those that a raw table or details element spans are one."""
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
    markdown = MarkdownIt("commonmark", {"html": True, "linkify": True, "maxNesting": MAX_NESTING})
    markdown.enable(["table", "strikethrough", "linkify"])
    if markdown.linkify is not None:
        markdown.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    markdown.use(footnote_plugin, inline=False, move_to_end=False)
    markdown.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )
    markdown.inline.ruler.after("image", "citation", _citation)
    markdown.core.ruler.after("block", "prepare_inline", _prepare_inline)
    markdown.core.ruler.after("inline", "task_items", _task_items)
    for name, rule in _RENDER_RULES.items():
        markdown.add_render_rule(name, rule)
    return markdown


def _citation(state: StateInline, silent: bool) -> bool:
    """The inline rule: a bracket that no other rule wanted, when it names sources.

    Declined while scanning for the end of a link (`silent`): a citation there must not look like a link in a
    link.
    """
    if silent or state.linkLevel > 0 or state.src[state.pos] != "[":
        return False
    end = state.src.find("]", state.pos + 1, min(state.posMax, state.pos + MAX_LABEL + 2))
    if end < 0:
        return False
    label = state.src[state.pos + 1 : end]
    if "`" in label or "[" in label or "\\" in label[-1:]:
        return False
    if state.pos == 0 and label in (" ", "x", "X"):
        return False
    parsing: Parsing = state.env[PARSING]
    follows_control = not state.pending and state.tokens and state.tokens[-1].type in ("citation", "link_close")
    before = "" if follows_control else state.src[max(0, state.pos - _BEFORE) : state.pos]
    matches = parsing.sources.resolve(unescapeAll(label), before)
    if not matches:
        return False
    token = state.push("citation", "", 0)
    token.content = f"[{label}]"
    token.meta = {"matches": matches, "offset": state.pos}
    state.pos = end + 1
    return True


def _prepare_inline(state: StateCore) -> None:
    """Mend what is half-typed in the last piece of text, and leave costly pieces as plain text."""
    parsing: Parsing = state.env[PARSING]
    inlines = [token for token in state.tokens if token.type == "inline"]
    if parsing.open_ended and inlines:
        last = next((token for token in reversed(inlines) if token.content), inlines[-1])
        if _ends_the_text(state, last):
            last.content = mended(last.content, parsing.sources)
    for token in inlines:
        if len(token.content) * len(_OPENERS.findall(token.content)) > MAX_INLINE_WORK:
            token.type = "plain_inline"


def _ends_the_text(state: StateCore, inline: Token) -> bool:
    """Whether nothing but the ends of its parents and empty cells follows a piece of text."""
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
        state_words = "Done" if done else "Not done"
        checked = " checked" if done else ""
        checkbox.content = parsing.place(
            Control(f'<input type="checkbox" class="task" disabled{checked} aria-label="{state_words}">')
        )
        first.content = first.content[3:]
        inline.children.insert(0, checkbox)


def _render_control(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return tokens[index].content


def _render_citation(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    parsing: Parsing = env[PARSING]
    return parsing.place(CitationMark(token.meta["matches"], token.content))


def _render_code(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    parsing: Parsing = env[PARSING]
    info = unescapeAll(token.info) if token.info else ""
    return parsing.place(Control(code_block_html(token.content, info))) + "\n"


def _render_formula(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    parsing: Parsing = env[PARSING]
    display = token.type != "math_inline"
    html = formula_html(token.content, display=display)
    if token.type == "math_block":
        html = f'<div class="formula" tabindex="0" role="group" aria-label="Formula">{html}</div>'
    return parsing.place(Control(html, token.content))


def _render_raw_block(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return mask_raw_html(tokens[index].content, brackets=True)


def _render_raw_inline(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return mask_raw_html(tokens[index].content, brackets=False)


def _render_plain_inline(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return mask_raw_html(escape(tokens[index].content), brackets=True)


def _render_cell_open(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, _env: EnvType
) -> str:
    token = tokens[index]
    style = str(token.attrs.pop("style", ""))
    if style.startswith("text-align:"):
        token.attrs["align"] = style.removeprefix("text-align:")
    if token.type == "th_open":
        token.attrs["scope"] = "col"
    return str(renderer.renderToken(tokens, index, options, _env))


def _render_footnote_reference(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    label = tokens[index].meta["label"]
    parsing: Parsing = env[PARSING]
    return parsing.place(Control(f'<sup class="footnote-reference">{escapeHtml(label)}</sup>'))


def _render_footnote_open(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    label = tokens[index].meta["label"]
    parsing: Parsing = env[PARSING]
    return "<div>" + parsing.place(Control(f'<span class="footnote-label">{escapeHtml(label)}</span>'))


def _render_footnote_close(
    _renderer: RendererHTML, _tokens: Sequence[Token], _index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return "</div>\n"


_RENDER_RULES = {
    "control": _render_control,
    "citation": _render_citation,
    "fence": _render_code,
    "code_block": _render_code,
    **dict.fromkeys(_MATH_TOKENS, _render_formula),
    "html_block": _render_raw_block,
    "html_inline": _render_raw_inline,
    "plain_inline": _render_plain_inline,
    "th_open": _render_cell_open,
    "td_open": _render_cell_open,
    "footnote_ref": _render_footnote_reference,
    "footnote_reference_open": _render_footnote_open,
    "footnote_reference_close": _render_footnote_close,
}
