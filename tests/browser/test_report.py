"""The verdict on a backend: short where a person tests the connection, in full for people who build one."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from chat_ui.protocol.conformance.examination import MAX_REQUESTS
from tests.backends.lookalikes import LOOKALIKES
from tests.backends.stand_in import Received, Reply, StandIn, in_thread, lines
from tests.browser.places import after_test, report

KEY = "a-key-that-nobody-sees-0123456789"
HOSTILE = "<img src=x onerror=window.ran=1>"
BROKEN = Reply([lines({"choices": [{"delta": {"content": HOSTILE, "role": HOSTILE}}]})])


def test_a_report_sends_what_was_said_and_shows_what_is_broken_without_its_markup_and_can_be_stopped(page: Page):
    _, rule = LOOKALIKES["ai-chat-protocol"]
    rules_in_turn = [rule]

    def reply(request: Received) -> Reply:
        return rules_in_turn[-1](request)

    with in_thread(StandIn(reply)) as backend:
        after_test(page, f"{backend.url}/chat", KEY)
        before = len(backend.requests)
        dialog = report(page)
        status, send = dialog.get_by_role("status"), dialog.get_by_role("button", name="Send the requests")
        rules = dialog.get_by_role("region", name="Rules of the specification")
        assert len(backend.requests) == before
        send.click()
        expect(rules).to_contain_text("held")
        expect(dialog.get_by_role("region", name="What was sent").get_by_role("row")).not_to_have_count(0)
        sent = backend.requests[before:]
        assert 1 < len(sent) <= 12
        assert {request.headers.get("authorization") for request in sent} == {f"Bearer {KEY}"}
        expect(status).to_contain_text("protocol")
        expect(dialog.locator(".verdict-flawed")).to_contain_text(re.compile(r"^\d+ of \d+ rules kept"))
        assert KEY not in page.content()

        rules_in_turn.append(lambda _: BROKEN)
        send.click()
        expect(status).to_contain_text("It does not keep to the protocol")
        expect(rules.get_by_role("cell", name="broken", exact=True).first).to_be_visible()
        expect(rules).to_contain_text("<img src=x")
        expect(dialog.locator("img")).to_have_count(0)
        assert page.evaluate("() => window.ran === undefined")
        page.set_viewport_size({"width": 320, "height": 640})
        expect(dialog.get_by_role("region", name="What else it does")).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= 320")
        assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")

        def stall_in_the_report(request: Received) -> Reply:
            return Reply([float("inf")]) if b"chat_ui_check" in request.body else rule(request)

        rules_in_turn.append(stall_in_the_report)
        send.click()
        expect(status).to_contain_text(f"of at most {MAX_REQUESTS}: POST")
        dialog.get_by_role("button", name="Stop").click()
        expect(status).to_have_text("The check was stopped.")
        dialog.get_by_role("button", name="Close report").click()
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("button", name="How well does it keep to the protocol?")).to_be_focused()
