"""The stylesheets beside the components, and the one that the page loads."""

import re
from pathlib import Path

import httpx2

from chat_ui.page.scripts import stylesheets
from tests.app import ROOT

_PLACES = ("page/*", "backends/*", "features/*/page")
SHEETS = sorted(file for place in _PLACES for file in (ROOT / "chat_ui").glob(f"{place}/*.css"))
_LATER_ALONE = {"export_page.css", "script_dialog.css", "comparison.css", "feedback_details.css"}
LATER = [
    sheet for sheet in SHEETS if {"commands", "preferences", "sharing"} & {*sheet.parts} or sheet.name in _LATER_ALONE
]
AT_ONCE = [sheet for sheet in SHEETS if sheet not in LATER]


def test_every_sheet_that_loads_with_no_script_is_named_once_and_whatever_may_be_overruled_first():
    named = [Path(sheet).relative_to("/external/chat_ui") for sheet in stylesheets()]
    assert sorted(ROOT / "chat_ui" / sheet for sheet in named) == AT_ONCE
    rooms = list(dict.fromkeys(sheet.parent for sheet in named))
    assert rooms[:2] == [Path("page/markup"), Path("page/shared")]
    assert rooms[2:] == sorted(rooms[2:])


def test_the_page_loads_one_stylesheet_for_good_with_the_rules_of_every_component(app_url: str):
    [address] = re.findall(r'<link href="([^"]+)" rel="stylesheet"', httpx2.get(app_url).text)
    loaded = httpx2.get(app_url + address)
    assert "immutable" in loaded.headers["cache-control"]
    assert "@import" not in loaded.text
    assert {name for name in _classes(AT_ONCE) if name not in loaded.text} == set()
    assert {name for name in _classes(LATER) if f"{name} " in loaded.text or f"{name}{{" in loaded.text} == set()


def _classes(sheets: list[Path]) -> set[str]:
    return {name for sheet in sheets for name in re.findall(r"^\.(?!rt-)[\w-]+", sheet.read_text(), re.MULTILINE)}
