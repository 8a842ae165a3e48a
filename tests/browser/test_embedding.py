"""The embedded chat, in a browser that blocks third-party cookies."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Locator, Page, expect

from chat_ui.rendering.ai_notice import _SHORT
from tests.app import App, free_port
from tests.browser.answering import answers, expect_settled
from tests.browser.asking import message, questions
from tests.browser.axe import expect_no_violations
from tests.browser.opening import expect_alive
from tests.browser.places import leave, open_settings
from tests.browser.sites import CHAT, Sites, serving_sites
from tests.browser.stand_in import StandIn, delta
from tests.chromium import FLAGS, chromium
from tests.timeouts import TIMEOUT

pytestmark = pytest.mark.timeout(400)
TITLE = "Ask the harbour"
EMBED = '<script src="{chat}/embed.js" data-backend="Handbook" async></script>'
HOST = (
    '<!doctype html><html lang="en"><head><title>A harbour</title></head><body><main><h1>A harbour</h1>'
    '<p>Ships come and go.</p><a href="/">Home</a><pre></pre></main>{body}</body></html>'
)
STRICT = "default-src 'none'; script-src {chat}; frame-src https:; require-trusted-types-for 'script'"
HEAR = """() => {
    const note = (heard) => document.querySelector("pre").append(`${JSON.stringify(heard)}\n`);
    addEventListener("chat-ui:answer", ({ detail }) => note(detail));
    addEventListener("message", ({ data }) => note(data));
}"""
"""Writes messages into the page, since its policy forbids waiting for a value."""


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory, stand_in: StandIn, built_app: Path) -> Iterator[Sites]:
    folder, port = tmp_path_factory.mktemp("sites"), free_port()
    cited = {"context": {"data_points": {"text": ["harbour.md: The buoys are red."]}}}
    handbook, notes = (
        stand_in.held(cited, delta(f"Red, says the {name} [harbour.md].")) for name in ("handbook", "notes")
    )
    (folder / "backends.toml").write_text(
        f'[[backends]]\nname = "Notes"\nurl = "{notes}"\n[[backends]]\nname = "Handbook"\nurl = "{handbook}"\n'
    )
    settings = {
        "CHAT_UI_BACKENDS": str(folder / "backends.toml"),
        "CHAT_UI_TITLE": TITLE,
        "CHAT_UI_ORIGINS": f"https://{CHAT}:{port}",
        "CHAT_UI_FRAME_ANCESTORS": f"https://*.host.test:{port}, {stand_in.url}",
        "CHAT_UI_QUESTION_CHARACTERS": "100",
    }
    app = App(tmp_path_factory.mktemp("framed_app"), settings, built_app)
    app.start()
    with serving_sites(folder, port, app.port) as serving:
        chat = serving.url(CHAT)
        strict, embedded = STRICT.format(chat=chat), HOST.format(body=EMBED.format(chat=chat) * 2)
        for name in ("www.host.test", "foreign.test"):
            serving.pages[name] = (strict, embedded)
        stand_in.app_behind = app.url
        yield serving
    app.end()


@pytest.fixture(scope="module")
def strict_browser(browser: Browser) -> Iterator[Browser]:
    """A browser that resolves the sites and keeps only partitioned third-party cookies."""
    flags = ("--host-resolver-rules=MAP *.test 127.0.0.1", "--test-third-party-cookie-phaseout")
    running = browser.browser_type.launch(executable_path=chromium(), args=[*FLAGS, *flags])
    yield running
    running.close()


@pytest.fixture
def context(strict_browser: Browser) -> Iterator[BrowserContext]:
    opened = strict_browser.new_context(ignore_https_errors=True, viewport={"width": 1200, "height": 800})
    opened.set_default_timeout(1000 * TIMEOUT)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, sites: Sites) -> Page:
    opened = context.new_page()
    opened.goto(sites.url("www.host.test"))
    return opened


def opener(page: Page) -> Locator:
    return page.get_by_role("button", name=f"Open {TITLE}")


def closer(page: Page) -> Locator:
    return page.get_by_role("button", name=f"Close {TITLE}")


def panel(page: Page) -> Locator:
    return page.get_by_role("dialog", name=TITLE)


def heard(page: Page) -> Locator:
    return page.locator("pre")


def framed(page: Page) -> Any:
    """The chat in the frame, ready for a question."""
    element = page.locator(f'iframe[title="{TITLE}"]').element_handle()
    frame = element.content_frame()
    assert isinstance(frame, Frame)
    expect_alive(frame)
    return frame


def test_a_person_asks_by_keyboard_and_finds_the_answer_after_a_reload(page: Page, sites: Sites, stand_in: StandIn):
    expect(opener(page)).to_have_attribute("aria-expanded", "false")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert loaded == [f"{sites.url(CHAT)}/embed.js"]
    page.evaluate(HEAR)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(opener(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(closer(page)).to_have_attribute("aria-expanded", "true")
    chat = framed(page)
    expect(message(chat)).to_be_focused()
    expect(chat.get_by_role("combobox", name="Backend")).to_have_value("given:Handbook")
    page.keyboard.type("Which colour?")
    page.keyboard.press("Enter")
    expect(chat.get_by_role("button", name="Stop")).to_be_visible()
    stand_in.go_on()
    expect(expect_settled(chat)).to_contain_text("Red, says the handbook")
    expect(heard(page)).to_contain_text('\n{"complete":true,"sources":1}\n')
    expect(heard(page)).to_contain_text('"path":"/c/')
    expect(heard(page)).not_to_contain_text(re.compile("colour|red", re.IGNORECASE))
    expect_no_violations(page)
    (cookie,) = page.context.cookies(sites.url(CHAT))
    assert (cookie["name"], cookie["sameSite"]) == ("__Host-chat_ui_person", "None")

    open_settings(chat)
    leave(chat.get_by_role("dialog", name="Backend settings"))
    expect(panel(page)).to_be_visible()
    message(chat).focus()
    expect(message(chat)).to_be_focused()
    page.keyboard.press("Escape")
    expect(opener(page)).to_be_focused()
    expect(panel(page)).to_be_hidden()
    page.keyboard.press("Enter")
    expect(message(chat)).to_be_focused()

    page.reload()
    expect(panel(page)).to_be_visible()
    chat = framed(page)
    expect(expect_settled(chat)).to_contain_text("Red, says the handbook")
    expect(questions(chat)).to_have_text(["Which colour?"])
    assert page.evaluate("document.hasFocus() && document.activeElement === document.body")
    closer(page).click()
    expect(opener(page)).to_be_focused()
    page.reload()
    expect(opener(page)).to_be_visible()
    assert len(page.frames) == 1


def test_a_host_page_fills_the_box_and_sets_colours_but_cannot_send(page: Page, sites: Sites):
    expect(opener(page)).to_be_visible()
    page.evaluate("chatUI.colorScheme('dark'); [() => {}, null, 'Which colour?'].forEach(chatUI.ask)")
    chat = framed(page)
    expect(message(chat)).to_have_value("Which colour?")
    expect(message(chat)).to_be_focused()
    expect(chat.locator("html")).to_have_class("dark")
    page.keyboard.type(" Of buoys?")
    page.evaluate(
        "['Of ships?', 'Of ships?', ' ', 7, 'x'.repeat(101), 'Or\\r\\nnot?', 'Or\\r\\nnot?'].forEach(chatUI.ask)"
    )
    page.evaluate("['pink', 'light'].forEach(chatUI.colorScheme)")
    expect(chat.locator("html")).to_have_class("light")
    expect(message(chat)).to_have_value("Which colour? Of buoys?\nOf ships?\nOr\nnot?")
    page.evaluate("chatUI.close()")
    expect(opener(page)).to_be_focused()
    page.reload()
    opener(page).click()
    chat = framed(page)
    expect(message(chat)).to_have_value("Which colour? Of buoys?\nOf ships?\nOr\nnot?")
    expect(questions(chat)).to_have_count(0)

    # The browser moves the focus and the keys to the frame's process. An element of the frame has the focus before.
    message(chat).focus()
    chat.wait_for_function("() => document.hasFocus()")
    page.keyboard.press("Control+k")
    box = chat.get_by_role("combobox", name="Search and commands")
    expect(box).to_be_focused()
    leave(box)
    expect(panel(page)).to_be_visible()
    expect(message(chat)).to_be_focused()

    # A browser without its cookie gets a new one, and a missing conversation is not reopened.
    page.context.clear_cookies()
    page.evaluate("name => localStorage.setItem(name, '/c/gone')", f"chat-ui {sites.url(CHAT)}")
    page.reload()
    expect(framed(page).get_by_role("heading", name="Conversation not found")).to_be_visible()
    (cookie,) = page.context.cookies(sites.url(CHAT))
    assert cookie["sameSite"] == "None"
    page.reload()
    chat = framed(page)
    expect(message(chat)).to_be_visible()
    expect(chat.get_by_role("heading", name="Conversation not found")).to_have_count(0)


@pytest.mark.thorough
def test_the_chat_fills_a_phone_and_ignores_styles_and_names_of_the_host(page: Page, sites: Sites):
    page.set_viewport_size({"width": 390, "height": 800})
    opener(page).click()
    chat = framed(page)
    assert page.locator("iframe").bounding_box() == {"x": 0, "y": 48, "width": 390, "height": 752}
    assert closer(page).bounding_box() == {"x": 342, "y": 0, "width": 48, "height": 48}
    expect(message(chat)).to_be_visible()
    expect(chat.get_by_text(_SHORT)).to_be_visible()
    page.set_viewport_size({"width": 800, "height": 390})
    assert page.locator("iframe").bounding_box() == {"x": 0, "y": 48, "width": 800, "height": 342}
    closer(page).click()
    expect(page.get_by_role("link", name="Home")).to_be_visible()

    page.set_viewport_size({"width": 1200, "height": 800})
    styles = "<style>html {direction: rtl} body * {all: unset !important; display: none !important}</style>"
    embedded = EMBED.format(chat=sites.url(CHAT))
    sites.pages["odd.host.test"] = ("", HOST.format(body=f'{styles}<form id="chatUI"></form>{embedded}'))
    page.goto(sites.url("odd.host.test"))
    opener(page).click()
    framed(page)
    assert panel(page).evaluate("element => getComputedStyle(element).direction") == "ltr"
    assert page.locator("iframe").bounding_box() == {"x": 781, "y": 73, "width": 398, "height": 638}


@pytest.mark.thorough
def test_a_chat_that_cannot_be_shown_says_so_and_offers_a_retry(page: Page, sites: Sites):
    page.route(re.compile(rf"https://{CHAT}"), lambda route: route.abort())
    opener(page).click()
    expect(panel(page)).to_contain_text("The chat cannot be shown in this page.")
    page.unroute_all()
    closer(page).click()
    opener(page).click()
    chat = framed(page)
    expect(message(chat)).to_be_focused()
    expect(panel(page)).not_to_contain_text("cannot be shown")

    page.goto(sites.url("foreign.test"))
    opener(page).click()
    expect(panel(page)).to_contain_text("The chat cannot be shown in this page.")
    link = panel(page).get_by_role("link", name="Open it in a new tab.")
    expect(link).to_be_focused()
    with page.context.expect_page() as opened:
        link.click()
    expect_alive(opened.value)
    expect(opened.value).to_have_title(TITLE)


@pytest.mark.thorough
def test_localhost_works_without_tls(context: BrowserContext, sites: Sites, stand_in: StandIn):
    page = context.new_page()
    page.goto(stand_in.page(HOST.format(body=EMBED.format(chat=stand_in.app_behind))) + "/stream")
    page.evaluate(HEAR)
    stand_in.go_on()
    opener(page).click()
    chat = framed(page)
    message(chat).fill("Which colour?")
    message(chat).press("Enter")
    expect_settled(chat)
    expect(heard(page)).to_contain_text('"path":"/c/')
    page.reload()
    expect_settled(framed(page))
    expect(answers(framed(page))).to_contain_text("Red, says the handbook")
