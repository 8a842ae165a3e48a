"""Decisions on the requests of agents, from pages of one person."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from chat_ui.backends.offer import Offer
from chat_ui.conversations.people.person import PERSON
from chat_ui.errors import StoreUnavailableError
from chat_ui.features.approvals.request_view import routes_of
from tests.page.state.pages import Pages, ask, at_conversation, open_pages
from tests.page_socket import CHAT, PageSocket
from tests.stand_ins.pausing_agent import PausingAgent
from tests.stand_ins.recorded_agent import recorded_agent, sent_decisions

AGENT = [{"name": "Agent", "url": "/agent", "kind": "ag-ui"}]
DROPS = "The agent still waits for your answer. Ask again to drop its request."


def given(answer: str, *decisions: Any) -> dict[str, str]:
    return {"answer": answer, "decisions": json.dumps(decisions)}


def yes(answer: str, **more: Any) -> dict[str, str]:
    return given(answer, {"interrupt": "i-send_email", "verdict": "approved", **more})


def no(answer: str) -> dict[str, str]:
    return given(answer, {"interrupt": "i-send_email", "verdict": "denied", "reason": "Not today."})


async def decided(page: PageSocket, decision: dict[str, str]) -> dict[str, Any]:
    """Decide, and wait for the end of the next answer."""
    before = len(page.state["turns"])
    await page.send(f"{CHAT}.decide", decision)
    return await page.until(lambda state: len(state["turns"]) > before and not state["latest"]["live"])


async def card(pages: Pages, answer: str) -> Any:
    [route] = routes_of(pages.services.conversations)
    scope = {"type": "http", "headers": [], "path_params": {"answer": answer}, PERSON: pages.me}
    response = await route.endpoint(Request(scope))
    return json.loads(bytes(response.body)) if response.status_code == 200 else response.status_code


@pytest.fixture
def agent() -> PausingAgent:
    return PausingAgent()


async def test_a_decision_is_a_turn_and_runs_the_tool_once(
    tmp_path: Path, agent: PausingAgent, monkeypatch: pytest.MonkeyPatch
):
    async with open_pages(tmp_path, agent, AGENT) as pages, pages.booted() as page:
        state = await ask(page, "Mail Ann.")
        assert (state["latest"]["waits"], state["latest"]["failed"], agent.ran) == (True, False, [])
        waiting = state["latest"]["id"]
        [request] = (await card(pages, waiting))["requests"]
        assert (request["title"], request["verdicts"]) == ("Send email", ["approved", "denied"])
        with monkeypatch.context() as claims:
            # Other processes may decide after a refusal.
            claims.setattr(pages.services.conversations, "may_ask", None)
            await page.do(f"{CHAT}.decide", given(waiting, {"interrupt": "other", "verdict": "approved"}))
        assert page.state["refusal"] == "The agent does not take this decision on its request."
        state = await decided(page, yes(waiting, value={"to": "bob@example.com"}))
        turn = state["turns"][-1]
        assert (turn["question"], turn["decides"]) == ("Approved “send_email”", waiting)
        assert (agent.ran, state["refusal"], state["latest"]["waits"]) == ([{"to": "bob@example.com"}], "", False)
        assert await card(pages, state["latest"]["id"]) == 404
        for again in (yes(waiting), no(waiting)):
            await page.do(f"{CHAT}.decide", again)
            assert page.state["refusal"] == "This request was decided in another tab: Approved “send_email”."
        await page.do(f"{CHAT}.answer_again")
        assert (len(agent.decisions), page.state["latest"]["count"]) == (1, 1)


async def test_of_two_tabs_that_decide_at_once_one_is_told_of_the_other(tmp_path: Path, agent: PausingAgent):
    async with open_pages(tmp_path, agent, AGENT) as pages, pages.booted() as page, pages.booted() as other:
        state = await ask(page, "Mail Ann.")
        waiting, conversation = state["latest"]["id"], state["conversation_id"]
        await other.do(f"{CHAT}.open", router=at_conversation(conversation), until=lambda state: state["turns"])
        for tab, decision in ((page, yes(waiting)), (other, no(waiting))):
            await tab.send(f"{CHAT}.decide", decision, router=at_conversation(conversation))
        for tab in (page, other):
            await tab.until(lambda state: len(state["turns"]) == 2 and not state["latest"]["live"])
            await tab.hear()
        assert sum("another tab" in tab.state["refusal"] for tab in (page, other)) == 1
        assert len(agent.decisions) == 1


async def test_a_question_drops_a_request_only_when_it_is_repeated(tmp_path: Path, agent: PausingAgent):
    async with open_pages(tmp_path, agent, AGENT) as pages, pages.booted() as page:
        state = await ask(page, "Mail Ann.")
        waiting = state["latest"]["id"]
        await page.do(f"{CHAT}.ask", {"question": "plain"})
        assert (page.state["refusal"], page.state["returned"]) == (DROPS, "plain")
        await page.send(f"{CHAT}.ask", {"question": "plain"})
        state = await page.until(lambda state: len(state["turns"]) == 2 and not state["latest"]["live"])
        assert state["turns"][0]["answer"]["notice"] == "A later question dropped the request of this agent."
        assert agent.decisions == []
        await page.do(f"{CHAT}.decide", yes(waiting))
        assert "lapsed" in page.state["refusal"]
        turn = (await ask(page, "Mail Bob."))["turns"][0]["id"]
        await page.do(f"{CHAT}.edit", {"turn": turn, "question": "Mail Cem."})
        assert page.state["refusal"] == DROPS
        assert agent.ran == []


@pytest.mark.parametrize(("kind", "name"), [("ai-sdk", "ai-sdk-6"), ("openai-responses", "responses-state")])
async def test_decisions_go_to_agents_on_other_wires_once(tmp_path: Path, kind: str, name: str):
    offered = [{**AGENT[0], "kind": kind}]
    async with open_pages(tmp_path, recorded_agent(name), offered) as pages, pages.booted() as page:
        waiting = (await ask(page, "Mail Ann."))["latest"]["id"]
        ids = [one["id"] for one in (await card(pages, waiting))["requests"]]
        state = await decided(page, given(waiting, *({"interrupt": one, "verdict": "denied"} for one in ids)))
        assert (state["latest"]["status"], state["turns"][-1]["question"][:8]) == ("finished", "Denied “")
        assert len(sent_decisions(pages.backend.requests)) == 1


async def test_a_refused_decision_is_sent_again_without_a_confirmation(tmp_path: Path, agent: PausingAgent):
    async with open_pages(tmp_path, agent, AGENT) as pages, pages.booted() as page:
        state = await decided(page, yes((await ask(page, "Mail, but refuse."))["latest"]["id"]))
        assert state["latest"]["error"].endswith("The backend did not receive your decision.")
        await page.send(f"{CHAT}.decide_again", {"turn": state["turns"][-1]["id"]})
        await page.until(lambda state: state["latest"]["count"] == 2 and not state["latest"]["live"])
        assert (len(agent.decisions), agent.ran) == (2, [])
        assert page.state["latest"]["can_send"] is True
        await page.do(f"{CHAT}.choose_answer", {"turn": state["turns"][-1]["id"], "number": 1})
        assert page.state["latest"]["can_send"] is False


async def test_a_decision_with_an_unknown_end_is_sent_again_only_by_the_person(tmp_path: Path, agent: PausingAgent):
    async with open_pages(tmp_path, agent, AGENT) as pages, pages.booted() as page:
        state = await ask(page, "Mail, then fail.")
        state = await decided(page, yes(state["latest"]["id"]))
        assert state["latest"]["error"].endswith("The page does not send it again by itself.")
        turn = state["turns"][-1]["id"]
        await page.do(f"{CHAT}.decide_again", {"turn": "other"})
        await page.do(f"{CHAT}.decide_again", {"turn": turn})
        assert (len(agent.decisions), "run twice" in page.state["refusal"]) == (1, True)
        await page.send(f"{CHAT}.decide_again", {"turn": turn})
        await page.until(lambda state: state["latest"]["count"] == 2 and not state["latest"]["live"])
        assert len(agent.decisions) == 2


async def test_nothing_is_sent_without_the_store_or_the_backend(
    tmp_path: Path, agent: PausingAgent, monkeypatch: pytest.MonkeyPatch
):
    async with open_pages(tmp_path, agent, AGENT) as pages, pages.booted() as page:
        waiting = (await ask(page, "Mail Ann."))["latest"]["id"]

        async def away(*_: object) -> None:
            raise StoreUnavailableError

        with monkeypatch.context() as store:
            store.setattr(pages.services.conversations.repository, "write_first", away)
            await page.do(f"{CHAT}.decide", yes(waiting))
            assert page.state["refusal"].startswith("Your decision was not sent")
        monkeypatch.setattr(Offer, "remembered_profile", lambda *_: None)
        await page.do(f"{CHAT}.decide", yes(waiting))
        assert page.state["refusal"] == "The backend of this request is no longer on offer."
        assert (agent.decisions, len(page.state["turns"])) == ([], 1)
