"""The options of a first question, by the settings that a deployment tells."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chat_ui.backends.offer import sent_options
from chat_ui.backends.profile import Profile
from chat_ui.features.deployment.deployment_config import KEYS
from chat_ui.features.deployment.told import Told
from chat_ui.protocol.backends.backend import ChatRequest, Message
from chat_ui.protocol.transport.client import AsyncClient
from tests.features.demo.serving import serving
from tests.page.state.pages import ask, open_page
from tests.page_socket import DIALOG, PageSocket
from tests.stand_ins.deployment import Deployment
from tests.stand_ins.lookalikes import Rule
from tests.stand_ins.samples import java, javascript
from tests.stand_ins.stand_in import StandIn

QUESTION = Message("user", "Does my plan cover glasses?")
EFFORTS = ("defaultReasoningEffort", "defaultRetrievalReasoningEffort")
FOLLOWUPS = {"suggest_followup_questions": True}
ABSENT = object()
Settings = Callable[..., Any]
TABLE: dict[str, Callable[[Settings], Any]] = {
    "top": lambda told: 10 if told("showAgenticRetrievalOption") else 5,
    "temperature": lambda _: 0.3,
    "minimum_reranker_score": lambda _: 1.9,
    "minimum_search_score": lambda _: 0,
    "retrieval_mode": lambda told: "hybrid" if told("showVectorOption") else "text",
    "semantic_ranker": lambda told: told("showSemanticRankerOption", False),
    "query_rewriting": lambda told: told("showQueryRewritingOption", False),
    "semantic_captions": lambda _: False,
    "reasoning_effort": lambda told: told("defaultReasoningEffort", "") if told("showReasoningEffortOption") else "",
    "search_text_embeddings": lambda told: _with_images(told, "ragSearchTextEmbeddings", ABSENT, True),
    "search_image_embeddings": lambda told: _with_images(told, "ragSearchImageEmbeddings", ABSENT, False),
    "send_text_sources": lambda told: _with_images(told, "ragSendTextSources", True, True),
    "send_image_sources": lambda told: _with_images(told, "ragSendImageSources", ABSENT, False),
    "use_agentic_knowledgebase": lambda told: told("showAgenticRetrievalOption", False),
    "retrieval_reasoning_effort": lambda told: (
        told("defaultRetrievalReasoningEffort", "minimal") if told("showAgenticRetrievalOption") else ABSENT
    ),
    "use_web_source": lambda told: told("webSourceEnabled", False),
    "use_sharepoint_source": lambda told: told("sharepointSourceEnabled", False),
    "language": lambda _: "en",
    "suggest_followup_questions": lambda _: True,
}


def _with_images(told: Settings, key: str, missing: Any, otherwise: bool) -> Any:
    return told(key, missing) if told("showMultimodalOptions") else otherwise


def expected(config: dict[str, Any]) -> dict[str, Any]:
    """The table for a body whose null and mistyped values count as absent."""
    usable = {key: one for key, one in config.items() if isinstance(one, str if key in EFFORTS else bool)}
    values = {key: of(lambda name, missing=None: usable.get(name, missing)) for key, of in TABLE.items()}
    return {key: value for key, value in values.items() if value is not ABSENT}


def bodies(count: int) -> Iterator[dict[str, Any]]:
    drawn = random.Random(48)
    for _ in range(count):
        body: dict[str, Any] = {"aKeyOfTomorrow": {"nested": [1]}}
        for key in drawn.sample(sorted(KEYS), drawn.randint(3, len(KEYS))):
            switch: list[Any] = [True, True, True, False, False, False, None, "true", 1]
            effort: list[Any] = ["none", "minimal", "low", "xhigh", None, 3, ["low"]]
            body[key] = drawn.choice(effort if key in EFFORTS else switch)
        yield body


async def test_the_first_question_equals_the_table_for_random_settings():
    deployment, told = Deployment(), Told()
    with serving(deployment.app) as url:
        async with AsyncClient() as client:
            for number, body in enumerate(bodies(64)):
                deployment.config = body
                profile = Profile(name="Pasted", url=f"{url}/chat{'/stream' if number % 2 else ''}")
                advice = await told.look(client, "ann", profile.backend(), again=True)
                sent = sent_options(profile, {}, advice).options
                await client.ask(advice.applied(profile.backend(), sent), ChatRequest((QUESTION,), sent))
                received = deployment.requests[-1]
                assert received.json["context"]["overrides"] == expected(body), body
                is_whole = body.get("streamingEnabled") is False or (
                    body.get("showAgenticRetrievalOption") is True and body.get("webSourceEnabled") is True
                )
                assert received.path == ("/chat" if is_whole else "/chat/stream"), body


async def paste(page: PageSocket, url: str) -> None:
    """Add a backend at a pasted address, without another field."""
    await page.send(f"{DIALOG}.add_backend")
    await page.send(f"{DIALOG}.set_url", {"url": url})
    await page.do(f"{DIALOG}.save", {"form": {}}, lambda state: state.get("saved") and not state["is_open"])


@pytest.mark.parametrize("path", ["", "/chat/stream"])
async def test_the_first_question_to_a_pasted_address_has_the_options(tmp_path: Path, path: str):
    deployment = Deployment()
    with serving(deployment.app) as url:
        async with open_page(tmp_path) as (pages, page):
            await paste(page, url + path)
            for question in ("Does my plan cover glasses?", "And teeth?"):
                assert (await ask(page, question))["latest"]["status"] == "finished"
            generation = await pages.services.conversations.answer(pages.me, page.state["latest"]["id"])
    posted = [one.json for one in deployment.requests if one.method == "POST"]
    asked = [one for one in posted if "messages" in one]
    assert [one["context"]["overrides"] for one in asked] == [expected(deployment.config)] * 2
    assert deployment.config_requests == 1
    assert generation is not None
    thought = generation.answer.thoughts[-1]
    told = {key: value for key, value in expected(deployment.config).items() if key not in FOLLOWUPS}
    assert (thought.title, thought.props) == ("Options of the deployment", told)


@pytest.mark.parametrize(("rule", "path"), [(javascript, ""), (java, "")])
async def test_other_samples_are_asked_as_their_pages_ask(tmp_path: Path, rule: Callable[[], Rule], path: str):
    async with StandIn(rule(), has_config=True).running() as sample, open_page(tmp_path) as (_, page):
        await paste(page, sample.url + path)
        for question in ("Does my plan cover glasses?", "And teeth?"):
            assert (await ask(page, question))["latest"]["status"] == "finished"
    context = sample.requests[-1].json["context"]
    if rule is javascript:
        assert context == {"retrieval_mode": "hybrid", "semantic_ranker": True, "top": 3} | FOLLOWUPS
    else:
        told = ("showSemanticRankerOption", "showVectorOption", "streamingEnabled")
        assert context["overrides"] == expected(dict.fromkeys(told, True))
