"""The settings that a deployment tells, in Backend settings and in the columns of a comparison."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.accounts import Accounts
from tests.features.demo.serving import serving
from tests.features.deployment.test_first_question import expected, paste
from tests.page.state.pages import CONNECTION, Pages, ask, ask_both, compare, open_page
from tests.page_socket import ARM_CHOICE, CHAT, DIALOG, SECOND_ARM, PageSocket
from tests.stand_ins.deployment import Deployment
from tests.stand_ins.samples import javascript
from tests.stand_ins.stand_in import StandIn

FULL = "showReasoningEffortOption showAgenticRetrievalOption webSourceEnabled showUserUpload showSpeechOutputAzure"


@dataclass
class Opened:
    deployment: Deployment
    url: str
    pages: Pages
    page: PageSocket

    async def set(self, **options: str) -> dict[str, dict[str, Any]]:
        """Set options in the dialog, and return its rows."""
        for key, value in options.items():
            await self.page.do(f"{DIALOG}.set_option", {"key": key, "value": value})
        return self.rows

    @property
    def rows(self) -> dict[str, dict[str, Any]]:
        return {row["key"]: row for row in self.page.states[DIALOG]["rows"]}

    async def save(self) -> dict[str, Any]:
        """Save the dialog, and return the stored options."""
        await self.page.do(f"{DIALOG}.save", {"form": {}}, lambda state: not state["is_open"])
        options = json.loads(self.page.state["saved"])["options"]
        return next(iter(options.values()), {})

    async def test(self) -> str:
        self.page.state["verdict"] = ""
        await self.page.send(f"{CONNECTION}.test", {"secret": ""})
        state = await self.page.until(lambda state: state.get("verdict") and not state["testing"])
        await self.page.hear()
        return str(state["verdict"])

    @property
    def asked(self) -> list[Any]:
        """The options of each question."""
        posted = [one.json for one in self.deployment.requests if one.method == "POST"]
        return [one["context"]["overrides"] for one in posted if "overrides" in one.get("context", {})]


@asynccontextmanager
async def opened(folder: Path, *offered: dict[str, Any], **config: Any) -> AsyncIterator[Opened]:
    deployment = Deployment()
    deployment.config |= config
    with serving(deployment.app) as url:
        async with open_page(folder, None, offered) as (pages, page):
            yield Opened(deployment, url, pages, page)


async def test_the_dialog_shows_a_deployments_defaults_and_stores_only_changes(tmp_path: Path):
    full = {**dict.fromkeys(FULL.split(), True), "reasoningEffortOptions": ["none", "high"]}
    async with opened(tmp_path, **full) as one:
        await one.page.send(f"{DIALOG}.add_backend")
        await one.page.do(f"{DIALOG}.set_url", {"url": one.url})
        assert not any(row["told"] for row in one.rows.values())
        await one.set(seed="", semantic_captions="true")
        assert (await one.test()).endswith("The deployment offers: options, your files, voice.")
        assert one.page.state["url"] == f"{one.url}/chat"
        rows = one.rows
        assert (rows["top"]["told"], rows["top"]["value"], rows["top"]["changed"]) == ("10", "", False)
        assert rows["retrieval_mode"]["told"] == "Vectors and text"
        assert [choice[:2] for choice in rows["reasoning_effort"]["choices"]] == [["none", "None"], ["high", "High"]]
        assert (rows["semantic_captions"]["value"], rows["semantic_captions"]["changed"]) == ("true", True)
        assert rows.keys().isdisjoint({"query_rewriting", "send_image_sources", "use_sharepoint_source", "use_gpt4v"})
        rows = await one.set(top="7", semantic_captions="", reasoning_effort="high")
        assert (rows["top"]["changed"], rows["semantic_captions"]["changed"]) == (True, False)
        own = {"top": 7, "reasoning_effort": "high"}
        assert await one.save() == own
        assert one.page.state["differing"] == 2
        await ask(one.page, "Does my plan cover glasses?")
        assert one.asked[-1] == expected(one.deployment.config) | own
        one.deployment.config |= {"showAgenticRetrievalOption": False, "showReasoningEffortOption": False}
        await one.page.do(f"{DIALOG}.open_dialog")
        await one.test()
        assert "use_agentic_knowledgebase" not in one.rows
        assert one.rows["reasoning_effort"]["value"] == "high", "a set option is shown"
        one.deployment.raw_config = b"<!doctype html><title>Chat</title>"
        said = f"The response of {one.url}/config is not a deployment's settings and was left out."
        assert (await one.test()).endswith(said)


async def test_a_login_is_reported_with_the_lines_for_the_operator(tmp_path: Path):
    authority, scope = "https://login.microsoftonline.com/TENANT", "api://SERVER/access_as_user"
    settings = f"CHAT_UI_OIDC_ISSUER={authority}/v2.0\nCHAT_UI_OIDC_CLIENT_ID=CLIENT"
    lines = f'{settings}\npass_token = true\ntoken_scope = "{scope}"'
    async with opened(tmp_path) as one:
        await one.page.send(f"{DIALOG}.add_backend")
        await one.page.do(f"{DIALOG}.set_url", {"url": one.url})
        await one.test()
        assert one.page.state["operator_lines"] == ""
        one.deployment.tokens["token"] = "ann"
        assert (await one.test()).endswith(f"People must sign in at {authority}, with the scope {scope}.")
        assert (one.page.state["outcome"], one.page.state["operator_lines"]) == ("failed", lines)
        one.deployment.is_open = True
        said = f"People can sign in at {authority}, with the scope {scope}, or ask without signing in."
        assert (await one.test()).endswith(said)
        assert (one.page.state["outcome"], one.page.state["operator_lines"]) == ("answered", lines)


async def test_a_question_without_a_token_is_refused_only_where_people_must_sign_in(tmp_path: Path):
    deployment = Deployment()
    deployment.tokens["token"] = "ann"
    with serving(deployment.app) as url:
        offered = {"name": "Azure", "url": f"{url}/chat", "pass_token": True}
        (tmp_path / "azure.json").write_text(json.dumps({"backends": [offered]}))
        async with open_page(tmp_path, backends=tmp_path / "azure.json") as (pages, page):
            pages.services.backends.tokens.accounts = Accounts()
            state = await page.do(f"{CHAT}.ask", {"question": "Am I covered?"}, lambda state: state["refusal"])
            assert state["refusal"] == "Sign in to ask Azure."
            assert {request.method for request in deployment.requests} == {"GET"}
            deployment.is_open = True
            await page.do(f"{DIALOG}.open_dialog")
            await page.do(f"{CONNECTION}.test", {"secret": ""}, lambda state: state.get("verdict"))
            state = await ask(page, "Am I covered?")
            assert not state["refusal"]


async def test_values_that_exclude_each_other_have_their_reason(tmp_path: Path):
    async with opened(tmp_path, showAgenticRetrievalOption=True, webSourceEnabled=True) as one:
        await paste(one.page, f"{one.url}/chat")
        await one.page.do(f"{DIALOG}.open_dialog")
        assert one.page.state["unstreamed"] == "Answers that search the web cannot be streamed."
        needs_effort = "The web cannot be searched with minimal retrieval effort."
        effort = one.rows["retrieval_reasoning_effort"]
        assert (effort["note"], effort["choices"][0]) == (needs_effort, ["minimal", "Minimal", needs_effort])
        assert one.rows["use_web_source"]["note"] == ""
        rows = await one.set(use_web_source="false", retrieval_reasoning_effort="minimal")
        assert rows["use_web_source"]["choices"][0] == ["true", "On", needs_effort]
        assert rows["retrieval_reasoning_effort"]["note"] == ""
        assert one.page.state["unstreamed"] == ""


@pytest.mark.parametrize(
    ("kind", "is_on"), [("azure-search-openai-javascript", True), ("azure-search-openai-demo", False)]
)
async def test_the_samples_options_are_one_switch(tmp_path: Path, kind: str, is_on: bool):
    sample = {"retrieval_mode": "hybrid", "semantic_ranker": True, "top": 3}
    async with opened(tmp_path, {"name": "Sample", "url": "/chat", "kind": kind}) as one:
        await one.page.do(f"{DIALOG}.open_dialog")
        shown = [one.page.state[name] for name in ("has_sample", "is_sample", "as_sample")]
        assert shown == [True, is_on, is_on]
        assert (one.rows["top"]["told"], one.rows["top"]["value"]) == ("3" if is_on else "", "")
        await one.page.do(f"{DIALOG}.set_switch", {"field": "as_sample", "is_on": not is_on})
        assert one.rows["top"]["told"] == ("" if is_on else "3")
        assert await one.save() == (dict.fromkeys(sample) if is_on else sample)
        await one.page.do(f"{DIALOG}.open_dialog")
        assert one.page.state["as_sample"] is not is_on
        await ask(one.page, "Does my plan cover glasses?")
        sent = one.pages.backend.requests[-1].json["context"]
        assert sample.items() <= sent.get("overrides", sent).items() if not is_on else "top" not in str(sent)
        await one.page.do(f"{DIALOG}.set_switch", {"field": "as_sample", "is_on": is_on})
        assert await one.save() == {}


async def test_each_column_has_its_own_deployment_and_freezes_none_of_its_options(tmp_path: Path):
    async with opened(tmp_path, {"name": "Plain", "url": "/chat"}) as one:
        await paste(one.page, f"{one.url}/chat")
        await compare(one.page)
        assert one.page.states[ARM_CHOICE]["column_label"] == "Plain"
        assert one.page.states[ARM_CHOICE]["option_differences"] == [[], []]
        await ask_both(one.page, "Does my plan cover glasses?")
        assert one.asked == [expected(one.deployment.config)]
        plain = one.pages.backend.requests[-1].json["context"]
        assert plain == {"overrides": {"suggest_followup_questions": True}}
        own = next(key for key, _ in one.page.state["offered"] if key.startswith("own"))
        await one.page.do(f"{ARM_CHOICE}.select_for_column", {"backend_id": own})
        await one.page.do(f"{ARM_CHOICE}.set_column_option", {"key": "temperature", "value": "0.9"})
        assert one.page.states[ARM_CHOICE]["option_differences"] == [["Temperature: 0.3"], ["Temperature: 0.9"]]
        await ask_both(one.page, "And teeth?")
        sent = expected(one.deployment.config)
        assert sorted(one.asked[1:], key=lambda asked: asked["temperature"]) == [sent, sent | {"temperature": 0.9}]
        one.deployment.config["showVectorOption"] = False
        await one.page.do(f"{DIALOG}.open_dialog")
        await one.test()
        async with one.pages.page() as other:
            await other.boot({
                f"{CHAT}.remembered": one.page.states[CHAT]["conversation_id"],
                f"{ARM_CHOICE.rpartition('.')[0]}.saved": one.page.state["saved"],
            })  # fmt: skip
            await other.do(f"{SECOND_ARM}.open", until=lambda _: other.states[SECOND_ARM]["comparing"])
            stored = json.loads(other.states[ARM_CHOICE]["column"])
            assert stored["options"] == {own: {"temperature": 0.9}}
            await ask_both(other, "And eyes?")
    assert [asked["retrieval_mode"] for asked in one.asked[-2:]] == ["text", "text"]


async def test_an_option_set_to_its_default_stays_and_null_removes_it(tmp_path: Path):
    async with opened(tmp_path) as one:
        await paste(one.page, f"{one.url}/chat")
        for _ in range(2):
            await one.page.do(f"{DIALOG}.open_dialog")
            await one.set(retrieval_mode="hybrid")
            if one.page.states[DIALOG]["more"] == "":
                await one.page.do(f"{DIALOG}.set_more", {"more": '{"top": null}'})
            assert await one.save() == {"retrieval_mode": "hybrid", "top": None}
        one.deployment.config["showVectorOption"] = False
        await one.page.do(f"{DIALOG}.open_dialog")
        await one.test()
        await ask(one.page, "Does my plan cover glasses?")
        assert (one.asked[-1]["retrieval_mode"], "top" in one.asked[-1]) == ("hybrid", False)


async def test_a_pasted_address_that_told_its_settings_before_shows_them(tmp_path: Path):
    async with StandIn(javascript(), has_config=True).running() as sample, opened(tmp_path) as one:
        for url, top in ((f"{sample.url}/chat", "3"), (f"{one.url}/chat", "5")):
            await paste(one.page, url)
            await ask(one.page, "Does my plan cover glasses?")
            await one.page.do(f"{DIALOG}.add_backend")
            await one.page.do(f"{DIALOG}.set_url", {"url": url})
            assert one.rows["top"]["told"] == top
            assert await one.save() == {}


async def test_an_address_without_facts_leaves_the_options_alone(tmp_path: Path):
    async with opened(tmp_path, {"name": "Model", "url": "/v1/chat/completions", "kind": "openai-compatible"}) as one:
        await one.page.do(f"{DIALOG}.open_dialog")
        await one.set(top_p="0.5")
        await one.page.do(f"{DIALOG}.set_url", {"url": f"{one.url}/chat"})
        assert one.rows["top_p"]["value"] == "0.5"
