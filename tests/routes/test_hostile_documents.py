"""No document has its reader's browser connect to a stranger.

Nothing is served as what browsers take for a page, but what was made safe, and no header of a backend goes along.
"""

from __future__ import annotations

from pathlib import Path

from starlette.responses import PlainTextResponse

from tests.backends.shelf import Shelf, pdf
from tests.demo.serving import serving
from tests.rendering.harmless import judged
from tests.routes.reading import Reader, reading_from

FRAMES = {"class answer-text", "class document-plain"}
"""Markup that stands around a document and in no answer."""


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


def test_no_document_is_a_page_but_what_was_made_safe(tmp_path: Path):
    stranger = "http://stranger.example"
    links = {"Link": f"<{stranger}/>; rel=preconnect", "Refresh": f"0; url={stranger}/"}
    shelf, documents = Shelf(), hostile(stranger)
    shelf.documents |= {
        name: PlainTextResponse(content, headers=links, media_type="text/html") for name, content in documents.items()
    }
    shelf.sources = [f"{name}: Words of {name}." for name in documents]
    with serving(shelf.app) as backend, reading_from(f"{backend}/1/chat", tmp_path) as url:
        reader = Reader(url, "given:Shelf")
        reader.ask()
        for point, name in enumerate(documents):
            found = reader.document(point)
            kind = found.headers["content-type"].partition(";")[0]
            assert kind in {"application/pdf", "text/plain"} or "attachment" in found.headers["content-disposition"]
            shown = reader.document(point, "/shown")
            if shown.status_code == 200:
                assert {*judged(shown.text).faults} <= FRAMES, name
            for response in (found, shown):
                assert not {"link", "refresh"} & {*response.headers}
                assert stranger not in response.headers["content-security-policy"]
        reader.http.close()
