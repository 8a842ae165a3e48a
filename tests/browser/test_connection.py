"""What Test connection says, and what one can do where it says no."""

from __future__ import annotations

import hashlib
import re
import socket
import ssl
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from chat_ui.protocol.transport.certificates import with_colons
from tests.backends.stand_in import Reply, StandIn, in_thread, lines
from tests.browser.axe import expect_no_violations
from tests.browser.places import open_settings
from tests.browser.talking import NewContext, ask, expect_settled, open_page
from tests.certificates import self_signed

HELLO = {"delta": {"content": "Hello there."}}
KNOWLEDGE = {
    "data_points": {"text": ["a.pdf: One pair."]},
    "thoughts": [{"title": "Search", "description": "glasses"}],
}


def after_test(page: Page, address: str) -> Locator:
    dialog = open_settings(page)
    dialog.get_by_role("textbox", name="Backend URL").fill(address)
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.locator(".verdict")).to_be_visible()
    return dialog


def test_an_address_without_http_is_tested_saved_and_asked(page: Page, stand_in):
    address = stand_in.streaming(HELLO)
    dialog = after_test(page, address.removeprefix("http://"))
    expect(dialog.get_by_role("status")).to_contain_text(f"A chat backend answered at {address}")
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_have_value(address)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    ask(page, "Who is there?")
    expect(expect_settled(page)).to_contain_text("Hello there.")


def test_a_verdict_counts_in_words_and_names_no_dialect_of_ours(page: Page, stand_in):
    dialog = after_test(page, stand_in.streaming({**HELLO, "context": KNOWLEDGE}))
    verdict = dialog.get_by_role("status")
    expect(verdict).to_contain_text("with 1 source and 1 thought.")
    expect(verdict).to_contain_text("HTTP protocol for AI chat apps")
    for ours in ("flat", "README", "session_state"):
        expect(verdict).not_to_contain_text(ours)


def test_a_rate_limit_says_once_how_long_to_wait(page: Page):
    limited = Reply([b'{"error": "Slow down."}'], 429, {"Content-Type": "application/json", "Retry-After": "7"})
    with in_thread(StandIn(limited)) as backend:
        verdict = after_test(page, f"{backend.url}/chat").get_by_role("status")
        expect(verdict).to_contain_text("Slow down. Try again in 7 seconds.")
        expect(verdict).not_to_contain_text(re.compile("wait|again.*again", re.IGNORECASE))


def test_a_server_that_says_nothing_gets_a_verdict_and_the_wait_for_it_is_said(page: Page):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/chat"
        dialog = open_settings(page)
        dialog.get_by_role("textbox", name="Backend URL").fill(address)
        dialog.get_by_role("button", name="Test connection").click()
        expect(dialog.get_by_role("status")).to_contain_text("for 20 s at most")
        expect(dialog.get_by_role("status")).to_contain_text("said nothing within 20 s")
        expect(dialog.get_by_role("button", name="Test connection")).to_be_visible()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("tls"), "IP:127.0.0.1")


def test_a_self_signed_certificate_is_shown_trusted_by_its_fingerprint_and_trusted_no_more(
    page: Page, new_context: NewContext, certificate: tuple[Path, Path]
):
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*certificate)
    fingerprint = with_colons(hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate[0].read_text())).hexdigest())
    with in_thread(StandIn(Reply([lines(HELLO)])), ssl=server) as backend:
        dialog = after_test(page, f"{backend.url}/chat")
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

        stranger = open_page(new_context(), backend=f"{backend.url}/chat")
        ask(stranger, "And for me?")
        expect(expect_settled(stranger).get_by_role("alert")).to_contain_text("self-signed")

        dialog = open_settings(page)
        expect(dialog).to_contain_text(fingerprint)
        dialog.get_by_role("button", name="Trust it no more").click()
        expect(dialog.get_by_role("textbox", name="Backend URL")).to_be_focused()
        expect(dialog).not_to_contain_text(fingerprint)
        dialog.get_by_role("button", name="Cancel").click()
        ask(page, "Still?")
        expect(expect_settled(page, turns=2).get_by_role("alert")).to_contain_text("self-signed")
