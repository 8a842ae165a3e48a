import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import answers, expect_settled, get_answer
from tests.browser.axe import SETTLED
from tests.browser.opening import use
from tests.browser.places import cancel, focused_settings, open_settings, opened_switcher, save
from tests.browser.stand_in import StandIn

HOSTILE = "<img src=x onerror=\"window.ran = 'name'\">"
AWAY = "http://127.0.0.1:9/chat"
SHAPES = """dots => dots.map((dot) => getComputedStyle(dot)).map(
    (shape) => [shape.backgroundColor, shape.backgroundImage, shape.borderRadius].join(" "))"""
LATELY = r"(just now|\d+ minutes? ago)"
KEYS = {"First": "first-key-that-nobody-sees-0123", "Second": "second-key-that-nobody-sees-456"}


def add(page: Page, name: str, address: str, key: str = "") -> None:
    opened_switcher(page).get_by_role("menuitem", name="Add a backend…").click()
    dialog = focused_settings(page)
    url = dialog.get_by_role("textbox", name="Backend URL")
    expect(url).to_be_focused()
    expect(url).to_have_value("")
    dialog.get_by_role("textbox", name="Name", exact=True).fill(name)
    url.fill(address)
    if key:
        dialog.get_by_label("Key", exact=True).fill(key)
    save(dialog)


def chooser(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Backend")


def names(page: Page) -> Locator:
    return chooser(page).locator("option")


def chosen(page: Page) -> Locator:
    return chooser(page).locator("option:checked")


def entry(page: Page, name: str) -> Locator:
    return page.get_by_role("menuitemradio", name=name)


def addresses(stand_in: StandIn) -> dict[str, str]:
    return {name: stand_in.saying(f"{name} here.") for name in KEYS}


def test_backends_are_asked_with_their_own_key_and_options(page: Page, stand_in: StandIn):
    opened_switcher(page).get_by_role("menuitem", name="Add a backend…").click()
    dialog = focused_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(AWAY)
    cancel(dialog)
    expect(chooser(page)).to_be_focused()
    expect(names(page)).to_have_text(["Demo backend"])
    at = addresses(stand_in)
    add(page, "First", at["First"], KEYS["First"])
    expect(get_answer(page, "Who are you?")).not_to_contain_text("Answered by")
    add(page, "Second", at["Second"], KEYS["Second"])
    expect(names(page)).to_have_text(["Demo backend", "First", "Second"])
    expect(chosen(page)).to_have_text("Second")
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Temperature").fill("0.5")
    save(dialog)
    expect(get_answer(page, "And you?", turns=2)).to_contain_text("Second here.")
    chooser(page).select_option(label="First")
    expect(get_answer(page, "And you again?", turns=3)).to_contain_text("First here.")
    for name, temperature in (("First", None), ("Second", 0.5)):
        assert stand_in.header(at[name], "authorization") == f"Bearer {KEYS[name]}", "both are at one origin"
        assert stand_in.asked(at[name])[-1]["context"]["overrides"].get("temperature") == temperature
    page.reload()
    expect_settled(page, turns=3)
    for article, name in zip(answers(page).all(), ("First", "Second", "First"), strict=True):
        expect(article).to_contain_text(f"Answered by {name}")


@pytest.mark.wcag("2.1.1")
def test_backends_are_switched_by_keyboard_and_kept_over_a_reload(page: Page, stand_in: StandIn):
    use(page, addresses(stand_in).items())
    chooser(page).focus()
    page.keyboard.press("ArrowDown")
    expect(entry(page, "First")).to_be_focused()
    expect(entry(page, "First")).to_be_checked()
    page.keyboard.type("Sec")
    expect(entry(page, "Second")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(chooser(page)).to_be_focused()
    expect(chosen(page)).to_have_text("Second")
    page.wait_for_function("() => JSON.parse(localStorage['chat-ui-backend']).selected === 'own:1'")
    page.reload()
    expect(chosen(page)).to_have_text("Second")
    page.wait_for_function("() => JSON.parse(localStorage['chat-ui-outcomes'])['own:1'].used_at > 0")
    chooser(page).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitemradio")).to_have_text([re.compile(name) for name in ("Demo", "Second", "First")])
    page.keyboard.type("Add")
    expect(page.get_by_role("menuitem", name="Add a backend…")).to_be_focused()
    page.keyboard.press("Enter")
    dialog = focused_settings(page)
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_be_focused()
    page.keyboard.type(stand_in.saying("Third here."))
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(get_answer(page, "Who are you?")).to_contain_text("Third here.")


def test_the_dot_shows_the_last_outcome_without_a_request(page: Page, stand_in: StandIn):
    good = stand_in.saying("Here.")
    bad = stand_in.streaming({"error": "no model is loaded"})
    use(page, [("Good", good), ("Bad", bad)])
    dot = page.locator(".backend > .backend-dot")
    expect(dot).to_have_attribute("data-outcome", "")
    expect(chooser(page)).to_have_attribute("title", "Good. Not asked yet")
    get_answer(page, "Well?")
    expect(dot).to_have_attribute("data-outcome", "answered")
    expect(chooser(page)).to_have_attribute("title", re.compile("^Good. Answered at "))
    opened_switcher(page)
    expect(entry(page, "Bad")).to_contain_text("Not asked yet")
    entry(page, "Bad").click()
    expect(dot).to_have_attribute("data-outcome", "")
    assert stand_in.asked(bad) == []
    get_answer(page, "And you?", turns=2)
    expect(dot).to_have_attribute("data-outcome", "failed")
    page.reload()
    opened_switcher(page)
    expect(entry(page, "Bad")).to_contain_text(re.compile(f"Failed {LATELY}"))
    expect(entry(page, "Good")).to_contain_text(re.compile(f"Answered {LATELY}"))
    assert [len(stand_in.asked(one)) for one in (good, bad)] == [1, 1]
    page.emulate_media(forced_colors="active")
    shapes = page.get_by_role("menuitemradio").locator(".backend-dot").evaluate_all(SHAPES)
    assert len(set(shapes)) == len(shapes) == 3


def test_backends_of_any_name_are_told_apart_and_restored_after_removal(page: Page, stand_in: StandIn):
    at = addresses(stand_in)
    others = ((f"Backend {number}", AWAY) for number in range(6))
    use(page, [("", at["First"]), (HOSTILE, AWAY), ("Long " * 20, AWAY), *others])
    add(page, "", at["Second"], KEYS["Second"])
    host = at["First"].split("/")[2]
    told = [f"{host} ({address})" for address in at.values()]
    expect(names(page).filter(has_text=host)).to_have_text(told)
    menu = opened_switcher(page)
    adding, last = menu.get_by_role("menuitem", name="Add a backend…"), entry(page, "Backend 5")
    expect(entry(page, "window.ran")).to_contain_text(HOSTILE)
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 600})
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        assert menu.locator(".rt-ScrollAreaViewport").evaluate("e => e.scrollWidth <= e.clientWidth")
        expect(adding).to_be_in_viewport(ratio=1)
    last.focus()
    expect(last).to_be_focused()
    page.wait_for_function(SETTLED)
    shown = last.bounding_box(), menu.locator(".backend-changes").bounding_box()
    assert shown[0]["y"] + shown[0]["height"] <= shown[1]["y"] + 1
    page.keyboard.press("Escape")

    page.set_viewport_size({"width": 1200, "height": 800})
    dialog = open_settings(page)
    dialog.get_by_role("button", name="Remove", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(names(page).filter(has_text=host)).to_have_text([host])
    notice = page.get_by_role("status").filter(has_text=f"Removed “{host}”")
    notice.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Backend settings")).to_be_focused()
    expect(notice).to_have_count(0)
    expect(chosen(page)).to_have_text(told[-1])
    expect(get_answer(page, "Still you?")).to_contain_text("Second here.")
    assert stand_in.header(at["Second"], "authorization") == f"Bearer {KEYS['Second']}"
    chooser(page).select_option(label=HOSTILE)
    opened_switcher(page).get_by_role("menuitem", name=f"Edit {HOSTILE}…").click()
    expect(focused_settings(page).get_by_role("textbox", name="Name", exact=True)).to_have_value(HOSTILE)
    page.keyboard.press("Escape")
    expect(chooser(page)).to_be_focused()
    assert page.evaluate("window.ran") is None
