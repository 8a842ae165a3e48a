import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import answers, expect_settled, get_answer
from tests.browser.asking import LEAVE
from tests.browser.hearing import heard_to, listen
from tests.browser.opening import address_of, open_page, reload, use
from tests.browser.places import leave, opened_data, opened_list, sources
from tests.browser.stand_in import StandIn, delta

WORDS = "It was changed in May."


def good(answer: Locator) -> Locator:
    return answer.get_by_role("button", name="Good answer")


def bad(answer: Locator) -> Locator:
    return answer.get_by_role("button", name="Bad answer")


def why(answer: Locator) -> Locator:
    return answer.get_by_role("button", name="Add details")


def details(answer: Locator) -> Locator:
    return answer.get_by_role("region", name="Add details")


def expect_pressed(button: Locator, is_pressed: bool = True) -> None:
    expect(button).to_have_attribute("aria-pressed", json.dumps(is_pressed))


def said(page: Page) -> list[dict[str, Any]]:
    """The person's ratings, as the server gives them out."""
    return [json.loads(line) for line in page.request.get("/api/feedback/mine").text().splitlines()]


def answered(page: Page) -> Locator:
    answer = get_answer(page, LEAVE)
    address_of(page)
    return answer


def doubt(page: Page) -> Locator:
    return sources(page).get_by_role("button", name="Not in this passage")


def comment(place: Locator) -> Locator:
    return place.get_by_label("Comment (optional)")


def save(place: Locator) -> Locator:
    return place.get_by_role("button", name="Save")


def expect_saved(place: Locator) -> None:
    expect(place.get_by_role("status")).to_have_text("Saved.")


@pytest.mark.wcag("2.1.1", "2.4.3", "3.2.1", "4.1.2")
def test_an_answer_is_rated_with_reasons_and_a_comment_by_keyboard(page: Page):
    answer = answered(page)
    expect_pressed(good(answer), False)
    expect(why(answer)).to_have_count(0)
    places = "tools => [...tools.querySelectorAll('.tool')].map((tool) => JSON.stringify(tool.getBoundingClientRect()))"
    before = answer.locator(".tools").evaluate(places)
    bad(answer).press("Enter")
    expect_pressed(bad(answer))
    reasons = details(answer).get_by_role("group", name="What is wrong with it?")
    expect(reasons).to_be_visible()
    assert answer.locator(".tools").evaluate(places)[: len(before)] == before
    tops = reasons.get_by_role("button").evaluate_all("all => all.map((one) => one.offsetTop)")
    assert len(set(tops)) == 1
    expect(bad(answer)).to_be_focused()
    outdated = details(answer).get_by_role("button", name="Out of date")
    expect(outdated).to_be_enabled()
    for _ in range(5):
        page.keyboard.press("Tab")
    expect(outdated).to_be_focused()
    page.keyboard.press("Space")
    expect_pressed(outdated)
    expect_saved(details(answer))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type(WORDS)
    expect(details(answer).get_by_role("status")).to_be_empty()
    page.keyboard.press("Tab")
    expect(save(details(answer))).to_be_focused()
    page.keyboard.press("Enter")
    expect_saved(details(answer))
    expect(save(details(answer))).to_be_focused()
    leave(details(answer))
    expect(why(answer)).to_be_focused()
    [line] = said(page)
    assert (line["question"], line["rating"], line["reasons"]) == (LEAVE, "bad", ["outdated"])
    assert line["comment"] == WORDS

    reload(page)
    answer = answers(page).last
    expect_pressed(bad(answer))
    expect(details(answer)).to_have_count(0)
    # Above the button in a low window, which scrolls to it.
    page.set_viewport_size({"width": 844, "height": 390})
    why(answer).press("Enter")
    expect(comment(details(answer))).to_have_value(WORDS)
    expect(details(answer)).to_be_in_viewport(ratio=1)
    expect_pressed(details(answer).get_by_role("button", name="Out of date"))


@pytest.mark.wcag("2.1.1", "2.4.3", "4.1.2")
def test_a_citation_is_doubted_beside_its_passage_and_trusted_again(page: Page):
    answer = answered(page)
    citations = answer.locator(".answer-text [data-use]")
    citations.nth(1).click()
    expect(doubt(page)).to_be_enabled()
    expect_pressed(doubt(page), False)
    doubt(page).press("Enter")
    expect_pressed(doubt(page))
    box = comment(sources(page))
    # A press inside the card does not open its document.
    box.click()
    box.fill("It is 18 weeks.")
    box.press("Escape")
    expect(sources(page)).to_have_count(0)
    assert [line["doubted"][0]["comment"] for line in said(page)] == [""]
    # Unsaved words are restored when the box is reopened.
    citations.nth(1).click()
    expect(box).to_have_value("It is 18 weeks.")
    save(sources(page)).click()
    expect_saved(sources(page))
    [line] = said(page)
    assert line["rating"] is None
    [doubted] = line["doubted"]
    assert (doubted["use"], doubted["comment"]) == (2, "It is 18 weeks.")
    assert doubted["claim"] in line["answer"]
    assert doubted["passage"] in [source["text"] for source in line["sources"]]

    citations.first.click()
    expect(doubt(page)).to_be_enabled()
    expect_pressed(doubt(page), False)
    expect(box).to_have_count(0)
    citations.nth(1).click()
    expect_pressed(doubt(page))
    expect(box).to_have_value("It is 18 weeks.")
    doubt(page).click()
    expect(box).to_have_count(0)
    expect_pressed(doubt(page), False)
    assert said(page) == []
    answer.get_by_role("button", name="Sources").click()
    expect(sources(page)).to_have_count(0)
    answer.get_by_role("button", name="Sources").click()
    expect(sources(page).get_by_role("listitem").first).to_be_visible()
    expect(doubt(page)).to_have_count(0)


@pytest.mark.wcag("3.3.1", "4.1.3")
def test_every_tab_shows_a_rating_and_the_last_of_two_comments_counts(page: Page):
    answer = answered(page)
    listen(page)
    page.route(re.compile("/feedback$"), lambda route: route.abort())
    good(answer).click()
    heard_to(page, "^Your feedback cannot be saved at the moment")
    expect_pressed(good(answer), False)
    page.unroute_all()
    elsewhere = answers(open_page(page.context, path=address_of(page))).last
    bad(answer).click()
    expect_pressed(bad(elsewhere))
    why(elsewhere).click()
    comment(details(elsewhere)).fill("Of the second tab.")
    details(answer).get_by_role("button", name="Wrong").click()
    comment(details(answer)).fill("Of the first tab.")
    save(details(answer)).click()
    expect_saved(details(answer))
    save(details(elsewhere)).click()
    expect_saved(details(elsewhere))
    expect_pressed(details(elsewhere).get_by_role("button", name="Wrong"))
    [line] = said(page)
    assert (line["reasons"], line["comment"]) == (["wrong"], "Of the second tab.")

    good(elsewhere).click()
    expect_pressed(good(answer))
    expect_pressed(bad(answer), False)
    expect(details(answer).get_by_role("group", name="What is wrong with it?")).to_have_count(0)
    [line] = said(page)
    assert (line["rating"], line["reasons"]) == ("good", [])
    assert line["truth"] == line["answer"]
    good(answer).click()
    expect_pressed(good(elsewhere), False)
    expect(why(elsewhere)).to_have_count(0)
    assert said(page) == []


def test_every_version_has_its_own_rating_and_all_are_downloaded(page: Page):
    answer = answered(page)
    good(answer).click()
    expect_pressed(good(answer))
    answer.get_by_role("button", name="Regenerate").click()
    expect(answer.get_by_role("group", name="Versions of this answer")).to_contain_text("2 / 2")
    answer = expect_settled(page)
    expect_pressed(good(answer), False)
    bad(answer).click()
    expect_pressed(bad(answer))
    box = comment(details(answer))
    box.fill("The second one.")
    save(details(answer)).click()
    expect_saved(details(answer))
    answer.get_by_role("button", name="Previous answer").click()
    expect_pressed(good(answer))
    expect_pressed(bad(answer), False)
    expect(details(answer)).to_have_count(0)
    why(answer).click()
    expect(details(answer).get_by_role("group", name="What is wrong with it?")).to_have_count(0)
    expect(box).to_be_empty()
    expect(box).to_be_editable()
    page.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill("What does the vision plan cover?")
    box.press("Enter")
    expect(page.get_by_role("group", name="Versions of this question")).to_contain_text("2 / 2")
    answer = expect_settled(page)
    expect_pressed(good(answer), False)
    page.get_by_role("button", name="Previous question").click()
    expect_pressed(good(answers(page).last))
    rated = [(line["question"], line["rating"], line["comment"]) for line in said(page)]
    assert rated == [(LEAVE, "good", ""), (LEAVE, "bad", "The second one.")]

    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    listed = opened_list(page)
    data = opened_data(listed)
    for link, name, part in (("JSON Lines", "feedback.jsonl", b'"rating": "bad"'), ("CSV", "feedback.csv", b',"bad",')):
        with page.expect_download() as downloaded:
            data.get_by_role("link", name=link).click()
        assert downloaded.value.suggested_filename == name
        assert part in downloaded.value.path().read_bytes()


def test_a_failed_answer_has_retry_and_neither_a_rating_nor_a_share_of_citations(page: Page, stand_in: StandIn):
    broken = {"error": "The model is asleep."}
    use(page, stand_in.streaming(delta("It costs ten euros [plans.md].", "plans.md: It costs ten."), broken))
    answer = get_answer(page, "What does it cost?")
    expect(answer.get_by_role("alert").get_by_role("button")).to_have_text(["Retry"])
    expect(answer.get_by_role("button", name=re.compile("^(Regenerate|Good answer|Bad answer)$"))).to_have_count(0)
    expect(answer.locator(".strip-card")).to_be_visible()
    expect(answer.locator(".grounding").filter(visible=True)).to_have_count(0)
    use(page, stand_in.streaming(broken))
    without_text = get_answer(page, "And without text?", turns=2)
    expect(without_text.get_by_role("alert").get_by_role("button")).to_have_text(["Retry"])
    expect(without_text.get_by_role("button", name="Copy answer")).to_have_count(0)
