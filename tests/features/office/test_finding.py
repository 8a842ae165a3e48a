import time

import pytest

from chat_ui.features.office.finding import Finder
from chat_ui.features.office.text_blocks import Block
from chat_ui.rendering.panels.passages import GAP

RED = "The buoys of the northern channel are painted red in spring."
GREEN = "The buoys of the southern channel are painted green in autumn."
LONG = "Every keeper of a station reports the wind, the height of the waves and the state of the lamps before noon."


def row(*cells: str) -> Block:
    return Block(" ".join(filter(None, cells)), "row", 1, cells, (1,) * len(cells))


def marked(blocks: list[Block], sentence: str, passage: str = "") -> list[tuple[int, str]]:
    found = Finder(blocks, passage or sentence).find(sentence)
    return [(one.block, blocks[one.block].text[one.start : one.end]) for one in found]


def test_a_sentence_is_found_despite_spaces_hyphens_ligatures_and_formatting():
    blocks = [Block("Contents"), Block(f"Before it. {RED} After it."), Block(GREEN)]
    for sentence in (
        RED, RED.upper(), RED.replace(" ", "\n"), RED.replace("northern", "north-\nern"), f"**{RED}**",
        RED.replace("painted", "pa\u00adinted"), RED.replace("The", "\ufb00The"[1:]),
    ):  # fmt: skip
        assert marked(blocks, sentence) == [(1, RED)], sentence
    assert marked([Block("A difﬁcult coﬀee?”"), Block("x")], "A difficult coffee?") == [(0, "A difﬁcult coﬀee?”")]


def test_a_sentence_over_several_blocks_is_marked_in_each():
    blocks = [Block("x"), Block("Colours"), Block(RED), Block(GREEN)]
    assert marked(blocks, f"Colours\n{RED}") == [(1, "Colours"), (2, RED)]
    pictured = [Block("x"), Block("Colours"), Block("A map", "picture"), Block(RED)]
    assert marked(pictured, f"Colours\n{RED}") == [(1, "Colours"), (3, RED)]


def test_a_repeated_sentence_is_the_one_with_the_neighbours_of_the_passage():
    blocks = [Block(text) for text in ("Contents", RED, GREEN, LONG, "Chapter", LONG, RED, "End of all of it.")]
    assert marked(blocks, RED, f"{LONG}\n\n{RED} End") == [(6, RED)]
    assert marked(blocks, RED, f"{RED}\n{GREEN}") == [(1, RED)]
    assert marked(blocks, RED) == [(1, RED)], "the whole passage is there"
    assert marked(blocks, RED, f"Zinc. {RED} Xylem.") == []
    short = [Block("Agreed."), Block(RED), Block("Agreed."), Block(GREEN)]
    assert marked(short, "Agreed.", f"Agreed. {GREEN}") == [(2, "Agreed.")]
    assert marked(short, "Agreed.", "Is it? Agreed. No.") == []


def test_equal_letters_with_other_signs_or_points_are_another_place():
    blocks = [row("Loss", "1.5", "Bergen"), row("Loss", "-1.5", "Bergen"), row("Loss", "15", "Bergen")]
    for index, line in enumerate(("Loss 1.5 Bergen", "loss -1.5 bergen", "Loss, 15, Bergen")):
        assert [at for at, _ in marked(blocks, line)] == [index]
    assert marked(blocks, "Loss +15 Bergen") == []


def test_a_changed_sentence_is_found_where_most_of_it_is_and_another_one_is_not():
    blocks = [Block(f"First. {LONG} Last."), Block(RED), Block(GREEN)]
    assert marked(blocks, LONG.replace("the wind,", "wind and")) == [(0, LONG)]
    assert marked(blocks, LONG.replace("wind", "storm").replace("waves", "tide").replace("lamps", "nets")) == []
    assert marked([*blocks, Block(LONG.replace("noon", "dusk"))], LONG.replace("noon", "dawn")) == []
    dated = LONG.replace("noon", "noon of day 7")
    assert marked([Block(dated), *blocks[1:]], dated.replace("7", "8")) == []
    ending = "Every boat has two lamps and a bell on its mast."
    assert marked([*blocks, Block(ending)], f"{ending.replace('a bell', 'a big bell')} Yes") == [(3, ending)]
    assert marked(blocks, "Nothing of this kind is written in here.") == []
    assert marked(blocks, "a.") == []


def test_a_part_of_a_word_or_number_is_not_a_sentence():
    office = "Fees? None. Ask the office."
    for blocks, passage in (
        (["It is nonetheless so.", RED], office), (["It is nonetheless so."], "None."),
        (["There is no", "new item.", RED], office), (["Rooms 120", "26 chairs", RED], "In this year: 2026. So."),
        ([f"{RED} The fee for each of them is 1500."], f"{RED} The fee for each of them is 150."),
        (["The fee for each of them is 1,500."], "The fee for each of them is 1."),
        (["25 days of leave are paid in each year."], "5 days of leave are paid in each year."),
    ):  # fmt: skip
        for sentence in passage.replace("? ", "?. ").split(". ")[1:] or [passage]:
            assert marked([*map(Block, blocks)], sentence, passage) == [], sentence
    for text, found in (("Fees? None. Ask the office.", "None."), ("None of it.", "")):
        assert marked([Block(text), Block(RED)], "None.", office) == ([(0, found)] if found else [])


def test_a_short_sentence_is_found_with_its_neighbours_or_as_a_block():
    heading = [Block("Table of all fees"), Block(RED), Block("A map"), Block(GREEN)]
    assert marked(heading, "Table of all fees", f"Table of all fees\n{GREEN}") == [(0, "Table of all fees")]
    twice = [Block("Ask the office. Then wait. Ask the office.")]
    [found] = Finder(twice, "Then wait. Ask the office.").find("Ask the office.")
    assert found.start == 27


def test_a_mark_has_all_of_its_last_letter_and_the_stops_of_its_script():
    for text in ("यह बहुत अच्छा दिन है।", "วันหยุดยี่สิบห้าวันต่อปี", "هل يحصل الموظفون على خمسة وعشرين يومًا؟"):
        assert marked([Block(f"A. {text} B."), Block(RED)], text) == [(0, text)]


@pytest.mark.parametrize(
    ("wanted", "at"),
    [
        ("| Oslo | 1,234.50 | 12 % |", 1), (f"Oslo{GAP}1234.5{GAP}0.12", 1), ("| Rome | 7 | 3% |", 3),
        ("| Oslo | 9 | 8% |", None), ("| Bern | 1 | 2% |", None),
        ("| 2026-03-05 | Rome | (4) |", 4), ("| Nice | 12 m | 3 | 4 |", 5), ("| Nice | 13 m | 3 | 4 |", None),
        ("| Nice | 12 m | 3 | 5 |", None), ("| Nice | 12 m | 3 | |", 5), ("| Nice | deep | 3 | 4 |", 5),
    ],
)  # fmt: skip
def test_a_row_is_found_by_the_values_of_its_cells(wanted: str, at: int | None):
    blocks = [
        row("City", "Sum", "Share"), row("Oslo", "1234.5", "0.1204"), row("Rome", "7", "0.04"),
        row("Rome", "7", "0.03"), row("2026-03-05 00:00:00", "Rome", "-4"),
        row("Nice", "12 m", "3", "4"),
    ]  # fmt: skip
    found = Finder(blocks, wanted).find(wanted)
    assert [one.block for one in found] == ([] if at is None else [at])


@pytest.mark.parametrize("odd", ["\n", "\t", "<!--", "|" + " " * 99 + "-", "| 1" + " " * 99, "| -" + " " * 999 + "x"])
def test_the_time_for_an_odd_passage_grows_with_its_length(odd: str):
    began = time.process_time()
    passage = f"{RED}\n{odd * (40_000 // len(odd))}.\n{GREEN}"
    assert marked([Block(RED), Block("x"), Block(GREEN)], GREEN, passage) == [(2, GREEN)]
    assert marked([row("Oslo", "1")], f"{odd * (40_000 // len(odd))}.\n") == []
    assert time.process_time() - began < 1


def test_equal_rows_are_told_apart_by_the_rows_around():
    blocks = [row("Total", "5"), row("Oslo", "1"), row("Total", "5"), row("Rome", "2")]
    assert marked(blocks, "| Total | 5 |", "| Total | 5 |\n| Rome | 2 |") == [(2, "Total 5")]
    assert marked(blocks, "| Total | 5 |", "| Total | 5 |") == []
