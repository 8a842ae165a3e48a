import re

from playwright.sync_api import FloatRect, Locator, Page, expect


def opened_list(page: Page) -> Locator:
    """The list with its entries, whose loading moves the elements below."""
    page.get_by_role("button", name="Conversations", exact=True).click()
    found = page.get_by_role("navigation", name="Conversations")
    expect(found.locator(".entry:visible, .list-words:visible").first).to_be_visible()
    return found


def leave(part: Locator) -> None:
    """Close a part of the page with Escape."""
    part.page.keyboard.press("Escape")
    expect(part).to_have_count(0)


def cancel(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)


def save(dialog: Locator) -> None:
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)


def from_more(page: Page, item: str) -> None:
    """Choose an item of the menu More, once other menus are closed."""
    expect(page.get_by_role("menu")).to_have_count(0)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitem", name=item).click()


def open_settings(page: Page) -> Locator:
    """The dialog, once it has the focus."""
    page.get_by_role("button", name="Backend settings").click()
    return focused_settings(page)


def focused_settings(page: Page) -> Locator:
    dialog = page.get_by_role("dialog", name="Backend settings")
    expect(dialog.locator(":focus")).to_be_attached()
    return dialog


def opened_switcher(page: Page) -> Locator:
    """The menu of backends. A fading earlier menu would take the click."""
    expect(page.get_by_role("menu")).to_have_count(0)
    page.get_by_role("combobox", name="Backend").click()
    return page.get_by_role("menu", name="Backend")


def choose_theme(page: Page, name: str) -> None:
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("menuitemradio", name=name).click()


def open_preferences(page: Page) -> Locator:
    from_more(page, "Preferences")
    dialog = page.get_by_role("dialog", name="Preferences")
    expect(dialog.locator(":focus")).to_be_attached()
    return dialog


def box(element: Locator) -> FloatRect:
    place = element.bounding_box()
    assert place is not None
    return place


def sources(page: Page) -> Locator:
    return page.get_by_role("region", name="Sources")


REQUESTS = re.compile(r"Sends up to \d+ requests to .*; at most 4 of them ask a model")


def type_address(dialog: Locator, address: str) -> None:
    """Type the address of a backend, and wait for the layout to settle."""
    dialog.get_by_role("textbox", name="Backend URL").fill(address)
    expect(dialog.get_by_role("status")).to_have_text("")
    expect(dialog.get_by_role("alert")).to_have_count(0)


def after_test(page: Page, address: str = "", key: str = "") -> Locator:
    """The dialog Backend settings after a test of the connection."""
    dialog = open_settings(page)
    if address:
        dialog.get_by_role("textbox", name="Backend URL").fill(address)
    if key:
        dialog.get_by_label("Key", exact=True).fill(key)
    dialog.get_by_role("button", name="Test connection").press("Enter")
    expect(dialog.locator(".verdict")).to_be_visible()
    return dialog


def opened_tab(dialog: Locator, name: str) -> Locator:
    dialog.get_by_role("tab", name=name).click()
    return dialog.get_by_role("tabpanel", name=name)


def report(page: Page) -> Locator:
    opened_tab(page.get_by_role("dialog", name="Backend settings"), "Report")
    page.get_by_role("button", name="Check protocol…").click()
    dialog = page.get_by_role("dialog", name="Protocol report")
    expect(dialog).to_contain_text(REQUESTS)
    return dialog


def opened_palette(page: Page) -> Locator:
    """The search box of the dialog Search and commands, opened with its keys."""
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Search and commands")
    expect(box).to_be_focused()
    return box


def run_command(page: Page, name: str) -> None:
    """Run a command with the keyboard."""
    opened_palette(page).fill(name)
    expect(page.get_by_role("option", name=name)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")


def choose(button: Locator, item: str) -> None:
    """Choose an item of the button's menu, once other menus are closed."""
    expect(button.page.get_by_role("menu")).to_have_count(0)
    button.click()
    button.page.get_by_role("menuitem", name=item, exact=True).click()


def opened_data(listed: Locator) -> Locator:
    """The dialog Data, from the foot of the list."""
    listed.get_by_role("button", name="Data…").click()
    dialog = listed.page.get_by_role("dialog", name="Data")
    expect(dialog).to_be_visible()
    return dialog


def options_of(listed: Locator, title: str) -> Locator:
    """The options button of a conversation in the list."""
    return listed.get_by_role("button", name=f"Options of {title}")
