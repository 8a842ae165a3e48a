"""Numbers of bytes as a person reads them."""

from __future__ import annotations

import pytest

from chat_ui.protocol.translatable import size_in_words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1 KB"),
        (10_000, "9.8 KB"),
        (8 * 2**20, "8 MB"),
        (2**20 - 1, "1 MB"),
        (256 * 2**20, "256 MB"),
        (3 * 2**29, "1.5 GB"),
        (10 * 2**30, "10 GB"),
        (2**50, "1,048,576 GB"),
    ],
)
def test_a_size_has_its_unit(size: int, words: str):
    assert size_in_words(size) == words
