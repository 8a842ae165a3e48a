"""The words around what a search found."""

from __future__ import annotations

from chat_ui.conversations.store.conversation_list import EXCERPTED, excerpt_of

WORDS = " ".join(f"word{number:03}" for number in range(100))


def test_a_short_text_is_shown_whole_on_one_line():
    assert excerpt_of("Buoys\n are  red.", ["red"]) == "Buoys are red."
    assert excerpt_of("", ["red"]) == ""


def test_of_a_long_text_whole_words_around_the_match_are_shown():
    assert (
        excerpt_of(WORDS, ["word050"])
        == "…word046 word047 word048 word049 word050 word051 "
        + " ".join(f"word{number:03}" for number in range(52, 60))
        + "…"
    )
    assert excerpt_of(WORDS, ["word000"]).startswith("word000 ")
    assert excerpt_of(WORDS, ["word099"]).endswith(" word099")


def test_the_first_word_that_is_there_is_shown_whatever_its_case_else_the_beginning():
    for words in (["none", "word050"], ["WORD050"]):
        assert "word050" in excerpt_of(WORDS, words)
        assert not excerpt_of(WORDS, words).startswith("word000")
    assert excerpt_of(WORDS, ["none"]).startswith("word000")
    assert "word050" not in excerpt_of(WORDS, ["none"])


def test_accents_do_not_matter_and_a_word_is_looked_for_at_its_beginning():
    text = "reprise " * 30 + "Été" + " later" * 30
    assert "Été" in excerpt_of(text, ["ete"])
    text = "unred _red " * 200 + "red buoys" + " later" * 30
    assert "red buoys" in excerpt_of(text, ["red"])


def test_what_is_cut_is_marked_on_the_side_where_it_is():
    assert excerpt_of("red " + "later " * 20, ["red"]) == "red " + " ".join(["later"] * 12) + "…"
    assert excerpt_of("early " * 20 + "red", ["red"]) == "…" + " ".join(["early"] * 6) + " red"
    assert excerpt_of("x" * 50 + "red" + "y" * 100, ["none", "x"]) == "x" * 50 + "red" + "y" * 27 + "…"


def test_a_text_without_spaces_is_cut_where_it_has_to_be():
    shown = excerpt_of("x" * 500, ["x"])
    assert shown == "x" * 80 + "…"


def test_what_stands_far_on_is_not_looked_for_word_by_word():
    assert len(excerpt_of("a " * EXCERPTED, ["none"])) < 100
