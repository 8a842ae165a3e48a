"""Shorter sources of a long open block: the kept text of each kind of block, and the start of its open part."""

from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.markdown.code_blocks import CodeState, code_block
from chat_ui.rendering.markdown.markdown import Definitions, parse
from chat_ui.rendering.markdown.token_html import Parsing
from chat_ui.rendering.streaming.block import rendered
from chat_ui.rendering.streaming.elements import last_elements
from chat_ui.rendering.streaming.shortening import PARAGRAPH_BEYOND, shorter_sources


def shortened(text: str, code_states: dict[int, CodeState] | None = None) -> list[tuple[str, int, bool]]:
    parsing = Parsing(SourceIndex(()), open_ended=True, streaming=True)
    [top] = parse(text, Definitions(), parsing)
    elements = last_elements(rendered(text, top, parsing).html.text)
    return [(one.source, one.depth, one.in_text) for one in shorter_sources(text, top, elements, code_states or {})]


def test_a_shorter_source_keeps_the_last_piece_and_its_opening():
    cases = [
        ("- a\n- b\n- c\n- d", [("- c\n- d", 1)]), ("- a", []),
        ("- a\n  - b\n  - c\n  - d\n  - e", [("- a\n  - d\n  - e", 3), ("- a\n  - b\n  - c\n  - d\n  - e", 2)]),
        ("1. a\n2. b\n\n   c\n\n   d", [("2. b\n   d", 2), ("1. a\n2. b\n\n   c\n\n   d", 1)]),
        ("> a\n>\n> b\n>\n> c", [("> c", 1)]), ("> - a\n> - b\n> - c", [("> - b\n> - c", 2)]), ("> a\n> b", []),
        ("|a|\n|-|\n|b|\n|c|\n|d|", [("|a|\n|-|\n|c|\n|d|", 3)]), ("|a|\n|-|\n|b|\n|c|", []),
        ("- x\n\n  |a|\n  |-|\n  |b|\n  |c|\n  |d|",
         [("- x\n  |a|\n  |-|\n  |c|\n  |d|", 5), ("- x\n  |a|\n  |-|\n  |b|\n  |c|\n  |d|", 2)]),
        ("<table>\n<tr><td>a\n<tr><td>b\n<TR><td>c\n<tr><td>d", [("<table>\n<tr><td>a\n<tr><td>d", 3)]),
        ("<table>\n<tr><td>a\n<tr><td>b", []),
        ("<ul>\n<li>a\n<li>b\n<li>c\n</ul>", [("<ul>\n<li>a\n<li>c\n</ul>", 1)]),
        ("<div>\n<trx>\n<trx>\n<trx>\n</div>", []), ("# a", []),
    ]  # fmt: skip
    for text, sources in cases:
        assert shortened(text) == [(source, depth, False) for source, depth in sources]


def test_a_long_paragraph_keeps_its_last_sentences_or_words():
    sentence = "Ten letters and more stand here. "
    text = sentence * 40
    [by_sentence, by_word] = shortened(text.rstrip())
    assert by_sentence == ((sentence * 7).rstrip(), 1, True)
    assert 200 <= len(by_word[0]) < 210
    assert text.rstrip().endswith(f" {by_word[0]}")
    assert shortened("word " * (PARAGRAPH_BEYOND // 5 - 1)) == []
    assert len(shortened("word " * (PARAGRAPH_BEYOND // 5) + "x")) == 1
    assert shortened("x" * 2 * PARAGRAPH_BEYOND) == []
    assert shortened("3.5 " * PARAGRAPH_BEYOND) == []


def test_code_keeps_its_lines_from_the_last_known_lexer_state():
    code = "".join(f"x = {number}\n" for number in range(20))
    states: dict[int, CodeState] = {}
    code_block(code, "python", states=states)
    assert sorted(states) == [0, 8, 16]
    assert [state.characters for _, state in sorted(states.items())] == [0, 48, 102]
    rest = "".join(f"x = {number}\n" for number in range(16, 20))
    assert shortened(f"```python\n{code}", states) == [(f"```python\n{rest}", 3, False)]
    assert shortened(f"```python\n{code[:90]}", states) == [(f"```python\n{code[48:90]}", 3, False)]
    assert shortened(f"```python\n{code[:20]}", states) == []
    assert shortened(f"```python\n{code}") == []
