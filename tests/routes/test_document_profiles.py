"""Documents and images come from where the profile or the answer says, with the credential of the profile alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from chat_ui.profiles.credential import Credential, Tokens
from chat_ui.profiles.offer import Offer, remembered_backend
from chat_ui.profiles.personal_choices import Choices, OwnBackend
from chat_ui.profiles.profile import Profile
from chat_ui.profiles.vault import Vault
from chat_ui.protocol.transport.guard import origin_of
from tests.backends.pictures import PNG, Pictures
from tests.backends.shelf import Shelf, pdf
from tests.demo.serving import serving
from tests.routes.reading import Reader, reading

DATA = pdf("Buoys are painted red.")


@dataclass(frozen=True)
class Library:
    """A shelf, the address under which people read, and the vault with their keys."""

    shelf: Shelf
    backend: str
    address: str
    vault: Vault

    def reader(self, backend: str) -> Reader:
        """A person who asked that backend, and got an answer that cites `Buoys & Co.pdf`."""
        reader = Reader(self.address, backend)
        reader.ask()
        return reader

    @property
    def authorizations(self) -> set[str | None]:
        """What came as a credential with each request for a document."""
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


def test_the_operators_key_goes_along(library: Library):
    assert library.reader("given:Beside").document(0).content == DATA
    assert library.authorizations == {"operators"}


def test_the_first_answer_of_a_backend_that_had_to_be_looked_for_has_its_documents(library: Library):
    for backend, place in (("own:2", "/3/content/"), ("given:Base", "/2/content/")):
        library.shelf.requests.clear()
        for _ in range(2):
            reader = library.reader(backend)
            assert "Open page 1" in reader.sources()
            assert reader.document(0).content == DATA
        assert {path.startswith(place) for path, _ in library.shelf.requests} == {True}


def test_the_profile_says_where_documents_are(library: Library):
    reader = library.reader("given:Files")
    assert "data-document" in reader.sources()
    assert reader.document(0).content == DATA
    assert {path for path, _ in library.shelf.requests} == {"/0/files"}
    assert library.authorizations == {None}, "the key of another profile with the same address stays with that profile"


def test_a_persons_own_backend_gets_their_own_key_and_nobody_elses(library: Library):
    ann, bob = library.reader("own:1"), library.reader("own:1")
    key = Credential("bearer", "anns")
    asyncio.run(library.vault.keep(ann.name, origin_of(library.backend), key))
    assert ann.document(0).content == DATA
    assert library.authorizations == {"Bearer anns"}
    library.shelf.requests.clear()
    assert bob.document(0).content == DATA
    assert library.authorizations == {None}
    assert {path for path, _ in library.shelf.requests} == {"/1/files"}


def test_a_backend_without_documents_or_one_that_a_file_names_is_not_asked_and_the_passage_says_so(library: Library):
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


def test_an_operators_backend_that_a_file_names_is_asked_without_the_operators_key(library: Library):
    reader = library.reader(f"{library.backend}/0/chat")
    assert reader.document(0).content == DATA
    assert library.authorizations == {None}


async def test_own_backends_that_were_asked_are_not_asked_any_more_where_they_are_no_longer_allowed(tmp_path: Path):
    asked_of = {"url": "https://own.example/chat", "profile": "own:1"}
    offer = handbook("https://handbook.example/chat")
    for allowed in (offer, replace(offer, own_allowed=False)):
        backend = await remembered_backend(asked_of, "ann", allowed, Vault(tmp_path), Tokens())
        assert (backend is not None) is allowed.own_allowed


def test_without_the_operators_key_a_document_is_refused_in_words(library: Library, monkeypatch: pytest.MonkeyPatch):
    reader = library.reader("given:Beside")
    monkeypatch.delenv("SHELF_KEY")
    response = reader.document(0)
    assert response.status_code == 503
    assert "does not hold a usable key" in response.text
    assert "data-document" in reader.sources(), "what is refused is there"


def handbook(url: str) -> Offer:
    return Offer((Profile(name="Handbook", url=url),))


def test_what_no_profile_stands_for_any_more_has_none():
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


def test_an_image_of_an_answer_comes_as_what_its_bytes_are(shelf: Shelf, reader: Reader, pictures: Pictures):
    answered(shelf, reader, f"![a dot]({pictures.url}/dot.png)")
    for _ in range(2):
        response = reader.image(f"{pictures.url}/dot.png")
        assert (response.content, response.headers["content-type"]) == (PNG, "image/png")
    for _, headers in pictures.requests:
        assert not {"authorization", "cookie", "referer"} & headers.keys()


def test_an_image_is_found_wherever_it_stands_in_an_answer(shelf: Shelf, reader: Reader, pictures: Pictures):
    url = f"{pictures.url}/dot.png?a=1&b=%20%C3%A4"
    for text in ("![a dot][d]\n\n[d]: {url}", "<img src='{url}' alt='a dot'>", "| a |\n|---|\n| ![]({url}) |"):
        answered(shelf, reader, text.format(url=url))
        assert reader.image(url).content == PNG
    answered(shelf, reader, "Read it.", f"map.txt: <p>Here: <img src='{url}'></p>")
    assert reader.image(url).content == PNG
    # A redirect on the same host is followed.
    answered(shelf, reader, f"![x]({pictures.url}/moved)")
    assert reader.image(f"{pictures.url}/moved").content == PNG


def test_an_image_of_a_message_in_a_thought_comes(shelf: Shelf, reader: Reader, pictures: Pictures):
    url = f"{pictures.url}/dot.png"
    message = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    shelf.thoughts = [{"title": "Prompt", "description": [message]}]
    answered(shelf, reader, "Red.")
    shelf.thoughts = ()
    assert reader.image(url).content == PNG
    assert reader.image(f"{url}?more").status_code == 404


def test_only_what_an_answer_shows_can_be_asked_for(shelf: Shelf, reader: Reader, pictures: Pictures):
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


def test_what_is_no_image_to_be_shown_is_refused_in_words(shelf: Shelf, reader: Reader, pictures: Pictures):
    refusals = {
        "page": "415: What 127.0.0.1 sent is not a PNG, JPEG, GIF or WebP image, so it is not shown.",
        "drawing.svg": "415: What 127.0.0.1 sent is not a PNG, JPEG, GIF or WebP image, so it is not shown.",
        "endless": "413: This image is larger than 20 MB, so reading stopped.",
        "elsewhere": "502: 127.0.0.1 sends whoever wants this image to another place, which is not followed.",
        "gone": "502: 127.0.0.1 did not give out this image (status 404).",
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
