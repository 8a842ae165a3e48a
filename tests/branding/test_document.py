"""A built page as it is sent: the branding and the settings of the server are in the document."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from chat_ui.branding.branding import branding_of
from chat_ui.branding.document import FirstPaint, painted
from chat_ui.settings import Settings

BUILT = (
    '<!DOCTYPE html><html lang="en"><head><title>chat-ui-title</title></head><body>'
    '<style data-branding="own"></style><div class="branding-part"><!--branding:brand--></div>'
    '<span class="backend-label" data-branding="label" title="Demo backend">Demo backend</span>'
    '<div class="branding-part"><!--branding:greeting--></div>'
    '<div aria-label="Starter questions" class="chips chips-start" data-branding="starters" role="group">'
    '<button type="button" class="chip" dir="auto">Built?</button></div></body></html>'
)
FIRST = FirstPaint(
    branding=branding_of(Settings(title="Ask <Tern> & Gull")),
    own={},
    label='The "handbook"',
    starters=("Who pays & when?", "<b>?"),
    attributes={"settings": "open"},
    options={"title": "</script><script>"},
    state={"state": {"label": "x"}},
)


def data_in(document: str) -> dict[str, Any]:
    found = re.search(r'<script id="branding" type="application/json">(.*?)</script>', document)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_title_parts_label_and_starters_are_those_of_the_server():
    document = painted(BUILT, FIRST)
    for part in (
        '<html data-settings="open" lang="en">',
        "<title>Ask &lt;Tern&gt; &amp; Gull</title>",
        '<h1 dir="auto">Ask &lt;Tern&gt; &amp; Gull</h1>',
        'title="The &quot;handbook&quot;">The &quot;handbook&quot;</span>',
        ">Who pays &amp; when?</button>",
        ">&lt;b&gt;?</button>",
    ):
        assert part in document
    assert "Built?" not in document
    assert "branding:" not in document


def test_what_scripts_need_is_data_that_ends_no_element():
    document = painted(BUILT, FIRST)
    data = data_in(document)
    assert data["options"] == {"title": "</script><script>"}
    assert data["state"] == {"state": {"label": "x"}}
    assert data["parts"] == FIRST.branding.parts()
    assert document.index('id="branding"') < document.index("</head>")


def test_without_starters_their_group_is_gone():
    assert "Starter questions" not in painted(BUILT, replace(FIRST, starters=()))


def test_the_first_backends_own_branding_is_painted_while_the_data_keeps_the_pages():
    own = {"brand": "<h1>Own</h1>", "greeting": "", "style": ".radix-themes{--accent-9:red}"}
    document = painted(BUILT, replace(FIRST, own=own))
    assert '<div class="branding-part"><h1>Own</h1></div>' in document
    assert '<style data-branding="own">.radix-themes{--accent-9:red}</style>' in document
    assert data_in(document)["parts"]["brand"] == FIRST.branding.parts()["brand"]


@pytest.mark.parametrize("words", [r"\1\g<0>", "a\\"])
def test_words_are_no_pattern(words: str):
    document = painted(
        BUILT, replace(FIRST, label=words, starters=(words,), branding=branding_of(Settings(title=words)))
    )
    assert unescape(document).count(words) >= 4
