"""Where the characters of a text are in what is made of it."""

from __future__ import annotations

from chat_ui.protocol.text_places import Places


def test_a_text_that_is_not_changed_has_its_places() -> None:
    places = Places()
    places.note(5, 5)
    assert [places.of(place) for place in (0, 4, 9)] == [0, 4, 9]
    assert places.shift == 0


def test_what_follows_a_part_that_is_left_out_stands_where_that_was() -> None:
    places = Places()
    places.cut(5, 2)
    places.cut(6, 1)
    places.cut(12, 2)
    assert [places.of(place) for place in (2, 3, 4, 5, 6, 7, 10, 11, 12, 13)] == [2, 3, 3, 3, 3, 4, 7, 7, 7, 8]


def test_a_beginning_that_is_left_out_has_the_first_place() -> None:
    places = Places()
    places.cut(4, 4)
    assert [places.of(place) for place in (0, 3, 4, 6)] == [0, 0, 0, 2]


def test_what_is_put_in_stands_after_a_place_that_ends_before_it() -> None:
    places = Places()
    places.note(3, 5)
    assert [places.of(place) for place in (2, 3, 4)] == [2, 3, 6]
