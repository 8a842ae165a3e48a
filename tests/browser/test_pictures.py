"""Pictures that a backend makes, in the answer."""

import base64
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.answering import answers, expect_settled
from tests.browser.asking import LEAVE, ask
from tests.browser.axe import expect_no_violations
from tests.browser.opening import use
from tests.browser.stand_in import StandIn
from tests.stand_ins.pictures import PNG

# Notes frames in which a picture that was shown is missing or not loaded.
WATCH = """() => {
    window.lost = 0;
    const look = () => {
        const image = document.querySelector(".picture img");
        if (window.hasPicture && !(image?.complete && image.naturalWidth)) window.lost += 1;
        window.hasPicture ||= Boolean(image);
        requestAnimationFrame(look);
    };
    look();
}"""


def test_a_partial_picture_is_replaced_in_place_and_the_whole_one_is_downloaded(page: Page, stand_in: StandIn) -> None:
    image = base64.b64encode(PNG).decode()
    kind = "response.image_generation_call.partial_image"
    partial = {"type": kind, "item_id": "i", "output_index": 0, "partial_image_b64": image}
    made = {"type": "image_generation_call", "id": "i", "result": image, "revised_prompt": "A red buoy"}
    done = {"type": "response.output_item.done", "output_index": 0, "item": made}
    broken = {**made, "id": "j", "result": "PHN2Zy8+", "revised_prompt": "A drawing"}
    cut = {**made, "id": "k", "result": base64.b64encode(PNG[:-30]).decode(), "revised_prompt": "A cut one"}
    end = {"type": "response.completed", "response": {"status": "completed", "output": [made, broken, cut]}}
    use(page, stand_in.held(partial, done, end))
    page.evaluate(WATCH)
    ask(page, LEAVE)
    answer = answers(page).last
    expect(answer.get_by_role("figure")).to_have_text("This image is not finished.")
    expect(answer.get_by_role("img", name="Image")).to_have_js_property("naturalWidth", 1)
    stand_in.go_on()
    expect_settled(page)
    expect(answer.get_by_role("img", name="A red buoy")).to_have_js_property("naturalWidth", 1)
    expect(answer.get_by_role("figure")).to_contain_text(
        ["A red buoy", "not a PNG, JPEG, GIF or WebP image", "is damaged"]
    )
    expect(answer.get_by_role("button", name="Copy answer")).to_be_visible()
    assert page.evaluate("lost") == 0
    expect(page.locator("#announcements")).to_contain_text("It has one image.")
    with page.expect_download() as download:
        answer.get_by_role("link", name="Download").first.click()
    assert (download.value.suggested_filename, Path(download.value.path()).read_bytes()) == ("image.png", PNG)
    expect_no_violations(page)
    page.reload()
    expect(page.get_by_role("img", name="A red buoy")).to_have_js_property("naturalWidth", 1)
