"""Tabs with a refused cookie, an ended login or another version of the page."""

import re

from playwright.sync_api import BrowserContext, Locator, Page, Response, Route, expect

from tests.browser.answering import expect_settled, get_answer
from tests.browser.asking import ask, message, questions
from tests.browser.axe import expect_no_violations
from tests.browser.listening import Socket
from tests.browser.opening import expect_alive, reload


def status(page: Page) -> Locator:
    return page.locator(".connection-status")


def mark(page: Page) -> None:
    """Mark the document, so that a reload is noticed."""
    page.evaluate("document.documentElement.setAttribute('data-marked', '')")


def marked(page: Page) -> Locator:
    return page.locator("html[data-marked]")


class Proxy:
    """A proxy for one page: its login ends and begins, and its page is of another build."""

    def __init__(self, page: Page, socket: Socket) -> None:
        self._page = page
        self._socket = socket
        self._answers: dict[str, object] | None = None
        self._build = ""
        page.context.route(lambda url: re.fullmatch(r"/(c/.*)?", re.sub(r"^\w+://[^/]*|\?.*", "", url)), self._carry)

    def end_login(self, **answer: object) -> None:
        self._answers = answer
        self._socket.refuse()

    def begin_login(self) -> None:
        self._answers = None
        self._socket.accept()

    def serve_build(self, name: str) -> None:
        self._build = name

    def _carry(self, route: Route) -> None:
        if self._answers is not None:
            route.fulfill(**self._answers)
        elif self._build and route.request.resource_type == "fetch":
            body = route.fetch().text()
            route.fulfill(body=re.sub(r"/manifest-[\w-]+\.js", f"/manifest-{self._build}.js", body))
        else:
            route.continue_()


def behind_proxy(context: BrowserContext) -> tuple[Page, Socket, Proxy]:
    page = context.new_page()
    # Pages look for another version at a random time within ten seconds. This page looks at once.
    page.add_init_script("Math.random = () => 0;")
    socket = Socket(page)
    page.goto("/")
    expect_alive(page)
    return page, socket, Proxy(page, socket)


def test_an_ended_login_has_a_way_back_and_a_refused_cookie_is_renewed(context: BrowserContext):
    page, _, proxy = behind_proxy(context)
    get_answer(page, "First?")
    proxy.end_login(status=302, headers={"location": "https://login.example/"})
    expect(status(page)).to_contain_text("You may have to sign in")
    ask(page, "Second?")
    message(page).fill("And thi")
    expect_no_violations(page)
    expect(status(page).get_by_role("button", name="Reload")).to_be_visible()
    proxy.begin_login()
    reload(page)
    expect(questions(page)).to_have_count(2)
    expect_settled(page, turns=2)
    expect(message(page)).to_have_value("And thi")
    expect(status(page)).to_have_count(0)

    # The page resumes after a login in another tab.
    proxy.end_login(status=401, body="")
    ask(page, "Third?")
    expect(status(page)).to_contain_text("You may have to sign in")
    proxy.begin_login()
    expect(status(page)).to_have_count(0)
    expect_settled(page, turns=3)

    # An unknown cookie makes a new person, and typed words stay.
    mark(page)
    message(page).fill("")
    proxy.end_login(status=503, body="")
    expect(status(page)).to_contain_text("server cannot be reached")
    ask(page, "Fourth?")
    message(page).fill("And thi")
    for cookie in context.cookies():
        context.add_cookies([{**cookie, "value": "refused"}])
    proxy.begin_login()
    expect(status(page)).to_have_count(0)
    expect(message(page)).to_have_value("Fourth?\nAnd thi")
    expect(marked(page)).to_have_count(1)


def test_a_page_of_another_version_is_reloaded_where_nothing_is_lost(context: BrowserContext):
    page, socket, proxy = behind_proxy(context)
    mark(page)
    with page.expect_response(is_look):
        socket.break_off()
    get_answer(page, "First?")
    expect(marked(page)).to_have_count(1)
    expect(status(page)).to_have_count(0)
    message(page).fill("Half typ")
    proxy.serve_build("other")
    socket.break_off()
    expect(status(page)).to_contain_text("new version of this page")
    expect(marked(page)).to_have_count(1)
    message(page).fill("")
    status(page).get_by_role("button", name="Reload").click()
    expect(marked(page)).to_have_count(0)
    expect_alive(page)
    expect(status(page)).to_have_count(0)
    mark(page)
    page.get_by_role("heading", level=1).select_text()
    proxy.serve_build("newer")
    socket.break_off()
    expect(status(page)).to_contain_text("new version of this page")
    expect(marked(page)).to_have_count(1)
    page.evaluate("getSelection().empty()")
    hide(page)
    expect(marked(page)).to_have_count(0)
    expect_alive(page)


def is_look(response: Response) -> bool:
    """Whether the request is for the page."""
    return response.request.resource_type == "fetch" and re.search(r"//[^/]*/(c/.*)?$", response.url) is not None


def hide(page: Page) -> None:
    """Put another tab in front."""
    page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
