"""Sets of questions that people bring: a file, or what was asked in a conversation.

These functions run in a process of their own: a stranger may have made what they read.
"""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from chat_ui.conversations.records.answer_json import answer_from_json
from chat_ui.evaluation.people.person_runs import MOST_QUESTIONS, SENT, SET_BYTES, EvaluationError, write_set
from chat_ui.evaluation.question_file import LONGEST
from chat_ui.evaluation.question_set import Question, parse_questions
from chat_ui.languages.translation import gettext
from chat_ui.protocol.backends.request import Message
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.translatable import msg

KeptTurn: TypeAlias = tuple[str, str | None, str]
"""A question, and its answer as it is kept, its text apart."""
_LONGEST_NAME: Final = 120
"""Characters."""


def take_file(folder: Path, name: str, *, is_csv: bool) -> None:
    """Take the file that was sent to `folder` for its questions.

    Raises:
        EvaluationError: they are too many.
        OSError: they cannot be written.
        QuestionsError: a line is no question.
    """
    questions = parse_questions((folder / SENT).read_bytes(), is_csv=is_csv, most=MOST_QUESTIONS)
    write_set(folder, questions, _short(name), time.time())


def take_turns(folder: Path, name: str, turns: Sequence[KeptTurn]) -> None:
    """Take what was asked in a conversation for the questions, each with what was said before it.

    Raises:
        EvaluationError: nothing was asked, or the conversation is too long.
        OSError: they cannot be written.
    """
    questions = tuple(_questions(turns))
    if not questions:
        raise EvaluationError(msg("Nothing was asked in this conversation yet."))
    write_set(folder, questions, _short(name), time.time())


def _questions(turns: Sequence[KeptTurn]) -> Iterator[Question]:
    said: list[Message] = []
    size = length = 0
    number = 0
    for asked, answer, text in turns:
        question = clean_text(asked)
        if not question.strip():
            continue
        said.append(Message("user", question))
        length += len(question)
        size += length
        if length > LONGEST or size > SET_BYTES:
            raise EvaluationError(
                msg("This conversation is too long for that: each question goes out with all that was said before it.")
            )
        number += 1
        yield Question(number, tuple(said))
        reply = answer_from_json(json.loads(answer), text).text if answer is not None else ""
        if reply.strip():
            said.append(Message("assistant", reply))
            length += len(reply)


def _short(name: str) -> str:
    shown = "".join(one for one in clean_text(name) if unicodedata.category(one) != "Cf")
    return " ".join(shown.split())[:_LONGEST_NAME] or gettext("Questions")
