"""Changes that are written together, and those of one conversation apart from the others."""

from __future__ import annotations

from dataclasses import replace

from chat_ui.conversations.records.records import Changes, Piece, Status
from tests.conversations.kept import conversation, generation, turn

FIRST, SECOND = conversation(1), conversation(2)
ASKED = [turn(FIRST), turn(SECOND)]
MADE = [replace(generation(one, status=Status.RUNNING), id=f"{one.conversation}.answer") for one in ASKED]
PIECES = [Piece(one.id, 0, "Half") for one in MADE]
ALL = Changes(
    (FIRST, SECOND),
    tuple(ASKED),
    tuple(MADE),
    tuple(PIECES),
    alive=("x", "y"),
    current={"me": FIRST.id},
    anew=tuple(one.id for one in MADE),
)


def test_each_conversation_has_its_changes_apart_and_the_rest_comes_last():
    *apart, rest = ALL.apart()
    assert rest == Changes(alive=("x", "y"), current={"me": FIRST.id})
    expected = [
        Changes((talk,), (asked,), (made,), (piece,), anew=(made.id,))
        for talk, asked, made, piece in zip((FIRST, SECOND), ASKED, MADE, PIECES, strict=True)
    ]
    assert sorted(apart, key=lambda one: one.conversations[0].id) == expected


def test_text_alone_of_an_answer_is_apart_as_well():
    *apart, _ = Changes(pieces=tuple(PIECES)).apart()
    assert sorted((one.pieces for one in apart), key=str) == [(piece,) for piece in PIECES]


def test_a_conversation_is_concerned_by_each_part_of_it_but_by_text_alone():
    for part in ("conversations", "turns", "generations"):
        assert Changes(**{part: getattr(ALL, part)}).concerned == {FIRST.id, SECOND.id}
    assert Changes(pieces=ALL.pieces, alive=ALL.alive, current=ALL.current, anew=ALL.anew).concerned == set()


def test_each_part_is_something_to_write():
    for part in ("conversations", "turns", "generations", "pieces", "alive", "current"):
        assert Changes(**{part: getattr(ALL, part)}), part
    assert not Changes(anew=ALL.anew)
