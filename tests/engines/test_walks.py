"""The main job, in every engine."""

from pathlib import Path

import pytest

from tests.browser.asking import LEAVE
from tests.engines.walking import Walker

pytestmark = pytest.mark.thorough

PHONE = 390, 780


def open_document(walker: Walker) -> None:
    """Ask, and open the first citation's passage and document."""
    walker.ask(LEAVE)
    walker.click("button", "Citation 1")
    walker.sees("region", "Sources", "Leave Policy")
    walker.is_at("region", "Sources")
    walker.until("() => document.querySelector('[role=region] mark')?.checkVisibility()")
    walker.window.click("() => document.querySelector('[role=region] [data-document]')")
    walker.until("() => document.querySelector('.document input')")


def test_an_answer_is_checked_in_its_document_and_kept_over_a_reload(walker: Walker):
    open_document(walker)
    walker.until(
        """() => [...document.querySelectorAll(".document canvas")].some(({ width }) => width > 0)
            && document.querySelector(".document input").value === "2" """
    )
    # The number of a page has no spinner.
    walker.until("() => getComputedStyle(document.querySelector('.document input')).appearance === 'textfield'")
    walker.press("Escape", "Escape")
    walker.sees_no("region", "Sources")
    walker.click("button", "Thoughts")
    walker.sees("dialog", "Thoughts", "Timeline")
    walker.press("Escape")
    walker.sees_no("dialog", "Thoughts")
    text = walker.window.run("() => document.querySelector('.answer-text').textContent")
    walker.until("() => location.pathname.startsWith('/c/')")
    walker.reload()
    walker.until("(text) => document.querySelector('.answer-text')?.textContent === text", text)
    walker.ask("What about sick leave?")


def test_a_question_stays_at_the_top_of_a_low_window(walker: Walker):
    walker.window.resize(1200, 420)
    for question in (LEAVE, "How do the health plans compare?"):
        walker.ask(question)
        walker.until(
            """() => {
                const view = document.querySelector("[role=log]");
                const asked = [...document.querySelectorAll("article.question")].at(-1).getBoundingClientRect();
                const place = asked.top - view.getBoundingClientRect().top;
                return view.scrollTop < -50 && place > 0 && place < 40;
            }"""
        )
    # The button is rendered again while the page comes to rest: find and press it in one step.
    walker.until("() => { const jump = find('button', 'Jump to latest'); jump?.click(); return jump; }")
    walker.until("() => document.querySelector('[role=log]').scrollTop > -1")


def test_on_a_phone_sheets_open_close_and_go_back(walker: Walker):
    walker.window.resize(*PHONE)
    open_document(walker)
    walker.until("() => document.querySelector('.header').inert")
    walker.click("button", "Back to sources")
    walker.sees("region", "Sources", "Leave Policy")
    walker.click("button", "Close sources")
    walker.sees_no("region", "Sources")
    walker.until("() => !document.querySelector('.header').inert")
    walker.click("button", "Conversations")
    walker.sees("navigation", "Conversations", LEAVE)
    walker.click("button", "Close conversations")
    walker.sees_no("navigation", "Conversations")
    assert walker.window.run("() => document.documentElement.scrollWidth <= innerWidth")


def test_commands_are_found_by_typing(walker: Walker):
    walker.ask(LEAVE)
    walker.press("Control+k")
    walker.is_at("combobox", "Search and commands")
    walker.type("thoughts")
    walker.until("() => find('option', 'Thoughts').ariaSelected === 'true'")
    walker.press("Enter")
    walker.sees("dialog", "Thoughts", "Timeline")
    walker.press("Escape", "Control+k")
    walker.is_at("combobox", "Search and commands")
    walker.type("dark theme")
    walker.press("Enter")
    walker.until("() => document.documentElement.classList.contains('dark')")
    walker.press("Control+k")
    walker.is_at("combobox", "Search and commands")
    walker.press("Escape")
    walker.sees_no("dialog", "Search and commands")


def open_and_close_a_source(walker: Walker) -> None:
    """Open the first citation of a standalone page, and close it with Escape."""
    walker.until("() => document.readyState === 'complete'")
    walker.window.click("() => document.querySelector('a.citation')")
    walker.until("""() => {
        const source = document.activeElement;
        const marked = source.querySelector("mark.is-cited")?.getBoundingClientRect();
        return source.closest("#panel") && source.textContent.includes("Leave") && marked.top < innerHeight;
    }""")
    walker.press("Escape")
    walker.until("() => document.querySelector('#panel').hidden && document.activeElement.matches('a.citation')")


def test_citations_of_an_exported_page_open_their_sources_from_a_disk(walker: Walker, tmp_path: Path):
    walker.ask(LEAVE)
    walker.until("() => location.pathname.startsWith('/c/')")
    page = walker.window.run(
        """async () => {
            const id = location.pathname.split("/").at(-1);
            return (await fetch(`/api/conversations/${id}/export?as=html&thoughts=yes&documents=yes`)).text();
        }"""
    )
    exported = tmp_path / "conversation.html"
    exported.write_text(page)
    walker.window.go(exported.as_uri())
    open_and_close_a_source(walker)
    walker.window.resize(*PHONE)
    walker.press("Enter")
    walker.until("() => document.querySelector('#panel').getBoundingClientRect().top > 100")
    refused = walker.window.run(
        """() => new Promise((done) => {
            addEventListener("securitypolicyviolation", ({ effectiveDirective }) => done(effectiveDirective));
            document.body.append(Object.assign(document.createElement("script"), { textContent: "window.hasRun = 1" }));
        })"""
    )
    assert (refused, walker.window.run("() => window.hasRun ?? null")) == ("script-src-elem", None)


def test_citations_of_a_shared_page_open_their_sources_in_an_opaque_origin(walker: Walker):
    walker.ask(LEAVE)
    walker.until("() => location.pathname.startsWith('/c/')")
    link = walker.window.run(
        """async () => {
            const conversation = location.pathname.split("/").at(-1);
            const body = JSON.stringify({ conversation, days: 1 });
            const made = await (await fetch("/api/shared/", { method: "POST", body })).json();
            return new URL(made.path, location.origin).href;
        }"""
    )
    walker.window.go(link)
    open_and_close_a_source(walker)
    assert walker.window.run("() => self.origin") == "null"


def test_the_box_grows_with_its_text_and_shrinks_after_sending(walker: Walker):
    height = "() => document.querySelector('.composer textarea').getBoundingClientRect().height"
    low = walker.window.run(height)
    walker.click("textbox", "Message")
    for line in "abcd":
        walker.press(line, "Shift+Enter")
    walker.until(f"(low) => ({height})() > 3 * low", low)
    walker.press("Enter")
    walker.until(f"(low) => ({height})() <= low", low)


COMPOSING = ({"keyCode": 229}, {"isComposing": True})
_KEY = """(as_told, key) => {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    for (const [name, value] of Object.entries(as_told)) Object.defineProperty(event, name, { get: () => value });
    document.activeElement.dispatchEvent(event);
}"""


def compose(walker: Walker, *keys: str) -> None:
    """Press these keys at the focus with the events of a word being composed."""
    for key in keys:
        for as_told in COMPOSING:
            walker.window.run(_KEY, as_told, key)


def test_keys_of_an_input_method_only_compose_in_each_field(walker: Walker):
    walker.click("textbox", "Message")
    walker.type("浮標")
    compose(walker, "Enter")
    walker.until("() => document.activeElement.value === '浮標'")
    walker.press("Enter")
    walker.sees("article", "Question", "浮標")
    walker.until("() => find('button', 'Copy answer')")
    walker.click("button", "Edit question")
    walker.is_at("textbox", "Edited question")
    compose(walker, "Enter", "Escape")
    walker.is_at("textbox", "Edited question")
    walker.press("Escape")
    walker.press("Control+k")
    walker.is_at("combobox", "Search and commands")
    walker.type("浮標")
    compose(walker, "Enter", "Escape")
    walker.is_at("combobox", "Search and commands")
    walker.press("Escape")
    walker.sees_no("dialog", "Search and commands")
    open_document(walker)
    walker.click("spinbutton", "Page")
    compose(walker, "Escape")
    walker.is_at("spinbutton", "Page")
    walker.press("Escape")
    walker.sees("region", "Sources", "Leave Policy")


def test_a_question_is_dictated_where_the_browser_supports_it(walker: Walker):
    hears = walker.window.run("() => 'SpeechRecognition' in window || 'webkitSpeechRecognition' in window")
    offers = walker.window.run(
        "() => [...document.querySelectorAll('button')].some((one) => /dictat/i.test(one.ariaLabel))"
    )
    assert offers <= hears
