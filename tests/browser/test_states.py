from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.answering import get_answer
from tests.browser.asking import LEAVE
from tests.browser.axe import expect_no_violations
from tests.browser.opening import NewContext, open_page
from tests.browser.places import open_settings
from tests.browser.reflow import SPACING, cut_text, scrolling, sideways, styled
from tests.browser.stand_in import StandIn
from tests.browser.targets import too_small, under_edges, zooming
from tests.browser.walks import CITATION, WALKS

WIDTHS: Final = (1200, 768, 320)
THEMES: Final = ("light", "dark")
LANDSCAPE: Final = {"width": 844, "height": 390}
PARTLY_COVERED: Final = {"citation card", "sources and figures that differ"}
"""States with a part of the conversation below a card or squeezed by a table."""
EDGES: Final = {"top": 0, "right": 47, "bottom": 21, "left": 47}


def expect_accessible(page: Page, state: str) -> None:
    """Check axe's rules, with a contrast of 7:1 where more contrast is asked for."""
    expect_no_violations(page, state)
    page.emulate_media(contrast="more")
    expect_no_violations(page, state, "color-contrast-enhanced")
    page.emulate_media(contrast="null")


def expect_readable(page: Page, state: str) -> None:
    """Check that text is not clipped, also with the spacing of WCAG 1.4.12."""
    assert (state, cut_text(page), sideways(page)) == (state, [], 0)
    with styled(page, SPACING):
        assert (f"{state}, spaced", cut_text(page), sideways(page)) == (f"{state}, spaced", [], 0)


def expect_in_reach(page: Page, state: str) -> None:
    """Check target sizes, zooming fields and sideways scrolling."""
    assert (state, too_small(page), zooming(page), scrolling(page)) == (state, [], [], [])


@pytest.mark.wcag("1.3.1", "1.4.3", "1.4.4", "1.4.10", "1.4.12", "2.5.8", "4.1.2")
def test_an_answer_and_the_settings_are_accessible_and_readable_when_small(page: Page):
    def look(state: str, theme: str) -> None:
        page.emulate_media(color_scheme=theme)
        expect(page.locator(f"html.{theme}")).to_be_attached()
        expect_accessible(page, state)
        page.set_viewport_size({"width": 320, "height": 256})
        expect_readable(page, state)
        page.set_viewport_size({"width": 1200, "height": 800})

    get_answer(page, LEAVE).get_by_role("button", name=CITATION).first.click()
    expect(page.get_by_role("region", name="Sources").locator("[data-active] mark").first).to_be_visible()
    look("sources", "light")
    open_settings(page)
    look("settings", "dark")


@pytest.mark.thorough
@pytest.mark.wcag("1.3.1", "1.4.3", "1.4.4", "1.4.10", "1.4.12", "2.5.8", "4.1.2")
@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("is_narrow", [False, True], ids=["wide", "narrow"])
def test_every_state_is_accessible_and_readable(new_context: NewContext, stand_in: StandIn, name: str, is_narrow: bool):
    place = [*WALKS].index(name) + is_narrow
    width, theme = WIDTHS[-1] if is_narrow else WIDTHS[place % 2], THEMES[place // 2 % 2]
    page = open_page(new_context(viewport={"width": width, "height": 800}, color_scheme=theme))
    for state in WALKS[name](page, stand_in):
        expect_accessible(page, state)
        expect_readable(page, state)


@pytest.mark.thorough
@pytest.mark.wcag("1.4.10", "2.5.8")
def test_every_state_is_in_reach_of_a_finger_on_the_narrowest_phone(new_context: NewContext, stand_in: StandIn):
    for walk in WALKS.values():
        page = open_page(new_context(viewport={"width": 320, "height": 800}, has_touch=True, is_mobile=True))
        for state in walk(page, stand_in):
            if state not in PARTLY_COVERED:
                expect_in_reach(page, state)


@pytest.mark.thorough
def test_no_control_is_under_the_notch_corners_or_bar_in_landscape(new_context: NewContext, stand_in: StandIn):
    page = open_page(new_context(viewport=LANDSCAPE, has_touch=True, is_mobile=True))
    page.context.new_cdp_session(page).send("Emulation.setSafeAreaInsetsOverride", {"insets": EDGES})
    for state in WALKS["answered"](page, stand_in):
        assert (state, under_edges(page, EDGES)) == (state, [])
