"""Images that go with a question: chosen, pasted, dropped, removed, refused in words, and sent as the backend wants."""

from __future__ import annotations

import base64

import pytest
from playwright.sync_api import Page, expect

from tests.browser.attaching import DOT, PICTURE, QUESTION, attach, attached
from tests.browser.opening import use
from tests.browser.stand_in import StandIn, delta
from tests.browser.talking import ask, expect_settled, message, questions

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
def test_images_are_chosen_pasted_dropped_removed_refused_in_words_and_stay_with_their_question(
    page: Page, stand_in: StandIn
):
    for kind in ("paste", "drop"):
        page.evaluate(GIVE, [kind, base64.b64encode(DOT).decode()])
    expect(attached(page)).to_have_count(2)
    for name, left in (("paste.png", 1), ("drop.png", 0)):
        page.get_by_role("button", name=f"Remove {name}").click()
        expect(attached(page)).to_have_count(left)
        expect(message(page)).to_be_focused()
    attach(page, {"name": "notes.png", "mimeType": "image/png", "buffer": b"no image at all"})
    expect(page.get_by_role("alert")).to_have_text(
        "notes.png is no image of the types PNG, JPEG, GIF or WebP, so it cannot be attached."
    )
    attach(page, PICTURE)
    expect(attached(page)).to_have_attribute("aria-busy", "false")
    ask(page, QUESTION)
    answer = expect_settled(page)
    expect(attached(page)).to_have_count(0)
    expect(questions(page).get_by_role("img", name="buoy 1.png")).to_have_js_property("naturalWidth", 1)
    answer.get_by_role("button", name="Thoughts").click()
    expect(page.get_by_role("dialog", name="Thoughts")).to_contain_text("buoy 1.png (image/png, 70 bytes)")
    use(page, stand_in.streaming(delta("Yes.")))
    expect(page.get_by_role("combobox", name="Backend").locator("option:checked")).to_contain_text("127.0.0.1")
    expect(page.get_by_role("button", name="Attach images")).to_have_count(0)
    page.evaluate(GIVE, ["paste", base64.b64encode(DOT).decode()])
    expect(page.get_by_role("alert")).to_have_text("This backend takes no images.")
