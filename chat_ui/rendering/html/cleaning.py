"""Which tags and attributes of foreign HTML may stay: nh3 takes out all others, and balances what is left."""

from __future__ import annotations

import re
from typing import Final

import nh3

from chat_ui.protocol.answers.markup import TAGS
from chat_ui.rendering.html.links import link_href

# No `dir`: it could show the pieces of a link's label in another order, so that they pass for another address.
_ATTRIBUTES = {
    "*": {"lang"},
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start", "reversed"},
    "details": {"open"},
}
_ATTRIBUTE_VALUES = {
    "td": {"align": {"left", "right", "center"}},
    "th": {"align": {"left", "right", "center"}, "scope": {"row", "col", "rowgroup", "colgroup"}},
}
_SMALL_NUMBER = re.compile(r"-?\d{1,4}")
_START_NUMBER = re.compile(r"-?\d{1,9}")


def _attribute(tag: str, name: str, value: str) -> str | None:
    if tag == "a" and name == "href":
        return link_href(value)
    if name in ("colspan", "rowspan"):
        return value if _SMALL_NUMBER.fullmatch(value) else None
    if name == "start":
        return value if _START_NUMBER.fullmatch(value) else None
    return value


CLEANER: Final = nh3.Cleaner(
    tags=set(TAGS),
    clean_content_tags=set(),
    attributes=_ATTRIBUTES,
    tag_attribute_values=_ATTRIBUTE_VALUES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "data"},
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
    strip_comments=True,
)
