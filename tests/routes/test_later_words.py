"""The words of scripts that load when they are needed, as browsers fetch them."""

from __future__ import annotations

import json
import re

import httpx
import pytest

from chat_ui.languages import page_words
from chat_ui.languages.catalogues import offered

ADDRESS = re.compile(r'"later":"([^"]+)"')


@pytest.fixture(scope="module")
def address(app_url: str) -> str:
    """Where the document in German says that they are."""
    document = httpx.get(app_url, headers={"Accept-Language": "de"}).text
    return ADDRESS.findall(document)[0]


def test_the_document_names_the_words_of_its_language_and_a_browser_keeps_them(app_url: str, address: str):
    answer = httpx.get(app_url + address)
    assert answer.json() == json.loads(page_words.later(offered()["de"]))
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "set-cookie" not in answer.headers
    again = httpx.get(app_url + address, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_words_of_another_version_are_those_of_now_for_now(app_url: str, address: str):
    answer = httpx.get(f"{app_url}{address}0")
    assert answer.json() == httpx.get(app_url + address).json()
    assert answer.headers["cache-control"] == "public, no-cache"


@pytest.mark.parametrize("tag", ["nl", "..%2fde", "", "de%00", "d" * 4000])
def test_a_language_that_there_is_not_has_none(app_url: str, tag: str):
    assert httpx.get(f"{app_url}/api/languages/{tag}.json").status_code in (404, 414)


def test_a_document_in_english_names_none(app_url: str):
    assert ADDRESS.findall(httpx.get(app_url).text) == []
