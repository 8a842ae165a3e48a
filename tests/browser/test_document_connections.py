"""No document has its reader's browser connect to a stranger, shown in the page or in a tab of its own.

A whole Chromium connects to much of what a policy then forbids it to load; its headless shell does not. So it is looked
at as well that nothing is served as what browsers take for a page, but what was made safe here.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, Response, expect
from playwright.sync_api import Error as PlaywrightError
from starlette.responses import PlainTextResponse

from tests.app import free_port
from tests.backends.shelf import Shelf, pdf
from tests.browser.places import sources
from tests.browser.talking import ask, expect_settled, open_page
from tests.demo.serving import serving, wait_for


class Stranger:
    """Somebody on a port of this machine: counts connections and answers none."""

    def __init__(self) -> None:
        self.port = free_port()
        self.at = f"http://127.0.0.1:{self.port}"
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture(scope="module")
def stranger() -> Iterator[Stranger]:
    somebody = Stranger()
    yield somebody
    somebody.close()


def hostile(at: str) -> dict[str, bytes]:
    """Documents by name, each of which would have a browser connect to `at`."""
    svg = 'xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"'
    xhtml = 'xmlns="http://www.w3.org/1999/xhtml"'
    in_html = [
        f"<iframe src={at}/></iframe>",
        f"<link rel=preconnect href={at}/>",
        f"<link rel=dns-prefetch href={at}/><link rel=prefetch href={at}/p><link rel=prerender href={at}/q>",
        f"<link rel=stylesheet href={at}/s.css><style>@import url({at}/i.css)</style>",
        f'<meta http-equiv=refresh content="0;url={at}/">',
        f"<img src={at}/x.png><img srcset='{at}/y.png 2x'><picture><source srcset={at}/z></picture>",
        f"<style>@font-face {{ font-family: a; src: url({at}/f) }} p {{ font-family: a }}</style><p>a",
        f"<p style='background: url({at}/b)'>a",
        f"<video src={at}/v autoplay poster={at}/p></video><audio src={at}/a autoplay></audio>",
        f"<object data={at}/o></object><embed src={at}/e>",
        f"<form action={at}/ id=f><input name=a autofocus onfocus=f.submit()></form><script>f.submit()</script>",
        f"<a href={at}/ ping={at}/ping id=a>a</a><script>a.click()</script>",
        f'<script type=speculationrules>{{"prefetch": [{{"urls": ["{at}/"], "eagerness": "immediate"}}]}}</script>',
        f"<base href={at}/><img src=relative.png><link rel=modulepreload href=m.js>",
        f"<frameset><frame src={at}/></frameset>",
        f"<svg><image href={at}/i /><use href={at}/u#a /><foreignObject><iframe src={at}/></foreignObject></svg>",
        f'<noscript><p title="</noscript><iframe src={at}/>"></noscript><template><img src={at}/></template>',
        f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;iframe src={at}/&gt;'>",
        f"<portal src={at}/></portal><fencedframe src={at}/></fencedframe><input type=image src={at}/>",
        f"<link rel='preconnect dns-prefetch' href='{at}/' crossorigin><LINK REL=PRELOAD AS=image HREF={at}/l>",
        f"<link rel=icon href={at}/i><link rel=manifest href={at}/m><link rel=apple-touch-icon href={at}/t>",
        f'<script type=speculationrules>{{"prerender": [{{"source": "document", "eagerness": "immediate"}}]}}</script><a href={at}/>a</a>',  # noqa: E501
        f"<meta http-equiv=x-dns-prefetch-control content=on><a href={at}/>a</a><meta http-equiv=Link content='<{at}/>; rel=preconnect'>",  # noqa: E501
        f'<meta http-equiv=Content-Security-Policy content="default-src *; report-uri {at}/r"><img src=x>',
        f"<svg><style>@import '{at}/s';</style><feImage href={at}/f /><a href={at}/><animate attributeName=href values={at}/ /></a><script href={at}/j /></svg>",  # noqa: E501
        f"<img lowsrc={at}/l dynsrc={at}/d longdesc={at}/o loading=eager src=//127.0.0.1:{at.rpartition(':')[2]}/x>",
        f"<style>:root {{ --u: url({at}/v) }} body {{ background: var(--u); cursor: url({at}/c), auto; content: image-set('{at}/is' 1x) }}</style><p>a",  # noqa: E501
        f"<iframe srcdoc='<img src={at}/x>'></iframe><iframe src='data:text/html,<img src={at}/x>'></iframe>",
        f"<body onload=\"new WebSocket('{at.replace('http', 'ws')}/')\"><details open ontoggle=fetch('{at}/')>",
        f"<dialog open><form method=dialog action={at}/><button formaction={at}/>b</button></form></dialog><q cite={at}/>q</q>",  # noqa: E501
        f"<table background={at}/t><tr><td background={at}/d>a</table><body background={at}/body>",
    ]
    # The others would be hidden from a browser, or left out before, if they stood beside these.
    hiding = (f"<iframe src={at}", "<frameset", "<noscript", "<math", "<svg><style>")
    alone = [page for page in in_html if page.startswith(hiding)]
    together = "".join(page for page in in_html if page not in alone)
    return {
        **{f"Page{number}.html": page.encode() for number, page in enumerate((*alone, together))},
        "Page.xhtml": f"<html {xhtml}><body><iframe src='{at}/'/></body></html>".encode(),
        "Notes.md": "\n\n".join((*in_html, f"![a]({at}/m.png)", f"[a]({at}/)", f"<{at}/>")).encode(),
        "Drawing.svg": f"<svg {svg}><image x:href='{at}/i'/><foreignObject><iframe {xhtml} src='{at}/'/>"
        f"<link {xhtml} rel='preconnect' href='{at}/'/></foreignObject></svg>".encode(),
        "Style.svg": f"<?xml-stylesheet href='{at}/s.css'?><svg {svg}><style>@import '{at}/t';</style></svg>".encode(),
        "Feed.xml": f"<?xml-stylesheet type='text/xsl' href='{at}/s'?><a><iframe {xhtml} src='{at}/'/></a>".encode(),
        "Words.txt": in_html[0].encode(),
        "Table.csv": f'a;b\n"{in_html[0]}";=WEBSERVICE("{at}/")\n'.encode(),
        "Data.json": f'["{in_html[0]}"]'.encode(),
        "Paper.pdf": pdf("Paper"),
    }


@pytest.fixture(scope="module")
def cited(stranger: Stranger) -> Iterator[str]:
    """A backend that cites all of them, each with headers that name the stranger as well."""
    shelf = Shelf()
    links = {"Link": f"<{stranger.at}/>; rel=preconnect", "Refresh": f"0; url={stranger.at}/"}
    documents = hostile(stranger.at)
    shelf.documents |= {
        name: PlainTextResponse(content, headers=links, media_type="text/html") for name, content in documents.items()
    }
    shelf.sources = [f"{name}: Words of {name}." for name in documents]
    with serving(shelf.app) as url:
        yield f"{url}/1/chat"


def test_no_document_has_the_browser_connect_to_a_stranger(context: BrowserContext, cited: str, stranger: Stranger):
    page = open_page(context, backend=cited)
    ask(page, "What is there?")
    expect_settled(page).get_by_role("button", name="Sources").click()
    pages: set[str] = set()

    def look(response: Response) -> None:
        path = response.url.partition("/documents/")[2]
        kind, how = (response.headers.get(name, "") for name in ("content-type", "content-disposition"))
        if path and how.startswith("attachment"):
            return
        if path and ("html" in kind or "xml" in kind):
            pages.add(path.lstrip("0123456789"))

    context.on("response", look)
    tab = context.new_page()
    openers = sources(page).locator("[data-document]")
    expect(openers.first).to_be_visible()
    for number in range(openers.count()):
        openers.nth(number).click()
        expect(sources(page).locator(".document-body[aria-busy=false]")).to_be_attached()
        in_a_tab = page.get_by_role("link", name="Open in a new tab").get_attribute("href") or ""
        for address in {in_a_tab.partition("#")[0], in_a_tab.partition("#")[0].removesuffix("/shown")}:
            open_in(tab, address)
        page.get_by_role("button", name="Back to sources").click()
    assert stranger.connections == 0
    assert pages <= {"/shown"}, "only what was made safe is a page"
    expect_it_would_be_seen(context, stranger)


def open_in(tab: Page, address: str) -> None:
    """Open an address of ours as a page of its own, until all of it is there, or it is a download."""
    try:
        tab.goto(address, wait_until="load")
    except PlaywrightError as error:
        if "Download is starting" not in str(error):
            raise


def expect_it_would_be_seen(context: BrowserContext, stranger: Stranger) -> None:
    """The first of the documents as it came, to show that connections are counted."""
    tab = context.new_page()
    page = hostile(stranger.at)["Page0.html"]
    tab.route("**/control", lambda route: route.fulfill(body=page, content_type="text/html"))
    tab.goto("/control")
    wait_for(lambda: stranger.connections > 0)
    tab.close()
