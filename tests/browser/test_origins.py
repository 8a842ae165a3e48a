"""A page of another origin can neither use the app nor frame it; a policy that is too strict would break our own."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.talking import ask, expect_alive, expect_settled, open_page

TRY = """async ([app, kind]) => {
  if (kind === "socket") {
    return new Promise((done) => {
      const socket = new WebSocket(app.replace("http", "ws") + "/_event/?EIO=4&transport=websocket");
      socket.onopen = () => done("open");
      socket.onerror = () => done("refused");
    });
  }
  if (kind === "polling") {
    return fetch(app + "/_event/?EIO=4&transport=polling", { credentials: "include" })
      .then((answer) => answer.text(), () => "refused");
  }
  return fetch(app + "/demo/chat", { method: "POST", body: "{}", mode: "no-cors", credentials: "include" })
    .then((answer) => answer.type, () => "refused");
}"""


def foreign_page(context: BrowserContext, stand_in, html: str) -> Page:
    page = context.new_page()
    page.goto(stand_in.page(f"<!doctype html><title>Elsewhere</title>{html}") + "/stream")
    expect(page).to_have_title("Elsewhere")
    return page


def test_a_foreign_page_can_neither_open_the_socket_nor_read_anything(context: BrowserContext, stand_in, app_url: str):
    open_page(context)
    page = foreign_page(context, stand_in, "")
    assert page.evaluate(TRY, [app_url, "socket"]) == "refused"
    assert page.evaluate(TRY, [app_url, "polling"]) == "refused"


def test_a_post_of_a_foreign_page_is_refused(context: BrowserContext, stand_in, app_url: str):
    page = foreign_page(context, stand_in, "")
    assert page.evaluate(TRY, [app_url, "post"]) == "refused"


def test_a_foreign_page_cannot_frame_the_app(context: BrowserContext, stand_in, app_url: str):
    page = foreign_page(context, stand_in, f'<iframe src="{app_url}/"></iframe>')
    page.wait_for_function("() => frames.length === 1")
    page.frames[1].wait_for_url(re.compile("^chrome-error:"))


def test_a_script_without_the_cookie_finds_nobodys_answers(context: BrowserContext, app_url: str):
    page = open_page(context)
    ask(page, "How much parental leave do I get?")
    address = expect_settled(page).locator(".answer-text").get_attribute("data-address")
    assert page.request.get(address).status == 200
    assert httpx.get(app_url + address).status_code == 404


def test_our_own_page_breaks_no_rule_of_its_policy(context: BrowserContext):
    broken: list[str] = []
    context.on("console", lambda line: broken.append(line.text) if "Content Security Policy" in line.text else None)
    context.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.log('Content Security Policy', e.violatedDirective))"
    )
    page = open_page(context)
    ask(page, "Show me everything Markdown can do")
    expect_settled(page)
    page.get_by_role("button", name="Sources").click()
    expect(page.get_by_role("region", name="Sources").get_by_role("listitem").first).to_be_visible()
    page.get_by_role("button", name="Close sources").click()
    for name in ("Thoughts", "Backend settings"):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name=name)).to_have_count(0)
    page.get_by_role("button", name="Colour theme").click()
    page.get_by_role("menuitem", name="Dark").click()
    page.reload()
    expect_settled(page)
    expect_alive(page)
    assert broken == []


def test_an_inline_script_that_was_not_built_in_does_not_run(context: BrowserContext):
    page = open_page(context)
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
    assert page.evaluate("window.ran") is None
    page.evaluate(
        """() => new Promise((failed) => {
            document.body.insertAdjacentHTML("beforeend", "<img src=data:, onerror='window.ran = 2'>");
            document.body.lastElementChild.addEventListener("error", failed);
        })"""
    )
    assert page.evaluate("window.ran") is None
