"""Every state of the page at three widths in both themes: the rules of axe, and reading with other settings."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from tests.browser.axe import expect_no_violations
from tests.browser.reflow import SPACING, cut_text, sideways, styled
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, open_page
from tests.browser.walks import WALKS
from tests.made_sets import combined

WIDTHS = (1200, 768, 320)
THEMES = ("light", "dark")


@pytest.mark.wcag("1.3.1", "1.4.3", "2.5.8", "4.1.2")
@pytest.mark.parametrize(("name", "width", "theme"), combined(5, WALKS, WIDTHS, THEMES))
def test_axe_finds_nothing_in_any_state(new_context: NewContext, stand_in: StandIn, name: str, width: int, theme: str):
    context = new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
    page = open_page(context)
    for state in WALKS[name](page, stand_in):
        expect_no_violations(page, state)


@pytest.mark.parametrize(("name", "theme"), combined(5, WALKS, THEMES))
def test_where_more_contrast_is_wanted_all_text_has_seven_to_one(
    new_context: NewContext, stand_in: StandIn, name: str, theme: str
):
    page = open_page(new_context(color_scheme=theme, contrast="more"))
    for state in WALKS[name](page, stand_in):
        expect_no_violations(page, state, "color-contrast-enhanced")


@pytest.mark.wcag("1.4.4", "1.4.10", "1.4.12")
@pytest.mark.parametrize(
    ("name", "size", "is_spaced"), combined(7, WALKS, ((320, 256), (320, 640), (1200, 800)), (False, True))
)
def test_at_four_times_the_size_and_with_wider_spacing_all_text_can_be_read(
    new_context: NewContext, stand_in: StandIn, name: str, size: tuple[int, int], is_spaced: bool
):
    page = open_page(new_context(viewport={"width": size[0], "height": size[1]}))
    for state in WALKS[name](page, stand_in):
        with styled(page, SPACING) if is_spaced else nullcontext():
            assert cut_text(page) == [], state
            assert sideways(page) <= 0, state
