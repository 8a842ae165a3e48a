"""Each way by which an answer leaves the page has the notice of AI, and as a file or a page the mark for machines."""

import argparse
import re
import time
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

import pytest
from starlette.routing import BaseRoute, Mount, Route

from chat_ui.assembly import build_with
from chat_ui.features.evaluation.feature import FEATURE as EVALUATION
from chat_ui.features.exporting.exports import _TYPES
from chat_ui.installed import FEATURES
from chat_ui.page.routes.http_resources import HttpResources
from chat_ui.rendering.ai_notice import DEFAULT, SOURCE_TYPE, notice_line, notice_of
from tests.app import ROOT
from tests.app_settings import AppSettings
from tests.features.evaluation.made import SOUND, trial
from tests.page.routes.running_app import listed, person, put, running_app, talk
from tests.stand_ins.stand_in import StandIn, in_thread

ALL, ANSWER, CONVERSATION = "/api/conversations/export", "/api/answers/{answer}", "/api/conversations/{conversation}"
COPIES = {f"{ANSWER}/markdown", f"{ANSWER}/rich"}
FILES = {ALL, "/s/{token:path}", *(f"{CONVERSATION}/export?as={form}" for form in ("markdown", "json", "html"))}
STAY = {
    # Parts of the page, which has the notice.
    *(f"{ANSWER}{part}" for part in (
        "", "/stream", "/silence", "/sources", "/passages/{point:index}", "/cards", "/grounding", "/words",
        "/beside/{other}", "/thoughts", "/thoughts/{number:index}", "/pictures",
    )),
    # Words and images of the backend, of a document or of a person, as they came.
    *(f"{ANSWER}{part}" for part in (
        "/thoughts/{number:index}/json", "/raw", "/wire", "/curl", "/question", "/documents/{point:index}",
        "/documents/{point:index}/shown", "/image", "/pictures/{picture}", "/feedback", "/request",
    )),
    # Material for evaluations.
    "/api/feedback/mine", "/api/feedback/all",
    # Without answers.
    f"{CONVERSATION}/export/contents", "/api/conversations/", "/api/shared/", "/api/shared/{conversation}/contents",
    "/api/deployment/", "/api/deployment/files", "/api/deployment/sessions", "/api/deployment/unsaved",
    "/s", "/present/notes", "/embed.js", "/api/attachments/{attachment}", "/api/languages/{tag}.js", "/api/scripts/",
    "/health", "/ready", "/service-worker.js", "/favicon.ico", "/favicon.svg",
    "/api/sign-in", "/api/sign-in/callback", "/api/sign-in/me",
}  # fmt: skip
"""The routes by which no answer leaves."""
WRITE_TO_CLIPBOARD = {
    "page/shared/copy_button.jsx", "page/thread/answer_text.jsx", "page/sources/json_tree.js",
    "page/shared/copy_text.jsx",
}  # fmt: skip
"""The first copies from `COPIES`; the others copy a table, code, a value or a link."""
WRITES = re.compile(r"clipboard\s*\.write")


def paths(routes: Iterable[BaseRoute], at: str = "") -> Iterator[str]:
    for route in routes:
        if isinstance(route, Mount):
            yield from paths(route.routes, at + route.path)
        elif isinstance(route, Route) and (not route.methods or "GET" in route.methods):
            yield at + route.path


def test_every_route_script_and_option_by_which_an_answer_may_leave_is_known(tmp_path: Path):
    chosen = AppSettings(
        data_dir=tmp_path,
        feedback_token="t" * 20,
        shared_links="anyone",
        oidc_issuer="https://id.example",
        oidc_client_id="chat",
    )
    services = build_with(FEATURES, chosen, "127.0.0.1", 8000)
    found = {path for path in paths(HttpResources(services)._routes()) if not path.startswith(("/demo/", "/branding/"))}
    assert found == {way.partition("?")[0] for way in COPIES | FILES} | STAY
    assert {way.partition("=")[2] for way in FILES} - {""} == _TYPES.keys()
    scripts = [*ROOT.glob("chat_ui/**/*.js"), *ROOT.glob("chat_ui/**/*.jsx")]
    writing = {str(one.relative_to(ROOT / "chat_ui")) for one in scripts if WRITES.search(one.read_text())}
    assert writing == WRITE_TO_CLIPBOARD
    parser = argparse.ArgumentParser()
    EVALUATION.commands[0].add_options(parser)
    options = {action.dest for action in parser._actions if action.type is Path}
    assert options == {"questions", "out", "against", "html", "junit"}


GERMAN = "Antworten werden von KI erzeugt und können falsch sein. Prüfen Sie die Quellen."


@pytest.mark.parametrize(
    ("setting", "language", "words"),
    [("", "en", DEFAULT), ("", "de", GERMAN), ("A <*machine*>.", "de", "A <*machine*>."), ("Off", "en", "")],
)
def test_each_way_out_has_the_words_and_each_file_the_mark(tmp_path: Path, setting: str, language: str, words: str):
    with in_thread(StandIn(SOUND)) as backend, running_app(tmp_path, ai_notice=setting) as url, person(url) as me:
        me.headers["Accept-Language"] = language
        answer = me.post("/ask", params={"backend": f"{backend.url}/chat"}, content="Who pays?").text
        known = {"answer": answer, "conversation": answer.partition(".")[0]}
        link = me.post("/api/shared/", json={**known, "days": 1}).json()["path"]
        for way in COPIES | FILES:
            text = me.get(link if way.startswith("/s/") else way.format_map(known)).text
            assert "ten euros" in text, way
            # Punctuation is escaped in Markdown.
            assert words in text.replace("\\", "") or escape(words) in text, way
            assert "<*machine" not in text or way.endswith("json") or way == ALL, way
            assert (DEFAULT in text) == (words == DEFAULT), way
            assert (SOURCE_TYPE in text) == (way in FILES), way
            assert ('"application/ld+json"' in text) == ("<html" in text), way
        assert "AI" not in me.get(f"/api/answers/{answer}/markdown?plain").text
        archive = me.get(ALL)
        assert (archive.json()["digital_source_type"], archive.json().get("ai_notice", "")) == (SOURCE_TYPE, words)
        assert me.post("/api/conversations/import", content=archive.content).json()["imported"] == 1
        put(me, talk("A file of an earlier version", time.time()))
        assert len(listed(me)) == 3
    assert bool(notice_line(notice_of(setting))) == bool(words)


@pytest.mark.parametrize(("setting", "words"), [("", DEFAULT), ("off", "")])
async def test_an_evaluation_has_them_in_each_of_its_files(tmp_path: Path, setting: str, words: str):
    async with trial(tmp_path, SOUND) as one:
        html, junit, run = tmp_path / "report.html", tmp_path / "junit.xml", one.out / "run.json"
        options = "--html", str(html), "--junit", str(junit), "--json"
        ran = await one.run(*options, CHAT_UI_AI_NOTICE=setting)
        texts = [ran.out, *(file.read_text() for file in (html, junit, one.out / "summary.json"))]
        assert [(DEFAULT in text, SOURCE_TYPE in text) for text in texts] == [(bool(words), True)] * 4
        assert SOURCE_TYPE in run.read_text()
        # A run of an earlier version goes on.
        run.write_text(run.read_text().replace(f'  "digital_source_type": "{SOURCE_TYPE}",\n', ""))
        assert (await one.run()).status == 0
