"""What is made once and shared is made once for each language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
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

msgid "There is no such answer."
msgstr "Dat antwoord is er niet."
"""
IN_DUTCH = {"Accept-Language": "nl"}


@pytest.fixture
def me(tmp_path: Path) -> Iterator[httpx2.Client]:
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations/nl.po").write_text(DUTCH, encoding="utf-8")
    with whole(tmp_path, translations=tmp_path / "translations") as url, person(url) as client:
        yield client


def rendering(client: httpx2.Client, address: str, headers: dict[str, str]) -> str:
    """The name of the rendering that a follower gets, by its first frame."""
    with client.stream("GET", address, headers=headers) as response:
        line = next(line for line in response.iter_lines() if line.startswith("id: "))
    return line.removeprefix("id: ").partition(".")[0]


def test_a_growing_answer_is_rendered_once_for_each_language_of_its_followers(me: httpx2.Client):
    never = Reply([lines({"delta": {"role": "assistant"}}, {"delta": {"content": "Red."}}), float("inf")])
    with in_thread(StandIn(never)) as backend:
        query = {"backend": f"{backend.url}/chat", "running": "1"}
        address = f"/api/answers/{me.post('/ask', params=query, content='short').text}/stream"
        english, again = (rendering(me, address, {}) for _ in range(2))
        dutch, also = (rendering(me, address, IN_DUTCH) for _ in range(2))
    assert english == again != dutch == also


def test_a_refusal_is_told_in_the_language_of_the_request(me: httpx2.Client):
    assert me.get("/api/answers/none").text == "There is no such answer."
    assert me.get("/api/answers/none", headers=IN_DUTCH).text == "Dat antwoord is er niet."
    # No cache keeps it for whoever asks next in another language.
    for path in ("/api/answers/none", "/api/conversations/none/export", "/branding/none.svg"):
        refused = me.get(path, headers=IN_DUTCH)
        assert (refused.status_code, refused.headers.get("cache-control")) == (404, "no-store")
