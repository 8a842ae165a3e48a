"""Announcements of a page: texts of the live region, and alerts."""

from dataclasses import dataclass

from playwright.sync_api import Page

_LISTEN = """() => {
    const heard = (window.heard = { said: [], alerts: [] });
    const elements = (node) => (node.nodeType === 1 ? [node, ...node.querySelectorAll("*")] : []);
    new MutationObserver((records) => {
        for (const { target, addedNodes, type } of records) {
            if (target.id === "announcements")
                for (const { textContent } of addedNodes) heard.said.push(textContent);
            for (const element of type === "attributes" ? [target] : [...addedNodes].flatMap(elements))
                if (element.role === "alert") heard.alerts.push(element.textContent);
        }
    }).observe(document, { childList: true, subtree: true, attributeFilter: ["role"] });
}"""


@dataclass(frozen=True)
class Heard:
    said: list[str]
    alerts: list[str]


def listen(page: Page) -> None:
    """Record announcements from now on, across reloads."""
    page.add_init_script(f"addEventListener('DOMContentLoaded', {_LISTEN})")
    page.evaluate(_LISTEN)


def heard(page: Page) -> Heard:
    """The announcements so far."""
    return Heard(**page.evaluate("window.heard"))


def heard_to(page: Page, end: str) -> Heard:
    """The announcements up to a match of `end`, once the live region is empty again."""
    page.wait_for_function(
        """end => new Promise((found) => {
            const look = () => {
                const isOver = window.heard.said.some((words) => new RegExp(end).test(words));
                if (!isOver || document.getElementById("announcements").hasChildNodes()) return;
                observer.disconnect();
                found(true);
            };
            const observer = new MutationObserver(look);
            observer.observe(document, { childList: true, subtree: true });
            look();
        })""",
        arg=end,
    )
    return heard(page)
