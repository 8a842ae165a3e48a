"""What a browser is told to keep."""

from __future__ import annotations

from pathlib import Path

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from chat_ui.routes.public.scripts import SERVICE_WORKER
from chat_ui.server.middleware.security_headers import SecurityHeaders
from tests.demo.serving import serving


def _found(request: Request) -> PlainTextResponse:
    return PlainTextResponse("text", headers={"Cache-Control": "no-cache"})


def _asked(path: str) -> httpx2.Response:
    routes = Starlette(routes=[Route("/assets/page-1a2b.js", _found), Route("/index", _found)])
    with serving(SecurityHeaders(routes, pages=Path(), resources=(), assets="/assets/")) as url:
        return httpx2.get(url + path, trust_env=False)


def test_a_file_named_after_its_content_is_kept_for_good():
    assert _asked("/assets/page-1a2b.js").headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_file_that_is_not_there_is_not_kept():
    response = _asked("/assets/gone.js")
    assert response.status_code == 404
    assert "cache-control" not in response.headers


def test_anything_else_is_kept_as_it_says_itself():
    assert _asked("/index").headers["cache-control"] == "no-cache"


def test_the_worker_that_takes_back_a_former_one_is_asked_for_each_time():
    worker = TestClient(Starlette(routes=[SERVICE_WORKER])).get("/service-worker.js?language=de")
    assert worker.headers["content-type"].startswith("text/javascript")
    assert worker.headers["cache-control"] == "no-cache"
