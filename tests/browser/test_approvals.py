import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.answering import expect_settled
from tests.browser.asking import ask, message
from tests.browser.axe import expect_no_violations, expect_no_violations_in_both_schemes
from tests.browser.hearing import heard, heard_to, listen
from tests.browser.opening import address_of, expect_alive, reload
from tests.browser.places import from_more, opened_list
from tests.stand_ins.pausing_agent import AG_UI, KINDS, WIRES, PausingAgent
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


def use_agent(page: Page, url: str, *wires: str) -> None:
    """Use the agent from now on; further ones are on offer too."""
    own = [{"id": f"own:{wire}", "name": wire, "url": url + wire, "kind": KINDS[wire]} for wire in wires]
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
    use_agent(page, backend, AG_UI)
    listen(page)
    ask(page, "Mail Ann.")
    message(page).press_sequentially("ad")
    expect(card(page)).to_contain_text("Run “Send email”")
    for words in ("Mail leaves the company.", "send_email", "ann@example.com", f"Asked by {AG_UI}"):
        expect(card(page)).to_contain_text(words)
    # Letters are shortcuts only within the card, which does not take the focus.
    message(page).press_sequentially("ad")
    expect(message(page)).to_have_value("adad")
    message(page).fill("")
    said = f"The agent asks for your approval: Run “Send email”. Asked by {AG_UI}."
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


@pytest.mark.parametrize("wire", WIRES)
def test_an_approval_runs_the_tool_once_on_each_wire(page: Page, agent: PausingAgent, backend: str, wire: str):
    use_agent(page, backend, wire)
    ask(page, "Mail Ann.")
    card(page).get_by_role("button", name="Approve").focus()
    page.keyboard.press("a")
    expect_decided(page, "Approved “send_email”", "Sent to ann@example.com.")
    assert len(agent.ran) == 1


def test_arguments_are_edited_in_a_form(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend, AG_UI)
    ask(page, "Mail Ann.")
    press(page, "Edit")
    card(page).get_by_role("textbox", name="to", exact=True).fill("bob@example.com")
    press(page, "Approve changes")
    expect_decided(page, "Approved", "Sent to bob@example.com.")
    assert agent.ran == [{"to": "bob@example.com", "subject": "Report"}]


def test_a_form_shows_problems_at_its_fields(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend, AG_UI)
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
    expect_decided(page, "Answered “Which room?”", "Sent to")
    assert agent.decisions == ["Blue"]


def test_several_requests_are_decided_each_or_together_once_all_were_opened(
    page: Page, agent: PausingAgent, backend: str
):
    use_agent(page, backend, AG_UI)
    page.set_viewport_size(PHONE)
    ask(page, "Do two things.")
    together = card(page).get_by_role("button", name="Approve all 2")
    expect(together).to_be_disabled()
    requests = card(page).locator("details")
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
    send.click()
    expect_decided(page, "Approved “send_email” · Denied “delete_file”", "Sent to ann@example.com. Not sent.")
    assert len(agent.ran) == 1


def test_an_approval_of_a_request_that_comes_again_needs_two_presses(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend, AG_UI)
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


def test_an_audience_sees_a_request_only_when_the_presenter_shows_it(page: Page, backend: str):
    use_agent(page, backend, AG_UI)
    ask(page, "Mail Ann.")
    expect(card(page)).to_be_visible()
    page.keyboard.press("F2")
    expect(card(page)).to_have_count(0)
    expect(page).not_to_have_title(re.compile("Waiting"))
    page.get_by_role("button", name="Show request").click()
    expect(card(page)).to_be_visible()
    page.keyboard.press("F2")


def test_each_side_of_a_comparison_has_its_own_request(page: Page, agent: PausingAgent, backend: str):
    use_agent(page, backend, AG_UI, WIRES[1])
    from_more(page, "Compare")
    page.get_by_role("combobox", name="Backend of the right column").select_option(WIRES[1])
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
