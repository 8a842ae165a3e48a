import re
import ssl
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chat_ui.protocol.conformance.examination import MAX_REQUESTS
from tests.app import free_port
from tests.browser.axe import expect_no_violations
from tests.browser.opening import reload
from tests.browser.places import after_test, cancel, leave, open_settings, opened_tab, report, save, type_address
from tests.browser.stand_in import StandIn, delta
from tests.certificates import self_signed
from tests.stand_ins.lookalikes import LOOKALIKES
from tests.stand_ins.stand_in import Received, Reply, in_thread, lines
from tests.stand_ins.stand_in import StandIn as Backend

REPORTED_WHILE_PRESSED = """() => {
    window.reported = [];
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        if (document.querySelector(":active") && String(data).includes("set_url")) reported.push(data);
        return send.call(this, data);
    };
}"""


@pytest.mark.wcag("3.3.1", "3.3.2", "3.3.3")
def test_an_address_is_tested_and_an_invalid_one_refused_in_words(page: Page, stand_in: StandIn):
    dialog = open_settings(page)
    field = dialog.get_by_role("textbox", name="Backend URL")
    test = dialog.get_by_role("button", name="Test connection")
    said = dialog.get_by_role("status")
    complete = field.input_value()
    page.evaluate(REPORTED_WHILE_PRESSED)
    field.fill("")
    dialog.get_by_role("button", name="Save").hover()
    page.mouse.down()
    page.evaluate("() => new Promise(requestAnimationFrame)")
    page.mouse.up()
    expect(dialog.get_by_role("alert")).to_contain_text("address")
    assert page.evaluate("() => reported") == []
    type_address(dialog, complete.removesuffix("/chat"))
    test.click()
    expect(said).to_contain_text(f"Connected to {complete}")
    expect(field).to_have_value(complete)
    dialog.get_by_text("Requests tried").click()
    expect(dialog.get_by_role("listitem").filter(has_text="OPTIONS").first).to_be_visible()
    type_address(dialog, f"http://127.0.0.1:{free_port()}/chat")
    test.click()
    expect(said).to_contain_text(re.compile("refused", re.IGNORECASE))
    type_address(dialog, stand_in.streaming(stand_in.WAIT_UNTIL_TOLD))
    test.click()
    dialog.get_by_role("button", name="Stop the test").click()
    expect(said).to_contain_text("The test was stopped.")
    expect(test).to_be_visible()
    type_address(dialog, "javascript:alert(1)")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("http")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    cancel(dialog)
    reload(page)
    expect(open_settings(page).get_by_role("textbox", name="Backend URL")).to_have_value(complete)


def test_changed_settings_are_discarded_only_on_request(page: Page):
    dialog, question = open_settings(page), page.get_by_role("alertdialog", name="Discard changes?")
    leave(dialog)
    open_settings(page)
    field, key = (dialog.get_by_role("textbox", name=name) for name in ("Backend URL", "Key"))
    before = field.input_value()
    field.fill("http://127.0.0.1/chat")
    key.fill("sk-1")
    page.keyboard.press("Escape")
    expect(question.get_by_role("button", name="Keep editing")).to_be_focused()
    leave(question)
    expect(key).to_be_focused()
    expect(key).to_have_value("sk-1")
    expect(field).to_have_value("http://127.0.0.1/chat")
    page.set_viewport_size({"width": 390, "height": 800})
    for _ in range(2):
        page.wait_for_function("() => history.state.steps === 1")
        page.go_back()
        question.get_by_role("button", name="Keep editing").click()
        expect(question).to_have_count(0)
    page.keyboard.press("Escape")
    question.get_by_role("button", name="Discard").click()
    expect(dialog).to_have_count(0)
    open_settings(page)
    expect(field).to_have_value(before)
    expect(key).to_have_value("")


@pytest.mark.thorough
def test_a_self_signed_certificate_is_trusted_and_distrusted_by_buttons(page: Page, tmp_path: Path):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*self_signed(tmp_path, "IP:127.0.0.1"))
    with in_thread(Backend(Reply([lines(delta("Hello there."))])), ssl=tls) as backend:
        dialog = after_test(page, f"{backend.url}/chat")
        expect(dialog.get_by_role("status")).to_contain_text("self-signed")
        expect_no_violations(page)
        dialog.get_by_role("button", name="Trust this certificate").click()
        expect(dialog.get_by_role("status")).to_contain_text("Connected to")
        no_more = dialog.get_by_role("button", name="Stop trusting")
        no_more.click()
        expect(dialog.get_by_role("textbox", name="Backend URL")).to_be_focused()
        expect(no_more).to_have_count(0)


@pytest.mark.wcag("3.3.1")
def test_main_fields_come_first_and_errors_in_a_hidden_tab_are_shown(page: Page):
    page.set_viewport_size({"width": 1280, "height": 768})
    dialog = open_settings(page)
    seen = [
        dialog.get_by_role("textbox", name="Backend URL"),
        dialog.get_by_role("button", name="Test connection"),
        dialog.get_by_label("Key", exact=True),
        dialog.get_by_role("button", name="Save"),
        *dialog.get_by_role("tab").all(),
    ]
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.locator(".verdict")).to_be_visible()
    for element in seen:
        expect(element).to_be_in_viewport(ratio=1)
    where = opened_tab(dialog, "Documents").get_by_role("textbox", name="Documents")
    where.fill("https://mine.example/content")
    opened_tab(dialog, "Report")
    expect(where).to_be_hidden()
    dialog.get_by_role("button", name="Save").click()
    expect(where).to_be_focused()
    expect(where).to_have_attribute("aria-invalid", "true")
    where.fill("{origin}/content/{source}")
    more = opened_tab(dialog, "Request").get_by_role("textbox", name="Other options, as JSON")
    more.fill("{")
    expect(dialog.get_by_role("alert")).to_contain_text("Line 1, column 2")
    opened_tab(dialog, "Documents")
    dialog.get_by_role("button", name="Save").click()
    expect(more).to_be_focused()
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 700})
        dialog.evaluate("dialog => Promise.all(dialog.getAnimations().map(({ finished }) => finished))")
        assert dialog.bounding_box() == {"x": 0, "y": 0, "width": width, "height": 700}
        for name in ("Documents", "Report", "Request"):
            opened_tab(dialog, name)
            assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
        expect(dialog.get_by_role("button", name="Save")).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 768})
    temperature = dialog.get_by_role("textbox", name="Temperature")
    temperature.fill("warm")
    expect(dialog.get_by_role("alert").filter(has_text="Enter a number.")).to_be_visible()
    temperature.fill("0.7")
    more.fill('{"seed": 7}')
    expect(dialog.get_by_role("alert")).to_have_count(0)
    save(dialog)
    page.reload()
    expect(page.get_by_role("button", name="Backend settings, 2 changed")).to_have_text("2")
    dialog = open_settings(page)
    expect(dialog.get_by_text("2 changed")).to_be_visible()
    dialog.get_by_role("button", name="Reset").click()
    for field in (more, temperature):
        expect(field).to_have_value("")
    save(dialog)
    expect(page.get_by_role("button", name="Backend settings", exact=True)).to_have_text("")


KEY = "a-key-that-nobody-sees-0123456789"
HOSTILE = "<img src=x onerror=window.ran=1>"
BROKEN = Reply([lines({"choices": [{"delta": {"content": HOSTILE, "role": HOSTILE}}]})])


def test_a_report_shows_broken_rules_as_text_and_can_be_stopped(page: Page):
    _, rule = LOOKALIKES["ai-chat-protocol"]
    rules_in_turn = [rule]

    def reply(request: Received) -> Reply:
        return rules_in_turn[-1](request)

    with in_thread(Backend(reply)) as backend:
        after_test(page, f"{backend.url}/chat", KEY)
        before = len(backend.requests)
        dialog = report(page)
        status, send = dialog.get_by_role("status"), dialog.get_by_role("button", name=re.compile("[Cc]heck"))
        rules = dialog.get_by_role("region", name="Rules")
        assert len(backend.requests) == before
        send.click()
        expect(rules).to_contain_text("pass")
        expect(dialog.get_by_role("region", name="Requests").get_by_role("row")).not_to_have_count(0)
        sent = backend.requests[before:]
        assert 1 < len(sent) <= 12
        assert {request.headers.get("authorization") for request in sent} == {f"Bearer {KEY}"}
        expect(status).to_contain_text("Detected: ")
        expect(dialog.locator(".verdict-flawed")).to_contain_text(re.compile(r"^\d+ of \d+ checked rules failed"))
        assert KEY not in page.content()

        rules_in_turn.append(lambda _: BROKEN)
        send.click()
        expect(status).to_contain_text("rules failed")
        expect(rules.get_by_role("cell", name="fail", exact=True).first).to_be_visible()
        expect(rules).to_contain_text("<img src=x")
        expect(dialog.locator("img")).to_have_count(0)
        assert page.evaluate("() => window.ran === undefined")
        page.set_viewport_size({"width": 320, "height": 640})
        expect(dialog.get_by_role("region", name="Other behaviour")).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= 320")
        assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")

        def stall_in_the_report(request: Received) -> Reply:
            return Reply([float("inf")]) if b"chat_ui_check" in request.body else rule(request)

        rules_in_turn.append(stall_in_the_report)
        send.click()
        expect(status).to_contain_text(f"of at most {MAX_REQUESTS}: POST")
        dialog.get_by_role("button", name="Stop").click()
        expect(status).to_have_text("The check was stopped.")
        expect(send).to_be_focused()
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("button", name="Check protocol…")).to_be_focused()
