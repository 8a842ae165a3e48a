import base64
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.answering import expect_settled, get_answer, start_answer
from tests.browser.asking import LEAVE, message, questions
from tests.browser.attaching import DOT, PIXEL, attach, attach_picture, attached
from tests.browser.axe import expect_no_violations
from tests.browser.opening import use
from tests.browser.places import leave
from tests.browser.stand_in import StandIn, delta
from tests.features.demo.serving import serving
from tests.stand_ins.pictures import Pictures

GIVE = """([kind, base64]) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], `${kind}.png`, { type: "image/png" }));
    const box = document.querySelector("form.composer textarea");
    const named = kind === "paste" ? { clipboardData: transfer } : { dataTransfer: transfer };
    const event = kind === "paste" ? new ClipboardEvent(kind, { ...named, bubbles: true, cancelable: true })
        : new DragEvent(kind, { ...named, bubbles: true, cancelable: true });
    box.dispatchEvent(event);
}"""


@pytest.mark.wcag("3.3.1", "3.3.3")
def test_files_are_chosen_pasted_dropped_removed_or_refused_in_words(page: Page, stand_in: StandIn):
    for kind in ("paste", "drop"):
        page.evaluate(GIVE, [kind, base64.b64encode(DOT).decode()])
    expect(attached(page)).to_have_count(2)
    for name, left in (("paste.png", 1), ("drop.png", 0)):
        page.get_by_role("button", name=f"Remove {name}").click()
        expect(attached(page)).to_have_count(left)
        expect(message(page)).to_be_focused()
    attach(page, {"name": "notes.png", "mimeType": "image/png", "buffer": b""})
    expect(page.get_by_role("alert")).to_have_text("notes.png is empty, so it cannot be attached.")
    attach_picture(page)
    attach(page, {"name": "leave.html", "mimeType": "text/html", "buffer": b"<h1>Leave</h1>\nTwenty weeks"})
    expect(attached(page).last).to_contain_text("<h1>Leave</h1>")
    expect_no_violations(page)
    answer = get_answer(page, LEAVE)
    expect(attached(page)).to_have_count(0)
    with page.expect_download() as download:
        questions(page).get_by_role("link", name="leave.html").click()
    assert download.value.suggested_filename == "leave.html"
    expect_no_violations(page)
    expect(questions(page).get_by_role("img", name="buoy 1.png")).to_have_js_property("naturalWidth", 1)
    answer.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("dialog", name="Thoughts")).to_contain_text("buoy 1.png (image/png, 70 bytes)")
    expect(page.get_by_role("dialog", name="Thoughts")).to_contain_text("leave.html (text/plain, 27 bytes)")
    use(page, stand_in.saying("Yes."))
    expect(page.get_by_role("combobox", name="Backend").locator("option:checked")).to_contain_text("127.0.0.1")
    expect(page.get_by_role("button", name="Attach files")).to_have_count(0)
    page.evaluate(GIVE, ["paste", base64.b64encode(DOT).decode()])
    expect(page.get_by_role("alert")).to_have_text("This backend does not take files with a question.")


BUTTON = "Show image from 127.0.0.1"


@pytest.fixture
def pictures() -> Iterator[Pictures]:
    host = Pictures()
    with serving(host.app) as host.url:
        yield host


def test_a_remote_image_is_loaded_on_request_and_a_failure_says_why(page: Page, stand_in: StandIn, pictures: Pictures):
    reasons = {"gone": "status 404", "damaged": "damaged and cannot be shown"}
    failing = "\n\n".join(f"Before ![{'a long description ' * 9}]({pictures.url}/{name}) after" for name in reasons)
    linked = f"[![linked]({pictures.url}/linked)](https://a.example)"
    text = f"See ![a red dot]({pictures.url}/dot.png?secret=1) and {linked}\n\n{failing}\n\nMore of it:"
    more = [delta(" and more of it") for _ in range(3)]
    use(page, stand_in.held(delta(text), *more))
    asked_by_the_browser: list[str] = []
    page.on("request", lambda request: asked_by_the_browser.append(request.url))
    answer = start_answer(page, "A picture, please.")
    expect(answer.get_by_role("link", name="a red dot")).to_be_visible()
    buttons = answer.get_by_role("button", name=BUTTON)
    expect(buttons).to_have_count(3)
    assert pictures.requests == []
    buttons.first.focus()
    page.keyboard.press("Enter")
    image = answer.get_by_role("img", name="a red dot")
    expect(image).to_be_focused()
    assert image.evaluate("image => [image.naturalWidth, new URL(image.src).protocol]") == [1, "blob:"]
    expect(buttons).to_have_count(2)
    stand_in.go_on()
    expect(expect_settled(page)).to_contain_text("and more of it and more of it and more of it")
    expect(image).to_be_visible()
    assert [name for name, _ in pictures.requests] == ["dot.png"]

    page.set_viewport_size({"width": 320, "height": 640})
    for number, words in enumerate(reasons.values()):
        for _ in range(2):
            buttons.nth(number).click()
            expect(answer.get_by_role("alert").nth(number)).to_contain_text(words)
            expect(buttons.nth(number)).to_be_enabled()
    expect(answer.get_by_role("img")).to_have_count(1)
    expect_no_violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    expect_images_beside_the_answer_when_asked_for(page, stand_in, pictures)
    assert not [url for url in asked_by_the_browser if url.startswith(pictures.url)]


def expect_images_beside_the_answer_when_asked_for(page: Page, stand_in: StandIn, pictures: Pictures) -> None:
    """Load images on request in the sources and the thoughts of another answer."""
    page.set_viewport_size({"width": 1200, "height": 800})
    pictures.requests.clear()
    message = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"{pictures.url}/thought.png"}}]}
    context = {
        "data_points": {
            "text": [f"map.pdf: <p>A map: <img src='{pictures.url}/map.png' alt='the map'></p>"],
            "images": [f"{pictures.url}/figure.png", PIXEL],
        },
        "thoughts": [{"title": "Prompt", "description": [message]}],
    }
    use(page, stand_in.streaming({"context": context}, delta("See [map.pdf].")))
    get_answer(page, "Which picture?", turns=2).get_by_role("button", name="Sources", exact=True).click()
    sources = page.get_by_role("region", name="Sources")
    for left in (1, 0):
        sources.get_by_role("button", name=BUTTON).first.click()
        expect(sources.get_by_role("button", name=BUTTON)).to_have_count(left)
    sources.get_by_role("button", name="View").last.click()
    view = page.get_by_role("dialog")
    expect(view.get_by_role("img")).to_have_js_property("naturalWidth", 1)
    assert view.get_by_role("img").evaluate("image => image.naturalWidth === image.clientWidth")
    leave(view)
    expect(sources).to_be_visible()
    page.get_by_role("button", name="Close sources").click()
    expect(sources).to_have_count(0)
    page.get_by_role("button", name="Thoughts").last.click()
    drawer = page.get_by_role("dialog", name="Thoughts")
    drawer.get_by_role("button", name=BUTTON).click()
    expect(drawer.get_by_role("img", name="image of the message")).to_be_visible()
    assert sorted(name for name, _ in pictures.requests) == ["figure.png", "map.png", "thought.png"]
