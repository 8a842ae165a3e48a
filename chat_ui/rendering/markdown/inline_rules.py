"""markdown-it's parser of paragraphs with rules of our own, for formulas, raw HTML and citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline, html_inline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.dollarmath.index import math_inline_dollar

from chat_ui.protocol.answers.markup import TAGS
from chat_ui.protocol.answers.placed_citation import space_after
from chat_ui.rendering.citations.brackets import before_bracket
from chat_ui.rendering.citations.citation_forms import AROUND_CITED, form_at
from chat_ui.rendering.citations.citations import MAX_LABEL, Match
from chat_ui.rendering.markdown.emphasis import flanks, run_length
from chat_ui.rendering.markdown.formulas import bracketed_formula
from chat_ui.rendering.markdown.linked_sources import closing_brackets, read_within
from chat_ui.rendering.markdown.token_html import PARSING, Beside, Parsing

_MARKS_BACK = 50
_TAG_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])")
_PLUGIN_FORMULA = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)


class _State(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: ARG002, N802, N803 - markdown-it's
        end = min(start + run_length(self.src, start), self.posMax)
        return Scanned(*flanks(self.src, start, end, self.posMax), end - start)


class AmendedInline(ParserInline):
    """markdown-it's parser of paragraphs, with the amended rules."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """The tokens of `src`, put into `tokens`, with the citations of `parsing.beside`."""
        parsing: Parsing = env[PARSING]
        around, parsing.waiting, parsing.beside = parsing.waiting, parsing.beside, []
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        while parsing.waiting:
            put_beside(state, parsing.waiting.pop())
        parsing.waiting = around
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def dollar_formula(state: StateInline, silent: bool) -> bool:
    """The plugin's inline rule, which misses a formula at the beginning of a text that ends in a digit."""
    if state.pos or not state.src.startswith("$"):
        return _PLUGIN_FORMULA(state, silent)
    source = state.src
    state.src += "\n"
    try:
        return _PLUGIN_FORMULA(state, silent)
    finally:
        state.src = source


def raw_inline(state: StateInline, silent: bool) -> bool:
    """The inline rule for allowed raw HTML; a link has to end, as links contain no citations."""
    name = _TAG_NAME.match(state.src, state.pos)
    if name is None or name.group(1).lower() not in TAGS:
        return False
    if name.group() in ("<a", "<A") and state.html_terminator_last(f"</{name.group(1)}") < state.pos:
        return False
    return html_inline(state, silent)


def bracketed_formula_rule(state: StateInline, silent: bool) -> bool:
    """The inline rule: a formula between escaped brackets, as many models write them."""
    if state.src[state.pos] != "\\":
        return False
    formula = bracketed_formula(state.src, state.pos)
    if formula is None or formula.end > state.posMax:
        return False
    if not silent:
        token = state.push("math_inline_double" if formula.display else "math_inline", "math", 0)
        token.content = formula.source
    state.pos = formula.end
    return True


def text(state: StateInline, silent: bool) -> bool:
    """The inline rule for plain text, up to a citation beside the text, which is put there or after its construct."""
    parsing: Parsing = state.env[PARSING]
    waiting = [] if silent or state.linkLevel else parsing.waiting
    start = state.pos
    while waiting and waiting[-1].start <= state.pos:
        put_beside(state, waiting.pop())
    end = min(state.posMax, waiting[-1].start) if waiting else state.posMax
    stop = state.md.inline.terminator_re.search(state.src, state.pos, end)
    end = stop.start() if stop else end
    if end > state.pos:
        if not silent:
            state.append_pending(state.src[state.pos : end])
        state.pos = end
    return state.pos > start


def put_beside(state: StateInline, beside: Beside) -> None:
    """Put a citation beside the text, in place of its mark if any."""
    start = max(state.pos, beside.start)
    state.pos = max(state.pos, beside.end)
    if state.pending or not state.tokens or state.tokens[-1].type != "citation":
        state.pending += space_after(state.src[max(start - 1, 0) : start])
    token = state.push("citation", "", 0)
    token.meta = {"matches": (beside.match,), "span": (start, state.pos)}


def citation(state: StateInline, silent: bool) -> bool:
    """The inline rule: a bracket that other rules declined, or another form of citations, if it names sources.

    It declines while scanning for the end of a link (`silent`): a citation there must not look like a link in a link.
    """
    if silent or state.linkLevel > 0:
        return False
    return _bracket(state) if state.src[state.pos] == "[" else _other_form(state)


def _bracket(state: StateInline) -> bool:
    end = _closing_bracket(state)
    if end < 0:
        return False
    label = state.src[state.pos + 1 : end]
    if _is_no_label(label) or (state.pos == 0 and label in (" ", "x", "X")):
        return False
    if label in AROUND_CITED:
        return _put(state, (), end + 1)
    parsing: Parsing = state.env[PARSING]
    before = "" if _follows_control(state) else before_bracket(state.src, state.pos)
    matches = parsing.sources.resolve(unescapeAll(label), before)
    return bool(matches) and _put(state, matches, end + 1)


def _other_form(state: StateInline) -> bool:
    form = form_at(state.src, state.pos, state.posMax)
    if form is None or _is_no_label(form.label):
        return False
    parsing: Parsing = state.env[PARSING]
    matches = form._replace(label=unescapeAll(form.label)).matches(parsing.sources)
    if matches is None:
        return False
    if form.words:
        start, end = form.words
        _put(state, (), start)
        if form.is_mark:
            state.pending += state.src[start:end]
            state.pos = end
        else:
            read_within(state, start, end)
    return _put(state, matches, form.end)


def _is_no_label(label: str) -> bool:
    return "`" in label or "\\" in label[-1:]


def _put(state: StateInline, matches: Sequence[Match], end: int) -> bool:
    """Put a citation in place of the text up to `end`, or remove that without matches."""
    token = state.push("citation", "", 0)
    token.content = state.src[state.pos : end]
    token.meta = {"matches": tuple(matches), "span": (state.pos, end)}
    state.pos = end
    return True


def _follows_control(state: StateInline) -> bool:
    """Whether a citation, link, image, footnote's number or mark of emphasis ends at the parser's position."""
    if state.pending or not state.tokens:
        return False
    if state.tokens[-1].type in ("citation", "link_close", "image", "footnote_ref"):
        return True
    marks = state.delimiters
    if not marks or marks[-1].token != len(state.tokens) - 1:
        return False
    closes = marks[-1].close and any(mark.open and mark.marker == marks[-1].marker for mark in marks[-_MARKS_BACK:-1])
    return closes or marks[-1].open


def _closing_bracket(state: StateInline) -> int:
    """The index at which the bracket at the parser's position closes; -1 if it is too long or too nested."""
    end = closing_brackets(state.src).get(state.pos, -1)
    return end if end < min(state.posMax, state.pos + MAX_LABEL + 2) else -1
