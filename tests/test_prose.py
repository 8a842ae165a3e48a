"""Documents, docstrings and messages of the page are in plain words: a sentence begins with a noun or a verb."""

import ast
import re
from pathlib import Path

from babel.messages.pofile import read_po

from tests.app import ROOT

DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
SOURCES = [file for folder in ("chat_ui", "tests", "tools") for file in (ROOT / folder).rglob("*.py")]
MOST_IN_A_WORD = 15 / 10_000
EXCEPTED: tuple[str, ...] = ()
"""At most ten lines that are not counted, without indentation: names and quotations."""
_BEGINNING = r'(?:\A|[.!?]["»”)*_]*\s|\n\s*\n|^\s*(?:[-*>]|#+|\d+\.)\s|\|)[\s"“(*_\[]*'
_BANNED = re.compile(
    rf"{_BEGINNING}\b(What|Who|That|One|Whatever|Nobody)\b|\b(none)\b|\b((?:is|are|was|were)\s+no)\b", re.MULTILINE
)
_RIDDLE = re.compile(rf"{_BEGINNING}\b(?:What|Who|Whatever|Nobody)\b[^.!?]*(?:[.!]|\Z)", re.MULTILINE)
_CODE = re.compile(r"^( *)(```|~~~)[\s\S]*?^\1\2|`[^`]*`", re.MULTILINE)


def prose(file: Path) -> list[tuple[int, str]]:
    """The texts of a document or of docstrings without code, each with the number of its first line."""
    texts = [(1, file.read_text())]
    if file.suffix == ".py":
        strings = (node.value for node in ast.walk(ast.parse(texts[0][1])) if isinstance(node, ast.Expr))
        texts = [(one.lineno, str(one.value)) for one in strings if isinstance(one, ast.Constant)]
    return [(line, _CODE.sub(lambda code: "`" + "\n" * code[0].count("\n") + "`", text)) for line, text in texts]


def test_documents_and_docstrings_rarely_begin_a_sentence_with_a_pronoun():
    words, found = 0, list[str]()
    for file in sorted([*DOCUMENTS, *SOURCES]):
        for first, text in prose(file):
            words += len(text.split())
            for match in _BANNED.finditer(text):
                line = text.count("\n", 0, match.end())
                if text.splitlines()[line].strip() not in EXCEPTED:
                    found.append(f"{file.relative_to(ROOT)}:{first + line}: {match[match.lastindex or 0]}")
    assert len(EXCEPTED) <= 10
    assert len(found) <= words * MOST_IN_A_WORD, f"{len(found)} in {words:,} words:\n" + "\n".join(found)


def test_messages_of_the_page_do_not_begin_a_sentence_with_a_pronoun():
    with (ROOT / "chat_ui/languages/de.po").open("rb") as catalogue:
        messages = [text for one in read_po(catalogue) for text in (one.id if one.pluralizable else [one.id])]
    assert [text for text in messages if _RIDDLE.search(text)] == []
