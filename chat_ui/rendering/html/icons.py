"""Icons of Lucide, which the page's stylesheet draws."""

from __future__ import annotations

from typing import Literal, TypeAlias

Icon: TypeAlias = Literal[
    "file", "file-text", "globe", "image", "presentation", "table", "arrow-up-right", "warning", "film"
]


def icon_html(name: Icon) -> str:
    """Safe HTML of an icon; a screen reader passes it over."""
    return f'<span class="icon icon-{name}" aria-hidden="true"></span>'
