"""Follow-up questions are taken out of the text for any split of their brackets, except in code."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import AnswerBuilder
from chat_ui.protocol.answers.followups import FollowupFilter
from chat_ui.protocol.events import ContextReceived, TextDelta
from chat_ui.protocol.text_places import Places
from tests.growth import assert_in_proportion, cost_of


def folded(pieces: list[str]) -> tuple[str, tuple[str, ...]]:
    builder = AnswerBuilder()
    released = "".join([builder.add(TextDelta(piece)) for piece in pieces]) + builder.close()
    answer = builder.answer()
    assert released == answer.text
    return answer.text, answer.followup_questions


CASES = {
    "one at the end": ("Paris [a.pdf]. <<What of Spain?>>\n", "Paris [a.pdf].", ("What of Spain?",)),
    "several on lines": ("Paris.\n\n<<Spain?>>\n<<And of Italy?>>", "Paris.", ("Spain?", "And of Italy?")),
    "glued": ("Paris.<<Spain?>><<Italy?>>", "Paris.", ("Spain?", "Italy?")),
    "the same twice": ("Paris. <<Spain?>> <<Spain?>>", "Paris.", ("Spain?",)),
    "in the middle": ("Paris. <<Spain?>> Rome.", "Paris. Rome.", ("Spain?",)),
    "between paragraphs": ("Paris.\n\n<<Spain?>>\n\nRome.", "Paris.\n\nRome.", ("Spain?",)),
    "at the start": ("<<Spain?>>\nParis.", "Paris.", ("Spain?",)),
    "without a question mark": ("Paris. <<Tell me more>>", "Paris.", ("Tell me more",)),
    "in another script": ("巴黎。<<西班牙呢？>>", "巴黎。", ("西班牙呢？",)),
    "with spaces inside": ("Paris. << What of Spain? >>", "Paris.", ("What of Spain?",)),
    "a shift": ("1 << 2 is 4.", "1 << 2 is 4.", ()),
    "a shift at the end": ("Write 1 <<", "Write 1 <<", ()),
    "both shifts": ("1 << 2 >> 1 and x<<2>>1", "1 << 2 >> 1 and x<<2>>1", ()),
    "a stream": ("Write cout << x << endl; then cin >> y.", "Write cout << x << endl; then cin >> y.", ()),
    "a here document": ("cat <<EOF >>out\nx\nEOF", "cat <<EOF >>out\nx\nEOF", ()),
    "inline code": ("Use `<<What is it?>>` here.", "Use `<<What is it?>>` here.", ()),
    "after inline code": ("Use `x`. <<What is it?>>", "Use `x`.", ("What is it?",)),
    "a fence": ("```\n<<What is it?>>\n```\nEnd. <<Why?>>", "```\n<<What is it?>>\n```\nEnd.", ("Why?",)),
    "a fence of tildes": ("~~~~ cpp\n~~~\n<<What is it?>>\n~~~~", "~~~~ cpp\n~~~\n<<What is it?>>\n~~~~", ()),
    "not closed": ("Paris. <<What of", "Paris. <<What of", ()),
    "over a line": ("Paris. <<What\nof?>>", "Paris.", ("What of?",)),
    "over a paragraph": ("Paris. <<What\n\nof?>>", "Paris. <<What\n\nof?>>", ()),
    "a citation with a page": ("A <<What does [a.pdf#page=3] cover?>>", "A", ("What does [a.pdf#page=3] cover?",)),
    "an address": ("A <<Is https://x.y/?a=b ok?>>", "A", ("Is https://x.y/?a=b ok?",)),
    "a semicolon": ("A <<Which plan; gold or silver?>>", "A", ("Which plan; gold or silver?",)),
    "a bar": ("A <<Is a|b ok?>>", "A", ("Is a|b ok?",)),
    "braces": ("A <<What does {name} mean?>>", "A", ("What does {name} mean?",)),
    "a less-than sign": ("A <<Is age < 65 covered?>>", "A", ("Is age < 65 covered?",)),
    "an amount first": ("A <<$100 copay applies when?>>", "A", ("$100 copay applies when?",)),
    "a number sign first": ("A <<#1 plan, which is it?>>", "A", ("#1 plan, which is it?",)),
    "a citation first": ("A <<[a.pdf] says what?>>", "A", ("[a.pdf] says what?",)),
    "bold": ("A <<**What** is it?>> <<**Why?**>>", "A", ("**What** is it?", "**Why?**")),
    "an emoji first": ("A <<🦷 Dental covered?>>", "A", ("🦷 Dental covered?",)),
    "a number in spaces": ("A << 401(k) plan covers what? >>", "A", ("401(k) plan covers what?",)),
    "a number glued": ("A <<401(k) plan covers what?>>", "A", ("401(k) plan covers what?",)),
    "a numbered list": ("A\n<<1. What is it?>>\n<<2. Why?>>", "A", ("1. What is it?", "2. Why?")),
    "a shift before a question": ("1 << 2 is 4. <<Why?>>", "1 << 2 is 4.", ("Why?",)),
    "a stream before a question": ("cout << x; <<Why is it?>>", "cout << x;", ("Why is it?",)),
    "a shift in a condition": ("If (a) << 2 | b is it? >> c", "If (a) << 2 | b is it? >> c", ()),
    "a backtick that is not closed": ("A ` b. <<What is it?>>", "A ` b.", ("What is it?",)),
    "a backtick that another line has": ("A ` b. <<What is it?>>\nC `d` e", "A ` b.\nC `d` e", ("What is it?",)),
    "backticks of another number": ("A `` b ` <<What is it?>> ` c", "A `` b ` ` c", ("What is it?",)),
    "a list item": ("1. One\n\n    <<What is it?>>\n", "1. One", ("What is it?",)),
    "a fence that a line with words does not close": ("```\n``` a\n<<Why?>>", "```\n``` a\n<<Why?>>", ()),
    "a fence that a longer one closes": ("```\na\n`````\n<<Why?>>", "```\na\n`````", ("Why?",)),
    "backticks that are no fence": ("``` a ` b\n<<Why?>>", "``` a ` b", ("Why?",)),
    "tildes before a backtick": ("~~~ a ` b\n<<Why?>>", "~~~ a ` b\n<<Why?>>", ()),
    "a fence in a list item": ("- A\n\n    ```\n    <<B?>>\n    ```\n", "- A\n\n    ```\n    <<B?>>\n    ```\n", ()),
    "three brackets": ("Paris. <<<What of Spain?>>", "Paris. <", ("What of Spain?",)),
    "white space after text that follows a question": ("Paris. <<Spain?>> Rome.  \n", "Paris. Rome.  \n", ("Spain?",)),
    "white space after a question": ("Paris. \n<<Spain?>>\n\n \n", "Paris.", ("Spain?",)),
    "more space before a question": ("Paris.\n\n<<Spain?>> Rome.", "Paris.\n\nRome.", ("Spain?",)),
    "more space after a question": ("Paris. <<Spain?>>\n\nRome.", "Paris.\n\nRome.", ("Spain?",)),
    "wide space around a question": ("Paris.  <<Spain?>>   Rome.", "Paris.   Rome.", ("Spain?",)),
    "nothing but questions": ("<<Spain?>>\n<<Italy?>>\n", "", ("Spain?", "Italy?")),
    "less-than signs": ("a < b <= c <- d", "a < b <= c <- d", ()),
    "white space at the end of plain text": ("Paris.\n\n", "Paris.\n\n", ()),
}


def test_the_brackets_may_be_split_at_any_place() -> None:
    for text, clean, questions in CASES.values():
        assert folded(list(text)) == (clean, questions)
        for at in range(len(text)):
            assert folded([text[:at], text[at:]]) == (clean, questions)


TEXTS = st.text(alphabet="<> a?`\n~1é\t;(-.", max_size=40)


@given(TEXTS, st.lists(st.integers(0, 40), max_size=6))
def test_any_split_of_any_text_gives_the_same_answer(text: str, cuts: list[int]) -> None:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert folded(pieces) == folded([text])


@given(TEXTS)
def test_text_without_double_brackets_is_unchanged(text: str) -> None:
    text = text.replace("<<", "<")
    while "<<" in text:
        text = text.replace("<<", "<")
    assert folded(list(text))[0] == text


@pytest.mark.parametrize("unit", ["a << b ", "<", "<< ", "`<<", "<<a", "<<What is ", "x << y;\n", "<<Why?>>"])
def test_the_cost_grows_linearly_with_the_text(unit: str) -> None:
    def pieces(length: int) -> list[str]:
        text = unit * (length // len(unit))
        return [text[at : at + 100] for at in range(0, length, 100)]

    assert_in_proportion(folded, 5_000, made=pieces)


@pytest.mark.parametrize("unit", ["a\n", "- a\n", "`a\n", "a`` "])
def test_a_question_after_much_text_is_found_cheaply(unit: str) -> None:
    filter_ = FollowupFilter()
    text = unit * (1_000 // len(unit))
    before = cost_of(lambda: [filter_.feed(text) for _ in range(500)])
    assert 10 * cost_of(lambda: filter_.feed("\n\n<<What is it?>>")) < before
    filter_.close()
    assert filter_.questions == ["What is it?"]


def test_a_run_of_backticks_is_one_run_for_any_split() -> None:
    text = "``" * 400 + "`a" + "`" * 801 + " <<What is it?>>"
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
    assert folded(pieces) == folded([text]) == (text.removesuffix(" <<What is it?>>"), ("What is it?",))
    pieces = ["a" * 999 + "`", "b" * 1_000, "` <<What is it?>> ``"]
    assert folded(pieces) == folded(["".join(pieces)]) == (f"{'a' * 999}`{'b' * 1_000}` ``", ("What is it?",))


def test_positions_after_removed_or_inserted_text_are_moved() -> None:
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


def test_possible_questions_are_held_back_and_merged_with_the_contexts() -> None:
    builder = AnswerBuilder()
    assert builder.add(TextDelta("Paris. <")) == "Paris."
    assert builder.add(TextDelta("b")) == " <b"
    assert builder.add(TextDelta(" << 2")) == ""
    assert builder.add(TextDelta(" is")) == " << 2 is"
    assert builder.add(TextDelta(" <<" + "a " * 400)).startswith(" <<a a")
    builder = AnswerBuilder()
    builder.add(TextDelta("Paris. <<Spain?>>"))
    builder.add(ContextReceived({"followup_questions": ["Italy?", "Spain?", None, 7, " "]}))
    builder.close()
    assert builder.answer().followup_questions == ("Spain?", "Italy?")
