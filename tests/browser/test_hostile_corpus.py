"""Every hostile string in every place where foreign text is shown, in a real browser: nothing runs, loads or covers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.app import App
from tests.browser.stand_in import StandIn
from tests.browser.talking import NewContext, answers, ask, expect_settled, message, open_page
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
    !element.matches(".copy-table") && ["fixed", "sticky"].includes(getComputedStyle(element).position));
  return covering.length || !inside || root.scrollWidth > innerWidth + 1;
}"""


@contextmanager
def watched(context: BrowserContext, app_url: str) -> Iterator[BrowserContext]:
    """The context, in which it is noted what runs; at its end, the browser has asked nobody but the app."""
    context.add_init_script(WATCH)
    seen: list[str] = []
    ours = (app_url, app_url.replace("http", "ws"), "data:", "blob:")
    context.on("request", lambda request: None if request.url.startswith(ours) else seen.append(request.url))
    yield context
    assert seen == []


@pytest.fixture
def context(context: BrowserContext, app_url: str) -> Iterator[BrowserContext]:
    with watched(context, app_url) as opened:
        yield opened


def expect_nothing_happened(page: Page) -> None:
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.violations") is None
    assert not page.evaluate(COVERED)
    assert re.fullmatch(r"/(c/[\w-]+)?", page.evaluate("location.pathname"))
    expect(message(page)).to_be_visible()


def activated(page: Page, place: str) -> None:
    """Move the pointer and the focus over everything that foreign text became in a place, as a reader would."""
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


def test_there_are_enough():
    assert len(set(HOSTILE)) >= 150


def test_in_an_answer(context: BrowserContext, stand_in: StandIn):
    pieces = [{"delta": {"content": f"{text}\n\n"}} for text in HOSTILE]
    page = open_page(context, backend=stand_in.streaming(*pieces))
    ask(page, "Do your worst.")
    expect_settled(page)
    activated(page, ".answer-text")
    expect_nothing_happened(page)
    page.reload()
    expect_settled(page)
    activated(page, ".answer-text")
    expect_nothing_happened(page)


def test_in_a_data_point_a_file_name_and_a_citation(context: BrowserContext, stand_in: StandIn):
    points = {
        "text": [f"{text}: {text}" for text in HOSTILE],
        "citations": [{"title": text, "content": text, "url": text, "filepath": text} for text in HOSTILE],
        "images": [{"url": text, "detail": text} for text in HOSTILE[:60]],
    }
    cited = " ".join(f"Claim [{text}]." for text in HOSTILE if "\n" not in text)
    context_object = {"context": {"data_points": points}}
    page = open_page(context, backend=stand_in.streaming(context_object, {"delta": {"content": cited}}))
    ask(page, "Which sources?")
    expect_settled(page)
    page.get_by_role("button", name="Sources", exact=True).click()
    expect(page.get_by_role("region", name="Sources").get_by_role("listitem").first).to_be_visible()
    activated(page, ".fragment")
    expect_nothing_happened(page)


def test_in_thoughts_and_warnings(context: BrowserContext, stand_in: StandIn):
    thoughts = [{"title": text, "description": text, "props": {text: text}} for text in HOSTILE]
    thoughts.append({"title": "x", "description": [{"role": text, "content": text} for text in HOSTILE], "props": None})
    thoughts.append({"title": "y", "description": [{"sourcepage": text, "content": text} for text in HOSTILE]})
    page = open_page(
        context, backend=stand_in.streaming({"context": {"thoughts": thoughts}, "delta": {"content": "."}})
    )
    ask(page, "What did you think?")
    expect_settled(page)
    page.get_by_role("button", name="Thoughts").click()
    drawer = page.get_by_role("dialog", name="Thoughts")
    expect(drawer).to_contain_text("First byte")
    drawer.evaluate("drawer => drawer.querySelectorAll('details').forEach(details => { details.open = true; })")
    activated(page, ".fragment")
    drawer.get_by_role("button", name="Close thoughts").click()
    expect_nothing_happened(page)


def test_in_follow_up_questions(context: BrowserContext, stand_in: StandIn):
    followups = {"context": {"followup_questions": list(HOSTILE)}}
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "."}}, followups))
    ask(page, "What else?")
    expect_settled(page)
    expect(page.get_by_role("group", name="Follow-up questions").get_by_role("button").first).to_be_visible()
    activated(page, ".chips")
    expect_nothing_happened(page)


def test_in_an_error(context: BrowserContext, stand_in: StandIn):
    parts = ["\n".join(HOSTILE[start::5]) for start in range(5)]
    answers_in_turn = [({"error": {"code": text, "message": text}},) for text in parts]
    page = open_page(context, backend=stand_in.one_after_the_other(*answers_in_turn))
    for turn, _ in enumerate(answers_in_turn, start=1):
        ask(page, "Fail.")
        expect_settled(page, turns=turn)
        expect(answers(page).last.get_by_role("alert")).to_be_visible()
    activated(page, ".callout")
    expect_nothing_happened(page)


def test_in_a_question(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming({"delta": {"content": "Yes."}}))
    ask(page, "\n".join(HOSTILE))
    expect_settled(page)
    activated(page, ".question")
    expect_nothing_happened(page)


def test_in_the_name_of_a_backend(context: BrowserContext, stand_in: StandIn):
    url = stand_in.streaming({"delta": {"content": "Yes."}})
    page = open_page(context)
    for start in range(0, len(HOSTILE), 50):
        own = [{"id": f"own:{number}", "url": url, "name": text} for number, text in enumerate(HOSTILE[start:][:50])]
        saved = json.dumps({"selected": "own:0", "own": own})
        page.evaluate("saved => localStorage.setItem('chat-ui-backend', saved)", saved)
        page.reload()
        expect(page.get_by_role("combobox", name="Backend").locator("option")).to_have_count(1 + len(own))
        activated(page, ".header")
        expect_nothing_happened(page)


def test_in_the_name_of_an_operators_backend(
    built_app: Path, tmp_path: Path, new_context: NewContext, stand_in: StandIn
):
    url = stand_in.streaming({"delta": {"content": "Yes."}})
    names = [text for text in HOSTILE if len(text) <= 100]
    (tmp_path / "backends.json").write_text(json.dumps({"backends": [{"name": name, "url": url} for name in names]}))
    app = App(tmp_path, {"CHAT_UI_BACKENDS": str(tmp_path / "backends.json")}, built_app)
    app.start()
    try:
        with watched(new_context(base_url=app.url), app.url) as context:
            page = open_page(context)
            expect(page.get_by_role("combobox", name="Backend").locator("option")).to_have_count(len(names))
            activated(page, ".header")
            expect_nothing_happened(page)
    finally:
        app.end()


def test_in_what_is_imported(context: BrowserContext, app_url: str):
    page = open_page(context)
    kept = {
        "format": "chat-ui-conversations",
        "version": 1,
        "conversations": [imported(text) for text in HOSTILE],
    }
    response = page.request.post("/api/conversations/import", data=json.dumps(kept), headers={"Origin": app_url})
    assert response.ok
    page.reload()
    page.get_by_role("button", name="Conversations", exact=True).click()
    listed = page.get_by_role("navigation", name="Conversations")
    expect(listed.get_by_role("link").first).to_be_visible()
    activated(page, "nav")
    expect_nothing_happened(page)


def imported(text: str) -> dict[str, object]:
    backend = {"url": "http://127.0.0.1:9/chat", "dialect": text, "profile": text}
    answer = {"number": 1, "status": "finished", "backend": backend, "answer": {"text": text}}
    return {"title": text, "turns": [{"id": "1", "question": text, "answers": [answer]}]}
