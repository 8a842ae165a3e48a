"""Where a link in foreign text may lead, and which images are shown: none is fetched before its reader asks for it."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import quote, urldefrag, urlsplit

from chat_ui.rendering.html.link_labels import DIRECTION_MARKS, host_of

_LINK = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\S+")
_FRAGMENT_WORDS = 6
_DATA_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+", re.IGNORECASE)


def link_href(url: str) -> str | None:
    """The URL when a link may lead there (http, https, mailto), else None."""
    url = url.strip()
    return url if _LINK.fullmatch(url) else None


def with_text_fragment(url: str, passage: str) -> str:
    """The URL of a web page, going to where `passage` begins on it; the URL itself where the passage has few words.

    Written as the URL Fragment Text Directives of the Web Incubator Community Group: a hyphen and a comma in the words
    have a meaning there, so they are escaped as well.
    """
    words = _WORD.findall(_TAG.sub(" ", passage[:2_000]).split("\n\n", 1)[0])[:_FRAGMENT_WORDS]
    if len(words) < 3:
        return url
    page, fragment = urldefrag(url)
    return f"{page}#{fragment}:~:text={quote(' '.join(words), safe='').replace('-', '%2D')}"


def image_src(url: str) -> str | None:
    """The URL when the image is in it (a data URI of PNG, JPEG, GIF or WebP), else None."""
    url = url.strip()
    return url if _DATA_IMAGE.fullmatch(url) else None


def image_html(src: str, alt: str, *, linked: bool = False) -> str:
    """An image that is in its own URL, or a placeholder that loads nothing, with a link and a button to show it.

    `linked` says that a link or a button stands around it already: then it is words alone.
    """
    if data := image_src(src):
        return f'<img src="{escape(data)}" alt="{escape(alt)}" loading="lazy" decoding="async">'
    href = link_href(src)
    host = _host(href) if href else ""
    if linked or not host:
        inner = escape(" ".join(filter(None, (alt or "Image", host))))
        return f'<span class="remote-image">{inner}</span>'
    attributes = 'dir="auto" target="_blank" rel="noopener noreferrer nofollow"'
    return (
        f'{_REMOTE}{escape(src.strip())}" {attributes}>{escape(alt.translate(DIRECTION_MARKS)) or "Image"}</a> '
        f'<button type="button" class="show-image" data-image>Show image from {escape(host)}</button></span>'
    )


def offers_image(html: str, url: str) -> bool:
    """Whether safe HTML has the button that shows the image at `url`."""
    return f'{_REMOTE}{escape(url)}"' in html


_REMOTE = '<span class="remote-image"><a href="'


def _host(url: str) -> str:
    """The host that a URL leads to, in ASCII, so that no other one looks like it; empty where readers could differ."""
    try:
        return "" if {"@", "\\"} & set(urlsplit(url).netloc) else host_of(url)
    except ValueError:
        return ""
