"""The built page with the server's branding and settings."""

import json
import re
from dataclasses import replace
from html import escape, unescape
from typing import Any

from chat_ui.languages.catalogues import offered
from chat_ui.languages.language import ENGLISH
from chat_ui.server.document import FirstPaint
from chat_ui.server.document import painted as painted_in


def mark(what: object) -> str:
    return f"\ue000{json.dumps(what)}\ue001"


BUILT = (
    f'<!DOCTYPE html><html class="a" lang="en"><head><title>{escape(mark("title"))}</title></head>'
    f'<body aria-label="{escape(mark(["Send <all>", {}]))}"><style>{mark("style")}</style>'
    f'<div class="painted-part">{mark("brand")}</div><div class="painted-part">{mark("recorded")}</div>'
    f'<span title="{escape(mark("label"))}">{escape(mark("label"))}</span>'
    f'<div class="painted-part">{mark("greeting")}</div><main>{escape(mark("starters"))}</main></body></html>'
)
FIRST = FirstPaint(
    title="Ask <Tern> & Gull",
    parts={"brand": "<h1>Ask</h1>", "greeting": "<p>Hello &amp; welcome</p>"},
    head="<style>.a{}</style>",
    own={},
    label='The "handbook"',
    starters=("Who pays & when?", "<b>?"),
    attributes={"settings": "open"},
    options={"title": "</script><script>"},
    state={"state": {"label": "x"}},
)


def painted(document: str, first: FirstPaint) -> str:
    return painted_in(document, first, ENGLISH, "")


def data_in(document: str) -> dict[str, Any]:
    found = re.search(r'<script id="painted" type="application/json">(.*?)</script>', document)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_title_parts_label_and_starters_are_the_servers():
    document = painted(BUILT, FIRST)
    for part in (
        '<html class="a" data-settings="open" lang="en" dir="ltr">',
        "<title>Ask &lt;Tern&gt; &amp; Gull</title>",
        'title="The &quot;handbook&quot;">The &quot;handbook&quot;</span>',
        ">Who pays &amp; when?</span></button>",
        ">&lt;b&gt;?</span></button>",
    ):
        assert part in document
    assert "\ue000" not in document


def test_the_pages_texts_are_in_the_documents_language_before_scripts_run():
    arabic = offered()["ar"]
    document = painted_in(
        f"{BUILT}{escape(mark(['1 source', {'count': 3}, '{count} sources', 3]))}", FIRST, arabic, "<i>"
    )
    assert ' lang="ar" dir="rtl">' in document
    assert document.endswith(arabic.said("1 source", {"count": 3}, "{count} sources", 3))
    assert "<i></head>" in document
    assert 'aria-label="Send &lt;all&gt;"' in document


def test_data_for_scripts_cannot_end_its_element():
    document = painted(BUILT, FIRST)
    data = data_in(document)
    assert data["options"] == {"title": "</script><script>"}
    assert data["state"] == {"state": {"label": "x"}}
    assert data["parts"] == FIRST.parts
    assert f"{FIRST.head}<script" in document
    assert document.index('id="painted"') < document.index("</head>")


def test_a_part_is_painted_in_its_place_and_empty_without_its_feature():
    place = '<div class="painted-part">{}</div>'
    assert place.format(FIRST.parts["greeting"]) in painted(BUILT, FIRST)
    assert place.format("") in painted(BUILT, FIRST)


def test_the_group_of_starters_is_missing_without_starters():
    assert "Starter questions" not in painted(BUILT, replace(FIRST, starters=()))


def test_the_first_backends_branding_is_painted_and_the_data_has_the_pages():
    own = {"brand": "<h1>Own</h1>", "greeting": "", "style": ".radix-themes{--accent-9:red}"}
    document = painted(BUILT, replace(FIRST, own=own))
    assert '<div class="painted-part"><h1>Own</h1></div>' in document
    assert "<style>.radix-themes{--accent-9:red}</style>" in document
    assert data_in(document)["parts"]["brand"] == FIRST.parts["brand"]


def test_texts_are_not_used_as_a_pattern():
    for words in (r"\1\g<0>", "a\\"):
        first = replace(FIRST, label=words, starters=(words,), title=words)
        assert unescape(painted(BUILT, first)).count(words) >= 3
