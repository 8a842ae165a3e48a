"""The service worker of an earlier version is gone from a browser with the next page, and so is what it kept there."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.app import App
from tests.browser.opening import NewContext, expect_alive, open_page
from tests.browser.stand_in import StandIn, delta
from tests.browser.talking import ask, expect_settled
from tests.demo.serving import serving
from tests.servers import wait_until

FORMER_WORKER = """
const VIEW = "/offline?language=en";
const PASSING = ["cors", "no-cors", "same-origin"].map((requestMode) => ({ requestMode }));
const prepare = async () => (await caches.open("chat-ui-shell-1")).put(VIEW, new Response("You are offline."));
addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(Promise.all([prepare(), event.addRoutes?.([{ condition: { or: PASSING }, source: "network" }])]));
});
addEventListener("activate", (event) => event.waitUntil(registration.navigationPreload.enable()));
const fromServer = async ({ preloadResponse, request }) => (await preloadResponse) ?? fetch(request);
addEventListener("fetch", (event) => event.respondWith(fromServer(event).catch(() => caches.match(VIEW))));
"""
FORMER_PAGE = """async () => {
  await navigator.serviceWorker.register("/service-worker.js?language=en", { updateViaCache: "none" });
  await navigator.serviceWorker.ready;
  await (await caches.open("chat-ui-kept-owner")).put("/c/one", new Response("A conversation"));
  await caches.open("of-another-app");
}"""
REGISTERED = "async () => (await navigator.serviceWorker.getRegistrations()).length"
CACHES = "() => caches.keys()"


async def former_worker(_: Request) -> Response:
    return Response(FORMER_WORKER, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


async def former_page(_: Request) -> Response:
    return HTMLResponse("<h1>The former page</h1>")


@pytest.mark.thorough
def test_the_worker_of_an_earlier_version_and_its_caches_are_gone_with_the_next_page_which_goes_on_undisturbed(
    built_app: Path, tmp_path: Path, new_context: NewContext, stand_in: StandIn
):
    app = App(tmp_path, built=built_app)
    context = new_context(base_url=app.url)
    page = context.new_page()
    with serving(Starlette(routes=[Route("/service-worker.js", former_worker), Route("/", former_page)]), app.port):
        page.goto("/")
        page.evaluate(FORMER_PAGE)
    page.goto("/")
    expect(page.get_by_text("You are offline.")).to_be_visible()
    assert sorted(page.evaluate(CACHES)) == ["chat-ui-kept-owner", "chat-ui-shell-1", "of-another-app"]
    app.start()
    opened = open_page(context, backend=stand_in.streaming(delta("Red.")))
    loads: list[str] = []
    opened.on("load", lambda loaded: loads.append(loaded.url))
    wait_until(lambda: opened.evaluate(REGISTERED) == 0 or None, 60)
    assert opened.evaluate(CACHES) == ["of-another-app"]
    ask(opened, "What colour are buoys?")
    expect(expect_settled(opened)).to_contain_text("Red.")
    opened.reload()
    expect_alive(opened)
    assert opened.evaluate("() => navigator.serviceWorker.controller === null")
    assert opened.evaluate(REGISTERED) == 0
    assert len(loads) == 1
    app.end()
