"""The notice that answers are made by AI, on the page, on a phone, while presenting, and for machines."""

import json
from itertools import product

from playwright.sync_api import Page, expect

from chat_ui.languages.catalogues import offered
from chat_ui.rendering.ai_notice import _SHORT, DEFAULT, SOURCE_TYPE
from tests.browser.answering import get_answer
from tests.browser.axe import expect_no_violations_in_both_schemes
from tests.browser.opening import NewContext, open_page, use
from tests.browser.stand_in import StandIn


def test_it_is_a_line_below_the_box_also_in_a_presentation_and_machines_read_it(page: Page, stand_in: StandIn):
    assert page.locator("head meta[name=digitalSourceType]").get_attribute("content") == SOURCE_TYPE
    data = json.loads(page.locator("script[type='application/ld+json']").inner_text())
    assert data["digitalSourceType"].endswith("/TrainedAlgorithmicMediaDigitalSource")
    use(page, stand_in.saying("Red."))
    get_answer(page, "What about buoys?")
    expect_no_violations_in_both_schemes(page)
    page.keyboard.press("F2")
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.get_by_text(DEFAULT, exact=True)).to_be_in_viewport(ratio=1)


def test_it_has_one_line_in_each_language_also_on_a_phone(new_context: NewContext):
    for language, width in product(offered().values(), (390, 1200)):
        page = open_page(new_context(viewport={"width": width, "height": 844}, locale=language.tag))
        words = page.get_by_text(language.said(_SHORT if width == 390 else DEFAULT, {}), exact=True)
        expect(words).to_be_in_viewport(ratio=1)
        assert words.evaluate("words => words.getClientRects().length") == 1, language.tag
        page.context.close()
