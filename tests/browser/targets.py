"""Touch targets: their size, and whether an edge of the screen covers them."""

from playwright.sync_api import Page

from tests.browser.axe import SETTLED

LEAST = 44
LEAST_OF_AN_EXCEPTION = 24
EXCEPTIONS = (
    # Links in text, whose lines would move apart.
    ".answer-text .citation",
    ":is(.answer-text, .document-text, .document-passage, .passage, .source-line) a",
    # The edge of a sheet. Its whole head can be pulled, over the width of the screen.
    ".sheet-handle",
)

_SMALL = """([least, leastOfException, exceptions]) => {
    const PRESSABLE = `button, a[href], input:not(.task), select, textarea, summary, [role=tab], [role=switch],
        [role^=menuitem], [role=checkbox], [role=radio], [role=separator][tabindex]`;
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false })
        && !element.closest("[inert], [aria-hidden=true]") && !element.matches("[type=file], .visually-hidden");
    const hits = (element, x, y) => {
        // The button for the latest text goes near the end, after these scrolls.
        const hit = document.elementsFromPoint(x, y).find((one) => one === element || !one.closest(".to-latest"));
        return hit !== undefined && (element.contains(hit) || hit.closest("label")?.control === element);
    };
    const reach = (element, x, y, dx, dy) => {
        let far = 0;
        while (far < 64 && hits(element, x + dx * (far + 1), y + dy * (far + 1))) far += 1;
        return far;
    };
    const found = [];
    // A menu covers parts of what lies under it, and goes with the first press.
    const root = document.querySelector("[role=menu]") ?? document;
    for (const element of root.querySelectorAll(PRESSABLE)) {
        if (!isSeen(element)) continue;
        element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
        const { left, top, width, height } = element.getClientRects()[0] ?? {};
        if (!width || !height) continue;
        const [x, y] = [left + width / 2, top + height / 2];
        // Controls under a sheet or a menu cannot be pressed.
        if (!hits(element, x, y)) continue;
        const wide = 1 + reach(element, x, y, 1, 0) + reach(element, x, y, -1, 0);
        const high = 1 + reach(element, x, y, 0, 1) + reach(element, x, y, 0, -1);
        const need = element.matches(exceptions) ? leastOfException : least;
        if (Math.min(wide, high) < need) {
            const name = element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 30);
            found.push(`${element.localName}.${element.className} "${name}": ${wide} x ${high}`);
        }
    }
    return found;
}"""

_ZOOMING = """() => [...document.querySelectorAll("input, select, textarea, [contenteditable]")]
    .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map((field) => field.outerHTML)"""
_UNDER_AN_EDGE = """({ top, right, bottom, left }) => {
    return [...document.querySelectorAll("button, a[href], input, select, textarea, summary, [role^=menuitem]")]
        .filter((element) => element.checkVisibility() && !element.closest("[inert], [aria-hidden=true], [hidden]"))
        .flatMap((element) => {
            element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
            const at = element.getBoundingClientRect();
            const hit = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
            if (!at.width || !element.contains(hit) || element.matches(".visually-hidden, .sheet-handle")) return [];
            const isUnder = at.left < left || at.right > innerWidth - right || at.top < top
                || at.bottom > innerHeight - bottom;
            const name = element.ariaLabel ?? element.textContent;
            return isUnder ? [`${element.className} ${name}: ${JSON.stringify(at)}`] : [];
        });
}"""


def too_small(page: Page) -> list[str]:
    """Visible controls below the target size, each with the size of its area."""
    page.wait_for_function(SETTLED)
    found: list[str] = page.evaluate(_SMALL, [LEAST, LEAST_OF_AN_EXCEPTION, ", ".join(EXCEPTIONS)])
    return found


def zooming(page: Page) -> list[str]:
    """Fields with letters so small that a phone zooms in."""
    found: list[str] = page.evaluate(_ZOOMING)
    return found


def under_edges(page: Page, edges: dict[str, int]) -> list[str]:
    """Controls under the notch, the corners or the bar of a screen with these edges."""
    page.wait_for_function(SETTLED)
    found: list[str] = page.evaluate(_UNDER_AN_EDGE, edges)
    return found
