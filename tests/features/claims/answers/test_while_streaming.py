"""Marks of claims while an answer grows: those of complete sentences, which are those of the whole answer."""

import pytest

from chat_ui.features.claims.answers.checking import checked
from chat_ui.rendering.answer import RenderedAnswer, render_answer
from chat_ui.rendering.streaming.stream import MOST_COMPARED
from tests.features.claims.answers.test_checking import FEES, LEAVE, MARKED, TABLE, WRONG, answered, check
from tests.rendering.streaming import Page, ShownBlocks, begun_anew

POINTS = (LEAVE, TABLE, FEES)


class ComparedPage(Page):
    """A page whose answer is compared after each flush."""

    def compare(self) -> list[int]:
        """Returns the indices of the compared blocks."""
        blocks, uses = self.stream.take_uncompared()
        rendered = RenderedAnswer(tuple(blocks.values()), self.stream.citations, uses)
        for index, block in zip(blocks, checked(answered(""), rendered).blocks, strict=True):
            self.stream.blocks.mark(index, block.marks)
        self._follow(self.stream.blocks.take_changes())
        return list(blocks)

    def grow(self, text: str) -> list[str]:
        """Type and compare `text`; returns the marked words."""
        self.type(text)
        self.compare()
        return self.marked

    @property
    def marked(self) -> list[str]:
        return MARKED.findall(self.html)


def test_a_sentence_is_marked_once_the_next_one_has_begun():
    page = ComparedPage(POINTS)
    assert page.grow("Parents get 20 weeks") == []
    assert page.grow(" of paid leave [a.pdf]") == []
    assert page.grow(". ") == []
    assert page.grow("The") == ["20 weeks"]
    assert page.grow(" fee for members is $60 a month [c.pdf]") == ["20 weeks"]
    assert page.grow(".\n\n") == ["20 weeks"]
    assert page.grow("Hello") == ["20 weeks", "$60"]


@pytest.mark.parametrize(
    ("pieces", "marked"),
    [
        (["- Parents get 20 weeks [a.pdf]", "\n", "- The fee is $60", " [c.pdf]\n- A"], [0, 0, 1, 2]),
        (
            ["| Role | Days |\n|---|---|\n| Cook | 28 [b.pdf] |\n", "| Maid | 29", " [b.pdf] |\n", "\nWords"],
            [0, 1, 1, 2],
        ),
        (["Parents get 20 weeks [a.pdf]", " of paid leave [c.pdf]", ". A"], [0, 0, 1]),
        (["The fee is $60 [c.pdf]:\n\n", "- for members", "\n- for others\n\nWords"], [0, 0, 0]),
    ],
    ids=["list", "table", "citation within", "lead-in"],
)
def test_an_item_a_row_and_a_sentence_that_go_on_wait(pieces: list[str], marked: list[int]):
    page = ComparedPage(POINTS)
    assert [len(page.grow(piece)) for piece in pieces] == marked


WEEKS = [f"Parents get {number} weeks of paid leave [a.pdf]." for number in range(20, 28)]
FEE_TEXTS = [f"A “member’s” fee & more isn't low: members pay ${number} a month [c.pdf]." for number in range(60, 68)]
MIXED = [one for pair in zip(WEEKS, FEE_TEXTS, strict=True) for one in (*pair, "Hello **there**.")]
TEXTS = {
    "paragraphs": "\n\n".join(" ".join(MIXED[at : at + 5]) for at in range(0, 20, 5)),
    "long paragraph": " ".join(MIXED),
    "list": "# Rules\n\n" + "".join(f"- {one}\n" for one in MIXED) + "\nThe end.",
    "nested list": "1. Rules:\n" + "".join(f"   - {one}\n" for one in MIXED) + f"2. {WRONG}\n\nThe end.",
    "loose list": "".join(f"- {one}\n\n" for one in MIXED) + "The end.",
    "table": "| Role | Days |\n|---|---|\n" + "".join(f"| Cook | {number} [b.pdf] |\n" for number in range(28, 50)),
    "quote": "".join(f"> {one}\n>\n" for one in MIXED) + f"\n{WRONG}",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_all_marks_are_those_of_the_whole_answer_and_stay(text: str):
    page, complete = ComparedPage(POINTS), check(text)
    words = MARKED.findall("".join(complete.html))
    before: list[str] = []
    for start in range(0, len(text), 37):
        now = page.grow(text[start : start + 37])
        assert now[: len(before)] == before == words[: len(before)]
        before = now
        late = ShownBlocks()
        for part in page.stream.blocks.snapshot():
            late.take(part)
        assert late.html == page.blocks
    assert len(before) >= len(words) - 1
    page.end()
    assert page.marked[: len(before)] == before
    page.compare()
    assert page.blocks == complete.html


def test_a_block_is_compared_once_and_sent_anew_only_for_its_marks():
    page = ComparedPage(POINTS)
    page.type(f"{WRONG}\n\nThe office is nice [a.pdf].\n\nHello")
    assert page.compare() == [0, 1]
    assert page.compare() == []
    assert begun_anew(page.type(" there, and there.\n\nMore")) == [3]
    assert page.compare() == []


def test_only_the_first_citations_are_compared():
    page = ComparedPage(POINTS)
    page.type("- Words [a.pdf]\n\n" * MOST_COMPARED + f"{WRONG}\n\n{WRONG}\n\nHello")
    assert page.grow("") == []


def test_other_sources_are_compared_anew():
    page = ComparedPage(POINTS)
    assert page.grow(f"{WRONG}\n\nHello") == ["20 weeks"]
    page.stream.set_data_points((LEAVE, FEES))
    page.type(" there")
    assert page.compare() == [0]
    page.end()
    assert render_answer(f"{WRONG}\n\nHello there", (LEAVE, FEES)).html[1:] == page.blocks[1:]
