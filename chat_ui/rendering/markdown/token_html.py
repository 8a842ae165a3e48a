"""The HTML of tokens that differs from markdown-it's: controls, citations, code, formulas, raw HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

from markdown_it.common.utils import escapeHtml, unescapeAll
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.placed_citation import PlacedCitation
from chat_ui.rendering.citations.citation_forms import RAW_BRACKET
from chat_ui.rendering.citations.citations import Match, SourceIndex
from chat_ui.rendering.html.placeholders import CLOSE, OPEN, CitationMark, Control, foreign_html
from chat_ui.rendering.html.safe_html import Outline
from chat_ui.rendering.markdown.code_blocks import CodeState, code_block
from chat_ui.rendering.markdown.formulas import formula_html
from chat_ui.rendering.markdown.half_typed import without_half_raw

_BREAK = re.compile(r"</?br\b", re.IGNORECASE)
_MATH_TOKENS = ("math_inline", "math_inline_double", "math_block")


class Beside(NamedTuple):
    """A citation beside the text, from `start` to `end` of its token's content, `moved` so far in the text."""

    match: Match
    start: int
    end: int
    moved: int = 0


@dataclass(slots=True)
class Parsing:
    """The input and the findings of one parse, in markdown-it's `env` under `PARSING`.

    While `streaming`, code is coloured so far: the first from `code_start` on, and the last leaves the states of its
    chunks in `code_states`. `outline` are the headings above the next block. If brackets are `placed`, their places in
    the text are noted. Lines of a paragraph are shown as lines, unless the text is `wrapped`, as in an editor.

    `citations` are beside the whole text, in which the parsed text begins at `begun`; those up to `cited_from` are of
    earlier text. Those of the next paragraph are `beside`, and the remaining ones of the current one `waiting`, both
    last first.
    """

    sources: SourceIndex
    citations: Sequence[PlacedCitation] = ()
    begun: int = 0
    cited_from: int = 0
    open_ended: bool = False
    streaming: bool = False
    placed: bool = False
    wrapped: bool = False
    code_start: CodeState | None = None
    code_states: dict[int, CodeState] = field(default_factory=dict)
    controls: list[Control | CitationMark] = field(default_factory=list)
    beside: list[Beside] = field(default_factory=list)
    waiting: list[Beside] = field(default_factory=list)
    outline: Outline = ()

    def place(self, control: Control | CitationMark) -> str:
        """A placeholder for the control."""
        self.controls.append(control)
        return f"{OPEN}{len(self.controls) - 1}{CLOSE}"


PARSING = "chat_ui.parsing"


def _citation_html(token: Token, parsing: Parsing) -> str:
    return parsing.place(CitationMark(token.meta["matches"], token.content, token.meta.get("place")))


def _code_html(token: Token, parsing: Parsing) -> str:
    info = unescapeAll(token.info) if token.info else ""
    if parsing.streaming:
        parsing.code_states = {}
        parts = code_block(token.content, info, parsing.code_start, parsing.code_states)
        parsing.code_start = None
    else:
        parts = code_block(token.content, info)
    return parsing.place(Control(parts)) + "\n" + _cited_after(token, parsing)


def _formula_html(token: Token, parsing: Parsing) -> str:
    display = token.type != "math_inline"
    html = formula_html(token.content, display=display)
    if token.type == "math_block":
        html = (
            f'<div class="formula" tabindex="0" role="group" aria-label="{escapeHtml(gettext("Formula"))}">{html}</div>'
        )
    return parsing.place(Control((html,), token.content)) + _cited_after(token, parsing)


def _cited_after(token: Token, parsing: Parsing) -> str:
    """A paragraph of the citations in a block without text; empty while the block may grow."""
    beside = () if parsing.streaming else token.meta.get("beside", ())
    cited = "".join(parsing.place(CitationMark((one.match,), "")) for one in beside)
    return f"<p>{cited}</p>\n" if cited else ""


def _render_raw_block(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    parsing: Parsing = env[PARSING]
    token = tokens[index]
    html = token.content
    if parsing.streaming and all(tokens[after].nesting < 0 for after in range(index + 1, len(tokens))):
        html = without_half_raw(html, parsing.sources)
    places = iter(token.meta.get("places", ()))

    def marked(bracket: re.Match[str]) -> str:
        written, place = bracket.group(), next(places, None)
        if "<" in written or ">" in written or (written[0] == "[" and written[-1] != "]"):
            return written
        return parsing.place(CitationMark(None, unescape(written), place))

    return RAW_BRACKET.sub(marked, foreign_html(html))


def _render_soft_break(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
) -> str:
    parsing: Parsing = env[PARSING]
    beside = tokens[max(index - 1, 0) : index + 2]
    is_broken = any(_breaks_line(token) for token in beside)
    return "\n" if parsing.wrapped or is_broken else "<br>\n"


def _breaks_line(token: Token) -> bool:
    if token.type == "math_inline_double":
        return formula_html(token.content, display=True).startswith("<math")
    return token.type == "html_inline" and _BREAK.match(token.content) is not None


def _render_image(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    for token in tokens[index].children or ():
        if token.content and token.type != "image":
            # The library leaves formulas and citations out.
            token.type = "text"
    return renderer.image(tokens, index, options, env)


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


def _footnote_html(token: Token, parsing: Parsing) -> str:
    label = escapeHtml(token.meta["label"])
    if token.type == "footnote_ref":
        return parsing.place(Control((f'<sup class="footnote-reference">{label}</sup>',)))
    return "<div>" + parsing.place(Control((f'<span class="footnote-label">{label}</span>',)))


def _rule(html_of: Callable[[Token, Parsing], str]) -> Callable[..., str]:
    """The rule of markdown-it that writes a token by itself."""

    def render(
        _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, env: EnvType
    ) -> str:
        return html_of(tokens[index], env[PARSING])

    return render


RENDER_RULES = {
    "control": _rule(lambda token, _: token.content),
    "citation": _rule(_citation_html),
    "fence": _rule(_code_html),
    "code_block": _rule(_code_html),
    "hr": _rule(lambda token, parsing: "<hr>\n" + _cited_after(token, parsing)),
    **dict.fromkeys(_MATH_TOKENS, _rule(_formula_html)),
    "html_block": _render_raw_block,
    "html_inline": _rule(lambda token, _: foreign_html(token.content)),
    "softbreak": _render_soft_break,
    "image": _render_image,
    "th_open": _render_cell_open,
    "td_open": _render_cell_open,
    "footnote_ref": _rule(_footnote_html),
    "footnote_reference_open": _rule(_footnote_html),
    "footnote_reference_close": _rule(lambda *_: "</div>\n"),
}
