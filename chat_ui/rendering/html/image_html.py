"""Images and icons. Foreign images are shown from data URIs, else at their reader's request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from chat_ui.languages.translation import gettext
from chat_ui.protocol.answers.pictures import MOST_PICTURE
from chat_ui.protocol.events import PictureReceived
from chat_ui.rendering.html.links import DIRECTION_MARKS, host_of, link_href

_DATA_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+", re.IGNORECASE)

Icon: TypeAlias = Literal[
    "file", "file-text", "globe", "image", "presentation", "table", "arrow-up-right", "warning", "film"
]


@dataclass(frozen=True, slots=True)
class RemoteImage:
    """An image at a `url` of another `host`: a link and a button, which loads it.

    A server may fetch the image for the readers of this answer, and no other image.
    """

    url: str
    host: str
    alt: str

    @property
    def html(self) -> str:
        """Safe HTML with the button."""
        words = escape(gettext("Show image from {host}", host=self.host))
        return self._html(f'<button type="button" class="show-image" data-image>{words}</button>')

    @property
    def html_without_button(self) -> str:
        """Safe HTML of only the link."""
        return self._html("")

    def _html(self, button: str) -> str:
        attributes = 'dir="auto" target="_blank" rel="noopener noreferrer nofollow"'
        label = escape(self.alt.translate(DIRECTION_MARKS)) or escape(gettext("Image"))
        return f'<span class="remote-image"><a href="{escape(self.url)}" {attributes}>{label}</a> {button}</span>'


def image_src(url: str) -> str | None:
    """The URL if it contains the image (a data URI of PNG, JPEG, GIF or WebP), else None."""
    url = url.strip()
    return url if _DATA_IMAGE.fullmatch(url) else None


def image_part(src: str, alt: str, *, linked: bool = False) -> str | RemoteImage:
    """An image in a data URI as safe HTML, or a remote one; if `linked`, in a link or a button, its words."""
    if data := image_src(src):
        return f'<img src="{escape(data)}" alt="{escape(alt)}" loading="lazy" decoding="async">'
    href = link_href(src)
    host = _host(href) if href else ""
    if href and host and not linked:
        return RemoteImage(href, host, alt)
    return f'<span class="remote-image">{escape(" ".join(filter(None, (alt or gettext("Image"), host))))}</span>'


def image_html(src: str, alt: str, *, linked: bool = False) -> str:
    """Safe HTML of `image_part`."""
    part = image_part(src, alt, linked=linked)
    return part if isinstance(part, str) else part.html


def pictures_html(
    pictures: Sequence[PictureReceived], addresses: Mapping[str, str], *, with_buttons: bool = False
) -> str:
    """Safe HTML of the pictures of an answer, from their `addresses`, by key, which may be data URIs.

    Words are in place of a picture without an address.
    """
    shown = (one for one in pictures if one.key in addresses or not one.is_partial)
    return "".join(_figure(one, addresses.get(one.key, ""), with_buttons=with_buttons) for one in shown)


def _figure(picture: PictureReceived, address: str, *, with_buttons: bool) -> str:
    prompt, src = escape(picture.prompt), escape(address)
    mark = "" if picture.is_partial else " data-whole"
    image = f'<img src="{src}" alt="{prompt or escape(gettext("Image"))}"{mark}>'
    below = f'<span dir="auto">{prompt}</span>'
    if picture.is_partial:
        below = escape(gettext("This image is not finished."))
    elif address and with_buttons:
        image = f'<a href="{src}" target="_blank">{image}</a>'
        name = f"image.{escape(picture.media_type.removeprefix('image/'))}"
        below += f' <a href="{src}" download="{name}">{escape(gettext("Download"))}</a>'
    elif picture.url:
        remote = image_part(picture.url, picture.prompt)
        image = remote if isinstance(remote, str) else remote.html if with_buttons else remote.html_without_button
    elif not address:
        image = f"<p>{escape(_missing(picture))}</p>"
    return f'<figure class="picture">{image}<figcaption>{below}</figcaption></figure>'


def _missing(picture: PictureReceived) -> str:
    if picture.size > MOST_PICTURE:
        return gettext("The image is larger than the limit of {most}.", most=f"{MOST_PICTURE // 1024**2} MB")
    if picture.media_type:
        return gettext("The server no longer has this image. Ask again to get a new one.")
    return gettext("This image is damaged, or not a PNG, JPEG, GIF or WebP image, so it is not shown.")


def _host(url: str) -> str:
    """The host of a URL, in ASCII, so that it cannot be confused; empty if readers could differ."""
    try:
        return "" if {"@", "\\"} & set(urlsplit(url).netloc) else host_of(url)
    except ValueError:
        return ""


def icon_html(name: Icon) -> str:
    """Safe HTML of an icon; a screen reader passes it over."""
    return f'<span class="icon icon-{name}" aria-hidden="true"></span>'
