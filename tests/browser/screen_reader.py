"""What a screen reader says by itself, by the accessibility tree of Chromium.

The model: of a live region that is not atomic by the tree, the text that was added is spoken; of an atomic one all of
its text, with each change. What is assertive goes before what is polite, and an alert is spoken as a whole when it
appears. What is busy is spoken once it is not. The page's clock goes on only between two looks at the tree, so no line
comes and goes unseen.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page

from tests.browser.clocks import AHEAD
from tests.patience import PATIENCE

_STEP = 250
"""Milliseconds of the page's clock between two looks; a line stands for four times as long."""


@dataclass
class _Node:
    """A node of the tree: what it is, and the text below it by the node that it stands in."""

    key: int
    role: str
    name: str
    properties: dict[str, Any]
    parent: _Node | None = None
    children: list[_Node] = field(default_factory=list)

    def texts(self) -> Iterator[_Node]:
        """Every node below with text of its own, in their order."""
        if self.role == "StaticText":
            yield self
        for child in self.children:
            yield from child.texts()

    def words(self) -> str:
        """All text below."""
        return " ".join("".join(text.name for text in child.texts()) for child in self.children or [self]).strip()

    @property
    def is_busy(self) -> bool:
        """Whether it changes, or what is around it does."""
        return bool(self.properties.get("busy")) or (self.parent is not None and self.parent.is_busy)


class ScreenReader:
    """Hears a page from now on, whose clock it holds."""

    def __init__(self, page: Page) -> None:
        self.said: list[str] = []
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._session.send("Accessibility.enable")
        self._known: dict[int, dict[int, str]] = {}
        page.clock.pause_at(page.evaluate("Date.now() / 1000") + AHEAD)
        self._look()
        self.said.clear()

    def hear_to(self, end: str) -> list[str]:
        """What was said since the last time, up to what matches the expression `end` and stands there no more."""
        given_up = time.monotonic() + PATIENCE
        while not self._has_ended(end):
            assert time.monotonic() < given_up, f"{end} was not said, but {self.said}"
            self.go_on()
        found = list(self.said)
        self.said.clear()
        return found

    def go_on(self) -> None:
        """Let the page's clock go on for a moment, and hear what is new."""
        self._page.clock.run_for(_STEP)
        self._look()

    def go_on_to(self, element: Locator) -> Locator:
        """The element, once it is on the page."""
        given_up = time.monotonic() + PATIENCE
        while not element.is_visible():
            assert time.monotonic() < given_up, f"{element} did not come"
            self.go_on()
        return element

    def _has_ended(self, end: str) -> bool:
        is_said = any(re.search(end, words) for words in self.said)
        return is_said and self._page.locator("#announcements > *").count() == 0

    def _look(self) -> None:
        nodes = self._nodes()
        regions = [node for live in ("assertive", "polite") for node in nodes if node.properties.get("live") == live]
        known, self._known = self._known, {}
        for region in regions:
            if region.is_busy:
                self._known |= {region.key: known[region.key]} if region.key in known else {}
                continue
            before = known.get(region.key, {} if region.role == "alert" else None)
            now = {text.key: text.name for text in region.texts()}
            self._known[region.key] = now
            if before is not None:
                self.said += _spoken(region, before, now)

    def _nodes(self) -> list[_Node]:
        listed = self._session.send("Accessibility.getFullAXTree")["nodes"]
        nodes = {
            node["nodeId"]: _Node(
                node.get("backendDOMNodeId", 0),
                node.get("role", {}).get("value", ""),
                node.get("name", {}).get("value", ""),
                {each["name"]: each["value"].get("value") for each in node.get("properties", [])},
            )
            for node in listed
        }
        for node in listed:
            for child in node.get("childIds", []):
                if child in nodes and nodes[child].role != "InlineTextBox":
                    nodes[child].parent = nodes[node["nodeId"]]
                    nodes[node["nodeId"]].children.append(nodes[child])
        return list(nodes.values())


def _spoken(region: _Node, before: dict[int, str], now: dict[int, str]) -> list[str]:
    if region.properties["atomic"]:
        has_changed = before != now and "additions" in region.properties["relevant"]
        return [region.words()] if has_changed and now else []
    added = {key for key in now if key not in before}
    if "text" in region.properties["relevant"]:
        added |= {key for key in now if before.get(key) != now[key]}
    lines = ["".join(text.name for text in line.texts() if text.key in added) for line in region.children]
    return [line for line in lines if line]


def hold_clock(context: BrowserContext) -> None:
    """Have the clocks of pages that are opened from now on be held later."""
    context.clock.install()
