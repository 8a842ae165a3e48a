"""Settings of a deployment: how long they count, for whom, and how damaged ones are read."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from chat_ui.features.deployment import told as told_module
from chat_ui.features.deployment.deployment_config import KEYS, config_urls
from chat_ui.features.deployment.told import Told
from chat_ui.languages.catalogues import offered
from chat_ui.languages.translation import speaking
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.detection.advice import NO_ADVICE, STREAM, Advice, Login
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.transport.client import AsyncClient
from tests.features.demo.serving import serving
from tests.stand_ins.deployment import Deployment
from tests.stand_ins.samples import javascript
from tests.stand_ins.stand_in import StandIn

SAMPLE = {"retrieval_mode": "hybrid", "semantic_ranker": True, "top": 3}
PAGE = b"<!doctype html><title>Chat</title>"


class Trial:
    """A deployment, and what it told `ann` by a clock that the test sets."""

    def __init__(self, client: AsyncClient, url: str, deployment: Deployment) -> None:
        self.client, self.deployment, self.backend, self.now = client, deployment, Backend(f"{url}/chat"), 0.0
        self.told = Told(lambda: self.now)

    async def look(self, person: str = "ann", *, again: bool = False) -> Advice:
        return await self.told.look(self.client, person, self.backend, again=again)

    async def top(self) -> object:
        return (await self.look()).options.get("top")

    def known(self) -> object:
        return self.told.known("ann", self.backend).options.get("top")

    def change(self, *, agentic: bool = True) -> None:
        """From now on the deployment tells other settings: 10 sources in place of 5."""
        self.deployment.config["showAgenticRetrievalOption"] = agentic

    @property
    def looks(self) -> int:
        return self.deployment.config_requests


@asynccontextmanager
async def trial() -> AsyncIterator[Trial]:
    deployment = Deployment()
    with serving(deployment.app) as url:
        async with AsyncClient() as client:
            yield Trial(client, url, deployment)


async def test_settings_count_for_an_hour_and_old_ones_are_renewed_in_the_background():
    async with trial() as one:
        assert (one.known(), await one.top(), one.known()) == (None, 5, 5)
        with speaking(offered()["de"]):
            assert one.told.known("ann", one.backend).options["language"] == "de"
        one.change()
        one.now = 3599
        assert (await one.top(), one.looks) == (5, 1)
        one.now = 3600
        assert await one.top() == 5, "the old settings are given at once"
        assert (await one.look(again=True)).options["top"] == 10
        assert (one.known(), one.looks) == (10, 2), "the second asker took part in the look"
        one.change(agentic=False)
        assert ((await one.look(again=True)).options["top"], one.looks) == (5, 3)


async def test_an_absence_counts_for_ten_minutes_and_nobody_waits_for_the_next_look():
    async with trial() as one:
        one.deployment.config_status = 404
        assert (await one.look(), one.looks) == (NO_ADVICE, 1)
        one.deployment.config_status, one.now = 200, 599
        assert (await one.top(), one.looks) == (None, 1)
        one.now = 600
        assert (await one.top(), (await one.look(again=True)).options["top"], one.looks) == (None, 5, 2)


async def test_a_failing_renewal_keeps_the_settings():
    async with trial() as one:
        await one.look()
        one.deployment.config_status = 503
        assert ((await one.look(again=True)).options["top"], one.looks) == (5, 2)
        one.deployment.config_status, one.now = 404, 600
        assert await one.top() == 5
        assert await one.look(again=True) == NO_ADVICE


async def test_two_askers_share_a_look_and_people_do_not():
    async with trial() as one:
        one.backend = replace(
            one.backend, url=f"{one.backend.url}?code=secret", headers={"Authorization": "Bearer key"}
        )
        await asyncio.gather(one.look(), one.look())
        assert one.looks == 1
        await one.look("bob")
        assert one.looks == 2
        assert all("authorization" not in asked.headers for asked in one.deployment.requests)
        assert {asked.path for asked in one.deployment.requests} == {"/config", "/auth_setup"}


async def test_an_asker_does_not_wait_for_a_slow_deployment_which_is_still_heard(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(told_module, "SECONDS", 0.05)
    async with trial() as one:
        one.deployment.config_seconds = 0.2
        assert await one.look() == NO_ADVICE
        monkeypatch.setattr(told_module, "SECONDS", 9)
        assert await one.look() == NO_ADVICE, "the second asker does not wait"
        await asyncio.sleep(0.3)
        assert (one.known(), one.looks) == (5, 1)


async def test_only_a_gateway_that_demands_the_key_gets_it():
    async with trial() as one:
        one.backend = replace(one.backend, headers={"Authorization": "Bearer key"})
        one.deployment.config_status = 401
        assert await one.look() == NO_ADVICE
        assert ["authorization" in asked.headers for asked in one.deployment.requests] == [False, True]


@pytest.mark.parametrize(
    ("body", "top", "is_remarked"),
    [
        (PAGE, None, True),
        (b'{"a": "' + b"x" * 10_000_000 + b'"}', None, True),
        (b'{"showVectorOption": true, "webSourceEnabled": false', None, True),
        (b'{"streamingEnabled": true, "showVectorOption": true}', None, False),
        (json.dumps(dict.fromkeys(sorted(KEYS)) | {"defaultReasoningEffort": ""}).encode(), 5, False),
        (json.dumps({key: [1] for key in sorted(KEYS)}).encode(), 5, True),
        (json.dumps({**dict.fromkeys(sorted(KEYS), "yes"), "showAgenticRetrievalOption": True}).encode(), 10, True),
        (b'{"a":' * 1000 + b"1" + b"}" * 1000, None, True),
    ],
    ids=["page", "large", "cut", "two keys", "null", "lists", "words", "nested"],
)
async def test_of_damaged_settings_the_usable_ones_count(body: bytes, top: int | None, is_remarked: bool):
    async with trial() as one:
        one.deployment.raw_config = body
        advice = await one.look()
        assert (advice.options.get("top"), advice.remark is not None) == (top, is_remarked)


async def test_a_redirect_to_another_origin_is_not_followed():
    async with trial() as other, trial() as one:
        one.deployment.config_status = 307
        one.deployment.config_headers = {"Location": other.backend.url.replace("/chat", "/config")}
        assert (await one.look()).options == {}
        assert other.looks == 0


async def test_services_efforts_and_exclusions_follow_the_settings():
    async with trial() as one:
        names = "showUserUpload showChatHistoryCosmos showSpeechOutputAzure showReasoningEffortOption webSourceEnabled"
        one.deployment.config |= dict.fromkeys(names.split(), True) | {"reasoningEffortOptions": ["none", "xhigh"]}
        one.change()
        advice, folder = await one.look(), one.backend.url.removesuffix("chat")
        assert advice.services == {"files": folder, "sessions": f"{folder}chat_history", "voice": f"{folder}speech"}
        assert advice.choices == {"reasoning_effort": ("none", "xhigh")}
        assert advice.hidden == {
            "query_rewriting", "use_sharepoint_source", "search_text_embeddings", "search_image_embeddings",
            "send_text_sources", "send_image_sources", "use_gpt4v", "gpt4v_input", "vector_fields",
        }  # fmt: skip
        excluded = advice.excluded(advice.options)
        assert excluded.keys() == {(STREAM, True), ("retrieval_reasoning_effort", "minimal")}
        minimal = {**advice.options, "use_web_source": False, "retrieval_reasoning_effort": "minimal"}
        assert advice.excluded(minimal).keys() == {("use_web_source", True)}
        one.deployment.config["streamingEnabled"] = False
        assert (STREAM, True) in (await one.look(again=True)).excluded({})


async def test_the_javascript_sample_and_older_demos_get_the_options_of_its_page():
    told = Told()
    async with StandIn(javascript(), has_config=True).running() as sample, AsyncClient() as client:
        for pasted in (sample.url, f"{sample.url}/chat"):
            advice = await told.look(client, "ann", Backend(pasted))
            assert (advice.options, advice.sample) == (SAMPLE, SAMPLE)
        demo = KNOWN_BACKENDS["azure-search-openai-demo-2024-01"].at(f"{sample.url}/api/chat")
        advice = await told.look(client, "ann", demo)
        assert (advice.options, advice.sample) == ({}, SAMPLE)
        assert await told.look(client, "ann", Backend(f"{sample.url}/api/chat")) == NO_ADVICE
    named = KNOWN_BACKENDS["azure-search-openai-javascript"].at(f"{sample.url}/chat")
    assert Told().known("ann", named).options == SAMPLE


LOGIN = Login("https://login.microsoftonline.com/TENANT", "CLIENT", "api://SERVER/access_as_user")


async def test_a_login_is_told_beside_the_settings():
    async with trial() as one:
        assert (await one.look()).login is None
        one.deployment.tokens["token"] = "ann"
        assert (await one.look(again=True)).login == LOGIN
        one.deployment.is_open = True
        advice = await one.look(again=True)
        assert (advice.login, advice.options["top"]) == (replace(LOGIN, is_required=False), 5)


def auth(**changed: object) -> dict[str, object]:
    return {"msalConfig": {"auth": {"authority": LOGIN.authority, "clientId": LOGIN.client_id, **changed}}}


@pytest.mark.parametrize(
    "changed",
    [
        {"useLogin": "true"},
        {"useLogin": False},
        {"msalConfig": None},
        auth(authority="http://login.example/TENANT"),
        auth(authority=f"https://login.example/{'x' * 300}"),
        auth(authority='https://login.example/"\nsecret = "'),
        auth(clientId=None),
        auth(clientId="a\nb"),
        {"tokenRequest": {"scopes": []}},
        {"tokenRequest": {"scopes": [7]}},
        {"tokenRequest": {"scopes": ["api://SERVER/x y"]}},
    ],
)
async def test_a_login_of_another_form_does_not_count(changed: dict[str, object]):
    async with trial() as one:
        one.deployment.raw_auth_setup = {"useLogin": True, **auth(), "tokenRequest": {"scopes": [LOGIN.scope]}}
        assert (await one.look()).login == LOGIN
        one.deployment.raw_auth_setup |= changed
        assert (await one.look(again=True)).login is None


def test_settings_are_beside_the_chat():
    for path in ("/chat", "/chat/stream", "/chat/", "/chat?key=1"):
        assert config_urls(f"https://demo.example/api{path}") == ("https://demo.example/api/config",)
    assert config_urls("https://demo.example/v1/responses") == ()
