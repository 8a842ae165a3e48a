"""Stylesheets use start and end in place of left and right, so that the page is mirrored in Arabic."""

import re
from pathlib import Path

from tests.app import ROOT

PHYSICAL = {
    "--safe-left": "a notch is at the same side of the screen in every language",
    "--safe-right": "the same",
    "env(safe-area-inset-left": "the same",
    "env(safe-area-inset-right": "the same",
    "text-align: right": "figures line up at their units, and an answer's own columns as it says",
    "margin-left: auto": "a table from left to right stands at the right of a text from right to left",
    "left: 50%": "a wide table is in the middle of its column",
    "left: -50%": "the same",
    "translate: round(": "the same",
    '[align="right"]': "what an answer's own table says",
    "base-menu-item-padding-left": "a name of Radix Themes",
    "base-menu-item-padding-right": "the same",
    "icon-arrow-up-right": "a name of an icon of Lucide",
    "lucide-chevron-left": "the same",
    "lucide-chevron-right": "the same",
    "lucide-arrow-left": "the same",
    "lucide-panel-left": "the same",
    "rotate(180deg) translate(": "a page of a PDF is turned as it says, whatever the language",
    "rotate(270deg) translateX(": "the same",
    "right:calc(20px": "the corner of another site's page that `embed.js` is promised to stand in",
    "top:env(safe-area-inset-top);right:": "the same",
}
"""Allowed uses of left and right, with the reason."""

SIDES = re.compile(r"\b(?:left|right)\b|\btranslate(?:X|3d)?\(|\btranslate:")
BOXES = re.compile(r"\b(?:margin|padding|inset|border-(?:width|color|style)|scroll-margin|scroll-padding): ?([^;]*)")
CORNERS = re.compile(r"\bborder-radius: ?([^;]*)")
SHADOW = re.compile(r"\b(?:box|text)-shadow: ?(?:inset )?-?(?!0 )[\d.]")
PART = re.compile(r"(?:[^\s()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+")
SCRIPT = ROOT / "chat_ui/features/embedding/embed.js"


def test_stylesheets_use_start_and_end_for_left_and_right():
    found = [
        f"{sheet.relative_to(ROOT)}: {line.strip()}"
        for sheet, style in _styles().items()
        for line in style.splitlines()
        if _has_sides(line)
    ]
    assert found == []


def test_every_exception_is_still_needed():
    complete = "\n".join(_styles().values())
    assert [said for said in PHYSICAL if said not in complete] == []


def test_english_words_on_every_page_run_from_left_to_right():
    parts = {file: file.read_text("utf-8") for file in (ROOT / "chat_ui/backends").rglob("*.py")}
    english = [(file.name, part) for file, text in parts.items() for part in re.findall('lang="en"[^\n]*', text)]
    assert english
    assert [(name, part) for name, part in english if not part.startswith('lang="en", dir="ltr"')] == []


def _styles() -> dict[Path, str]:
    styles = {sheet: sheet.read_text("utf-8") for sheet in (ROOT / "chat_ui").rglob("*.css")}
    written = re.search("STYLE = `(.*?)`;", SCRIPT.read_text("utf-8"), re.DOTALL)
    assert written
    styles[SCRIPT] = written[1]
    return {sheet: re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL) for sheet, style in styles.items()}


def _has_sides(line: str) -> bool:
    for said in PHYSICAL:
        line = line.replace(said, "")
    boxes = (PART.findall(values) for values in BOXES.findall(line))
    corners = (PART.findall(values) for values in CORNERS.findall(line))
    return (
        bool(SIDES.search(line) or SHADOW.search(line))
        or any(len(sides) == 4 and sides[1] != sides[3] for sides in boxes)
        or any(len(ends) > 1 and (ends[0] != ends[1] or ends[2:3] != ends[3:4]) for ends in corners)
    )
