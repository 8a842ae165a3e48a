"""A person's own choice of the page's language: by the browser at first, then in Preferences, kept and without loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from chat_ui.languages.catalogues import MACHINE
from tests.app import App
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, chosen

WORDS = {
    "nl": {"Send": "Versturen", "New chat": "Nieuw gesprek", "Message": "Bericht", "More": "Meer", "Stop": "Stoppen"},
    "fa": {"Send": "ارسال", "New chat": "گفتگوی تازه", "Message": "پیام", "More": "بیشتر", "Stop": "توقف"},
}
OF_CHOICE = {
    "Language…": "Taal…",
    "Language": "Taal",
    "As the browser says": "Zoals het in de browser is ingesteld",
    "Use this language": "Gebruiken",
}
KEYS = "{open} opens it, {next} goes to the next, {previous} back"
KEYS_IN_DUTCH = "<img src=x> {open} opent, {next} volgende, {previous} vorige"
WIDE_ENOUGH = """select => {
    const copy = select.cloneNode(true);
    copy.style.cssText = "position: absolute; width: max-content";
    select.parentElement.append(copy);
    return select.offsetWidth >= copy.offsetWidth;
}"""
UNCONFIRMED = "A machine made this translation. No reader has confirmed it yet."
UNCONFIRMED_IN_DUTCH = "Dit is vertaald door een machine. Nog geen lezer heeft het bevestigd."
PLURALS = {"nl": "nplurals=2; plural=(n != 1);", "fa": "nplurals=2; plural=(n > 1);"}


def catalogue(language: str, words: dict[str, str]) -> str:
    head = (
        f'# {MACHINE}\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
        f'"Plural-Forms: {PLURALS[language]}\\n"\n'
    )
    return head + "".join(f'\nmsgid "{message}"\nmsgstr "{said}"\n' for message, said in words.items())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, built_app: Path) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("translations")
    dutch = {**WORDS["nl"], **OF_CHOICE, UNCONFIRMED: UNCONFIRMED_IN_DUTCH, KEYS: KEYS_IN_DUTCH}
    (folder / "nl.po").write_text(catalogue("nl", dutch), encoding="utf-8")
    (folder / "fa.po").write_text(catalogue("fa", WORDS["fa"]), encoding="utf-8")
    started = App(tmp_path_factory.mktemp("spoken_app"), {"CHAT_UI_TRANSLATIONS": str(folder)}, built_app)
    started.start()
    yield started
    started.end()


@pytest.fixture
def context(new_context: NewContext, server: App) -> BrowserContext:
    return new_context(base_url=server.url, locale="nl-NL")


def expect_spoken(page: Page, language: str, direction: str) -> None:
    """Also once the page has taken over what the server's document says."""
    page.wait_for_function("() => document.querySelector('.composer-buttons:enabled')")
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.locator("html")).to_have_attribute("dir", direction)
    expect(page.get_by_role("button", name=WORDS[language]["New chat"])).to_be_visible()


def dialog_at_the_choice(page: Page, menu: str, item: str) -> Locator:
    """The choice in Preferences, opened by the keyboard."""
    page.get_by_role("button", name=menu, exact=True).press("Enter")
    page.get_by_role("menuitem", name=item).press("Enter")
    choice = page.get_by_role("dialog").get_by_role("combobox")
    expect(choice).to_be_focused()
    return choice


@pytest.mark.wcag("3.2.2")
@pytest.mark.wcag("3.1.1")
def test_a_language_is_chosen_by_keys_and_holds_without_the_loss_of_a_draft_or_an_answer(
    context: BrowserContext, stand_in: StandIn
):
    backend = stand_in.held({"delta": {"content": "The first half"}}, {"delta": {"content": " and the rest."}})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(error.message))
    page.add_init_script(f"localStorage['chat-ui-backend'] ||= {chosen(backend)!r}")
    page.goto("/")
    expect_spoken(page, "nl", "ltr")
    box = page.locator("#message")
    box.fill("Who pays?")
    box.press("Enter")
    answer = page.locator("article.answer")
    expect(answer).to_contain_text("The first half")
    box.fill("Half a question")

    choice = dialog_at_the_choice(page, "Meer", "Taal…")
    expect(page.get_by_role("dialog").get_by_text(UNCONFIRMED_IN_DUTCH)).to_be_visible()
    option = choice.locator("option[lang=fa]")
    expect(option).to_have_text("فارسی")
    expect(option).to_have_attribute("dir", "rtl")
    choice.select_option("fa")
    expect(page.locator("html")).to_have_attribute("lang", "nl")
    choice.press("Tab")
    with page.expect_event("load"):
        page.keyboard.press("Enter")
    expect_spoken(page, "fa", "rtl")
    expect(box).to_have_value("Half a question")
    expect(answer).to_contain_text("The first half")
    stand_in.go_on()
    expect(answer).to_contain_text("The first half and the rest.")

    other = context.new_page()
    other.goto("/")
    expect_spoken(other, "fa", "rtl")
    choice = dialog_at_the_choice(other, "بیشتر", "Language…")
    choice.select_option("")
    choice.press("Tab")
    with other.expect_event("load"):
        other.keyboard.press("Enter")
    expect_spoken(other, "nl", "ltr")
    assert complaints == []


def test_what_a_catalogue_says_of_the_keys_of_a_citation_is_text(context: BrowserContext, stand_in: StandIn):
    cited = {"delta": {"content": "Red [a.txt]."}, "context": {"data_points": {"text": ["a.txt: Buoys are red."]}}}
    page = context.new_page()
    page.add_init_script(f"localStorage['chat-ui-backend'] ||= {chosen(stand_in.streaming(cited))!r}")
    page.goto("/")
    expect_spoken(page, "nl", "ltr")
    page.locator("#message").fill("Colour?")
    page.locator("#message").press("Enter")
    expect(page.locator("article.answer .citation")).to_be_visible()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.get_by_role("tooltip").locator(".card-keys")).to_have_text(
        "<img src=x> Enter opent, Alt + ↓ volgende, Alt + ↑ vorige"
    )


def test_a_phone_shows_the_whole_choice(new_context: NewContext, server: App):
    page = new_context(base_url=server.url, locale="nl-NL", viewport={"width": 390, "height": 780}).new_page()
    page.goto("/")
    expect_spoken(page, "nl", "ltr")
    assert dialog_at_the_choice(page, "Meer", "Taal…").evaluate(WIDE_ENOUGH)


def test_english_has_nothing_to_confirm(new_context: NewContext, server: App):
    page = new_context(base_url=server.url, locale="en-GB").new_page()
    page.goto("/")
    page.wait_for_function("() => document.querySelector('.composer-buttons:enabled')")
    dialog_at_the_choice(page, "More", "Language…")
    expect(page.get_by_text(UNCONFIRMED)).to_have_count(0)
