"""The ends of sentences, and the sentence of a citation."""

from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.answer import render_answer
from chat_ui.rendering.citations.sentences import LISTED_REACH, sentences
from chat_ui.rendering.grounding import grounding
from chat_ui.rendering.panels.passages import passage_html
from tests.rendering.streaming import Page, typed

POINTS = (DataPoint("notes.txt", "notes.txt"), DataPoint("a.txt", "a.txt"))
HEAD = "| Source | Rule |\n|---|---|\n"

CLAIMS = {
    "1. Rail first. [notes.txt]\n2. [a.txt] Air next.": ["Rail first.", "Air next."],
    "- [notes.txt] Lamp.\n- [a.txt]: Rope is red. It is long.": ["Lamp.", "Rope is red."],
    f"{HEAD}| [notes.txt] | Lamp is needed |\n| [a.txt] | Rope is red |\n": ["Lamp is needed", "Rope is red"],
    f"{HEAD}| Lamp is needed | x |\n| [a.txt] Rope is red | y |\n": ["Rope is red, y"],
    f"{HEAD}| Rope | 5 kg [a.txt] |\n| Dome tent | [notes.txt] 9 kg |\n": ["Rope, 5 kg", "Dome tent, 9 kg"],
    f"{HEAD}| Rope | Ropes are red and as long as the tents of the last two years. [a.txt] |\n": [
        "Ropes are red and as long as the tents of the last two years."
    ],
    f"{HEAD}| Lamp is needed | [notes.txt] |\n| Rope is red | ✓ [a.txt] |\n": ["Lamp is needed", "Rope is red"],
    f"{HEAD}| Lamp is needed | x |\n| | [a.txt] |\n| Rope | y |\n": ["x"],
    "<table><tr><td>[notes.txt]</td><td>Lamp is needed</td></tr><tr><td>[a.txt]</td></tr></table>": [
        "Lamp is needed",
        "Lamp is needed",
    ],
    "- Lamp is needed.\n- [a.txt]\n": ["Lamp is needed."],
    "[notes.txt][a.txt] Lamp is needed.": ["Lamp is needed.", "Lamp is needed."],
    "Rail first. [notes.txt] Cats purr loudly.": ["Rail first."],
    "According to [notes.txt], a lamp is needed. Yes.": ["According to, a lamp is needed."],
    "According to the travel policy [a.txt] trips need a form.": ["According to the travel policy trips need a form."],
    "According to [notes.txt] and [a.txt], a lamp is needed.": ["According to and, a lamp is needed."] * 2,
    "Cats [notes.txt] purr at night [a.txt].": ["Cats purr at night", "Cats purr at night"],
    "Lamps are red [notes.txt] and fly [a.txt].": ["Lamps are red", "Lamps are red and fly"],
    "Yes [notes.txt]. Lamp is needed.": ["Yes"],
    "Lamp is needed ([notes.txt]).": ["Lamp is needed"],
    "Lamp is needed. ([notes.txt]) Rope is red.": ["Lamp is needed."],
    "Rail first. Lamp is needed\n\n[notes.txt]": ["Lamp is needed"],
    "Lamp is needed.\n\nSee also [notes.txt].\n\n**Sources:** [a.txt] and [notes.txt]": ["Lamp is needed."] * 3,
    "Lamp is needed.\n\nSources:\n\n- [notes.txt]\n- [a.txt]": ["Lamp is needed."] * 2,
    "Lamp is needed.\n\nZobacz też [notes.txt].\n\nKilder: [a.txt] og [notes.txt]": ["Lamp is needed."] * 3,
    "> Lamp is needed\n\n[notes.txt]\n\n[a.txt]": ["Lamp is needed", "Lamp is needed"],
    "[notes.txt]\n\nLamp is needed.": [""],
    "Tents cost $x^2$ [notes.txt] and `y` [a.txt].": ["Tents cost x^2", "Tents cost x^2 and y"],
    "根据规定[notes.txt]，员工可休假。": ["根据规定"],
}


ROWS = "| Tent | Cost |\n|---|---|\n| A ridge tent | 9 crowns |\n| A dome tent | 12 crowns |\n"
LISTED = "A ridge tent, 9 crowns\nA dome tent, 12 crowns"
LISTS = {
    f"Costs of the tents [a.txt]:\n\n{ROWS}": [f"Costs of the tents:\n{LISTED}"],
    f"**Costs of the tents：** [a.txt] [notes.txt]\n\n{ROWS}": [f"Costs of the tents:\n{LISTED}"] * 2,
    f"Rope is red. [notes.txt] Tents ([a.txt]):\n\n{ROWS}": ["Rope is red.", f"Tents:\n{LISTED}"],
    f"### Tents [a.txt]\n\n{ROWS}": [f"Tents:\n{LISTED}"],
    f"Tents cost this:\n\n[a.txt]\n\n{ROWS}": [f"Tents cost this:\n{LISTED}"],
    f"Tents cost this:\n\n{ROWS}\n[a.txt][notes.txt]": [f"Tents cost this:\n{LISTED}"] * 2,
    f"{ROWS}[a.txt]\n": [LISTED],
    ROWS.replace("Cost", "Cost [a.txt]"): [f"Cost:\n{LISTED}"],
    "<table><caption>Tents [a.txt]</caption><tr><th>Tent</th></tr><tr><td>A dome</td></tr></table>": ["Tents:\nA dome"],
    "- Rail first.\n- Lamp is needed.\n\n([a.txt])\n": ["Rail first.\nLamp is needed."],
    "- Take this [a.txt]:\n  - a lamp\n  - a rope:\n    1. red\n- Rest.": ["Take this:\na lamp\na rope:\nred"],
    "> Take this [a.txt]:\n> - a lamp\n> - a rope\n\n- a tent\n": ["Take this:\na lamp\na rope"],
    "Take this [a.txt]:\n- a lamp [notes.txt]\n- a rope": ["Take this:\na lamp\na rope", "a lamp"],
    "Take this [a.txt]:\n\nLamps burn.\n\n- a rope": ["Take this"],
    "Run this [a.txt]:\n\n```\nx\n```\n\n- a rope": ["Run this"],
    "Take this [a.txt]\n\n- a rope": ["Take this"],
    "- Take this [a.txt]:\n\n\n***\n\n1. a rope": ["Take this"],
}


def test_the_claim_of_a_lead_in_is_the_list_or_table_after_it():
    complete = {text: render_answer(text, POINTS).uses for text in LISTS}
    assert {text: [use.claim for use in uses] for text, uses in complete.items()} == LISTS
    assert {text: typed(text, POINTS).stream.uses for text in LISTS} == complete
    page = Page(POINTS)
    claims = []
    for text in (f"Costs of tents [a.txt]:\n\n{ROWS}", "\nRope is red.\n", "\n[notes.txt]"):
        page.type(text)
        claims.append([use.claim for use in page.stream.uses])
    assert claims == [[f"Costs of tents:\n{LISTED}"]] * 2 + [[f"Costs of tents:\n{LISTED}", "Rope is red."]]
    [use] = render_answer("Long [a.txt]:\n\n" + "- item of a list\n" * 1_000, POINTS).uses
    assert LISTED_REACH < len(use.claim) < LISTED_REACH + 30


def test_a_claim_is_the_sentence_of_a_citation_or_the_block_before():
    complete = {text: render_answer(text, POINTS).uses for text in CLAIMS}
    assert {text: [use.claim for use in uses] for text, uses in complete.items()} == CLAIMS
    assert {text: typed(text, POINTS).stream.uses for text in CLAIMS} == complete
    text = "See [the rules].\n\n[notes.txt]\n\n[the rules]: https://rules.example/\n"
    complete, page = render_answer(text, POINTS), typed(text, POINTS)
    assert [use.claim for use in complete.uses] == ["See the rules."]
    assert page.stream.uses == complete.uses
    page = Page(POINTS)
    page.type("Rail first.\n\n- Lamp is needed.\n\n[notes.txt]")
    assert [use.claim for use in page.stream.uses] == ["Lamp is needed."]


def test_a_citation_counts_for_its_claims_sentence():
    cases = [
        ("Rail always comes first.\n\n- [a.txt] Air comes after it [a.txt].", 1, 2),
        ("Lamp is needed here [a.txt].\n\n[notes.txt]", 1, 1), ("Lamp is needed here.\n\n[notes.txt]", 1, 1),
        ("Lamp is needed here [a.txt]. Yes. [notes.txt]", 1, 1),
        (f"{HEAD}| [notes.txt] | Lamp is needed |\n| x | Rope is red |\n", 1, 2),
    ]  # fmt: skip
    for text, cited, count in cases:
        found = grounding(render_answer(text, POINTS))
        assert (found.cited, found.sentences) == (cited, count), text


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


def test_a_stop_ends_a_sentence_and_an_abbreviation_does_not():
    found = {sentence: sentences(f"Rail first. {sentence} Last.") for sentence in WHOLE}
    assert found == {sentence: ["Rail first.", sentence, "Last."] for sentence in WHOLE}
    assert [sentences(" ".join(pair)) for pair in TWO] == [list(pair) for pair in TWO]


def test_a_sentence_with_an_abbreviation_is_one_claim():
    for sentence in WHOLE:
        text = f"{sentence.removesuffix('.')} [notes.txt]."
        complete, page = render_answer(text, POINTS), typed(text, POINTS)
        assert [use.claim for use in complete.uses] == [sentence.removesuffix(".")]
        assert page.stream.uses == complete.uses
        assert (grounding(complete).cited, grounding(complete).sentences) == (1, 1), sentence


def test_a_passage_is_marked_past_an_abbreviation():
    html = passage_html(
        "It is red. The tent weighs approx. 5 kg with poles. It folds.", "The tent weighs 5 kg with poles"
    )
    assert "<mark>The tent weighs approx. 5 kg with poles.</mark>" in html
