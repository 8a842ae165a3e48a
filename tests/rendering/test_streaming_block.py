"""A growing block: the changes that are sent, and the snapshot for a late follower."""

from collections.abc import Sequence
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from chat_ui.rendering.streaming.streaming_block import (
    ANEW,
    LONGEST_CHANGE,
    StreamingBlock,
    StreamingBlocks,
    common_prefix,
)
from tests.rendering.streaming import ShownBlocks

ROWS = [("<table><tr><td>a</td></tr>", "", 1), ("<tr><td>b</td></tr>", "", 1), ("<tr><td>c</td></tr>", "", 1)]
INWARDS = [("<ul><li>a</li>", "", 1), ("<li><ul><li>b</li>", "", 3), ("<li>c</li>", "", 3), ("<li>d</li>", "", 3)]
OUTWARDS = [("<ul><li><ul><li>a</li>", "", 3), ("<li>b</li>", "</ul></li>", 1), ("<li>c</li>", "", 1)]
LONG = "a" * LONGEST_CHANGE
LONG_OUTWARDS = [(f"<ul><li>{LONG}<ul><li>a</li>", "", 3), *OUTWARDS[1:]]


def blocks_of(pieces: Sequence[tuple[str, str, int]], opened: str) -> StreamingBlocks:
    blocks = StreamingBlocks()
    for html, ends, depth in pieces:
        blocks.settle(0, html, depth, ends)
    blocks.open(0, opened)
    return blocks


def seen(*parts: Sequence[Sequence[object]]) -> tuple[str, ...]:
    page = ShownBlocks()
    for changes in parts:
        page.take(changes)
    return page.html


@given(st.text("ab\N{CIRCUS TENT}"), st.text("ab\N{CIRCUS TENT}"), st.text("ab\N{CIRCUS TENT}"))
def test_the_common_beginning_of_two_texts_is_found(beginning: str, first: str, second: str):
    first, second = beginning + first, beginning + second
    length = common_prefix(first, second)
    assert first[:length] == second[:length]
    assert length in (len(first), len(second)) or first[length] != second[length]


def test_only_the_change_of_the_open_part_is_sent_in_utf_16_units():
    blocks = StreamingBlocks()
    blocks.open(0, "<p>Red \N{CIRCUS TENT} a</p>")
    blocks.open(0, "<p>Red \N{CIRCUS TENT} and</p>")
    blocks.settle(0, "<p>Red \N{CIRCUS TENT} and green", 1)
    blocks.open(0, "blue")
    assert blocks.take_changes() == [
        (0, ANEW, "<p>Red \N{CIRCUS TENT} a</p>"),
        (0, len("<p>Red XX a"), "nd</p>"),
        (0, len("<p>Red XX and"), " green", 1),
        (0, 0, "blue"),
    ]


def test_a_restarted_block_has_nothing_of_its_past():
    blocks = blocks_of([("<p>Red", "", 1)], "and green")
    blocks.begin_anew(0)
    blocks.open(0, "<p>Blue</p>")
    assert blocks.take_changes()[-1] == (0, ANEW, "<p>Blue</p>")
    assert list(blocks[0].changes()) == [(ANEW, "<p>Blue</p>")]


def test_settled_pieces_are_sent_together_to_a_late_follower():
    for pieces, count in ((ROWS, 1), (INWARDS, 1), (OUTWARDS, 1), (LONG_OUTWARDS, 4)):
        blocks = blocks_of(pieces, "<b>open</b>")
        early, later = blocks.take_changes(), list(blocks.snapshot())
        assert seen(early) == seen(*later), pieces
        assert sum(map(len, later)) == count + 2, pieces


def test_a_long_or_fragmented_block_is_made_by_few_short_changes():
    sizes = [len(html) for _, html, *_ in blocks_of([("<p>" + "a" * 993 + "</p>", "", 0)] * 500, "")[0].changes()]
    assert max(sizes) <= LONGEST_CHANGE
    assert sum(sizes) == 500_000
    assert len(sizes) <= 2 * (500_000 // LONGEST_CHANGE + 1) + 1
    for depth in (None, 0):
        block = StreamingBlock()
        html = "<p>" + "\N{CIRCUS TENT}a" * 200_000 + "</p>"
        block.change(html)
        if depth is not None:
            block.settle(depth)
        changes = list(block.changes())
        assert max(len(change[1]) for change in changes) <= LONGEST_CHANGE, depth
        units = [len(change[1].encode("utf-16-le")) // 2 for change in changes if change[1]]
        assert [change[0] for change in changes if change[1]] == [ANEW, *accumulate(units[:-1])], depth
        assert seen([(0, *change) for change in changes]) == (html,), depth


def test_a_snapshot_stays_as_at_its_beginning():
    blocks = blocks_of([("<p>a</p>", "", 0), (LONG, "", 0)], "open")
    coming = blocks.snapshot()
    first = next(coming)
    blocks.settle(0, "<p>c</p>", 0)
    blocks.open(1, "more")
    assert seen(first, *coming) == (f"<p>a</p>{LONG}open",)
