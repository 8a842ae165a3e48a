"""Text that cannot be read: clipped by an element, or outside of the window."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

SPACING = """* {
    line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important;
} p { margin-block-end: 2em !important; }"""
"""The spacing of WCAG 1.4.12."""

_CUT = """() => {
    const found = [];
    const scrolls = (way) => way === "auto" || way === "scroll";
    const cuts = (way) => way === "hidden" || way === "clip";
    // An ellipsis shows that there is more. What is clipped whole is for screen readers alone.
    const isMeant = ({ textOverflow, webkitLineClamp, clipPath }) =>
        textOverflow === "ellipsis" || webkitLineClamp !== "none" || clipPath !== "none";
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

    function whatCuts(element, { left, right, top, bottom }) {
        let [sideways, upright] = [false, false];
        for (; element; element = element.parentElement) {
            const style = getComputedStyle(element);
            if (isMeant(style) || (sideways && upright)) return null;
            const isPage = element === document.body;
            const box = isPage ? new DOMRect(0, 0, innerWidth, innerHeight) : element.getBoundingClientRect();
            const isBeside = right > box.right + 1 || left < box.left - 1;
            if (!sideways && isBeside && (isPage || cuts(style.overflowX))) return element;
            const isBeyond = bottom > box.bottom + 2 || top < box.top - 2;
            if (!upright && isBeyond && (isPage || cuts(style.overflowY))) return element;
            sideways ||= scrolls(style.overflowX) && element.scrollWidth > element.clientWidth;
            upright ||= scrolls(style.overflowY);
            if (isPage) return null;
        }
        return null;
    }

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
        const around = text.parentElement;
        if (!text.data.trim() || !isSeen(around) || around.closest(".pdf-text, [inert]")) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        const place = range.getBoundingClientRect();
        const cutting = place.width && whatCuts(around, place);
        const words = text.data.trim().slice(0, 60);
        if (cutting) found.push(`${words}, cut off by ${cutting.className || cutting.localName}`);
    }
    return found;
}"""

_SCROLLING = """() => {
    const MEANT = ".table-scroll, pre, .strip, .document-body, .formula, textarea, input";
    const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
    return [document.documentElement, ...document.querySelectorAll("body *")]
        .filter((element) => !element.matches(MEANT) && (element === document.documentElement || scrolls(element)))
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className, scrollWidth, clientWidth }) => `${className}: ${scrollWidth} in ${clientWidth}`);
}"""


@contextmanager
def styled(page: Page, style: str) -> Iterator[None]:
    """Add a stylesheet to the page within the context."""
    sheet = page.add_style_tag(content=style)
    page.evaluate("() => new Promise((laidOut) => requestAnimationFrame(() => requestAnimationFrame(laidOut)))")
    yield
    sheet.evaluate("sheet => sheet.remove()")


def cut_text(page: Page) -> list[str]:
    """Unreadable texts, each with its reason."""
    found: list[str] = page.evaluate(_CUT)
    return found


def scrolling(page: Page) -> list[str]:
    """Elements that scroll sideways, without tables, code, formulas, documents, fields and rows of cards."""
    found: list[str] = page.evaluate(_SCROLLING)
    return found


def sideways(page: Page) -> int:
    """The pixels by which the page scrolls sideways."""
    found: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return found
