"""What Test connection says, and what one can do where it says no."""

from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from chat_ui.protocol.transport.certificates import with_colons
from tests.backends.stand_in import Reply, StandIn, in_thread, lines
from tests.browser.axe import expect_no_violations
from tests.browser.places import open_settings, type_address
from tests.browser.talking import ask, expect_settled
from tests.certificates import self_signed

HELLO = {"delta": {"content": "Hello there."}}


def verdict_on(dialog: Locator, address: str) -> Locator:
    """The dialog, once it has a verdict on this address."""
    type_address(dialog, address)
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("button", name="Test connection")).to_be_visible()
    expect(dialog.locator(".verdict")).to_be_visible()
    return dialog


def test_a_self_signed_certificate_is_shown_trusted_by_its_fingerprint_and_trusted_no_more(page: Page, tmp_path: Path):
    certificate = self_signed(tmp_path, "IP:127.0.0.1")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*certificate)
    fingerprint = with_colons(hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate[0].read_text())).hexdigest())
    with in_thread(StandIn(Reply([lines(HELLO)])), ssl=server) as backend:
        dialog = verdict_on(open_settings(page), f"{backend.url}/chat")
        expect(dialog.get_by_role("status")).to_contain_text("self-signed")
        expect(dialog.get_by_role("status")).to_contain_text(fingerprint)
        assert backend.requests == []
        expect_no_violations(page)
        dialog.get_by_role("button", name="Trust this certificate").click()
        expect(dialog.locator("#test-connection")).to_be_focused()
        expect(dialog.get_by_role("status")).to_contain_text("A chat backend answered")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        ask(page, "Who is there?")
        expect(expect_settled(page)).to_contain_text("Hello there.")

        dialog = open_settings(page)
        expect(dialog).to_contain_text(fingerprint)
        dialog.get_by_role("button", name="Trust it no more").click()
        expect(dialog.get_by_role("textbox", name="Backend URL")).to_be_focused()
        expect(dialog).not_to_contain_text(fingerprint)
        dialog.get_by_role("button", name="Cancel").click()
        ask(page, "Still?")
        expect(expect_settled(page, turns=2).get_by_role("alert")).to_contain_text("self-signed")
