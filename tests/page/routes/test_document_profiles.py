"""Documents and images from addresses of profiles and answers, without connections from the browser to others."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from chat_ui.backends.credential import Credential, Tokens
from chat_ui.backends.offer import Offer, remembered_backend
from chat_ui.backends.personal_choices import Choices, OwnBackend
from chat_ui.backends.profile import Profile
from chat_ui.backends.vault import Vault
from chat_ui.protocol.transport.guard import origin_of
from tests.features.demo.serving import serving
from tests.page.routes.reading import Reader, reading, reading_from
from tests.rendering.harmless import judged
from tests.stand_ins.pictures import PNG, Pictures
from tests.stand_ins.shelf import Shelf, pdf

DATA = pdf("Buoys are painted red.")


@dataclass(frozen=True)
class Library:
    """A shelf, the address of its readers, and the vault with their keys."""

    shelf: Shelf
    backend: str
    address: str
    vault: Vault

    def reader(self, backend: str) -> Reader:
        """A person with an answer of that backend that cites `Buoys & Co.pdf`."""
        reader = Reader(self.address, backend)
        reader.ask()
        return reader

    @property
    def authorizations(self) -> set[str | None]:
        """The credentials of the requests for documents."""
        return {headers.get("authorization") or headers.get("api-key") for _, headers in self.shelf.requests}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("SHELF_KEY", "operators")
    shelf = Shelf()
    shelf.documents["Buoys & Co.pdf"] = DATA
    shelf.sources = ["Buoys & Co.pdf#page=1: Buoys are painted red."]
    vault = Vault(tmp_path)
    with serving(shelf.app) as backend:
        credential = {"kind": "api-key", "env": "SHELF_KEY"}
        given = (
            Profile(name="Beside", url=f"{backend}/0/chat", credential=credential),
            Profile(name="Files", url=f"{backend}/0/chat", documents="{origin}/0/files?name={source}"),
            Profile(name="Nowhere", url=f"{backend}/0/chat", documents=""),
            Profile(name="Base", url=f"{backend}/2", credential=credential),
        )
        own = (
            OwnBackend("own:1", f"{backend}/1/chat", documents="{origin}/1/files?name={source}"),
            OwnBackend("own:2", f"{backend}/3"),
        )
        with reading(Offer(given), vault, Choices(own=own)) as address:
            yield Library(shelf, backend, address, vault)
    asyncio.run(vault.close())


def test_a_detected_backend_has_documents_for_its_first_answer(library: Library):
    for backend, place in (("own:2", "/3/content/"), ("given:Base", "/2/content/")):
        library.shelf.requests.clear()
        for _ in range(2):
            reader = library.reader(backend)
            assert "Open page 1" in reader.sources()
            assert reader.document(0).content == DATA
        assert {path.startswith(place) for path, _ in library.shelf.requests} == {True}


def test_the_profile_gives_the_address_of_documents(library: Library):
    reader = library.reader("given:Files")
    assert "data-document" in reader.sources()
    assert reader.document(0).content == DATA
    assert {path for path, _ in library.shelf.requests} == {"/0/files"}
    assert library.authorizations == {None}, "the key of another profile with the same address stays with that profile"


def test_a_persons_own_backend_gets_only_their_key(library: Library):
    ann, bob = library.reader("own:1"), library.reader("own:1")
    key = Credential("bearer", "anns")
    asyncio.run(library.vault.keep(ann.name, origin_of(library.backend), key))
    assert ann.document(0).content == DATA
    assert library.authorizations == {"Bearer anns"}
    library.shelf.requests.clear()
    assert bob.document(0).content == DATA
    assert library.authorizations == {None}
    assert {path for path, _ in library.shelf.requests} == {"/1/files"}


def test_a_backend_without_documents_is_not_asked_and_the_passage_says_so(library: Library):
    reader = library.reader("given:Nowhere")
    assert "data-document" not in reader.sources()
    assert reader.document(0).status_code == 404
    reader = library.reader(f"{library.backend}/7/chat")
    reader.http.get(f"/answers/{reader.answer}/grounding")
    html = reader.sources()
    assert "Buoys are painted red." in html
    assert "from a backend that is not on offer here" in html
    assert "data-document" not in html
    for path in ("", "/shown"):
        refused = reader.document(0, path)
        assert refused.status_code in {403, 415}
    assert library.shelf.requests == []


def test_the_operators_key_is_not_sent_to_a_backend_named_in_a_file(library: Library):
    for backend, key in (("given:Beside", "operators"), (f"{library.backend}/0/chat", None)):
        library.shelf.requests.clear()
        assert library.reader(backend).document(0).content == DATA
        assert library.authorizations == {key}


async def test_own_backends_are_not_asked_once_they_are_forbidden(tmp_path: Path):
    asked_of = {"url": "https://own.example/chat", "profile": "own:1"}
    offer = handbook("https://handbook.example/chat")
    for allowed in (offer, replace(offer, own_allowed=False)):
        backend = await remembered_backend(asked_of, "ann", allowed, Vault(tmp_path), Tokens())
        assert (backend is not None) is allowed.own_allowed


def test_a_document_without_the_operators_key_is_refused_in_words(library: Library, monkeypatch: pytest.MonkeyPatch):
    reader = library.reader("given:Beside")
    monkeypatch.delenv("SHELF_KEY")
    response = reader.document(0)
    assert response.status_code == 503
    assert "does not have a usable key" in response.text
    assert "data-document" in reader.sources(), "what is refused is there"


def handbook(url: str) -> Offer:
    return Offer((Profile(name="Handbook", url=url),))


def test_a_backend_without_a_profile_has_no_documents():
    remembered = {"url": "https://handbook.example/chat", "profile": "given:Handbook"}
    assert handbook("https://handbook.example/v2/chat").remembered_profile(remembered) is not None
    assert handbook("https://elsewhere.example/chat").remembered_profile(remembered) is None
    offer = replace(handbook("https://handbook.example/chat"), own_allowed=False)
    for profile in ("", "given:Gone", "own:1"):
        assert offer.remembered_profile({**remembered, "profile": profile}) is None


KEY = "Bearer only-for-the-backend"


@pytest.fixture(scope="module")
def pictures() -> Iterator[Pictures]:
    host = Pictures()
    with serving(host.app) as host.url:
        yield host


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture(scope="module")
def url(shelf: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(shelf.app) as backend:
        profile = Profile(name="Shelf", url=f"{backend}/0/chat", headers={"Authorization": KEY})
        with reading(Offer((profile,)), Vault(tmp_path_factory.mktemp("vault"))) as address:
            yield address


@pytest.fixture
def reader(url: str, pictures: Pictures) -> Iterator[Reader]:
    pictures.requests.clear()
    someone = Reader(url, "given:Shelf")
    yield someone
    someone.http.close()


def answered(shelf: Shelf, reader: Reader, text: str, *sources: str) -> None:
    shelf.text, shelf.sources = text, sources
    reader.ask()


def test_an_image_has_the_type_of_its_bytes(shelf: Shelf, reader: Reader, pictures: Pictures):
    answered(shelf, reader, f"![a dot]({pictures.url}/dot.png)")
    for _ in range(2):
        response = reader.image(f"{pictures.url}/dot.png")
        assert (response.content, response.headers["content-type"]) == (PNG, "image/png")
    for _, headers in pictures.requests:
        assert not {"authorization", "cookie", "referer"} & headers.keys()


def test_an_image_is_found_anywhere_in_an_answer(shelf: Shelf, reader: Reader, pictures: Pictures):
    url = f"{pictures.url}/dot.png?a=1&b=%20%C3%A4"
    for text in ("![a dot][d]\n\n[d]: {url}", "<img src='{url}' alt='a dot'>", "| a |\n|---|\n| ![]({url}) |"):
        answered(shelf, reader, text.format(url=url))
        assert reader.image(url).content == PNG
    answered(shelf, reader, "Read it.", f"map.txt: <p>Here: <img src='{url}'></p>")
    assert reader.image(url).content == PNG
    # A redirect on the same host is followed.
    answered(shelf, reader, f"![x]({pictures.url}/moved)")
    assert reader.image(f"{pictures.url}/moved").content == PNG
    message = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    shelf.thoughts = [{"title": "Prompt", "description": [message]}]
    answered(shelf, reader, "Red.")
    shelf.thoughts = ()
    assert reader.image(url).content == PNG
    assert reader.image(f"{url}?more").status_code == 404


def test_only_images_of_an_answer_are_fetched(shelf: Shelf, reader: Reader, pictures: Pictures):
    at = pictures.url
    not_shown = f"[![x]({at}/linked.png)](https://a.example) `![x]({at}/code.png)` [x]({at}/link.png)"
    answered(shelf, reader, f"![a dot]({at}/dot.png) {not_shown}")
    paths = ("/other", "/dot.pn", "/dot.png?more", "/linked.png", "/code.png", "/link.png")
    for url in ("", *(f"{at}{path}" for path in paths)):
        response = reader.image(url)
        assert (response.status_code, response.text) == (404, "This image is not part of the answer.")
    stranger = Reader(reader.url)
    stranger.answer = reader.answer
    assert stranger.image(f"{at}/dot.png").status_code == 404
    assert pictures.requests == []


def test_an_invalid_image_is_refused_in_words(shelf: Shelf, reader: Reader, pictures: Pictures):
    refusals = {
        "page": "415: 127.0.0.1 did not send a PNG, JPEG, GIF or WebP image, so it is not shown.",
        "drawing.svg": "415: 127.0.0.1 did not send a PNG, JPEG, GIF or WebP image, so it is not shown.",
        "endless": "413: The image is larger than the limit of 20 MB.",
        "elsewhere": "502: 127.0.0.1 redirects this image to another address, which is not followed.",
        "gone": "502: 127.0.0.1 did not return this image (status 404).",
    }

    def refused(name: str) -> str:
        answered(shelf, reader, f"![x]({pictures.url}/{name})")
        response = reader.image(f"{pictures.url}/{name}")
        return f"{response.status_code}: {response.text}"

    assert {name: refused(name) for name in refusals} == refusals
    assert [asked for asked, _ in pictures.requests] == [*refusals]
    for host in ("169.254.169.254", "0xa9fea9fe"):
        answered(shelf, reader, f'<img src="http://{host}/latest">')
        response = reader.image(f"http://{host}/latest")
        assert response.status_code == 502
        assert "was not called" in response.text


FRAMES = {"class answer-text", "class document-plain"}
"""Markup around a document that answers do not have."""


def hostile(at: str) -> dict[str, bytes]:
    """Documents by name, each with a reference to `at`."""
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
    # Beside these, a browser or the sanitiser would skip the others.
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


def test_only_sanitised_documents_are_pages(tmp_path: Path):
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
