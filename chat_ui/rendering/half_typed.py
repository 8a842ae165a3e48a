"""Half-typed Markdown at the end of a text that is still growing.

What has begun and not ended is either shown as if it had ended (emphasis, code) or held back until it is
clear what it is (a bracket, a link's address, a formula, a tag), so that nothing on the screen changes its
kind as it is typed. The scanner reads one paragraph once, from left to right, with the precedence that
Markdown has: escapes, code, formulas, tags, brackets, emphasis.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chat_ui.rendering.citations import MAX_LABEL, SourceIndex
from chat_ui.rendering.safe_html import VERBATIM

_FORMULA_REACH = 160
_LABEL_REACH = 300
_TAG_REACH = 300
_INTERESTING = re.compile(r"[\\`$<\[\])*_~&]")
_HALF_TAG = re.compile(
    r"</?(?:[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:\"[^\"]*\"?|'[^']*'?|[^\s\"'=<>`]*))?)*\s*/?)?"
    r"|<!(?:-(?:-(?s:.*))?)?|<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*"
)
_HALF_REFERENCE = re.compile(r"&(?:#?[A-Za-z0-9]{0,10})")
_HALF_LINE = re.compile(
    r"[ \t]{0,3}(?:[-=*_+][-=*_+ \t]*|#{1,6}[ \t]*|\d{1,9}[.)][ \t]*|>[> \t]*|`{1,2}|~{1,2}|:|\|[| \t]*)"
)
_TABLE_LINE = re.compile(r"[ \t]{0,3}\|")
_DELIMITER_START = re.compile(r"[ \t]{0,3}\|?[ \t:|-]*")
_HALF_RAW_TAG = re.compile(r"<[^<>]{0,300}\Z")
_VERBATIM_TAG = re.compile(rf"<(/?)(?:{'|'.join(sorted(VERBATIM))})\b", re.IGNORECASE)
_CLOSED_TAG = re.compile(r"<(?:/?[A-Za-z][^<>]{0,2000}|[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*|!--.*?--)>", re.DOTALL)


def without_half_line(text: str) -> str:
    """`text` without a last, unfinished line that may yet become a list, a heading, a rule, a fence or a
    table.
    """
    start = text.rfind("\n") + 1
    return _without_half_table(text[:start] if _HALF_LINE.fullmatch(text, start) else text, start)


def _without_half_table(text: str, start: int) -> str:
    """`text` without a table's header line while the line below it is not there or not finished."""
    last = text[start:]
    if not last and start:
        previous_start = text.rfind("\n", 0, start - 1) + 1
        header = text[previous_start : start - 1]
        return text[:previous_start] if _is_header(text, previous_start, header) else text
    if _is_header(text, start, last):
        return text[:start]
    if start and last and _DELIMITER_START.fullmatch(last):
        previous_start = text.rfind("\n", 0, start - 1) + 1
        if _is_header(text, previous_start, text[previous_start : start - 1]):
            return text[:previous_start]
    return text


def _is_header(text: str, start: int, line: str) -> bool:
    """Whether a line that starts with a pipe is the first of its kind, so that it can only be a table's
    header.
    """
    if not _TABLE_LINE.match(line):
        return False
    above = text[text.rfind("\n", 0, start - 1) + 1 : start - 1] if start else ""
    return not _TABLE_LINE.match(above)


def without_half_raw(html: str, sources: SourceIndex) -> str:
    """Raw HTML that may go on, without a last tag that is half there or a last bracket that may yet cite."""
    html = _HALF_RAW_TAG.sub("", html)
    opening = html.rfind("[", html.rfind(">") + 1)
    label = html[opening + 1 :]
    if opening < 0 or "]" in label or _ends_an_interval(label) or not _may_become_citation(label, sources):
        return html
    slashes = _VERBATIM_TAG.findall(html)
    return html if slashes and not slashes[-1] else html[:opening]


def mended(text: str, sources: SourceIndex) -> str:
    """A paragraph that may go on: open emphasis and code closed, what is unclear held back."""
    return _Mending(text, sources).run()


@dataclass(slots=True)
class _Mending:
    text: str
    sources: SourceIndex
    open_marks: list[str] = field(default_factory=list)
    brackets: list[int] = field(default_factory=list)

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
        """The position after what begins at `start`; -1 when it is not clear yet and held back."""
        if character == "\\":
            return start + 2 if start + 1 < len(self.text) else -1
        if character == "`":
            return self.code(start)
        if character == "$":
            return self.formula(start)
        if character == "<":
            return self.tag(start)
        if character == "&":
            rest = self.text[start:]
            return -1 if _HALF_REFERENCE.fullmatch(rest) and len(rest) < 12 else start + 1
        if character == "[":
            self.brackets.append(start)
            return start + 1
        if character in "])":
            return self.closing_bracket(start, character)
        return self.emphasis(start, character)

    def code(self, start: int) -> int:
        run = _run_length(self.text, start)
        fence = "`" * run
        position = start + run
        while (position := self.text.find(fence, position)) >= 0:
            found = _run_length(self.text, position)
            if found == run:
                return position + run
            position += found
        return self.open_code(start, run)

    def open_code(self, start: int, run: int) -> int:
        """Show code that is not closed as if it were; the text ends here."""
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
            closes = double or (not self.text[end - 1].isspace() and not following.isdigit())
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
        if rest[0].isdigit() and not re.search(r"[\\^_{}=]", rest):
            return start + 1
        return -1

    def tag(self, start: int) -> int:
        closed = _CLOSED_TAG.match(self.text, start)
        if closed:
            return closed.end()
        rest = self.text[start : start + _TAG_REACH + 1]
        return -1 if len(rest) <= _TAG_REACH and _HALF_TAG.fullmatch(rest) else start + 1

    def closing_bracket(self, start: int, character: str) -> int:
        if character == ")":
            if self.brackets and _ends_an_interval(self.text[self.brackets[-1] + 1 : start + 1]):
                self.brackets.pop()
            return start + 1
        if not self.brackets:
            return start + 1
        opening = self.brackets.pop()
        return self.link(opening, start) if not self.brackets else start + 1

    def link(self, opening: int, closing: int) -> int:
        """Past a link or a bracket that has closed; an address that has not is left out."""
        is_image = opening > 0 and self.text[opening - 1] == "!"
        label = self.text[opening + 1 : closing]
        after = closing + 1
        if after == len(self.text):
            before = self.text[max(0, opening - 80) : opening].removesuffix("]")
            matches = () if is_image else self.sources.resolve(label, before)
            if any(match.data_point is not None for match in matches):
                return after
            self.brackets.append(opening)
            return after
        if self.text[after] != "(":
            return after
        end = _address_end(self.text, after)
        if end is not None:
            return end
        if is_image or "[" in label:
            self.brackets.append(opening)
            return len(self.text)
        self.text = self.text[:opening] + label
        return len(self.text)

    def emphasis(self, start: int, character: str) -> int:
        text = self.text
        run = 1
        while start + run < len(text) and text[start + run] == character:
            run += 1
        after = start + run
        before_space = start == 0 or text[start - 1].isspace()
        at_end = after == len(text)
        after_space = at_end or text[after].isspace()
        if character == "~" and run < 2 and not at_end:
            return after
        inside_word = character == "_" and not before_space and not at_end and text[after].isalnum()
        if inside_word and text[start - 1].isalnum():
            return after
        if not before_space:
            run = self.close_marks(character, run)
        if at_end:
            if run:
                self.text = text[: after - run]
            return len(self.text)
        if run and not after_space:
            self.open_marks.extend(_marks(character, run))
        return after

    def close_marks(self, character: str, run: int) -> int:
        """Close open marks of one character, innermost first; what is left of the run."""
        while run and self.open_marks and self.open_marks[-1][0] == character and len(self.open_marks[-1]) <= run:
            run -= len(self.open_marks.pop())
        return run

    def end(self) -> str:
        text = self.text
        for opening in self.brackets:
            if _may_become_citation(text[opening + 1 :], self.sources):
                start = opening - 1 if opening and text[opening - 1] == "!" else opening
                return self.closed(text[:start])
        return self.closed(text)

    def closed(self, text: str) -> str:
        """`text` with the marks closed that were opened in it."""
        stripped = text.rstrip()
        marks = [mark for mark in self.open_marks if mark in stripped]
        while marks and stripped.endswith(marks[-1]):
            stripped = stripped[: -len(marks.pop())].rstrip()
        return stripped + "".join(reversed(marks)) + (text[len(text.rstrip()) :] if not marks else "")


def _may_become_citation(label: str, sources: SourceIndex) -> bool:
    """Whether a bracket that holds `label` so far may yet become a citation, or a link."""
    return len(label) < _LABEL_REACH or (len(label) < MAX_LABEL and sources.may_become(label))


def _ends_an_interval(label: str) -> bool:
    """Whether a parenthesis closes what a bracket opened: an interval or a slip, and text either way."""
    inside, parenthesis, _ = label.partition(")")
    return bool(parenthesis) and "(" not in inside


def _marks(character: str, run: int) -> list[str]:
    if character == "~":
        return ["~~"]
    return [character] * (run % 2) + [character * 2] * (run // 2)


def _run_length(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end] == "`":
        end += 1
    return end - start


def _address_end(text: str, start: int) -> int | None:
    """The position after the address in brackets that begins at `start`, None when it has not ended."""
    depth = 0
    for position in range(start, len(text)):
        character = text[position]
        if character == "\n" and position - start > _LABEL_REACH:
            return position
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return position + 1
    return None if len(text) - start < 2_000 else start + 1
