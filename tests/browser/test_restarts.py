import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.app import App
from tests.browser.answering import answers, expect_settled, expect_streaming, get_answer, start_answer
from tests.browser.asking import ask, message, questions
from tests.browser.listening import listening
from tests.browser.opening import NewContext, address_of, open_page
from tests.browser.places import open_settings, save
from tests.browser.stand_in import StandIn, delta
from tests.servers import wait_until

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def app(built_app: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    made = App(tmp_path_factory.mktemp("restarted"), {"CHAT_UI_GRACE_SECONDS": "1"}, built_app)
    made.start()
    yield made
    made.end()


def open_at(app: App, new_context: NewContext, backend: str | None = None) -> Page:
    """The page of another person."""
    return open_page(new_context(base_url=app.url), backend=backend)


_ROWS = {
    "pieces": "piece.text FROM piece JOIN generation ON generation.id = piece.generation WHERE conversation = ?",
    "questions": "question FROM turn WHERE conversation = ?",
    "finished answers": "text FROM generation WHERE status = 'finished' AND conversation = ?",
}


def kept(app: App, page: Page, what: str) -> list[str]:
    """The stored texts of this kind in the page's conversation."""
    # Other tests ask the same question in the same app.
    conversation = page.evaluate("sessionStorage.getItem('chat-ui-conversation')")
    with closing(sqlite3.connect(app.data / "chat.db")) as database:
        return [text for (text,) in database.execute(f"SELECT {_ROWS[what]}", (conversation,))]


def test_answers_questions_and_drafts_survive_a_killed_server(app: App, new_context: NewContext, stand_in: StandIn):
    backend = stand_in.streaming(delta("The first half of it."), stand_in.WAIT_FOR_EVER)
    page = open_at(app, new_context, backend)
    expect(start_answer(page, "Tell me all of it")).to_contain_text("The first half of it.")
    dialog = open_settings(page)
    dialog.get_by_label("Key", exact=True).fill("sk-half-typ")
    options = dialog.get_by_role("textbox", name="Other options, as JSON")
    options.fill('{"index": "buoys"')
    unheard = open_at(app, new_context, stand_in.saying("Buoys are red."))
    get_answer(unheard, "Is this the first?")
    socket = listening(unheard)
    with writing_nothing(app):
        ask(unheard, "Is this heard of?")
        expect(questions(unheard)).to_have_count(2)
        socket.hold_told()
    wait_until(lambda: "Is this heard of?" in kept(app, unheard, "questions") or None, 60)
    wait_until(lambda: "The first half of it." in kept(app, page, "pieces") or None, 60)
    app.end(signal.SIGKILL)
    lost = page.locator(".connection-status")
    expect(lost).to_contain_text("server cannot be reached")
    options.press_sequentially(', "deep')
    app.start()
    socket.forget()
    unheard.reload()
    expect_settled(unheard, turns=2)
    expect(questions(unheard)).to_have_text(["Is this the first?", "Is this heard of?"])
    expect(message(unheard)).to_have_value("")

    expect(lost).to_have_count(0)
    expect(options).to_have_value('{"index": "buoys", "deep')
    expect(options).to_be_focused()
    expect(dialog.get_by_role("textbox", name="Backend URL")).to_have_value(backend)
    expect(dialog.get_by_label("Key", exact=True)).to_have_value("sk-half-typ")
    options.press_sequentially('": 3}')
    save(dialog)
    expect(questions(page)).to_have_count(1)
    # The alert is a note if the page met the new server before the answer.
    told = answers(page).get_by_role("alert").or_(answers(page).get_by_role("note"))
    expect(told).to_contain_text("interrupted")
    expect(answers(page)).to_contain_text("The first half of it.")
    expect(told.get_by_role("button", name="Retry")).to_be_visible()
    told.get_by_role("button", name="Continue").click()
    expect(questions(page)).to_have_count(2)
    expect_streaming(page)
    sent = stand_in.asked(backend)[-1]
    assert [message["content"] for message in sent["messages"]][:2] == ["Tell me all of it", "The first half of it."]
    assert sent["context"]["overrides"]["deep"] == 3
    page.get_by_role("button", name="Stop").click()
    expect_settled(page, turns=2)


@contextmanager
def writing_nothing(app: App) -> Iterator[None]:
    """Stop the app's writes to its database."""
    with closing(sqlite3.connect(app.data / "chat.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.thorough
def test_unwritten_changes_are_told_and_kept_later_with_an_address(
    app: App, new_context: NewContext, stand_in: StandIn
):
    words = ("Buoys that nobody wrote down ", "are red.")
    page = open_at(app, new_context, stand_in.held(*(delta(text) for text in words)))
    unsaved = page.get_by_role("status").get_by_text("cannot be saved")
    expect(page).to_have_url(f"{app.url}/")
    with writing_nothing(app):
        start_answer(page, "What colour are buoys?")
        expect(unsaved).to_be_visible()
        assert httpx2.get(f"{app.url}/ready").json()["store"] is False
        stand_in.go_on()
        expect(expect_settled(page)).to_contain_text("".join(words))
        expect(page).to_have_url(f"{app.url}/")
        assert not kept(app, page, "finished answers")
    expect(unsaved).to_be_hidden()
    elsewhere = page.context.new_page()
    elsewhere.goto(address_of(page))
    expect(answers(elsewhere)).to_contain_text("".join(words))
    assert kept(app, page, "finished answers") == ["".join(words)]
