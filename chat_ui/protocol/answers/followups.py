"""Follow-up questions that models write into the text as `<<question>>`, taken out while it streams."""

from __future__ import annotations

import re
from typing import Final

from chat_ui.protocol.text_places import Places

MAX_QUESTION: Final = 300
MAX_QUESTIONS: Final = 100
"""Follow-up questions that are kept of one answer."""

_NEVER_INSIDE = re.compile(r"<<|\n[ \t]*\n")
_OPERATORS = re.compile(r"[<\n\r;{}|=\\]")
_OPERAND = re.compile(r"[\w)\]]")
_SHIFTED_NUMBER = re.compile(r"\s*\d[\w.]*[^\w.(]")
_LETTER = re.compile(r"[^\W\d_]")
_QUESTION_ENDS = ("?", "？", "؟", "\u037e", "՞")
_QUESTION_BEGINS = re.compile(r"[\"'“‘«¿¡(]?\w")
_BACKTICKS = re.compile(r"`+")
_RUNS = re.compile(r"`+|[^`]+")
_ANGLES = re.compile(r"<+")
_LINE_HEAD: Final = 200
_FENCE_LINE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_READ_TOGETHER: Final = 1_000
"""Characters of text without a question that are searched for code together."""


class CodeTracker:
    """Tracks Markdown code in text that only grows: fences, and inline code within a line."""

    def __init__(self) -> None:
        self.fence = ""
        self.open_run = 0
        """The backticks of inline code that has begun on this line: code only if as many follow on it."""
        self._line_head = ""
        self._run = 0

    def advance(self, text: str) -> None:
        """Take the next text in; a run of backticks at its end may go on in the text after it."""
        first, *others = text.split("\n")
        self._read(first)
        for line in others:
            self._end_line()
            self._read(line)

    def end_run(self) -> None:
        """Note that a run of backticks has ended."""
        if not self.open_run:
            self.open_run = self._run
        elif self.open_run == self._run:
            self.open_run = 0
        self._run = 0

    def _read(self, text: str) -> None:
        if len(self._line_head) < _LINE_HEAD:
            self._line_head += text[:_LINE_HEAD]
        if "`" not in text:
            if text and self._run:
                self.end_run()
            return
        for run in _RUNS.findall(text):
            if run[0] == "`":
                self._run += len(run)
            elif self._run:
                self.end_run()

    def _end_line(self) -> None:
        line, self._line_head, self._run, self.open_run = self._line_head, "", 0, 0
        fence = _FENCE_LINE.match(line)
        if self.fence:
            if fence and fence.group(1).startswith(self.fence) and not line[fence.end() :].strip():
                self.fence = ""
        elif fence and not (fence.group(1)[0] == "`" and "`" in line[fence.end() :]):
            self.fence = fence.group(1)


class FollowupFilter:
    """Passes text on, and removes `<<question>>`. White space at the end waits for more text.

    The text that `feed` returns is final. Text that may become a question is kept back, at most `MAX_QUESTION`
    characters. `1 << 2`, `cout << x;` and code are passed on: `<<` after an operand, with equal spaces on both sides,
    is a shift. Text that ends with `?>>` is always a question. `places` maps characters of the text to the output.
    """

    def __init__(self) -> None:
        self._questions: dict[str, None] = {}
        self._held = ""
        self._space = ""
        self._after_question = False
        self._code = CodeTracker()
        self._unread: list[str] = []
        self._unread_characters = 0
        self._last = "\n"
        self._space_after = ""
        self._begun = False
        self._consumed = self._passed = 0
        self.places = Places()

    @property
    def questions(self) -> list[str]:
        """The questions taken out so far, each once, at most `MAX_QUESTIONS`."""
        return list(self._questions)

    def feed(self, text: str) -> str:
        """The text that `text` releases."""
        if not self._held and "<" not in text:
            return self._release(text)
        text, self._held = self._held + text, ""
        return self._read(text, closing=False)

    def close(self) -> str:
        """The text kept back; white space after a last question is dropped."""
        held, self._held = self._held, ""
        text = self._read(held, closing=True)
        if not self._after_question:
            text += self._space
        self._space = ""
        return text

    def _read(self, text: str, *, closing: bool) -> str:
        out: list[str] = []
        at = 0
        while True:
            mark = text.find("<", at)
            if mark < 0:
                out.append(self._release(text[at:]))
                break
            if mark > at:
                out.append(self._release(text[at:mark]))
            end = self._question_end(text, mark, closing=closing)
            if end is None:
                self._held = text[mark:]
                break
            if end < 0:
                out.append(self._release(text[mark:-end]))
                at = -end
            else:
                self._take(text[mark + 2 : end - 2])
                self._consumed += end - mark
                at = end
        return "".join(out)

    def _question_end(self, text: str, mark: int, *, closing: bool) -> int | None:
        """The end of the question at `mark`; `-end` of plain text there; None if it is not clear yet."""
        inside = _ANGLES.match(text, mark).end()  # type: ignore[union-attr]
        if inside - mark > 2:
            return -(inside - 2)
        if inside == len(text) and not closing:
            return None
        if inside == mark + 1:
            return -inside
        self._look_for_code()
        self._code.end_run()
        if self._code.fence:
            return -inside
        if self._code.open_run:
            closed = self._closes_run(text, inside, closing=closing)
            if closed is None:
                return None
            if closed:
                return -inside
        stop = text.find(">>", inside, inside + MAX_QUESTION)
        content = text[inside : stop if stop >= 0 else inside + MAX_QUESTION + 1]
        if _NEVER_INSIDE.search(content) or self._is_shift(content):
            return -(mark + 2)
        if stop >= 0:
            return stop + 2 if self._is_question(content) else -(mark + 2)
        if closing or len(content) > MAX_QUESTION:
            return -(mark + 2)
        return None

    def _closes_run(self, text: str, at: int, *, closing: bool) -> bool | None:
        """Whether the backticks that are open are closed on the same line, near by; None if it is not clear yet."""
        line_end = text.find("\n", at, at + MAX_QUESTION)
        end = line_end if line_end >= 0 else min(len(text), at + MAX_QUESTION)
        for run in _BACKTICKS.finditer(text, at, end):
            grows = run.end() == len(text) < at + MAX_QUESTION and not closing
            if grows:
                return None
            if len(run.group()) == self._code.open_run:
                return True
        return False if closing or line_end >= 0 or len(text) >= at + MAX_QUESTION else None

    def _is_shift(self, content: str) -> bool:
        """Whether `<<` before `content` is a shift: after an operand, spaced alike on both sides, before a number or
        code.
        """
        spaced = bool(self._space)
        if not _OPERAND.match(self._last) or content[:1].isspace() != spaced:
            return False
        return _SHIFTED_NUMBER.match(content) is not None or (spaced and _OPERATORS.search(content) is not None)

    def _is_question(self, content: str) -> bool:
        words = content.strip()
        if not _LETTER.search(words):
            return False
        if words.rstrip("\"'”’»)*_").endswith(_QUESTION_ENDS):
            return True
        if _OPERATORS.search(content) or not _QUESTION_BEGINS.match(content):
            return False
        return bool(re.search(r"\s", words)) or not words.isascii() or self._last in "\n>"

    def _look_for_code(self) -> None:
        self._code.advance("".join(self._unread))
        self._unread.clear()
        self._unread_characters = 0

    def _take(self, question: str) -> None:
        self._after_question = True
        self._last = ">"
        question = " ".join(question.split())
        if len(self._questions) < MAX_QUESTIONS:
            self._questions[question] = None

    def _release(self, text: str) -> str:
        if not text:
            return ""
        self._unread.append(text)
        self._unread_characters += len(text)
        self._consumed += len(text)
        if self._unread_characters >= _READ_TOGETHER:
            self._look_for_code()
        body = text.rstrip()
        if not body:
            if self._after_question:
                self._space_after += text
            else:
                self._space += text
            self._last = "\n" if "\n" in text else self._last
            return ""
        tail = text[len(body) :]
        self._last = "\n" if "\n" in tail else body[-1]
        gap = self._space
        if self._after_question:
            words = body.lstrip()
            after = self._space_after + body[: len(body) - len(words)]
            gap = max(gap, after, key=lambda space: (space.count("\n"), len(space))) if self._begun else ""
            self.places.note(self._consumed - len(tail) - len(words), self._passed + len(gap))
            body, self._after_question, self._space_after = words, False, ""
        self._begun = True
        self._space = tail
        self._passed += len(gap) + len(body)
        return gap + body
