"""Thinking that a server leaves in the text of an answer.

Models such as DeepSeek R1 and Qwen send `<think>…</think>` before the answer, others use other marks. If a template
puts the opening mark into the prompt, only the closing one comes, and turns all text before it into thinking. Models of
OpenAI's harmony format send channels: `<|channel|>analysis<|message|>…<|end|>`, and the answer in `final`.

A closing mark counts if no opening one came before it, and the text is not about it: code around it, or a sentence that
goes on after it. If a sentence goes on after an opening mark, or thinking is over, the mark counts only with its
closing one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Final, TypeAlias

from chat_ui.protocol.answers.streaming_text import StreamingText
from chat_ui.protocol.events import Event, ReasoningDelta, TextDelta, TextRevised
from chat_ui.protocol.text_places import Places

_NAMES: Final = ("think", "thinking", "thought", "reasoning", "seed:think", "antml:thinking")
_THOUGHTS: Final = {
    **{f"<{name}>": f"</{name}>" for name in _NAMES},
    "◁think▷": "◁/think▷",
    "[THINK]": "[/THINK]",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|START_THINKING|>": "<|END_THINKING|>",
}
"""The opening marks of thinking, each with its closing one."""
_ANSWERS: Final = {
    "<answer>": "</answer>",
    "<response>": "</response>",
    "<|begin_of_solution|>": "<|end_of_solution|>",
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
}
"""The marks around an answer that follows thinking."""
_STARTS: Final = ("<|start|>", "<|channel|>")
_STOPS: Final = ("<|end|>", "<|return|>", "<|call|>")
_THOUGHT_ENDS: Final = frozenset(_THOUGHTS.values())
_MARKS: Final = (*_THOUGHTS, *_THOUGHT_ENDS, *_ANSWERS.values(), *_STARTS, *_STOPS)
_MARK: Final = re.compile("|".join([*map(re.escape, _MARKS), "`+", "~~~+"]))
_BEGINS: Final = re.compile(r"[<\[◁`~]")
_TURN: Final = re.compile("|".join(map(re.escape, _STARTS + _STOPS)))
_STOPPED: Final = rf"(?:(?:{'|'.join(map(re.escape, _STOPS))})\s{{0,20}})?"
_HEADER: Final = re.compile(
    rf"{_STOPPED}(?=<\|[sc])(?:<\|start\|>([^<\n]{{0,100}}))?(?:<\|channel\|>([^<\n]{{0,100}}))?"
    r"(?:<\|constrain\|>[^<\n]{0,100})?<\|message\|>"
)
"""The head of a message in the harmony format, with the end of the one before."""
_HEADER_BEGUN: Final = re.compile(
    rf"{_STOPPED}(?:<\|start\|>[^<\n]{{0,100}})?(?:<\|channel\|>[^<\n]{{0,100}})?"
    r"(?:<\|constrain\|>[^<\n]{0,100})?(?:<\|?[a-z]{0,9}\|?)?\Z"
)
_OF_THE_FORMAT: Final = frozenset({"assistant", "analysis", "commentary", "final"})
_Kind: TypeAlias = type[ReasoningDelta | TextDelta | TextRevised]
_MOST_SPACE: Final = 64
_LINE: Final = 80
"""Characters that are kept of the line before a mark, and of the text after it."""
_SENTENCE_END: Final = re.compile(r"[.!?…。！？．][\"'”’»)\]*_]*\Z")
_GOES_ON: Final = re.compile(r"[ \t]*[,.;:!?)\]}'\"’”»`|/]|[ \t]+[-–—=]")
"""The end of a word and more of its sentence."""
_BLANK_LINE: Final = re.compile(r"[ \t]*\r?\n[ \t]*\r?\n")


class ThinkingFilter:
    """Separates thinking from the text of an answer in pieces of any size.

    Released text that turns out to be thinking is taken back by an empty `TextRevised`. `places` maps characters of the
    pieces to the released text.
    """

    def __init__(self) -> None:
        self.came = StreamingText()
        """All that was fed; others do not change it."""
        self.places = Places()
        self._begun = self._made = 0
        """The index of the text kept back in all that came, and the length of the released text."""
        self._held = ""
        self._at = 0
        """The index in the text kept back up to which it is read."""
        self._found: list[tuple[_Kind, list[str]]] = []
        self._read = self._head
        self._closing = ""
        """The mark that ends the opened thinking or answer."""
        self._has_thought = self._has_answered = self._has_channels = self._has_released = False
        self._may_be_thinking = True
        """Whether a mark may still turn the text so far into thinking."""
        self._said_from: int | None = None
        """The index, in all that came, of the text that may be thinking."""
        self._opened: set[str] = set()
        """Closing marks of the opening ones in it."""
        self._doubted = ""
        """The opening mark at its beginning."""
        self._line = self._fence = self._inline = ""

    def feed(self, text: str) -> list[Event]:
        """The thinking and the text that the next piece of the text releases."""
        self.came.append(text)
        if self._read == self._answer and not (
            self._held or self._closing or self._may_be_thinking or self._has_channels
        ):
            self._begun += len(text)
            return [TextDelta(text)]
        if text and self._read == self._answer and not (self._held or _BEGINS.search(text)):
            self._note_said(text)
            self._has_released = True
            self._begun += len(text)
            return [TextDelta(text)]
        self._held += text
        return self._released(is_last=False)

    def close(self) -> list[Event]:
        """The events kept back, at the end of the answer."""
        return self._released(is_last=True)

    def _released(self, *, is_last: bool) -> list[Event]:
        self._made = self._begun + self.places.shift
        while self._at < len(self._held) and self._read(is_last):
            pass
        self._begun += self._at
        self.places.note(self._begun, self._made)
        self._held, self._at = self._held[self._at :], 0
        found, self._found = self._found, []
        self._has_released |= any(kind is TextDelta for kind, _ in found)
        return [kind("".join(texts)) for kind, texts in found]

    def _head(self, is_last: bool) -> bool:
        begun = self._held.lstrip()
        spaces = len(self._held) - len(begun)
        opening = next((mark for mark in _THOUGHTS if begun.startswith(mark)), None)
        is_undecided = _begins_any((*_THOUGHTS, *_STARTS), begun) or _is_header_begun(begun, 0)
        if opening is not None:
            rest = begun[len(opening) :]
            if not (rest.strip(" \t") or is_last) and len(rest) < _MOST_SPACE:
                return False
            if _goes_on(rest):
                self._doubted, self._read = opening, self._answer
                return True
            self._closing, self._read, self._may_be_thinking = _THOUGHTS[opening], self._thought, False
            self._at = spaces + len(opening)
        elif header := _HEADER.match(begun):
            self._begin_message(header, spaces)
        elif is_undecided and not is_last and spaces < _MOST_SPACE:
            return False
        else:
            self._read = self._answer
        return True

    def _after_thought(self, is_last: bool) -> bool:
        while self._at < len(self._held) and self._held[self._at].isspace():
            self._at += 1
        begun = self._held[self._at : self._at + _LINE]
        opening = next((mark for mark in _ANSWERS if begun.startswith(mark)), "")
        if not opening and not is_last and _begins_any((*_ANSWERS, *_THOUGHTS), begun):
            return False
        self._doubted = next((mark for mark in _THOUGHTS if begun.startswith(mark)), "")
        self._may_be_thinking |= bool(self._doubted)
        self._closing, self._read = _ANSWERS.get(opening, ""), self._answer
        self._at += len(opening)
        return True

    def _thought(self, is_last: bool) -> bool:
        end = self._held.find(self._closing, self._at)
        if end < 0:
            self._rest(self._think, (self._closing,), is_last)
            return False
        self._think(self._held[self._at : end])
        self._at = end + len(self._closing)
        self._closing, self._read = "", self._after_thought
        return True

    def _channel(self, is_last: bool) -> bool:
        """Read on in a message of the harmony format other than the answer."""
        while mark := _TURN.search(self._held, self._at):
            self._think(self._held[self._at : mark.start()])
            self._at = mark.start()
            if header := _HEADER.match(self._held, self._at):
                self._begin_message(header)
                return True
            if not is_last and _is_header_begun(self._held, self._at):
                return False
            self._at = mark.end()
            if mark[0] in _STOPS:
                self._read = self._after_thought
                return True
            self._think(mark[0])
        self._rest(self._think, _STARTS + _STOPS, is_last)
        return False

    def _begin_message(self, header: re.Match[str], offset: int = 0) -> None:
        words = " ".join(part or "" for part in header.groups()).split()
        if set(words) <= {"assistant", "final"}:
            if self._may_be_thinking:
                self._take_back()
            elif self._has_answered:
                self._say("\n\n")
            self._read = self._answer
        else:
            self._read = self._channel
            named = " ".join(word for word in words if word not in _OF_THE_FORMAT)
            self._think(("\n\n" if self._has_thought else "") + (f"{named}\n" if named else ""))
        self._has_channels = True
        self._at = header.end() + offset

    def _answer(self, is_last: bool) -> bool:
        text = self._held
        while mark := _MARK.search(text, self._at):
            self._say(text[self._at : mark.start()])
            self._at = mark.start()
            if mark[0][0] in "`~":
                if mark.end() == len(text) and not is_last:
                    return False
                self._note_code(mark[0])
            elif not (self._fence or self._inline):
                means = self._read_mark(mark[0], is_last)
                if means is None:
                    return False
                if means:
                    return True
            self._say(mark[0])
            self._at = mark.end()
        self._rest(self._say, _MARKS, is_last)
        return False

    def _read_mark(self, mark: str, is_last: bool) -> bool | None:
        """Whether the mark is valid, and then read; None if more text is needed."""
        end = self._at + len(mark)
        if mark in _THOUGHTS:
            self._opened.add(_THOUGHTS[mark])
        elif mark in self._opened and mark != _THOUGHTS.get(self._doubted):
            self._opened.remove(mark)
        elif mark in _STARTS or mark in _STOPS:
            if not (self._may_be_thinking or self._has_channels):
                return False
            if header := _HEADER.match(self._held, self._at):
                self._begin_message(header)
                return True
            if not is_last and _is_header_begun(self._held, self._at):
                return None
            return mark in _STOPS and self._has_channels and self._is_end(end, is_last)
        elif mark == self._closing:
            return self._is_end(end, is_last)
        elif mark in _THOUGHT_ENDS and self._may_be_thinking:
            ends = self._ends_thinking(self._held[end : end + _LINE], is_last)
            if ends:
                self._take_back()
                self._at, self._read = end, self._after_thought
            elif ends is False:
                self._doubted = ""
            return ends
        return False

    def _is_end(self, at: int, is_last: bool) -> bool | None:
        """Whether only white space follows, which is then read."""
        rest = self._held[at : at + _LINE]
        if rest.strip() or len(rest) >= _MOST_SPACE:
            return False
        if is_last:
            self._at = len(self._held)
        return is_last or None

    def _ends_thinking(self, rest: str, is_last: bool) -> bool | None:
        """Whether a closing mark ends thinking, by its line before it and the `rest` after it."""
        following = rest.lstrip()
        if not (following or is_last) and len(rest) < _MOST_SPACE:
            return None
        goes_on = _goes_on(rest)
        before = self._line.rstrip()
        if not before:
            return len(self._line) < 4 and not goes_on
        if _SENTENCE_END.search(before):
            return not goes_on
        if not before[-1].isalnum():
            return False
        if before != self._line:
            return _BLANK_LINE.match(rest) is not None
        return not goes_on and (before[-1].isascii() or rest[:1] in "\r\n")

    def _take_back(self) -> None:
        """Turn the text of the answer so far into thinking."""
        end = self._begun + self._at
        text, self._said_from = self.came.between(end if self._said_from is None else self._said_from, end), None
        self.places, self._made = Places(), 0
        if self._doubted:
            text = ("\n\n" if self._has_thought else "") + text.lstrip().removeprefix(self._doubted)
        self._doubted = self._line = self._inline = ""
        self._opened.clear()
        self._may_be_thinking = self._has_answered = False
        self._found = [(kind, texts) for kind, texts in self._found if kind is not TextDelta]
        if self._has_released:
            self._found.append((TextRevised, [""]))
        if text.strip():
            self._think(text)

    def _rest(self, take: Callable[[str], None], marks: Collection[str], is_last: bool) -> None:
        """Take the rest of the text kept back, without a beginning of one of the `marks` at its end."""
        text, longest = self._held, max(map(len, marks))
        ends = range(max(self._at, len(text) - longest + 1), 0 if is_last else len(text))
        end = next((at for at in ends if _BEGINS.match(text, at) and _begins_any(marks, text[at:])), len(text))
        take(text[self._at : end])
        self._at = end

    def _think(self, text: str) -> None:
        if text:
            self._has_thought = True
            self._add(ReasoningDelta, text)

    def _say(self, text: str) -> None:
        if text:
            self.places.note(self._begun + self._at, self._made)
            self._made += len(text)
            self._note_said(text)
            self._add(TextDelta, text)

    def _note_said(self, text: str) -> None:
        self._has_answered = True
        if self._may_be_thinking and self._said_from is None:
            self._said_from = self._begun + self._at
        _, line_end, line = text.rpartition("\n")
        if line_end:
            self._line = self._inline = ""
        self._line = (self._line + line)[-_LINE:]

    def _add(self, kind: _Kind, text: str) -> None:
        if not self._found or self._found[-1][0] is not kind:
            self._found.append((kind, []))
        self._found[-1][1].append(text)

    def _note_code(self, mark: str) -> None:
        """Track the beginning and the end of code, by fences and backticks."""
        if len(mark) > 2 and not self._line.strip(" \t>"):
            if not self._fence:
                self._fence = mark
            elif mark.startswith(self._fence):
                self._fence = ""
        elif mark[0] == "`" and not self._fence:
            self._inline = "" if self._inline == mark else self._inline or mark


def _begins_any(marks: Iterable[str], text: str) -> bool:
    return any(mark.startswith(text) for mark in marks)


def _goes_on(rest: str) -> bool:
    """Whether a sentence goes on with the `rest` that follows a mark."""
    return _GOES_ON.match(rest) is not None or (rest[:1] in {" ", "\t"} and rest.lstrip(" \t")[:1].islower())


def _is_header_begun(text: str, at: int) -> bool:
    return text.startswith(_STARTS + _STOPS, at) and _HEADER_BEGUN.match(text, at) is not None
