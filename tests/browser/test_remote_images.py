"""Images from elsewhere: a placeholder with the host until its reader asks, then the image, fetched by the server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.backends.pictures import Pictures
from tests.browser.axe import expect_no_violations_in_both_schemes
from tests.browser.stand_in import StandIn
from tests.browser.talking import ask, expect_settled, expect_streaming, open_page
from tests.demo.serving import serving

BUTTON = "Show image from 127.0.0.1"


@pytest.fixture(scope="module")
def pictures_in_use() -> Iterator[Pictures]:
    host = Pictures()
    with serving(host.app) as host.url:
        yield host


@pytest.fixture
def pictures(pictures_in_use: Pictures) -> Pictures:
    pictures_in_use.requests.clear()
    return pictures_in_use


def test_nothing_is_fetched_before_its_reader_asks_for_it_and_then_it_stays_while_more_text_comes(
    context: BrowserContext, stand_in: StandIn, pictures: Pictures
):
    text = (
        f"See ![a red dot]({pictures.url}/dot.png?secret=1) and [![linked]({pictures.url}/linked)](https://a.example)"
    )
    more = [{"delta": {"content": " and more of it"}} for _ in range(3)]
    page = open_page(context, backend=stand_in.held({"delta": {"content": text}}, *more))
    asked_by_the_browser: list[str] = []
    page.on("request", lambda request: asked_by_the_browser.append(request.url))
    ask(page, "A picture, please.")
    answer = expect_streaming(page)
    expect(answer.get_by_role("link", name="a red dot")).to_be_visible()
    expect(answer.get_by_role("button", name="Show image")).to_have_count(1)
    assert pictures.requests == []
    answer.get_by_role("button", name=BUTTON).focus()
    page.keyboard.press("Enter")
    image = answer.get_by_role("img", name="a red dot")
    expect(image).to_be_focused()
    assert image.evaluate("image => [image.naturalWidth, new URL(image.src).protocol]") == [1, "blob:"]
    expect(answer.get_by_role("button", name="Show image")).to_have_count(0)
    stand_in.go_on()
    expect(expect_settled(page)).to_contain_text("and more of it and more of it and more of it")
    expect(image).to_be_visible()
    assert [name for name, _ in pictures.requests] == ["dot.png"]
    assert not [url for url in asked_by_the_browser if url.startswith(pictures.url)]


def test_an_image_that_cannot_be_had_says_why_at_its_place_to_everybody_also_on_a_phone(
    context: BrowserContext, stand_in: StandIn, pictures: Pictures
):
    reasons = {"gone": "status 404", "drawing.svg": "not a PNG", "damaged": "damaged and cannot be shown"}
    images = "\n\n".join(f"Before ![{'a long description ' * 9}]({pictures.url}/{name}) after" for name in reasons)
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": images}}))
    page.set_viewport_size({"width": 320, "height": 640})
    ask(page, "Pictures, please.")
    answer = expect_settled(page)
    buttons = answer.get_by_role("button", name=BUTTON)
    for number, words in enumerate(reasons.values()):
        for _ in range(2):
            buttons.nth(number).click()
            expect(answer.get_by_role("alert").nth(number)).to_contain_text(words)
            expect(buttons.nth(number)).to_be_enabled()
    expect(answer.get_by_role("img")).to_have_count(0)
    expect_no_violations_in_both_schemes(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_images_of_sources_and_thoughts_are_shown_when_asked_for(
    context: BrowserContext, stand_in: StandIn, pictures: Pictures
):
    message = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"{pictures.url}/thought.png"}}]}
    context_object = {
        "data_points": {
            "text": [f"map.pdf: <p>A map: <img src='{pictures.url}/map.png' alt='the map'></p>"],
            "images": [f"{pictures.url}/figure.png"],
        },
        "thoughts": [{"title": "Prompt", "description": [message]}],
    }
    page = open_page(
        context, backend=stand_in.streaming({"context": context_object}, {"delta": {"content": "See [map.pdf]."}})
    )
    ask(page, "Which picture?")
    expect_settled(page)
    page.get_by_role("button", name="Sources", exact=True).click()
    sources = page.get_by_role("region", name="Sources")
    for left in (1, 0):
        sources.get_by_role("button", name=BUTTON).first.click()
        expect(sources.get_by_role("button", name=BUTTON)).to_have_count(left)
    page.get_by_role("button", name="Close sources").click()
    expect(sources).to_have_count(0)
    page.get_by_role("button", name="Thoughts").click()
    drawer = page.get_by_role("dialog", name="Thoughts")
    drawer.get_by_role("button", name=BUTTON).click()
    expect(drawer.get_by_role("img", name="image of the message")).to_be_visible()
    assert sorted(name for name, _ in pictures.requests) == ["figure.png", "map.png", "thought.png"]
