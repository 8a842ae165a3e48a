"""A window of some engine, driven by its own protocol, and what is the same for all of them: finding and waiting."""

from typing import Any, Protocol

from tests.timeouts import TIMEOUT


class Window(Protocol):
    """A window of a browser. Each `function` is JavaScript's, and is called with the values in the page; a promise that
    it gives is waited for.
    """

    def go(self, address: str) -> None:
        """Load what is at an address."""

    def reload(self) -> None:
        """Load it again."""

    def run(self, function: str, *values: object) -> Any:
        """What the function gives back, as JSON has it."""

    def click(self, function: str, *values: object) -> None:
        """Click in the middle of the element that the function gives back."""

    def press(self, keys: str) -> None:
        """Press keys together, such as `Control+k`, where the focus is."""

    def resize(self, width: int, height: int) -> None:
        """Have the page so large, or as nearly so as the browser can."""


KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Tab": "\ue004",
    "Shift": "\ue008",
    "Control": "\ue009",
    "Alt": "\ue00a",
    "ArrowUp": "\ue013",
    "ArrowDown": "\ue015",
}
"""The signs by which WebDriver calls keys."""

_FIND = """
const ROLES = {
    article: "article",
    button: "button",
    dialog: "dialog, [role=dialog]",
    log: "[role=log]",
    menuitem: "[role=menuitem]",
    combobox: "[role=combobox]",
    option: "[role=option]",
    navigation: "nav",
    region: "[role=region]",
    textbox: "textarea, input[type=text], input:not([type])",
    spinbutton: "input[type=number]",
    tab: "[role=tab]",
};
const named = (element) =>
    element.getAttribute("aria-label") ??
    document.getElementById(element.getAttribute("aria-labelledby"))?.textContent ??
    element.labels?.[0]?.textContent ??
    element.textContent;
const isShown = (element) => element.checkVisibility() && !element.closest("[inert]");
const find = (role, name) =>
    [...document.querySelectorAll(ROLES[role])].findLast(
        (element) => isShown(element) && named(element).trim().startsWith(name),
    );
"""

_WAIT = """(milliseconds, ...values) => new Promise((found, missed) => {
    const end = performance.now() + milliseconds;
    const look = () => {
        const value = condition(...values);
        if (value) found(value === true || typeof value !== "object" ? value : true);
        else if (performance.now() > end) missed(new Error("waited in vain for " + condition + " with " + values));
        else setTimeout(look, 20);
    };
    look();
})"""


def finding(function: str) -> str:
    """The function, which may use `find(role, name)`: the last element on view whose name begins so."""
    return f"(...values) => {{ {_FIND} return ({function})(...values); }}"


def wait(window: Window, condition: str, *values: object) -> Any:
    """Wait until the condition, which may use `find`, is true; returns its value where that is a word or a number."""
    function = f"(...values) => {{ const condition = {condition}; return ({_WAIT})(...values); }}"
    return window.run(finding(function), int(1000 * TIMEOUT), *values)
