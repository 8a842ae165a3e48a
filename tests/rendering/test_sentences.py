"""Where a sentence ends, and where it only looks as if."""

from __future__ import annotations

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.citations.sentences import sentences
from chat_ui.rendering.grounding import grounding
from chat_ui.rendering.panels.passages import passage_html
from tests.rendering.growing import typed

POINTS = (DataPoint("notes.txt", "notes.txt"),)

WHOLE = [
    "It weighs approx. 5 kg.", "Take a light, e.g. a lamp.", "It opens at 5 p.m. on Monday.",
    "The U.S. rules apply here.", "See No. 5 and Fig. 2 on p. 12.", "Ask Dr. Smith or Prof. Jones.",
    "Nimm Licht, z. B. Lampen oder z.B. Kerzen.", "Es ist ca. 5 kg schwer, vgl. Abb. 3.", "Er kommt am 3. Mai an.",
    "“Really?” he asked.",
]  # fmt: skip
TWO = [
    ("It has 5.", "Then it stops."), ("No.", "That is wrong."), ("It closes at 5 p.m.", "Then it is dark."),
    ("It has 5.", "3 are red."), ("“It is so.”", "He left."), ("今天休息。", "明天上班。"), ("Why?", "Because."),
    ("Er hat 3.", "Danach nichts."),
]  # fmt: skip


def test_an_abbreviation_does_not_end_a_sentence():
    found = {sentence: sentences(f"Rail first. {sentence} Last.") for sentence in WHOLE}
    assert found == {sentence: ["Rail first.", sentence, "Last."] for sentence in WHOLE}


def test_a_stop_before_another_sentence_ends_one():
    assert [sentences(" ".join(pair)) for pair in TWO] == [list(pair) for pair in TWO]


def test_a_sentence_with_an_abbreviation_is_one_claim_and_counted_once():
    for sentence in WHOLE:
        text = f"{sentence.removesuffix('.')} [notes.txt]."
        whole, page = render_answer(text, POINTS), typed(text, POINTS)
        assert [use.claim for use in whole.uses] == [sentence.removesuffix(".")]
        assert page.stream.uses == whole.uses
        assert (grounding(whole).cited, grounding(whole).sentences) == (1, 1), sentence


def test_a_passage_is_marked_past_an_abbreviation():
    html = passage_html(
        "It is red. The tent weighs approx. 5 kg with poles. It folds.", "The tent weighs 5 kg with poles"
    )
    assert "<mark>The tent weighs approx. 5 kg with poles.</mark>" in html
