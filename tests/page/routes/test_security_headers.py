"""Headers of every response, caching, and the texts of scripts."""

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from chat_ui.languages.catalogues import offered
from chat_ui.languages.messages import messages_of_page
from chat_ui.server.built_page import MESSAGES
from chat_ui.server.middleware.security_headers import SecurityHeaders, inline_scripts, script_hash
from chat_ui.server.public.scripts import SERVICE_WORKER
from tests.features.demo.serving import serving


def policy_of(answer: httpx2.Response) -> dict[str, list[str]]:
    directives = (directive.split() for directive in answer.headers["content-security-policy"].split(";"))
    return {name: values for name, *values in directives}


def test_every_response_has_the_headers_and_an_invalid_host_is_refused(app_url: str):
    styles = "/external/chat_ui/page/shared/page.css"
    for path in ("/", styles, "/no/such/page", "/api/answers/unknown.0.0", "/demo/"):
        headers = httpx2.get(app_url + path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-dns-prefetch-control"] == "off"
        assert "camera=()" in headers["permissions-policy"]
        assert "frame-ancestors" in headers["content-security-policy"]
    answer = httpx2.post(f"{app_url}/demo/chat", json={}, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403
    assert answer.headers["x-content-type-options"] == "nosniff"
    answer = httpx2.get(app_url, headers={"Host": "x; script-src *"})
    if "content-security-policy" in answer.headers:
        assert policy_of(answer)["connect-src"] == ["'self'"]
        assert "*" not in answer.headers["content-security-policy"]
    else:
        assert answer.status_code == 400


def test_scripts_run_only_by_hash_and_foreign_content_is_blocked(app_url: str):
    answer = httpx2.get(app_url)
    scripts = policy_of(answer)["script-src"]
    assert scripts[0] == "'self'"
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", source) for source in scripts[1:])
    assert {f"'{script_hash(script)}'" for script in inline_scripts(answer.text)} <= set(scripts)
    assert len(inline_scripts(answer.text)) > 0
    policy = policy_of(answer)
    assert policy["default-src"] == ["'none'"]
    assert policy["img-src"] == ["'self'", "data:", "blob:"]
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == ["'none'"]
    own = app_url.removeprefix("http://")
    assert policy["connect-src"] == ["'self'", f"ws://{own}", f"wss://{own}"]


def test_a_document_is_sandboxed_and_a_pdf_opens_in_the_browsers_viewer(app_url: str):
    web_page = httpx2.get(f"{app_url}/demo/content/FAQ.html")
    pdf = httpx2.get(f"{app_url}/demo/content/Leave_Policy.pdf")
    assert policy_of(web_page)["sandbox"] == []
    assert policy_of(web_page)["default-src"] == policy_of(pdf)["default-src"] == ["'none'"]
    assert "sandbox" not in policy_of(pdf)


def test_a_built_file_has_its_directives_and_the_page_the_whole_policy(app_url: str, built_app: Path):
    page = httpx2.get(app_url)
    script = httpx2.get(app_url + re.findall(r'"(/assets/[^"]+\.js)"', page.text)[0])
    assert policy_of(script)["default-src"] == ["'self'"]
    assert script.headers["x-content-type-options"] == "nosniff"
    assert not {"permissions-policy", "cross-origin-opener-policy", "x-dns-prefetch-control"} & set(script.headers)
    missing = httpx2.get(f"{app_url}/assets/none.js")
    assert missing.status_code == 404
    assert policy_of(missing) == policy_of(page)
    of_page = page.headers["content-security-policy"]
    assert httpx2.get(f"{app_url}/service-worker.js").headers["content-security-policy"] == of_page
    # Only the worker of PDF.js may use WebAssembly.
    [worker] = (built_app / ".web" / "build" / "client" / "assets").glob("pdf.worker*.mjs")
    policy = policy_of(httpx2.get(f"{app_url}/assets/{worker.name}"))
    assert (policy["default-src"], policy["script-src"]) == (["'self'"], ["'self'", "'wasm-unsafe-eval'"])
    assert "wasm-unsafe-eval" not in of_page


def test_inline_scripts_are_found_as_browsers_find_them():
    html = (
        "<script>a && b</script><script src=/x.js></script><SCRIPT type=module>c</SCRIPT>"
        "<!-- <script>no</script> --><p><script>'</p>'</script>"
    )
    assert inline_scripts(html) == ["a && b", "c", "'</p>'"]


def test_a_file_named_by_its_hash_is_cached_for_good_and_others_by_header():
    def found(_: Request) -> PlainTextResponse:
        return PlainTextResponse("text", headers={"Cache-Control": "no-cache"})

    routes = Starlette(routes=[Route("/assets/page-1a2b.js", found), Route("/index", found)])
    told = {
        "/assets/page-1a2b.js": "public, max-age=31536000, immutable",
        "/assets/gone.js": None,
        "/index": "no-cache",
    }
    with serving(SecurityHeaders(routes, pages=Path(), resources=(), assets="/assets/")) as url:
        answers = {path: httpx2.get(url + path, trust_env=False) for path in told}
    assert {path: answer.headers.get("cache-control") for path, answer in answers.items()} == told
    assert answers["/assets/gone.js"].status_code == 404


def test_the_worker_that_removes_an_earlier_one_is_never_cached():
    worker = TestClient(Starlette(routes=[SERVICE_WORKER])).get("/service-worker.js?language=de")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert worker.headers["cache-control"] == "no-cache"


ADDRESS = re.compile(r'<script src="(/api/languages/[^"]+)"></script>')


@pytest.fixture(scope="module")
def messages() -> Collection[str]:
    return messages_of_page()


@pytest.fixture(scope="module")
def address(app_url: str) -> str:
    """The address in the German document."""
    return ADDRESS.findall(httpx2.get(app_url, headers={"Accept-Language": "de"}).text)[0]


def words(answer: httpx2.Response) -> dict[str, Any]:
    before, _, found = answer.text.partition("=")
    assert before == "globalThis.chatUiWords"
    return json.loads(found)


@pytest.mark.thorough
def test_the_texts_of_scripts_are_complete_and_cached(app_url: str, address: str, messages: Collection[str]):
    answer = httpx2.get(app_url + address)
    german = offered()["de"].translations
    said = {
        message: [forms] if isinstance(forms, str) else forms for message, forms in words(answer)["messages"].items()
    }
    assert said == {message: list(german.messages[message]) for message in messages}
    assert words(answer)["forms"] == german.forms
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "set-cookie" not in answer.headers
    again = httpx2.get(app_url + address, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.thorough
def test_the_build_lists_the_messages(built_app: Path, messages: Collection[str]):
    (listed, *_) = built_app.rglob(MESSAGES)
    assert json.loads(listed.read_text("utf-8")) == messages


def test_texts_are_current_and_missing_in_unknown_languages(app_url: str, address: str):
    answer = httpx2.get(f"{app_url}{address}0")
    assert words(answer) == words(httpx2.get(app_url + address))
    assert answer.headers["cache-control"] == "public, no-cache"
    for tag in ("sv", "..%2fde", "", "de%00", "d" * 4000):
        assert httpx2.get(f"{app_url}/api/languages/{tag}.js").status_code in (404, 414)
    assert ADDRESS.findall(httpx2.get(app_url).text) == []
