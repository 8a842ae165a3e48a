"""The page is installed as an app: what a browser needs for that, and the colour around the page."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page, expect

from chat_ui.branding.branding import GROUNDS


def theme_colours(page: Page) -> Locator:
    return page.locator('meta[name="theme-color"]')


def test_a_browser_can_install_the_page_whose_surroundings_have_the_colour_of_the_chosen_theme(page: Page):
    devtools = page.context.new_cdp_session(page)
    assert devtools.send("Page.getInstallabilityErrors")["installabilityErrors"] in (
        [],
        # A browser for one session has nowhere to keep an app.
        [{"errorId": "in-incognito", "errorArguments": []}],
    )
    found = devtools.send("Page.getAppManifest")
    assert (found["errors"], found["url"]) == ([], f"{page.url}branding/manifest.webmanifest")
    manifest = json.loads(found["data"])
    assert manifest["name"] == page.title()
    for icon in manifest["icons"]:
        width = page.evaluate(
            "async (src) => { const i = new Image(); i.src = src; await i.decode(); return i.width }", icon["src"]
        )
        assert icon["sizes"] in ("any", f"{width}x{width}")
    touch = page.locator('link[rel="apple-touch-icon"]').get_attribute("href")
    assert touch in [icon["src"] for icon in manifest["icons"]]

    as_the_system = [GROUNDS["light"], GROUNDS["dark"]]
    assert [one.get_attribute("content") for one in theme_colours(page).all()] == as_the_system
    for choice, expected in (
        ("Dark", [GROUNDS["dark"]] * 2),
        ("Light", [GROUNDS["light"]] * 2),
        ("As the system", as_the_system),
    ):
        expect(page.get_by_role("menu")).to_have_count(0)
        page.get_by_role("button", name="More").click()
        page.get_by_role("menuitemradio", name=choice, exact=True).click()
        for place, colour in enumerate(expected):
            expect(theme_colours(page).nth(place)).to_have_attribute("content", colour)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html.dark")).to_be_attached()
    shown = page.locator(".page").evaluate("(page) => getComputedStyle(page).backgroundColor")
    assert shown == "rgb({}, {}, {})".format(*bytes.fromhex(GROUNDS["dark"][1:]))
