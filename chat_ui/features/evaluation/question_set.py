"""The questions of an evaluation: a file of JSON Lines, a JSON list or CSV.

Each is an object in the format of Microsoft's ai-rag-chat-evaluator, with `question` and an optional expected answer,
`truth`. Instead of `question`, `messages` is a conversation of several turns, whose last message is the question. Names
of other evaluation tools for both are recognized too. Other fields are ignored, and listed.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from chat_ui.features.evaluation.errors import QuestionsError
from chat_ui.protocol.backends.backend import Message
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.settings import expect_regular_file

LONGEST: Final = 1_000_000
"""Maximum characters of a question with its conversation, and of a truth."""
_QUESTION_NAMES: Final = ("question", "query", "userinput", "input", "prompt")
"""The names of a question in the form of `_plain_name`, ours first: those of Azure AI Evaluation, ragas, DeepEval,
LangSmith, MLflow, promptfoo, LlamaIndex, Braintrust, OpenAI Evals, Inspect and Copilot Studio.
"""
_MOST_NAMED: Final = 10
"""Fields listed in a message."""
_TOO_LONG: Final = f"is longer than {LONGEST:,} characters."
_HOLDER: Final = re.compile(r"(?:inputs|vars|expectations)\.")
"""The prefixes of LangSmith, promptfoo and MLflow for such names."""
_LONGEST_HEADER: Final = 1_000
_LONGEST_NAME: Final = 60
_SEPARATORS: Final = ",;\t"
_NO_SEPARATOR: Final = "\x1f"
"""The separator for a single column, whose questions may have commas."""
_TOLD: Final = re.compile(r"sep=(.)")
"""A first line in which spreadsheets declare the separator."""
_VALUE: Final = re.compile(r"[^\s,]|\Z")
_NO_TEXT: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF-")
"""The first bytes of files of Excel and OpenDocument, of Excel before 2007, and of PDF."""
_NOT_TEXT: Final = "This is not a text file. Use JSON Lines, or save the table as “CSV UTF-8”."
_NOT_JSON: Final = "is not JSON."
_NOT_OBJECT: Final = "is not a JSON object."
_NOT_CSV: Final = "is not CSV: a quotation mark is not closed."
_MOST_BYTES: Final = 512 * 1024 * 1024
_MOST_FAULTS: Final = 3
_ROLES: Final = frozenset({"user", "assistant", "system"})
_CSV: Final = frozenset({".csv", ".tsv"})
_TRUTH_NAMES: Final = (
    "truth", "groundtruth", "referenceanswer", "reference", "expectedanswer", "expectedresponse", "expectedoutput",
    "expected", "idealanswer", "ideal", "goldenanswer", "target", "outputsanswer", "outputsoutput",
)  # fmt: skip
"""The names of a truth in the form of `_plain_name`, ours first, of the same tools as `_QUESTION_NAMES`."""
_HOLDERS: Final = frozenset({"inputs", "outputs", "vars", "expectations"})
"""Objects of LangSmith, promptfoo and MLflow around the question and its truth."""


class _FaultError(ValueError):
    """A fault of a line; the line's number is added before the message."""


_Found: TypeAlias = "tuple[int, JsonObject | _FaultError]"
"""A line's number, from 1, and the object that starts on it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its `number` in the file, from 1, and the `messages` of its conversation, the question last. `truth`
    is the expected answer with its citations, or empty.
    """

    number: int
    messages: tuple[Message, ...]
    truth: str = ""

    @property
    def text(self) -> str:
        return self.messages[-1].content

    @property
    def key(self) -> str:
        """A digest of the question's text and conversation."""
        return _digest([self])[:32]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The `questions` of a file in order, and the names of its first `unread` fields."""

    questions: tuple[Question, ...]
    unread: tuple[str, ...] = ()


def digest(questions: Sequence[Question]) -> str:
    """A digest of a set of questions."""
    return _digest(questions, with_truth=True)


def _digest(questions: Sequence[Question], *, with_truth: bool = False) -> str:
    found = hashlib.sha256()
    for question in questions:
        said = [[message.role, message.content] for message in question.messages]
        found.update(json.dumps([said, question.truth if with_truth else ""]).encode() + b"\n")
    return found.hexdigest()


def read_questions(path: Path) -> QuestionSet:
    """All questions of a file.

    Raises:
        QuestionsError: the file is unreadable or empty, or has an invalid line.
    """
    try:
        expect_regular_file(path)
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise QuestionsError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return parse_questions(data, is_csv=path.suffix.lower() in _CSV)
    except QuestionsError as error:
        raise QuestionsError(f"{path}: {error}") from None


def parse_questions(data: bytes, *, is_csv: bool = False) -> QuestionSet:
    """All questions in a file's content, in order. Content that starts with a CSV header is always CSV.

    Raises:
        QuestionsError: questions are missing, or a line is invalid.
    """
    if len(data) > _MOST_BYTES:
        raise QuestionsError(f"The file is larger than {_MOST_BYTES // 1024 // 1024} MB. Split it.")
    questions: list[Question] = []
    unread: dict[str, None] = {}
    faults: list[str] = []
    for line, found in _objects_in(data, is_csv=is_csv):
        try:
            if isinstance(found, _FaultError):
                raise found
            fields = _flat(found)
            messages, truth, read = _question(fields)
        except _FaultError as fault:
            faults.append(f"Line {line} {fault}")
        else:
            questions.append(Question(len(questions) + 1, messages, truth))
            if len(unread) <= _MOST_NAMED:
                unread |= dict.fromkeys(name for name, value in fields.items() if value and name not in read)
    if faults:
        raise QuestionsError(_in_words(faults))
    if not questions:
        raise QuestionsError("No questions found. Each needs a “question” field.")
    return QuestionSet(tuple(questions), tuple(unread))


def _in_words(faults: Sequence[str]) -> str:
    shown, more = " ".join(faults[:_MOST_FAULTS]), len(faults) - _MOST_FAULTS
    if more <= 0:
        return shown
    return f"{shown} {more:,} more {'line has an error' if more == 1 else 'lines have errors'}."


def _flat(found: JsonObject) -> JsonObject:
    """The fields of an object, and those of nested holders, as `inputs.question`."""
    fields: dict[str, Json] = {}
    for name, value in found.items():
        if name in _HOLDERS and isinstance(value, Mapping):
            fields |= {f"{name}.{inner}": held for inner, held in value.items()}
        else:
            fields[name] = value
    return fields


def _question(found: JsonObject) -> tuple[tuple[Message, ...], str, set[str]]:
    """The conversation, the truth, and the names of their fields."""
    names = {_plain_name(name): name for name in reversed(list(found)) if found[name] is not None}
    asked, question = _picked(found, names, _QUESTION_NAMES)
    answered, truth = _picked(found, names, _TRUTH_NAMES)
    said, turns = _picked(found, names, ("messages",))
    if truth is not None and not isinstance(truth, str):
        raise _FaultError("has a “truth” that is not text.")
    if said and not (asked and isinstance(turns, str)):
        messages = _messages(turns)
    elif question is None:
        raise _no_question([name for name, value in found.items() if value is not None])
    elif not isinstance(question, str):
        raise _FaultError("has a “question” that is not text.")
    else:
        said = ""
        messages = (Message("user", _text(question)),)
    if sum(len(message.content) for message in messages) > LONGEST or len(truth or "") > LONGEST:
        raise _FaultError(_TOO_LONG)
    if not messages[-1].content.strip():
        raise _FaultError("has an empty question.")
    return messages, _text(truth or "").strip(), {asked, answered, said}


def _picked(found: JsonObject, names: Mapping[str, str], wanted: Sequence[str]) -> tuple[str, Json]:
    """The name and value of the first `wanted` field: ours of any type, another tool's only if it is text."""
    for one in wanted:
        value = found[names[one]] if one in names else None
        if value is not None and (one == wanted[0] or isinstance(value, str)):
            return names[one], value
    return "", None


def _no_question(names: Sequence[str]) -> _FaultError:
    if not names:
        return _FaultError("has no “question”.")
    return _FaultError(f"has no “question”, only {quoted(names)}.")


def _messages(found: Json) -> tuple[Message, ...]:
    if isinstance(found, str) or not isinstance(found, Sequence) or not found:
        raise _FaultError("has “messages” that are not a list of messages.")
    messages: list[Message] = []
    for one in found:
        role = one.get("role") if isinstance(one, Mapping) else None
        content = one.get("content") if isinstance(one, Mapping) else None
        if not isinstance(role, str) or role not in _ROLES or not isinstance(content, str):
            raise _FaultError("has a message without a role (user, assistant or system) and content.")
        messages.append(Message(role, _text(content)))
    if messages[-1].role != "user":
        raise _FaultError("has “messages” whose last role is not user.")
    return tuple(messages)


def _text(text: str) -> str:
    if "\0" in text:
        raise _FaultError("contains a NUL character.")
    return clean_text(text)


def _objects_in(data: bytes, *, is_csv: bool) -> Iterator[_Found]:
    """The objects of a file in order, or QuestionsError for another encoding than UTF-8 or UTF-16."""
    text = _decoded(data)
    first = next(_rows(text), "").strip()
    if is_csv or (not first.startswith(("{", "[")) and _separator(first[:_LONGEST_HEADER])):
        return _of_csv(text)
    return _of_values(text) if first == "{" or first.startswith("[") else _of_lines(text)


def _plain_name(name: str) -> str:
    """A name without case, spaces, underscores, hyphens, and the prefix of its holder."""
    return "".join(filter(str.isalnum, _HOLDER.sub("", name.strip().casefold(), count=1)))


def quoted(names: Sequence[str]) -> str:
    """The first names, in quotation marks."""
    shown = [f"“{name[:_LONGEST_NAME]}”" for name in names[:_MOST_NAMED]]
    return ", ".join([*shown, "…"] if len(names) > _MOST_NAMED else shown)


def _decoded(data: bytes) -> str:
    if data.startswith(_NO_TEXT):
        raise QuestionsError(_NOT_TEXT)
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise QuestionsError(_NOT_TEXT) from None
        # A set is too short to detect its encoding, and a wrong guess would change the questions.
        line = error.object.count(b"\n", 0, error.start) + 1
        raise QuestionsError(
            f"Line {line} is not text in UTF-8. Save the file as UTF-8: in Excel, as “CSV UTF-8”."
        ) from None


def _rows(text: str) -> Iterator[str]:
    """The non-empty lines, of a table or not."""
    return (line for line in io.StringIO(text, newline=None) if line.strip())


def _of_lines(text: str) -> Iterator[_Found]:
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        line = line.strip("\r\n \t")  # noqa: PLW2901 - the same line
        if not line:
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield number, _FaultError(_NOT_JSON)
            continue
        yield number, value if isinstance(value, Mapping) else _FaultError(_NOT_OBJECT)


def _of_values(text: str) -> Iterator[_Found]:
    """The values of a list, or a sequence of values, each on any number of lines."""
    decoder = json.JSONDecoder()
    is_list = text.lstrip().startswith("[")
    ends = text.index("[") + 1 if is_list else 0
    line = 1 + text.count("\n", 0, ends)
    while found := _VALUE.search(text, ends):
        begins = found.start()
        line += text.count("\n", ends, begins)
        if found[0] == ("]" if is_list else ""):
            if rest := text[begins + 1 :].lstrip():
                yield line + text.count("\n", begins, len(text) - len(rest)), _FaultError(_NOT_JSON)
            return
        try:
            value, ends = decoder.raw_decode(text, begins)
        except (ValueError, RecursionError) as error:
            yield getattr(error, "lineno", line), _FaultError(_NOT_JSON)
            return
        yield line, value if isinstance(value, Mapping) else _FaultError(_NOT_OBJECT)
        line += text.count("\n", begins, ends)


def _separator(header: str) -> str:
    """The separator of the columns of a header with a question, or empty."""
    for separator in sorted(_SEPARATORS, key=header.count, reverse=True):
        if any(_plain_name(name) in _QUESTION_NAMES for name in header.split(separator)):
            return separator if separator in header else _NO_SEPARATOR
    return ""


def _of_csv(text: str) -> Iterator[_Found]:
    lines = _rows(text)
    header = next(lines, "")
    if told := _TOLD.fullmatch(header.strip()):
        header = next(lines, "")
    separator = told[1] if told and told[1] in header else _separator(header) or max(_SEPARATORS, key=header.count)
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
                names = [field.strip() or f"column {number}" for number, field in enumerate(row, 1)]
                names = [f"{name} ({at + 1})" if name in names[:at] else name for at, name in enumerate(names)]
                if not any(_plain_name(name) in _QUESTION_NAMES for name in names):
                    raise QuestionsError(f"Line {line}, the header, has no column “question”, only {quoted(names)}.")
                continue
            if len(row) > len(names):
                yield line, _FaultError("has more fields than the header has columns.")
                continue
            yield line, dict(zip(names, row, strict=False))
    except csv.Error as error:
        is_long = "field limit" in str(error)
        yield begins, _FaultError(_TOO_LONG if is_long else _NOT_CSV)
