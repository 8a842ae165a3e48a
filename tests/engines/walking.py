"""A person's actions on the page, in any engine."""

from typing import Any

from tests.engines.window import Window, finding, wait

_NOTHING_MOVES = """document.getAnimations().every(
    (animation) => animation.playState !== "running" || animation.effect.getTiming().iterations === Infinity
)"""


class Walker:
    def __init__(self, window: Window, app: str) -> None:
        self.window = window
        self._app = app

    def open(self, path: str = "/") -> None:
        """Go to a path of the app, and wait until it takes a question."""
        self.window.go(self._app + path)
        self.until_alive()

    def reload(self) -> None:
        """Reload the page, and wait until it takes a question."""
        self.window.reload()
        self.until_alive()

    def until_alive(self) -> None:
        self.until("""() => document.querySelector(".composer-buttons:enabled")
            && document.querySelector("[role=log][aria-busy=false]")""")

    def until(self, condition: str, *values: object) -> Any:
        """Wait for the expression, which may use `find(role, name)`."""
        return wait(self.window, condition, *values)

    def sees(self, role: str, name: str, text: str = "") -> None:
        """Wait for an element with this role, name and text."""
        self.until("(role, name, text) => find(role, name)?.textContent.includes(text)", role, name, text)

    def sees_no(self, role: str, name: str) -> None:
        """Wait until such an element is missing."""
        self.until("(role, name) => !find(role, name)", role, name)

    def is_at(self, role: str, name: str) -> None:
        """Wait until that element has the focus."""
        self.until("(role, name) => find(role, name) === document.activeElement", role, name)

    def click(self, role: str, name: str) -> None:
        """Click the last element with this role and name, once the page is at rest."""
        self.until(f"(role, name) => find(role, name) && {_NOTHING_MOVES}", role, name)
        self.window.click(finding("(role, name) => find(role, name)"), role, name)

    def press(self, *keys: str) -> None:
        """Press keys in sequence."""
        for each in keys:
            self.window.press(each)

    def type(self, words: str) -> None:
        """Type words at the focus."""
        for letter in words:
            self.window.press(letter)

    def ask(self, question: str) -> None:
        """Ask in the box, and wait for the whole answer."""
        turns = self.window.run("() => document.querySelectorAll('article.answer').length")
        self.click("textbox", "Message")
        self.type(question)
        self.press("Enter")
        self.until(
            """(turns) => document.querySelectorAll("article.answer [aria-label='Copy answer']").length === turns
                && !document.querySelector("article.answer[aria-busy=true], article.answer [aria-busy=true]")""",
            turns + 1,
        )
