"""The voice of an answer's deployment, through the app's routes."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tests.features.demo.serving import serving
from tests.page.routes.running_app import person, running_app
from tests.stand_ins.deployment import SILENCE, Deployment

BACKENDS = """
[[backends]]
name = "Demo"
url = "{base}/chat"
credential = {{ kind = "bearer", env = "VOICE_KEY" }}
[[backends]]
name = "Mute"
url = "{mute}/chat"
"""
SENTENCE = "Buoys are red."
MOST_BYTES = 2 * 1024 * 1024


class Speaking(Deployment):
    """A deployment at `base` whose speech may be another `response`."""

    base: str
    mute: str
    """The address of a deployment without speech."""

    def __init__(self) -> None:
        super().__init__()
        self.config["showSpeechOutputAzure"] = True
        self.response: Response | None = None

    async def _speech(self, request: Request, oid: str) -> Response:
        return self.response or await super()._speech(request, oid)

    @property
    def spoken(self) -> list[object]:
        return [one.json for one in self.requests if one.path == "/speech"]


@pytest.fixture
def demo() -> Iterator[Speaking]:
    deployment = Speaking()
    with serving(deployment.app) as deployment.base, serving(Deployment().app) as deployment.mute:
        yield deployment


@pytest.fixture
def app(demo: Speaking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("VOICE_KEY", "hidden")
    (backends := tmp_path / "backends.toml").write_text(BACKENDS.format(base=demo.base, mute=demo.mute))
    with running_app(tmp_path, backends=backends) as url:
        yield url


def ask(client: httpx2.Client, backend: str, name: str = "Demo") -> str:
    return client.post("/ask", params={"backend": backend, "profile": f"given:{name}"}, content="What are buoys?").text


def speak(client: httpx2.Client, answer: str, text: object = SENTENCE) -> httpx2.Response:
    return client.post(f"/api/deployment/{answer}/speech", json={"text": text})


def test_a_sentence_becomes_sound_without_the_backends_key(demo: Speaking, app: str):
    with person(app) as me, person(app) as other:
        answer = ask(me, f"{demo.base}/chat")
        texts = ("", "a" * 1001, None, [SENTENCE])
        assert [speak(me, answer, text).status_code for text in texts] == [422] * 4
        others = ask(me, f"{demo.mute}/chat", "Mute"), ask(me, f"{demo.base}/chat", "Gone")
        refused = speak(other, answer), *(speak(me, one) for one in others)
        assert [one.status_code for one in refused] == [404] * 3
        assert demo.spoken == []
        sound = speak(me, answer)
        assert (sound.status_code, sound.content[: len(SILENCE)]) == (200, SILENCE)
        assert demo.spoken == [{"text": SENTENCE}]
        assert "hidden" not in str(demo.requests[-1].headers)
        demo.response = Response(bytes(MOST_BYTES), media_type="audio/mpeg")
        assert len(speak(me, answer, "é" * 1000).content) == MOST_BYTES


def test_a_failed_voice_is_named(demo: Speaking, app: str):
    failures = (
        HTMLResponse("<!doctype html><title>500</title>", 500),
        HTMLResponse("<!doctype html><title>Start</title>"),
        RedirectResponse("/speech?again"),
        Response(bytes(MOST_BYTES + 1), media_type="audio/mp3"),
        Response(media_type="audio/mp3"),
    )
    with person(app) as me:
        answer = ask(me, f"{demo.base}/chat")
        for demo.response in failures:
            failed = speak(me, answer)
            assert (failed.status_code, failed.text) == (409, "Demo's voice failed."), demo.response
    assert [one.path for one in demo.requests][-5:] == ["/speech"] * 5
