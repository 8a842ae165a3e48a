import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, expect
from starlette.requests import Request
from starlette.responses import Response

from tests.browser.answering import get_answer
from tests.browser.axe import expect_no_violations
from tests.browser.opening import use
from tests.browser.places import open_settings, opened_list, save
from tests.features.demo.serving import serving, wait_for
from tests.stand_ins.deployment import Deployment

EYES = "Does my plan cover eye exams?"
CITED = {"text": ["Benefit_Options.pdf#page=2: An eye exam."], "citations": ["Benefit_Options.pdf#page=2"]}


class Slow(Deployment):
    """It does not answer about the session `slow`."""

    slow = ""

    async def _history(self, request: Request, oid: str) -> Response:
        while request.path_params.get("id") == self.slow:  # noqa: ASYNC110 - another thread changes it
            await asyncio.sleep(0.05)
        return await super()._history(request, oid)


@contextmanager
def deployed(page: Page) -> Iterator[tuple[Slow, dict[str, dict[str, Any]]]]:
    """A deployment, whose key is set, and the person's sessions there."""
    deployment = Slow()
    deployment.config["showChatHistoryCosmos"] = True
    deployment.tokens = {"token": "me"}
    context = {"data_points": CITED, "thoughts": [], "followup_questions": ["And teeth?"]}
    answer = {"output_text": "Yes [Benefit_Options.pdf#page=2].", "context": context, "session_state": "s0"}
    own = deployment.sessions["me"] = {
        f"s{number}": {
            "title": f"{EYES} {number}",
            "timestamp": 1_700_000_000_000 - number,
            "answers": [[EYES, answer]],
        }
        for number in range(25)
    }
    own["s1"]["answers"].append(["Lost?"])
    with serving(deployment.app) as url:
        use(page, [("HR", f"{url}/chat")])
        dialog = open_settings(page)
        dialog.get_by_label("Key", exact=True).fill("token")
        save(dialog)
        yield deployment, own


def test_conversations_of_a_deployment_open_go_on_and_are_deleted(page: Page):
    with deployed(page) as (deployment, own):
        listed = opened_list(page)
        section = listed.get_by_role("region", name="HR")
        entries = section.get_by_role("listitem")
        expect(entries).to_have_count(20)
        expect(listed.get_by_text("No conversations.")).to_be_hidden()
        section.get_by_role("button", name="Show more").click()
        expect(entries).to_have_count(25)
        expect_no_violations(page)

        section.get_by_role("button", name=f"{EYES} 0", exact=True).click()
        expect(page.get_by_role("button", name="And teeth?")).to_be_visible()
        expect(page.get_by_role("button", name="Sources")).to_be_visible()
        expect(listed.get_by_role("link", name=EYES)).to_have_attribute("aria-current", "page")
        expect(entries).to_have_count(24)
        get_answer(page, "And teeth?", turns=2)
        wait_for(lambda: len(own["s0"]["answers"]) == 2)

        deployment.slow = "s2"
        section.get_by_role("button", name=f"{EYES} 2", exact=True).click()
        section.get_by_role("button", name=f"{EYES} 1", exact=True).click()
        expect(section.get_by_role("alert")).to_contain_text("left out: 1.")
        listed.get_by_role("searchbox").fill("exams? 24")
        expect(entries).to_have_count(1)
        section.get_by_role("button", name=f"Delete {EYES} 24").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(entries).to_have_count(0)
        assert "s24" not in own
        place, deployment.slow = page.url, ""
        listed.get_by_role("searchbox").fill("")
        # The answer about the session that was opened before another one leads nowhere.
        expect(section.get_by_role("button", name=f"{EYES} 2", exact=True)).to_be_hidden()
        assert page.url == place
