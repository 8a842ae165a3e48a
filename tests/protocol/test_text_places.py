"""Where the characters of a text are in what is made of it."""

from __future__ import annotations

from chat_ui.protocol.text_places import Places


def test_what_follows_a_part_that_is_left_out_or_put_in_is_moved() -> None:
    moved: dict[tuple[tuple[int, int], ...], list[int]] = {
        (): [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        ((5, 2), (6, 1), (9, 2)): [0, 1, 2, 3, 3, 3, 3, 4, 4, 4],
        ((4, 4),): [0, 0, 0, 0, 0, 1, 2, 3, 4, 5],
        ((3, -2),): [0, 1, 2, 3, 6, 7, 8, 9, 10, 11],
    }
    for cuts, became in moved.items():
        places = Places()
        for end, length in cuts:
            places.cut(end, length)
        assert [places.of(place) for place in range(10)] == became, cuts
