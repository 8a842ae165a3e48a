"""The blocks of a book (EPUB 3): its chapters in the order of the spine."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from chat_ui.features.office.html_text import html_blocks
from chat_ui.features.office.package import Package, attribute
from chat_ui.features.office.text_blocks import Block
from chat_ui.rendering.panels.document_text import decoded

CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTED: Final = "META-INF/encryption.xml"


def read_book(package: Package) -> list[Block]:
    """The blocks of a book. Raises `UNREADABLE` errors."""
    main = _listed(package, CONTAINER, "rootfile", "full-path")[0]
    encrypted = _listed(package, _ENCRYPTED, "CipherReference", "URI") if _ENCRYPTED in package else []
    parts: dict[str, str] = {}
    spine: list[str] = []

    def start(element: str, attributes: Mapping[str, str]) -> None:
        if element == "item":
            path = posixpath.join(posixpath.dirname(main), unquote(attribute(attributes, "href")))
            parts[attribute(attributes, "id")] = posixpath.normpath(path)
        else:
            spine.append(attribute(attributes, "idref"))

    package.parse(main, start, seen={"item", "itemref"})
    chapters = dict.fromkeys(parts.get(one, "") for one in spine)
    if not chapters.keys().isdisjoint(encrypted):
        raise ValueError("encrypted")
    pages = (decoded(package.read(part), "html").text for part in chapters if part in package)
    return [block for page in pages for block in html_blocks(page)]


def _listed(package: Package, part: str, element: str, named: str) -> list[str]:
    """The values of an attribute of all elements with this name."""
    values: list[str] = []
    package.parse(part, lambda _, attributes: values.append(attribute(attributes, named)), seen={element})
    return values
