"""What is made once and shared is made once for each language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.backends.stand_in import Reply, StandIn, in_thread, lines
from tests.routes.listing import person
from tests.routes.whole import whole

DUTCH = r"""
msgid ""
msgstr ""
"Language: nl\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

msgid "No conversation is kept in this browser."
msgstr "Er is niets bewaard."

msgid "There is no such answer."
msgstr "Dat antwoord is er niet."
"""
IN_DUTCH = {"Accept-Language": "nl"}


@pytest.fixture
def me(tmp_path: Path) -> Iterator[httpx.Client]:
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations/nl.po").write_text(DUTCH, encoding="utf-8")
    with whole(tmp_path, translations=tmp_path / "translations") as url, person(url) as client:
        yield client


def rendering(client: httpx.Client, address: str, headers: dict[str, str]) -> str:
    """The name of the rendering that a follower gets, by its first frame."""
    with client.stream("GET", address, headers=headers) as response:
        line = next(line for line in response.iter_lines() if line.startswith("id: "))
    return line.removeprefix("id: ").partition(".")[0]


def test_a_growing_answer_is_rendered_once_for_each_language_of_its_followers(me: httpx.Client):
    never = Reply([lines({"delta": {"role": "assistant"}}, {"delta": {"content": "Red."}}), float("inf")])
    with in_thread(StandIn(never)) as backend:
        query = {"backend": f"{backend.url}/chat", "running": "1"}
        address = f"/api/answers/{me.post('/ask', params=query, content='short').text}/stream"
        english, again = (rendering(me, address, {}) for _ in range(2))
        dutch, also = (rendering(me, address, IN_DUTCH) for _ in range(2))
    assert english == again != dutch == also


def test_the_page_for_when_there_is_no_network_and_its_worker_are_of_a_language(me: httpx.Client):
    english, dutch = me.get("/offline"), me.get("/offline", headers=IN_DUTCH)
    assert '<html lang="en" dir="ltr">' in english.text
    assert '<html lang="nl" dir="ltr">' in dutch.text
    assert "Er is niets bewaard." in dutch.text
    assert english.headers["x-version"] != dutch.headers["x-version"]
    assert dutch.headers["x-version"] in me.get("/service-worker.js", headers=IN_DUTCH).text
    assert dutch.headers["vary"] == "Accept-Language, Cookie"


def test_the_worker_and_its_page_are_of_the_language_in_their_addresses_whatever_the_browser_asks_with(
    me: httpx.Client,
):
    worker = me.get("/service-worker.js?language=nl")
    view = me.get("/offline?language=nl", headers={"Accept-Language": "en"})
    assert 'const VIEW = "/offline?language=nl";' in worker.text
    assert view.headers["x-version"] in worker.text
    assert "Er is niets bewaard." in view.text


def test_a_worker_of_a_language_that_is_not_there_any_more_is_of_that_of_the_request(me: httpx.Client):
    worker = me.get("/service-worker.js?language=xx", headers=IN_DUTCH)
    assert 'const VIEW = "/offline?language=nl";' in worker.text


def test_a_refusal_is_told_in_the_language_of_the_request(me: httpx.Client):
    assert me.get("/api/answers/none").text == "There is no such answer."
    assert me.get("/api/answers/none", headers=IN_DUTCH).text == "Dat antwoord is er niet."


@pytest.mark.parametrize("path", ["/api/answers/none", "/api/conversations/none/copy", "/branding/none.svg"])
def test_no_cache_keeps_a_refusal_for_whoever_asks_next_in_another_language(me: httpx.Client, path: str):
    refused = me.get(path, headers=IN_DUTCH)
    assert (refused.status_code, refused.headers.get("cache-control")) == (404, "no-store")
