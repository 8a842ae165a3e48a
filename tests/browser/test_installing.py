import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from chat_ui.features.branding.branding import GROUNDS
from tests.app import App
from tests.browser.answering import get_answer
from tests.browser.opening import NewContext, open_page, reload
from tests.browser.stand_in import StandIn
from tests.features.demo.serving import serving
from tests.servers import wait_until


def theme_colours(page: Page) -> Locator:
    return page.locator('meta[name="theme-color"]')


def test_a_browser_can_install_the_page_with_the_colours_of_the_theme(page: Page):
    devtools = page.context.new_cdp_session(page)
    assert devtools.send("Page.getInstallabilityErrors")["installabilityErrors"] in (
        [],
        # A browser without a profile cannot install an app.
        [{"errorId": "in-incognito", "errorArguments": []}],
    )
    found = devtools.send("Page.getAppManifest")
    assert (found["errors"], found["url"]) == ([], f"{page.url}branding/manifest.webmanifest")
    manifest = json.loads(found["data"])
    assert manifest["name"] == page.title()
    for icon in manifest["icons"]:
        width = page.evaluate(
            "async (src) => { const i = new Image(); i.src = src; await i.decode(); return i.width }", icon["src"]
        )
        assert icon["sizes"] in ("any", f"{width}x{width}")
    touch = page.locator('link[rel="apple-touch-icon"]').get_attribute("href")
    assert touch in [icon["src"] for icon in manifest["icons"]]

    as_the_system = [GROUNDS["light"], GROUNDS["dark"]]
    assert [one.get_attribute("content") for one in theme_colours(page).all()] == as_the_system
    for choice, expected in (
        ("Dark", [GROUNDS["dark"]] * 2),
        ("Light", [GROUNDS["light"]] * 2),
        ("System", as_the_system),
    ):
        expect(page.get_by_role("menu")).to_have_count(0)
        page.get_by_role("button", name="More").click()
        page.get_by_role("menuitemradio", name=choice, exact=True).click()
        for place, colour in enumerate(expected):
            expect(theme_colours(page).nth(place)).to_have_attribute("content", colour)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html.dark")).to_be_attached()
    shown = page.locator(".page").evaluate("(page) => getComputedStyle(page).backgroundColor")
    assert shown == "rgb({}, {}, {})".format(*bytes.fromhex(GROUNDS["dark"][1:]))


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
def test_an_earlier_worker_and_its_caches_are_removed_without_disturbance(
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
    opened = open_page(context, backend=stand_in.saying("Red."))
    loads: list[str] = []
    opened.on("load", lambda loaded: loads.append(loaded.url))
    wait_until(lambda: opened.evaluate(REGISTERED) == 0 or None, 60)
    assert opened.evaluate(CACHES) == ["of-another-app"]
    expect(get_answer(opened, "What colour are buoys?")).to_contain_text("Red.")
    reload(opened)
    assert opened.evaluate("() => navigator.serviceWorker.controller === null")
    assert opened.evaluate(REGISTERED) == 0
    assert len(loads) == 1
    app.end()
