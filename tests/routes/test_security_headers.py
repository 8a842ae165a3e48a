"""What a browser is told about every response."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2

from chat_ui.server.middleware.security_headers import inline_scripts, script_hash


def policy_of(answer: httpx2.Response) -> dict[str, list[str]]:
    directives = (directive.split() for directive in answer.headers["content-security-policy"].split(";"))
    return {name: values for name, *values in directives}


def test_every_response_has_the_headers(app_url: str):
    styles = "/external/chat_ui/components/shared/page.css"
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


def test_scripts_run_from_our_files_and_by_hash_alone(app_url: str):
    answer = httpx2.get(app_url)
    scripts = policy_of(answer)["script-src"]
    assert scripts[0] == "'self'"
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", source) for source in scripts[1:])
    assert {f"'{script_hash(script)}'" for script in inline_scripts(answer.text)} <= set(scripts)
    assert len(inline_scripts(answer.text)) > 0


def test_nothing_foreign_is_loaded_framed_or_posted_to(app_url: str):
    policy = policy_of(httpx2.get(app_url))
    assert policy["default-src"] == ["'none'"]
    assert policy["img-src"] == ["'self'", "data:", "blob:"]
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == ["'none'"]
    own = app_url.removeprefix("http://")
    assert policy["connect-src"] == ["'self'", f"ws://{own}", f"wss://{own}"]


def test_a_host_that_is_no_host_does_not_reach_the_policy(app_url: str):
    answer = httpx2.get(app_url, headers={"Host": "x; script-src *"})
    if "content-security-policy" in answer.headers:
        assert policy_of(answer)["connect-src"] == ["'self'"]
        assert "*" not in answer.headers["content-security-policy"]
    else:
        assert answer.status_code == 400


def test_a_document_of_a_backend_is_in_a_sandbox_and_a_pdf_in_the_browsers_viewer(app_url: str):
    web_page = httpx2.get(f"{app_url}/demo/content/FAQ.html")
    pdf = httpx2.get(f"{app_url}/demo/content/Leave_Policy.pdf")
    assert policy_of(web_page)["sandbox"] == []
    assert policy_of(web_page)["default-src"] == policy_of(pdf)["default-src"] == ["'none'"]
    assert "sandbox" not in policy_of(pdf)


def test_a_built_file_has_what_it_heeds_and_the_page_in_place_of_one_the_whole(app_url: str):
    page = httpx2.get(app_url)
    script = httpx2.get(app_url + re.findall(r'"(/assets/[^"]+\.js)"', page.text)[0])
    assert policy_of(script)["default-src"] == ["'self'"]
    assert script.headers["x-content-type-options"] == "nosniff"
    assert not {"permissions-policy", "cross-origin-opener-policy", "x-dns-prefetch-control"} & set(script.headers)
    missing = httpx2.get(f"{app_url}/assets/none.js")
    assert missing.status_code == 404
    assert policy_of(missing) == policy_of(page)
    assert (
        httpx2.get(f"{app_url}/service-worker.js").headers["content-security-policy"]
        == page.headers["content-security-policy"]
    )


def test_web_assembly_is_for_the_worker_of_pdf_js_alone(app_url: str, built_app: Path):
    [worker] = (built_app / ".web" / "build" / "client" / "assets").glob("pdf.worker*.mjs")
    policy = policy_of(httpx2.get(f"{app_url}/assets/{worker.name}"))
    assert policy["default-src"] == ["'self'"]
    assert policy["script-src"] == ["'self'", "'wasm-unsafe-eval'"]
    assert "wasm-unsafe-eval" not in httpx2.get(app_url).headers["content-security-policy"]


def test_inline_scripts_are_found_as_a_browser_finds_them():
    html = (
        "<script>a && b</script><script src=/x.js></script><SCRIPT type=module>c</SCRIPT>"
        "<!-- <script>no</script> --><p><script>'</p>'</script>"
    )
    assert inline_scripts(html) == ["a && b", "c", "'</p>'"]
