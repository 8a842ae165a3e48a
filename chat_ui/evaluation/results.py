"""A result: one answer of an evaluation with its measures, as it stands on a line of `results.jsonl`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chat_ui.conversations.records.answer_json import answer_from_json, number, objects, string, whole_answer_to_json
from chat_ui.evaluation.measures import measure
from chat_ui.evaluation.question_set import Question
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.request import Message
from chat_ui.protocol.events import Json, JsonObject

CUT_OFF: Final = "The answer was cut off."
_NOT_KEPT: Final = frozenset({"text", "session_state"})
"""Parts of an answer that stand beside it already, or that nobody asks with again."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to the `question`, asked for the `time`-th time; `values` are the object of its line."""

    question: Question
    time: int
    answer: Answer
    values: JsonObject

    @property
    def key(self) -> str:
        return str(self.values.get("key", ""))

    @property
    def place(self) -> tuple[int, int]:
        """The number of the question, and the time."""
        return self.question.number, self.time


def result_of(question: Question, time: int, said: Sequence[Message], answer: Answer) -> Result:
    """The result of an answer, with its measures. `said` is what was said before the question, answers that the backend
    gave on the way among it.
    """
    reply = {name: value for name, value in whole_answer_to_json(answer).items() if name not in _NOT_KEPT}
    asked = Question(question.number, (*said, question.messages[-1]), question.truth)
    values: dict[str, Json] = {
        "number": question.number,
        "key": question.key,
        "time": time,
        "question": question.text,
        **({"messages": _messages_to_json(asked.messages)} if said else {}),
        "truth": question.truth or None,
        "answer": answer.text,
        "error": answer.error.message if answer.error else None,
        "failed": answer.error is not None or not answer.complete,
        **measure(answer, question.truth).as_json(),
        "reply": reply,
    }
    return Result(asked, time, answer, values)


def result_from_json(values: JsonObject) -> Result:
    """The result that is on a line.

    Raises:
        ValueError: a part has another shape; the words say which.
    """
    place = number(values, "number"), number(values, "time")
    asked = string(values, "question")
    if place[0] is None or place[1] is None or asked is None:
        raise ValueError("it has no number, no time or no question")
    said = tuple(
        Message(string(one, "role") or "user", string(one, "content") or "") for one in objects(values, "messages")
    )
    reply = values.get("reply")
    if not isinstance(reply, dict):
        raise ValueError("it has no reply")  # noqa: TRY004 - the shape of a value, not a mistake in code
    return Result(
        Question(int(place[0]), said or (Message("user", asked),), string(values, "truth") or ""),
        int(place[1]),
        answer_from_json(reply, string(values, "answer") or ""),
        values,
    )


def _messages_to_json(messages: Sequence[Message]) -> Json:
    return [{"role": message.role, "content": message.content} for message in messages]
