import re
from pathlib import Path

import httpx2

from chat_ui.page.scripts import stylesheets
from tests.app import ROOT

_PLACES = ("rendering", "page/*", "backends/*", "features/*/page")
SHEETS = sorted(file for place in _PLACES for file in (ROOT / "chat_ui").glob(f"{place}/*.css"))
_SIZE = re.compile(r"([^\n]*)\n *font(?:-size)?: ((?!(?:[1-9]00 )?var\(--text-(?:[1-6]|smaller)\)|inherit;)[^;]+)")
_LATER_ALONE = {
    "archive.css", "export_page.css", "script_dialog.css", "comparison.css", "feedback_details.css",
    "past_sessions.css", "your_files.css", "account.css", "request_card.css",
}  # fmt: skip
LATER = [
    sheet for sheet in SHEETS if {"commands", "preferences", "sharing"} & {*sheet.parts} or sheet.name in _LATER_ALONE
]
AT_ONCE = [sheet for sheet in SHEETS if sheet not in LATER]


def test_each_sheet_is_named_once_with_the_overridable_ones_first():
    named = [Path(sheet).relative_to("/external/chat_ui") for sheet in stylesheets()]
    assert sorted(ROOT / "chat_ui" / sheet for sheet in named) == AT_ONCE
    rooms = list(dict.fromkeys(sheet.parent for sheet in named))
    assert rooms[:3] == [Path("rendering"), Path("page/markup"), Path("page/shared")]
    assert rooms[3:] == sorted(rooms[3:])


def test_text_has_a_size_of_the_scale_or_a_comment_with_a_reason():
    sheets = sorted((ROOT / "chat_ui").rglob("*.css"))
    found = [(sheet.name, size, above) for sheet in sheets for above, size in _SIZE.findall(sheet.read_text())]
    assert [(name, size) for name, size, above in found if not above.endswith("*/")] == []


def test_the_page_loads_one_cached_stylesheet_with_all_rules(app_url: str):
    [address] = re.findall(r'<link href="([^"]+)" rel="stylesheet"', httpx2.get(app_url).text)
    loaded = httpx2.get(app_url + address)
    assert "immutable" in loaded.headers["cache-control"]
    assert "@import" not in loaded.text
    assert {name for name in _classes(AT_ONCE) if name not in loaded.text} == set()
    assert {name for name in _classes(LATER) if f"{name} " in loaded.text or f"{name}{{" in loaded.text} == set()


def _classes(sheets: list[Path]) -> set[str]:
    return {name for sheet in sheets for name in re.findall(r"^\.(?!rt-)[\w-]+", sheet.read_text(), re.MULTILINE)}
