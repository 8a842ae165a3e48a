"""The interface to a browser window, and shared code to find and wait."""

from typing import Any, Protocol

from tests.timeouts import TIMEOUT


class Window(Protocol):
    """A browser window. A `function` is JavaScript, called in the page with the values. Its promise is awaited."""

    def go(self, address: str) -> None: ...

    def reload(self) -> None: ...

    def run(self, function: str, *values: object) -> Any:
        """The function's result as JSON."""

    def click(self, function: str, *values: object) -> None:
        """Click the middle of the function's element."""

    def press(self, keys: str) -> None:
        """Press keys together at the focus, such as `Control+k`."""

    def resize(self, width: int, height: int) -> None:
        """Resize the page as exactly as the browser can."""


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
"""WebDriver's codes of keys."""

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
    """The function with `find(role, name)`: the last visible element whose name begins so."""
    return f"(...values) => {{ {_FIND} return ({function})(...values); }}"


def wait(window: Window, condition: str, *values: object) -> Any:
    """Wait until the condition, which may use `find`, is true. Returns its value if it is a string or a number."""
    function = f"(...values) => {{ const condition = {condition}; return ({_WAIT})(...values); }}"
    return window.run(finding(function), int(1000 * TIMEOUT), *values)
