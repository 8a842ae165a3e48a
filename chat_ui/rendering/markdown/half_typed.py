"""Half-typed Markdown at the end of a growing text.

Unfinished emphasis and code are shown as if they had ended. A bracket, a link's address, a formula or a tag is held
back until its kind is clear. So shown text does not change its kind as it is typed. The scanner reads one paragraph
once, from left to right, with Markdown's precedence: escapes, code, formulas, tags, brackets, emphasis. An unclear last
line is left out before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from markdown_it.rules_block.table import escapedSplit

from chat_ui.rendering.citations.brackets import before_bracket
from chat_ui.rendering.citations.citation_forms import FORM_START, FORMS, form_at, may_become_form
from chat_ui.rendering.citations.citations import MAX_LABEL, Match, SourceIndex
from chat_ui.rendering.html.safe_html import VERBATIM
from chat_ui.rendering.markdown.emphasis import OpenRun, close_emphasis, flanks, run_length, with_closed_emphasis
from chat_ui.rendering.markdown.formulas import ENDS, bracketed_formula
from chat_ui.rendering.markdown.link_addresses import HALF_SPACED, url_end

_HALF_LINE = re.compile(
    r"[ \t]{0,3}(?:[-=*_+][-=*_+ \t]*|#{1,6}[ \t]*|\d{1,9}[.)][ \t]*|>[> \t]*|`{1,2}|~{1,2}|:|\|[| \t]*)"
)
_TABLE_LINE = re.compile(r"[ \t]{0,3}\|")
_DELIMITER_START = re.compile(r"[ \t]{0,3}\|?[ \t:|-]*")
_DELIMITER = re.compile(r":?-+:?")
_CELLS = re.compile(r"[ \t]*\|(?:[ \t]+\S|[^\s|][^|]*\|[^\s|])")
_HALF_CITATION = re.compile(r"(?:(?<![\\!])\[(?=.)|(?<=\s)\[)([^\[\]\n]{0,300})\Z")
_LONE_PIPE = re.compile(r"(?:^|\n)[ \t]*\|\Z")

_FORMULA_REACH = 160
_LABEL_REACH = 300
_TAG_REACH = 300
_ADDRESS_REACH = 2_000
_INTERESTING = re.compile(rf"[\\`$<\[\])*_~&:{re.escape(''.join(FORMS))}]")
_SCHEME = re.compile(r"(?:^|[^A-Za-z0-9.+-])(?:https?|ftp)\Z", re.IGNORECASE)
_AFTER_SCHEME = re.compile(
    r"://[^\s<>\"\[\]()/?#*_]+[/?#](?:[^\s<>\"\[\]()]|\([^\s<>\"\[\]()]*\))*(?<![*~])",
)
_HALF_TAG = re.compile(
    r"</?(?:[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:\"[^\"]*\"?|'[^']*'?|[^\s\"'=<>`]*))?)*\s*/?)?"
    r"|<!(?:-(?:-(?s:.*))?)?|<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*"
)
_REVERSED_BRACKET = re.compile(r"(?<=[\w∞])\[(?=[\s,;:)])")
_PRICE = re.compile(r"\d[^\\^_{}=]*")
_HALF_ADDRESS = re.compile(
    r"\(\s*(?:<[^<>\n]*|(?:<[^<>\n]*>|[^\s<]\S*)(?:\s+(?:(?:\"[^\"]*\"?|'[^']*'?|\([^()]*\)?)\s*)?)?)?"
)
_TITLE = re.compile(r"\s+[\"'].*+\Z", re.DOTALL)
_WEB_ADDRESS = re.compile(r"\(\s*<?(?:https?://|mailto:)[^\s<>]", re.IGNORECASE)
_MARK = re.compile(r"【[^【】\n†]{0,20}†[^【】\n]{0,200}】")
_HALF_REFERENCE = re.compile(r"&(?:#?[A-Za-z0-9]{0,10})")
_HALF_RAW_TAG = re.compile(r"<[^<>]{0,300}\Z")
_RAW_LINK = re.compile(r"<a\s+href\b", re.IGNORECASE)
_VERBATIM_TAG = re.compile(rf"<(/?)(?:{'|'.join(sorted(VERBATIM))})\b", re.IGNORECASE)
_CLOSED_TAG = re.compile(r"<(?:/?[A-Za-z][^<>]{0,2000}|[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*|!--.*?--)>", re.DOTALL)


def without_half_line(text: str) -> str:
    """`text` without an unfinished last line that may become a list, heading, rule, fence or table."""
    start = text.rfind("\n") + 1
    return _without_half_table(text[:start] if _HALF_LINE.fullmatch(text, start) else text, start)


def _without_half_table(text: str, start: int) -> str:
    """`text` without a table's header line while the line below it, at `start`, is missing or unfinished."""
    if _is_header(text, start):
        return text[:start]
    if start and _DELIMITER_START.fullmatch(text, start):
        above = _line_above(text, start)
        if _is_header(text, above):
            return text[:above]
    return text


def with_whole_table(text: str) -> str:
    """An ended `text`, with the delimiter row that the table at its end lacks, and without a lone pipe there."""
    body = _LONE_PIPE.sub("", text.rstrip()).rstrip()
    start = header = body.rfind("\n") + 1
    if has_row := start > 0 and _DELIMITER_START.fullmatch(body, start) is not None:
        header = _line_above(body, start)
    line = body[header : start if has_row else len(body)].rstrip()
    if not _is_header(body, header) or not (has_row or _CELLS.match(line)):
        return text if body == text.rstrip() else body
    given = [cell for cell in _cells(body[start:]) if _DELIMITER.fullmatch(cell)] if has_row else []
    columns = len(_cells(line))
    row = " | ".join([*given, *(["---"] * columns)][:columns])
    return f"{body[:header]}{line}\n{line[: line.index('|')]}| {row} |"


def without_half_citation(text: str, sources: SourceIndex) -> str:
    """An ended `text` without the beginning of a citation at its end; a whole name stays."""
    half = _HALF_CITATION.search(text)
    is_cut = half and sources.begins(half[1]) and not sources.resolve_known(half[1])
    return text[: half.start()] if half and is_cut else text


def _cells(line: str) -> list[str]:
    """The cells of a table's line, which begins with a pipe."""
    line = line.strip().removeprefix("|")
    cells = [cell.strip() for cell in escapedSplit(line)]
    return cells if cells[-1] else cells[:-1]


def _is_header(text: str, start: int) -> bool:
    """Whether the line at `start` begins with a pipe as the first of its kind: a table's header."""
    is_first = not start or not _TABLE_LINE.match(text, _line_above(text, start))
    return is_first and _TABLE_LINE.match(text, start) is not None


def _line_above(text: str, start: int) -> int:
    """The beginning of the line that ends before `start`."""
    return text.rfind("\n", 0, start - 1) + 1


def without_half_raw(html: str, sources: SourceIndex) -> str:
    """Raw HTML that may go on, without a half tag or a possible citation at its end."""
    html = _HALF_RAW_TAG.sub("", html)
    opening = _half_raw_citation(html, html.rfind(">") + 1, sources)
    if opening < 0:
        return html
    slashes = _VERBATIM_TAG.findall(html)
    return html if slashes and not slashes[-1] else html[:opening]


def _half_raw_citation(html: str, start: int, sources: SourceIndex) -> int:
    """The index, in the last text of raw HTML from `start` on, of a bracket or a form that may yet cite; else -1."""
    opening = html.rfind("[", start)
    label = html[opening + 1 :]
    is_half = opening >= 0 and "]" not in label and not _REVERSED_BRACKET.match(html, opening)
    if is_half and not _ends_an_interval(label) and _may_become_citation(label, sources):
        return opening - 1 if html[start:opening].endswith("^") else opening
    while found := FORM_START.search(html, start):
        if _may_be_half(html, found.start(), sources):
            return found.start()
        form = form_at(html, found.start(), len(html))
        start = form.end if form else found.end()
    return -1


def _may_be_half(text: str, start: int, sources: SourceIndex) -> bool:
    """Whether half a form begins at `start` and may yet cite."""
    return may_become_form(text, start) and _may_become_citation(text[start + 1 :], sources)


def mended(text: str, sources: SourceIndex) -> str:
    """A paragraph that may go on: open emphasis and code closed, and unclear parts held back."""
    return _Mending(text, sources).run()


@dataclass(frozen=True, slots=True)
class _OpenBracket:
    """A bracket that has not closed, and the emphasis that is open around it."""

    start: int
    emphasis: OpenRun | None


@dataclass(slots=True)
class _Mending:
    text: str
    sources: SourceIndex
    emphasis: OpenRun | None = None
    brackets: list[_OpenBracket] = field(default_factory=list)

    def run(self) -> str:
        position = 0
        while found := _INTERESTING.search(self.text, position):
            start = found.start()
            position = self.step(start, found.group())
            if position < 0:
                self.text = self.text[:start]
                break
        return self.end()

    def step(self, start: int, character: str) -> int:
        """The position after the construct at `start`; -1 to hold back an unclear one."""
        if character == "\\":
            return self.escape(start)
        if character == "`":
            return self.code(start)
        if character == "$":
            return self.formula(start)
        if character == "<":
            position = self.form(start)
            return self.tag(start) if position == start + 1 else position
        if character == "&":
            rest = self.text[start:]
            return -1 if _HALF_REFERENCE.fullmatch(rest) and len(rest) < 12 else start + 1
        if character == "[":
            return self.opening_bracket(start)
        if character in "])":
            return self.closing_bracket(start, character)
        if character == ":":
            return self.bare_url(start)
        if character in FORMS:
            return self.form(start)
        return self.marks(start, character)

    def escape(self, start: int) -> int:
        """Past an escaped character or a formula in brackets."""
        closer = ENDS.get(self.text[start : start + 2])
        if closer is None:
            return start + 2 if start + 1 < len(self.text) else -1
        formula = bracketed_formula(self.text, start)
        if formula is not None:
            return formula.end
        rest = self.text[start + 2 :]
        return -1 if len(rest) <= _FORMULA_REACH and closer not in rest else start + 2

    def code(self, start: int) -> int:
        run = run_length(self.text, start)
        fence = "`" * run
        position = start + run
        while (position := self.text.find(fence, position)) >= 0:
            found = run_length(self.text, position)
            if found == run:
                return position + run
            position += found
        return self.open_code(start, run)

    def open_code(self, start: int, run: int) -> int:
        """Show unclosed code as if it were closed; the text ends here."""
        body = self.text[start + run :]
        content = body.rstrip("`")
        if not content.strip():
            return -1
        padding = " " if content.startswith("`") else ""
        self.text = self.text[: start + run] + padding + content + padding + "`" * run
        return len(self.text)

    def formula(self, start: int) -> int:
        double = self.text.startswith("$$", start)
        opener = 2 if double else 1
        fence = "$$" if double else "$"
        end = self.text.find(fence, start + opener)
        if end >= 0:
            following = self.text[end + opener : end + opener + 1]
            is_price = not following and _PRICE.fullmatch(self.text, start + 1, end)
            closes = double or not (self.text[end - 1].isspace() or following.isdigit() or is_price)
            opens = double or not (start and self.text[start - 1].isdigit())
            opens = opens and not self.text[start + opener : start + opener + 1].isspace()
            return end + opener if opens and closes else start + opener
        rest = self.text[start + opener :]
        if len(rest) > _FORMULA_REACH * opener:
            return start + opener
        if double or not rest:
            return -1
        if rest[0].isspace() or (start and self.text[start - 1].isdigit()):
            return start + 1
        return start + 1 if _PRICE.fullmatch(rest) else -1

    def tag(self, start: int) -> int:
        closed = _CLOSED_TAG.match(self.text, start)
        if closed:
            is_open_link = _RAW_LINK.match(closed.group()) and "</" not in self.text[closed.end() :]
            return -1 if is_open_link and len(self.text) - closed.end() < _LABEL_REACH else closed.end()
        rest = self.text[start : start + _TAG_REACH + 1]
        return -1 if len(rest) <= _TAG_REACH and _HALF_TAG.fullmatch(rest) else start + 1

    def opening_bracket(self, start: int) -> int:
        """Past a bracket; a reversed one closes an interval, as in `[1, 2[ is`."""
        if not _REVERSED_BRACKET.match(self.text, start):
            self.brackets.append(_OpenBracket(start, self.emphasis))
        elif self.brackets:
            self.brackets.pop()
        return start + 1

    def closing_bracket(self, start: int, character: str) -> int:
        if not self.brackets:
            return start + 1
        bracket = self.brackets[-1]
        if character == ")":
            if _ends_an_interval(self.text[bracket.start + 1 : start + 1]):
                self.brackets.pop()
            return start + 1
        self.brackets.pop()
        if bracket.emphasis is not self.emphasis and self.matches(bracket, start):
            self.emphasis = bracket.emphasis
        return start + 1 if self.brackets else self.link(bracket, start)

    def matches(self, bracket: _OpenBracket, closing: int) -> tuple[Match, ...]:
        """The citations of a bracket."""
        before = before_bracket(self.text, bracket.start).removesuffix("]")
        return self.sources.resolve(self.text[bracket.start + 1 : closing], before)

    def link(self, bracket: _OpenBracket, closing: int) -> int:
        """Past a link or a closed bracket. Until an address is whole, the bracket is shown as without it."""
        text, after = self.text, closing + 1
        if after < len(text):
            if text[after] != "(":
                return after
            end = _address_end(text, after)
            address = text[after : end - 1 if end else after + _ADDRESS_REACH]
            is_address = _HALF_ADDRESS.fullmatch(address) or HALF_SPACED.fullmatch(address)
            if len(address) == _ADDRESS_REACH or not (is_address or self.names_source(address[1:], half=not end)):
                return after
            if end:
                self.emphasis = bracket.emphasis
                return end
        is_image = text[max(0, bracket.start - 1)] == "!"
        label = text[bracket.start + 1 : closing]
        if not is_image and _WEB_ADDRESS.match(text, after) and not self.cites_within(bracket.start + 1, closing):
            self.emphasis = bracket.emphasis
            self.text = text[: bracket.start] + label
            return len(self.text)
        matches = () if is_image else self.matches(bracket, closing)
        if all(match.data_point is None for match in matches):
            self.brackets.append(bracket)
        self.text = text[:after]
        return after

    def names_source(self, address: str, *, half: bool) -> bool:
        """Whether an address with spaces is the name of a source, or the beginning of a name."""
        address = _TITLE.sub("", address)
        return self.sources.begins(address) if half else bool(self.sources.resolve_known(address))

    def form(self, start: int) -> int:
        """Past a form of citations that names sources: marks of emphasis in it are part of their names."""
        if _may_be_half(self.text, start, self.sources):
            return -1
        end = self.form_end(start, len(self.text))
        if end is None:
            # Its source may come after a mark that ends the text.
            return -1 if _MARK.fullmatch(self.text, start) else start + 1
        return end

    def form_end(self, start: int, end: int) -> int | None:
        """The end of a form that begins at `start`, ends before `end` and names sources, else None."""
        form = form_at(self.text, start, end)
        return form.end if form and form.matches(self.sources) is not None else None

    def bare_url(self, start: int) -> int:
        """Past a URL in the text: marks in it are part of it."""
        scheme = _SCHEME.search(self.text[max(0, start - 6) : start])
        url = _AFTER_SCHEME.match(self.text, start, url_end(self.text, start)) if scheme else None
        return url.end() if url else start + 1

    def cites_within(self, start: int, end: int) -> bool:
        """Whether the unfinished text of a link may have a citation, which a finished one will not."""
        starts = (found.start() for found in FORM_START.finditer(self.text, start, end))
        return "[" in self.text[start:end] or any(self.form_end(each, end) is not None for each in starts)

    def marks(self, start: int, character: str) -> int:
        """Past a run of marks of emphasis; at the end of the text it may grow, and is left out."""
        length = run_length(self.text, start)
        end = start + length
        if end == len(self.text):
            self.text = self.text[:start]
            return start
        can_open, can_close = flanks(self.text, start, end, len(self.text))
        count = length - length % 2 if character == "~" else length
        if can_close:
            self.emphasis, count = close_emphasis(self.emphasis, character, length, count, can_open=can_open)
        if can_open and count:
            self.emphasis = OpenRun(character, start, length, count, can_close, self.emphasis)
        return end

    def end(self) -> str:
        text = self.text
        for bracket in self.brackets:
            opening = bracket.start
            if _may_become_citation(text[opening + 1 :], self.sources):
                start = opening - 1 if opening and text[opening - 1] == "!" else opening
                return with_closed_emphasis(text[:start], bracket.emphasis)
        return with_closed_emphasis(text, self.emphasis)


def _may_become_citation(label: str, sources: SourceIndex) -> bool:
    """Whether a bracket with `label` so far may yet become a citation, or a link."""
    if len(label) < _LABEL_REACH:
        return True
    # A list is free of brackets, and nested ones would each be searched with all that follows.
    return len(label) < MAX_LABEL and "[" not in label and sources.may_become(label)


def _ends_an_interval(label: str) -> bool:
    """Whether a parenthesis closes a bracket: an interval or a slip, and text either way."""
    inside, parenthesis, _ = label.partition(")")
    return bool(parenthesis) and "(" not in inside


def _address_end(text: str, start: int) -> int | None:
    """The position after the address in brackets that begins at `start`; None if it has not ended."""
    depth = 0
    for position in range(start, min(len(text), start + _ADDRESS_REACH)):
        character = text[position]
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return position + 1
    return None
