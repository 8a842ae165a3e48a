"""The messages of the page's scripts, as browsers fetch them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import httpx2
import pytest

from chat_ui.languages.catalogues import offered
from chat_ui.languages.messages import messages_of_page
from chat_ui.server.built_page import MESSAGES

ADDRESS = re.compile(r'<script src="(/api/languages/[^"]+)"></script>')


@pytest.fixture(scope="module")
def messages() -> Collection[str]:
    return messages_of_page()


@pytest.fixture(scope="module")
def address(app_url: str) -> str:
    """The address that the document in German names."""
    return ADDRESS.findall(httpx2.get(app_url, headers={"Accept-Language": "de"}).text)[0]


def words(answer: httpx2.Response) -> dict[str, Any]:
    before, _, found = answer.text.partition("=")
    assert before == "globalThis.chatUiWords"
    return json.loads(found)


@pytest.mark.thorough
def test_the_words_are_all_that_scripts_say_and_a_browser_keeps_them(
    app_url: str, address: str, messages: Collection[str]
):
    answer = httpx2.get(app_url + address)
    german = offered()["de"].sayings
    said = {
        message: [forms] if isinstance(forms, str) else forms for message, forms in words(answer)["messages"].items()
    }
    assert said == {message: list(german.messages[message]) for message in messages}
    assert words(answer)["forms"] == german.forms
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "set-cookie" not in answer.headers
    again = httpx2.get(app_url + address, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.thorough
def test_the_build_lists_the_messages(built_app: Path, messages: Collection[str]):
    (listed, *_) = built_app.rglob(MESSAGES)
    assert json.loads(listed.read_text("utf-8")) == messages


def test_words_of_another_version_are_those_of_now_for_now(app_url: str, address: str):
    answer = httpx2.get(f"{app_url}{address}0")
    assert words(answer) == words(httpx2.get(app_url + address))
    assert answer.headers["cache-control"] == "public, no-cache"


def test_a_language_that_there_is_not_has_none(app_url: str):
    for tag in ("nl", "..%2fde", "", "de%00", "d" * 4000):
        assert httpx2.get(f"{app_url}/api/languages/{tag}.js").status_code in (404, 414)


def test_a_document_in_english_names_none(app_url: str):
    assert ADDRESS.findall(httpx2.get(app_url).text) == []
