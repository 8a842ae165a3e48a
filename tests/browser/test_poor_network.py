"""Over a network far away, which loses segments and cuts connections, nothing is lost and nothing comes twice."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.backends.poor_network import PoorNetwork, poor_network
from tests.browser.stand_in import StandIn
from tests.browser.talking import (
    NewContext,
    ask,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
    text_of,
)
from tests.servers import wait_until

WORDS = [f"Word {number} of it.\n\n" for number in range(200)]
ARRIVED_OR_BACK = """turns => document.querySelectorAll("article.answer").length === turns
    || (document.querySelector("textarea").value && document.querySelector("[role=alert]"))"""
WHOLE = "".join("".join(WORDS).split())


@pytest.fixture
def network(app_url: str) -> Iterator[PoorNetwork]:
    port = urlsplit(app_url).port
    assert port
    with poor_network(port) as between:
        yield between


@pytest.fixture
def context(new_context: NewContext, network: PoorNetwork) -> BrowserContext:
    return new_context(base_url=network.url, viewport={"width": 1200, "height": 800})


def test_an_answer_whose_connections_are_cut_again_and_again_is_whole_and_comes_once(
    context: BrowserContext, network: PoorNetwork, stand_in: StandIn
):
    first, *others = ({"delta": {"content": text}} for text in ("".join(WORDS[:50]), *WORDS[50:]))
    backend = stand_in.held(first, *others)
    page = open_page(context, backend=backend)
    ask(page, "Tell me all of it.")
    answer = expect_streaming(page).locator(".answer-text")
    expect(answer).to_contain_text(WORDS[49].strip())
    for streams in range(1, 4):
        network.cut()
        wait_until(lambda known=streams: network.streams > known or None, 60)
    stand_in.go_on()
    network.cut()
    assert text_of(expect_settled(page)) == WHOLE
    expect(questions(page)).to_have_text(["Tell me all of it."])
    page.reload()
    assert text_of(expect_settled(page)) == WHOLE
    assert len(stand_in.asked(backend)) == 1


def test_words_that_are_sent_as_the_connection_is_cut_are_asked_once_or_back_in_their_box(
    context: BrowserContext, network: PoorNetwork, stand_in: StandIn
):
    backend = stand_in.streaming({"delta": {"content": "Said."}})
    page = open_page(context, backend=backend)
    words = [f"What about buoy {number}?" for number in range(4)]
    for turns, question in enumerate(words, start=1):
        ask(page, question)
        network.cut()
        page.wait_for_function(ARRIVED_OR_BACK, arg=turns)
        if message(page).input_value():
            expect(message(page)).to_have_value(question)
            ask(page, question)
        expect_settled(page, turns=turns)
    expect(questions(page)).to_have_text(words)
    assert [request["messages"][-1]["content"] for request in stand_in.asked(backend)] == words
    page.reload()
    expect_settled(page, turns=len(words))
    expect(questions(page)).to_have_text(words)
