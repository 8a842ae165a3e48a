"""Hostile text stays text: nothing that a backend sends runs, loads or covers anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.browser.talking import ask, expect_settled, open_page

ATTACKS = (
    "<script>window.ran = 'script'</script>",
    "<img src=x onerror=\"window.ran = 'onerror'\">",
    "<svg onload=\"window.ran = 'svg'\"><script>window.ran = 'svg script'</script></svg>",
    "<iframe srcdoc=\"<script>parent.ran = 'srcdoc'</script>\"></iframe>",
    "<iframe src=\"javascript:parent.ran = 'iframe'\"></iframe>",
    "<object data=\"javascript:window.ran = 'object'\"></object>",
    "<a href=\"javascript:window.ran = 'link'\" data-attack>press</a>",
    "[press](javascript:window.ran='markdown')",
    "<form action=\"javascript:window.ran = 'form'\"><button data-attack>press</button></form>",
    "<details open ontoggle=\"window.ran = 'toggle'\"><summary>x</summary></details>",
    "<math><mtext><img src=x onerror=\"window.ran = 'math'\"></mtext></math>",
    "<style>* { display: none }</style>",
    '<div style="position: fixed; inset: 0; background: red" data-attack>over everything</div>',
    '<base href="https://elsewhere.example/">',
    '<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">',
    '<link rel="stylesheet" href="https://elsewhere.example/x.css">',
    '<img src="https://elsewhere.example/pixel.png">',
    "![pixel](https://elsewhere.example/pixel.png)",
    "![pixel][far]\n\n[far]: https://elsewhere.example/pixel.png",
    '<video src="https://elsewhere.example/v.mp4" autoplay></video>',
    '<table background="https://elsewhere.example/t.png"><tr><td>cell</td></tr></table>',
    '<button type="button" class="citation" data-use="0" onclick="window.ran = \'forged\'">1</button>',
)


@pytest.fixture
def foreign_requests(context: BrowserContext, app_url: str) -> Iterator[list[str]]:
    """The addresses beyond the app that the browser tried to reach."""
    seen: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith((app_url, app_url.replace("http", "ws"), "data:", "blob:")):
            seen.append(request.url)

    context.on("request", note)
    yield seen
    context.remove_listener("request", note)


def expect_harmless(page: Page, foreign_requests: list[str]) -> None:
    for link in page.get_by_role("log").get_by_role("link").all():
        assert link.get_attribute("href").startswith(("https://", "http://", "mailto:", "#"))
        assert "noopener" in (link.get_attribute("rel") or "noopener")
    assert page.evaluate("window.ran") is None
    assert foreign_requests == []
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    page.get_by_role("button", name="New chat").click(trial=True)
    expect(page.locator("[data-attack], iframe, object, form:not(.composer), .answer-text style")).to_have_count(0)


def test_an_answer_runs_and_loads_nothing(context: BrowserContext, stand_in, foreign_requests: list[str]):
    page = open_page(
        context, backend=stand_in.streaming(*({"delta": {"content": f"{attack}\n\n"}} for attack in ATTACKS))
    )
    ask(page, "Do your worst.")
    expect_settled(page)
    expect_harmless(page, foreign_requests)
    page.reload()
    expect_settled(page)
    expect_harmless(page, foreign_requests)


def test_half_sent_attacks_run_and_load_nothing(context: BrowserContext, stand_in, foreign_requests: list[str]):
    text = "\n\n".join(ATTACKS)
    pieces = [text[index : index + 7] for index in range(0, len(text), 7)]
    page = open_page(context, backend=stand_in.streaming(*({"delta": {"content": piece}} for piece in pieces)))
    ask(page, "Do your worst, slowly.")
    expect_settled(page)
    expect_harmless(page, foreign_requests)


def test_sources_and_thoughts_run_and_load_nothing(context: BrowserContext, stand_in, foreign_requests: list[str]):
    context_object = {
        "data_points": {
            "text": [f"{attack}.pdf: {attack}" for attack in ATTACKS],
            "images": ["https://elsewhere.example/image.png", "data:image/svg+xml,<svg onload='parent.ran=1'/>"],
        },
        "thoughts": [
            {"title": attack, "description": attack, "props": {attack: attack, "token_usage": {attack: 1}}}
            for attack in ATTACKS
        ]
        + [{"title": "Results", "description": [{"id": attack, "content": attack} for attack in ATTACKS]}],
        "followup_questions": list(ATTACKS),
    }
    page = open_page(
        context,
        backend=stand_in.streaming({"delta": {"content": f"Text [{ATTACKS[0]}.pdf]"}, "context": context_object}),
    )
    ask(page, "Do your worst.")
    expect_settled(page)
    page.get_by_role("button", name="Sources").click()
    expect(page.get_by_role("region", name="Sources").get_by_role("listitem").first).to_be_visible()
    expect_harmless(page, foreign_requests)
    page.get_by_role("button", name="Thoughts").click()
    drawer = page.get_by_role("dialog", name="Thoughts")
    expect(drawer).to_contain_text("Results")
    for summary in drawer.locator("summary").all():
        if summary.is_visible():
            summary.click()
    page.keyboard.press("Escape")
    expect_harmless(page, foreign_requests)


@pytest.mark.parametrize("attack", [ATTACKS[0], ATTACKS[1], ATTACKS[3]])
def test_an_error_runs_and_loads_nothing(context: BrowserContext, stand_in, foreign_requests: list[str], attack: str):
    page = open_page(context, backend=stand_in.streaming({"error": {"code": attack, "message": f"broken {attack}"}}))
    ask(page, "Fail.")
    expect(expect_settled(page).get_by_role("alert")).to_contain_text("broken")
    expect_harmless(page, foreign_requests)


def test_a_hostile_question_is_shown_as_it_was_typed(page: Page, foreign_requests: list[str]):
    ask(page, ATTACKS[1])
    expect(page.get_by_role("article", name="Question")).to_have_text(ATTACKS[1])
    expect_settled(page)
    expect_harmless(page, foreign_requests)
