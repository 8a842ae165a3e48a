from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browser.answering import expect_settled, get_answer
from tests.browser.asking import ask, message, questions
from tests.browser.listening import listening
from tests.browser.opening import NewContext, expect_alive, kept, open_page, reload
from tests.browser.places import open_settings, opened_tab
from tests.browser.stand_in import StandIn, delta
from tests.stand_ins.far_away import FarAway
from tests.stand_ins.stand_in import in_thread

ADDRESS = "http://localhost:3410/chat"
DOCUMENTS = "https://docs.example/{source}"


@pytest.fixture(scope="module")
def far_url(app_url: str) -> Iterator[str]:
    """The app's URL with a round trip of 80 ms."""
    with in_thread(FarAway(urlsplit(app_url).port or 0)) as far:
        yield far.url


@pytest.fixture
def far(new_context: NewContext, far_url: str) -> BrowserContext:
    return new_context(base_url=far_url)


def type_over(field: Locator, text: str) -> None:
    """Replace the text of `field`, letter by letter and as fast as the page takes it."""
    field.press("ControlOrMeta+a")
    field.press_sequentially(text)
    expect(field).to_have_value(text)


def test_fast_typing_in_each_field_of_the_settings_loses_no_letter(far: BrowserContext, stand_in: StandIn):
    page = open_page(far, backend=stand_in.saying("Yes."))
    dialog = open_settings(page)
    dialog.get_by_text("Azure search options").click()
    for name, typed in (
        ("Model", "gpt 4o mini"),
        ("Temperature", "0.75"),
        ("Vector fields", "words, pictures, sounds"),
        ("Other options, as JSON", '{"seed": 1234567}'),
    ):
        type_over(dialog.get_by_role("textbox", name=name), typed)
    switch = dialog.get_by_role("switch", name="Stream answers")
    for expected in (False, True, False):
        switch.press("Space")
        expect(switch).to_be_checked(checked=expected)
    kind = dialog.get_by_role("combobox", name="Authentication")
    kind.press("ArrowDown")
    kind.press("ArrowDown")
    expect(kind).to_have_value("header")
    type_over(dialog.get_by_role("textbox", name="Name of the header"), "X-Team-Key")
    dialog.get_by_label("Key", exact=True).press_sequentially("typed-key-0123456789")
    field = dialog.get_by_role("textbox", name="Backend URL")
    type_over(field, ADDRESS)
    field.press("Enter")
    expect(dialog).to_have_count(0)
    saved = page.evaluate("JSON.parse(localStorage['chat-ui-backend'])")
    own = saved["own"][0]
    assert (own["model"], own["url"], own["stream"]) == ("gpt 4o mini", ADDRESS, False)
    assert saved["options"][saved["selected"]] == {
        "temperature": 0.75, "vector_fields": ["words", "pictures", "sounds"], "seed": 1234567
    }  # fmt: skip
    dialog = open_settings(page)
    expect(dialog.get_by_role("textbox", name="Name of the header")).to_have_value("X-Team-Key")
    expect(dialog.get_by_role("button", name="Remove key")).to_be_visible()
    where = opened_tab(dialog, "Documents").get_by_role("textbox", name="Documents")
    type_over(where, DOCUMENTS)
    where.press("Enter")
    expect(dialog).to_have_count(0)
    assert page.evaluate("JSON.parse(localStorage['chat-ui-backend']).own[0].documents") == DOCUMENTS


@pytest.mark.thorough
@pytest.mark.wcag("3.3.7")
def test_a_test_result_replaces_no_typed_text_and_moves_no_caret(far: BrowserContext, app_url: str):
    complete = f"{app_url.replace('localhost', '127.0.0.1')}/demo/chat"
    server = complete.removesuffix("/chat")
    page = far.new_page()
    page.add_init_script(f"localStorage['chat-ui-backend'] ||= {kept(server)!r}")
    with page.expect_websocket() as opened:
        page.goto("/")
    expect_alive(page)
    dialog = open_settings(page)
    field = dialog.get_by_role("textbox", name="Backend URL")
    dialog.get_by_role("button", name="Test connection").click()
    # The selection stays when the test's address replaces the typed one.
    field.press("ControlOrMeta+a")
    expect(field).to_have_value(complete)
    field.press_sequentially(server)
    expect(field).to_have_value(server)
    dialog.get_by_role("button", name="Test connection").click()
    type_over(field, ADDRESS)
    expect(dialog.get_by_role("button", name="Test connection")).to_be_visible()
    expect(field).to_have_value(ADDRESS)
    field.press("Home")
    told: list[str] = []

    def confirms(frame: object) -> bool:
        told.append(str(frame))
        return "acknowledged" in told[-1] and any(f"XYZ{ADDRESS}" in one for one in told)

    # The address is sent after a pause, and confirmed. Both leave the caret.
    with opened.value.expect_event("framereceived", confirms):
        for at, letter in enumerate("XYZ", start=1):
            field.press(letter)
            assert field.input_value() == "XYZ"[:at] + ADDRESS
    field.press("W")
    expect(field).to_have_value(f"XYZW{ADDRESS}")


@pytest.mark.thorough
def test_the_last_chosen_backend_answers_a_question_right_after_new_chat(far: BrowserContext, stand_in: StandIn):
    at = {name: stand_in.saying(f"{name} here.") for name in ("a", "b", "c", "d")}
    page = open_page(far, backend=at.items())
    chosen = page.get_by_role("combobox", name="Backend")
    for name in ("b", "c", "d"):
        chosen.select_option(label=name)
    expect(chosen).to_have_value("own:3")
    page.wait_for_function("() => JSON.parse(localStorage['chat-ui-backend']).selected === 'own:3'")
    expect(chosen).to_have_value("own:3")
    # After an empty conversation, and after one with questions.
    for colour in ("red", "green"):
        page.get_by_role("button", name="New chat").click()
        ask(page, f"Are buoys {colour}?")
        expect(questions(page)).to_have_text([f"Are buoys {colour}?"])
        expect(expect_settled(page)).to_contain_text("d here.")
        get_answer(page, "And at night?", turns=2)
        expect(questions(page)).to_have_text([f"Are buoys {colour}?", "And at night?"])
        expect(page.get_by_role("article", name="Waiting to be sent")).to_have_count(0)


SAID = delta("Said.")
LOST = "This question did not arrive. Send it again."


@pytest.mark.wcag("3.3.7")
def test_a_draft_edit_and_an_undelivered_question_survive_a_reload(context: BrowserContext, stand_in: StandIn):
    page = open_page(context, backend=stand_in.streaming(SAID))
    socket = listening(page)
    get_answer(page, "First?")
    page.get_by_role("button", name="Edit question").click()
    box = page.get_by_role("textbox", name="Edited question")
    box.fill("First, re")
    box.evaluate("box => box.setAttribute('data-shown', 'before')")
    socket.break_off()
    expect(box).not_to_have_attribute("data-shown", "before")
    expect(box).to_have_value("First, re")
    expect(box).to_be_focused()
    reload(page)
    expect(box).to_have_value("First, re")
    box.fill("First, really?")
    socket.hold_told()
    box.press("Enter")
    box.press("Enter")
    socket.let_go()
    expect(questions(page).locator(".question-text")).to_have_text(["First, really?"])
    expect_settled(page)
    expect(page.get_by_role("group", name="Versions of this question")).to_contain_text("2 / 2")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(message(page)).to_have_value("")

    socket.lose_said()
    ask(page, "Second?")
    expect(message(page)).to_have_value("")
    message(page).press_sequentially("And this.")
    socket.let_go()
    socket.break_off()
    expect(message(page)).to_have_value("Second?\nAnd this.")
    expect(page.get_by_role("alert")).to_have_text(LOST)
    message(page).press("Enter")
    expect_settled(page, turns=2)
    expect(page.get_by_role("alert")).to_have_count(0)
    page.reload()
    expect_settled(page, turns=2)
    expect(message(page)).to_have_value("")
