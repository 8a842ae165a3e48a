"""The questions of an evaluation.

Each is an object as Microsoft's ai-rag-chat-evaluator has it, with `question` and, where the right answer is known,
`truth`. In place of `question`, `messages` is a conversation of several turns, whose last message is the question. The
names that other tools of evaluation have for both are read too. Other fields are left alone, and named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from chat_ui.evaluation.question_file import (
    LONGEST,
    MOST_NAMED,
    QUESTION_NAMES,
    TOO_LONG,
    FaultError,
    QuestionsError,
    objects_in,
    plain_name,
    quoted,
)
from chat_ui.protocol.backends.request import Message
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.settings import expect_regular_file

MOST_BYTES: Final = 512 * 1024 * 1024
_MOST_FAULTS: Final = 3
_ROLES: Final = frozenset({"user", "assistant", "system"})
_CSV: Final = frozenset({".csv", ".tsv"})
_TRUTH_NAMES: Final = (
    "truth", "groundtruth", "referenceanswer", "reference", "expectedanswer", "expectedresponse", "expectedoutput",
    "expected", "idealanswer", "ideal", "goldenanswer", "target", "outputsanswer", "outputsoutput",
)  # fmt: skip
"""The names of a truth as `plain_name` has them, ours first, of the tools that `QUESTION_NAMES` are from."""
_HOLDERS: Final = frozenset({"inputs", "outputs", "vars", "expectations"})
"""Objects in which LangSmith, promptfoo and MLflow have the question and its truth."""


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
        return self.messages[-1].content

    @property
    def key(self) -> str:
        """The same for two questions with the same words in the same conversation, and hardly ever for others."""
        return _digest([self])[:32]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The `questions` of a file, in its order, and the names of its first fields that are `unread`."""

    questions: tuple[Question, ...]
    unread: tuple[str, ...] = ()


def digest(questions: Sequence[Question]) -> str:
    """A name of a set of questions that no other set has."""
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
        QuestionsError: it cannot be read, holds none, or a line of it is no question.
    """
    try:
        expect_regular_file(path)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise QuestionsError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return parse_questions(data, is_csv=path.suffix.lower() in _CSV)
    except QuestionsError as error:
        raise QuestionsError(f"{path}: {error}") from None


def parse_questions(data: bytes, *, is_csv: bool = False) -> QuestionSet:
    """All questions in the bytes of a file, in their order. A file that begins with a header is CSV in any case.

    Raises:
        QuestionsError: there is none, or a line is no question.
    """
    if len(data) > MOST_BYTES:
        raise QuestionsError(f"A set of questions has at most {MOST_BYTES // 1024 // 1024} MB.")
    questions: list[Question] = []
    unread: dict[str, None] = {}
    faults: list[str] = []
    for line, found in objects_in(data, is_csv=is_csv):
        try:
            if isinstance(found, FaultError):
                raise found
            fields = _flat(found)
            messages, truth, read = _question(fields)
        except FaultError as fault:
            faults.append(f"Line {line} {fault}")
        else:
            questions.append(Question(len(questions) + 1, messages, truth))
            if len(unread) <= MOST_NAMED:
                unread |= dict.fromkeys(name for name, value in fields.items() if value and name not in read)
    if faults:
        raise QuestionsError(_in_words(faults))
    if not questions:
        raise QuestionsError("There is no question in it.")
    return QuestionSet(tuple(questions), tuple(unread))


def _in_words(faults: Sequence[str]) -> str:
    shown, more = " ".join(faults[:_MOST_FAULTS]), len(faults) - _MOST_FAULTS
    if more <= 0:
        return shown
    return f"{shown} 1 more line is no question." if more == 1 else f"{shown} {more:,} more lines are no questions."


def _flat(found: JsonObject) -> JsonObject:
    """The fields of an object, and those of the objects in it that hold some, as `inputs.question`."""
    fields: dict[str, Json] = {}
    for name, value in found.items():
        if name in _HOLDERS and isinstance(value, Mapping):
            fields |= {f"{name}.{inner}": held for inner, held in value.items()}
        else:
            fields[name] = value
    return fields


def _question(found: JsonObject) -> tuple[tuple[Message, ...], str, set[str]]:
    """The conversation, the truth, and the names of the fields that have them."""
    names = {plain_name(name): name for name in reversed(list(found)) if found[name] is not None}
    asked, question = _picked(found, names, QUESTION_NAMES)
    answered, truth = _picked(found, names, _TRUTH_NAMES)
    said, turns = _picked(found, names, ("messages",))
    if truth is not None and not isinstance(truth, str):
        raise FaultError("has a truth that is not text.")
    if said and not (asked and isinstance(turns, str)):
        messages = _messages(turns)
    elif question is None:
        raise _no_question([name for name, value in found.items() if value is not None])
    elif not isinstance(question, str):
        raise FaultError("has a question that is not text.")
    else:
        said = ""
        messages = (Message("user", _text(question)),)
    if sum(len(message.content) for message in messages) > LONGEST or len(truth or "") > LONGEST:
        raise FaultError(TOO_LONG)
    if not messages[-1].content.strip():
        raise FaultError("has an empty question.")
    return messages, _text(truth or "").strip(), {asked, answered, said}


def _picked(found: JsonObject, names: Mapping[str, str], wanted: Sequence[str]) -> tuple[str, Json]:
    """The name and the value of the first `wanted` field: of ours whatever it is, of another tool's if it is text."""
    for one in wanted:
        value = found[names[one]] if one in names else None
        if value is not None and (one == wanted[0] or isinstance(value, str)):
            return names[one], value
    return "", None


def _no_question(names: Sequence[str]) -> FaultError:
    if not names:
        return FaultError("has no question.")
    return FaultError(f"has no question, but {quoted(names)}.")


def _messages(found: Json) -> tuple[Message, ...]:
    if isinstance(found, str) or not isinstance(found, Sequence) or not found:
        raise FaultError("has messages that are no list of messages.")
    messages: list[Message] = []
    for one in found:
        role = one.get("role") if isinstance(one, Mapping) else None
        content = one.get("content") if isinstance(one, Mapping) else None
        if not isinstance(role, str) or role not in _ROLES or not isinstance(content, str):
            raise FaultError("has a message without a role (user, assistant or system) and content.")
        messages.append(Message(role, _text(content)))
    if messages[-1].role != "user":
        raise FaultError("has messages of which the last is not the user's.")
    return tuple(messages)


def _text(text: str) -> str:
    if "\0" in text:
        raise FaultError("holds a NUL character.")
    return clean_text(text)
