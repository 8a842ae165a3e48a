"""Images that an answer shows from somewhere else, through the route that a browser asks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chat_ui.profiles.offer import Offer
from chat_ui.profiles.profile import Profile
from chat_ui.profiles.vault import Vault
from tests.backends.pictures import PNG, Pictures
from tests.backends.shelf import Shelf
from tests.demo.serving import serving
from tests.routes.reading import Reader, reading

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


def test_a_redirect_on_the_same_host_is_followed(shelf: Shelf, reader: Reader, pictures: Pictures):
    answered(shelf, reader, f"![x]({pictures.url}/moved)")
    assert reader.image(f"{pictures.url}/moved").content == PNG


def test_an_address_that_may_not_be_called_is_refused_in_words(shelf: Shelf, reader: Reader):
    for host in ("169.254.169.254", "0xa9fea9fe"):
        answered(shelf, reader, f'<img src="http://{host}/latest">')
        response = reader.image(f"http://{host}/latest")
        assert response.status_code == 502
        assert "was not called" in response.text


def test_nobody_else_gets_an_image_of_an_answer(shelf: Shelf, reader: Reader, pictures: Pictures):
    answered(shelf, reader, f"![a dot]({pictures.url}/dot.png)")
    stranger = Reader(reader.url)
    stranger.answer = reader.answer
    assert stranger.image(f"{pictures.url}/dot.png").status_code == 404
    assert pictures.requests == []
