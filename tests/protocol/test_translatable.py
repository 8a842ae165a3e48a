import pickle
from copy import deepcopy
from dataclasses import asdict, replace

import pytest

from chat_ui.conversations.people.limits import Allowance, Limits
from chat_ui.errors import LimitReachedError
from chat_ui.languages.translation import speaking, translated
from chat_ui.protocol.answers.redaction import without_secrets
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.events import AnswerWarning, ErrorInfo
from chat_ui.protocol.translatable import (
    Translatable,
    msg,
    plural_msg,
    size_in_words,
    with_commas,
    with_each_text,
    with_end,
)
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.http_errors import with_wait
from tests.languages.marked import MARKED
from tests.protocol.asking import PATIENT, QUESTION, answer_of, answer_to, error_of
from tests.stand_ins.stand_in import Reply


def said(text: str) -> str:
    with speaking(MARKED):
        return translated(text)


KEY = "abcdefghijklmnopqrstuvwxyz"


async def test_a_refused_connection_is_told() -> None:
    async with AsyncClient(PATIENT) as client:
        answer = await client.ask(Backend("http://127.0.0.1:1/chat"), QUESTION)
    assert said(error_of(answer).message) == (
        "«Could not connect to http://127.0.0.1:1: the connection was refused. "
        "Check that the backend is running there.»"
    )


async def test_a_status_is_told_with_time_or_advice_and_without_the_key() -> None:
    for status, body, words in (
        (429, b"", "««The backend answered with status 429 (too many requests).» «Try again in 7 second.»»"),
        (429, b"Slow down", "««The backend answered with status 429: Slow down.» «Try again in 7 second.»»"),
        (429, b"Please retry later.", "««The backend answered with status 429: Please retry later» (in 7 second).»"),
        (401, f"The key {KEY} is old".encode(),
         "««The backend answered with status 401: The key … is old.» «Check the key or sign in again.»»"),
    ):  # fmt: skip
        reply = Reply([b'{"error":"%s"}' % body] if body else [], status, {"Retry-After": "7"} if status == 429 else {})
        error = error_of(await answer_to(reply, headers={"X-Api-Key": KEY}))
        assert said(with_wait(error)) == words
        assert with_wait(error) == words.replace("«", "").replace("»", "").replace("second", "seconds")


def test_an_invalid_response_is_told() -> None:
    words = {
        b'{"error":{"code":"x1"}}\n': "«The backend reported the error x1 without a message.»",
        b'{"error":7}\n': "«Error 7»",
        b'{"error":{}}\n': "«The backend reported an error without a message.»",
        b'{"error":{"message":"Broken"}}\n': "Broken",
        b'{"error":{"code":"content_filter","message":"Blocked"}}\n': (
            "«Blocked («The backend's content filter stopped the answer. Try to rephrase the question.»)»"
        ),
        b'{"type":"pong"}\n': (
            "««««The backend sent no text to show.» «Received: pong.»» "
            '«Not read: an unknown object was skipped: \'{"type": "pong"}\'.»» '
            "«Check that the address is a chat endpoint, or try again.»»"
        ),
        b"": ("««The backend sent an empty answer.» «Check that the address is a chat endpoint, or try again.»»"),
    }
    assert {body: said(error_of(answer_of(body)).message) for body in words} == words


async def test_limits_are_told() -> None:
    limits = Allowance(Limits(questions_per_minute=1, answers_at_once=2, question_characters=1500), clock=lambda: 0)
    with pytest.raises(LimitReachedError) as long:
        await limits.take("me", characters=2000)
    assert said(str(long.value)).startswith("«This question has 2,000 characters; at most 1,500 are allowed.")
    with pytest.raises(LimitReachedError) as many:
        await limits.take("me", conversation="c", running=2)
    assert str(many.value).startswith("2 of your answers are still being written")
    assert isinstance(str(many.value), Translatable)
    await limits.take("me")
    with pytest.raises(LimitReachedError) as soon:
        await limits.take("me")
    assert said(str(soon.value)).endswith(" «Try again in 60 second.»»")


def test_a_text_survives_its_way_unless_a_change_touches_its_message() -> None:
    text = msg("{problem} {advice}", problem=msg("It broke."), advice=plural_msg("{count} day", "{count} days", 1200))
    ways = [
        pickle.loads(pickle.dumps(text)),
        deepcopy(text),
        clean_text(text),
        without_secrets(text, ("secret",)),
        str(ValueError(text)),
        replace(ErrorInfo(text), code="x").message,
        asdict(AnswerWarning("x", text))["detail"],
    ]
    assert [said(way) for way in ways] == ["««It broke.» «1,200 day»»"] * len(ways)
    assert text == "It broke. 1,200 days"

    changed = with_each_text(msg("It broke: {why}.", why="a key"), lambda text: text.replace("broke: a", "…"))
    assert (changed, isinstance(changed, Translatable)) == ("It … key.", False)


def test_an_end_is_changed_in_a_messages_last_value_and_texts_are_joined() -> None:
    for text, ended in (
        ("no", "no!"),
        (msg("{a} of {b}", a="1", b="2"), "«1 of 2!»"),
        (msg("{a} {b}", a="1", b=msg("so {c}", c="x")), "«1 «so x!»»"),
        (msg("{a} of it", a="1"), "«1 of it»"),
        (msg("after {count}", count=3), "«after 3»"),
    ):
        assert said(with_end(text, lambda end: f"{end}!")) == ended

    rows: list[list[str]] = [[], ["a"], ["a", msg("b"), "c"]]
    assert [said(with_commas(texts)) for texts in rows] == ["", "a", "««a, «b»», c»"]


def test_a_size_has_its_unit():
    sizes = {
        0: "0 bytes",
        1: "1 byte",
        1023: "1,023 bytes",
        1024: "1 KB",
        10_000: "9.8 KB",
        2**20 - 1: "1 MB",
        3 * 2**29: "1.5 GB",
        2**50: "1,048,576 GB",
    }
    assert {size: size_in_words(size) for size in sizes} == sizes
