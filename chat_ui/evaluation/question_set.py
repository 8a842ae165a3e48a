"""The questions of an evaluation, read from a file of JSON Lines or CSV.

JSON Lines are those of Microsoft's ai-rag-chat-evaluator: an object on each line, with `question` and, where the right
answer is known, `truth`. In place of `question`, `messages` is a conversation of several turns, whose last message is
the question. CSV has a header with `question` and perhaps `truth`. Other keys and columns are left alone.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Final

from chat_ui.protocol.backends.request import Message
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import Translatable, msg, plural_msg
from chat_ui.settings import expect_regular_file

MOST_BYTES: Final = 512 * 1024 * 1024
LONGEST: Final = 1_000_000
"""Characters of one question with its conversation, and of one truth."""
_MOST_FAULTS: Final = 3
_ROLES: Final = frozenset({"user", "assistant", "system"})
CSV: Final = frozenset({".csv", ".tsv"})
"""The ends of the names of files that are CSV."""
_SEPARATORS: Final = ",;\t"
_TOLD: Final = re.compile(r"sep=(.)")
"""A first line by which spreadsheets say what separates the columns."""
_TOO_LONG: Final = msg("Line {line} is longer than {most} characters.", most=LONGEST)
_NOT_CSV: Final = msg("Line {line} is not CSV: a quotation mark is opened and not closed.")
_LONGEST_HEADER: Final = 1_000
_HEADER: Final = re.compile(r'(?:[^\n{]*[,;\t])?[ \t]*"?question"?[ \t]*(?:[,;\t][^\n{]*)?\r?(?:\n|\Z)', re.IGNORECASE)


class QuestionsError(ValueError):
    """A file holds no questions, or a line of it is none; the message names the line. It is translatable."""


class _FaultError(ValueError):
    """What is wrong with one line, in words that name the `{line}`."""

    def __init__(self, words: Translatable) -> None:
        super().__init__(words)
        self.words = words


@dataclass(frozen=True, slots=True)
class Question:
    """One question: its `number` in the file, from 1; the `messages` of its conversation, the question last; and the
    `truth`, the right answer with its citations, empty where it is not known.
    """

    number: int
    messages: tuple[Message, ...]
    truth: str = ""

    @property
    def text(self) -> str:
        """The question alone."""
        return self.messages[-1].content

    @property
    def key(self) -> str:
        """The same for two questions with the same words in the same conversation, and hardly ever for others."""
        return _digest([self])[:32]


def digest(questions: Sequence[Question]) -> str:
    """A name of a set of questions that no other set has."""
    return _digest(questions, with_truth=True)


def _digest(questions: Sequence[Question], *, with_truth: bool = False) -> str:
    found = hashlib.sha256()
    for question in questions:
        said = [[message.role, message.content] for message in question.messages]
        found.update(json.dumps([said, question.truth if with_truth else ""]).encode() + b"\n")
    return found.hexdigest()


def read_questions(path: Path) -> tuple[Question, ...]:
    """All questions of a file, in its order.

    Raises:
        QuestionsError: it cannot be read, holds none, or a line of it is no question.
    """
    try:
        expect_regular_file(path)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise QuestionsError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return parse_questions(data, is_csv=path.suffix.lower() in CSV)
    except QuestionsError as error:
        raise QuestionsError(f"{path}: {error}") from None


def parse_questions(data: bytes, *, is_csv: bool = False, most: int | None = None) -> tuple[Question, ...]:
    """All questions in the bytes of a file, in their order. A file that begins with a header is CSV in any case.
    Reading ends with the first line after `most` of them.

    Raises:
        QuestionsError: there is none, or a line is no question.
    """
    if len(data) > MOST_BYTES:
        raise QuestionsError(msg("A set of questions has at most {most} MB.", most=MOST_BYTES // 1024 // 1024))
    text = _decoded(data)
    questions: list[Question] = []
    faults: list[str] = []
    for line, found in (
        _of_csv(text) if is_csv or _HEADER.match(text.lstrip("\r\n")[:_LONGEST_HEADER]) else _of_lines(text)
    ):
        try:
            if isinstance(found, _FaultError):
                raise found
            messages, truth = _question(found)
        except _FaultError as fault:
            faults.append(fault.words.filled_with(line=str(line)))
        else:
            questions.append(Question(len(questions) + 1, messages, truth))
        if most is not None and len(questions) + len(faults) > most:
            break
    if faults:
        raise QuestionsError(_in_words(faults))
    if not questions:
        raise QuestionsError(msg("There is no question in it."))
    return tuple(questions)


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise QuestionsError(msg("This is UTF-16. Save the file as UTF-8."))
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise QuestionsError(msg("Line {line} is not text in UTF-8.", line=str(line))) from None


def _in_words(faults: Sequence[str]) -> str:
    shown = list(faults[:_MOST_FAULTS])
    if (more := len(faults) - len(shown)) > 0:
        shown.append(plural_msg("1 more line is no question.", "{count} more lines are no questions.", more))
    return reduce(lambda some, other: msg("{some} {more}", some=some, more=other), shown)


def _of_lines(text: str) -> Iterator[tuple[int, JsonObject | _FaultError]]:
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        line = line.strip("\r\n \t")  # noqa: PLW2901 - the same line
        if not line:
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield number, _FaultError(msg("Line {line} is not JSON."))
            continue
        yield number, value if isinstance(value, Mapping) else _FaultError(msg("Line {line} is not a JSON object."))


def _of_csv(text: str) -> Iterator[tuple[int, JsonObject | _FaultError]]:
    first = text.lstrip("\r\n").partition("\n")[0]
    told = _TOLD.fullmatch(first.strip())
    separator = told[1] if told else max(_SEPARATORS, key=first.count)
    csv.field_size_limit(max(csv.field_size_limit(), 4 * LONGEST))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    begins = 1
    try:
        for row in rows:
            line, begins = begins, rows.line_num + 1
            if not any(field.strip() for field in row) or (told and not names and "".join(row).startswith("sep=")):
                continue
            if not names:
                names = [field.strip().lower() for field in row]
                if "question" not in names:
                    raise QuestionsError(msg("Line {line} is the header, and no column is “question”.", line=str(line)))
                continue
            if len(row) > len(names):
                yield line, _FaultError(msg("Line {line} has more fields than the header has columns."))
                continue
            found = dict(zip(names, row, strict=False))
            yield line, {name: found[name] for name in ("question", "truth") if name in found}
    except csv.Error as error:
        is_long = "field limit" in str(error)
        yield begins, _FaultError(_TOO_LONG if is_long else _NOT_CSV)


def _question(found: JsonObject) -> tuple[tuple[Message, ...], str]:
    truth = found.get("truth")
    if truth is not None and not isinstance(truth, str):
        raise _FaultError(msg("Line {line} has a truth that is not text."))
    if "messages" in found:
        messages = _messages(found["messages"])
    else:
        question = found.get("question")
        if question is None:
            raise _FaultError(msg("Line {line} has no question."))
        if not isinstance(question, str):
            raise _FaultError(msg("Line {line} has a question that is not text."))
        messages = (Message("user", _text(question)),)
    if sum(len(message.content) for message in messages) > LONGEST or len(truth or "") > LONGEST:
        raise _FaultError(_TOO_LONG)
    if not messages[-1].content.strip():
        raise _FaultError(msg("Line {line} has an empty question."))
    return messages, _text(truth or "").strip()


def _messages(found: Json) -> tuple[Message, ...]:
    if isinstance(found, str) or not isinstance(found, Sequence) or not found:
        raise _FaultError(msg("Line {line} has messages that are no list of messages."))
    messages: list[Message] = []
    for one in found:
        role = one.get("role") if isinstance(one, Mapping) else None
        content = one.get("content") if isinstance(one, Mapping) else None
        if not isinstance(role, str) or role not in _ROLES or not isinstance(content, str):
            raise _FaultError(msg("Line {line} has a message without a role (user, assistant or system) and content."))
        messages.append(Message(role, _text(content)))
    if messages[-1].role != "user":
        raise _FaultError(msg("Line {line} has messages of which the last is not the user's."))
    return tuple(messages)


def _text(text: str) -> str:
    if "\0" in text:
        raise _FaultError(msg("Line {line} holds a NUL character."))
    return clean_text(text)
