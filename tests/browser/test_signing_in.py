import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tests.app import App, free_port, running_app
from tests.browser.answering import get_answer
from tests.browser.asking import ask, message, new_chat, questions
from tests.browser.axe import expect_no_violations
from tests.browser.opening import NewContext, address_of, expect_alive, open_page
from tests.browser.places import opened_list, run_command
from tests.features.demo.serving import serving, wait_for
from tests.identity_provider import CLIENT, identity_provider
from tests.stand_ins.app_service import AppService
from tests.stand_ins.stand_in import in_thread

QUESTION = "What colour are buoys?"
STORED = """() => [localStorage, sessionStorage].flatMap((storage) => Object.entries(storage).flat()).join()"""
CHOICE = "localStorage['chat-ui-citations'] = 'names'"


@dataclass
class Backend:
    """Answers the people in `allowed`, by their tokens; at `/open` everybody."""

    url: str = ""
    allowed: set[str] = field(default_factory=set)

    async def answer(self, request: Request) -> Response:
        _, _, token = request.headers.get("authorization", "").partition("Bearer ")
        claims = json.loads(base64.urlsafe_b64decode(f"{token.split('.')[1]}==")) if token else {}
        if request.url.path != "/open/chat" and claims.get("sub") not in self.allowed:
            return PlainTextResponse("No.", 403)
        said = (await request.json())["messages"][-1]["content"]
        return JSONResponse({"message": {"content": f"{claims.get('sub', 'Somebody')} asks: {said}"}})


@dataclass
class Site:
    """Two apps, where signing in is `optional` and `required`, before one backend."""

    optional: str
    required: str
    backend: Backend


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, built_app: Path) -> Iterator[Site]:
    backend, folder = Backend(), tmp_path_factory.mktemp("signing in")
    app = Starlette(routes=[Route("/{which}/chat", backend.answer, methods=["POST"])])
    ports = [free_port(), free_port()]
    with serving(app) as backend.url, identity_provider(*(f"http://localhost:{port}" for port in ports)) as issuer:
        (folder / "backends.toml").write_text(
            f"""
            [[backends]]
            name = "Open"
            url = "{backend.url}/open/chat"
            stream = false
            [[backends]]
            name = "Guarded"
            url = "{backend.url}/guarded/chat"
            stream = false
            pass_token = true
            token_scope = "api://server/access_as_user"
            """
        )
        apps = []
        for port, how in zip(ports, ("optional", "required"), strict=True):
            (folder / how).mkdir()
            settings = {
                "CHAT_UI_OIDC_ISSUER": issuer,
                "CHAT_UI_OIDC_CLIENT_ID": CLIENT,
                "CHAT_UI_SIGN_IN": how,
                "CHAT_UI_BACKENDS": str(folder / "backends.toml"),
            }
            apps.append(App(folder / how, settings, built_app, port))
            apps[-1].start()
        yield Site(apps[0].url, apps[1].url, backend)
        for one in apps:
            one.end()


def account(page: Page) -> Locator:
    return page.get_by_role("button", name="Signed in as")


def sign_in_button(page: Page) -> Locator:
    return page.get_by_role("banner").get_by_role("button", name="Sign in")


def sign_in(page: Page, button: Locator, person: str) -> None:
    """Sign in with the keyboard, and return."""
    button.press("Enter")
    page.get_by_role("textbox", name="Name").fill(person)
    page.keyboard.press("Enter")
    expect(account(page)).to_have_accessible_name(f"Signed in as {person} Example")
    expect_alive(page)


def sign_out(page: Page) -> None:
    account(page).press("Enter")
    page.get_by_role("menuitem", name="Sign out").press("Enter")
    page.get_by_role("button", name="End session").press("Enter")
    expect(sign_in_button(page)).to_be_visible()
    expect_alive(page)


def test_two_people_after_each_other_see_nothing_of_each_other(site: Site, new_context: NewContext):
    context = new_context(base_url=site.optional)
    page = open_page(context)
    page.evaluate(CHOICE)
    get_answer(page, "Where is the harbour?")
    address_of(page)
    new_chat(page)
    get_answer(page, QUESTION)
    address = address_of(page)
    message(page).fill("A draft")
    expect_no_violations(page, "signed out")
    sign_in(page, sign_in_button(page), "Anna")
    assert page.url == address
    expect(questions(page)).to_have_text(re.compile(QUESTION))
    expect(message(page)).to_have_value("A draft")
    before = page.get_by_role("group", name="Bring along")
    expect(before).to_contain_text("Bring along one conversation from before you signed in?")
    expect_no_violations(page, "bring along")
    before.get_by_role("button", name="Bring along").press("Enter")
    expect(before).to_have_count(0)
    expect(opened_list(page).get_by_role("link")).to_have_count(2)

    other = open_page(context, path=address)
    expect(account(other)).to_be_visible()
    message(other).fill("Another draft")
    account(page).press("Enter")
    expect_no_violations(page, "menu of the account")
    page.keyboard.press("Escape")
    sign_out(page)
    expect(sign_in_button(other)).to_be_visible()
    for tab in (page, other):
        assert tab.url == f"{site.optional}/"
        expect(message(tab)).to_have_value("")
        stored = tab.evaluate(STORED)
        assert "draft" not in stored
        assert address.rpartition("/")[2] not in stored
        assert "names" in stored

    message(page).fill("Text of Bea")
    sign_in(page, sign_in_button(page), "Bea")
    expect(message(page)).to_have_value("Text of Bea")
    expect(questions(page)).to_have_count(0)
    expect(page.get_by_role("navigation").get_by_role("link")).to_have_count(0)
    expect(before).to_have_count(0)
    page.goto(address)
    expect(page.get_by_role("heading", name="Conversation not found")).to_be_visible()
    other.go_back()
    expect(account(other)).to_have_accessible_name("Signed in as Bea Example")
    expect(questions(other)).to_have_count(0)
    expect(message(other)).not_to_have_value("Another draft")


def test_a_refused_question_is_kept_and_asked_after_signing_in_again(site: Site, new_context: NewContext):
    page = open_page(new_context(base_url=site.optional), path="/?backend=Guarded")
    refused = get_answer(page, QUESTION)
    address = address_of(page)
    sign_in(page, refused.get_by_role("button", name="Sign in"), "Carl")
    assert page.url == address
    page.get_by_role("button", name="Retry").click()
    again = page.get_by_role("button", name="Sign in again")
    expect(again).to_be_visible()
    expect_no_violations(page, "refused token")
    site.backend.allowed.add("Carl")
    with page.expect_navigation(url=address):
        again.press("Enter")
    expect_alive(page)
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("article", name="Answer")).to_contain_text(f"Carl asks: {QUESTION}")


def test_where_signing_in_is_required_a_line_replaces_the_box(site: Site, new_context: NewContext):
    first_paint = new_context(base_url=site.required, java_script_enabled=False).new_page()
    first_paint.goto("/")
    expect(first_paint.locator(".composer")).to_have_css("opacity", "0")
    page = new_context(base_url=site.required, viewport={"width": 390, "height": 780}).new_page()
    page.goto(f"/?q={QUESTION}")
    line = page.get_by_role("main").get_by_text("Sign in to ask. Your text is kept.")
    expect(line).to_be_visible()
    expect(message(page)).to_be_hidden()
    expect_no_violations(page, "required")
    button = page.get_by_role("button", name="Sign in")
    expect(button).to_be_focused()
    button.press("Enter")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert").filter(has_text="You did not sign in.")).to_be_visible()
    assert page.url == f"{site.required}/"
    sign_in(page, button, "Dora")
    expect(message(page)).to_have_value(QUESTION)
    expect(page.locator(".composer")).to_have_css("opacity", "1")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    ask(page, QUESTION)
    expect(page.get_by_role("article", name="Answer")).to_contain_text(QUESTION)
    run_command(page, "Sign out")
    page.get_by_role("button", name="End session").click()
    expect(line).to_be_visible()


def test_app_service_names_renews_and_signs_out(site: Site, tmp_path: Path, built_app: Path, new_context: NewContext):
    settings = {
        "CHAT_UI_TRUSTED_PROXIES": "127.0.0.1",
        "CHAT_UI_IDENTITY_HEADER": "X-MS-CLIENT-PRINCIPAL-ID",
        "CHAT_UI_TOKEN_HEADER": "X-MS-TOKEN-AAD-ACCESS-TOKEN",
        "CHAT_UI_BACKENDS": str(tmp_path / "backends.toml"),
    }
    offered = f'[[backends]]\nname = "Chat"\nurl = "{site.backend.url}/open/chat"\nstream = false\npass_token = true'
    (tmp_path / "backends.toml").write_text(offered)
    port = free_port()
    with (
        running_app(tmp_path, settings, built_app) as url,
        in_thread(AppService(port, int(url.rpartition(":")[2]))) as service,
    ):
        context = new_context(base_url=f"http://127.0.0.1:{port}")
        page = open_page(context)
        expect(account(page)).to_have_accessible_name("Signed in as Anna Example")
        wait_for(lambda: service.brought == 1)
        expect(get_answer(page, QUESTION)).to_contain_text("Token 1 asks")
        address = address_of(page)
        other = open_page(context, path=address)
        expect(account(other)).to_be_visible()
        message(other).fill("A draft")
        account(page).press("Enter")
        page.get_by_role("menuitem", name="Sign out").press("Enter")
        for tab in (page, other):
            expect(sign_in_button(tab)).to_be_visible()
            expect_alive(tab)
            assert "draft" not in tab.evaluate(STORED)
        page.goto(address)
        sign_in_button(page).press("Enter")
        expect(account(page)).to_be_visible()
        expect(questions(page)).to_have_text(re.compile(QUESTION))
