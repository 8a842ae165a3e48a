import json
import re
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.recordings.masking import SecretMask
from tests.stand_ins.stand_in import lines

SECRETS = ("sk-1234567890", "sk-1234567890-and-more", 'quo"ted/Ünïcode')
FORMS = (*SECRETS, json.dumps(SECRETS[2]), quote(SECRETS[2], safe=""))
PARTS = [*FORMS, "sk-12345", "sk", "sk-1sk-", " ", "The plan pays."]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=8).map(lambda parts: "".join(parts).encode())


def masked(pieces: list[bytes], secrets: tuple[str, ...] = SECRETS) -> list[tuple[float, bytes]]:
    mask = SecretMask(secrets)
    found = [piece for seconds, data in enumerate(pieces) for piece in mask.feed(seconds, data)]
    return [*found, *mask.close()]


def split(body: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(body), *(place % (len(body) + 1) for place in places)})
    return [body[start:end] for start, end in pairwise(edges)]


@given(body=TEXTS, places=st.lists(st.integers(0, 300), max_size=20))
def test_a_secret_is_masked_for_any_split_without_a_change_of_length(body: bytes, places: list[int]) -> None:
    pieces = split(body, places)
    found = masked(pieces)
    assert [(seconds, len(data)) for seconds, data in found] == [(at, len(data)) for at, data in enumerate(pieces)]
    joined = b"".join(data for _, data in found)
    for secret in SECRETS:
        for form in (secret, json.dumps(secret)[1:-1], quote(secret, safe="")):
            assert form.encode() not in joined
    assert all(new in {old, ord("*")} for old, new in zip(body, joined, strict=True))
    assert joined == b"".join(data for _, data in masked([body]))


@given(pieces=st.lists(st.binary(max_size=20), max_size=10))
def test_bodies_without_a_secret_come_at_once_and_unchanged(pieces: list[bytes]) -> None:
    mask = SecretMask(())
    assert [mask.feed(0, piece) for piece in pieces] == [[(0, piece)] for piece in pieces]
    assert mask.close() == []


def test_only_a_possible_secret_is_held_back_and_its_beginning_is_masked() -> None:
    mask = SecretMask(SECRETS)
    assert mask.feed(0, b"The plan pays.\n") == [(0, b"The plan pays.\n")]
    assert mask.feed(1, b"Your key is sk-1234") == []
    assert mask.feed(2, b"567890") == []
    assert mask.feed(3, b".\n") == [(1, b"Your key is *******"), (2, b"******"), (3, b".\n")]

    assert masked([b"It is sk-12345"]) == [(0, b"It is ********")]
    assert masked([b"A desk"]) == [(0, b"A desk")]


WIRES: dict[str, Callable[[str], bytes]] = {
    "flat": lambda text: lines({"delta": {"content": text}}),
    "events": lambda text: b"data: " + lines({"choices": [{"index": 0, "delta": {"content": text}}]}) + b"\n",
    "responses": lambda text: b"data: " + lines({"type": "response.output_text.delta", "delta": text}) + b"\n",
    "parts": lambda text: b"0:" + lines(text),
}


@pytest.mark.parametrize("wire", WIRES)
@given(
    tokens=st.lists(st.sampled_from(["sk-", "1234", "567", "890", "-and", "-more", " ", "The plan pays."]), max_size=9),
    places=st.lists(st.integers(0, 900), max_size=20),
)
def test_a_secret_written_word_by_word_is_masked(wire: str, tokens: list[str], places: list[int]) -> None:
    body = b"".join(WIRES[wire](token) for token in ["Your key is ", *tokens, "."])
    pieces = split(body, places)
    found = masked(pieces)
    assert [(seconds, len(data)) for seconds, data in found] == [(at, len(data)) for at, data in enumerate(pieces)]
    text = "".join(
        re.findall(
            r'(?:content": |type": "[^"]*", "delta": |0:)"([^"]*)"', b"".join(data for _, data in found).decode()
        )
    )
    assert len(text) == len("".join(tokens)) + len("Your key is .")
    assert not any(secret in text for secret in SECRETS)
    assert text.startswith("Your key is ")


def test_a_secret_spread_over_strings_is_masked() -> None:
    for pieces in (
        # A name apart from its string, at the start of a long string, or in two strings is kept.
        [b'0:"sk-12"\n0', b':"345"\n', b'0:"67890-and-more"\n'],
        [lines({"delta": "x" * 210 + "sk-12345"}, {"delta": "67890-and-more."})],
        [lines({"delta": "sk-12345"}, {"delta": "67890"})],
    ):
        assert not re.search(rb"sk-1|345|6789", b"".join(data for _, data in masked(pieces)))


def test_the_text_held_back_for_a_missing_string_is_limited() -> None:
    mask = SecretMask(SECRETS)
    released = mask.feed(0, b'{"once": "sk-123"}\n')
    assert released == []
    count = 0
    while not released:
        count += 1
        released = mask.feed(count, b'{"delta": "word"}\n')
    assert count < 1000
    assert len(mask.feed(-1, b"\n")) == 1
