import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import expect_settled
from tests.browser.asking import ask, message
from tests.browser.axe import expect_no_violations, expect_no_violations_in_both_schemes
from tests.browser.hearing import heard, heard_to, listen
from tests.browser.listening import listening
from tests.browser.opening import address_of, expect_alive, reload
from tests.browser.places import from_more, opened_list
from tests.stand_ins.pausing_agent import PausingAgent
from tests.stand_ins.stand_in import StandIn, in_thread

PHONE = {"width": 390, "height": 800}
FOCUSED = "() => document.activeElement.className"


@pytest.fixture
def agent() -> PausingAgent:
    return PausingAgent()


@pytest.fixture
def backend(agent: PausingAgent) -> Iterator[str]:
    with in_thread(StandIn(agent)) as stand_in:
        yield stand_in.url


def use_agent(page: Page, url: str, *names: str) -> None:
    """Use the agent from now on, also under further names."""
    own = [{"id": f"own:{name}", "name": name, "url": url, "kind": "ag-ui"} for name in ("Agent", *names)]
    choices = json.dumps({"selected": own[0]["id"], "own": own})
    page.evaluate("kept => localStorage.setItem('chat-ui-backend', kept)", choices)
    reload(page)


def card(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("^The agent asks"))


def press(page: Page, name: str) -> None:
    card(page).get_by_role("button", name=name, exact=True).click()


def decision(page: Page) -> Locator:
    return page.get_by_role("article", name="Decision")


def expect_decided(page: Page, words: str, answer: str) -> None:
    expect(decision(page)).to_contain_text(words)
    expect(card(page)).to_have_count(0)
    expect(expect_settled(page, turns=2)).to_contain_text(answer)


def test_a_request_waits_over_reloads_and_is_decided_once(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend)
    listen(page)
    ask(page, "Mail Ann.")
    message(page).press_sequentially("ad")
    expect(card(page)).to_contain_text("Run “Send email”")
    for words in ("Mail leaves the company.", "send_email", "ann@example.com", "Asked by Agent"):
        expect(card(page)).to_contain_text(words)
    # Letters are shortcuts only within the card, which does not take the focus.
    message(page).press_sequentially("ad")
    expect(message(page)).to_have_value("adad")
    message(page).fill("")
    said = "The agent asks for your approval: Run “Send email”. Asked by Agent."
    assert heard_to(page, "The agent asks").said.count(said) == 1
    expect(page).to_have_title(re.compile("^Waiting for you: "))
    expect_no_violations_in_both_schemes(page)
    address_of(page)
    other = page.context.new_page()
    other.goto(page.url)
    expect_alive(other)
    reload(page)
    expect(card(page)).to_be_visible()
    assert not [words for words in heard(page).said if "asks" in words]
    expect(opened_list(page).get_by_role("img", name="Waiting for you")).to_have_count(1)
    page.keyboard.press("Escape")

    card(page).get_by_role("textbox", name="Reason to deny (optional)").fill("ad")
    card(page).get_by_role("button", name="Deny").focus()
    page.keyboard.press("d")
    expect_decided(page, "Denied “send_email” at ", "Not sent.")
    assert page.evaluate(FOCUSED) == "decision-line"
    expect(page).not_to_have_title(re.compile("Waiting"))
    expect_decided(other, "Denied “send_email”", "Not sent.")
    assert (agent.ran, len(agent.decisions)) == ([], 1)
    expect(page.get_by_role("button", name="Regenerate")).to_have_count(0)
    ask(page, "plain")
    expect_settled(page, turns=3)


def test_arguments_are_edited_in_a_form(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend)
    ask(page, "Mail Ann.")
    press(page, "Edit")
    card(page).get_by_role("textbox", name="to", exact=True).fill("bob@example.com")
    card(page).get_by_role("button", name="Approve changes").focus()
    page.keyboard.press("a")
    expect_decided(page, "Approved", "Sent to bob@example.com.")
    assert agent.ran == [{"to": "bob@example.com", "subject": "Report"}]


def test_a_form_shows_problems_at_its_fields(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend)
    page.set_viewport_size(PHONE)
    ask(page, "Show a form.")
    press(page, "Send")
    room, seats = card(page).get_by_label("Room"), card(page).get_by_label("Seats")
    expect(room).to_be_focused()
    room.select_option("Blue")
    seats.fill("44")
    press(page, "Send")
    expect(seats).to_be_focused()
    expect(seats).to_have_accessible_description(re.compile("20"))
    expect_no_violations(page)
    seats.fill("4")
    seats.press("Enter")
    expect_decided(page, "Answered “Which room?”", "Booked Blue.")
    assert agent.decisions == [{"room": "Blue", "seats": 4}]


def test_several_requests_are_decided_each_or_together_once_all_were_opened(
    page: Page, agent: PausingAgent, backend: str
):
    use_agent(page, backend)
    page.set_viewport_size(PHONE)
    ask(page, "Do two things.")
    together = card(page).get_by_role("button", name="Approve all 2")
    expect(together).to_be_disabled()
    requests = card(page).locator("details")
    requests.nth(0).locator("summary").focus()
    page.keyboard.press("a")
    expect(requests.nth(0).locator("summary")).not_to_contain_text("✓")
    for request in requests.all():
        request.locator("summary").click()
    expect(together).to_be_enabled()
    send = card(page).get_by_role("button", name="Send 2 decisions")
    requests.nth(0).get_by_role("button", name="Approve").click()
    expect(send).to_be_disabled()
    requests.nth(1).get_by_role("button", name="Deny").focus()
    page.keyboard.press("d")
    expect(requests.nth(1).get_by_role("button", name="Deny")).to_have_attribute("aria-pressed", "true")
    expect_no_violations(page)
    # A reason after the decision is not lost.
    requests.nth(1).get_by_role("textbox", name="Reason to deny (optional)").fill("Not now.")
    expect(send).to_be_disabled()
    requests.nth(1).get_by_role("button", name="Deny").click()
    send.click()
    expect_decided(page, "Approved “send_email” · Denied “delete_file”", "Sent to ann@example.com. Not sent.")
    assert agent.decisions[1] == {"approved": False, "reason": "Not now."}
    assert len(agent.ran) == 1


def test_an_approval_of_a_request_that_comes_again_needs_two_presses(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend)
    ask(page, "Mail, and ask again.")
    for turns in (2, 3):
        press(page, "Deny")
        expect(decision(page)).to_have_count(turns - 1)
        expect_settled(page, turns=turns)
    expect(card(page)).to_contain_text("asked the same 3 times")
    press(page, "Approve")
    expect(card(page).get_by_role("alert")).to_have_text("Press again to approve it.")
    assert agent.ran == []
    press(page, "Approve")
    expect(decision(page)).to_have_count(3)
    expect(expect_settled(page, turns=4)).to_contain_text("Sent to")
    assert len(agent.ran) == 1


def test_a_lost_decision_can_be_made_again(page: Page, agent: PausingAgent, backend: str):
    socket = listening(page)
    use_agent(page, backend)
    ask(page, "Mail Ann.")
    expect(card(page)).to_be_visible()
    socket.lose_said("decide")
    press(page, "Approve")
    expect(card(page).get_by_text("Sending…")).to_be_visible()
    socket.break_off()
    socket.let_go()
    press(page, "Approve")
    expect_decided(page, "Approved", "Sent to ann@example.com.")
    assert len(agent.ran) == 1


def test_an_audience_sees_a_request_only_when_the_presenter_shows_it(page: Page, backend: str):
    use_agent(page, backend)
    ask(page, "Mail Ann.")
    expect(card(page)).to_be_visible()
    page.keyboard.press("F2")
    expect(card(page)).to_have_count(0)
    expect(page).not_to_have_title(re.compile("Waiting"))
    page.get_by_role("button", name="Show request").click()
    expect(card(page)).to_be_visible()
    page.keyboard.press("F2")
    expect(page).to_have_title(re.compile("^Waiting"))
    page.keyboard.press("F2")
    expect(card(page)).to_have_count(0)
    page.keyboard.press("F2")


def test_each_side_of_a_comparison_has_its_own_request(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend, "Other")
    from_more(page, "Compare")
    page.get_by_role("combobox", name="Backend of the right column").select_option(label="Other")
    message(page).fill("Mail Ann.")
    message(page).press("Enter")
    expect(card(page)).to_have_count(2)
    right = page.get_by_role("region", name="Right", exact=True)
    right.get_by_role("button", name="Approve").click()
    expect(right.get_by_role("article", name="Decision")).to_contain_text("Approved")
    expect(card(page)).to_have_count(1)
    expect(page).to_have_title(re.compile("^Waiting for you: "))
    press(page, "Deny")
    expect(decision(page)).to_have_count(2)
    assert (len(agent.ran), len(agent.decisions)) == (1, 2)
