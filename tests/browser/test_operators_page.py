import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.app import App
from tests.browser.answering import answers, expect_settled, get_answer, start_answer
from tests.browser.asking import ask, message, new_chat, questions
from tests.browser.listening import Socket
from tests.browser.opening import NewContext, expect_alive, open_page
from tests.browser.places import open_settings
from tests.browser.stand_in import StandIn, delta

pytestmark = pytest.mark.timeout(400)
OPERATORS_KEY = "operators-key-0123456789"
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, stand_in: StandIn, built_app: Path) -> Iterator[App]:
    """A server with three backends, short questions and branding."""
    folder = tmp_path_factory.mktemp("operated")
    handbook, notes = (stand_in.saying(f"From the {name}.") for name in ("handbook", "notes"))
    first, rest = (delta(text) for text in ("The first half", " and the rest."))
    slow = stand_in.one_after_the_other([first, stand_in.WAIT_UNTIL_TOLD, rest], [first, stand_in.WAIT_FOR_EVER])
    (folder / "backends.toml").write_text(
        f'[[backends]]\nname = "Handbook"\nurl = "{handbook}"\nstarter_questions = ["Who pays?"]\n'
        'options = { temperature = 0.3 }\n[backends.credential]\nkind = "api-key"\nenv = "HANDBOOK_KEY"\n'
        f'[[backends]]\nname = "Notes"\nurl = "{notes}"\n[backends.branding]\ngreeting = "Ahoy"\naccent = "#8a0f4b"\n'
        f'[[backends]]\nname = "Slow"\nurl = "{slow}"\n'
    )
    (folder / "logo.svg").write_text(LOGO)
    settings = {
        "CHAT_UI_BACKENDS": str(folder / "backends.toml"),
        "HANDBOOK_KEY": OPERATORS_KEY,
        "CHAT_UI_POLICY": "public",
        "CHAT_UI_ALLOW_CUSTOM_BACKENDS": "false",
        "CHAT_UI_SETTINGS_ACCESS": "read-only",
        "CHAT_UI_SHOW_THOUGHTS": "false",
        "CHAT_UI_FEEDBACK": "false",
        "CHAT_UI_QUESTION_CHARACTERS": "100",
        "CHAT_UI_GRACE_SECONDS": "5",
        "CHAT_UI_TITLE": "Ask Tern & Gull",
        "CHAT_UI_LOGO": str(folder / "logo.svg"),
        "CHAT_UI_ACCENT": "teal",
        "CHAT_UI_NOTICE": "A demonstration <b>only</b>.",
        "CHAT_UI_FOOTER": "Answers can be wrong.",
        "CHAT_UI_AI_NOTICE": "A <b>machine</b> answers.",
    }
    started = App(tmp_path_factory.mktemp("operated_app"), settings, built_app)
    started.start()
    yield started
    started.end()


@pytest.fixture
def context(new_context: NewContext, server: App) -> BrowserContext:
    return new_context(base_url=server.url)


def accent_of(page: Page) -> str:
    read = "getComputedStyle(document.querySelector('.radix-themes')).getPropertyValue('--accent-9')"
    return str(page.evaluate(read))


def errors_of(page: Page) -> list[str]:
    """The page's errors from now on."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(error.message))
    return errors


def test_the_first_paint_has_the_branding_before_scripts_run(new_context: NewContext, server: App):
    page = new_context(base_url=server.url, java_script_enabled=False).new_page()
    page.goto("/")
    expect(page).to_have_title("Ask Tern & Gull")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask Tern & Gull")
    expect(page.get_by_role("note")).to_have_text("A demonstration <b>only</b>.")
    expect(page.locator("img.logo")).to_be_visible()
    expect(page.locator(".backend-label")).to_have_text("Handbook")
    expect(page.get_by_role("button", name="Who pays?")).to_be_visible()
    expect(page.get_by_role("button", name="Add a backend")).to_be_hidden()
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile(r"^/branding/\w+\.svg$"))
    settings = page.get_by_role("button", name="Backend settings")
    expect(settings).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-settings", "read-only")
    page.evaluate("document.documentElement.dataset.settings = 'hidden'")
    expect(settings).to_be_hidden()

    page = new_context(base_url=server.url).new_page()
    errors = errors_of(page)
    for path in ("/", "/c/none"):
        page.goto(path)
        expect_alive(page)
    assert errors == []


@pytest.mark.thorough
def test_the_first_paint_names_only_the_chosen_backend(new_context: NewContext, server: App):
    context = new_context(base_url=server.url)
    page = context.new_page()
    errors = errors_of(page)
    shown = page.locator("[data-of-backend=label], [data-of-backend=starters], .empty")
    for selected in ("given:Handbook", "given:Notes"):
        context.add_init_script(f"localStorage['chat-ui-backend'] = '{json.dumps({'selected': selected})}'")
        socket = Socket(page)
        socket.hold_told()
        page.goto("/")
        expect(shown).to_have_count(3)
        for one in shown.all():
            expect(one).to_be_visible(visible=selected == "given:Handbook")
        socket.let_go()
        expect_alive(page)
        expect(page.locator(".backend-label")).to_be_visible()
    expect(page.get_by_role("heading", name="Ahoy")).to_be_visible()
    assert errors == []


def test_an_operators_page_has_its_branding_backends_and_locks(context: BrowserContext, stand_in: StandIn):
    other = stand_in.saying("Elsewhere.")
    page = open_page(context, backend=other)
    expect(page).to_have_title("Ask Tern & Gull")
    expect(page.get_by_role("heading", name="Ask Tern & Gull")).to_be_visible()
    expect(page.get_by_role("note")).to_have_text("A demonstration <b>only</b>.")
    expect(page.get_by_text("Answers can be wrong.")).to_be_visible()
    expect(page.get_by_text("A <b>machine</b> answers.")).to_be_visible()
    assert accent_of(page) == "#12a594"
    expect(page.locator("img.logo")).to_have_js_property("naturalWidth", 8)
    ask(page, "x" * 101)
    expect(page.get_by_role("alert")).to_contain_text("101 characters; at most 100 are allowed")
    message(page).fill("")
    page.get_by_role("button", name="Who pays?").click()
    expect(expect_settled(page)).to_contain_text("From the handbook.")
    expect(page.get_by_role("button", name="Thoughts")).to_have_count(0)
    expect(page.get_by_role("button", name="Good answer")).to_have_count(0)
    page.get_by_role("combobox", name="Backend").select_option(label="Notes")
    page.get_by_role("button", name="New chat").click()
    expect(page.get_by_role("heading", name="Ahoy")).to_be_visible()
    assert accent_of(page) == "#8a0f4b"
    expect(get_answer(page, "And the notes?")).to_contain_text("From the notes.")

    dialog = open_settings(page)
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Save")).to_have_count(0)
    expect(dialog.get_by_role("switch", name="Suggest follow-up questions")).to_be_disabled()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    assert stand_in.asked(other) == []
    address = answers(page).locator(".answer-text").get_attribute("data-address")
    assert page.request.get(f"{address}/thoughts").status == 404
    assert page.request.patch(f"{address}/feedback", data={"rating": "good"}).status == 404
    assert page.request.get("/api/feedback/mine").text() == ""

    page.goto("/?backend=Handbook&q=Hello%20there")
    expect_alive(page)
    expect(page.get_by_role("combobox", name="Backend")).to_have_value("given:Handbook")
    expect(message(page)).to_have_value("Hello there")
    page.goto("/?backend=http://127.0.0.1:9/chat")
    expect_alive(page)
    expect(page.get_by_role("combobox", name="Backend")).to_have_value("given:Handbook")
    expect(questions(page)).to_have_count(0)


@pytest.mark.thorough
def test_a_stopping_server_finishes_answers_or_marks_them_interrupted(
    server: App, context: BrowserContext, stand_in: StandIn
):
    finishing = open_page(context, path="/?backend=Slow")
    start_answer(finishing, "What can be finished?")
    expect(finishing).to_have_url(re.compile("/c/"))
    unfinished = open_page(context)
    new_chat(unfinished)
    start_answer(unfinished, "And what not?")
    expect(unfinished).to_have_url(re.compile("/c/"))

    processes = server.processes()
    server.ask_to_end()
    stand_in.go_on()
    expect(answers(finishing)).to_contain_text("The first half and the rest.")
    assert server.wait_for_end() == 0
    assert not [one for one in processes if psutil.pid_exists(one)]
    assert "Traceback" not in server.log

    # A tab left before the server is back shows the end in its next page.
    left = [(page, urlsplit(page.url).path) for page in (finishing, unfinished)]
    for page, _ in left:
        page.goto("about:blank")
    server.start()
    for page, path in left:
        page.goto(server.url + path)
    expect(expect_settled(finishing)).to_contain_text("The first half and the rest.")
    expect(answers(finishing).get_by_role("alert")).to_have_count(0)
    expect(expect_settled(unfinished)).to_contain_text("The first half")
    told = answers(unfinished).get_by_role("alert")
    expect(told).to_contain_text("This answer was interrupted")
    for name in ("Continue", "Retry"):
        expect(told.get_by_role("button", name=name)).to_be_visible()
