import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app import ROOT, App
from tests.browser.answering import expect_settled, get_answer
from tests.browser.asking import LEAVE
from tests.browser.conftest import WIDE
from tests.browser.opening import open_page, reload
from tests.browser.places import leave, open_settings, opened_data, opened_list, sources

GONE: Final = {
    "checking": ["Report"],
    "commands": ["Search and commands…", "Keyboard shortcuts", "Preferences"],
    "comparing": ["Compare"],
    "embedding": [],
    "exporting": ["Export", "Export…", "Export all", "Import a file"],
    "feedback": ["Good answer", "Not in this passage"],
    "presenting": ["Present", "Presentation script…"],
    "sharing": ["Share", "Share…", "Shared links"],
    "speech": ["Listen", "Dictate"],
}
"""The names of controls that are missing without a feature, by feature."""


@pytest.mark.thorough
@pytest.mark.parametrize("left_out", GONE)
def test_the_main_job_is_done_without_each_feature(tmp_path: Path, browser: Browser, left_out: str):
    app = App(tmp_path, is_changed=True)
    installed = tmp_path / "chat_ui/installed.py"
    all_of_them = installed.read_text()
    line = f"    {left_out.upper()},\n"
    assert line in all_of_them
    installed.write_text(all_of_them.replace(line, ""))
    app.start()
    context = browser.new_context(base_url=app.url, viewport=WIDE)
    problems: list[str] = []
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    try:
        page = open_page(context)
        names = do_the_main_job(page, doubted=left_out != "feedback")
    finally:
        context.close()
        app.end()
    assert problems == []
    assert not [name for name in GONE[left_out] if name in names]
    rest = {name for feature, some in GONE.items() if feature != left_out for name in some}
    assert rest - {"Listen", "Dictate"} <= names, "they are found where they are there"


def do_the_main_job(page: Page, *, doubted: bool) -> set[str]:
    """The names of all controls seen while asking, opening a citation, its document and the thoughts, and reloading.

    A citation can be `doubted` once that feature has loaded.
    """
    answer = get_answer(page, LEAVE)
    names = controls(page)
    answer.get_by_role("button", name=re.compile("Citation 1")).first.click()
    expect(sources(page).locator("mark").first).to_be_visible()
    if doubted:
        expect(sources(page).get_by_role("button", name="Not in this passage")).to_be_visible()
    names |= controls(page)
    sources(page).get_by_role("button", name=re.compile("^Open ")).first.click()
    expect(page.locator("[data-marks]:not([data-marks='0'])")).to_be_visible()
    answer.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("heading", level=3).first).to_be_visible()
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("menu")).to_be_visible()
    names |= controls(page)
    page.keyboard.press("Escape")
    settings = open_settings(page)
    names |= controls(page)
    leave(settings)
    opened = opened_list(page)
    data = opened_data(opened)
    names |= controls(page)
    leave(data)
    opened.get_by_role("button", name=re.compile("^Options of")).first.click()
    expect(page.get_by_role("menu")).to_be_visible()
    names |= controls(page)
    page.keyboard.press("Escape")
    reload(page)
    expect(expect_settled(page)).to_contain_text("20 weeks of parental leave")
    return names


def controls(page: Page) -> set[str]:
    found = page.locator("button, a, [role=menuitem], [role=tab]")
    return {
        re.sub(r"\s(⌘|Ctrl).*|F2|\?$", "", name).strip()
        for name in found.evaluate_all("all => all.map((one) => one.getAttribute('aria-label') || one.innerText)")
    }


GUIDE = ROOT / "docs/adding-a-feature.md"
FILES = re.compile(r"`(chat_ui/features/votes/[\w/]+\.py)`\n\n```python\n(.*?)```", re.DOTALL)


@pytest.mark.thorough
def test_the_votes_of_the_guide_are_kept(tmp_path: Path, browser: Browser):
    app = App(tmp_path, is_changed=True)
    for name, text in FILES.findall(GUIDE.read_text()):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        (file.parent / "__init__.py").touch()
    installed = tmp_path / "chat_ui/installed.py"
    listed = installed.read_text().replace("\n)\n", "\n    VOTES,\n)\n")
    imported = "from chat_ui.features.votes.feature import FEATURE as VOTES\n"
    installed.write_text(listed.replace("\nFEATURES:", f"{imported}\nFEATURES:", 1))
    app.start()
    try:
        page = open_page(browser.new_context(base_url=app.url))
        get_answer(page, LEAVE).get_by_role("button", name="Vote against this answer").click()
        for _ in range(2):
            up, down = (page.get_by_role("button", name=f"Vote {way} this answer") for way in ("for", "against"))
            expect(down).to_have_attribute("aria-pressed", "true")
            expect(up).to_have_attribute("aria-pressed", "false")
            reload(page)
    finally:
        app.end()
