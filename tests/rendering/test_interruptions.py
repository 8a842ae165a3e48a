"""Skipping rules for a line does not change the result."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chat_ui.rendering.markdown.block_rules import ask_by_first_character
from tests.made_sets import sampled

BEGINNINGS = [
    "", "word", "# head", "#", "===", "---", "***", "___", "- item", "-", "+ item", "* item", "1. one", "2) two", "7.",
    "9", "> quote", ">", "```py", "~~~", "<div>", "<!-- x", "</p>", "<b>bold</b>", "| a | b |", "|--|--|", "a | b",
    "--|--", ":-: | -", "-|-", "[^1]: note", "[ref]: /to", "$$", "$$x$$", "$$\nx\n$$", "\u00a0# no", "\u0663. three",
    "\uff0d wide",
]  # fmt: skip
BEFORE = ["word\n", "- word\n", "- word\n  ", "7. word\n", "> word\n", "a | b\n--|--\n"]
AFTER = ["", "\nword", "\n-|-", "\n:-: | -", "\n  |--|--|"]
lines = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", " ", "   ", "    ", "\t", "> ", "- ", "  > ", "1. ", ">> "]),
    st.sampled_from(BEGINNINGS),
)


def reader() -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return markdown.use(footnote_plugin, inline=False, move_to_end=False).use(dollarmath_plugin)


EVERY, FEWER = reader(), reader()
ask_by_first_character(FEWER.block.ruler)


def same(text: str) -> bool:
    return [token.as_dict() for token in FEWER.parse(text)] == [token.as_dict() for token in EVERY.parse(text)]


@pytest.mark.parametrize("texts", sampled(["".join(parts) for parts in product(BEFORE, BEGINNINGS, AFTER)], 7))
def test_a_line_ends_the_same_blocks_as_with_every_rule(texts: list[str]):
    assert [text for text in texts if not same(text)] == []


@given(st.lists(lines, max_size=12).map("\n".join))
def test_a_text_is_read_as_with_every_rule(text: str):
    assert same(text)
