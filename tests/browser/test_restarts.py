"""A server that dies or ends in mid-answer, and is started again."""

from __future__ import annotations

import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.app import App
from tests.benchmarks.servers import wait_until
from tests.browser.attaching import PICTURE, attach, attached
from tests.browser.listening import listening
from tests.browser.talking import (
    NewContext,
    address_of,
    answers,
    ask,
    expect_alive,
    expect_settled,
    expect_streaming,
    message,
    open_page,
    questions,
    text_of,
    use,
)

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def app(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    made = App(tmp_path_factory.mktemp("restarted"), {"CHAT_UI_GRACE_SECONDS": "1"}, built_app)
    made.start()
    yield made
    made.end()


@pytest.fixture
def page(app: App, new_context: NewContext) -> Page:
    return open_page(new_context(base_url=app.url))


def flushed(app: App, page: Page, text: str) -> bool | None:
    """True once the database has this text of a running answer in the conversation that the page shows."""
    return _is_there(
        app,
        page,
        "piece JOIN generation ON generation.id = piece.generation WHERE conversation = ? AND piece.text = ?",
        text,
    )


def flushed_question(app: App, page: Page, question: str) -> bool | None:
    """True once the database has this question in the conversation that the page shows."""
    return _is_there(app, page, "turn WHERE conversation = ? AND question = ?", question)


def _is_there(app: App, page: Page, rows: str, text: str) -> bool | None:
    # Other tests ask the same of the same app.
    conversation = page.evaluate("sessionStorage.getItem('chat-ui-conversation')")
    with closing(sqlite3.connect(app.data / "chat.db")) as database:
        found = database.execute(f"SELECT 1 FROM {rows}", (conversation, text)).fetchone()
    return True if found else None


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_an_answer_that_was_being_made_is_there_after_a_restart(app: App, page: Page, stand_in, how: signal.Signals):
    saved = stand_in.streaming({"delta": {"content": "The first half of it."}}, stand_in.WAIT_FOR_EVER)
    use(page, saved)
    ask(page, "Tell me all of it")
    expect(expect_streaming(page)).to_contain_text("The first half of it.")
    wait_until(lambda: flushed(app, page, "The first half of it."), 60)
    app.end(how)
    app.start()
    page.reload()
    expect(questions(page)).to_have_count(1)
    # A page that met the new server before it was loaded anew has told of it already: then it is a note.
    told = answers(page).get_by_role("alert").or_(answers(page).get_by_role("note"))
    expect(told).to_contain_text("interrupted")
    expect(answers(page)).to_contain_text("The first half of it.")
    expect(told.get_by_role("button", name="Retry")).to_be_visible()
    told.get_by_role("button", name="Continue").click()
    expect(questions(page)).to_have_count(2)
    expect_streaming(page)
    sent = stand_in.asked(saved)[-1]["messages"]
    assert [message["content"] for message in sent][:2] == ["Tell me all of it", "The first half of it."]
    page.get_by_role("button", name="Stop").click()
    expect_settled(page, turns=2)


@contextmanager
def writing_nothing(app: App) -> Iterator[None]:
    """Have the app write nothing to its database."""
    with closing(sqlite3.connect(app.data / "chat.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def dying_before_it_writes(app: App, page: Page, *, by_reload: bool) -> Iterator[None]:
    """Have the app write nothing more, kill it after what is done here, and start it again. The page finds the server
    again by itself, or, having heard nothing of it yet, is loaded anew.
    """
    with writing_nothing(app):
        yield
        app.end(signal.SIGKILL)
    address = page.url
    if by_reload:
        page.goto("about:blank")
    app.start()
    if by_reload:
        page.goto(address)
        expect_alive(page)


BUOYS = {"delta": {"content": "Buoys are red."}}
LOST = "The server stopped before it had kept this question. Send it again."


@pytest.mark.parametrize("by_reload", [True, False])
@pytest.mark.parametrize("before", ["in a new chat", "after another question"])
def test_a_question_that_was_shown_and_not_written_is_in_the_box_after_a_restart(
    app: App, page: Page, *, before: str, by_reload: bool
):
    kept = []
    if before == "after another question":
        kept = ["Who is there?"]
        ask(page, "Who is there?")
        expect_settled(page)
        wait_until(lambda: flushed_question(app, page, "Who is there?"), 60)
    with dying_before_it_writes(app, page, by_reload=by_reload):
        attach(page, PICTURE)
        expect(attached(page)).to_have_attribute("aria-busy", "false")
        ask(page, "What colour are buoys?")
        expect_settled(page, turns=len(kept) + 1)
        expect(message(page)).to_have_value("")
    expect(page.get_by_role("alert").get_by_text(LOST)).to_be_visible()
    expect(message(page)).to_have_value("What colour are buoys?")
    expect(page.get_by_role("button", name=f"Remove {PICTURE['name']}")).to_be_visible()
    expect(questions(page)).to_have_text(kept)
    page.get_by_role("button", name=f"Remove {PICTURE['name']}").click()
    message(page).press("Enter")
    expect_settled(page, turns=len(kept) + 1)
    expect(message(page)).to_have_value("")
    wait_until(lambda: flushed_question(app, page, "What colour are buoys?"), 60)
    page.reload()
    expect_settled(page, turns=len(kept) + 1)
    expect(message(page)).to_have_value("")
    expect(page.get_by_role("alert").get_by_text(LOST)).to_have_count(0)


@pytest.mark.parametrize("by_reload", [True, False])
def test_an_edit_that_was_shown_and_not_written_is_in_its_box_after_a_restart(
    app: App, page: Page, stand_in, *, by_reload: bool
):
    use(page, stand_in.streaming(BUOYS))
    ask(page, "What colour were they?")
    expect_settled(page)
    wait_until(lambda: flushed_question(app, page, "What colour were they?"), 60)
    box = page.get_by_role("textbox", name="Edited question")
    with dying_before_it_writes(app, page, by_reload=by_reload):
        page.get_by_role("button", name="Edit question").click()
        box.fill("What colour will they be?")
        box.press("Enter")
        expect(questions(page).locator(".question-text")).to_have_text(["What colour will they be?"])
        expect_settled(page)
    expect(box).to_have_value("What colour will they be?")
    box.press("Enter")
    expect(questions(page).locator(".question-text")).to_have_text(["What colour will they be?"])
    wait_until(lambda: flushed_question(app, page, "What colour will they be?"), 60)
    page.reload()
    expect_settled(page)
    expect(box).to_have_count(0)
    expect(page.get_by_role("group", name="Versions of this question")).to_contain_text("2 / 2")


def test_a_question_that_was_written_unheard_is_not_in_the_box_after_a_restart(app: App, page: Page, stand_in):
    use(page, stand_in.streaming(BUOYS))
    ask(page, "Is this the first?")
    expect_settled(page)
    socket = listening(page)
    ask(page, "Is this heard of?")
    expect(questions(page)).to_have_count(2)
    socket.hold_told()
    wait_until(lambda: flushed_question(app, page, "Is this heard of?"), 60)
    app.end(signal.SIGKILL)
    app.start()
    socket.forget()
    page.reload()
    expect_settled(page, turns=2)
    expect(questions(page)).to_have_text(["Is this the first?", "Is this heard of?"])
    expect(message(page)).to_have_value("")


def test_while_the_disk_is_full_answers_go_on_and_the_person_is_told(app: App, page: Page, stand_in):
    use(page, stand_in.streaming({"delta": {"content": "An answer that no disk has."}}))
    notice = page.get_by_role("status").get_by_text("not being kept")
    limit_files(app, 1)
    ask(page, "Is there room?")
    expect_settled(page)
    expect(answers(page)).to_contain_text("An answer that no disk has.")
    expect(notice).to_be_visible()
    assert httpx.get(f"{app.url}/ready").json()["store"] is False
    limit_files(app, resource.RLIM_INFINITY)
    expect(notice).to_be_hidden()
    app.end(signal.SIGKILL)
    app.start()
    page.reload()
    expect(answers(page)).to_contain_text("An answer that no disk has.")


def test_while_the_network_is_away_an_answer_goes_on_and_is_there_whole_and_once_afterwards(page: Page, stand_in):
    words = [f"Word {number} of it.\n\n" for number in range(100)]
    first, *others = ({"delta": {"content": text}} for text in ("".join(words[:50]), *words[50:]))
    use(page, stand_in.held(first, *others))
    ask(page, "Tell me all of it")
    answer = expect_streaming(page)
    page.context.set_offline(True)
    stand_in.go_on()
    markdown = f"{answer.locator('.answer-text').get_attribute('data-address')}/markdown"
    wait_until(lambda: words[-1].strip() in page.request.get(markdown).text() or None, 60)
    page.context.set_offline(False)
    assert text_of(expect_settled(page)) == "".join("".join(words).split())


def test_the_address_names_the_conversation_once_any_server_finds_it(app: App, page: Page, stand_in):
    use(page, stand_in.streaming({"delta": {"content": "Buoys are red."}}))
    expect(page).to_have_url(f"{app.url}/")
    with writing_nothing(app):
        ask(page, "What colour are buoys?")
        expect_settled(page)
        expect(page.get_by_text("not being kept")).to_be_visible()
        expect(page).to_have_url(f"{app.url}/")
    elsewhere = page.context.new_page()
    elsewhere.goto(address_of(page))
    expect(answers(elsewhere)).to_contain_text("Buoys are red.")
    page.get_by_role("button", name="New chat").click()
    expect(page).to_have_url(f"{app.url}/")
    expect(questions(page)).to_have_count(0)


def limit_files(app: App, size: int) -> None:
    """Let no file that the server writes become larger."""
    for process in app.processes():
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
