"""Every hostile string in every place for foreign text, in a real browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.answering import answers, expect_settled, get_answer
from tests.browser.asking import message, new_chat, questions
from tests.browser.opening import open_page, use
from tests.browser.places import opened_list
from tests.browser.stand_in import StandIn, delta
from tests.rendering.hostile import HOSTILE

WATCH = """
window.alert = window.confirm = window.prompt = window.print = () => { window.ran = (window.ran || 0) + 1; };
addEventListener("securitypolicyviolation", (event) => {
  (window.violations ||= []).push(event.violatedDirective + " " + event.blockedURI);
});
"""
COVERED = """() => {
  const inside = document.querySelector(".page"), root = document.documentElement;
  const covering = [...document.querySelectorAll(".answer-text *, .fragment *")].filter((element) =>
    !element.matches(".copy-table, thead th") && ["fixed", "sticky"].includes(getComputedStyle(element).position));
  return covering.length || !inside || root.scrollWidth > innerWidth + 1;
}"""

# Parts that load when opened.
ALL_LOADED = """() => [...document.querySelectorAll("[role=dialog] details:is([data-thought], [data-json])")].every(
  (details) => details.children.length > 1)"""

FORBIDDEN = """() => [
  ...document.querySelectorAll("iframe, object, embed, form:not(.composer), .answer-text style, .fragment style"),
  ...[...document.querySelectorAll("[role=log] a")].filter((link) =>
    !/^(https?:|mailto:|#)/.test(link.getAttribute("href")) || (link.rel && !link.rel.includes("noopener"))),
].map((element) => element.outerHTML)"""


@pytest.fixture
def context(context: BrowserContext, app_url: str) -> Iterator[BrowserContext]:
    """A context that notes scripts that run. At its end, requests to other hosts than the app fail the test."""
    context.add_init_script(WATCH)
    seen: list[str] = []
    ours = (app_url, app_url.replace("http", "ws"), "data:", "blob:")
    context.on("request", lambda request: None if request.url.startswith(ours) else seen.append(request.url))
    yield context
    assert seen == []


def expect_nothing_happened(page: Page) -> None:
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.violations") is None
    assert not page.evaluate(COVERED)
    assert page.evaluate(FORBIDDEN) == []
    assert re.fullmatch(r"/(c/[\w-]+)?", page.evaluate("location.pathname"))
    expect(message(page)).to_be_visible()
    page.get_by_role("button", name="New chat").click(trial=True)


def activated(page: Page, place: str) -> None:
    """Move the pointer and the focus over all elements in a place."""
    page.evaluate(
        """(place) => {
          for (const element of document.querySelectorAll(place + " *")) {
            for (const type of ["mouseover", "mouseenter", "focus", "focusin", "toggle", "load", "error"])
              element.dispatchEvent(new Event(type, { bubbles: !["toggle", "load", "error"].includes(type) }));
            if (!element.closest("a, button")) element.click?.();
          }
        }""",
        place,
    )


def test_hostile_questions_and_streamed_answers_do_nothing(context: BrowserContext, stand_in: StandIn):
    # An open table would take all that follows.
    text = "\n\n".join(sorted(HOSTILE, key=lambda text: text.startswith("<table")))
    pieces = [delta(text[start : start + 37]) for start in range(0, len(text), 37)]
    page = open_page(context, backend=stand_in.streaming(*pieces))
    question = "\n".join(HOSTILE)
    get_answer(page, question)
    page.wait_for_function("() => document.querySelectorAll('.answer-text > *').length > 300")
    activated(page, ".question")
    activated(page, ".answer-text")
    expect_nothing_happened(page)
    shown = questions(page).locator(".question-text").text_content()
    assert question.startswith(shown.partition("…")[0])


@pytest.mark.thorough
def test_hostile_extras_errors_names_and_imports_do_nothing(context: BrowserContext, stand_in: StandIn, app_url: str):
    points = {
        "text": [f"{text}: {text}" for text in HOSTILE],
        "citations": [{"title": text, "content": text, "url": text, "filepath": text} for text in HOSTILE],
        "images": [{"url": text, "detail": text} for text in HOSTILE[:60]],
    }
    thoughts = [{"title": text, "description": text, "props": {text: text}} for text in HOSTILE]
    thoughts.append({"title": "x", "description": [{"role": text, "content": text} for text in HOSTILE], "props": None})
    thoughts.append({"title": "y", "description": [{"sourcepage": text, "content": text} for text in HOSTILE]})
    beside = {"data_points": points, "thoughts": thoughts, "followup_questions": list(HOSTILE)}
    cited = " ".join(f"Claim [{text}]." for text in HOSTILE if "\n" not in text)
    page = open_page(context, backend=stand_in.streaming({"context": beside}, delta(cited)))
    get_answer(page, "Which sources?")
    expect(page.get_by_role("group", name="Follow-up questions").get_by_role("button").first).to_be_visible()
    activated(page, ".chips")
    # By key, since the line about citations comes after the end, and moves the buttons.
    page.get_by_role("button", name="Sources", exact=True).press("Enter")
    expect(page.get_by_role("region", name="Sources").get_by_role("listitem").first).to_be_visible()
    activated(page, ".fragment")
    expect_nothing_happened(page)
    page.get_by_role("button", name="Thoughts").press("Enter")
    drawer = page.get_by_role("dialog", name="Thoughts")
    expect(drawer).to_contain_text("First byte")
    drawer.evaluate("drawer => drawer.querySelectorAll('details').forEach(details => { details.open = true; })")
    page.wait_for_function(ALL_LOADED)
    activated(page, "[role=dialog] .fragment")
    drawer.get_by_role("button", name="Close thoughts").click()
    expect_nothing_happened(page)
    page.reload()
    expect_settled(page)
    activated(page, ".answer-text")
    expect_nothing_happened(page)
    expect_nothing_to_happen_elsewhere(page, stand_in, app_url)


def expect_nothing_to_happen_elsewhere(page: Page, stand_in: StandIn, app_url: str) -> None:
    """Check errors, names of backends, and imports."""
    parts = ["\n".join(HOSTILE[start::5]) for start in range(5)]
    backend = stand_in.one_after_the_other(*([{"error": {"code": text, "message": text}}] for text in parts))
    use(page, backend)
    new_chat(page)
    for turn, _ in enumerate(parts, start=1):
        get_answer(page, "Fail.", turns=turn)
        expect(answers(page).last.get_by_role("alert")).to_be_visible()
    activated(page, ".callout")
    expect_nothing_happened(page)
    conversations = [imported(text) for text in HOSTILE]
    kept = {"format": "chat-ui-conversations", "version": 1, "conversations": conversations}
    assert page.request.post("/api/conversations/import", data=kept, headers={"Origin": app_url}).ok
    use(page, [(text, backend) for text in HOSTILE[:50]])
    expect(page.get_by_role("combobox", name="Backend").locator("option")).to_have_count(1 + 50)
    activated(page, ".header")
    expect(opened_list(page).get_by_role("link").first).to_be_visible()
    activated(page, "nav")
    expect_nothing_happened(page)


def imported(text: str) -> dict[str, object]:
    backend = {"url": "http://127.0.0.1:9/chat", "dialect": text, "profile": text}
    answer = {"number": 1, "status": "finished", "backend": backend, "answer": {"text": text}}
    return {"title": text, "turns": [{"id": "1", "question": text, "answers": [answer]}]}
